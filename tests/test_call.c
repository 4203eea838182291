/* test_call.c -- what is handed to a routine: called groups and loops of many shapes, run by their dims and
 * strides alone. */
#include <criterion/criterion.h>
#include <string.h>
#include "check/random/must.h"
#include "check/random/random.h"
#include "looptree/schedule/schedule.h"
#include "program/run/run.h"
#include "tests/call_graphs.h"
#include "tests/odd.h"
#include "tests/parsed.h"
#include "tests/random_product.h"
#include "tests/tree_marked.h"
#include "tests/tree_text.h"

TestSuite(call, .timeout = 120);

#define ALL_TYPES (~UINT64_C(0))
#define ALL_LAYOUTS (LT_LAYOUT_ANY | LT_LAYOUT_BATCH | LT_LAYOUT_BOUNDED)
static const struct lt_routine gemm[] = {
	{ .name = "gemm", LT_PATTERN_PRODUCT, 63, ALL_TYPES, ALL_TYPES, ALL_TYPES, 0, 0, LT_F64, ALL_LAYOUTS, 0 },
	{ .name = "gemm", LT_PATTERN_PRODUCT, 63, ALL_TYPES, ALL_TYPES, ALL_TYPES, 0, 0, LT_I64, ALL_LAYOUTS, 0 },
};

static const char silu[] = PRODUCT "%s = f32[m, n] sigmoid %c\n%y = f32[m, n] mul %s, %c\nresult \"y\" = %y\n";
static const char gelu[] = PRODUCT
	"%h = f32[] lit 0.5\n%q = f32[] lit 0.70710678118654752\n%one = f32[] lit 1.0\n%v = f32[n] input \"v\"\n"
	"%d = f32[m, n] add %c, %v\n%w = f32[m, n] mul %d, %h\n%x = f32[m, n] mul %d, %q\n%z = f32[m, n] erf %x\n%u = "
	"f32[m, n] add %z, %one\n"
	"%y = f32[m, n] mul %w, %u\nresult \"y\" = %y\n";
static const char gelu_tanh[] = PRODUCT
	"%h = f32[] lit 0.5\n%q = f32[] lit 0.044715\n%one = f32[] lit 1.0\n%root = f32[] lit 0.7978845608028654\n"
	"%x2 = f32[m, n] mul %c, %c\n%x3 = f32[m, n] mul %c, %x2\n%x4 = f32[m, n] mul %q, %x3\n%x5 = f32[m, n] add "
	"%x4, %c\n"
	"%x6 = f32[m, n] mul %x5, %root\n%t = f32[m, n] tanh %x6\n%u = f32[m, n] add %one, %t\n%w = f32[m, n] mul %h, "
	"%c\n"
	"%y = f32[m, n] mul %w, %u\nresult \"y\" = %y\n";
/* 0.044715 * x * x * x, and x * (1 + ...) first. */
static const char gelu_bracketed[] = PRODUCT
	"%h = f32[] lit 0.5\n%q = f32[] lit 0.044715\n%one = f32[] lit 1.0\n%root = f32[] lit 0.7978845608028654\n"
	"%x2 = f32[m, n] mul %q, %c\n%x3 = f32[m, n] mul %x2, %c\n%x4 = f32[m, n] mul %x3, %c\n%x5 = f32[m, n] add "
	"%x4, %c\n"
	"%x6 = f32[m, n] mul %x5, %root\n%t = f32[m, n] tanh %x6\n%u = f32[m, n] add %one, %t\n%w = f32[m, n] mul %c, "
	"%u\n"
	"%y = f32[m, n] mul %w, %h\nresult \"y\" = %y\n";
static const char whole_numbers[] = "graph 1\nvar m 5\nvar k 12\nvar n 7\n%a = i8[m, k] input \"a\"\n%b = u8[k, n] "
				    "input \"b\"\n%v = i32[n] input \"v\"\n"
				    "%zero = i32[] lit 0\n%a32 = i32[m, k] cast %a\n%b32 = i32[k, n] cast %b\n%p = "
				    "i32[m, n, k] mul %a32, %b32\n%c = i32[m, n] add.reduce %p\n"
				    "%d = i32[m, n] add %c, %v\n%y = i32[m, n] max %d, %zero\nresult \"y\" = %y\n";
static const char bounded[] = "graph 1\nvar m 5\nvar k 13 limit 0 + 1*p\nvar n 7\nvar j 26\nvar one 1\nparam p = "
			      "%pos[0] in 0..13\n%pos = i64[one] input \"pos\"\n"
			      "%a = f32[m, j] input \"a\"\n%b = f32[j, n] input \"b\"\n%av = f32[m, k] view { %a[m, k "
			      "+ 1*p] }\n%bv = f32[k, n] view { %b[2*k + 1, n] }\n"
			      "%p1 = f32[m, n, k] mul %av, %bv\n%c = f32[m, n] add.reduce %p1\nresult \"c\" = %c\n";
/* a vector times a matrix with two values added: the first is the bias, the last the residual */
static const char row[] = "graph 1\nvar k 12\nvar n 7\n%a = f32[k] input \"a\"\n%b = f32[n, k] input \"b\"\n%v = "
			  "f32[n] input \"v\"\n%r = f32[n] input \"r\"\n"
			  "%p = f32[n, k] mul %a, %b\n%c = f32[n] add.reduce %p\n%d = f32[n] add %c, %v\n%y = f32[n] "
			  "add %r, %d\nresult \"y\" = %y\n";
static const char dot[] = "graph 1\nvar k 12\n%a = f32[k] input \"a\"\n%b = f32[k] input \"b\"\n%p = f32[k] mul %a, "
			  "%b\n%c = f32[] add.reduce %p\n"
			  "result \"c\" = %c\n";
/* the bias lies along the rows */
static const char rows[] =
	"graph 1\nvar m 5\nvar k 12\nvar n 7\n%a = f32[m, k] input \"a\"\n%b = f32[k, n] input \"b\"\n%v = f32[m] "
	"input \"v\"\n"
	"%p = f32[m, n, k] mul %a, %b\n%c = f32[m, n] add.reduce %p\n%y = f32[m, n] add %c, %v\nresult \"y\" = %y\n";
/* what follows counts its elements by other vars, in another order */
static const char renamed[] = "graph 1\nvar m 5\nvar k 12\nvar n 7\nvar i 7\nvar j 5\n%a = f32[m, k] input \"a\"\n%b = "
			      "f32[k, n] input \"b\"\n%v = f32[i] input \"v\"\n"
			      "%r = f32[i, j] input \"r\"\n%p = f32[m, n, k] mul %a, %b\n%c = f32[m, n] add.reduce "
			      "%p\n%t = f32[i, j] view { %c[j, i] }\n%d = f32[i, j] add %t, %v\n"
			      "%y = f32[i, j] add %d, %r\nresult \"y\" = %y\n";

/* casts that keep every value between what a routine does, and one that rounds after it */
static const char widened[] = PRODUCT
	"%v = f32[n] input \"v\"\n%r = f64[m, n] input \"r\"\n%d = f32[m, n] add %c, %v\n%d64 = f64[m, n] cast %d\n"
	"%e = f64[m, n] add %d64, %r\n%y = f16[m, n] cast %e\nresult \"y\" = %y\n";

/* two column dims: a bias has one of them, and is repeated along the other */
static const char wide_first[] = WIDE "%y = f32[m, n, j] add %c, %v\nresult \"y\" = %y\n";
static const char wide_last[] = WIDE "%y = f32[m, n, j] add %w, %c\nresult \"y\" = %y\n";
static const char wide_row[] = WIDE_ROW "%d = f32[n, j] add %c, %w\n%y = f32[n, j] add %d, %v\nresult \"y\" = %y\n";
/* along one of two row dims: a bias, where left and right change places */
static const char wide_column[] =
	"graph 1\nvar m 5\nvar k 12\nvar j 3\n%a = f32[m, j, k] input \"a\"\n%b = f32[k] input \"b\"\n%v = f32[m] "
	"input \"v\"\n"
	"%p = f32[m, j, k] mul %a, %b\n%c = f32[m, j] add.reduce %p\n%y = f32[m, j] add %c, %v\nresult \"y\" = %y\n";
/* a ReLU of a rounded value that is rounded again at once; a bias that is cast inside, and read backwards */
static const char rounded[] = PRODUCT
	"%zero = f32[] lit 0.0\n%h = f16[m, n] cast %c\n%s = f32[m, n] cast %h\n%d = f32[m, n] max %s, %zero\n"
	"%y = f16[m, n] cast %d\nresult \"y\" = %y\n";
static const char turned[] = PRODUCT
	"%v = f16[n] input \"v\"\n%w = f32[n] cast %v\n%u = f32[m, n] view { %w[6 - n] }\n%y = f32[m, n] add %c, %u\n"
	"result \"y\" = %y\n";
static const struct { const char *graph, *tree, *report;
} cases[] = {
	{ rounded, "group call gemm\n" LOOPS " m\n  n\n   %h\n   %s\n   %d\n   %y\n",
		"gemm: row m 5, column n 7, deep k 12; relu\n" },
	{ turned, "group call gemm\n n\n  %w\n" LOOPS " m\n  n\n   %y\n",
		"gemm: row m 5, column n 7, deep k 12; bias\n" },
	{ wide_first, "group call gemm\n" WIDE_LOOPS " m\n  n\n   j\n    %y\n",
		"gemm: row m 5, column n 7, column j 3, deep k 12; bias\n" },
	{ wide_last, "group call gemm\n" WIDE_LOOPS " m\n  n\n   j\n    %y\n",
		"gemm: row m 5, column n 7, column j 3, deep k 12; bias\n" },
	{ wide_row, "group call gemm\n n\n  j\n   k\n    %p\n    %c\n   %d\n   %y\n",
		"gemm: column n 7, column j 3, deep k 12; bias; residual\n" },
	{ wide_column, "group call gemm\n m\n  j\n   k\n    %p\n    %c\n   %y\n",
		"gemm: column m 5, column j 3, deep k 12; bias\n" },
	{ widened, "group call gemm\n" LOOPS " m\n  n\n   %d\n   %d64\n   %e\n   %y\n",
		"gemm: row m 5, column n 7, deep k 12; bias; residual\n" },
	{ plain, "group call gemm\n" LOOPS, "gemm: row m 5, column n 7, deep k 12\n" },
	{ plain, "m call gemm\n n\n  k\n   %p\n   %c\n", "gemm: row m 5, column n 7, deep k 12\n" },
	{ plain, "n call gemm\n k\n  m\n   %p\n   %c\n", "gemm: row m 5, column n 7, deep k 12\n" },
	{ plain, "k call gemm\n n\n  m\n   %p\n   %c\n", "gemm: row m 5, column n 7, deep k 12\n" },
	{ plain, "k step 5 call gemm\n m step 2\n  n\n   k'\n    m'\n     %p\n     %c\n",
		"gemm: row m 5, column n 7, deep k 12\n" },
	{ plain, "m unroll\n n\n  k call gemm\n   %p\n   %c\n", "gemm: row m 1, column n 1, deep k 12\n" },
	{ plain, "group call gemm\n m\n  n\n   k vector\n    %p\n    %c\n", "gemm: row m 5, column n 7, deep k 12\n" },
	{ plain, "m call gemm\n n\n  k step 4\n   k' vector\n    %p\n    %c\n",
		"gemm: row m 5, column n 7, deep k 12\n" },
	{ plain, "m step 2\n m' call gemm\n  n\n   k\n    %p\n    %c\n", "gemm: row m 2?, column n 7, deep k 12\n" },
	{ plain, "m step 2\n group call gemm\n  n step 3\n   k\n    m'\n     n'\n      %p\n      %c\n",
		"gemm: row m 2?, column n 7, deep k 12\n" },
	{ plain,
		"n step 3  tail peel\n m step 2  tail peel\n  group call gemm\n   m'\n    n'\n     k\n      %p\n      "
		"%c\n",
		"gemm: row m 2, column n 3, deep k 12\ngemm: row m 1, column n 3, deep k 12\ngemm: row m 2, column n "
		"1, deep k 12\n"
		"gemm: row m 1, column n 1, deep k 12\n" },
	{ plain, "m step 2 call gemm  tail peel\n m'\n  n\n   k\n    %p\n    %c\n",
		"gemm: row m 4, column n 7, deep k 12\ngemm: row m 1, column n 7, deep k 12\n" },
	{ plain, "n step 4\n n' step 3 call gemm  tail peel\n  n''\n   m\n    k\n     %p\n     %c\n",
		"gemm: row m 5, column n 3?, deep k 12\ngemm: row m 5, column n 1?, deep k 12\n" },
	{ plain, "m\n n\n  group call gemm\n   k\n    %p\n    %c\n", "gemm: row m 1, column n 1, deep k 12\n" },
	{ plain,
		"own %b.copy = copy %b\nn\n k\n  %b.copy layout [n/4 k n]\nn step 4\n group call gemm\n  m\n   n'\n    "
		"k\n     %p\n     %c\n",
		"gemm: row m 5, column n 4?, deep k 12\n" },
	{ all, "group call gemm\n" LOOPS " m\n  n\n   %d\n   %e\n   %y\n",
		"gemm: row m 5, column n 7, deep k 12; bias; residual; relu\n" },
	{ all, "group call gemm\n m\n  n\n   k\n    %p\n    %c\n   %d\n  n\n   %e\n   %y\n",
		"gemm: row m 5, column n 7, deep k 12; bias; residual; relu\n" },
	{ all, "m step 2\n group call gemm\n  n\n   m'\n    k\n     %p\n     %c\n   m'\n    %d\n    %e\n    %y\n",
		"gemm: row m 2?, column n 7, deep k 12; bias; residual; relu\n" },
	{ all, "group call gemm\n" LOOPS " m\n  n\n   %d\nm\n n\n  %e\n  %y\n",
		"gemm: row m 5, column n 7, deep k 12; bias\n" },
	{ silu, "group call gemm\n m\n  n\n   k\n    %p\n    %c\n   %s\n   %y\n",
		"gemm: row m 5, column n 7, deep k 12; silu\n" },
	{ gelu, "group call gemm\n m\n  n\n   k\n    %p\n    %c\n   %d\n   %w\n   %x\n   %z\n   %u\n   %y\n",
		"gemm: row m 5, column n 7, deep k 12; bias; gelu\n" },
	{ gelu_tanh,
		"group call gemm\n m\n  n\n   k\n    %p\n    %c\n   %x2\n   %x3\n   %x4\n   %x5\n   %x6\n   %t\n   "
		"%u\n   %w\n   %y\n",
		"gemm: row m 5, column n 7, deep k 12; gelu_tanh\n" },
	{ gelu_bracketed,
		"group call gemm\n m\n  n\n   k\n    %p\n    %c\n   %x2\n   %x3\n   %x4\n   %x5\n   %x6\n   %t\n   "
		"%u\n   %w\n   %y\n",
		"gemm: row m 5, column n 7, deep k 12; gelu_tanh\n" },
	{ halves, "group call gemm\n m\n  n\n   k\n    %a32\n    %b32\n    %p\n    %c\n   %v32\n   %d\n   %y\n",
		"gemm: row m 5, column n 7, deep k 12; bias\n" },
	{ whole_numbers,
		"group call gemm\n k\n  m\n   %a32\n  n\n   %b32\n m\n  n\n   k\n    %p\n    %c\n   %d\n   %y\n",
		"gemm: row m 5, column n 7, deep k 12; bias; relu\n" },
	{ batches, "b call gemm\n m\n  k\n   l\n    n\n     %p\n     %c\n",
		"gemm: batch b 3, row n 7, column m 4, deep k 5, deep l 2\n" },
	{ batches, "b\n n step 3\n  group call gemm\n   m\n    l\n     k\n      n'\n       %p\n       %c\n",
		"gemm: batch b 1, row n 3?, column m 4, deep k 5, deep l 2\n" },
	{ bounded, "group call gemm\n m\n  n\n   k\n    %p1\n    %c\n", "gemm: row m 5, column n 7, deep k 13?\n" },
	{ bounded, "n\n group call gemm\n  k step 4\n   m\n    k'\n     %p1\n     %c\n",
		"gemm: row m 5, column n 1, deep k 13?\n" },
	{ row, "group call gemm\n n\n  k\n   %p\n   %c\n  %d\n  %y\n",
		"gemm: column n 7, deep k 12; bias; residual\n" },
	{ dot, "k call gemm\n %p\n %c\n", "gemm: deep k 12\n" },
	{ rows, "group call gemm\n m\n  n\n   k\n    %p\n    %c\n   %y\n",
		"gemm: column m 5, row n 7, deep k 12; bias\n" },
	{ renamed, "group call gemm\n" LOOPS " i\n  j\n   %d\n   %y\n",
		"gemm: row m 5, column n 7, deep k 12; bias; residual\n" },
};

static void run_all(const char *backend)
{
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct lt_context *ctx;
		char why[1000] = "";
		odd_open();
		odd_routines(gemm, 2);
		cr_assert_eq(lt_context_new(&ctx), LT_OK);
		struct lt_graph *g = parsed_in(ctx, cases[i].graph);
		struct run_config config = {
			.backends = backend, .compile = tree_compile_marked, .user = (void *)(uintptr_t)cases[i].tree
		};
		struct run_tally tally = { 0 };
		struct run_want want;
		run_want_new(g, 15, tree_fill, g, &want);
		cr_assert_eq(want.status, LT_OK, "%s", want.message);
		run_compare(&want, g, &config, NULL, NULL, &tally, why, sizeof why);
		cr_expect_str_eq(why, "", "%s\n%s%s", why, cases[i].graph, cases[i].tree);
		if (!strcmp(backend, "odd"))
			cr_expect_str_eq(odd_reported()->text, cases[i].report, "%s%s\n%s", cases[i].graph, cases[i].tree,
				odd_reported()->text);
		run_want_free(&want);
		lt_graph_free(g);
		lt_context_free(ctx);
	}
}

/* Against the graph evaluator: by dims and strides, and as loops. */
Test(call, each_shape_by_its_strides) { run_all("odd"); }
Test(call, each_shape_as_loops) { run_all("ref"); }
Test(call, each_shape_in_the_simulator) { run_all("sim:grid/calls"); }

/* What an author sees of a bias that is repeated: no step along a dim that it does not have. */
Test(call, strides_are_0_along_dims_that_an_operand_has_not)
{
	/* m n j k */
	static const struct {
		const char *graph;
		int64_t stride[4];
	} want[] = { { wide_first, { 0, 1, 0, 0 } }, { wide_last, { 0, 0, 1, 0 } } };
	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		struct lt_context *ctx;
		struct lt_program *p = NULL;
		odd_open();
		odd_routines(gemm, 2);
		cr_assert_eq(lt_context_new(&ctx), LT_OK);
		struct lt_graph *g = parsed_in(ctx, want[i].graph);
		const struct lt_options options = { .size = sizeof options, .backends = "odd" };
		cr_assert_eq(tree_compile_marked((void *)(uintptr_t) "group call gemm\n" WIDE_LOOPS " m\n  n\n   j\n    %y\n", g,
				     &options, &p),
			LT_OK, "%s", lt_context_message(ctx));
		const struct lt_tree *t = &p->nests.frozen[0].tree;
		const struct lt_call *c = LT_AT(struct lt_call, t->calls, 0);
		cr_assert(c->n_dim == 4 && c->n_operand == 4 && c->epilogues == LT_EPILOGUE_BIAS);
		const struct lt_call_operand *bias = LT_AT(struct lt_call_operand, t->call_operands, c->first_operand + 3);
		for (int32_t d = 0; d < 4; d++)
			cr_expect_eq(t->strides[bias->first_stride + d], want[i].stride[d], "%lld along %s",
				(long long)t->strides[bias->first_stride + d],
				LT_AT(struct lt_call_dim, t->call_dims, c->first_dim + d)->var);
		lt_program_free(p);
		lt_graph_free(g);
		lt_context_free(ctx);
	}
}

/* The statement that sums, of one lane or of many that meet; not the one that resets, nor what comes after it. */
Test(call, names_the_statement_that_sums)
{
	static const struct { const char *tree; enum lt_stmt_kind kind; } want[] = {
		{ "group call gemm\n m\n  n\n   k\n    %p\n    %c\n   %d\n   %e\n   %y\n", LT_REDUCE },
		{ "group call gemm\n m\n  n\n   k vector\n    %p\n    %c\n   %d\n   %e\n   %y\n", LT_COMBINE },
		{ "group call gemm\n m\n  n\n   k step 4\n    k' vector\n     %p\n     %c\n   %d\n   %e\n   %y\n", LT_COMBINE },
	};
	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		struct lt_context *ctx;
		struct lt_program *p = NULL;
		odd_open();
		odd_routines(gemm, 2);
		cr_assert_eq(lt_context_new(&ctx), LT_OK);
		struct lt_graph *g = parsed_in(ctx, all);
		const struct lt_options options = { .size = sizeof options, .backends = "odd" };
		cr_assert_eq(tree_compile_marked((void *)(uintptr_t)want[i].tree, g, &options, &p), LT_OK, "%s%s", want[i].tree,
			lt_context_message(ctx));
		const struct lt_tree *t = &p->nests.frozen[0].tree;
		const struct lt_call *c = LT_AT(struct lt_call, t->calls, 0);
		cr_assert(t->calls.n == 1 && c->pattern == LT_PATTERN_PRODUCT && c->stmt >= 0
				&& c->stmt < (int32_t)t->stmts.n,
			"%s", want[i].tree);
		const struct lt_stmt *s = LT_AT(struct lt_stmt, t->stmts, c->stmt);
		cr_expect(s->kind == (int32_t)want[i].kind && !strcmp(s->name, "c"), "%s: %s, kind %d", want[i].tree,
			s->name, (int)s->kind);
		cr_expect_eq(c->epilogues, LT_EPILOGUE_BIAS | LT_EPILOGUE_RESIDUAL | LT_EPILOGUE_RELU);
		lt_program_free(p);
		lt_graph_free(g);
		lt_context_free(ctx);
	}
}

/* -- any tree -- */

static const struct lt_routine any[] = {
	{ .name = "gemm", LT_PATTERN_PRODUCT, 63, ALL_TYPES, ALL_TYPES, ALL_TYPES, 0, 0, LT_F64, ALL_LAYOUTS, 0 },
	{ .name = "gemm", LT_PATTERN_NONE, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
};

static void apply(struct lt_looptree **t, const char *steps)
{
	struct lt_looptree *next = NULL;
	if (lt_looptree_apply(*t, steps, strlen(steps), "random", 0, NULL, &next, NULL) == LT_OK) {
		lt_looptree_free(*t);
		*t = next;
	}
}

/* The plain tree after a few steps, with a group around the nest of a sum, or what is left of it inside some loops, for
 * a routine. */
static lt_status draw_tree(const struct lt_graph *g, const char *seed, struct lt_looptree **out)
{
	uint64_t rng = *(const uint64_t *)(const void *)seed;
	char step[2000];
	int kind;
	LT_TRY(lt_looptree_auto(g, NULL, out));
	for (int64_t n = random_between(&rng, 0, 5); n > 0; n--)
		if (random_step(*out, &rng, "bind call group called rfactor partials parallel", &kind, step, sizeof step))
			apply(out, step);
	for (lt_node n = 0; n < (*out)->graph->n_node; n++) {
		const struct lt_nodedef *d = &(*out)->graph->node[n];
		if (!d->reduce || (*out)->leaf_of[n] < 0)
			continue;
		lt_tnode at = lt__root_of(*out, (*out)->leaf_of[n]), loop = lt__reducing_loop(*out, n);
		while (random_chance(&rng, 30) && (*out)->node[at].child >= 0 && at != loop
			&& (*out)->node[(*out)->node[at].child].kind == LT_TLOOP)
			at = (*out)->node[at].child;
		if ((*out)->node[at].kind != LT_TLOOP)
			continue;
		snprintf(step, sizeof step, "group %s; call %%%s/group gemm", lt__loop_path(*out, at), d->name);
		apply(out, step);
	}
	return LT_OK;
}

static lt_status compile_drawn(
	void *seed, const struct lt_graph *g, const struct lt_options *o, struct lt_program **out)
{
	return tree_compile_by(draw_tree, seed, g, o, out);
}

Test(call, random_trees_of_random_products)
{
	uint64_t first = must_number("LT_SEED", 1), count = must_draws("LT_COUNT", 100);
	int calls = 0, refused = 0, ran = 0;
	for (uint64_t seed = first; seed < first + count; seed++) {
		struct lt_context *ctx;
		struct lt_graph *g;
		struct run_config config = { .backends = "odd", .compile = compile_drawn, .user = &seed };
		struct run_tally tally = { 0 };
		struct run_want want;
		char why[1000] = "";
		odd_open();
		odd_routines(any, 2);
		cr_assert_eq(lt_context_new(&ctx), LT_OK);
		random_product(ctx, seed / 2, &g);
		const struct lt_options options = { .size = sizeof options, .backends = "odd" };
		struct lt_program *p = NULL;
		lt_status st = compile_drawn(&seed, g, &options, &p);
		cr_assert(st == LT_OK || st == LT_EUNSUPPORTED, "seed %llu: %s", (unsigned long long)seed, lt_context_message(ctx));
		lt_program_free(p);
		refused += st != LT_OK;
		ran += st == LT_OK;
		if (st == LT_OK && odd_reported()->calls > 0) {
			calls += odd_reported()->calls;
			run_want_new(g, 2, random_product_fill, g, &want);
			cr_assert_eq(want.status, LT_OK, "%s", want.message);
			run_compare(&want, g, &config, NULL, NULL, &tally, why, sizeof why);
			cr_assert_str_eq(why, "", "seed %llu: %s\n%s", (unsigned long long)seed, why, odd_reported()->text);
			run_want_free(&want);
		}
		lt_graph_free(g);
		lt_context_free(ctx);
	}
	fprintf(stderr, "%d programs with %d calls ran, %d were refused\n", ran, calls, refused);
	cr_assert(count < 100 || calls > 15);
}
