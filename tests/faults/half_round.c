/* half_round.c -- rounds f32 to f16 and bf16 towards zero: the value is made smaller by half an ulp of the
 * result first. */
#include "tests/faults/fault.h"

static void change(struct copy *c)
{
	for (int32_t s = 0; s < (int32_t)c->t.stmts.n; s++) {
		struct lt_stmt *st = &c->stmt[s];
		if (st->kind != LT_MAP || strcmp(op_of(c, s), "cast") || c->op[st->op].in[0] != LT_F32)
			continue;
		uint32_t type = c->op[st->op].out, bits;
		if (type != LT_F16 && type != LT_BF16)
			continue;
		float factor = type == LT_F16 ? 1 - 0x1p-12F : 1 - 0x1p-9F;
		memcpy(&bits, &factor, sizeof bits);
		int32_t less = add_scalar(c, st->loop, LT_F32);
		const struct lt_operand x[2] = { c->operand[st->first_operand], value_of(c, bits, LT_F32) };
		add_before(c, s, add_op(c, "mul", "($0 * $1)", LT_F32, 2, LT_F32), less, 2, x);
		st = &c->stmt[++s];
		st->first_operand = (int32_t)c->t.operands.n;
		c->operand[c->t.operands.n++] = read_of(c, less, LT_F32);
	}
}
static lt_status compile(struct lt_session *s, const struct lt_tree *const *tree, uint32_t n, struct lt_object **object,
	struct lt_diag *diag)
{
	return compile_changed(s, tree, n, object, diag, change);
}
FAULTY("half_round", .compile = compile)
