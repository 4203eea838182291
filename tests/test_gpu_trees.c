/* test_gpu_trees.c -- default trees for machines with grids: what they compute, that they are read back, that
 * they are shared out, and what the simulator counts of memory. */
#include <criterion/criterion.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "tests/ltrun.h"

TestSuite(trees_of_gpus, .init = ltrun_set_up, .fini = ltrun_tear_down, .timeout = 300);
TestSuite(more_trees_of_gpus, .init = ltrun_set_up, .fini = ltrun_tear_down, .timeout = 300);

#define POINTS(i, j) "graph 1\nvar i " i "\nvar j " j "\n%x = f32[i, j] input \"x\"\n%b = f32[j] input \"b\"\n" \
	"%a = f32[i, j] add %x, %b\n%y = f32[i, j] exp %a\nresult \"y\" = %y\n"
#define SOFTMAX(i, j) "graph 1\nvar i " i "\nvar j " j "\n%x = f32[i, j] input \"x\"\n%m = f32[i] max.reduce %x\n" \
	"%d = f32[i, j] sub %x, %m\n%e = f32[i, j] exp %d\n%s = f32[i] add.reduce %e\n%y = f32[i, j] div %e, %s\n" \
	"result \"y\" = %y\n"
#define SOFTMAX_DOWN(i, j) "graph 1\nvar i " i "\nvar j " j "\n%x = f32[i, j] input \"x\"\n" \
	"%m = f32[j] max.reduce %x\n%d = f32[i, j] sub %x, %m\n%e = f32[i, j] exp %d\n%s = f32[j] add.reduce %e\n" \
	"%y = f32[i, j] div %e, %s\nresult \"y\" = %y\n"
#define REDUCE(dims, type, op) "graph 1\nvar i 300\nvar j 200\n%x = " type "[i, j] input \"x\"\n" \
	"%y = " type "[" dims "] " op ".reduce %x\nresult \"y\" = %y\n"
#define TRANSPOSE(type, i, j) "graph 1\nvar i " i "\nvar j " j "\n%x = " type "[i, j] input \"x\"\n" \
	"%b = " type "[j] input \"b\"\n%y = " type "[j, i] add %x, %b\nresult \"y\" = %y\n"
#define TURN(type, i, j) "graph 1\nvar i " i "\nvar j " j "\n%x = " type "[i, j] input \"x\"\n" \
	"%y = f32[j, i] cast %x\nresult \"y\" = %y\n"
#define PRODUCT(m, k, n) "graph 1\nvar m " m "\nvar k " k "\nvar n " n "\n%a = f32[m, k] input \"a\"\n" \
	"%b = f32[k, n] input \"b\"\n%p = f32[m, k, n] mul %a, %b\n%c = f32[m, n] add.reduce %p\n" \
	"%z = f32[] lit 0.0\n%r = f32[m, n] max %c, %z\nresult \"r\" = %r\n"
#define COLUMNS(y, x) "graph 1\nvar y " y "\nvar x " x "\nvar m 16\nvar k 2\n%a = f32[m, k] input \"a\"\n" \
	"%b = f32[y, k, x] input \"b\"\n%p = f32[m, k, y, x] mul %a, %b\n%c = f32[y, m, x] add.reduce %p\nresult \"c\" = %c\n"
#define MATVEC(n, k) "graph 1\nvar k " k "\nvar n " n "\n%a = f32[n, k] input \"a\"\n%b = f32[k] input \"b\"\n" \
	"%p = f32[n, k] mul %a, %b\n%c = f32[n] add.reduce %p\nresult \"c\" = %c\n"
#define WINDOW(y, x, h, w, c) "graph 1\nvar y " y "\nvar x " x "\nvar h " h "\nvar w " w "\nvar k 3\nvar l 3\n" \
	"var c " c "\n%i = f32[h, w, c] input \"i\"\n%f = f32[k, l, c] input \"f\"\n" \
	"%v = f32[y, x, k, l, c] view { %i[y + k, x + l, c] }\n" \
	"%p = f32[y, x, k, l, c] mul %v, %f\n%s = f32[y, x, c] add.reduce %p\n%z = f32[] lit 0.0\n" \
	"%r = f32[y, x, c] max %s, %z\nresult \"r\" = %r\n"
#define ATTENTION(h, t, d, n) "graph 1\nvar h " h "\nvar t " t " limit n\nvar d " d "\nparam n = %n[0] in 0.." t "\n" \
	"%n = i64[] input \"n\"\n%q = f32[h, d] input \"q\"\n%k = f32[t, h, d] input \"k\"\n%v = f32[t, h, d] input \"v\"\n" \
	"%m = f32[h, t, d] mul %q, %k\n%s = f32[h, t] add.reduce %m\n%l = f32[h] max.reduce %s\n%e = f32[h, t] sub %s, %l\n" \
	"%y = f32[h, t] exp %e\n%z = f32[h] add.reduce %y\n%p = f32[h, t] div %y, %z\n%o = f32[h, t, d] mul %p, %v\n" \
	"%r = f32[h, d] add.reduce %o\nresult \"r\" = %r\n"

static const struct { const char *graph, *inputs; } cases[] = {
	{ POINTS("37", "1024"), "" }, { POINTS("5", "1001"), "" }, { POINTS("1000", "3"), "" }, { POINTS("1", "70000"), "" },
	{ POINTS("1", "1"), "" },
	{ SOFTMAX("64", "1024"), "" }, { SOFTMAX("33", "1000"), "" }, { SOFTMAX("1000", "10"), "" },
	{ SOFTMAX("300", "4"), "" },
	{ SOFTMAX("7", "1"), "" }, { SOFTMAX("3", "40001"), "" }, { SOFTMAX("1", "5000"), "" }, { SOFTMAX("20", "33"), "" },
	{ SOFTMAX_DOWN("100", "64"), "" }, { SOFTMAX_DOWN("3000", "20"), "" }, { SOFTMAX_DOWN("10", "1001"), "" },
	{ REDUCE("i", "f32", "add"), "" }, { REDUCE("j", "f32", "max"), "" }, { REDUCE("", "f32", "add"), "" },
	{ REDUCE("j", "i32", "mul"), "" }, { REDUCE("i", "f64", "min"), "" }, { REDUCE("", "i32", "max"), "" },
	{ TRANSPOSE("f32", "100", "70"), "" }, { TRANSPOSE("i64", "64", "128"), "" }, { TRANSPOSE("f64", "33", "31"), "" },
	{ TURN("f16", "64", "96"), "" }, { TURN("i8", "40", "40"), "" },
	{ PRODUCT("17", "70", "40"), "" }, { PRODUCT("1", "300", "64"), "" }, { PRODUCT("200", "1", "3"), "" },
	{ WINDOW("20", "18", "22", "20", "96"), "" }, { WINDOW("20", "20", "22", "22", "101"), "" },
	{ MATVEC("300", "256"), "" }, { MATVEC("3", "4099"), "" }, { MATVEC("1", "100000"), "" },
	{ ATTENTION("4", "64", "32", "n"), "-i n=64" }, { ATTENTION("4", "64", "32", "n"), "-i n=1" },
	{ ATTENTION("3", "100", "33", "n"), "-i n=70" }, { ATTENTION("2", "2000", "8", "n"), "-i n=1999" },
};
enum { N_CASE = sizeof cases / sizeof *cases };
static const char *const configs[] = { "grid", "grid/order=backward", "grid/subgroup=8", "grid/subgroup=1", "h100" };
enum { N_CONFIG = sizeof configs / sizeof *configs };

/* Each by one configuration in `step`. */
static void they_compute_what_the_graph_says(int step)
{
	for (int i = 0; i < N_CASE; i++) {
		ltrun_write_text("case.graph", cases[i].graph);
		for (int k = i % step; k < N_CONFIG; k += step)
			cr_expect_eq(ltrun("--no-cache --strict -b 'sim:%s' -q --verify -i '*=random' %s case.graph", configs[k],
				cases[i].inputs), 0, "case %d, %s: %s", i, configs[k], ltrun_err);
	}
}

Test(trees_of_gpus, they_compute_what_the_graph_says) { they_compute_what_the_graph_says(N_CONFIG); }
Test(more_trees_of_gpus, they_compute_what_the_graph_says) { they_compute_what_the_graph_says(2); }

Test(trees_of_gpus, they_are_read_back)
{
	for (int i = 0; i < N_CASE; i++) {
		char *first;
		ltrun_write_text("case.graph", cases[i].graph);
		cr_assert_eq(ltrun("--no-cache -b sim:h100 --dump=tree case.graph"), 0, "case %d: %s", i, ltrun_err);
		first = strdup(ltrun_out);
		ltrun_write_text("case.tree", first);
		cr_assert_eq(ltrun("--no-cache -b sim:h100 --schedule=case.tree --dump=tree case.graph"), 0, "case %d: %s", i,
			ltrun_err);
		cr_expect_str_eq(ltrun_out, first, "case %d", i);
		free(first);
	}
}

/* Outermost lines of the tree, each with what is in it: no nest of one thread where there is something to share out. */
Test(trees_of_gpus, each_nest_is_shared_out)
{
	for (int i = 0; i < N_CASE; i++) {
		ltrun_write_text("case.graph", cases[i].graph);
		cr_assert_eq(ltrun("--no-cache -b sim:h100 --dump=tree case.graph"), 0, "case %d: %s", i, ltrun_err);
		char *at = strstr(ltrun_out, "\ntree\n") + 5, *end;
		for (; at && at[1]; at = end) {
			for (end = strchr(at + 1, '\n'); end && end[1] == ' '; end = strchr(end + 1, '\n'))
				;
			if (end)
				*end = '\0';
			cr_expect(strstr(at, " block.") || !strstr(at, " iterations,") || strstr(at, " extent 1, "), "case %d: %s", i, at);
			if (end)
				*end = '\n';
		}
	}
}

/* What is moved between a multiprocessor and memory, as the simulator's prediction has it, against the bytes of what is
 * read and written once; times: of a row that a block reads again, which no cache is counted for. */
static const struct { const char *graph; double bytes, times; int blocks; } moved[] = {
	{ POINTS("4096", "1024"), 2 * 4.0 * 4096 * 1024, 1.51, 4 },        /* the bias is read by each row */
	{ SOFTMAX("4096", "1024"), 2 * 4.0 * 4096 * 1024, 1.51, 4 },
	{ SOFTMAX("40960", "16"), 2 * 4.0 * 40960 * 16, 1.51, 4 },
	{ TURN("f32", "2048", "2048"), 2 * 4.0 * 2048 * 2048, 1.01, 4 },
	{ "graph 1\nvar i 4096\nvar j 4096\n%x = f32[i, j] input \"x\"\n%y = f32[j] add.reduce %x\nresult \"y\" = %y\n",
		4.0 * 4096 * 4096, 1.1, 4 },
	{ "graph 1\nvar i 16777216\n%x = f32[i] input \"x\"\n%y = f32[] add.reduce %x\nresult \"y\" = %y\n",
		4.0 * 16777216, 1.1, 4 },
	{ MATVEC("4096", "4096"), 4.0 * 4096 * 4096, 2.1, 4 },             /* a block each reads the vector */
	/* all blocks, as those of the remainders are not like the others */
	{ POINTS("33", "16900"), 2 * 4.0 * 33 * 16900, 1.6, INT_MAX }, { TURN("f32", "500", "1003"), 2 * 4.0 * 500 * 1003, 1.3,
		INT_MAX }, { SOFTMAX("531", "1030"), 2 * 4.0 * 531 * 1030, 1.7, INT_MAX },
};

Test(trees_of_gpus, memory_is_moved_once)
{
	for (size_t i = 0; i < sizeof moved / sizeof *moved; i++) {
		ltrun_write_text("case.graph", moved[i].graph);
		cr_assert_eq(ltrun("--no-cache -b 'sim:h100/counts/blocks=%d/off=stored/off=exchanged' -q -v -i '*=random' "
			"case.graph", moved[i].blocks), 0, "case %d: %s", (int)i, ltrun_err);
		double cycles = 0;
		for (const char *at = ltrun_err; (at = strstr(at, "  grid ")); at++) {
			const char *line = strchr(at, '\n'), *by = strstr(at, ": bound by memory, "), *loop = strstr(at, ", loop");
			if (by && by < line && !(loop && loop < by))
				cycles += atof(by + 19);
			cr_expect(by || (loop && loop < line) || !strstr(at, "bound by"), "case %d: %s", (int)i, at);
		}
		/* 13.9 bytes a cycle of each of 132 multiprocessors. */
		cr_expect_lt(cycles * 13.9 * 132, moved[i].bytes * moved[i].times, "case %d: %g bytes, %g wanted\n%s", (int)i,
			cycles * 13.9 * 132, moved[i].bytes, ltrun_err);
		cr_expect_gt(cycles, 0, "case %d: %s", (int)i, ltrun_err);
	}
}

/* --explain names the form of each nest, and why it has it. */
static const struct { const char *graph, *says; } explained[] = {
	{ POINTS("64", "1024"), "%y: tree: points over i, j: threads side by side along j, 4 elements each\n" },
	{ SOFTMAX("1024", "64"), "tree: rows over i: 16 threads share one, as they need " },
	{ REDUCE("j", "f32", "add"),
		"tree: columns over j, side by side along j: 32 threads share one, as 200 columns are too few" },
	{ PRODUCT("2048", "4", "256"), "tree: threads over m, n, side by side along n, 2 each: they need " },
	{ WINDOW("20", "18", "22", "20", "96"), "tree: threads over y, x, c, side by side along c, 2 each: they need " },
	{ WINDOW("20", "20", "22", "22", "101"), "tree: threads over y, x, c, side by side along c: they need " },
	{ WINDOW("5", "5", "7", "7", "96"), "tree: threads over y, x, c, side by side along c: they need " },
	{ PRODUCT("512", "256", "512"), "%c: tree: product, 512 x 512 x 256: loops, blocks of " },
	{ PRODUCT("512", "256", "512"), " buffers; no call: the target has no routines to call\n" },
	{ PRODUCT("4", "256", "512"), "%c: tree: product, 4 x 512 x 256: no tiles of blocks, for which it has too few rows" },
	{ TURN("f32", "64", "96"),
		"tree: tiles of 32 by 32 in shared memory: what is read lies along j, what is written along i\n" },
};

Test(trees_of_gpus, why_is_explained)
{
	for (size_t i = 0; i < sizeof explained / sizeof *explained; i++) {
		ltrun_write_text("case.graph", explained[i].graph);
		cr_assert_eq(ltrun("--no-cache -b sim:h100/blocks=1/off=stored -q --explain -i '*=random' case.graph"), 0,
			"case %d: %s", (int)i, ltrun_err);
		cr_expect_not_null(strstr(ltrun_out, explained[i].says), "case %d: %s", (int)i, ltrun_out);
	}
}

/* Of a target with routines: why a product is a call, or is none; operations are two for each term. */
static const struct { const char *graph, *says; } products[] = {
	{ PRODUCT("64", "32", "128"), "%c: tree: product, 64 x 128 x 32: a call of gemm, which is taken from 5e+03 operations "
		"on, and these are 5.24e+05\n" },
	{ PRODUCT("4", "2", "3"), "no call: 48 operations are fewer than the 1e+03 from which on gemm is called\n" },
	/* columns that are many, but make no tile; one dim of them does */
	{ COLUMNS("7", "7"), "a call of gemm, which is taken from 1e+03 operations on, and these are 3.14e+03\n" },
	{ COLUMNS("1", "49"), "no call: 3.14e+03 operations are fewer than the 5e+03 from which on gemm is called\n" },
	{ "graph 1\nvar m 64\nvar k 32\nvar n 64\n%a = i32[m, k] input \"a\"\n%b = bool[k, n] input \"b\"\n"
		"%w = i32[k, n] cast %b\n%p = i32[m, k, n] mul %a, %w\n%c = i32[m, n] add.reduce %p\nresult \"c\" = %c\n",
		"%c: tree: product, 64 x 64 x 32: " },
};

Test(trees_of_gpus, products_are_explained)
{
	for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
		ltrun_write_text("case.graph", products[i].graph);
		cr_assert_eq(ltrun("--no-cache -b sim:h100/calls/off=stored -q --explain -i '*=random' case.graph"), 0, "case %d: %s",
			(int)i, ltrun_err);
		cr_expect_not_null(strstr(ltrun_out, products[i].says), "case %d: %s", (int)i, ltrun_out);
	}
}

/* Behind a run the bound of each grid, where a machine is simulated whose numbers are known; else nothing. */
Test(trees_of_gpus, bounds_are_explained)
{
	ltrun_write_text("case.graph", POINTS("64", "1024"));
	cr_assert_eq(ltrun("--no-cache -b sim:h100 -q --explain -i '*=random' case.graph"), 0, "%s", ltrun_err);
	cr_expect_not_null(strstr(ltrun_out, "\nk0_y, predicted: grid 1: bound by memory, "), "%s", ltrun_out);
	cr_expect_null(strstr(ltrun_out, "loop in"), "%s", ltrun_out);
	cr_assert_eq(ltrun("--no-cache -b sim:h100 -q --explain --json -i '*=random' case.graph"), 0, "%s", ltrun_err);
	cr_expect_not_null(strstr(ltrun_out, "\"predicted\": [{\"kernel\": \"k0_y\", \"bound\": \"grid 1: bound by memory, "),
		"%s", ltrun_out);
	cr_assert_eq(ltrun("--no-cache -b ref -q --explain -i '*=random' case.graph"), 0, "%s", ltrun_err);
	cr_expect_null(strstr(ltrun_out, "predicted"), "%s", ltrun_out);
}
