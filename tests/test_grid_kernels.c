/* test_grid_kernels.c -- what steps make of grid trees that were written by hand: the programs
 * tests/kernels/tree_* are those of the schedules below, and do what the evaluator says.  tests/test_text_grid.c has
 * their texts.
 *
 * LT_BLESS=1 rewrites the programs.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/grid_files.h"
#include "tests/ltrun.h"

TestSuite(grid_kernels, .init = ltrun_set_up, .fini = ltrun_tear_down, .timeout = 120);

struct tree_row {
	const char *name, *graph, *steps;
	/* Words of the program, and how often they are there: what the steps are for. */
	struct { const char *word; int n; } has[6];
};
static const struct tree_row trees[] = {
	/* Four elements a thread, of a number that is no multiple of four: wide, but for the last thread. */
	{ "tree_pointwise", "graph 1\nvar i 4097\n%x = f32[i] input \"x\"\n%w = f32[i] input \"w\"\n%y = f32[i] neg %x\n"
		"%z = f32[i] add %y, %w\nresult \"z\" = %z\n",
		"split i 4; split i 512; tail i mask; bind i grid.x; bind i' block.x; vectorize i''",
		{ { "load f32x4 x", 1 }, { "load f32x4 w", 1 }, { "store f32x4 z", 1 }, { "load f32 x", 1 }, { "if ", 3 } } },
	/* A row of each block in registers; its largest and its sum by exchanges, then through shared memory. */
	{ "tree_softmax", "graph 1\nvar i 5\nvar j 512\n%x = f32[i, j] input \"x\"\n%m = f32[i] max.reduce %x\n"
		"%d = f32[i, j] sub %x, %m\n%e = f32[i, j] exp %d\n%s = f32[i] add.reduce %e\n%y = f32[i, j] div %e, %s\n"
		"result \"y\" = %y\n", "bind i grid.x; split %m/j 4; bind %m/j block.x; vectorize %m/j'; split %s/j 4; "
		"bind %s/j block.x; vectorize %s/j'; split %y/j 4; bind %y/j block.x; vectorize %y/j'",
		{ { "load f32x4 x", 2 }, { "store f32x4 y", 1 }, { "exchange", 10 }, { "\tbarrier", 4 }, { "variable e.3 f32\n", 1 },
			{ "array", 0 } } },
	/* A tile in shared memory, whose rows are padded. */
	{ "tree_transpose", "graph 1\nvar i 64\nvar j 96\n%x = f32[i, j] input \"x\"\n%t = f32[j, i] view { %x[i, j] }\n"
		"%y = f32[j, i] neg %t\nresult \"y\" = %y\n", "split j 32; split i 32; reorder j i j' i'; stage %y %x at i; "
		"layout %x.copy i j pad 1; split %x.copy/i' 8; split %y/j' 8; bind j grid.y; bind i grid.x; unroll %x.copy/i'; "
		"bind %x.copy/i'' block.y; bind %x.copy/j' block.x; unroll %y/j'; bind %y/j'' block.y; bind %y/i' block.x",
		{ { "\tbarrier", 1 }, { "load f32 x[", 4 }, { "store y", 4 }, { "loop ", 0 }, { "array", 0 } } },
	/* A register tile of 4 x 4 for each of 64 threads, from tiles of both factors in shared memory; extents that tiles do
	 * not divide: zeros are read past the end, without a branch. */
	{ "tree_product", "graph 1\nvar m 70\nvar k 50\nvar n 92\n%a = f32[m, k] input \"a\"\n%b = f32[k, n] input \"b\"\n"
		"%p = f32[m, k, n] mul %a, %b\n%c = f32[m, n] add.reduce %p\nresult \"c\" = %c\n",
		"split m 4; split m 32; tail m pad; split n 4; split n 32; tail n pad; split k 8; tail k pad; "
		"reorder m n k m' n' k' m'' n''; materialize %c at n; stage %p %a at k; stage %p %b at k; bind m grid.y; "
		"bind n grid.x; bind %p/m' block.y; bind %p/n' block.x; unroll %p/m''; vectorize %p/n''; layout %a.copy k m; "
		"split %a.copy/k' 4; split %a.copy/m' 4; bind %a.copy/m' block.y; bind %a.copy/m'' block.x; bind %a.copy/k' block.x; "
		"vectorize %a.copy/k''; bind %b.copy/k' block.y; split %b.copy/n' 4; bind %b.copy/n' block.x; "
		"vectorize %b.copy/n''; split %c.copy/m' 4; split %c.copy/n' 4; bind %c.copy/m' block.y; "
		"reorder %c.copy/n' %c.copy/m''; bind %c.copy/n' block.x; unroll %c.copy/m''; vectorize %c.copy/n''",
		{ { "load f32x4 a.copy", 1 }, { "load f32x4 b.copy", 1 }, { "update c.", 16 }, { "store f32x4 c.copy", 4 },
			{ "load f32x4 b[", 1 }, { "if ", 0 } } },
};
enum { N_TREE = sizeof trees / sizeof *trees };

static int run_tree(const struct tree_row *t, const char *options)
{
	ltrun_write_text("case.graph", t->graph);
	ltrun_write_text("plain", "schedule 1\n");
	return ltrun("--no-cache --no-passes --strict -b 'sim:grid' --schedule=plain --apply=\"%s\" %s case.graph", t->steps,
		options);
}

static int count_of(const char *text, const char *word)
{
	int n = 0;
	for (const char *at = text; (at = strstr(at, word)); at += strlen(word))
		n++;
	return n;
}

static void bless_kernel(const char *name, const char *text)
{
	char path[256];
	(void)snprintf(path, sizeof path, "tests/kernels/%s.kernel", name);
	FILE *f = fopen(path, "wb");
	cr_assert(f && fputs(text, f) >= 0 && fclose(f) == 0, "%s", path);
}

Test(grid_kernels, trees_are_the_programs_beside)
{
	for (int i = 0; i < N_TREE; i++) {
		cr_assert_eq(run_tree(&trees[i], "--dump=kernel"), 0, "%s: %s", trees[i].name, ltrun_err);
		char *want = grid_file_text(trees[i].name, "kernel");
		if (getenv("LT_BLESS"))
			bless_kernel(trees[i].name, ltrun_out);
		else
			cr_expect(want && strcmp(want, ltrun_out) == 0, "tests/kernels/%s.kernel is another program; LT_BLESS=1 rewrites it",
				trees[i].name);
		for (size_t k = 0; k < 6 && trees[i].has[k].word; k++)
			cr_expect_eq(count_of(ltrun_out, trees[i].has[k].word), trees[i].has[k].n, "%s: '%s' is there %d times",
				trees[i].name, trees[i].has[k].word, count_of(ltrun_out, trees[i].has[k].word));
		free(want);
	}
}

Test(grid_kernels, trees_give_what_the_evaluator_says)
{
	for (int i = 0; i < N_TREE; i++)
		cr_expect_eq(run_tree(&trees[i], "-q --verify -i '*=random'"), 0, "%s: %s", trees[i].name, ltrun_err);
}
