/* max_identity.c -- a maximum begins with 0: wrong where all elements are negative. */
#include "tests/faults/fault.h"

static void change(struct copy *c)
{
	for (int32_t s = 0; s < (int32_t)c->t.stmts.n; s++)
		if (c->stmt[s].kind == LT_RESET && !strcmp(op_of(c, s), "max")) {
			c->op[c->stmt[s].op].identity = 0;
			c->piece[c->operand[c->stmt[s].first_operand].first_piece].bits = 0;
		}
}
static lt_status compile(struct lt_session *s, const struct lt_tree *const *tree, uint32_t n, struct lt_object **object,
	struct lt_diag *diag)
{
	return compile_changed(s, tree, n, object, diag, change);
}
FAULTY("max_identity", .compile = compile)
