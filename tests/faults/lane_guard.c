/* lane_guard.c -- whether the first lane of a vector writes says whether all do. */
#include "tests/faults/fault.h"

/* Statements with guards get lists of their own. */
static void change(struct copy *c)
{
	int32_t n = 0;
	for (uint32_t s = 0; s < c->t.stmts.n; s++)
		n += c->stmt[s].n_guard;
	int32_t end = 0;
	for (uint32_t i = 0; i < c->t.pieces.n; i++)
		end = c->piece[i].first_guard + c->piece[i].n_guard > end ? c->piece[i].first_guard + c->piece[i].n_guard : end;
	c->guard = allocate((size_t)end + (size_t)n, sizeof *c->guard);
	memcpy(c->guard, c->t.guards, (size_t)end * sizeof *c->guard);
	for (uint32_t s = 0; s < c->t.stmts.n; s++) {
		int32_t first = end;
		for (int32_t i = 0; i < c->stmt[s].n_guard; i++)
			c->guard[end++] = first_lane(c, c->t.guards[c->stmt[s].first_guard + i]);
		c->stmt[s].first_guard = first;
	}
	c->t.guards = c->guard;
}
static lt_status compile(struct lt_session *s, const struct lt_tree *const *tree, uint32_t n, struct lt_object **object,
	struct lt_diag *diag)
{
	return compile_changed(s, tree, n, object, diag, change);
}
FAULTY("lane_guard", .compile = compile)
