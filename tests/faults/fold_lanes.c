/* fold_lanes.c -- lanes become one value where some of them have a dest of their own. */
#include "tests/faults/fault.h"

static void change(struct copy *c)
{
	for (uint32_t s = 0; s < c->t.stmts.n; s++)
		if (c->stmt[s].kind == LT_COMBINE) {
			struct lt_access *dest = &c->access[c->t.accesses.n];
			*dest = c->access[c->stmt[s].dest];
			dest->row = first_lane(c, dest->row);
			c->stmt[s].dest = (int32_t)c->t.accesses.n++;
		}
}
static lt_status compile(struct lt_session *s, const struct lt_tree *const *tree, uint32_t n, struct lt_object **object,
	struct lt_diag *diag)
{
	return compile_changed(s, tree, n, object, diag, change);
}
FAULTY("fold_lanes", .compile = compile)
