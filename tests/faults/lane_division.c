/* lane_division.c -- a division in a vector is that of the first lane for all. */
#include "tests/faults/loose.h"

static void change(struct copy *c)
{
	for (uint32_t i = 0; i < c->t.divs.n; i++)
		c->div[i].row = first_lane(c, c->div[i].row);
	loosen(c);
}
static lt_status compile(struct lt_session *s, const struct lt_tree *const *tree, uint32_t n, struct lt_object **object,
	struct lt_diag *diag)
{
	return compile_changed(s, tree, n, object, diag, change);
}
FAULTY("lane_division", .compile = compile, .run = loose_run)
