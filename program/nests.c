/* The nests of a tree: memory that goes with it, and their frozen trees. */
#include "program/nests.h"

lt_status lt__nests_reset(struct lt_nests *nests, struct lt_context *ctx, const struct lt_looptree *t)
{
	lt__arena_free(nests->arena);
	*nests = (struct lt_nests){ .n = t->n_root };
	return lt__arena_new(ctx, &nests->arena);
}

lt_status lt__nests_freeze(struct lt_nests *nests, struct lt_looptree *t, const char *prelude)
{
	const struct lt_fmemory memory = lt__assigned_memory(&nests->assigned, nests->arena);
	LT_TRY(lt__freeze(t, &memory, nests->arena, &nests->frozen));
	for (int32_t i = 0; i < nests->n; i++)
		nests->frozen[i].tree.prelude = prelude;
	return LT_OK;
}

bool lt__nests_taken(const struct lt_nests *nests)
{
	for (int32_t i = 0; i < nests->n; i++)
		if (nests->opened_of[i] < 0)
			return false;
	return true;
}
