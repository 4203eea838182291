/* context.c -- the context: its allocator, the last failure, and the way out when memory ends. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "base/arena.h"
#include "base/message.h"

/* Chunks double from the first size to the last. */
enum { FIRST_CHUNK = 4096, LAST_CHUNK = 1 << 20, LARGE_PAGE = 2 << 20 };

/* Weights and workspaces: in pages of 2 MiB where the system has them, since giving a process 100 MB in small ones
 * takes longer than reading them.  A last page that would not be full stays small ones. */
static void *plain_alloc_large(size_t bytes)
{
	void *at = aligned_alloc(LARGE_PAGE, (bytes + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE);

#ifdef MADV_HUGEPAGE
	if (at)
		(void)madvise(at, bytes / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
#endif
	return at;
}

static void *plain_alloc(void *user, void *at, size_t old_bytes, size_t bytes)
{
	(void)user, (void)old_bytes;
	if (bytes > SIZE_MAX / 2)       /* no object is so large, and a sanitizer's allocator ends the process */
		return NULL;
	if (!at && bytes >= LARGE_PAGE)
		return plain_alloc_large(bytes);
	if (bytes)
		return realloc(at, bytes);
	free(at);
	return NULL;
}

lt_status lt_context_new_with(lt_alloc *alloc, void *user, struct lt_context **out)
{
	struct lt_context *ctx;

	*out = NULL;
	ctx = alloc(user, NULL, 0, sizeof *ctx);
	if (!ctx)
		return LT_ENOMEM;
	memset(ctx, 0, sizeof *ctx);
	ctx->alloc = alloc;
	ctx->user = user;
	ctx->chunk = FIRST_CHUNK;
	ctx->chunk_max = LAST_CHUNK;
	(void)pthread_mutex_init(&ctx->lock, NULL);             /* of this kind it cannot fail */
	*out = ctx;
	return LT_OK;
}

lt_status lt_context_new(struct lt_context **out)
{
	return lt_context_new_with(plain_alloc, NULL, out);
}

void lt_context_free(struct lt_context *ctx)
{
	if (!ctx)
		return;
	(void)pthread_mutex_destroy(&ctx->lock);
	ctx->alloc(ctx->user, ctx, sizeof *ctx, 0);
}

void lt__context_branch(struct lt_context *of, struct lt_context *out)
{
	*out = (struct lt_context){ .of = of->of ? of->of : of, .chunk = of->chunk, .chunk_max = of->chunk_max };
}

static struct lt_context *root_of(struct lt_context *ctx) { return ctx->of ? ctx->of : ctx; }

const char *lt_context_message(const struct lt_context *ctx)
{
	return ctx->message;
}

lt_status lt_context_code(const struct lt_context *ctx)
{
	return ctx->code;
}

void lt_context_clear(struct lt_context *ctx)
{
	ctx->code = LT_OK;
	ctx->message[0] = '\0';
}

void *lt__context_realloc(struct lt_context *ctx, void *at, size_t old_bytes, size_t new_bytes)
{
	struct lt_context *root = root_of(ctx);

	(void)pthread_mutex_lock(&root->lock);
	at = root->alloc(root->user, at, old_bytes, new_bytes);
	(void)pthread_mutex_unlock(&root->lock);
	return at;
}

lt_status lt__protect(struct lt_context *ctx, lt_status (*body)(void *), void *arg)
{
	struct lt_catch here = { .up = ctx->top, .forwards = true };
	struct lt_spending *const spending = ctx->spending;
	lt_status status;

	ctx->top = &here;
	if (!setjmp(here.jump)) {
		status = body(arg);
	} else {
		status = ctx->code;
		ctx->spending = spending;
	}
	ctx->top = here.up;
	return status;
}

/* The arguments may point into the old message, so the new one is made in other memory. */
lt_status lt_fail(struct lt_context *ctx, lt_status status, const char *fmt, ...)
{
	char text[sizeof ctx->message];
	va_list list;

	va_start(list, fmt);
	lt__message(text, sizeof text, fmt, list);
	va_end(list);
	memcpy(ctx->message, text, sizeof text);
	ctx->code = status;
	return status;
}

const char *lt__scratch(struct lt_context *ctx, const char *fmt, ...)
{
	char text[sizeof ctx->scratch[0]], *at = ctx->scratch[ctx->turn++ % 4];
	va_list list;

	va_start(list, fmt);
	vsnprintf(text, sizeof text, fmt, list);
	va_end(list);
	return memcpy(at, text, sizeof text);
}

_Noreturn void lt__bug(const char *file, int line, const char *what)
{
	fprintf(stderr, "looptree: defect at %s:%d: %s\n", file, line, what);
	abort();
}
