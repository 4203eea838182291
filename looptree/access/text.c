/* text.c -- an access as text: indices and place over the names of loops. */
#include <string.h>
#include "looptree/access/access.h"

static const char *factor(char *text, size_t bytes, bool first, int64_t c)
{
	const unsigned long long size = c < 0 ? 0 - (unsigned long long)c : (unsigned long long)c;
	const char *sign = first ? (c < 0 ? "-" : "") : c < 0 ? " - " : " + ";
	if (size == 1)
		snprintf(text, bytes, "%s", sign);
	else
		snprintf(text, bytes, "%s%llu*", sign, size);
	return text;
}

/* Divs in place, as floor(.. / den): each is in rows of divs that come after it, so that this ends. */
static void add_row(struct lt_text *x, const struct lt_accesses *a, int32_t row)
{
	const int64_t *r = a->rows + (int64_t)a->n_column * row;
	char text[40];
	bool first = true;
	for (int32_t i = 1; i < a->n_column; i++) {
		const int32_t loop = i - 1 - a->n_param, div = loop - a->n_loop;
		if (!r[i])
			continue;
		lt__text_format(x, "%s", factor(text, sizeof text, first, r[i]));
		first = false;
		if (div >= 0) {
			lt__text_format(x, "floor((");
			add_row(x, a, LT_AT(struct lt_access_div, a->divs, div)->row);
			lt__text_format(x, ") / %lld)", (long long)LT_AT(struct lt_access_div, a->divs, div)->den);
		} else {
			lt__text_format(x, "%s", loop >= 0 ? LT_AT(struct lt_access_loop, a->loops, loop)->name
				: LT_AT(struct lt_access_param, a->params, i - 1)->name);
		}
	}
	if (first)
		lt__text_format(x, "%lld", (long long)r[0]);
	else if (r[0])
		lt__text_format(x, r[0] < 0 ? " - %llu" : " + %llu", r[0] < 0 ? 0 - (unsigned long long)r[0]
			: (unsigned long long)r[0]);
}

static void add_value(struct lt_text *x, const struct lt_looptree *t, const struct lt_accesses *a,
	const struct lt_leaf_access *is)
{
	lt__text_format(x, "%%%s", t->graph->node[is->value].name);
	for (int32_t i = 0; i < is->n_row; i++) {
		lt__text_format(x, i ? ", " : "[");
		add_row(x, a, is->first_row + i);
	}
	lt__text_format(x, is->n_row ? "] at " : " at ");
	add_row(x, a, is->place);
}

static void add_bits(struct lt_text *x, const struct lt_looptree *t, const struct lt_leaf_access *is)
{
	const enum lt_dtype dtype = t->graph->node[t->graph->node[is->node].operand[is->operand]].dtype;
	const union lt_scalar v = lt__scalar_of(is->bits, dtype);
	if (lt__dtype_info(dtype)->cls == LT_CLASS_FLOAT)
		lt__text_format(x, "%.17g", v.f);
	else
		lt__text_format(x, "%s", lt__whole_text(v, dtype).text);
}

const char *lt__access_text(const struct lt_looptree *t, struct lt_arena *arena, const struct lt_accesses *a,
	const struct lt_leaf_access *is)
{
	static const char *const does[] = { [LT_DOES_READ] = "reads", [LT_DOES_WRITE] = "writes", [LT_DOES_ADD] = "adds to" };
	struct lt_text x = { .arena = arena };
	lt__text_format(&x, "%%%s %s ", t->graph->node[is->node].name, does[is->does]);
	if (is->kind == LT_READ)
		add_value(&x, t, a, is);
	else if (is->kind == LT_IMMEDIATE)
		add_bits(&x, t, is);
	else
		add_row(&x, a, is->first_row);
	for (int32_t i = 0; i < is->n_guard; i++) {
		lt__text_format(&x, i ? ", " : " if ");
		add_row(&x, a, a->guards[is->first_guard + i]);
		lt__text_format(&x, " >= 0");
	}
	lt__text_add(&x, "", 1);
	return x.at;
}
