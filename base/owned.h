/* owned.h -- answers that are the caller's to free: a struct of the interface in an arena of its own, with all that it
 * points to. */
#ifndef LT_BASE_OWNED_H
#define LT_BASE_OWNED_H
#include "base/arena.h"

/* Before the struct; as large as the alignment of what an arena gives. */
union lt_owner { struct lt_arena *arena; char room[16]; };

/* The arena that such a struct is in, for what else belongs to it. */
static inline struct lt_arena *lt__owned_arena(const void *at) { return ((const union lt_owner *)at)[-1].arena; }

struct lt_owned { struct lt_arena *arena; size_t bytes; union lt_owner *at; };
static inline lt_status lt__owned_body(void *arg)
{
	struct lt_owned *o = arg;

	o->at = lt__arena_alloc(o->arena, sizeof *o->at + o->bytes);
	return LT_OK;
}

/* A struct of so many bytes, zeroed; NULL: there is no memory, and the context says so. */
static inline void *lt__owned_new(struct lt_context *ctx, size_t bytes)
{
	struct lt_owned o = { .bytes = bytes };

	if (lt__arena_new(ctx, &o.arena))
		return NULL;
	if (lt__protect(ctx, lt__owned_body, &o)) {
		lt__arena_free(o.arena);
		return NULL;
	}
	o.at->arena = o.arena;
	return o.at + 1;
}

static inline void lt__owned_free(void *at)
{
	if (at)
		lt__arena_free(lt__owned_arena(at));
}
#endif
