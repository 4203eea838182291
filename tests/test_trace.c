/* test_trace.c -- the plug-in trace: right values, reuse distances and hits against a plain simulation, cases
 * with known answers.  Its footprints: test_trace_footprint.c; what it refuses and reports: test_trace_report.c. */
#include <criterion/criterion.h>
#include <sys/stat.h>
#include "program/run/run.h"
#include "tests/built.h"
#include "tests/random_layer.h"
#include "tests/random_product.h"
#include "tests/traced.h"
#include "tests/treerun.h"

static void setup(void) { (void)traced_backend(); }
static void teardown(void) { scratch_remove(); }
TestSuite(trace, .init = setup, .fini = teardown, .timeout = 120);

Test(trace, its_results_are_right)
{
	struct layer_tally tally = { 0 };
	const struct layer_plan layers = { .backends = "trace:file=/dev/null",
		.seed = 301,
		.graphs = 25,
		.together = 1,
		.work = 5000,
		.target = "small" };
	const struct layer_plan graphs = { .backends = "trace:file=/dev/null",
		.seed = 401,
		.graphs = 150,
		.together = 1,
		.work = 1000,
		.target = "small",
		.any = true };
	layer_runs(&layers, &tally);
	layer_runs(&graphs, &tally);
	cr_expect_eq(tally.failed, 0, "%d of %d graphs", tally.failed, tally.graphs);
	cr_expect_gt(tally.elements, 10000);
}

/* Special values, every operator and every pair of types. */
Test(trace, lt_check_finds_nothing)
{
	static const char *const filters[] = { "op/*/view=none/default/alone", "cast/", "reduce/*/f32/*", "gather/*/default" };
	for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
		static char command[1024], out[1 << 16], err[1 << 12];
		(void)snprintf(command, sizeof command, "%s -B %s -b trace:file=/dev/null --keep %s --filter '%s'", built("lt-check"),
			built("examples/plugin/trace.so"), scratch("failures"), filters[i]);
		cr_expect_eq(run_command(command, out, sizeof out, err, sizeof err), 0, "%s\n%s%s", command, out, err);
		cr_expect(strstr(out, "nothing failed"), "%s", out);
	}
}

/* A little above the middle between two results: a double in between would put it in the middle. */
Test(trace, large_integers_are_rounded_once)
{
	static const struct { enum lt_dtype to; int64_t from; uint32_t bits; } cases[] = {
		{ LT_F32, (INT64_C(1) << 62) + (INT64_C(1) << 38) + 1, 0x5e800001 },
		{ LT_F32, -(INT64_C(1) << 62) - (INT64_C(1) << 38) - 1, 0xde800001 },
		{ LT_F32, (INT64_C(1) << 62) + (INT64_C(1) << 38), 0x5e800000 },
		{ LT_BF16, (INT64_C(1) << 62) + (INT64_C(1) << 54) + 1, 0x5e81 },
		{ LT_BF16, (INT64_C(1) << 62) + (INT64_C(1) << 54), 0x5e80 },
		{ LT_F16, 65519, 0x7bff }, { LT_F16, 65520, 0x7c00 }, { LT_F16, -1, 0xbc00 } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct tb *b = tb_new("casts", 0, 0, 0);
		int32_t x = tb_buffer(b, "x", LT_I64, LT_INPUT, -1, 1), y = tb_buffer(b, "y", cases[i].to, LT_OUTPUT, -1, 1);
		struct bench n;
		uint32_t bits = 0;
		tb_stmt(b, LT_MAP, tb_op(b, "cast", LT_I64, cases[i].to), -1, tb_access(b, y, "0"), NULL, "y", 1);
		tb_read(b, tb_access(b, x, "0"));
		open_bench_with(&n, "trace", "file=/dev/null", b);
		bench_set(&n, 0, &cases[i].from);
		cr_assert_eq(run(&n, 2), LT_OK, "%s", n.k.text);
		memcpy(&bits, data(&n, 1), (size_t)n.slot[1].bytes);
		cr_expect_eq(bits, cases[i].bits, "%lld: %x", (long long)cases[i].from, (unsigned)bits);
		close_bench(&n);
		free(b);
	}
}

/* -- a plain simulation -- */

enum { MAX_WAYS = 16, MAX_SETS = 64, LEVELS = 3 };
struct plain_level {
	int ways, sets;
	int64_t seen, hit, back;
	struct {
		int64_t line, time;
		bool changed;
	} way[MAX_SETS][MAX_WAYS];
};
struct plain { int n, line; int64_t clock; struct plain_level level[LEVELS]; };

static void ask(struct plain *p, int at, int64_t line, bool write, bool fetch);
static void give_back(struct plain *p, int at, int64_t line)
{
	p->level[at].back++;
	if (at + 1 < p->n)
		ask(p, at + 1, line, true, false);
}

/* fetch: the access of a program, or a level that lacks the line; else a line that is written back. */
static void ask(struct plain *p, int at, int64_t line, bool write, bool fetch)
{
	struct plain_level *l = &p->level[at];
	int set = (int)(line % l->sets), way = -1, oldest = 0;
	for (int w = 0; w < l->ways; w++) {
		if (l->way[set][w].time && l->way[set][w].line == line)
			way = w;
		if (l->way[set][w].time < l->way[set][oldest].time)
			oldest = w;
	}
	l->seen += fetch;
	l->hit += fetch && way >= 0;
	if (way < 0) {
		bool changed = l->way[set][oldest].time && l->way[set][oldest].changed;
		int64_t gone = l->way[set][oldest].line;
		way = oldest;
		l->way[set][way].line = line;
		l->way[set][way].changed = false;
		l->way[set][way].time = ++p->clock;
		if (changed)
			give_back(p, at, gone);
		if (fetch && at + 1 < p->n)
			ask(p, at + 1, line, false, true);
	}
	l->way[set][way].time = ++p->clock;
	l->way[set][way].changed |= write;
}

static void flush(struct plain *p)
{
	for (int i = 0; i < p->n; i++)
		for (int s = 0; s < p->level[i].sets; s++)
			for (int w = 0; w < p->level[i].ways; w++)
				if (p->level[i].way[s][w].time && p->level[i].way[s][w].changed) {
					p->level[i].way[s][w].changed = false;
					give_back(p, i, p->level[i].way[s][w].line);
				}
}

/* Distinct other lines between access i and the one before it to the same line; -1: there is none. */
static int64_t distance(const struct traced *t, int64_t i, int line)
{
	int64_t now = t->at[i].address / line, n = 0;
	for (int64_t k = i - 1; k >= 0; k--) {
		int64_t other = t->at[k].address / line;
		if (other == now)
			return n;
		bool counted = false;
		for (int64_t j = k + 1; j < i && !counted; j++)
			counted = t->at[j].address / line == other;
		n += !counted;
	}
	return -1;
}

static const struct { const char *config; struct plain plain;
} caches[] = {
	{ "L1=256/2/16", { .n = 1, .line = 16, .level = { { .ways = 2, .sets = 8 } } } },
	{ "L1=192/3/32;L2=1k/4/32",
		{ .n = 2, .line = 32, .level = { { .ways = 3, .sets = 2 }, { .ways = 4, .sets = 8 } } } },
	{ "L1=64/1/8;L2=256/16/8;L3=4k/8/8",
		{ .n = 3,
			.line = 8,
			.level = { { .ways = 1, .sets = 8 }, { .ways = 16, .sets = 2 }, { .ways = 8, .sets = 64 } } } },
};

static void compare(const struct traced *t, int32_t n_buffer, size_t which, const char *what)
{
	struct plain *p = malloc(sizeof *p);
	*p = caches[which].plain;
	int64_t first[64] = { 0 }, reuse[64][40] = { { 0 } };
	cr_assert_leq(n_buffer, 64);
	for (int64_t i = 0; i < t->n; i++) {
		int64_t d = distance(t, i, p->line);
		int bucket = 0;
		while (d >= INT64_C(1) << bucket)
			bucket++;
		*(d < 0 ? &first[t->at[i].buffer] : &reuse[t->at[i].buffer][bucket]) += 1;
		ask(p, 0, t->at[i].address / p->line, t->at[i].write, true);
	}
	flush(p);
	for (int32_t b = 0; b < n_buffer; b++) {
		cr_expect_eq(traced_stat(t, "buffer%d.first", b), first[b], "%s, buffer %d", what, b);
		for (int k = 0; k < 40; k++)
			cr_expect_eq(traced_stat(t, "buffer%d.reuse%d", b, k), reuse[b][k],
				"%s, buffer %d, bucket %d: %lld, not %lld", what, b, k,
				(long long)traced_stat(t, "buffer%d.reuse%d", b, k), (long long)reuse[b][k]);
	}
	for (int l = 0; l < p->n; l++) {
		int64_t seen = 0, hit = 0;
		for (int32_t b = 0; b < n_buffer; b++) {
			seen += traced_stat(t, "buffer%d.L%d.seen", b, l + 1);
			hit += traced_stat(t, "buffer%d.L%d.hit", b, l + 1);
		}
		cr_expect(seen == p->level[l].seen && hit == p->level[l].hit,
			"%s, L%d: %lld of %lld hits, not %lld of %lld", what, l + 1, (long long)hit, (long long)seen,
			(long long)p->level[l].hit, (long long)p->level[l].seen);
		cr_expect_eq(traced_stat(t, "L%d.written_back", l + 1), p->level[l].back,
			"%s, L%d: %lld lines written back, not %lld", what, l + 1,
			(long long)traced_stat(t, "L%d.written_back", l + 1), (long long)p->level[l].back);
	}
	free(p);
}

Test(trace, distances_and_hits_equal_a_plain_simulation)
{
	int64_t accesses = 0;
	int kernels = 0;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct lt_context *ctx;
		struct lt_graph *g;
		struct lt_program *p;
		char text[8000];
		cr_assert_eq(lt_context_new(&ctx), LT_OK);
		random_layer(ctx, seed, 60, &g, text, sizeof text);
		const struct lt_options o = { .size = sizeof o, .backends = "ref", .plan_only = 1 };
		cr_assert_eq(lt_compile(ctx, g, &o, &p), LT_OK, "%s", lt_context_message(ctx));
		for (int32_t i = 0; i < p->nests.n; i++) {
			const struct lt_tree *tree = &p->nests.frozen[i].tree;
			struct traced t;
			char what[64];
			size_t which = (seed + (uint64_t)i) % (sizeof caches / sizeof *caches);
			(void)snprintf(what, sizeof what, "seed %d, %s", (int)seed, tree->name);
			traced_run(tree, caches[which].config, NULL, &t);
			if (t.n <= 2500) {
				compare(&t, (int32_t)tree->buffers.n, which, what);
				accesses += t.n;
				kernels++;
			}
			traced_free(&t);
		}
		lt_program_free(p);
		lt_graph_free(g);
		lt_context_free(ctx);
	}
	cr_expect(accesses > 10000 && kernels > 40, "%lld accesses of %d kernels", (long long)accesses, kernels);
}

/* -- known answers -- */

Test(trace, a_stream_misses_once_a_line)
{
	enum { N = 1024, LINES = N * 4 / 64 };
	struct tb *b = tb_new("stream", 0, 1, 0);
	int32_t l = tb_loop(b, -1, LT_SERIAL, N, NULL, "i");
	int32_t x = tb_buffer(b, "x", LT_F32, LT_INPUT, -1, N), y = tb_buffer(b, "y", LT_F32, LT_OUTPUT, -1, N);
	tb_stmt(b, LT_MAP, tb_op(b, "copy", LT_F32, LT_F32), l, tb_access(b, y, "i0"), NULL, "y", 1);
	tb_read(b, tb_access(b, x, "i0"));
	struct traced t;
	traced_run(tb_done(b), "L1=1k/2/64", NULL, &t);
	for (int i = 0; i < 2; i++) {
		cr_expect_eq(traced_stat(&t, "buffer%d.first", i), LINES);
		cr_expect_eq(traced_stat(&t, "buffer%d.reuse1", i), N - LINES);         /* the other buffer's line lies between */
		cr_expect_eq(traced_stat(&t, "buffer%d.L1.hit", i), N - LINES);
		cr_expect_eq(traced_stat(&t, "buffer%d.L1.seen", i), N);
	}
	cr_expect(traced_stat(&t, "buffer0.read_elems") == N && traced_stat(&t, "buffer0.written_elems") == 0);
	cr_expect(traced_stat(&t, "buffer1.read_elems") == 0 && traced_stat(&t, "buffer1.written_elems") == N);
	cr_expect_eq(traced_stat(&t, "L1.written_back"), LINES);
	traced_free(&t);
	free(b);
}

/* Two buffers with one storage have one place in the cache. */
Test(trace, an_alias_is_the_same_memory)
{
	enum { N = 256, LINES = N * 4 / 64 };
	struct tb *b = tb_new("alias", 0, 1, 0);
	int32_t l = tb_loop(b, -1, LT_SERIAL, N, NULL, "i");
	int32_t x = tb_buffer(b, "x", LT_F32, LT_STATE, -1, N), y = tb_buffer(b, "y", LT_F32, LT_STATE, -1, N);
	b->buffer[y].alias_of = x;
	tb_stmt(b, LT_MAP, tb_op(b, "neg", LT_F32, LT_F32), l, tb_access(b, y, "i0"), NULL, "y", 1);
	tb_read(b, tb_access(b, x, "i0"));
	struct traced t;
	traced_run(tb_done(b), "L1=1k/2/64", NULL, &t);
	cr_expect(traced_stat(&t, "buffer0.first") == LINES && traced_stat(&t, "buffer1.first") == 0);
	cr_expect(traced_stat(&t, "buffer1.reuse0") == N && traced_stat(&t, "buffer1.L1.hit") == N);
	cr_expect(traced_stat(&t, "buffer0.read_elems") == N && traced_stat(&t, "buffer1.written_elems") == N);
	traced_free(&t);
	free(b);
}

/* 64 rows of 256 bytes, read by columns: 16 columns share a line, and 63 other lines of the matrix and the sum's lie
 * between. */
Test(trace, a_matrix_read_by_columns)
{
	enum { N = 64, LINES = N * N * 4 / 64 };
	static const struct { const char *config; int64_t hit; } cases[] = {
		{ "L1=4k/64/64", 0 }, { "L1=4160/65/64", N * N - LINES }, { "L1=32k/8/64", N * N - LINES }, { "L1=1k/2/64", 0 } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct tb *b = tb_new("columns", 0, 2, 0);
		int32_t l0 = tb_loop(b, -1, LT_SERIAL, N, NULL, "column"), l1 = tb_loop(b, l0, LT_SERIAL, N, NULL, "row");
		int32_t x = tb_buffer(b, "x", LT_F32, LT_INPUT, -1, N * N), sum = tb_buffer(b, "sum", LT_F32, LT_OUTPUT, -1, 1);
		int32_t add = tb_op(b, "add", LT_F32, LT_F32), to = tb_access(b, sum, "0");
		tb_reset(b, add, -1, to, "sum", 1);
		tb_stmt(b, LT_REDUCE, add, l1, to, NULL, "sum", 1);
		tb_read(b, tb_access(b, x, "i0 + 64*i1"));
		struct traced t;
		traced_run(tb_done(b), cases[i].config, NULL, &t);
		cr_expect_eq(traced_stat(&t, "buffer0.first"), LINES);
		cr_expect_eq(traced_stat(&t, "buffer0.reuse7"), N * N - LINES);         /* 64 .. 127 */
		cr_expect_eq(traced_stat(&t, "buffer0.L1.hit"), cases[i].hit, "%s: %lld", cases[i].config,
			(long long)traced_stat(&t, "buffer0.L1.hit"));
		cr_expect(traced_stat(&t, "buffer1.reads") == N * N && traced_stat(&t, "buffer1.writes") == N * N + 1);
		traced_free(&t);
		free(b);
	}
}
