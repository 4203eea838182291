/* load_loses.c -- an object that was saved and loaded again has lost the resets of its sums. */
#include "tests/faults/fault.h"

static const char mark[] = "an object of load_loses";

static void change(struct copy *c)
{
	for (int32_t s = 0; s < (int32_t)c->t.stmts.n; s++)
		if (c->stmt[s].kind == LT_RESET)
			c->piece[c->operand[c->stmt[s].first_operand].first_piece].bits = 0x40404040;      /* about 3 in f32 */
}
static lt_status identity(struct lt_session *s, lt_write *write, void *user, struct lt_diag *diag)
{
	(void)s, (void)diag;
	write(user, "any machine", 11);
	return LT_OK;
}
static lt_status save(const struct lt_object *o, lt_write *write, void *user, struct lt_diag *diag)
{
	(void)o, (void)diag;
	write(user, mark, sizeof mark);
	return LT_OK;
}
static lt_status load(struct lt_session *s, const struct lt_tree *tree, const void *data, size_t bytes,
	struct lt_object **out, struct lt_diag *diag)
{
	*out = NULL;
	if (bytes != sizeof mark || memcmp(data, mark, bytes))
		return fault_report(diag, LT_EINVAL, "these bytes are not an object");
	return compile_one(s, tree, out, diag, change);
}
FAULTY("load_loses", .identity = identity, .save = save, .load = load)
