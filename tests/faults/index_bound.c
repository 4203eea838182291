/* index_bound.c -- an index is compared with the extent of its axis, not with the bounds that vary. */
#include "tests/faults/fault.h"

static void change(struct copy *c)
{
	for (uint32_t i = 0; i < c->t.accesses.n; i++)
		c->access[i].n_bound = 0;
}
static lt_status compile(struct lt_session *s, const struct lt_tree *const *tree, uint32_t n, struct lt_object **object,
	struct lt_diag *diag)
{
	return compile_changed(s, tree, n, object, diag, change);
}
FAULTY("index_bound", .compile = compile)
