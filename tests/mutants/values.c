/* tests/mutants/values.c -- kinds of mutants of what is computed: constants, functions, operators, lanes, masks. */
#define _GNU_SOURCE 1
#include <stdio.h>
#include <string.h>
#include "tests/mutants/kinds.h"

static bool is_value_operator(const struct text *t, int i, const char *marks)
{
	return t->tok[i].left >= 0 && !t->tok[i].index && t->tok[i].n == 1 && strchr(marks, t->at[t->tok[i].at]);
}

static bool starts(const struct text *t, int i, const char *prefix)
{
	return t->tok[i].n >= strlen(prefix) && !memcmp(t->at + t->tok[i].at, prefix, strlen(prefix));
}

/* A call; its arguments are between the brackets i + 1 and the pair of that. */
static bool is_call(const struct text *t, int i)
{
	return t->tok[i].kind == TOKEN_NAME && !text_is_type(t, i) && text_is(t, i + 1, "(")
		&& t->tok[i + 1].pair > i + 2 && !text_is(t, i, "for") && !text_is(t, i, "if")
		&& !text_is(t, i, "while") && !text_is(t, i, "sizeof") && !text_is(t, i, "__asm__");
}

/* Functions that compute, with one argument: not those that only bring values to their place. */
static bool is_function(const struct text *t, int i)
{
	static const char *const carriers[] = { "lt_all_", "lt_lane_", "lt_flag_", "lt_fold_", "lt_cast_", "lt_load_",
		"lt_store_", "lt_below_", "lt_slot_", "lt_gather", "lt_wide_", "lt_part_", "__builtin", "__attribute",
		"_Pragma", NULL };
	if (!is_call(t, i) || !text_is(t, text_comma(t, i + 2), ")"))
		return false;
	for (int k = 0; carriers[k]; k++)
		if (starts(t, i, carriers[k]))
			return false;
	return true;
}

bool kind_constant(const struct text *t, int i, int variant, struct mutant *m)
{
	const struct token *k = &t->tok[i];
	bool zero = true;
	(void)variant;
	for (size_t n = 0; n < k->n && !strchr("fFpPeE", t->at[k->at + n]); n++)
		zero &= strchr("0.xX", t->at[k->at + n]) != NULL;
	if (k->kind != TOKEN_FLOAT || zero)
		return false;
	return mutate(t, m, i, i, "(%.*s * 1.02%s)", SPAN(t, i, i), t->at[k->at + k->n - 1] == 'f' ? "f" : "");
}

bool kind_one(const struct text *t, int i, int variant, struct mutant *m)
{
	const int lanes = text_lanes(t, i);
	(void)variant;
	if (!is_function(t, i))
		return false;
	if (!lanes)
		return mutate(t, m, i, t->tok[i + 1].pair, "1");
	/* lt_exp_f32x8: of type lt_f32x8 */
	const char *name = t->at + t->tok[i].at, *type = memrchr(name, '_', t->tok[i].n);
	return mutate(t, m, i, t->tok[i + 1].pair, "((lt%.*s){ 0 } + 1)", (int)(name + t->tok[i].n - type), type);
}

bool kind_identity_function(const struct text *t, int i, int variant, struct mutant *m)
{
	(void)variant;
	return is_function(t, i) && mutate(t, m, i, i, " ");
}

bool kind_sign(const struct text *t, int i, int variant, struct mutant *m)
{
	(void)variant;
	return is_value_operator(t, i, "+-") && mutate(t, m, i, i, text_is(t, i, "+") ? "-" : "+");
}

bool kind_negate(const struct text *t, int i, int variant, struct mutant *m)
{
	(void)variant;
	return is_value_operator(t, i, "*/") && mutate_before(t, m, i + 1, "-");
}

bool kind_operator(const struct text *t, int i, int variant, struct mutant *m)
{
	(void)variant;
	return is_value_operator(t, i, "*/") && mutate(t, m, i, i, text_is(t, i, "*") ? "+" : "*");
}

static bool same_span(const struct text *t, int a, int a_end, int b, int b_end)
{
	if (a_end - a != b_end - b)
		return false;
	for (int i = 0; a + i <= a_end; i++)
		if (!text_same(t, a + i, b + i))
			return false;
	return true;
}

/* Of an operator, or of a call with two arguments. */
bool kind_operand(const struct text *t, int i, int variant, struct mutant *m)
{
	int left = t->tok[i].left, left_end = i - 1, right = i + 1, right_end = t->tok[i].right;
	if (is_call(t, i) && !t->tok[i].index && text_is(t, text_comma(t, i + 2), ",")) {
		left = i + 2;
		left_end = text_comma(t, i + 2) - 1;
		right = left_end + 2;
		right_end = text_comma(t, right) - 1;
		if (!text_is(t, right_end + 1, ")") || starts(t, i, "lt_load_"))
			return false;
	} else if (!is_value_operator(t, i, "+-*/&|")) {
		return false;
	}
	if (same_span(t, left, left_end, right, right_end))
		return false;
	return variant ? mutate(t, m, left, left_end, "%.*s", SPAN(t, right, right_end))
		       : mutate(t, m, right, right_end, "%.*s", SPAN(t, left, left_end));
}

bool kind_swap(const struct text *t, int i, int variant, struct mutant *m)
{
	(void)variant;
	return is_value_operator(t, i, "-/")
		&& mutate(t, m, t->tok[i].left, i - 1, "(%.*s)", SPAN(t, i + 1, t->tok[i].right))
		&& mutate(t, m, i + 1, t->tok[i].right, "(%.*s)", SPAN(t, t->tok[i].left, i - 1));
}

bool kind_compare(const struct text *t, int i, int variant, struct mutant *m)
{
	static const struct {
		const char *from, *to[2];
	} pairs[] = { { "<", { "<=", ">" } }, { "<=", { "<", ">" } }, { ">", { ">=", "<" } }, { ">=", { ">", "<" } },
		{ "==", { "!=", NULL } }, { "!=", { "==", NULL } } };
	if (t->tok[i].left < 0 || t->tok[i].header)
		return false;
	for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
		if (text_is(t, i, pairs[k].from))
			return pairs[k].to[variant] && mutate(t, m, i, i, "%s", pairs[k].to[variant]);
	return false;
}

/* The largest is the negative of the smallest of the negatives; of a vector's lanes, too. */
bool kind_max(const struct text *t, int i, int variant, struct mutant *m)
{
	static const char *const names[] = { "lt_max_", "lt_min_", "lt_fold_max_", "lt_fold_min_", "fmax", "fmin", NULL };
	(void)variant;
	for (int k = 0; names[k] && is_call(t, i) && !t->tok[i].index; k++) {
		int close = t->tok[i + 1].pair, comma = text_comma(t, i + 2);
		if (!starts(t, i, names[k]))
			continue;
		if (comma == close)
			return mutate(t, m, i, close, "(-%.*s(-(%.*s)))", SPAN(t, i, i), SPAN(t, i + 2, close - 1));
		return mutate(t, m, i, close, "(-%.*s(-(%.*s), -(%.*s)))", SPAN(t, i, i), SPAN(t, i + 2, comma - 1),
			SPAN(t, comma + 1, close - 1));
	}
	return false;
}

/* Parameters end with their names: the words before that are the type. */
bool kind_array(const struct text *t, int i, int variant, struct mutant *m)
{
	const int body = t->tok[i].body, close = body - 1, open = close > 0 ? t->tok[close].pair : -1;
	int mine = -1, end;
	(void)variant;
	if (t->tok[i].kind != TOKEN_NAME || open < 0)
		return false;
	for (int p = open + 1; p < close && mine < 0; p = end + 1) {
		end = text_comma(t, p);
		if (text_same(t, end - 1, i) && text_is(t, end - 2, "restrict"))
			mine = p;
	}
	for (int p = open + 1; mine >= 0 && p < close; p = end + 1) {
		int words = text_comma(t, mine) - 2 - mine;
		end = text_comma(t, p);
		if (p != mine && end - 2 - p == words && same_span(t, p, p + words, mine, mine + words))
			return mutate(t, m, i, i, "%.*s", SPAN(t, end - 1, end - 1));
	}
	return false;
}

/* Veltkamp's splitting leaves the upper half of the bits. */
bool kind_narrow(const struct text *t, int i, int variant, struct mutant *m)
{
	static const struct {
		const char *scalar, *vector, *factor;
	} types[] = { { "float", "lt_f32x", "65537.0f" }, { "double", "lt_f64x", "536870913.0" } };
	int at = i, assign, end;
	(void)variant;
	if (!t->tok[i].begins || !text_is_declaration(t, i) || t->tok[i].index || (assign = text_assign(t, i)) < 0)
		return false;
	at += text_is(t, at, "const");
	end = text_end(t, i);
	for (size_t k = 0; k < sizeof types / sizeof *types; k++)
		if (text_is(t, at, types[k].scalar) || starts(t, at, types[k].vector))
			return mutate(t, m, assign + 1, end - 1, "(%s * (%.*s) - (%s * (%.*s) - (%.*s)))",
				types[k].factor, SPAN(t, assign + 1, end - 1), types[k].factor,
				SPAN(t, assign + 1, end - 1), SPAN(t, assign + 1, end - 1));
	return false;
}

bool kind_cast(const struct text *t, int i, int variant, struct mutant *m)
{
	(void)variant;
	if (is_call(t, i) && starts(t, i, "lt_cast_"))
		return mutate(t, m, i, i, " ");
	return text_is_cast(t, i) && t->tok[i].pair == i + 2 && !t->tok[i].index && !text_is(t, i + 3, "{")
		&& !text_is(t, i + 1, "void") && mutate(t, m, i, i + 2, " ");
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
	if (lanes < 2 || lanes > 64)
		return false;
	end = text_end(t, i);
	for (int k = 0; k < lanes; k++)
		(void)snprintf(order + strlen(order), sizeof order - strlen(order), ", %d", k < 2 ? 1 - k : k);
	return mutate(t, m, assign + 1, end - 1, "__builtin_shufflevector(%.*s, %.*s%s)", SPAN(t, assign + 1, end - 1),
		SPAN(t, assign + 1, end - 1), order);
}

bool kind_vector(const struct text *t, int i, int variant, struct mutant *m)
{
	int close = text_is(t, i, "{") && i > 0 && text_is(t, i - 1, ")") ? t->tok[i].pair : -1;
	(void)variant;
	if (close < 0 || !text_is_cast(t, t->tok[i - 1].pair))
		return false;
	int first = text_comma(t, i + 1), second = first < close ? text_comma(t, first + 1) : close;
	if (first >= close || same_span(t, i + 1, first - 1, first + 1, second - 1))
		return false;
	return mutate(t, m, i + 1, second - 1, "%.*s, %.*s", SPAN(t, first + 1, second - 1), SPAN(t, i + 1, first - 1));
}

bool kind_mask(const struct text *t, int i, int variant, struct mutant *m)
{
	if (!is_call(t, i))
		return false;
	int a = i + 2, a_end = text_comma(t, a) - 1, close = t->tok[i + 1].pair;
	if (starts(t, i, "lt_blend_")) {
		int b = a_end + 2, b_end = text_comma(t, b) - 1, c = b_end + 2;
		return variant == 2 ? mutate(t, m, i, close, "(%.*s)", SPAN(t, c, close - 1))
			: variant == 1 ? mutate(t, m, i, close, "(%.*s)", SPAN(t, b, b_end))
			: mutate(t, m, b, close - 1, "%.*s, %.*s", SPAN(t, c, close - 1), SPAN(t, b, b_end));
	}
	/* The count of lanes is the last argument. */
	if (!starts(t, i, "lt_below_") && !starts(t, i, "lt_load_") && !starts(t, i, "lt_store_"))
		return false;
	int last = a;
	while (text_comma(t, last) < close)
		last = text_comma(t, last) + 1;
	return variant == 0 ? mutate(t, m, last, close - 1, "(%.*s) - 1", SPAN(t, last, close - 1))
		: variant == 1 ? mutate(t, m, last, close - 1, "1000") : mutate(t, m, last, close - 1, "0");
}
