/* derived_name.c -- begins a refusal with its own name, which the host adds. */
#include "tests/faults/fault.h"

static lt_status accepts(struct lt_session *s, const struct lt_tree *t, struct lt_diag *diag)
{
	if (!has_op(t, "erf", -1))
		return s->table->accepts(s->ref, t, diag);
	if (diag)
		diag->report(diag,
			&(struct lt_diagnostic){ .size = sizeof(struct lt_diagnostic),
				.code = LT_EUNSUPPORTED,
				.loop = -1,
				.stmt = 0,
				.text = "derived_name: erf is not known here" });
	return LT_EUNSUPPORTED;
}
FAULTY("derived_name", .accepts = accepts)
