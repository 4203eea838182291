/* The nests of a tree: memory that goes with it, and their frozen trees. */
#include "looptree/freeze/freeze.h"
#include "program/nest/nest.h"

lt_status lt__nests_reset(struct lt_nests *nests, struct lt_context *ctx, const struct lt_looptree *t)
{
	lt__arena_free(nests->arena);
	*nests = (struct lt_nests){ .n = t->n_root };
	return lt__arena_new(ctx, &nests->arena);
}

lt_status lt__nests_freeze(struct lt_nests *nests, struct lt_looptree *t, const char *prelude)
{
	const struct lt_fmemory memory = lt__assigned_memory(&nests->assigned, nests->arena);
	LT_TRY(lt__freeze(t, &memory, nests->arena, &nests->frozen, &nests->failed));
	for (int32_t i = 0; i < nests->n; i++)
		nests->frozen[i].tree.prelude = prelude;
	return LT_OK;
}

void lt__nest_align(struct lt_nests *nests, int32_t nest, bool device)
{
	struct lt_frozen *f = &nests->frozen[nest];
	bool changed = false;
	for (uint32_t i = 0; i < f->tree.buffers.n; i++) {
		struct lt_buffer *b = (struct lt_buffer *)(uintptr_t)LT_AT(struct lt_buffer, f->tree.buffers, i);
		const struct lt_bind *bind = b->slot < 0 ? NULL : &f->bind[b->slot];
		const int64_t bytes = LT_AT(struct lt_type, f->tree.types, b->type)->bytes;
		const int64_t was = b->align;
		if (bind)
			b->align = lt__slot_align(bind->offset * bytes, bytes,
				device || lt__space_is_ours(nests->assigned.storage[bind->storage].space));
		changed = changed || b->align != was;
	}
	if (changed) {                  /* what kernels share code by */
		struct lt_text text = { .arena = nests->arena };
		lt__tree_canonical(&text, &f->tree);
		f->tree.text = text.at;
	}
}

bool lt__nests_taken(const struct lt_nests *nests)
{
	for (int32_t i = 0; i < nests->n; i++)
		if (nests->opened_of[i] < 0)
			return false;
	return true;
}
