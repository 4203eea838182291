/* value.c -- what an instruction gives, as an expression of its operands. */
#include "backends/text/part.h"

/* What keeps the signs of 64 bits meets an i64 that the text has in fewer. */
static bool wants_whole(const struct text *t, const struct lt_instruction *i)
{
	return i->dtype == LT_I64 && t->value[i->operand[0]].narrow && (i->opcode == LT_OPCODE_shift_signed
		|| i->opcode == LT_OPCODE_quotient || i->opcode == LT_OPCODE_remainder);
}

struct text_expr lt__text_value(struct text *t, int32_t at)
{
	const struct lt_instruction *i = text_at(t, at);
	struct lt_value_type type = lt__instruction_type(t->k, i);
	struct text_expr x[4] = { { 0 } };
	int n = 0;
	if (i->opcode == LT_OPCODE_load)
		return lt__text_load(t, at);
	if (t->d->device && lt__text_grid_opcode(i->opcode))
		return lt__text_grid_value(t, at);
	if (i->opcode == LT_OPCODE_dot && t->d->quads)
		return lt__text_quad_dot(t, at);
	if (t->value[at].clamp) {
		x[0] = lt__text_plain(t, lt__text_use(t, text_at(t, i->operand[0])->operand[0]), LT_I32);
		return lt__text_called(t, lt__text_helper(t, t->value[at].clamp, type), x, 1);
	}
	if (i->lanes > 1 || type.lanes > 1 || i->opcode == LT_OPCODE_dot)
		return t->d->packs ? lt__text_pack(t, at) : lt__text_lanes(t, at);
	if (i->opcode == LT_OPCODE_shuffle && i->lanes == 1 && type.lanes == 1)
		return lt__text_use(t, i->operand[t->k->extras[i->first_extra]]);
	for (; n < 4 && i->operand[n] >= 0; n++)
		x[n] = lt__text_use(t, i->operand[n]);
	if (i->opcode == LT_OPCODE_select)
		t->branches = t->branches || x[1].memory || x[2].memory;
	if (lt__text_is_product(t, i))
		return lt__text_product(t, i, x);
	if (t->value[at].narrow)
		return lt__text_narrow_value(t, i, x);
	if (wants_whole(t, i)) {
		x[0].text = lt__text_formatted(t, "(int64_t)%s", lt__text_in(t, lt__text_plain(t, x[0], LT_I64), TEXT_UNARY));
		x[0].tight = TEXT_UNARY;
		x[0].literal = x[0].wide = false;
	}
	return lt__text_one(t, i, x, n);
}
