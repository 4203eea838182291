/* quad.c -- four bytes side by side as a number of 32 bits, of machines without vectors that add products of bytes by
 * four: such numbers are read, and multiplied by each other (`dot`), and nothing else.
 *
 * Which byte is which does not matter: both factors are read alike.
 */
#include "backends/text/part.h"

bool lt__text_is_quad(const struct lt_instruction *i)
{
	return i->opcode == LT_OPCODE_load && i->lanes == 4 && (i->dtype == LT_I8 || i->dtype == LT_U8) && i->stride == 1
		&& i->operand[1] < 0 && i->operand[2] < 0;
}

struct text_expr lt__text_quad_load(struct text *t, int32_t at)
{
	const struct lt_instruction *i = text_at(t, at);
	const char *load = lt__text_helper(t, "quad", (struct lt_value_type){ i->dtype, i->lanes });
	struct text_expr e = lt__text_element_at(t, i);
	e.text = lt__text_formatted(t, "%s(&%s)", load, e.text);
	e.tight = TEXT_PRIMARY;
	e.memory = true;
	return e;
}

struct text_expr lt__text_quad_dot(struct text *t, int32_t at)
{
	const struct lt_instruction *i = text_at(t, at), *of = text_at(t, i->operand[0]);
	const struct lt_value_type type = { of->dtype, of->lanes };
	struct text_expr x[3];
	for (int n = 0; n < 3; n++)
		x[n] = lt__text_use(t, i->operand[n]);
	return lt__text_called(t, lt__text_helper(t, of->dtype == LT_I8 ? "dot_signed" : "dot_unsigned", type), x, 3);
}
