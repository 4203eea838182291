/* test_arena.c -- memory of a context: what of it is set, and where large pieces lie. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"

/* Whatever memory holds that somebody had before. */
static void *dirty(void *user, void *at, size_t old_bytes, size_t bytes)
{
	(void)user;
	if (!bytes) {
		free(at);
		return NULL;
	}
	at = realloc(at, bytes);
	if (at && bytes > old_bytes)
		memset((char *)at + old_bytes, 0xa5, bytes - old_bytes);
	return at;
}

Test(arena, only_what_is_asked_for_so_is_zero)
{
	static const char zero[5000];
	struct lt_context *ctx;
	struct lt_arena *a;
	cr_assert_eq(lt_context_new_with(dirty, NULL, &ctx), LT_OK);
	cr_assert_eq(lt__arena_new(ctx, &a), LT_OK);
	for (size_t n = 1; n <= sizeof zero; n = 3 * n + 1) {
		const char *set = lt__arena_alloc(a, n), *unset = lt__arena_alloc_unset(a, n);
		cr_expect(!memcmp(set, zero, n), "%zu bytes", n);
		cr_expect_eq((unsigned char)unset[n - 1], 0xa5, "%zu bytes are set for nothing", n);
	}
	lt__arena_free(a);
	lt_context_free(ctx);
}

/* Pages of 2 MiB can only be where memory begins at one. */
Test(arena, large_pieces_begin_at_a_large_page)
{
	struct lt_context *ctx;
	const size_t page = 2 << 20, sizes[] = { page, 3 * page - 1, 5 * page + 7 };
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	for (int i = 0; i < 3; i++) {
		char *at = lt__context_realloc(ctx, NULL, 0, sizes[i]);
		cr_assert_not_null(at);
		cr_expect_eq((uintptr_t)at % page, 0, "%zu bytes", sizes[i]);
		at[0] = 1;
		at[sizes[i] - 1] = 2;
		at = lt__context_realloc(ctx, at, sizes[i], 2 * sizes[i]);
		cr_assert_not_null(at);
		cr_expect(at[0] == 1 && at[sizes[i] - 1] == 2);
		lt__context_realloc(ctx, at, 2 * sizes[i], 0);
	}
	cr_expect_null(lt__context_realloc(ctx, NULL, 0, SIZE_MAX - 64));
	lt_context_free(ctx);
}
