/* backends/text/value.c -- what an instruction gives, as an expression of its operands. */
#include "backends/text/part.h"

struct text_expr lt__text_value(struct text *t, int32_t at)
{
	const struct lt_instruction *i = text_at(t, at);
	struct lt_value_type type = lt__instruction_type(t->k, i);
	struct text_expr x[4] = { { 0 } };
	int n = 0;
	if (i->opcode == LT_OPCODE_load)
		return lt__text_load(t, at);
	if (i->lanes > 1 || type.lanes > 1)
		return lt__text_lanes(t, at);
	if (i->opcode == LT_OPCODE_shuffle && i->lanes == 1 && type.lanes == 1)
		return lt__text_use(t, i->operand[t->k->extras[i->first_extra]]);
	for (; n < 4 && i->operand[n] >= 0; n++)
		x[n] = lt__text_use(t, i->operand[n]);
	switch (i->opcode) {
	case LT_OPCODE_text: return lt__text_third(t, i, x, n);
	case LT_OPCODE_convert: return lt__text_convert(t, x[0], text_at(t, i->operand[0])->dtype, i->dtype);
	case LT_OPCODE_each: return lt__text_operator(t, (uint32_t)i->what, type, x);
	case LT_OPCODE_cast: return lt__text_cast(t, x[0], text_at(t, i->operand[0])->dtype, type);
	case LT_OPCODE_bits: return lt__text_bits(t, x[0], text_at(t, i->operand[0])->dtype, i->dtype);
	case LT_OPCODE_select:
		t->branches = t->branches || x[1].memory || x[2].memory;
		break;
	default: break;
	}
	return lt__text_operator(t, i->opcode, type, x);
}
