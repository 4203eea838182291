/* memory.c -- loads and stores. */
#include "backends/text/part.h"

static uint32_t bits_of(const struct text *t, const struct lt_instruction *i)
{
	return 8u * lt__text_element(t->k->buffers[i->what].dtype)->bytes;
}

/* How lanes are reached, and what is said of that to a function for it: pointer, distance or indices, value, mask. */
struct text_access { const char *how; struct text_expr x[4]; int n; bool plain; };

static struct text_access access_of(
	struct text *t, const struct lt_instruction *i, uint32_t lanes, const struct text_expr *value)
{
	struct text_access a = { .n = 1 };
	bool masked = i->operand[2] >= 0, whole = i->stride == 1 && (lanes & (lanes - 1)) == 0;
	struct text_expr at = lt__text_address(t, i->operand[0], i->number);
	a.x[0] = at;
	a.x[0].text = lt__text_formatted(t, "&%s[%s]", t->buffer[i->what], at.text);
	if (i->operand[1] >= 0) {
		a.how = masked ? "_at_on" : "_at";
		a.x[a.n++] = lt__text_use(t, i->operand[1]);
	} else if (whole) {
		a.how = "";
		a.plain = !masked;
	} else {
		a.how = masked ? "_by_on" : "_by";
		a.x[a.n++] = lt__text_literal(t, LT_I64, (uint64_t)i->stride);
	}
	if (value)
		a.x[a.n++] = *value;
	if (masked)
		a.x[a.n++] = lt__text_mask(t, i->operand[2], bits_of(t, i));
	return a;
}

static struct text_expr call_access(
	struct text *t, const char *name, struct lt_value_type type, const struct text_access *a)
{
	struct lt_out o = lt__out_new(&t->pool);
	struct text_expr e = lt__text_joined(a->x, a->n);
	lt__outf(&o, "%s(", lt__text_helper(t, lt__text_formatted(t, "%s%s", name, a->how), type));
	for (int k = 0; k < a->n; k++)
		lt__outf(&o, k ? ", %s" : "%s", a->x[k].text);
	lt__out(&o, ")");
	e.text = o.at;
	return e;
}

static struct text_expr load_lanes(struct text *t, const struct lt_instruction *i)
{
	struct lt_value_type type = { i->dtype, i->lanes };
	struct text_access a = access_of(t, i, i->lanes, NULL);
	struct text_expr e = a.x[0];
	if (a.plain) {
		e.text = lt__text_formatted(t, "*(const %s *)%s", lt__text_loose(t, type), a.x[0].text);
		e.tight = TEXT_UNARY;
	} else {
		e = call_access(t, "load", type, &a);
	}
	e.wide = e.literal = false;
	e.memory = true;
	return e;
}

static void store_lanes(struct text *t, const struct lt_instruction *i)
{
	struct lt_value_type type = { t->k->buffers[i->what].dtype, text_at(t, i->operand[3])->lanes };
	struct text_expr value = lt__text_use(t, i->operand[3]);
	struct text_access a = access_of(t, i, type.lanes, &value);
	uint32_t bytes = type.lanes * bits_of(t, i) / 8;
	lt__text_flush(t, true, false);
	if (a.plain && i->flags & LT_INSTRUCTION_STREAM && (bytes == 16 || bytes == 32 || bytes == 64)) {
		t->streams = true;
		lt__text_line(t, "%s;", call_access(t, "stream", type, &a).text);
	} else if (a.plain) {
		lt__text_line(t, "*(%s *)%s = %s;", lt__text_loose(t, type), a.x[0].text, value.text);
	} else {
		lt__text_line(t, "%s;", call_access(t, "store", type, &a).text);
	}
}

struct text_expr lt__text_load(struct text *t, int32_t at)
{
	const struct lt_instruction *i = text_at(t, at);
	if (i->lanes > 1 && t->d->quads)
		return lt__text_quad_load(t, at);
	if (i->lanes > 1)
		return t->d->packs ? lt__text_pack_load(t, at) : load_lanes(t, i);
	struct text_expr mask = i->operand[2] >= 0 ? lt__text_use(t, i->operand[2]) : (struct text_expr){ 0 };
	struct text_expr e = lt__text_element_at(t, i);
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
	if (text_at(t, i->operand[3])->lanes > 1) {
		if (t->d->packs)
			lt__text_pack_store(t, at);
		else
			store_lanes(t, i);
		return;
	}
	struct text_expr mask = i->operand[2] >= 0 ? lt__text_use(t, i->operand[2]) : (struct text_expr){ 0 };
	struct text_expr value = lt__text_use(t, i->operand[3]), to = lt__text_element_at(t, i);
	lt__text_flush(t, true, false);
	if (mask.text)
		lt__text_line(t, "if (%s)", mask.text);
	lt__text_line(t, "%s%s = %s;", mask.text ? "\t" : "", to.text, value.text);
}

/* Of lanes without indices the first one. */
void lt__text_prefetch(struct text *t, int32_t at)
{
	const struct lt_instruction *i = text_at(t, at);
	struct lt_value_type type = lt__instruction_type(t->k, i);
	if (type.lanes > 1 && i->operand[1] >= 0) {
		struct text_access a = access_of(t, i, type.lanes, NULL);
		lt__text_line(t, "%s;", call_access(t, "prefetch", type, &a).text);
		return;
	}
	const char *mask = i->operand[2] >= 0 && type.lanes == 1 ? lt__text_use(t, i->operand[2]).text : NULL;
	lt__text_line(t, "%s%s%s__builtin_prefetch(&%s);", mask ? "if (" : "", mask ? mask : "", mask ? ") " : "",
		lt__text_element_at(t, i).text);
}
