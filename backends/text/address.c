/* backends/text/address.c -- which element of a buffer is meant. */
#include "backends/text/part.h"

static const char *plus_number(struct text *t, const char *text, int64_t number, const char *suffix)
{
	if (number == 0)
		return text;
	uint64_t size = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
	return lt__text_formatted(t, "%s %c %llu%s", text, number < 0 ? '-' : '+', (unsigned long long)size, suffix);
}

static struct text_expr sum_of(struct text *t, struct text_expr x, struct text_expr y)
{
	return lt__text_operator(t, LT_OPCODE_add, (struct lt_value_type){ LT_I64, 1 }, (struct text_expr[]){ x, y, { 0 } });
}

struct text_expr lt__text_address(struct text *t, int32_t value, int64_t number)
{
	if (value < 0)
		return lt__text_literal(t, LT_I64, (uint64_t)number);
	struct text_expr e = lt__text_use(t, value);
	if (number == 0)
		return e;
	/* Where numbers wrap, only those without a sign do.  To a narrow value it is added in 64 bits, so that accesses beside
	 * each other have one address: what is known of it is part of their instructions. */
	bool narrow = t->value[value].narrow;
	if (!t->d->wraps && !e.wide && !narrow)
		e.text = lt__text_formatted(t, "(uint64_t)%s", lt__text_in(t, e, TEXT_UNARY));
	else
		e.text = lt__text_in(t, e, TEXT_PLUS);
	e.text = plus_number(t, e.text, number, narrow ? "L" : "");
	e.tight = TEXT_PLUS;
	e.literal = false;
	return e;
}

struct text_expr lt__text_element_at(struct text *t, const struct lt_instruction *i)
{
	struct text_expr e = lt__text_address(t, i->operand[0], i->number);
	if (i->operand[1] >= 0)
		e = sum_of(t, e, lt__text_use(t, i->operand[1]));
	e.text = lt__text_formatted(t, "%s[%s]", t->buffer[i->what], e.text);
	e.tight = TEXT_PRIMARY;
	e.wide = e.literal = false;
	return e;
}
