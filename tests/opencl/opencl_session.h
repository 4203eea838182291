/* opencl_session.h -- sessions of the backend opencl, trees by hand, memory of the device. */
#ifndef TESTS_OPENCL_SESSION_H
#define TESTS_OPENCL_SESSION_H
#include <criterion/criterion.h>
#include "backends/opencl/session.h"
#include "tests/keeper.h"
#include "tests/treebuild.h"

static inline const struct lt_backend *opencl_backend(void) { return lt_backend_find("opencl"); }

static inline struct lt_session *opencl_open_on(const struct lt_host *host, const char *config)
{
	struct keeper k = keeper_new();
	struct lt_session *s;
	cr_assert_eq(opencl_backend()->open(host, config, &s, &k.diag), LT_OK, "%s", k.text);
	return s;
}
static inline struct lt_session *opencl_open(void)
{
	static const struct lt_host host = { .size = sizeof host };
	return opencl_open_on(&host, "O0");
}

/* The first thing that a test of the suite does. */
static inline void opencl_begin(void)
{
	struct keeper k = keeper_new();
	struct lt_session *s = NULL;
	if (opencl_backend()->open(NULL, "O0", &s, &k.diag))
		cr_skip_test("%s", k.text);
	opencl_backend()->close(s);
}

enum { BLOCKS = 4, THREADS = 16, ELEMS = BLOCKS * THREADS };
/* y = x + x, an element a thread. */
static inline struct tb *opencl_twice(const char *name)
{
	struct tb *b = tb_new(name, 0, 2, 0);
	int32_t i = tb_loop(b, -1, LT_GRID, BLOCKS, NULL, "i"), j = tb_loop(b, i, LT_BLOCK, THREADS, NULL, "j");
	int32_t x = tb_buffer(b, "x", LT_F32, LT_INPUT, -1, ELEMS), y = tb_buffer(b, "y", LT_F32, LT_OUTPUT, -1, ELEMS);
	int32_t from = tb_access(b, x, "16*i0 + i1");
	tb_stmt(b, LT_MAP, tb_op(b, "add", LT_F32, LT_F32), j, tb_access(b, y, "16*i0 + i1"), NULL, "y", 1);
	tb_read(b, from);
	tb_read(b, from);
	b->tree.needs |= LT_NEED_BARRIER;
	(void)tb_done(b);
	return b;
}

/* y[i] = table[at[i]]; a table of 8. */
static inline struct tb *opencl_gather(void)
{
	struct tb *b = tb_new("pick", 0, 1, 0);
	int32_t i = tb_loop(b, -1, LT_GRID, BLOCKS, NULL, "i");
	int32_t table = tb_buffer(b, "table", LT_F32, LT_INPUT, -1, 8), at = tb_buffer(b, "at", LT_I64, LT_INPUT, -1, BLOCKS);
	int32_t y = tb_buffer(b, "y", LT_F32, LT_OUTPUT, -1, BLOCKS);
	tb_stmt(b, LT_MAP, tb_op(b, "copy", LT_F32, LT_F32), i, tb_access(b, y, "i0"), NULL, "y", 1);
	tb_read(b, tb_gather(b, table, "0", tb_access(b, at, "i0"), 8, 1));
	(void)tb_done(b);
	return b;
}

static inline struct lt_object *opencl_object(struct lt_session *s, const struct tb *b)
{
	struct keeper k = keeper_new();
	struct lt_object *o;
	const struct lt_tree *t = &b->tree;
	cr_assert_eq(opencl_backend()->accepts(s, t, &k.diag), LT_OK, "%s", k.text);
	cr_assert_eq(opencl_backend()->compile(s, &t, 1, &o, &k.diag), LT_OK, "%s", k.text);
	return o;
}

/* So many bytes, in memory of their own, behind some others. */
static inline struct lt_slot opencl_slot(struct lt_session *s, const void *from, size_t bytes)
{
	enum { BEFORE = 512 };
	struct keeper k = keeper_new();
	struct lt_slot slot = { NULL, BEFORE, (int64_t)bytes };
	cr_assert_eq(opencl_backend()->mem_new(s, bytes + BEFORE, &slot.base, &k.diag), LT_OK, "%s", k.text);
	if (from)
		cr_assert_eq(opencl_backend()->mem_copy(s, &slot, &(struct lt_slot){ (void *)(uintptr_t)from, 0, slot.bytes },
			bytes, LT_COPY_TO_DEVICE, NULL, &k.diag), LT_OK, "%s", k.text);
	return slot;
}
static inline void opencl_fetch(struct lt_session *s, const struct lt_slot *slot, void *to)
{
	struct keeper k = keeper_new();
	cr_assert_eq(opencl_backend()->mem_copy(s, &(struct lt_slot){ to, 0, slot->bytes }, slot, (size_t)slot->bytes,
		LT_COPY_TO_HOST, NULL, &k.diag), LT_OK, "%s", k.text);
}
static inline void opencl_drop(struct lt_session *s, struct lt_slot *slot, int n)
{
	while (n > 0)
		opencl_backend()->mem_free(s, slot[--n].base);
}
static inline struct lt_args opencl_args(const struct lt_slot *slot, uint32_t n, struct lt_fault *fault)
{
	*fault = (struct lt_fault){ 0 };
	return (struct lt_args){ .size = sizeof(struct lt_args), .n_slot = n, .slot = slot, .fault = fault };
}

/* x, and room for what is made of it. */
static inline void opencl_vectors(struct lt_session *s, struct lt_slot slot[2])
{
	float x[ELEMS];
	for (int i = 0; i < ELEMS; i++)
		x[i] = (float)i - 9;
	slot[0] = opencl_slot(s, x, sizeof x);
	slot[1] = opencl_slot(s, NULL, sizeof x);
}
static inline void opencl_expect_times(struct lt_session *s, const struct lt_slot *slot, float factor)
{
	float y[ELEMS];
	opencl_fetch(s, slot, y);
	for (int i = 0; i < ELEMS; i++)
		cr_assert_eq(y[i], factor * ((float)i - 9), "%d: %g", i, (double)y[i]);
}
/* A kernel is compiled and runs: whatever went wrong before, the session is of use. */
static inline void opencl_expect_usable(struct lt_session *s)
{
	struct keeper k = keeper_new();
	struct tb *b = opencl_twice("again");
	struct lt_object *o = opencl_object(s, b);
	struct lt_slot slot[2];
	struct lt_fault fault;
	opencl_vectors(s, slot);
	struct lt_args args = opencl_args(slot, 2, &fault);
	cr_assert_eq(opencl_backend()->run(o, &args, &k.diag), LT_OK, "%s", k.text);
	opencl_expect_times(s, &slot[1], 2);
	opencl_drop(s, slot, 2);
	opencl_backend()->destroy(o);
	free(b);
}
#endif
