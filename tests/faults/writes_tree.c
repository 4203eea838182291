/* writes_tree.c -- marks the trees that it has compiled: they are the host's, and other sessions' too. */
#include "tests/faults/fault.h"

static lt_status compile(struct lt_session *s, const struct lt_tree *const *tree, uint32_t n, struct lt_object **object,
	struct lt_diag *diag)
{
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < tree[i]->stmts.n; k++)
			((volatile struct lt_stmt *)(uintptr_t)LT_AT(struct lt_stmt, tree[i]->stmts, k))->column++;
	return plain_compile(s, tree, n, object, diag);
}
FAULTY("writes_tree", .compile = compile)
