/* lanes.c -- kinds of mutants of vectors: their bits, lanes, masks. */
#define _GNU_SOURCE 1
#include <stdio.h>
#include <string.h>
#include "tests/mutants/kinds.h"

bool moves(const struct text *t, int i)
{
	static const char *const names[] = { "_load", "_load_by", "_load_by_on", "_load_at", "_load_at_on", "_store",
		"_store_by", "_store_by_on", "_store_at", "_store_at_on", "_stream", NULL };
	for (int k = 0; text_lanes(t, i) && names[k]; k++)
		if (text_ends(t, i, names[k]))
			return true;
	return false;
}

/* An integer beside an operator.  One that is shifted or shifts: one more, one less. */
bool kind_bits(const struct text *t, int i, int variant, struct mutant *m)
{
	if (t->tok[i].kind != TOKEN_INT || t->tok[i].index || text_is_lane(t, i - 1))
		return false;
	if (text_is(t, i - 1, "<<") || text_is(t, i - 1, ">>"))
		return mutate(t, m, i, i, "(%.*s %s 1)", SPAN(t, i, i), variant ? "-" : "+");
	for (int k = i - 1; k <= i + 1; k += 2)
		if (text_is(t, k, "&") || text_is(t, k, "|") || text_is(t, k, "^")
			|| (t->tok[k].left >= 0 && (text_is(t, k, "+") || text_is(t, k, "-"))))
			return mutate(t, m, i, i, variant ? "(%.*s / 2)" : "(%.*s ^ 0x5500055)", SPAN(t, i, i));
	return false;
}

/* A vector's value where it gets a name or is stored: once more with its first two lanes exchanged. */
bool kind_lanes(const struct text *t, int i, int variant, struct mutant *m)
{
	int assign = t->tok[i].begins ? text_assign(t, i) : -1, lanes = 0, end;
	char order[1024] = "";
	(void)variant;
	if (assign < 0)
		return false;
	for (int k = i; k < assign && !lanes; k++)
		lanes = text_is_type(t, k) ? text_lanes(t, k) : 0;
	if (lanes < 2 || lanes > 64 || text_is(t, assign + 1, "{"))
		return false;
	end = text_end(t, i);
	for (int k = 0; k < lanes; k++)
		(void)snprintf(order + strlen(order), sizeof order - strlen(order), ", %d", k < 2 ? 1 - k : k);
	return mutate(t, m, assign + 1, end - 1, "__builtin_shufflevector(%.*s, %.*s%s)", SPAN(t, assign + 1, end - 1),
		SPAN(t, assign + 1, end - 1), order);
}

bool kind_lane(const struct text *t, int i, int variant, struct mutant *m)
{
	(void)variant;
	if (!text_is_lane(t, i))
		return false;
	return mutate(t, m, i + 1, i + 1, text_is(t, i + 1, "0") ? "%.*s + 1" : "%.*s - 1", SPAN(t, i + 1, i + 1));
}

/* Of those from `first` on the first two neighbours that differ. */
static bool exchange(const struct text *t, int first, int close, struct mutant *m)
{
	for (int a = first, b; (b = text_comma(t, a) + 1) < close; a = b) {
		int b_end = text_comma(t, b) - 1;
		if (!same_span(t, a, b - 2, b, b_end))
			return mutate(t, m, a, b_end, "%.*s, %.*s", SPAN(t, b, b_end), SPAN(t, a, b - 2));
	}
	return false;
}

/* Listed members, or the order of a shuffle: behind a type and two vectors. */
bool kind_vector(const struct text *t, int i, int variant, struct mutant *m)
{
	(void)variant;
	if (text_is(t, i, "LT_SHUFFLE") && is_call(t, i)) {
		int first = i + 2;
		for (int k = 0; k < 3; k++)
			first = text_comma(t, first) + 1;
		return exchange(t, first, t->tok[i + 1].pair, m);
	}
	int close = text_is(t, i, "{") && i > 0 && text_is(t, i - 1, ")") ? t->tok[i].pair : -1;
	return close >= 0 && text_is_cast(t, t->tok[i - 1].pair) && exchange(t, i + 1, close, m);
}

/* variant 1: of an element of an array. */
bool kind_splat(const struct text *t, int i, int variant, struct mutant *m)
{
	const int lanes = text_lanes(t, i), close = is_call(t, i) ? t->tok[i + 1].pair : -1;
	if (close < 0 || !text_ends(t, i, "_splat") || t->tok[i].index)
		return false;
	const int type = (int)text_type_bytes(t, i);
	const char *name = t->at + t->tok[i].at;
	if (variant == 0)
		return !text_is(t, i + 2, "0") && !text_is(t, i + 2, "0.0f") && !text_is(t, i + 2, "0.0")
			&& mutate(t, m, i, close, "((%.*s){ %.*s })", type, name, SPAN(t, i + 2, close - 1));
	char each[4096] = "";
	if (!text_is(t, close - 1, "]") || t->tok[close - 1].pair != i + 3)
		return false;
	for (int k = 0; k < lanes && k < 32; k++)
		(void)snprintf(each + strlen(each), sizeof each - strlen(each), "%s(&%.*s)[%d]", k ? ", " : "",
			SPAN(t, i + 2, close - 1), k);
	return mutate(t, m, i, close, "((%.*s){ %s })", type, name, each);
}

bool kind_mask(const struct text *t, int i, int variant, struct mutant *m)
{
	if (!is_call(t, i) || !text_lanes(t, i))
		return false;
	int a = i + 2, a_end = text_comma(t, a) - 1, close = t->tok[i + 1].pair, last = a;
	while (text_comma(t, last) < close)
		last = text_comma(t, last) + 1;
	if (text_ends(t, i, "_select")) {
		int b = a_end + 2, b_end = text_comma(t, b) - 1, c = b_end + 2;
		return variant == 2 ? mutate(t, m, i, close, "(%.*s)", SPAN(t, c, close - 1))
			: variant == 1 ? mutate(t, m, i, close, "(%.*s)", SPAN(t, b, b_end))
			: mutate(t, m, b, close - 1, "%.*s, %.*s", SPAN(t, c, close - 1), SPAN(t, b, b_end));
	}
	if (text_ends(t, i, "_below"))
		return variant == 0 ? mutate(t, m, last, close - 1, "(%.*s) - 1", SPAN(t, last, close - 1))
			: mutate(t, m, last, close - 1, variant == 1 ? "1000" : "0");
	/* The mask is the last argument. */
	if (!moves(t, i) || !(text_ends(t, i, "_on") || text_ends(t, i, "_load") || text_ends(t, i, "_store")))
		return false;
	return variant == 0 ? mutate(t, m, last, close - 1, "~(%.*s)", SPAN(t, last, close - 1))
		: variant == 1 ? mutate(t, m, last, close - 1, "((%.*s) | -1)", SPAN(t, last, close - 1))
		: mutate(t, m, last, close - 1, "((%.*s) & 0)", SPAN(t, last, close - 1));
}
