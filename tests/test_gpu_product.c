/* test_gpu_product.c -- the product in register tiles as blocks of threads, by its list of steps and by default:
 * what it computes in the simulator, its barriers, its copies. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "tests/built.h"

TestSuite(product_of_gpus, .timeout = 240);

static char out[1 << 18], err[1 << 14];

/* The steps of the example, with `depth` buffers of each factor. */
static const char *steps_of(const char *name, const char *depth)
{
	static const char *const staged[] = { "stage %p %a at %c/k layout", "stage %p %b at %c/k layout" };
	char path[512], line[512];
	snprintf(path, sizeof path, "%s", "examples/schedules/gpu-product.schedule");
	FILE *from = fopen(path, "r"), *to = fopen(scratch(name), "w");
	cr_assert(from && to);
	while (fgets(line, sizeof line, from)) {
		bool ahead = !strncmp(line, staged[0], strlen(staged[0])) || !strncmp(line, staged[1], strlen(staged[1]));
		line[strcspn(line, "\n")] = '\0';
		fprintf(to, "%s%s%s\n", line, ahead ? " " : "", ahead ? depth : "");
	}
	fclose(from);
	fclose(to);
	return scratch(name);
}

static const char *graph_of(int m, int k, int n)
{
	FILE *f = fopen(scratch("product.graph"), "w");
	cr_assert_not_null(f);
	fprintf(f, "graph 1\nvar m %d\nvar k %d\nvar n %d\n%%a = f32[m, k] input \"a\"\n%%b = f32[k, n] input \"b\"\n"
		"%%v = f32[n] input \"bias\"\n%%p = f32[m, n, k] mul %%a, %%b\n%%c = f32[m, n] add.reduce %%p\n"
		"%%d = f32[m, n] add %%c, %%v\n%%z = f32[] lit 0x0\n%%e = f32[m, n] max %%d, %%z\nresult \"e\" = %%e\n", m, k, n);
	fclose(f);
	return scratch("product.graph");
}

static int product(const char *machine, const char *graph, const char *schedule, const char *more)
{
	char command[2048];
	snprintf(command, sizeof command, "%s --no-cache -b 'sim:grid/shared=200000%s' --schedule=%s %s %s", built("lt-run"),
		machine, schedule, graph, more);
	return run_command(command, out, sizeof out, err, sizeof err);
}

/* Whole tiles, and remainders in all three vars; fewer slices than buffers. */
Test(product_of_gpus, computes_the_product)
{
	static const struct { int m, k, n; const char *depth; } cases[] = {
		{ 131, 70, 137, "" }, { 129, 97, 130, "depth 2" }, { 132, 100, 129, "depth 3 async" },
		{ 137, 33, 140, "depth 4 async" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		cr_expect_eq(product("", graph_of(cases[i].m, cases[i].k, cases[i].n), steps_of("steps", cases[i].depth),
			"-q --verify -i '*=random'"), 0, "case %zu: %s", i, err);
}

static int count(const char *text, const char *word)
{
	int n = 0;
	for (; (text = strstr(text, word)); text += strlen(word))
		n++;
	return n;
}

/* One buffer: a barrier before it is overwritten, one before it is read.  Buffers in turn: one barrier is both, and
 * that for the copies made before the loop. */
Test(product_of_gpus, has_no_more_barriers_than_it_needs)
{
	static const struct { const char *depth; int barriers, inside; } cases[] = {
		{ "", 2, 2 }, { "depth 2", 1, 1 }, { "depth 3", 1, 1 }, { "depth 2 async", 1, 1 }, { "depth 3 async", 1, 1 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		cr_assert_eq(product("", graph_of(256, 256, 256), steps_of("steps", cases[i].depth), "--dump=frozen"), 0, "%s", err);
		cr_expect_eq(count(out, "barrier\n"), cases[i].barriers, "%s: %s", cases[i].depth, out);
		cr_expect_eq(count(out, "\n        barrier\n"), cases[i].inside, "%s: %s", cases[i].depth, out);
	}
	cr_expect_eq(count(out, "wait for all copies except those of 1 group\n        barrier\n"), 1, "%s", out);
	cr_expect_eq(count(out, "commit\n"), 5, "%s", out);
}

/* 16 bytes where the rows of memory allow it, fewer where they do not. */
Test(product_of_gpus, copies_are_as_wide_as_rows_allow)
{
	static const struct { int k; const char *shown; } cases[] = {
		{ 72, "copy_async f32x4 a.copy[" }, { 70, "copy_async f32x2 a.copy[" }, { 71, "copy_async a.copy[" },
	};
	for (size_t i = 0; i < 3; i++) {
		const char *graph = graph_of(256, cases[i].k, 256);
		cr_assert_eq(product("", graph, steps_of("steps", "depth 3 async"), "--dump=kernel"), 0, "%s", err);
		for (size_t k = 0; k < 3; k++)
			cr_expect_eq(count(out, cases[k].shown) > 0, i == k, "%d: %s", cases[i].k, out);
		cr_expect_gt(count(out, "copy_async f32x4 b.copy["), 0, "%s", out);
	}
}

/* Each barrier is needed: without it the simulator finds what races. */
Test(product_of_gpus, the_simulator_finds_a_barrier_that_is_left_out)
{
	static const char *const depths[] = { "", "depth 2", "depth 3 async" };
	for (size_t i = 0; i < sizeof depths / sizeof *depths; i++)
		for (int n = 1; n <= (i ? 1 : 2); n++) {
			char machine[32];
			snprintf(machine, sizeof machine, "/drop=%d", n);
			cr_expect_neq(product(machine, graph_of(256, 128, 256), steps_of("steps", depths[i]), "-q -i '*=random'"), 0);
			cr_expect(strstr(err, "(check "), "%s, barrier %d: %s", depths[i], n, err);
		}
}

Test(product_of_gpus, refuses_async_copies_that_threads_would_not_wait_for_together)
{
	cr_expect_neq(product("", graph_of(256, 128, 256), steps_of("steps", ""),
		"--apply='stage %p %b.copy.copy at %c/k depth 2 async' --dump=tree"), 0);
	FILE *f = fopen(scratch("inside"), "w");
	cr_assert_not_null(f);
	fputs("schedule 1\nfission %e m; fission %d m; split %c/k 4; reorder %c/m %p/n %c/k k'; bind %c/m grid.x; "
		"bind %p/n block.x; stage %p %a at %c/k depth 2 async\n", f);
	fclose(f);
	cr_expect_neq(product("", graph_of(256, 128, 256), scratch("inside"), "--dump=tree"), 0);
	cr_expect(strstr(err, "%a.copy is copied async ahead of the loop k, which is inside the block loop"), "%s", err);
}

/* -- default trees -- */

struct default_case { const char *dims, *a, *b, *between, *sum; };
static const struct default_case defaults[] = {
	/* remainders in all vars; a bias and a function behind */
	{ "var m 67\nvar k 50\nvar n 37\n", "f32[m, k] input \"a\"", "f32[k, n] input \"b\"", "",
		"%v = f32[n] input \"v\"\n%d = f32[m, n] add %c, %v\n%e = f32[m, n] tanh %d\nresult \"r\" = %e\n" },
	/* both factors lie along k, or along their own vars; batches, of one factor only, too */
	{ "var b 3\nvar m 33\nvar k 41\nvar n 18\n", "f32[b, m, k] input \"a\"", "f32[b, n, k] input \"b\"", "b, ",
		"result \"r\" = %c\n" },
	{ "var b 2\nvar m 16\nvar k 72\nvar n 64\n", "f32[b, k, m] input \"a\"", "f32[k, n] input \"b\"", "b, ",
		"result \"r\" = %c\n" },
	/* a long sum, of which blocks have a part each */
	{ "var m 19\nvar k 1100\nvar n 23\n", "f32[m, k] input \"a\"", "f32[k, n] input \"b\"", "",
		"%d = f32[m, n] neg %c\nresult \"r\" = %d\n" },
};

static const char *default_graph(const struct default_case *c)
{
	FILE *f = fopen(scratch("default.graph"), "w");
	cr_assert_not_null(f);
	fprintf(f, "graph 1\n%s%%a = %s\n%%b = %s\n%%p = f32[%sm, n, k] mul %%a, %%b\n%%c = f32[%sm, n] add.reduce %%p\n%s",
		c->dims, c->a, c->b, c->between, c->between, c->sum);
	fclose(f);
	return scratch("default.graph");
}

static int by_default(const char *machine, const char *graph, const char *more)
{
	char command[1024];
	snprintf(command, sizeof command, "%s --no-cache --strict -b sim:%s %s %s", built("lt-run"), machine, graph, more);
	return run_command(command, out, sizeof out, err, sizeof err);
}

Test(product_of_gpus, default_trees_compute_it)
{
	static const char *const machines[] = { "h100", "grid" };
	for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
		for (size_t k = 0; k < 2; k++) {
			const char *graph = default_graph(&defaults[i]);
			cr_assert_eq(by_default(machines[k], graph, "--dump=tree"), 0, "%s", err);
			cr_expect(strstr(out, ".thread"), "case %zu on %s has another tree: %s", i, machines[k], out);
			cr_expect_eq(by_default(machines[k], graph, "-q --verify -i '*=random'"), 0, "case %zu on %s: %s", i, machines[k],
				err);
		}
}

/* Rows that a run-time scalar counts: the same tiles, masked; a long sum is cut in parts, too. */
Test(product_of_gpus, rows_that_a_run_counts_are_tiles)
{
	static const struct { int m, k; } sizes[] = { { 70, 50 }, { 64, 64 }, { 19, 1100 } };
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		const int m = sizes[i].m, counts[] = { 0, 1, 16, m - 2, m };
		FILE *f = fopen(scratch("counted.graph"), "w");
		cr_assert_not_null(f);
		fprintf(f, "graph 1\nvar one 1\nvar m %d limit rows\nvar k %d\nvar n 37\nparam rows = %%i[0] in 0..%d\n"
			"%%i = i64[one] input \"rows\"\n%%a = f32[m, k] input \"a\"\n%%b = f32[k, n] input \"b\"\n"
			"%%p = f32[m, n, k] mul %%a, %%b\n%%c = f32[m, n] add.reduce %%p\n%%v = f32[n] input \"v\"\n"
			"%%d = f32[m, n] add %%c, %%v\nresult \"d\" = %%d\n", m, sizes[i].k, m);
		fclose(f);
		cr_assert_eq(by_default("h100", scratch("counted.graph"), "--dump=tree"), 0, "%s", err);
		cr_expect(strstr(out, ".thread"), "another tree: %s", out);
		for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
			char more[100];
			snprintf(more, sizeof more, "-q --verify -i rows=%d -i '*=random'", counts[k]);
			cr_expect_eq(by_default("h100", scratch("counted.graph"), more), 0, "%d of %d rows: %s", counts[k], m, err);
		}
	}
}

/* What is attended to: columns of one product, terms of the next, as many as a run-time scalar says.  What is behind
 * them, here infinite, is not read. */
Test(product_of_gpus, columns_and_terms_that_a_run_counts_are_tiles)
{
	static const int counts[] = { 1, 31, 32, 33, 70 };
	FILE *f = fopen(scratch("attend.graph"), "w");
	cr_assert_not_null(f);
	fputs("graph 1\nvar one 1\nvar h 2\nvar s 40\nvar t 70 limit to\nvar all 70\nvar e 24\nparam to = %i[0] in 0..70\n"
		"%i = i64[one] input \"to\"\n%q = f32[h, s, e] input \"q\"\n%k = f32[h, all, e] input \"k\"\n"
		"%o = i64[all] index all\n%j = i64[] view { %i[0] }\n%l = bool[all] less %o, %j\n"
		"%inf = f32[] lit 0x7f800000\n%w = f32[h, all, e] select %l, %k, %inf\n%v = f32[h, t, e] view { %w[h, t, e] }\n"
		"%p = f32[h, s, t, e] mul %q, %v\n%c = f32[h, s, t] add.reduce %p\n"
		"%r = f32[h, s, t, e] mul %c, %v\n%y = f32[h, s, e] add.reduce %r\nresult \"y\" = %y\n", f);
	fclose(f);
	cr_assert_eq(by_default("h100", scratch("attend.graph"), "--dump=tree"), 0, "%s", err);
	cr_expect_eq(count(out, "left.thread f32["), 2, "another tree: %s", out);
	for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
		char more[100];
		snprintf(more, sizeof more, "-q --verify -i to=%d -i '*=random'", counts[k]);
		cr_expect_eq(by_default("h100", scratch("attend.graph"), more), 0, "%d of 70: %s", counts[k], err);
	}
}

/* Halves are cast where they are copied to shared memory: no nest of their own, no copy of them in f32. */
Test(product_of_gpus, factors_are_cast_where_they_are_copied)
{
	FILE *f = fopen(scratch("half.graph"), "w");
	cr_assert_not_null(f);
	fputs("graph 1\nvar m 40\nvar k 48\nvar n 33\n%a = bf16[m, k] input \"a\"\n%b = bf16[k, n] input \"b\"\n"
		"%x = f32[m, k] cast %a\n%y = f32[k, n] cast %b\n%p = f32[m, n, k] mul %x, %y\n%c = f32[m, n] add.reduce %p\n"
		"%d = bf16[m, n] cast %c\nresult \"r\" = %d\n", f);
	fclose(f);
	cr_assert_eq(by_default("h100", scratch("half.graph"), "--dump=tree"), 0, "%s", err);
	cr_expect_eq(count(out, "\nfor "), 1, "%s", out);
	cr_expect_eq(by_default("h100", scratch("half.graph"), "-q --verify -i '*=random'"), 0, "%s", err);
}

/* 32 by 32 elements a block, 4 by 4 a thread, 64 deep.  A thread reads 4 and 4 elements for each deep one, in requests
 * of a warp that take 4 cycles each: 64 * 2 * 4, of two warps.  Each slice of 16 deep elements is 16 requests of 4
 * bytes for the left factor, turned around, and 4 of 16 bytes for the right one: 4 slices of 32 cycles.  More would be
 * threads that wait for a bank. */
Test(product_of_gpus, no_request_waits_for_a_bank)
{
	cr_assert_eq(by_default("h100", graph_of(256, 64, 256), "--dump=tree"), 0, "%s", err);
	cr_expect(strstr(out, "copy %a layout [k m/4 pad 4 m] depth 4 async"), "%s", out);
	cr_assert_eq(by_default("h100/counts", graph_of(256, 64, 256), "-q -v -i '*=random'"), 0, "%s", err);
	cr_expect(strstr(err, "shared memory 1152,") || strstr(out, "shared memory 1152,"), "%s%s", out, err);
}

/* Threads that hold many elements: as many blocks as their registers leave room for; the deep loop is not copied, its
 * compiler does that. */
Test(product_of_gpus, large_tiles_say_how_many_blocks_are_resident)
{
	cr_assert_eq(by_default("h100", graph_of(4096, 4096, 4096), "--dump=kernel"), 0, "%s", err);
	cr_expect_eq(count(out, "threads (256, 1, 1) subgroup 32 shared 66560 resident 2 "), 1, "%s", out);
	cr_expect_eq(count(out, " from 0 to 32 unroll 32"), 1, "%s", out);
	cr_assert_eq(by_default("h100", graph_of(256, 64, 256), "--dump=kernel"), 0, "%s", err);
	cr_expect_eq(count(out, " resident "), 0, "%s", out);
}

/* A large product fills the machine with large tiles; a small one gets smaller tiles; one that is few tiles, parts of
 * the sum. */
Test(product_of_gpus, tiles_follow_the_extents)
{
	static const struct { int m, k, n; const char *first; } cases[] = {
		{ 4096, 4096, 4096, "\nfor m step 128 grid.x" }, { 512, 512, 512, "\nfor m step 64 grid.x" },
		{ 64, 16384, 64, "\nfor k step " },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		cr_assert_eq(by_default("h100", graph_of(cases[i].m, cases[i].k, cases[i].n), "--dump=tree"), 0, "%s", err);
		cr_expect(strstr(out, cases[i].first), "case %zu: %s", i, out);
	}
}
