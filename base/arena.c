/* arena.c -- memory by lifetime, and text that grows in it. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"

enum { ALIGN = 16, LARGE = 1 << 16 };

struct arena_chunk {
	struct arena_chunk *next;
	size_t bytes, used;             /* of the whole chunk, this header included */
	size_t unused;                  /* keeps the header a multiple of ALIGN */
};
struct deferred {
	struct deferred *next;
	void (*release)(void *);
	void *at;
};
struct lt_arena {
	struct lt_context *ctx;
	struct arena_chunk *chunk;            /* the newest first; allocations come from it */
	struct deferred *deferred;      /* the newest first */
	size_t next_bytes, handed_out;
};

_Static_assert(sizeof(struct arena_chunk) % ALIGN == 0, "chunk header keeps the alignment");

lt_status lt__arena_new(struct lt_context *ctx, struct lt_arena **out)
{
	struct lt_arena *arena = lt__context_realloc(ctx, NULL, 0, sizeof *arena);

	*out = NULL;
	if (!arena)
		return lt_fail(ctx, LT_ENOMEM, "out of memory: %zu more bytes were refused", sizeof *arena);
	*arena = (struct lt_arena){ .ctx = ctx, .next_bytes = ctx->chunk };
	*out = arena;
	return LT_OK;
}

void lt__arena_free(struct lt_arena *arena)
{
	if (!arena)
		return;
	for (struct deferred *d = arena->deferred; d; d = d->next)
		d->release(d->at);
	for (struct arena_chunk *c = arena->chunk, *next; c; c = next) {
		next = c->next;
		lt__context_realloc(arena->ctx, c, c->bytes, 0);
	}
	lt__context_realloc(arena->ctx, arena, sizeof *arena, 0);
}

static struct arena_chunk *new_chunk(struct lt_arena *arena, size_t min_bytes)
{
	size_t bytes = arena->next_bytes;
	struct arena_chunk *chunk;

	if (bytes < min_bytes)
		bytes = min_bytes;
	chunk = lt__context_realloc(arena->ctx, NULL, 0, bytes);
	if (!chunk)
		return NULL;
	*chunk = (struct arena_chunk){ .bytes = bytes, .used = sizeof *chunk };
	if (arena->next_bytes < arena->ctx->chunk_max)
		arena->next_bytes *= 2;
	return chunk;
}

/* NULL when out of memory.  A large piece gets a chunk of its own after the newest, whose remaining bytes stay
 * usable. */
static void *try_alloc(struct lt_arena *arena, size_t bytes)
{
	struct arena_chunk *chunk = arena->chunk;
	char *at;

	if (bytes > SIZE_MAX / 2)
		return NULL;
	bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
	if (!chunk || chunk->bytes - chunk->used < bytes) {
		chunk = new_chunk(arena, sizeof *chunk + bytes);
		if (!chunk)
			return NULL;
		if (arena->chunk && chunk->bytes - chunk->used - bytes < arena->chunk->bytes - arena->chunk->used) {
			chunk->next = arena->chunk->next;
			arena->chunk->next = chunk;
		} else {
			chunk->next = arena->chunk;
			arena->chunk = chunk;
		}
	}
	at = (char *)chunk + chunk->used;
	chunk->used += bytes;
	arena->handed_out += bytes;
	return at;
}

static _Noreturn void run_out(struct lt_arena *arena, size_t bytes)
{
	struct lt_context *ctx = arena->ctx;

	if (!ctx->top)
		lt_bug("an arena ran out of memory outside lt__protect");
	lt_fail(ctx, LT_ENOMEM, "out of memory: %zu more bytes were refused", bytes);
	longjmp(ctx->top->jump, 1);
}

void lt__arena_refuse(struct lt_arena *arena, const char *what)
{
	struct lt_context *ctx = arena->ctx;
	if (!ctx->top)
		lt_bug("memory ran out outside lt__protect");
	lt_fail(ctx, LT_ENOMEM, "out of memory: %s", what);
	longjmp(ctx->top->jump, 1);
}

void *lt__arena_alloc_unset(struct lt_arena *arena, size_t bytes)
{
	arena->ctx->polls += (uint32_t)(bytes / LARGE);         /* what is to be filled takes its time */
	lt__poll(arena->ctx);
	void *at = try_alloc(arena, bytes);

	if (!at)
		run_out(arena, bytes);
	return at;
}

void *lt__arena_alloc(struct lt_arena *arena, size_t bytes)
{
	return memset(lt__arena_alloc_unset(arena, bytes), 0, bytes);
}

void *lt__arena_alloc_array(struct lt_arena *arena, size_t size, size_t n)
{
	size_t bytes;

	if (__builtin_mul_overflow(size, n, &bytes))
		run_out(arena, SIZE_MAX);
	return lt__arena_alloc(arena, bytes);
}

void *lt__arena_copy(struct lt_arena *arena, const void *from, size_t bytes)
{
	void *at = lt__arena_alloc_unset(arena, bytes);

	if (bytes)
		memcpy(at, from, bytes);
	return at;
}

char *lt__arena_string(struct lt_arena *arena, const char *from)
{
	return lt__arena_copy(arena, from, strlen(from) + 1);
}

/* The text, and its length without the end. */
__attribute__((format(printf, 2, 0), nonnull))
static char *format_list(struct lt_arena *arena, const char *fmt, va_list list, size_t *bytes)
{
	va_list again;
	char *at;
	int n;

	va_copy(again, list);
	n = vsnprintf(NULL, 0, fmt, list);
	if (n < 0)
		lt_bug("a text cannot be formatted");
	at = lt__arena_alloc(arena, (size_t)n + 1);
	vsnprintf(at, (size_t)n + 1, fmt, again);
	va_end(again);
	*bytes = (size_t)n;
	return at;
}

char *lt__arena_format(struct lt_arena *arena, const char *fmt, ...)
{
	va_list list;
	size_t bytes;
	char *at;

	va_start(list, fmt);
	at = format_list(arena, fmt, list, &bytes);
	va_end(list);
	return at;
}

void lt__arena_defer(struct lt_arena *arena, void (*release)(void *), void *at)
{
	struct deferred *d = try_alloc(arena, sizeof *d);

	if (!d) {
		release(at);
		run_out(arena, sizeof *d);
	}
	*d = (struct deferred){ .next = arena->deferred, .release = release, .at = at };
	arena->deferred = d;
}

size_t lt__arena_bytes(const struct lt_arena *arena)
{
	return arena->handed_out;
}

struct lt_context *lt__arena_context(const struct lt_arena *arena)
{
	return arena->ctx;
}

void *lt__arena_grow(struct lt_arena *arena, void *array, size_t size, int32_t n, int32_t *cap)
{
	int32_t more = *cap < 4 ? 4 : *cap;
	void *at;

	if (__builtin_mul_overflow(more, 2, &more))
		run_out(arena, SIZE_MAX);
	at = lt__arena_alloc_array(arena, size, (size_t)more);
	if (n)
		memcpy(at, array, size * (size_t)n);
	*cap = more;
	return at;
}

void lt__text_add(struct lt_text *text, const char *from, size_t bytes)
{
	if (text->cap - text->n <= bytes) {
		size_t cap = (text->cap + bytes + 16) * 2;
		char *at;

		if (bytes > SIZE_MAX / 4 || text->cap > SIZE_MAX / 4)
			run_out(text->arena, SIZE_MAX);
		at = lt__arena_alloc(text->arena, cap);
		if (text->n)
			memcpy(at, text->at, text->n);
		text->at = at;
		text->cap = cap;
	}
	if (bytes)
		memcpy(text->at + text->n, from, bytes);
	text->n += bytes;
	text->at[text->n] = '\0';
}

/* Short texts, that is nearly all, pass by the stack: the arena holds no second copy of them. */
void lt__text_format(struct lt_text *text, const char *fmt, ...)
{
	char brief[256];
	va_list list;
	int n;

	va_start(list, fmt);
	n = vsnprintf(brief, sizeof brief, fmt, list);
	va_end(list);
	if (n >= 0 && (size_t)n < sizeof brief) {
		lt__text_add(text, brief, (size_t)n);
	} else {
		size_t bytes;
		char *at;

		va_start(list, fmt);
		at = format_list(text->arena, fmt, list, &bytes);
		va_end(list);
		lt__text_add(text, at, bytes);
	}
}
