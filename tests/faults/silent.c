/* silent.c -- refuses without a word. */
#include "tests/faults/fault.h"

static lt_status accepts(struct lt_session *s, const struct lt_tree *t, struct lt_diag *diag)
{
	(void)diag;
	return has_op(t, "erf", -1) ? LT_EUNSUPPORTED : plain_accepts(s, t, NULL);
}
static lt_status compile(struct lt_session *s, const struct lt_tree *const *tree, uint32_t n, struct lt_object **object,
	struct lt_diag *diag)
{
	(void)diag;
	memset(object, 0, n * sizeof *object);
	for (uint32_t i = 0; i < n; i++)
		if (accepts(s, tree[i], NULL))
			return LT_EUNSUPPORTED;
	return plain_compile(s, tree, n, object, NULL);
}
FAULTY("silent", .accepts = accepts, .compile = compile)
