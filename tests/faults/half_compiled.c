/* half_compiled.c -- compiling several trees of which one is refused leaves the objects of those before
 * it. */
#include "tests/faults/fault.h"

static lt_status accepts(struct lt_session *s, const struct lt_tree *t, struct lt_diag *diag)
{
	lt_status status = plain_accepts(s, t, diag);
	return status ? status : has_op(t, "erf", -1) ? refuse(diag, t, "erf") : LT_OK;
}
static lt_status compile(struct lt_session *s, const struct lt_tree *const *tree, uint32_t n, struct lt_object **object,
	struct lt_diag *diag)
{
	memset(object, 0, n * sizeof *object);
	for (uint32_t i = 0; i < n; i++) {
		lt_status status = accepts(s, tree[i], diag);
		status = status ? status : compile_one(s, tree[i], &object[i], diag, NULL);
		if (status)
			return status;
	}
	return LT_OK;
}
FAULTY("half_compiled", .accepts = accepts, .compile = compile)
