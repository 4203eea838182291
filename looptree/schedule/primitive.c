/* primitive.c -- the table of primitives: their usages read as lists of arguments, for the library and its callers. */
#include "base/sized.h"
#include "looptree/schedule/schedule.h"

static const struct lt_primitive primitives[] = {
#define PRIMITIVE(name, usage, doc) { #name, usage, doc },
#include "looptree/schedule/schedule.def"
};
enum { N_PRIMITIVE = sizeof primitives / sizeof *primitives };

/* The words of usages, each with what a step may have in its place. */
static const struct { const char *word; enum lt_argument_kind kind; } words[] = {
	{ "LOOP", LT_ARGUMENT_LOOP }, { "FIRST", LT_ARGUMENT_LINE }, { "LAST", LT_ARGUMENT_LINE },
	{ "%NODE", LT_ARGUMENT_NODE }, { "%VALUE", LT_ARGUMENT_VALUE }, { "STEP", LT_ARGUMENT_NUMBER },
	{ "LANES", LT_ARGUMENT_NUMBER }, { "AXIS", LT_ARGUMENT_CHOICE }, { "TAIL", LT_ARGUMENT_CHOICE },
	{ "NAME", LT_ARGUMENT_NAME }, { "DIGIT", LT_ARGUMENT_DIGIT }, { "at", LT_ARGUMENT_WORD },
	{ "layout", LT_ARGUMENT_WORD }, { "no", LT_ARGUMENT_WORD },
};
enum { N_WORD = sizeof words / sizeof *words };

int32_t lt__primitive_count(void) { return N_PRIMITIVE; }
const struct lt_primitive *lt__primitive_at(int32_t i) { return &primitives[i]; }

/* Reads the next word of a usage: "[at]", "LOOP", "..."; false: the usage has ended. */
static bool next_argument(const char **at, bool *more, struct lt_argument_row *out)
{
	const char *from = *at + strspn(*at, " ");
	const bool optional = *from == '[';
	from += optional;
	const size_t bytes = strcspn(from, " ]");
	*at = from + bytes + strspn(from + bytes, "]");
	*more = bytes == 3 && !memcmp(from, "...", bytes);
	*out = (struct lt_argument_row){ .size = sizeof *out, .optional = optional };
	for (int32_t i = 0; i < N_WORD; i++)
		if (strlen(words[i].word) == bytes && !memcmp(words[i].word, from, bytes)) {
			out->name = words[i].word;
			out->kind = (int32_t)words[i].kind;
		}
	return bytes > 0;
}

/* Argument k of a usage; false: it has k or less, and *n is how many. */
static bool find_argument(const char *usage, int32_t k, int32_t *n, struct lt_argument_row *out)
{
	struct lt_argument_row row;
	bool more, found = false;
	const char *at = usage + strcspn(usage, " ");
	*n = 0;
	while (next_argument(&at, &more, &row)) {
		if (more) {
			if (*n == k + 1)
				out->repeated = 1;
			continue;
		}
		if ((*n)++ == k) {
			*out = row;
			found = true;
		}
	}
	return found;
}

int32_t lt_primitive_count(void) { return N_PRIMITIVE; }

lt_status lt_primitive_at(int32_t i, struct lt_primitive_row *out)
{
	struct lt_argument_row none;
	if (i < 0 || i >= N_PRIMITIVE)
		return LT_EINVAL;
	struct lt_primitive_row row = { .size = sizeof row, .name = primitives[i].name, .usage = primitives[i].usage,
		.help = primitives[i].doc };
	find_argument(row.usage, INT32_MAX - 1, &row.n_argument, &none);
	lt__sized_fill(out, &row, sizeof row);
	return LT_OK;
}

lt_status lt_primitive_argument(int32_t i, int32_t k, struct lt_argument_row *out)
{
	struct lt_argument_row row = { 0 };
	int32_t n;
	if (i < 0 || i >= N_PRIMITIVE || k < 0 || !find_argument(primitives[i].usage, k, &n, &row))
		return LT_EINVAL;
	lt__sized_fill(out, &row, sizeof row);
	return LT_OK;
}

const char *lt_primitive_choice(int32_t i, int32_t k, int32_t c)
{
	struct lt_argument_row row = { .size = sizeof row };
	if (c < 0 || lt_primitive_argument(i, k, &row) || row.kind != LT_ARGUMENT_CHOICE)
		return NULL;
	if (!strcmp(row.name, "TAIL"))
		return c <= LT_PAD ? lt__tail_word((enum lt_tail)c) : NULL;
	const enum lt_loop_kind kind = c < 3 ? LT_GRID : LT_BLOCK;
	return c < 6 ? lt__kind_word(kind, c % 3)->word : NULL;
}
