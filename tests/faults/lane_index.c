/* lane_index.c -- a gather in a vector takes the index of the first lane for all. */
#include "tests/faults/fault.h"

static void change(struct copy *c)
{
	for (uint32_t i = 0; i < c->t.accesses.n; i++)
		if (c->access[i].index >= 0)
			c->access[c->access[i].index].row = first_lane(c, c->access[c->access[i].index].row);
}
static lt_status compile(struct lt_session *s, const struct lt_tree *const *tree, uint32_t n, struct lt_object **object,
	struct lt_diag *diag)
{
	return compile_changed(s, tree, n, object, diag, change);
}
FAULTY("lane_index", .compile = compile)
