/* backends/text/memory.c -- addresses, loads and stores. */
#include "backends/text/part.h"

static const char *plus_number(struct text *t, const char *text, int64_t number)
{
	if (number == 0)
		return text;
	uint64_t size = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
	return lt__text_formatted(t, "%s %c %llu", text, number < 0 ? '-' : '+', (unsigned long long)size);
}

static struct text_expr sum_of(struct text *t, struct text_expr x, struct text_expr y)
{
	return lt__text_operator(t, LT_OPCODE_add, (struct lt_value_type){ LT_I64, 1 }, (struct text_expr[]){ x, y, { 0 } });
}

/* The number of the element, lane 0's. */
static struct text_expr address_of(struct text *t, const struct lt_instruction *i)
{
	if (i->operand[0] < 0)
		return lt__text_literal(t, LT_I64, (uint64_t)i->number);
	struct text_expr e = lt__text_use(t, i->operand[0]);
	if (i->number == 0)
		return e;
	/* Where numbers wrap, only those without a sign do. */
	if (!t->d->wraps && !e.wide)
		e.text = lt__text_formatted(t, "(uint64_t)%s", lt__text_in(t, e, TEXT_UNARY));
	else
		e.text = lt__text_in(t, e, TEXT_PLUS);
	e.text = plus_number(t, e.text, i->number);
	e.tight = TEXT_PLUS;
	e.literal = false;
	return e;
}

static struct text_expr element_of(struct text *t, const struct lt_instruction *i)
{
	struct text_expr e = address_of(t, i);
	if (i->operand[1] >= 0)
		e = sum_of(t, e, lt__text_use(t, i->operand[1]));
	e.text = lt__text_formatted(t, "%s[%s]", t->buffer[i->what], e.text);
	e.tight = TEXT_PRIMARY;
	e.wide = e.literal = false;
	return e;
}

struct text_expr lt__text_load(struct text *t, int32_t at)
{
	const struct lt_instruction *i = text_at(t, at);
	struct text_expr mask = i->operand[2] >= 0 ? lt__text_use(t, i->operand[2]) : (struct text_expr){ 0 };
	struct text_expr e = element_of(t, i);
	e.memory = true;
	if (!mask.text)
		return e;
	t->branches = true;
	e.text = lt__text_formatted(t, "%s ? %s : 0", lt__text_in(t, mask, TEXT_COMPARE), e.text);
	e.tight = TEXT_LOOSE;
	e.variable = e.variable || mask.variable;
	return e;
}

void lt__text_store(struct text *t, int32_t at)
{
	const struct lt_instruction *i = text_at(t, at);
	struct text_expr mask = i->operand[2] >= 0 ? lt__text_use(t, i->operand[2]) : (struct text_expr){ 0 };
	struct text_expr value = lt__text_use(t, i->operand[3]), to = element_of(t, i);
	lt__text_flush(t, true, false);
	if (mask.text)
		lt__text_line(t, "if (%s)", mask.text);
	lt__text_line(t, "%s%s = %s;", mask.text ? "\t" : "", to.text, value.text);
}

void lt__text_prefetch(struct text *t, int32_t at) { (void)t, (void)at; }
