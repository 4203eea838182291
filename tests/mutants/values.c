/* values.c -- kinds of mutants of what is computed: constants, functions, operators, arrays. */
#define _GNU_SOURCE 1
#include <stdio.h>
#include <string.h>
#include "tests/mutants/kinds.h"

static bool is_value_operator(const struct text *t, int i, const char *marks)
{
	return t->tok[i].left >= 0 && !t->tok[i].index && t->tok[i].n == 1 && strchr(marks, t->at[t->tok[i].at]);
}

/* lt_f32x8_fold_add: of a vector's lanes. */
static bool is_fold(const struct text *t, int i)
{
	return memmem(t->at + t->tok[i].at, t->tok[i].n, "_fold_", 6) != NULL;
}

/* Functions that compute, with one argument: not those that only bring values to their place. */
static bool is_function(const struct text *t, int i)
{
	static const char *const carriers[] = { "_splat", "_flag", "_any", "_all", "_below", "_of_f32", "_of_f64", "_of_i64",
		"_to_f32", "_bits", "_convertvector", "_attribute__", NULL };
	if (!is_call(t, i) || !text_is(t, text_comma(t, i + 2), ")") || is_fold(t, i))
		return false;
	for (int k = 0; carriers[k]; k++)
		if (text_ends(t, i, carriers[k]))
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
	/* The value is of the type that the name begins with. */
	return mutate(t, m, i, t->tok[i + 1].pair, "((%.*s){ 0 } + 1)", (int)text_type_bytes(t, i), t->at + t->tok[i].at);
}

bool kind_identity_function(const struct text *t, int i, int variant, struct mutant *m)
{
	(void)variant;
	return is_function(t, i) && mutate(t, m, i, i, " ");
}

bool kind_sign(const struct text *t, int i, int variant, struct mutant *m)
{
	(void)variant;
	if (text_is(t, i, "+="))
		return mutate(t, m, i, i, "-=");
	return is_value_operator(t, i, "+-") && mutate(t, m, i, i, text_is(t, i, "+") ? "-" : "+");
}

bool kind_negate(const struct text *t, int i, int variant, struct mutant *m)
{
	(void)variant;
	return is_value_operator(t, i, "*/") && mutate_before(t, m, i + 1, "-");
}

bool kind_operator(const struct text *t, int i, int variant, struct mutant *m)
{
	static const char *const pairs[][2] = { { "*", "+" }, { "/", "*" }, { "&", "|" }, { "|", "&" }, { "^", "|" },
		{ "<<", ">>" }, { ">>", "<<" }, { "+=", "*=" }, { "*=", "+=" } };
	(void)variant;
	if (t->tok[i].index || (t->tok[i].left < 0 && t->tok[i].n < 2))
		return false;
	for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
		if (text_is(t, i, pairs[k][0]))
			return mutate(t, m, i, i, "%s", pairs[k][1]);
	return false;
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
		if (!text_is(t, right_end + 1, ")") || moves(t, i) || text_starts(t, i, "__builtin_"))
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

/* The largest is the negative of the smallest of the negatives. */
bool kind_max(const struct text *t, int i, int variant, struct mutant *m)
{
	static const char *const names[] = { "_max", "_min", "_larger", "_lesser", "fmax", "fmin", "fmaxf", "fminf", NULL };
	(void)variant;
	for (int k = 0; names[k] && is_call(t, i) && !t->tok[i].index; k++) {
		int close = t->tok[i + 1].pair, comma = text_comma(t, i + 2);
		if (text_ends(t, i, names[k]) && comma < close)
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
		if (text_same(t, end - 1, i) && (text_is(t, end - 2, "restrict") || text_is(t, end - 2, "*")))
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

static bool is_number(const struct text *t, int from, int to)
{
	for (int i = from; i <= to; i++)
		if (t->tok[i].kind == TOKEN_NAME && !text_ends(t, i, "_splat") && !text_is(t, i, "INFINITY"))
			return false;
	return true;
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
	if (is_number(t, assign + 1, end - 1))
		return false;
	for (size_t k = 0; k < sizeof types / sizeof *types; k++)
		if (text_is(t, at, types[k].scalar) || text_starts(t, at, types[k].vector))
			return mutate(t, m, assign + 1, end - 1, "(%s * (%.*s) - (%s * (%.*s) - (%.*s)))",
				types[k].factor, SPAN(t, assign + 1, end - 1), types[k].factor,
				SPAN(t, assign + 1, end - 1), SPAN(t, assign + 1, end - 1));
	return false;
}

bool kind_cast(const struct text *t, int i, int variant, struct mutant *m)
{
	(void)variant;
	if (is_call(t, i) && !t->tok[i].index
		&& (text_ends(t, i, "_to_f32") || text_ends(t, i, "_of_f32") || text_ends(t, i, "_of_f64")))
		return mutate(t, m, i, i, " ");
	if (!text_is_cast(t, i) || t->tok[i].pair != i + 2 || t->tok[i].index || text_is(t, i + 3, "{")
		|| text_is(t, i + 1, "void"))
		return false;
	/* Of a vector's bits: those of unsigned integers shift otherwise, the others are numbers. */
	if (!text_lanes(t, i + 1) || text_starts(t, i + 1, "lt_u"))
		return mutate(t, m, i, i + 2, " ");
	int end = text_operand(t, i + 3) - 1;
	return (text_starts(t, i + 1, "lt_f") || t->tok[i + 3].kind == TOKEN_NAME)
		&& mutate(t, m, i, end, "__builtin_convertvector(%.*s, %.*s)", SPAN(t, i + 3, end), SPAN(t, i + 1, i + 1));
}
