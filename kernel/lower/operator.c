/* operator.c -- operators: what they give of values.
 *
 * Values are of the operator's types.  A bool is a number here, 0 or 1, and becomes a mask where one is asked for.
 */
#include <string.h>
#include "kernel/lower/lowering.h"
#include "kernel/build/build.h"

static int32_t as_mask(struct lowering *l, int32_t value)
{
	const struct lt_instruction *i = lt__build_at(&l->b, value);
	if (i->dtype == LT_LANE_MASK)
		return value;
	return i->opcode == LT_OPCODE_flag ? i->operand[0]
		: lt__build_value(&l->b, LT_OPCODE_test, LT_LANE_MASK, i->lanes, value, -1);
}

/* One that came after this library was built is known by its text, as a third party's is. */
uint32_t lt__lower_opcode_of(const struct lt_op *op)
{
	return op->opcode < LT_NOPERATOR_OPCODE ? op->opcode : LT_OPCODE_TEXT;
}

/* The operator of the program that is this one. */
static int32_t text_operator(struct lowering *l, const struct lt_op *op)
{
	struct lt_op text = *op;
	text.opcode = LT_OPCODE_TEXT;
	for (int32_t i = 0; i < l->b.n_op; i++) {
		const struct lt_op *x = &l->b.op[i];
		if (strcmp(x->name, op->name) == 0 && strcmp(x->source ? x->source : "", op->source ? op->source : "") == 0
			&& x->out == op->out && memcmp(x->in, op->in, sizeof x->in) == 0 && x->arity == op->arity)
			return i;
	}
	return lt__build_op(&l->b, &text);
}

int32_t lt__lower_apply(struct lowering *l, const struct lt_op *op, int32_t *x)
{
	const uint32_t opcode = lt__lower_opcode_of(op);
	uint32_t lanes = 1;
	for (int32_t k = 0; k < op->arity; k++)
		lanes = lower_lanes_of(l, x[k]) > lanes ? lower_lanes_of(l, x[k]) : lanes;
	for (int32_t k = 0; k < op->arity && lanes > 1; k++)
		x[k] = lt__lower_spread(l, x[k]);
	if (opcode == LT_OPCODE_copy)
		return lt__lower_as(l, x[0], op->out);
	if (opcode == LT_OPCODE_select)
		return lt__build_select(&l->b, as_mask(l, x[0]), x[1], x[2]);
	if (lt__opcode_tests(opcode)) {
		int32_t mask = lt__build_test(&l->b, (int)opcode, x[0], x[1]);
		return lt__build_value(&l->b, LT_OPCODE_flag, LT_BOOL, lanes, mask, -1);
	}
	struct lt_instruction i = { .opcode = (uint16_t)opcode, .dtype = (uint8_t)op->out, .lanes = lanes,
		.operand = { -1, -1, -1, -1 }, .what = -1, .origin = l->b.origin };
	for (int32_t k = 0; k < op->arity; k++)
		i.operand[k] = x[k];
	if (opcode == LT_OPCODE_TEXT) {
		i.opcode = LT_OPCODE_text;
		i.what = text_operator(l, op);
	}
	return lt__build(&l->b, i);
}
