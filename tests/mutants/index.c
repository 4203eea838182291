/* index.c -- what of a text counts elements: addresses, loops, conditions, and the names for parts of
 * those. */
#include <string.h>
#include "check/random/must.h"
#include "tests/mutants/text.h"

static void mark_index(struct text *t, int from, int to)
{
	for (int i = from; i < to; i++)
		t->tok[i].index = true;
}

/* What is declared with a vector's type, a parameter too. */
static bool is_vector(const struct text *t, int i)
{
	int from = t->tok[i].body - 1;
	from = from > 0 && t->tok[from].pair >= 0 ? t->tok[from].pair : t->tok[i].body;
	for (int k = i - 1; k > from; k--)
		if (text_same(t, k, i) && text_is_type(t, k - 1))
			return text_lanes(t, k - 1) > 0;
	return false;
}

bool text_is_lane(const struct text *t, int i)
{
	return text_is(t, i, "[") && t->tok[i].pair == i + 2 && t->tok[i + 1].kind == TOKEN_INT && t->tok[i].body >= 0
		&& (text_is(t, i - 2, ".") || (t->tok[i - 1].kind == TOKEN_NAME && is_vector(t, i - 1)));
}

/* Nothing that is wrong in it makes a result wrong: hints, and how large an array is. */
static bool is_idle(const struct text *t, int i)
{
	return text_is(t, i, "__attribute__") || text_starts(t, i, "__builtin_prefetch") || text_ends(t, i, "_prefetch_at")
		|| text_ends(t, i, "_prefetch_at_on");
}

/* How far apart lanes are, or where each of them is: behind the address. */
static bool is_spread(const struct text *t, int i)
{
	static const char *const tails[] = { "_load_by", "_load_by_on", "_load_at", "_load_at_on", "_store_by",
		"_store_by_on", "_store_at", "_store_at_on", NULL };
	for (int k = 0; tails[k]; k++)
		if (text_ends(t, i, tails[k]))
			return true;
	return false;
}

static void mark_addresses(struct text *t, int i)
{
	const struct token *k = &t->tok[i];
	if (k->header)
		mark_index(t, i, i + 1);
	if (text_is(t, i, "[") && !text_is_lane(t, i))
		mark_index(t, i, k->pair);
	if (text_is(t, i, "if") && t->tok[i + 1].pair > 0)
		mark_index(t, i, t->tok[i + 1].pair);
	if (text_ends(t, i, "_below") && text_is(t, i + 1, "("))
		mark_index(t, i + 1, t->tok[i + 1].pair);
	if (is_spread(t, i) && text_is(t, i + 1, "(")) {
		int second = text_comma(t, i + 2) + 1;
		mark_index(t, second, text_comma(t, second));
	}
}

/* -- names -- */

struct index_names { int *tok, n; };    /* a token for each */

static bool is_name(const struct text *t, int i)
{
	return t->tok[i].kind == TOKEN_NAME && !text_is_type(t, i) && !text_is(t, i + 1, "(") && !text_is(t, i + 1, "[");
}

static bool is_known(const struct text *t, const struct index_names *names, int i)
{
	for (int k = 0; k < names->n; k++)
		if (text_same(t, names->tok[k], i))
			return true;
	return false;
}

static void know(const struct text *t, struct index_names *names, int from, int to)
{
	for (int i = from; i < to; i++)
		if (t->tok[i].index && is_name(t, i) && !is_known(t, names, i))
			names->tok[names->n++] = i;
}

/* Of names that count elements, and of numbers. */
static bool counts(const struct text *t, const struct index_names *names, int from, int to)
{
	bool some = false;
	for (int i = from; i <= to; i++) {
		if (t->tok[i].kind == TOKEN_FLOAT || (t->tok[i].kind == TOKEN_NAME && !is_known(t, names, i)
			&& !text_is_type(t, i) && !text_starts(t, i, "lt_i64_")))
			return false;
		some |= is_name(t, i);
	}
	return some;
}

static void mark_body(struct text *t, int body, struct index_names *names)
{
	const int end = t->tok[body].pair;
	names->n = 0;
	know(t, names, body, end);
	/* From behind: what a name for an address is made of are addresses, too. */
	for (int i = end - 1; i > body; i--)
		if (t->tok[i].begins && text_is(t, i, "const") && text_is(t, i + 1, "int64_t") && is_known(t, names, i + 2)) {
			mark_index(t, i, text_end(t, i));
			know(t, names, i, text_end(t, i));
		}
	for (int i = body; i < end; i++)
		if (t->tok[i].left >= 0 && !t->tok[i].index && counts(t, names, t->tok[i].left, t->tok[i].right))
			mark_index(t, t->tok[i].left, t->tok[i].right + 1);
}

void text_indices(struct text *t)
{
	struct index_names names = { .tok = calloc((size_t)t->n_tok + 1, sizeof *names.tok) };
	must(names.tok != NULL, "out of memory");
	for (int i = 1; i + 1 < t->n_tok; i++)
		if (t->tok[i].zone)
			mark_addresses(t, i);
	for (int i = 0; i + 1 < t->n_tok; i++)
		if (t->tok[i + 1].zone && t->tok[i + 1].body == i)
			mark_body(t, i, &names);
	free(names.tok);
	for (int i = 1; i + 1 < t->n_tok; i++)
		if (t->tok[i].begins && is_idle(t, i))
			for (int k = i, end = text_end(t, i); k <= end; k++)
				t->tok[k].zone = ZONE_NONE;
}
