/* combine_first.c -- of the lanes that a combine makes one value of, it takes the first only. */
#include "tests/faults/fault.h"

static void change(struct copy *c)
{
	for (int32_t s = 0; s < (int32_t)c->t.stmts.n; s++)
		for (int32_t l = c->stmt[s].loop; c->stmt[s].kind == LT_COMBINE && l >= 0; l = c->loop[l].parent)
			if (c->loop[l].kind == LT_VECTOR && c->loop[l].n_stmt == 1)
				c->loop[l].max_trip_count = 1;
}
static lt_status compile(struct lt_session *s, const struct lt_tree *const *tree, uint32_t n, struct lt_object **object,
	struct lt_diag *diag)
{
	return compile_changed(s, tree, n, object, diag, change);
}
FAULTY("combine_first", .compile = compile)
