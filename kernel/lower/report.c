/* report.c -- what was decided, in words, for people. */
#include "kernel/lower/lowering.h"
#include "kernel/form/form.h"

/* Copies of a statement say it once. */
void lt__lower_say(struct lowering *l, int32_t stmt, enum lower_word word)
{
	static const char *const texts[LOWER_WORDS] = {
		[LOWER_SCATTERED] = "lane by lane: the lanes write anywhere",
		[LOWER_ONE_ELEMENT] = "lane by lane: all lanes write one element",
		[LOWER_TEXT] = "lane by lane: the operator is known by its text only",
		[LOWER_DIFFERS] = "its guard differs among lanes: lane by lane where it holds for some of them only",
		[LOWER_MASKED] = "its guard differs among lanes: masked",
		[LOWER_PIECES] = "what is read differs among lanes: lane by lane where they do not agree",
		[LOWER_PIECES_MASKED] = "what is read differs among lanes: masked",
		[LOWER_VERSIONS] = "a quotient changes among lanes: lane by lane where it does",
		[LOWER_LOOPED] = "an operand is read lane by lane"
	};
	if (!l->reported)
		l->reported = lt__pool_alloc(&l->b.pool, l->t->stmts.n, sizeof *l->reported);
	if (l->reported[stmt] >> word & 1)
		return;
	l->reported[stmt] |= 1u << word;
	lt__decide(l->report, 'L', -1, stmt, -1, "%s", texts[word]);
}

void lt__lower_say_access(struct lowering *l, int32_t stmt, int32_t access, bool gathered, int64_t stride)
{
	int32_t buffer = lower_access_at(l, access)->buffer;
	if (!l->reported_access)
		l->reported_access = lt__pool_alloc(&l->b.pool, l->t->accesses.n, sizeof *l->reported_access);
	if (l->reported_access[access])
		return;
	l->reported_access[access] = true;
	const char *name = l->b.buffer[lt__lower_location(l, buffer)].name;
	if (gathered)
		lt__decide(l->report, 'L', -1, stmt, buffer, "%s: gathered", name);
	else
		lt__decide(l->report, 'L', -1, stmt, buffer, "%s: strided by %lld", name, (long long)stride);
}
