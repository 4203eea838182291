/* no_guard.c -- ignores the last guard of every piece: a pad shows what lies after its source. */
#include "tests/faults/loose.h"

static void change(struct copy *c)
{
	for (uint32_t i = 0; i < c->t.pieces.n; i++)
		c->piece[i].n_guard -= c->piece[i].n_guard > 0;
	loosen(c);
}
static lt_status compile(struct lt_session *s, const struct lt_tree *const *tree, uint32_t n, struct lt_object **object,
	struct lt_diag *diag)
{
	return compile_changed(s, tree, n, object, diag, change);
}
FAULTY("no_guard", .compile = compile, .run = loose_run)
