/* test_tile.c -- nests that are matrix instructions: what they compute in the simulator, where their results are,
 * their barriers, what is refused. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/text/text.h"
#include "lt/kernel.h"
#include "lt/tile.h"
#include "tests/built.h"
#include "tests/nvrtc.h"

TestSuite(tile, .timeout = 240);
TestSuite(more_tile, .timeout = 240);

static char out[1 << 20], err[1 << 14];

static const char *written(const char *name, const char *text)
{
	FILE *f = fopen(scratch(name), "w");
	cr_assert(f && fputs(text, f) >= 0 && fclose(f) == 0);
	return scratch(name);
}

/* c = a b of halves, or of whole numbers that are cast to f32 (bits 0). */
static const char *graph_of(const char *type, int m, int k, int n)
{
	char text[2048];
	snprintf(text, sizeof text, "graph 1\nvar m %d\nvar k %d\nvar n %d\n%%a = %s[m, k] input \"a\"\n"
		"%%b = %s[k, n] input \"b\"\n%%af = f32[m, k] cast %%a\n%%bf = f32[k, n] cast %%b\n"
		"%%p = f32[m, n, k] mul %%af, %%bf\n%%c = f32[m, n] add.reduce %%p\n%%d = f32[m, n] neg %%c\n"
		"result \"d\" = %%d\n", m, k, n, type, type);
	return written("product.graph", text);
}

/* Tiles of 64 by 32 for a block of two warps; names, and where the factors are staged, follow. */
static const char block[] =
	"schedule 1\nfission %d m\n"
	"split %p/m 64; split %p/n 32; split %p/k 32; reorder %p/m %p/n %p/k %p/m' %p/k' %p/n'\n"
	"split %p/m' 32; reorder %p/m' %p/m'' %p/k' %p/n'\n"
	"split %p/m'' 16; split %p/k' DEEP; split %p/n' 8; reorder %p/m' %p/k' %p/m'' %p/n' %p/m''' %p/n'' %p/k''\n"
	"split %d/m 64; split %d/n 32; reorder %d/m %d/n %d/m' %d/n'; fuse %d %p/n\n"
	"split %d/m' 32; split %d/m'' 16; split %d/m''' 8; split %d/n' 8; split %d/n'' 2\n"
	"reorder %d/m' %d/m'' %d/m''' %d/m'''' %d/n' %d/n'' %d/n'''\n"
	"reorder %d/m' %d/m'' %d/n' %d/m''' %d/m'''' %d/n'' %d/n'''\n"
	"tail %p/m pad; tail %p/n pad; tail %p/k pad\n";
static const char halves[] =
	"fuse %af %p/k''; fuse %bf %p/k''; stage %af %a at %p/k AHEAD; stage %bf %b at %p/k AHEAD\n";
static const char words[] = "stage %p %af at %p/k AHEAD; stage %p %bf at %p/k AHEAD\n";
static const char threads[] =
	"split %L.copy/m' 4; bind %L.copy/m' block.x; bind %L.copy/k' block.y; bind %R.copy/k' block.x\n"
	"bind %p/m' block.y; unroll %p/m''; unroll %p/n'\n"
	"bind %d/m' block.y; unroll %d/m''; unroll %d/n'; unroll %d/m'''; unroll %d/n'''\n"
	"bind %d/m'''' block.x; bind %d/n'' block.x; bind %p/m grid.y; bind %p/n grid.x\n";

struct tile_case { const char *name, *type, *deep, *ahead, *left, *right; };

static void add_text(char *to, size_t cap, const char *text, const struct tile_case *c)
{
	static const char *const names[] = { "DEEP", "AHEAD", "%L", "%R" };
	const char *const by[] = { c->deep, c->ahead, c->left, c->right };
	for (size_t n = strlen(to); *text && n + 40 < cap; n = strlen(to)) {
		size_t i = 0;
		while (i < 4 && strncmp(text, names[i], strlen(names[i])) != 0)
			i++;
		snprintf(to + n, cap - n, "%s", i < 4 ? by[i] : (char[]){ *text, '\0' });
		text += i < 4 ? strlen(names[i]) : 1;
	}
}

static const char *schedule_of(const struct tile_case *c, const char *last)
{
	static char text[8192];
	*text = '\0';
	add_text(text, sizeof text, block, c);
	add_text(text, sizeof text, c->type[0] == 'i' ? words : halves, c);
	add_text(text, sizeof text, threads, c);
	add_text(text, sizeof text, last, c);
	return written("steps", text);
}

static int run(const char *machine, const char *graph, const char *schedule, const char *more)
{
	char command[2048];
	snprintf(command, sizeof command, "%s --no-cache -b '%s' --schedule=%s %s %s", built("lt-run"), machine, schedule,
		graph, more);
	return run_command(command, out, sizeof out, err, sizeof err);
}

static const struct tile_case cases[] = {
	{ "mma.m16n8k16.bf16", "bf16", "16", "", "%a", "%b" },
	{ "mma.m16n8k16.f16", "f16", "16", "depth 3 async", "%a", "%b" },
	{ "mma.m16n8k8.bf16", "bf16", "8", "depth 2", "%a", "%b" },
	{ "mma.m16n8k8.f16", "f16", "8", "", "%a", "%b" },
	{ "mma.m16n8k8.tf32", "i32", "8", "depth 2 async", "%af", "%bf" },
};
enum { N_CASE = sizeof cases / sizeof *cases };

static const char *last_of(const struct tile_case *c)
{
	static char text[100];
	snprintf(text, sizeof text, "tile %%p/m''' %s\n", c->name);
	return text;
}

/* Whole tiles, and remainders in each var: of each case one of `step`.  Small whole numbers have all of their bits in
 * tf32. */
static void computes_the_product(int step)
{
	static const int extents[][3] = { { 128, 64, 64 }, { 70, 40, 37 }, { 65, 33, 72 }, { 127, 71, 34 } };
	for (int i = 0; i < N_CASE; i++)
		for (int e = i % step; e < 4; e += step)
			cr_expect_eq(run("sim:grid", graph_of(cases[i].type, extents[e][0], extents[e][1], extents[e][2]),
				schedule_of(&cases[i], last_of(&cases[i])), "-q --verify -i '*=random'"), 0, "%s, %d: %s%s", cases[i].name, e, out,
				err);
}

Test(tile, computes_the_product) { computes_the_product(4); }
Test(more_tile, computes_the_product) { computes_the_product(1); }

/* What is no GPU runs the nest, which is what the instruction means. */
Test(tile, is_the_loops_that_it_stands_on)
{
	static const char plain[] = "schedule 1\nfission %d m; split %p/m 16; split %p/n 8; split %p/k 16\n"
		"reorder %p/m %p/k %p/n %p/m' %p/k' %p/n'; reorder %p/m' %p/n' %p/k'; tile %p/m' mma.m16n8k16.f16\n";
	cr_expect_eq(run("ref", graph_of("f16", 70, 40, 37), schedule_of(&cases[1], last_of(&cases[1])),
		"-q --verify -i '*=random'"), 0, "%s%s", out, err);
	for (int i = 0; i < 2; i++)
		cr_expect_eq(run(i ? "cpu" : "sim", graph_of("f16", 64, 48, 32), written("plain", plain),
			"-q --verify -i '*=random'"), 0, "%s%s", out, err);
}

static int count(const char *text, const char *word)
{
	int n = 0;
	for (; (text = strstr(text, word)); text += strlen(word))
		n++;
	return n;
}

/* The sums stay where they are between products and for what is done with them; both barriers are for the factors. */
Test(tile, keeps_its_result_in_the_threads)
{
	cr_assert_eq(run("sim:grid", graph_of("bf16", 128, 64, 64), schedule_of(&cases[0], last_of(&cases[0])),
		"--dump=frozen"), 0, "%s", err);
	cr_expect_eq(count(out, "barrier\n"), 2, "%s", out);
	cr_expect_eq(count(out, "\n        barrier\n"), 2, "%s", out);
	cr_expect_eq(count(out, ", tile mma.m16n8k16.bf16: product of "), 1, "%s", out);
	cr_assert_eq(run("sim:grid", graph_of("bf16", 128, 64, 64), schedule_of(&cases[0], last_of(&cases[0])),
		"--dump=kernel"), 0, "%s", err);
	cr_expect_eq(count(out, "buffer c "), 0, "%s", out);
	/* Two parts of the left factor and four of the right one: each is read once. */
	cr_expect_eq(count(out, " = fragment "), 2 + 4, "%s", out);
	cr_expect_eq(count(out, "\tmatrix mma.m16n8k16.bf16 ("), 2 * 4, "%s", out);
}

Test(tile, the_simulator_finds_a_barrier_that_is_left_out)
{
	for (int i = 0; i < 2; i++)
		for (int n = 1; n <= (i ? 1 : 2); n++) {
			char machine[40];
			snprintf(machine, sizeof machine, "sim:grid;drop=%d", n);
			cr_expect_neq(run(machine, graph_of(cases[i].type, 128, 96, 64), schedule_of(&cases[i], last_of(&cases[i])),
				"-q -i '*=random'"), 0);
			cr_expect(strstr(err, "(check "), "%d, barrier %d: %s", i, n, err);
		}
}

/* What stands in for the tile's step, or for the whole; a part of what is said. */
static const struct { const char *steps, *message; bool whole; } refused[] = {
	{ "tile %p/m''' mma.m16n8k16", "sim:grid has no matrix instruction of that name; it has mma.m16n8k16.f16, ", false },
	{ "tile %p/m''' mma.m16n8k16.f16", "m''': %a.copy is bf16 in memory, and the instruction reads f16 there; stage it "
		"before it is cast", false },
	{ "tile %p/m''' mma.m16n8k8.bf16", "m''': it has 16 terms of a sum (k), and the instruction takes 8; cut the "
		"loop over k in steps of 8 around it", false },
	{ "tile %p/m'' mma.m16n8k16.bf16", "m'': it has 32 rows (m), and the instruction takes 16; cut the loop over m "
		"in steps of 16 around it", false },
	{ "tile %p/k'' mma.m16n8k16.bf16", "on the loop ", false },
	{ "tile %p/n' mma.m16n8k16.bf16", "n': it has 32 columns (n), and the instruction takes 8; cut the loop over n "
		"in steps of 8 around it", false },
	{ "tile %p/m''' mma.m16n8k16.bf16; serial %d/m''''", "c is not kept by the threads that mma.m16n8k16.bf16 leaves its "
		"elements in", false },
	{ "bind %p/n'' block.x; tile %p/m''' mma.m16n8k16.bf16", "n'' in it has threads of its own; make it serial", false },
	{ "tile %p/m''' mma-16", "the name of a matrix instruction has letters, digits, '_' and '.', not 'mma-16'", false },
	{ "tile %p/m''' mma.m16n8k16.bf16; unroll %p/m'''", "is handed over by `tile mma.m16n8k16.bf16`; make it serial first",
		false },
	{ "schedule 1\nfission %d m; split %p/m 16; reorder %p/m %p/k %p/n %p/m'; tile %p/m' mma.m16n8k16.bf16",
		"m': ", true },
};

Test(tile, refusals_name_the_nearest_change)
{
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		const char *steps = refused[i].whole ? written("steps", refused[i].steps) : schedule_of(&cases[0], refused[i].steps);
		cr_expect_neq(run("sim:grid", graph_of("bf16", 128, 64, 64), steps, "-q -i '*=random'"), 0, "%zu", i);
		cr_expect(strstr(err, refused[i].message), "%zu: %s", i, err);
	}
}

/* Each row of lt/tile.h keeps each element once, and the examples become machine code. */
static void keep_nothing(struct lt_diag *d, const struct lt_diagnostic *x)
{
	(void)d;
	snprintf(err, sizeof err, "%s", x->text);
}

static void expect_compiled(const char *what)
{
	struct lt_diag diag = { sizeof diag, keep_nothing };
	struct lt_kernel *k = NULL;
	struct lt_text_grids *grids = NULL;
	cr_assert_eq(lt_kernel_parse(out, strlen(out), &k, &diag), LT_OK, "%s: %s", what, err);
	cr_assert_eq(lt__text_grids(&lt__text_cuda, k, NULL, &grids, &diag), LT_OK, "%s: %s", what, err);
	for (int i = 0; i < 2 && nvrtc_is_there(); i++)
		cr_expect(nvrtc_compile(grids->text, i ? "sm_90a" : "sm_80", err, sizeof err, NULL, NULL), "%s: %s", what, err);
	cr_expect(strstr(grids->text, "mma.sync.aligned."), "%s", what);
	lt__text_grids_free(grids);
	lt_kernel_free(k);
}

Test(tile, becomes_instructions_of_cuda)
{
	for (int i = 0; i < N_CASE; i++) {
		cr_assert_eq(run("sim:grid", graph_of(cases[i].type, 128, 64, 64), schedule_of(&cases[i], last_of(&cases[i])),
			"--dump=kernel"), 0, "%s", err);
		char *last = strstr(out, "\nkernel 1\n");       /* casts of whole numbers are kernels before it */
		while (last) {
			memmove(out, last + 1, strlen(last + 1) + 1);
			last = strstr(out, "\nkernel 1\n");
		}
		expect_compiled(cases[i].name);
	}
}

/* Factors in any order, batches, remainders in all vars: the tree that nobody wrote has the instruction. */
static const struct { int m, k, n; const char *type, *a, *b, *c; } products[] = {
	{ 70, 100, 90, "f16", "m, k", "k, n", "m, n" }, { 65, 257, 129, "bf16", "k, m", "k, n", "m, n" },
	{ 200, 64, 33, "bf16", "m, k", "n, k", "m, n" }, { 40, 80, 48, "f16", "k, m", "n, k", "m, n" },
	{ 33, 100, 47, "f16", "q, m, k", "q, k, n", "q, m, n" }, { 100, 40, 100, "bf16", "m, k", "q, k, n", "q, m, n" },
	{ 17, 300, 16, "f16", "m, k", "k, n", "m, n" },
};
Test(tile, default_trees_of_halves_have_it)
{
	for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
		char text[2048], command[2048];
		snprintf(text, sizeof text, "graph 1\nvar q 3\nvar m %d\nvar k %d\nvar n %d\n%%a = %s[%s] input \"a\"\n"
			"%%b = %s[%s] input \"b\"\n%%af = f32[%s] cast %%a\n%%bf = f32[%s] cast %%b\n"
			"%%p = f32[%s, k] mul %%af, %%bf\n%%c = f32[%s] add.reduce %%p\n%%d = %s[%s] cast %%c\nresult \"d\" = %%d\n",
			products[i].m, products[i].k, products[i].n, products[i].type, products[i].a, products[i].type, products[i].b,
			products[i].a, products[i].b, products[i].c, products[i].c, products[i].type, products[i].c);
		for (int dump = 0; dump < 2; dump++) {
			snprintf(command, sizeof command, "%s --no-cache -b sim:h100 %s %s", built("lt-run"), written("default.graph", text),
				dump ? "--dump=tree" : "-q --verify -i '*=random'");
			cr_expect_eq(run_command(command, out, sizeof out, err, sizeof err), 0, "%zu: %s%s", i, out, err);
		}
		cr_expect_eq(count(out, " tile mma.m16n8k16."), 1, "%zu: %s", i, out);
	}
}

/* Factors of float32 that are read as they are, small whole numbers, in each order: only where TF32 is allowed, and
 * then it is said. */
Test(tile, default_trees_of_words_have_it_where_tf32_is_allowed)
{
	static const struct { const char *a, *b; int m, k, n; } words_in[] = {
		{ "m, k", "k, n", 130, 100, 136 }, { "k, m", "n, k", 67, 45, 90 },
	};
	for (size_t i = 0; i < sizeof words_in / sizeof *words_in; i++) {
		char text[2048], command[2048];
		snprintf(text, sizeof text, "graph 1\nvar m %d\nvar k %d\nvar n %d\n%%a = i32[%s] input \"a\"\n"
			"%%b = i32[%s] input \"b\"\n%%af = f32[%s] cast %%a\n%%bf = f32[%s] cast %%b\n%%p = f32[m, n, k] mul %%af, %%bf\n"
			"%%c = f32[m, n] add.reduce %%p\n%%d = f32[m, n] neg %%c\nresult \"d\" = %%d\nresult \"a\" = %%af\n"
			"result \"b\" = %%bf\n", words_in[i].m, words_in[i].k, words_in[i].n, words_in[i].a, words_in[i].b, words_in[i].a,
			words_in[i].b);
		for (int allowed = 0; allowed < 2; allowed++) {
			const char *machine = allowed ? "sim:h100/tf32" : "sim:h100";
			snprintf(command, sizeof command, "%s --no-cache -b %s --explain -q --verify -i '*=random' %s 2>&1",
				built("lt-run"), machine, written("words.graph", text));
			cr_expect_eq(run_command(command, out, sizeof out, err, sizeof err), 0, "%zu: %s", i, out);
			cr_expect_eq(count(out, "mma.m16n8k8.tf32 drops bits of the factors"), allowed, "%zu: %s", i, out);
			snprintf(command, sizeof command, "%s --no-cache -b %s --dump=tree %s", built("lt-run"), machine,
				scratch("words.graph"));
			cr_expect_eq(run_command(command, out, sizeof out, err, sizeof err), 0, "%zu: %s", i, err);
			cr_expect_eq(count(out, " tile mma.m16n8k8.tf32"), allowed, "%zu: %s", i, out);
		}
	}
}

/* What follows a product is read by another one alone: both have the instruction, as neither can do without its end.
 * Tiles are not half empty along a side. */
Test(tile, products_end_before_the_next_one_begins)
{
	static const struct { int m, k, n; const char *step; } sizes[] = {
		{ 150, 64, 16, "n step 32 grid" }, { 20000, 40, 24, "n step 32 grid" }, { 20000, 72, 17, "n step 32 grid" },
		{ 20000, 33, 61, "n step 64 grid" },
	};
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		char text[2048], command[2048];
		snprintf(text, sizeof text, "graph 1\nvar m %d\nvar k %d\nvar n %d\nvar j 34\n%%a = f32[m, k] input \"a\"\n"
			"%%b = f32[k, n] constant \"b\"\n%%v = f32[n] constant \"v\"\n%%w = f32[n, j] constant \"w\"\n"
			"%%z = f32[m, n] input \"z\"\n%%p = f32[m, n, k] mul %%a, %%b\n%%c = f32[m, n] add.reduce %%p\n"
			"%%d = f32[m, n] add %%c, %%v\n%%e = f32[m, n] add %%z, %%d\n%%q = f32[m, j, n] mul %%e, %%w\n"
			"%%r = f32[m, j] add.reduce %%q\nresult \"r\" = %%r\n", sizes[i].m, sizes[i].k, sizes[i].n);
		snprintf(command, sizeof command, "%s --no-cache --strict -b sim:h100/tf32 --dump=tree %s", built("lt-run"),
			written("ends.graph", text));
		cr_expect_eq(run_command(command, out, sizeof out, err, sizeof err), 0, "%zu: %s", i, err);
		cr_expect_eq(count(out, " tile mma.m16n8k8.tf32"), 2, "%zu: %s", i, out);
		cr_expect_geq(count(out, sizes[i].step), 1, "%zu: %s", i, out);
		snprintf(command, sizeof command, "%s --no-cache --strict -b sim:h100/tf32 -q --verify -i '*=random' -c '*=random' "
			"%s", built("lt-run"), scratch("ends.graph"));
		if (sizes[i].m < 1000)
			cr_expect_eq(run_command(command, out, sizeof out, err, sizeof err), 0, "%zu: %s%s", i, out, err);
	}
}

/* How often a word is in the text before another one is. */
static int before(const char *text, const char *word, const char *other)
{
	const char *end = strstr(text, other);
	int n = 0;
	for (; (text = strstr(text, word)) && end && text < end; text += strlen(word))
		n++;
	return n;
}

/* A warp has 64 by 64 elements: four fragments of the left factor and eight of the right one, two of which are read
 * together.  Those of the first products and some of the next ones are read before the first product.  Copies under a
 * condition are no branch; the block may have all registers; rows lie so that no two of eight are in one bank. */
Test(tile, fragments_are_read_ahead)
{
	char command[2048];
	struct lt_kernel *k = NULL;
	struct lt_text_grids *grids = NULL;
	const char *graph = graph_of("bf16", 2048, 256, 2048);
	snprintf(command, sizeof command, "%s --no-cache -b sim:h100 %s --dump=", built("lt-run"), graph);
	char *end = command + strlen(command);
	strcpy(end, "tree");
	cr_assert_eq(run_command(command, out, sizeof out, err, sizeof err), 0, "%s", err);
	cr_expect(strstr(out, "layout [m k] swizzle 128 depth 3 async")
			&& strstr(out, "layout [n/64 k n] swizzle 128 depth 3"),
		"%s", out);
	strcpy(end, "frozen");
	cr_assert_eq(run_command(command, out, sizeof out, err, sizeof err), 0, "%s", err);
	cr_expect_eq(count(out, "barrier\n"), 1, "%s", out);
	strcpy(end, "kernel");
	cr_assert_eq(run_command(command, out, sizeof out, err, sizeof err), 0, "%s", err);
	cr_expect(strstr(out, " resident 2 "), "%s", out);
	cr_assert_eq(lt_kernel_parse(out, strlen(out), &k, NULL), LT_OK);
	cr_assert_eq(lt__text_grids(&lt__text_cuda, k, NULL, &grids, NULL), LT_OK);
	cr_expect(strstr(grids->text, "__launch_bounds__(128, 2)"), "%s", grids->text);
	const char *body = strstr(grids->text, "_body(");
	cr_assert_not_null(body, "%s", grids->text);
	cr_expect_geq(before(body, "lt_ldmatrix_x4(", "lt_mma_"), 4 + 1, "%s", body);
	cr_expect_geq(before(body, "lt_ldmatrix_x4_trans(", "lt_mma_"), 4, "%s", body);
	cr_expect_eq(count(body, "lt_ldmatrix_x4("), 4 * 4);
	cr_expect_eq(count(body, "lt_ldmatrix_x4_trans("), 4 * 4);
	cr_expect_eq(count(body, "lt_ldmatrix_x2_trans("), 0);
	cr_expect_eq(count(body, "lt_copy16_where("), 2 * 8);
	cr_expect_eq(count(body, "if ("), 0);
	lt__text_grids_free(grids);
	lt_kernel_free(k);
}

Test(tile, the_example_runs)
{
	cr_expect_eq(run("sim:h100", "examples/schedules/halves.graph", "examples/schedules/gpu-matrix.schedule",
		"-q --verify -i '*=random'"), 0, "%s%s", out, err);
}
