/* Memory at the alignment that slots and workspaces have. */
#include "program/run.h"

void *lt__aligned_new(struct lt_arena *a, size_t bytes, size_t align)
{
	return bytes ? (void *)(((uintptr_t)lt__arena_alloc(a, bytes + align) + align - 1) & ~(uintptr_t)(align - 1)) : NULL;
}

size_t lt__scratch_align(const struct lt_pmemory *m)
{
	return m->scratch_align > LT_ALIGNMENT_SLACK ? m->scratch_align : LT_ALIGNMENT_SLACK;
}
