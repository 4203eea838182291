/* nan.c -- wrong for NaN: the larger is a > b ? a : b, as C would have it. */
#include "tests/faults/fault.h"

static void change(struct copy *c)
{
	for (uint32_t i = 0; i < c->t.ops.n; i++)
		if (!strcmp(c->op[i].name, "max"))
			c->op[i].source = "($0 > $1 ? $0 : $1)";
}
static lt_status compile(struct lt_session *s, const struct lt_tree *const *tree, uint32_t n, struct lt_object **object,
	struct lt_diag *diag)
{
	return compile_changed(s, tree, n, object, diag, change);
}
FAULTY("nan", .compile = compile)
