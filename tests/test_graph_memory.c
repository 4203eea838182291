/* test_graph_memory.c -- arenas and names, and a builder whose n-th allocation fails, for every n. */
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "ir/graph/graph.h"
#include "base/names.h"

/* An allocator that fails once, or from then on, and knows the size of each piece it gave. */
struct meter {
	long countdown;                 /* allocations until one fails; -1: none does */
	bool for_ever;
	long failed, pieces;
	size_t bytes;
};

static void *metered(void *user, void *at, size_t old_bytes, size_t bytes)
{
	struct meter *meter = user;
	size_t *head = at ? (size_t *)at - 2 : NULL;

	if (head)
		cr_assert_eq(head[0], old_bytes, "%zu bytes are said to be %zu", head[0], old_bytes);
	if (!bytes) {
		if (head)
			meter->pieces--, meter->bytes -= old_bytes;
		free(head);
		return NULL;
	}
	if (meter->countdown == 0) {
		meter->failed++;
		meter->countdown = meter->for_ever ? 0 : -1;
		return NULL;
	}
	meter->countdown -= meter->countdown > 0;
	head = realloc(head, bytes + 2 * sizeof *head);
	cr_assert(head);
	memset((char *)(head + 2) + old_bytes, 0xa5, bytes > old_bytes ? bytes - old_bytes : 0);
	head[0] = bytes;
	meter->pieces += !at;
	meter->bytes += bytes - old_bytes;
	return head + 2;
}

static void count_release(void *at)
{
	++*(int *)at;
}

Test(memory, arena)
{
	struct meter meter = { .countdown = -1 };
	struct lt_context *ctx;
	struct lt_arena *arena;
	int released = 0;
	char *before = NULL;

	cr_assert_eq(lt_context_new_with(metered, &meter, &ctx), LT_OK);
	ctx->chunk = ctx->chunk_max = 64;
	cr_assert_eq(lt__arena_new(ctx, &arena), LT_OK);
	for (size_t bytes = 0; bytes < 20000; bytes = bytes * 5 / 4 + 1) {
		char *at = lt__arena_alloc(arena, bytes);

		cr_assert_eq((uintptr_t)at % 16, 0);
		for (size_t i = 0; i < bytes; i++)
			cr_assert_eq(at[i], 0, "zeroed");
		memset(at, 0x5a, bytes);
		cr_assert(!before || *before == 0x5a, "apart from the one before");
		before = bytes ? at : NULL;
	}
	lt__arena_defer(arena, count_release, &released);
	lt__arena_defer(arena, count_release, &released);
	cr_expect_str_eq(lt__arena_format(arena, "%s-%d", "x", 5), "x-5");
	cr_expect(lt__arena_bytes(arena) > 80000 && lt__arena_context(arena) == ctx);
	lt__arena_free(arena);
	lt__arena_free(NULL);
	lt_context_free(ctx);
	lt_context_free(NULL);
	cr_expect_eq(released, 2);
	cr_expect(meter.pieces == 0 && meter.bytes == 0);
}

Test(memory, text)
{
	struct lt_context *ctx;
	struct lt_arena *arena;
	struct lt_text text = { 0 };
	char line[1000];

	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt__arena_new(ctx, &arena), LT_OK);
	text.arena = arena;
	memset(line, 'y', sizeof line);
	for (int i = 0; i < 300; i++) {
		lt__text_add(&text, line, (size_t)i);
		lt__text_format(&text, "%d%.*s", i % 10, i, line);
		cr_assert_eq(text.at[text.n], '\0');
	}
	cr_expect_eq(text.n, 300 * 299 + 300);
	cr_expect_eq(strlen(text.at), text.n);
	cr_expect_eq(strncmp(text.at, "0y1yyy2yyyyy3", 10), 0);
	lt__arena_free(arena);
	lt_context_free(ctx);
}

Test(memory, names)
{
	struct lt_context *ctx;
	struct lt_arena *arena;
	struct lt_names *names;
	char text[16];

	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt__arena_new(ctx, &arena), LT_OK);
	names = lt__names_new(arena);
	for (int i = 0; i < 5000; i++)
		lt__names_add(names, text, (size_t)snprintf(text, sizeof text, "v%d", i * 7), i);
	for (int i = 0; i < 5000; i++)
		cr_assert_eq(lt__names_find(names, text, (size_t)snprintf(text, sizeof text, "v%d", i * 7)), i);
	cr_expect_eq(lt__names_find(names, "v1", 2), -1);
	cr_expect_eq(lt__names_find(names, "v700", 2), 1, "the length counts");
	lt__names_add(names, "v7", 2, 99);
	cr_expect_eq(lt__names_find(names, "v7", 2), 99);
	cr_expect_str_eq(lt__names_add(names, "a\0b", 3, 1), "a");
	cr_expect_eq(lt__names_find(names, "a", 1), -1);
	cr_expect_str_eq(lt__names_unique(names, "x", 1), "x");
	cr_expect_str_eq(lt__names_unique(names, "x", 2), "x2");
	cr_expect_str_eq(lt__names_unique(names, "x2", 3), "x2_2");
	lt__names_add(names, "x3", 2, 4);
	cr_expect_str_eq(lt__names_unique(names, "x", 5), "x4");
	cr_expect_eq(lt__names_find(names, "x4", 2), 5);
	lt__arena_free(arena);
	lt_context_free(ctx);
}

struct task { struct lt_context *ctx; struct lt_arena *arena; int depth; };

static lt_status use_up(void *at)
{
	struct task *task = at;

	if (task->depth-- > 0) {
		lt_status status = lt__protect(task->ctx, use_up, task);

		cr_assert_eq(status, LT_ENOMEM);
		cr_assert(task->ctx->top != NULL, "the outer one is in force again");
		return status;
	}
	lt__arena_alloc(task->arena, SIZE_MAX / 4);
	return LT_OK;
}

Test(memory, protect_nests)
{
	struct meter meter = { .countdown = 2 };
	struct task task = { .depth = 3 };

	cr_assert_eq(lt_context_new_with(metered, &meter, &task.ctx), LT_OK);
	cr_assert_eq(lt__arena_new(task.ctx, &task.arena), LT_OK);
	cr_expect_eq(lt__protect(task.ctx, use_up, &task), LT_ENOMEM);
	cr_expect(task.ctx->top == NULL && lt_context_code(task.ctx) == LT_ENOMEM);
	cr_expect(strstr(lt_context_message(task.ctx), "out of memory"));
	lt__arena_free(task.arena);
	lt_context_free(task.ctx);
	cr_expect_eq(meter.pieces, 0);
}

Test(memory, a_message_may_quote_the_last)
{
	struct lt_context *ctx;

	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_expect_eq(lt_fail(ctx, LT_EINVAL, "%s", "inner"), LT_EINVAL);
	cr_expect_eq(lt_fail(ctx, LT_EIO, "outer: %s", lt_context_message(ctx)), LT_EIO);
	cr_expect_str_eq(lt_context_message(ctx), "outer: inner");
	lt_context_clear(ctx);
	cr_expect(lt_context_code(ctx) == LT_OK && !lt_context_message(ctx)[0]);
	cr_expect_str_eq(lt_status_name(LT_EOVERFLOW), "EOVERFLOW");
	cr_expect_str_eq(lt_status_name(99), "unknown");
	cr_expect_str_eq(lt_status_text(-1), "unknown status");
	lt_context_free(ctx);
}

/* Every function of the builder; what fails hands -1 on. */
static void build(struct lt_graph *g)
{
	lt_var m = lt_graph_var(g, "m", 4), k = lt_graph_var(g, NULL, 6), out = lt_graph_var(g, "m", 5),
	       tap = lt_graph_var(g, "m", 3);
	lt_node x = lt_graph_input(g, "x", LT_F16, 2, (const lt_var[]){ m, k }), y, i, s;
	lt_node w = lt_graph_constant(g, "w", LT_F16, 1, &k), at = lt_graph_input(g, "at", LT_I64, 1, &m);
	lt_param p = lt_graph_param(g, lt_graph_slice(g, at, 0, 1, 1, 2), 1, 0, 9);
	lt_var t = lt_graph_var_bounded(g, "t", 9, 0, 1, &p, (const int64_t[]){ 1 });

	lt_graph_at(g, 3, 4);
	lt_graph_require(g, 0, 5, 1, &p, (const int64_t[]){ -1 }, "p is at most 5");
	y = lt_graph_binary(g, "add", lt_graph_contract(g, x, w, 1, &k), lt_graph_literal(g, LT_F16, 0.5));
	y = lt_graph_binary(g, "mul", lt_graph_reduce(g, "max", x, 1, &k), y);
	lt_node_set_name(g, y, "5");
	lt_graph_result(g, "y", y);
	i = lt_graph_cast(g, lt_graph_index(g, t), LT_I32);
	lt_graph_result(g, "i", lt_graph_reduce(g, "add", i, 1, &t));
	y = lt_graph_reshape(g, lt_graph_permute(g, x, 2, (const int32_t[]){ 1, 0 }), 3, (const int64_t[]){ 2, 4, 3 });
	y = lt_graph_pad(g, y, (const int64_t[]){ 0, 1, 0 }, (const int64_t[]){ 1, 0, 0 }, 0);
	y = lt_graph_window(g, y, 1, out, tap, 1, 1, 1, 0);
	y = lt_graph_concat(g, 0, 2, (const lt_node[]){ y, y });
	y = lt_graph_reshape_to(
		g, lt_graph_slice(g, y, 3, 0, 1, 1), 1, (const lt_var[]){ lt_graph_var(g, "flat", 6 * 5 * 3) });
	lt_graph_result(g, "view", lt_graph_rename(g, y, 1, (const lt_var[]){ lt_graph_var(g, "flat", 6 * 5 * 3) }));
	lt_graph_result(g, "rows", lt_graph_gather(g, x, at, 1));
	lt_graph_result(g, "head", lt_graph_slice_bounded(g, x, 1, LT_OMIT, p));
	lt_graph_result(g, "soft", lt_build_softmax(g, x, 1));
	lt_graph_result(g, "norm", lt_build_layer_norm(g, x, w, LT_OMIT, 1e-5));
	s = lt_graph_state(g, NULL, LT_F16, 1, &k);
	lt_graph_set_state(g, s, lt_graph_update(g, s, lt_graph_slice(g, w, 0, 0, 1, 2), (const int64_t[]){ 0 }, &p));
	lt_var_set_name(g, k, "k");
}

/* One run in which allocation `n` fails; false if there are not that many. */
static bool build_failing(long at, bool for_ever)
{
	struct meter meter = { .countdown = at, .for_ever = for_ever };
	struct lt_context *ctx;
	struct lt_graph *g;

	if (!lt_context_new_with(metered, &meter, &ctx)) {
		ctx->chunk = ctx->chunk_max = 64;      /* nearly every piece of an arena is an allocation */
		if (!lt_graph_new(ctx, &g))
			build(g);
		else
			cr_assert(!g);
		cr_assert_eq(lt_context_code(ctx), meter.failed ? LT_ENOMEM : LT_OK, "%s", lt_context_message(ctx));
		/* What came through is whole, and the graph can be used on; but not one that has lost a name. */
		if (g)
			cr_assert(lt_graph_verify(g) == (g->nameless ? LT_ENOMEM : LT_OK) && (!g->nameless || meter.failed)
				&& (meter.failed || g->n_result == 7), "%s", lt_context_message(ctx));
		if (g && meter.failed && !for_ever)
			build(g);
		lt_graph_free(g);
		lt_context_free(ctx);
	} else {
		cr_assert(!ctx && meter.failed);
	}
	cr_assert(meter.pieces == 0 && meter.bytes == 0, "%ld pieces are left", meter.pieces);
	return meter.failed > 0;
}

Test(memory, every_allocation_fails_once, .timeout = 60)
{
	long n = 0;

	while (build_failing(n, false))
		build_failing(n++, true);
	cr_expect(n > 200, "%ld allocations", n);
}
