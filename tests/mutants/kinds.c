/* kinds.c -- the table of kinds, and how a mutant is written. */
#define _GNU_SOURCE 1
#include <stdarg.h>
#include <string.h>
#include "check/random/must.h"
#include "tests/mutants/kinds.h"

const struct kind kinds[] = {
	{ "constant", "a constant times 1.02", 1, true, kind_constant },
	{ "one", "a function replaced by 1", 1, false, kind_one },
	{ "identity", "a function replaced by its argument", 1, false, kind_identity_function },
	{ "sign", "+ for -, - for +", 1, true, kind_sign },
	{ "negate", "a product or a quotient with the other sign", 1, true, kind_negate },
	{ "operator", "+ for *, * for /", 1, true, kind_operator },
	{ "operand", "one operand twice, the other one not at all", 2, true, kind_operand },
	{ "swap", "the operands of - or / exchanged", 1, true, kind_swap },
	{ "compare", "< for <=, > for >=, == for !=, and < for >", 2, true, kind_compare },
	{ "max", "max for min, min for max", 1, false, kind_max },
	{ "array", "another array of the same type", 1, false, kind_array },
	{ "narrow", "a value rounded to half as many bits: bfloat16 for float, float for double", 1, false, kind_narrow },
	{ "cast", "a cast dropped, the bits of a vector taken for numbers", 1, false, kind_cast },
	{ "bits", "a mask of bits, a distance of a shift wrong", 2, false, kind_bits },
	{ "lanes", "two lanes of a vector exchanged", 1, false, kind_lanes },
	{ "lane", "another lane of a vector", 1, true, kind_lane },
	{ "vector", "two members of a vector that is listed, or of a shuffle's order, exchanged", 1, true, kind_vector },
	{ "splat", "in one lane alone what all should have; in the others what is behind it in memory", 2, false, kind_splat },
	{ "mask", "a mask dropped, the two sides of a choice exchanged, a count of lanes one less", 3, false, kind_mask },
	{ "stride", "a stride one more or one less", 2, false, kind_stride },
	{ "offset", "an offset one more or one less", 2, false, kind_offset },
	{ "variable", "another loop's variable in an index", 1, false, kind_variable },
	{ "float-index", "an index computed in float", 1, false, kind_float_index },
	{ "bound", "a loop's bound one less, one more", 2, false, kind_bound },
	{ "first", "a loop that begins one later", 1, false, kind_first },
	{ "step", "a loop that leaves out every second trip", 1, false, kind_step },
	{ "tail", "a loop behind another one, or the block behind it, removed", 1, false, kind_tail },
	{ "early-end", "a reduction ended after half of its trips", 1, false, kind_early_end },
	{ "early-store", "a loop done after what uses its results", 1, false, kind_early_store },
	{ "drop", "an assignment removed", 1, false, kind_drop },
	{ "no-reset", "a reset of a sum removed: it adds to what was there", 1, false, kind_no_reset },
	{ "reset", "a reduction begun at the wrong value", 1, false, kind_reset },
	{ "forget", "an accumulation that forgets what was there", 1, false, kind_forget },
	{ "twice", "an accumulation done twice", 1, false, kind_twice },
	{ "team", "a team with one point less, with half of them", 2, false, kind_team },
	{ "guard", "a condition that always holds, that never holds, that is inverted", 3, true, kind_guard },
};
const int n_kind = sizeof kinds / sizeof *kinds;

static bool add_edit(struct mutant *m, size_t at, size_t n, const char *fmt, va_list list)
{
	struct edit *e = &m->edit[m->n];
	must(m->n < MAX_EDITS, "more than %d edits", MAX_EDITS);
	must(vasprintf(&e->with, fmt, list) >= 0, "out of memory");
	e->at = at;
	e->n = n;
	m->n++;
	return true;
}

bool mutate(const struct text *t, struct mutant *m, int from, int to, const char *fmt, ...)
{
	va_list list;
	va_start(list, fmt);
	(void)add_edit(m, t->tok[from].at, t->tok[to].at + t->tok[to].n - t->tok[from].at, fmt, list);
	va_end(list);
	return true;
}

bool mutate_before(const struct text *t, struct mutant *m, int i, const char *fmt, ...)
{
	va_list list;
	va_start(list, fmt);
	(void)add_edit(m, t->tok[i].at, 0, fmt, list);
	va_end(list);
	return true;
}

bool is_call(const struct text *t, int i)
{
	return t->tok[i].kind == TOKEN_NAME && !text_is_type(t, i) && text_is(t, i + 1, "(")
		&& t->tok[i + 1].pair > i + 2 && !text_is(t, i, "for") && !text_is(t, i, "if")
		&& !text_is(t, i, "while") && !text_is(t, i, "sizeof") && !text_is(t, i, "__asm__");
}

bool same_span(const struct text *t, int a, int a_end, int b, int b_end)
{
	if (a_end - a != b_end - b)
		return false;
	for (int i = 0; a + i <= a_end; i++)
		if (!text_same(t, a + i, b + i))
			return false;
	return true;
}

void mutant_free(struct mutant *m)
{
	for (int i = 0; i < m->n; i++)
		free(m->edit[i].with);
	*m = (struct mutant){ 0 };
}

char *mutant_text(const struct text *t, const struct mutant *m)
{
	char *out = NULL;
	size_t bytes, at = 0;
	FILE *f = open_memstream(&out, &bytes);
	must(f != NULL, "out of memory");
	/* By place, the first one first. */
	for (int done = 0; done < m->n; done++) {
		const struct edit *next = NULL;
		for (int i = 0; i < m->n; i++)
			if (m->edit[i].at >= at && (!next || m->edit[i].at < next->at)
				&& !(done && m->edit[i].at == at && m->edit[i].n == 0))
				next = &m->edit[i];
		must(next != NULL, "edits that overlap");
		(void)fwrite(t->at + at, 1, next->at - at, f);
		(void)fputs(next->with, f);
		at = next->at + next->n;
	}
	(void)fputs(t->at + at, f);
	must(fclose(f) == 0, "out of memory");
	return out;
}
