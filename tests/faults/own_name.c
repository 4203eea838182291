/* tests/faults/own_name.c -- begins a refusal with its own name, which the host adds. */
#include "tests/faults/fault.h"

static lt_status accepts(struct lt_session *s, const struct lt_tree *t, struct lt_diag *diag)
{
	if (!has_op(t, "erf", -1))
		return s->table->accepts(s->ref, t, diag);
	if (diag)
		diag->tell(diag, &(struct lt_note){ .size = sizeof (struct lt_note), .code = LT_EUNSUPPORTED, .loop = -1, .stmt = 0,
			.text = "own_name: erf is not known here" });
	return LT_EUNSUPPORTED;
}
FAULTY("own_name", .accepts = accepts)
