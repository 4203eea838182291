/* test_swizzle.c -- layouts whose runs of 16 bytes change places: what is computed, in the simulator and by
 * OpenCL, how many banks wait, the text of trees, frozen trees and kernel programs. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/text/text.h"
#include "kernel/form/form.h"
#include "tests/built.h"
#include "tests/nvrtc.h"
#include "tests/opencl.h"

TestSuite(swizzle, .timeout = 240);
TestSuite(more_swizzle, .timeout = 240);

static char out[1 << 20], err[1 << 14];

static const char *written(const char *name, const char *text)
{
	FILE *f = fopen(scratch(name), "w");
	cr_assert(f && fputs(text, f) >= 0 && fclose(f) == 0);
	return scratch(name);
}

static const char *graph_of(int m, int k, int n)
{
	static char path[512];
	char text[1024];
	snprintf(text, sizeof text, "graph 1\nvar m %d\nvar k %d\nvar n %d\n%%a = f32[m, k] input \"a\"\n"
		"%%b = f32[k, n] input \"b\"\n%%v = f32[n] input \"bias\"\n%%p = f32[m, n, k] mul %%a, %%b\n"
		"%%c = f32[m, n] add.reduce %%p\n%%d = f32[m, n] add %%c, %%v\n%%z = f32[] lit 0x0\n%%e = f32[m, n] max %%d, %%z\n"
		"result \"e\" = %%e\n", m, k, n);
	snprintf(path, sizeof path, "%s", written("product.graph", text));
	return path;
}

/* The steps of an example, with these layouts of the slices in shared memory. */
static const char *steps_of(const char *example, const char *a, const char *b)
{
	const char *const by[] = { a, b };
	char line[512];
	int next = 0;
	FILE *from = fopen(example, "r"), *to = fopen(scratch("steps"), "w");
	cr_assert(from && to);
	while (fgets(line, sizeof line, from)) {
		char *layout = !strncmp(line, "stage ", 6) ? strstr(line, " layout ") : NULL;
		if (layout)
			fprintf(to, "%.*s layout %s\n", (int)(layout - line), line, by[next++]);
		else
			fputs(line, to);
	}
	fclose(from);
	fclose(to);
	return scratch("steps");
}

static int run(const char *machine, const char *graph, const char *steps, const char *more)
{
	char command[2048];
	snprintf(command, sizeof command, "%s --no-cache -b '%s' --schedule=%s %s %s", built("lt-run"), machine, steps, graph,
		more);
	return run_command(command, out, sizeof out, err, sizeof err);
}

static const struct { const char *a, *b; } layouts[] = {
	{ "m/64 m m/8 k swizzle 128", "k n/32 n/4 n/8 n swizzle 128" },
	{ "m/64 m m/8 k swizzle 64 depth 2", "k n/32 n/4 n/8 n swizzle 32 depth 2" },
	{ "m/64 m m/8 k swizzle 128 depth 3 async", "k n/32 n/4 n/8 n swizzle 128 depth 3 async" },
};
enum { N_LAYOUT = sizeof layouts / sizeof *layouts };
static const char *steps_at(int i)
{
	return steps_of("examples/schedules/gpu-product.schedule", layouts[i].a, layouts[i].b);
}

/* Whole tiles, and remainders in each var; the latter alone for make check, and in the simulator. */
static void changes_no_value(bool more)
{
	static const int extents[][3] = { { 256, 64, 256 }, { 131, 70, 137 } };
	for (int i = 0; i < N_LAYOUT; i++)
		for (int e = more ? 0 : 1; e < 2; e++) {
			const char *graph = graph_of(extents[e][0], extents[e][1], extents[e][2]);
			cr_expect_eq(run("sim:grid/shared=200000", graph, steps_at(i), "-q --verify -i '*=random'"), 0, "%d, %d: %s", i, e,
				err);
			if (more && opencl_is_there())
				cr_expect_eq(run("opencl", graph, steps_at(i), "-q --verify -i '*=random'"), 0, "%d, %d: %s", i, e, err);
		}
}

Test(swizzle, changes_no_value) { changes_no_value(false); }
Test(more_swizzle, changes_no_value) { changes_no_value(true); }

/* What shared memory takes, in cycles of a multiprocessor. */
static long shared_cycles(const char *a, const char *b)
{
	const char *steps = steps_of("examples/schedules/gpu-matrix.schedule", a, b);
	cr_assert_eq(run("sim:h100/counts", "examples/schedules/halves.graph", steps, "-v -q -i '*=random'"), 0, "%s", err);
	const char *line = strstr(strstr(out, "grid 1: bound by") ? out : err, "grid 1: bound by");
	const char *at = line ? strstr(line, "shared memory ") : NULL;
	if (line && !strncmp(line, "grid 1: bound by shared memory, ", 32))
		at = line + 18;
	cr_assert_not_null(at, "%s%s", out, err);
	return strtol(at + 14, NULL, 10);
}

/* Rows that begin in one bank, and the same in others: eight rows are read together. */
Test(swizzle, spreads_rows_over_the_banks)
{
	long plain = shared_cycles("m k depth 3 async", "k n depth 3 async");
	long padded = shared_cycles("m k pad 8 depth 3 async", "k n pad 8 depth 3 async");
	long swizzled = shared_cycles("m k swizzle 64 depth 3 async", "k n swizzle 128 depth 3 async");
	cr_expect_gt(plain, 2 * padded, "%ld, %ld", plain, padded);
	cr_expect_lt(swizzled, plain / 2, "%ld, %ld", swizzled, plain);
}

/* The tree that is printed is the same tree; the frozen tree and the kernel program say it, with buffers in turn that
 * begin anew. */
Test(swizzle, is_in_every_text)
{
	static char tree[1 << 16];
	const char *graph = graph_of(131, 70, 137);
	cr_assert_eq(run("sim:grid/shared=200000", graph, steps_at(2), "--dump=tree"), 0, "%s", err);
	cr_expect(strstr(out, "layout [m/64 m m/8 k] swizzle 128 depth 3 async"), "%s",
		out);
	strcpy(tree, out);
	cr_assert_eq(run("sim:grid/shared=200000", graph, written("tree", tree), "--dump=tree"), 0, "%s", err);
	cr_expect_str_eq(out, tree);
	cr_assert_eq(run("sim:grid/shared=200000", graph, steps_at(2), "--dump=frozen"), 0, "%s", err);
	cr_expect(strstr(out, ", 3 in turn, swizzle of 128 bytes"), "%s", out);
	cr_assert_eq(run("sim:grid/shared=200000", graph, steps_at(2), "--dump=kernel"), 0, "%s", err);
	cr_expect(strstr(out, "buffer a.copy f32[12288] shared 0 swizzle 128 align 1024 "), "%s", out);
}

Test(swizzle, becomes_cuda_c)
{
	for (int i = 0; i < N_LAYOUT; i++) {
		struct lt_kernel *k = NULL;
		struct lt_text_grids *grids = NULL;
		cr_assert_eq(run("sim:grid/shared=200000", graph_of(131, 70, 137), steps_at(i), "--dump=kernel"), 0, "%s", err);
		cr_assert_eq(lt_kernel_parse(out, strlen(out), &k, NULL), LT_OK);
		cr_assert_eq(lt__text_grids(&lt__text_cuda, k, NULL, &grids, NULL), LT_OK);
		cr_expect(strstr(grids->text, "lt_swizzled"));
		for (int a = 0; a < 2 && nvrtc_is_there(); a++)
			cr_expect(nvrtc_compile(grids->text, a ? "sm_90a" : "sm_80", err, sizeof err, NULL, NULL), "%s", err);
		lt__text_grids_free(grids);
		lt_kernel_free(k);
	}
}

/* Within as many bytes each run of 16 has a place of its own; rows of 128 bytes begin in different banks. */
Test(swizzle, is_a_permutation)
{
	static const int64_t swizzles[] = { 0, 32, 64, 128 };
	for (int i = 0; i < 4; i++) {
		bool taken[2048] = { false };
		for (int64_t byte = 0; byte < 2048; byte++) {
			int64_t at = lt__swizzled_byte(byte, swizzles[i]), line = swizzles[i] ? swizzles[i] : 16;
			cr_assert(at / line == byte / line && at % 16 == byte % 16 && !taken[at]);
			taken[at] = true;
		}
		for (int64_t row = 0; row < 8; row++)
			cr_expect_eq(lt__swizzled_byte(128 * row, swizzles[i]) % 128, swizzles[i] ? row % (swizzles[i] / 16) * 16 : 0);
	}
}
