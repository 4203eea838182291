/* clauses.c -- the clauses of the contract that have cases of their own. */
#include <string.h>
#include "tools/check/parts.h"

static const struct check_clause clauses[] = {
#define ONCE(g, n) { CHECK_##g, #n, 0, NULL, lt__check_##g##_##n, 0, NULL },
#define EACH(g, n, samples) { CHECK_##g, #n, 0, NULL, NULL, samples, lt__check_##g##_##n },
#define WHERE(g, n, samples, member, words) \
	{ CHECK_##g, #n, offsetof(struct lt_backend, member), words, NULL, samples, lt__check_##g##_##n },
#define AFTER(g, n, samples, first) { CHECK_##g, #n, 0, NULL, lt__check_##first, samples, lt__check_##g##_##n },
#include "tools/check/clauses.def"
};

void lt__check_add_clauses(struct check_adder *a)
{
	for (size_t i = 0; i < sizeof clauses / sizeof *clauses; i++)
		lt__check_add(a, clauses[i].group, NULL, &clauses[i]);
}

static bool offers(const struct lt_backend *b, size_t member)
{
	void *at = NULL;
	if (b->size >= member + sizeof at)
		memcpy(&at, (const char *)b + member, sizeof at);
	return at != NULL;
}

void lt__check_clause(struct check_device *d, const struct check_case *c, struct check_outcome *out)
{
	const struct check_clause *clause = c->clause;
	d->seed = c->seed;
	d->graph = c->graph;
	if (clause->member && !offers(d->backend, clause->member))
		(void)lt__check_end(out, CHECK_SKIPPED, "%s not offered", clause->words);
	else if ((!clause->first || clause->first(d, out)) && clause->each)
		lt__check_samples(d, out, clause->samples, clause->each);
	(void)lt__check_end(out, CHECK_PASSED, "%s", "");
}
