/* Memory at the alignment that slots and workspaces have. */
#include <string.h>
#include "program/run/parts.h"

void *lt__aligned_unset(struct lt_arena *a, size_t bytes, size_t align)
{
	if (!bytes)
		return NULL;
	return (void *)(((uintptr_t)lt__arena_alloc_unset(a, bytes + align) + align - 1) & ~(uintptr_t)(align - 1));
}

void *lt__aligned_new(struct lt_arena *a, size_t bytes, size_t align)
{
	void *at = lt__aligned_unset(a, bytes, align);
	return at ? memset(at, 0, bytes) : NULL;
}

void *lt__scratch_new(struct lt_arena *a, const struct lt_scratch *s)
{
	return lt__aligned_new(a, s->bytes, s->align > LT_ALIGNMENT_SLACK ? s->align : LT_ALIGNMENT_SLACK);
}
