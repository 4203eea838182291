/* address.c -- which element of a buffer is meant. */
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
	if (t->d->bare && t->value[value].narrow == 16 && !lt__text_fits_int16(t, value, number))
		e.text = lt__text_formatted(t, "(int32_t)%s", lt__text_in(t, e, TEXT_UNARY));
	e.text = plus_number(t, e.text, number, narrow && !t->d->bare ? "L" : "");
	e.tight = TEXT_PLUS;
	e.literal = false;
	return e;
}

int64_t lt__text_swizzle_period(const struct text *t, int32_t buffer)
{
	const struct lt_kernel_buffer *b = &t->k->buffers[buffer];
	return LT_SWIZZLE_ROW * (lt__swizzle_mask(b->swizzle) + 1) / lt__text_element(b->dtype)->bytes;
}

const char *lt__text_swizzled(struct text *t, int32_t buffer, const char *element)
{
	const struct lt_kernel_buffer *b = &t->k->buffers[buffer];
	const int shift = __builtin_ctz(lt__text_element(b->dtype)->bytes), mask = (int)lt__swizzle_mask(b->swizzle);
	const char *name = lt__text_formatted(t, "lt_swizzled%d_%d", (int)b->swizzle, 1 << shift);
	lt__text_define(t, name, lt__text_formatted(t, "%suint32_t %s(uint32_t i)\n{\n\treturn i ^ (i >> %d & %d) << %d;\n}\n",
		t->d->inlined, name, __builtin_ctz(LT_SWIZZLE_ROW) - shift, mask, __builtin_ctz(LT_SWIZZLE_CHUNK) - shift));
	return lt__text_formatted(t, "%s((uint32_t)(%s))", name, element);
}

/* Whole periods of the swizzle are added behind it, so that what is left is the same in many places. */
static struct text_expr swizzled_subscript(struct text *t, int32_t buffer, struct text_expr e, int64_t number)
{
	const int64_t period = lt__text_swizzle_period(t, buffer), low = number & (period - 1);
	e.text = lt__text_swizzled(t, buffer, plus_number(t, e.text, low, ""));
	e.text = plus_number(t, e.text, number - low, "");
	e.tight = TEXT_PLUS;
	e.wide = e.literal = false;
	return e;
}

struct text_expr lt__text_subscript(struct text *t, int32_t buffer, int32_t value, int64_t number)
{
	if (!t->k->buffers[buffer].swizzle)
		return lt__text_address(t, value, number);
	struct text_expr e = lt__text_address(t, value, value < 0 ? number : 0);
	e.text = lt__text_in(t, e, TEXT_PLUS);
	return swizzled_subscript(t, buffer, e, value < 0 ? 0 : number);
}

struct text_expr lt__text_element_at(struct text *t, const struct lt_instruction *i)
{
	bool indexed = i->operand[1] >= 0;
	struct text_expr e = indexed ? lt__text_address(t, i->operand[0], i->number)
		: lt__text_subscript(t, i->what, i->operand[0], i->number);
	if (indexed)
		e = sum_of(t, e, lt__text_use(t, i->operand[1]));
	if (indexed && t->k->buffers[i->what].swizzle)
		e = swizzled_subscript(t, i->what, e, 0);
	e.text = lt__text_formatted(t, "%s[%s]", t->buffer[i->what], e.text);
	e.tight = TEXT_PRIMARY;
	e.wide = e.literal = false;
	return e;
}
