/* test_auto_routines.c -- default trees hand products to a machine's routines: each row of its table what it can,
 * in examples, too. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "check/random/random.h"
#include "looptree/tree/tree.h"
#include "lt/frontend.h"
#include "program/run/run.h"
#include "tests/odd.h"
#include "tests/parsed.h"
#include "tests/script_run.h"
#include "tests/tree_text.h"

TestSuite(auto_routines, .timeout = 300);

#define ALL_TYPES (~UINT64_C(0))
#define BODY "%p = f32[m, n, k] mul %a, %b\n%c = f32[m, n] add.reduce %p\n"
#define HEAD "graph 1\nvar m 9\nvar k 12\nvar n 10\n"
static const char half[] =
	HEAD "%x = f16[m, k] input \"x\"\n%w = f16[k, n] constant \"w\"\n%v = f16[n] constant \"v\"\n%a = f32[m, k] "
	     "cast %x\n"
	     "%b = f32[k, n] cast %w\n" BODY
	     "%v32 = f32[n] cast %v\n%d = f32[m, n] add %c, %v32\n%y = f16[m, n] cast %d\nresult \"y\" = %y\n";
/* each weight is read once: what casts it is the loops that read it */
static const char one_row[] = "graph 1\nvar k 12\nvar n 10\n%a = f32[k] input \"a\"\n%w = f16[k, n] constant \"w\"\n"
	"%b = f32[k, n] cast %w\n%p = f32[n, k] mul %a, %b\n%c = f32[n] add.reduce %p\nresult \"c\" = %c\n";
static const char layer[] =
	HEAD "%a = f32[m, k] input \"a\"\n%b = f32[k, n] constant \"b\"\n%v = f32[n] constant \"v\"\n" BODY
	     "%d = f32[m, n] add %c, %v\n%s = f32[m, n] sigmoid %d\n%e = f32[m, n] mul %d, %s\n%y = f32[m, n] exp "
	     "%e\nresult \"y\" = %y\n";
static const char kept[] =
	HEAD "%a = f32[m, k] input \"a\"\n%b = f32[k, n] constant \"b\"\n%v = f32[n] constant \"v\"\n" BODY
	     "%d = f32[m, n] add %c, %v\nresult \"c\" = %c\nresult \"d\" = %d\n";
static const char across[] =
	HEAD "%a = f32[k, m] input \"a\"\n%b = f32[k, n] constant \"b\"\n%v = f32[n] constant \"v\"\n"
	     "%at = f32[m, k] view { %a[11 - k, m] }\n%p = f32[m, n, k] mul %at, %b\n%c = f32[m, n] add.reduce %p\n%r "
	     "= f32[n, m] view { %c[m, n] }\n"
	     "result \"r\" = %r\n";
/* %d's residual is another product, which a routine may have, too */
static const char both[] =
	HEAD "%a = f32[m, k] input \"a\"\n%b = f32[k, n] constant \"b\"\n%a2 = f32[m, k] input \"a2\"\n" BODY
	     "%p2 = f32[m, n, k] mul %a2, %b\n%c2 = f32[m, n] add.reduce %p2\n%d = f32[m, n] add %c, %c2\nresult \"d\" "
	     "= %d\n";
static const char squares[] =
	"graph 1\nvar m 9\nvar k 12\n%a = f32[m, k] input \"a\"\n%p = f32[m, k] mul %a, %a\n%c = f32[m] add.reduce %p\n"
	"result \"c\" = %c\n";

/* rows that a view cuts, side by side again */
static const char flat[] = HEAD "var i 3\nvar j 4\n%x = f32[m, i, j] input \"x\"\n%b = f32[k, n] constant \"b\"\n"
	"%a = f32[m, k] view { %x[m, floor(k / 4), k - 4*floor(k / 4)] }\n" BODY "result \"c\" = %c\n";

/* the sum is rounded before the bias is added; a bias and a residual; a batch */
static const char rounded[] =
	HEAD "%a = f32[m, k] input \"a\"\n%b = f32[k, n] constant \"b\"\n%v = f32[n] constant \"v\"\n" BODY
	     "%h = f16[m, n] cast %c\n%s = f32[m, n] cast %h\n%y = f32[m, n] add %s, %v\nresult \"y\" = %y\n";
static const char added[] =
	HEAD "%a = f32[m, k] input \"a\"\n%b = f32[k, n] constant \"b\"\n%v = f32[n] constant \"v\"\n%r = f32[m, n] "
	     "input \"r\"\n" BODY "%d = f32[m, n] add %c, %v\n%y = f32[m, n] add %d, %r\nresult \"y\" = %y\n";
static const char across_added[] =
	HEAD "%a = f32[m, k] input \"a\"\n%b = f32[k, n] constant \"b\"\n%r = f32[n, m] input \"r\"\n" BODY
	     "%s = f32[m, n] view { %r[n, m] }\n%y = f32[m, n] add %c, %s\nresult \"y\" = %y\n";
static const char batch[] = HEAD
	"var i 3\n%a = f32[i, m, k] input \"a\"\n%b = f32[i, k, n] constant \"b\"\n%p = f32[i, m, n, k] mul %a, %b\n"
	"%c = f32[i, m, n] add.reduce %p\nresult \"c\" = %c\n";

/* Rows of which the outer ones do not begin where the inner ones end, also where those of the most elements are
 * outside; an image in planes, whose columns are the pixels. */
static const char apart[] = HEAD "var i 3\nvar q 11\n%x = f32[i, q, k] input \"x\"\n%b = f32[k, n] constant \"b\"\n"
	"%a = f32[i, m, k] view { %x[i, m, k] }\n%p = f32[i, m, n, k] mul %a, %b\n%c = f32[i, m, n] add.reduce %p\n"
	"result \"c\" = %c\n";
static const char apart_inside[] = HEAD
	"var i 3\nvar q 5\n%x = f32[m, q, k] input \"x\"\n%b = f32[k, n] constant \"b\"\n"
	"%v = f32[n] constant \"v\"\n%a = f32[m, i, k] view { %x[m, i, k] }\n%p = f32[m, i, n, k] mul %a, %b\n"
	"%c = f32[m, i, n] add.reduce %p\n%d = f32[m, i, n] add %c, %v\nresult \"d\" = %d\n";
static const char planes[] = HEAD "var i 3\n%a = f32[m, k] constant \"a\"\n%b = f32[i, k, n] input \"b\"\n"
	"%p = f32[i, m, n, k] mul %a, %b\n%c = f32[i, m, n] add.reduce %p\nresult \"c\" = %c\n";
/* a bias of columns that would be batches is left to loops */
static const char apart_bias[] = HEAD
	"var i 3\nvar q 11\n%a = f32[m, k] input \"a\"\n%w = f32[i, q, k] constant \"w\"\n"
	"%v = f32[i, n] constant \"v\"\n%b = f32[i, n, k] view { %w[i, n, k] }\n%p = f32[m, i, n, k] mul %a, %b\n"
	"%c = f32[m, i, n] add.reduce %p\n%d = f32[m, i, n] add %c, %v\nresult \"d\" = %d\n";

/* Results that are written through views: rows that are two again, the bias taken; turned, where the bias does not lie
 * along the result any more, nor is there one. */
static const char shown[] = HEAD "var i 3\nvar s 27\n%x = f32[i, m, k] input \"x\"\n%b = f32[k, n] constant \"b\"\n"
	"%v = f32[n] constant \"v\"\n%p = f32[i, m, n, k] mul %x, %b\n%c = f32[i, n, m] add.reduce %p\n"
	"%d = f32[i, m, n] add %c, %v\n%r = f32[s, n] view { %d[floor(s / 9), s - 9*floor(s / 9), n] }\nresult \"r\" = %r\n";
#define TURNED(after, what) HEAD "%a = f32[m, k] input \"a\"\n%b = f32[k, n] constant \"b\"\n" \
	"%v = f32[n] constant \"v\"\n" BODY after "%r = f32[n, m] view { %" what "[m, n] }\nresult \"r\" = %r\n"
static const char turned[] = TURNED("", "c"), turned_bias[] = TURNED("%d = f32[m, n] add %c, %v\n", "d");

/* a value with one of two column dims, and one that lacks one */
#define WIDE \
	HEAD "var j 3\n%a = f32[m, k] input \"a\"\n%b = f32[k, n, j] constant \"b\"\n%v = f32[n] constant \"v\"\n%r " \
	     "= f32[m, j] input \"r\"\n" \
	     "%p = f32[m, n, j, k] mul %a, %b\n%c = f32[m, n, j] add.reduce %p\n"
static const char wide_bias[] = WIDE "%y = f32[m, n, j] add %c, %v\nresult \"y\" = %y\n";
static const char wide_lacks[] = WIDE "%y = f32[m, n, j] add %c, %r\nresult \"y\" = %y\n";

static const struct lt_routine halves_only[] = { { .name = "h", LT_PATTERN_PRODUCT, 1, 1u << LT_F16,
	1u << LT_F16, 1u << LT_F16,
	0, 0, LT_F32, 0, 0 } };
static const struct lt_routine wide_only[] = { { .name = "s", LT_PATTERN_PRODUCT, 1, 1u << LT_F32,
	1u << LT_F32, ALL_TYPES, 0,
	0, LT_F32, 0, 0 } };
static const struct lt_routine too_narrow[] = { { .name = "h", LT_PATTERN_PRODUCT, 63, ALL_TYPES, ALL_TYPES,
	ALL_TYPES, 0, 0,
	LT_F16, LT_LAYOUT_ANY, 0 } };
static const struct lt_routine plain_only[] = { { .name = "p", LT_PATTERN_PRODUCT, 0, ALL_TYPES, ALL_TYPES,
	ALL_TYPES, 0, 0,
	LT_F32, LT_LAYOUT_ANY, 0 } };
static const struct lt_routine in_order[] = { { .name = "none", LT_PATTERN_NONE, 63, ALL_TYPES, ALL_TYPES,
	ALL_TYPES, 0, 0,
						      LT_F32, LT_LAYOUT_ANY, 0 },
	{ .name = "large", LT_PATTERN_PRODUCT, 63, ALL_TYPES, ALL_TYPES, ALL_TYPES, 0, 0, LT_F32, LT_LAYOUT_ANY, 2161 },
	{ .name = "small", LT_PATTERN_PRODUCT, 63, ALL_TYPES, ALL_TYPES, ALL_TYPES, 0, 0, LT_F32, LT_LAYOUT_ANY, 2160 },
	{ .name = "last", LT_PATTERN_PRODUCT, 63, ALL_TYPES, ALL_TYPES, ALL_TYPES, 0, 0, LT_F32, LT_LAYOUT_ANY, 0 } };
static const struct lt_routine ordered[] = { { .name = "o", LT_PATTERN_PRODUCT, 63, ALL_TYPES, ALL_TYPES,
	ALL_TYPES, 0, 0,
	LT_F32, 0, 0 } };

/* what is added has to be of these types */
static const struct lt_routine typed[] = { { .name = "t", LT_PATTERN_PRODUCT, 3, 1u << LT_F32, 1u << LT_F32,
	1u << LT_F32,
	1u << LT_F64, 0, LT_F32, 0, 0 } };
static const struct lt_routine typed_both[] = { { .name = "t", LT_PATTERN_PRODUCT, 3, 1u << LT_F32,
	1u << LT_F32, 1u << LT_F32,
	1u << LT_I8 | 1u << LT_F32, 1u << LT_F64, LT_F32, 0, 0 } };
static const struct lt_routine with_batches[] = { { .name = "b", LT_PATTERN_PRODUCT, 0, ALL_TYPES, ALL_TYPES,
	ALL_TYPES, 0, 0,
	LT_F32, LT_LAYOUT_BATCH, 0 } };

static const struct lt_routine biased_batches[] = { { .name = "b", LT_PATTERN_PRODUCT, LT_EPILOGUE_BIAS,
	ALL_TYPES, ALL_TYPES,
	ALL_TYPES, 0, 0, LT_F32, LT_LAYOUT_BATCH, 0 } };

/* No tree can name the first two, and nobody knows the type that the third adds in. */
static const struct lt_routine unsound[] = { { .name = "a-b", LT_PATTERN_PRODUCT, 63, ALL_TYPES, ALL_TYPES,
	ALL_TYPES, 0, 0,
						     LT_F32, LT_LAYOUT_ANY, 0 },
	{ .name = NULL, LT_PATTERN_PRODUCT, 63, ALL_TYPES, ALL_TYPES, ALL_TYPES, 0, 0, LT_F32, LT_LAYOUT_ANY, 0 },
	{ .name = "c", LT_PATTERN_PRODUCT, 63, ALL_TYPES, ALL_TYPES, ALL_TYPES, 0, 0, 99, LT_LAYOUT_ANY, 0 } };

static const struct { const char *graph; const struct lt_routine *row; uint32_t n; const char *report; } tables[] = {
	{ half, halves_only, 1, "h: row m 9, column n 10, deep k 12; bias\n" },        /* casts go along, of constants, too */
	{ half, wide_only, 1, "s: row m 9, column n 10, deep k 12; bias\n" },          /* casts stay outside */
	{ half, too_narrow, 1, "" },
	{ one_row, wide_only, 1, "" },
	{ one_row, in_order + 3, 1, "last: column n 10, deep k 12\n" },               /* the cast goes along */
	{ layer, in_order, 4, "small: row m 9, column n 10, deep k 12; bias; silu\n" },
	{ layer, plain_only, 1, "p: row m 9, column n 10, deep k 12\n" },
	{ layer, wide_only, 1, "s: row m 9, column n 10, deep k 12; bias\n" },
	{ kept, in_order + 3, 1, "last: row m 9, column n 10, deep k 12\n" },
	{ across, in_order + 3, 1, "last: row n 10, column m 9, deep k 12\n" },        /* the result as it is wanted */
	{ across, ordered, 1, "" },                                                   /* a factor is read backwards */
	{ shown, ordered, 1, "o: row i_m 27, column n 10, deep k 12; bias\n" },
	{ turned, ordered, 1, "o: row n 10, column m 9, deep k 12\n" },
	{ turned_bias, ordered, 1, "o: row n 10, column m 9, deep k 12\n" },
	{ both, in_order + 3, 1, "last: row m 9, column n 10, deep k 12\nlast: row m 9, column n 10, deep k 12; residual\n" },
	{ both, plain_only, 1, "p: row m 9, column n 10, deep k 12\n" },               /* equal nests are one kernel */
	{ squares, in_order + 3, 1, "" },
	{ layer, unsound, 3, "" },
	{ flat, in_order + 3, 1, "last: row m 9, column n 10, deep k 12\n" },
	/* and the cast: f16 is a type of its results */
	{ rounded, in_order + 3, 1, "last: row m 9, column n 10, deep k 12\n" },
	{ added, typed, 1, "t: row m 9, column n 10, deep k 12\n" },
	{ added, typed_both, 1, "t: row m 9, column n 10, deep k 12; bias\n" },
	{ added, wide_only, 1, "s: row m 9, column n 10, deep k 12; bias\n" },
	{ across_added, in_order + 3, 1, "last: row m 9, column n 10, deep k 12; residual\n" },
	{ across_added, ordered, 1, "o: row m 9, column n 10, deep k 12\n" },         /* the residual lies across the result */
	{ batch, in_order + 3, 1, "" },
	{ wide_bias, in_order + 3, 1, "last: row m 9, column n 10, column j 3, deep k 12; bias\n" },
	{ wide_lacks, in_order + 3, 1, "last: row m 9, column n 10, column j 3, deep k 12\n" },
	{ batch, with_batches, 1, "b: batch i 3, row m 9, column n 10, deep k 12\n" },
	{ apart, with_batches, 1, "b: row i 3, row m 9, column n 10, deep k 12\n" },
	{ apart, ordered, 1, "" },                                                    /* which takes no batches */
	{ apart_inside, with_batches, 1, "b: row m 9, row i 3, column n 10, deep k 12\n" },
	{ planes, with_batches, 1, "b: row m 9, column i 3, column n 10, deep k 12\n" },
	{ apart_bias, biased_batches, 1, "b: row m 9, column i 3, column n 10, deep k 12\n" },        /* without the bias */
};

/* So many runs are as evaluation has it. */
static void expect_right(struct lt_graph *g, const char *backends, int runs, run_fill *fill, const char *what)
{
	struct run_want want;
	struct run_tally tally = { 0 };
	char why[1000] = "";
	run_want_new(g, runs, fill, g, &want);
	cr_assert_eq(want.status, LT_OK, "%s", want.message);
	run_compare(&want, g, &(struct run_config){ .backends = backends }, NULL, NULL, &tally, why, sizeof why);
	cr_expect_str_eq(why, "", "%s: %s", what, why);
	run_want_free(&want);
}

static void explain_call(void *said, const struct lt_explained *e)
{
	for (uint32_t i = 0; i < e->n_decided; i++)
		run_text_add(said, e->decided[i].text, strlen(e->decided[i].text));
}

Test(auto_routines, each_row_takes_what_it_can)
{
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		for (int vectors = 0; vectors < 2; vectors++) {
			struct lt_context *ctx;
			struct lt_graph *g;
			odd_open()->vector_bytes = vectors ? 12 : 0;
			odd_routines(tables[i].row, tables[i].n);
			cr_assert_eq(lt_context_new(&ctx), LT_OK);
			cr_assert_eq(lt_graph_parse(ctx, tables[i].graph, strlen(tables[i].graph), "test", &g), LT_OK,
				"%s", lt_context_message(ctx));
			expect_right(g, vectors ? "odd" : "odd,ref", 2, tree_fill, tables[i].graph);
			cr_expect_str_eq(odd_reported()->text, tables[i].report, "table %zu: %s\n%s", i,
				odd_reported()->text, tables[i].graph);
			lt_graph_free(g);
			lt_context_free(ctx);
		}
}

/* What a run of the graph on "odd" alone says of calls in the explanation; results are right. */
static struct run_text without_calls(const char *text)
{
	struct run_text said = { NULL, 0 };
	struct lt_graph *g = parsed(text);
	struct lt_program *p;
	struct lt_options options = { .size = sizeof options, .backends = "odd", .explain = explain_call, .user = &said };
	cr_assert_eq(lt_compile(g->ctx, g, &options, &p), LT_OK, "%s", lt_context_message(g->ctx));
	lt_program_free(p);
	expect_right(g, "odd", 2, tree_fill, text);
	parsed_free(g);
	return said;
}

/* A default tree is never refused for its calls: there is one without them, for the same backend, with grids or not. */
Test(auto_routines, a_refused_call_is_made_of_loops)
{
	static const char *const graphs[] = { half, layer, both, batch };
	for (size_t i = 0; i < 2 * sizeof graphs / sizeof *graphs; i++) {
		odd_open()->vector_bytes = i % 2 ? 12 : 0;
		odd_routines(in_order + 3, 1);
		odd_refuse_calls();
		struct run_text said = without_calls(graphs[i / 2]);
		if (graphs[i / 2] != batch)             /* which the routine does not take */
			cr_expect_not_null(strstr(said.at ? said.at : "", "tree: no call, as the one that it had was refused: odd refuses "
				"it: calls are not taken today"), "%s", said.at);
		cr_expect_eq(odd_reported()->calls, 0);
		cr_expect_gt(odd_reported()->others, 0);
		run_text_free(&said);
	}
}

/* The product, and the exponentials that the routine does not have. */
Test(auto_routines, nests_are_asked_for_at_once)
{
	odd_open();
	odd_routines(plain_only, 1);
	struct run_text said = without_calls(layer);
	cr_expect_eq(odd_reported()->together, 2, "%d", odd_reported()->together);
	run_text_free(&said);
}

/* Bytes of the default tree of so many products, one after the other, each a call. */
static int64_t bytes_of_chain(int links)
{
	struct run_counter counter;
	struct lt_context *ctx;
	struct lt_graph *g;
	struct lt_looptree *t;
	char *text = malloc((size_t)links * 300 + 200), *at = text;
	at += sprintf(at, "graph 1\nvar m 4\nvar a 4\nvar b 4\n%%y0 = f32[m, a] input \"x\"\n");
	for (int i = 0; i < links; i++) {
		const char *in = i % 2 ? "b" : "a", *out = i % 2 ? "a" : "b";
		at += sprintf(at,
			"%%w%d = f32[%s, %s] constant \"w%d\"\n%%v%d = f32[%s] constant \"v%d\"\n%%p%d = f32[m, a, b] "
			"mul %%y%d, %%w%d\n"
			"%%c%d = f32[m, %s] add.reduce %%p%d\n%%y%d = f32[m, %s] add %%c%d, %%v%d\n",
			i, in, out, i, i, out, i, i, i, i, i, out, i, i + 1, out, i, i);
	}
	sprintf(at, "result \"y\" = %%y%d\n", links);
	cr_assert_eq(run_context(&counter, &ctx), LT_OK);
	cr_assert_eq(lt_graph_parse(ctx, text, strlen(text), "chain", &g), LT_OK, "%s", lt_context_message(ctx));
	int64_t before = counter.bytes;
	cr_assert_eq(lt_looptree_auto(g, odd_open(), &t), LT_OK, "%s", lt_context_message(ctx));
	int64_t bytes = counter.bytes - before;
	cr_expect_eq(t->n_root, links);
	lt_looptree_free(t);
	lt_graph_free(g);
	lt_context_free(ctx);
	free(text);
	return bytes;
}

/* Looking for what follows one product does not go through all of the graph. */
Test(auto_routines, a_long_chain_of_calls_stays_linear)
{
	int64_t some = bytes_of_chain(250), more = bytes_of_chain(1000);
	cr_expect(more < 5 * some, "%lld bytes for 250 products, %lld for 1000", (long long)some, (long long)more);
}

/* -- whole programs on the odd machine -- */

static char *read_file(const char *path, size_t *bytes)
{
	char *text = script_file(path, bytes);
	cr_assert(text != NULL, "%s cannot be read", path);
	return text;
}

static void fill_small(void *graph, int run, lt_node n, void *out)
{
	const struct lt_graph *g = graph;
	uint64_t rng = (uint64_t)n * 77 + (uint64_t)(g->node[n].op == LT_OP_constant ? 0 : run);
	for (int64_t i = 0; i < lt__node_elems(g, n); i++) {
		union lt_scalar x = { .f = (double)random_between(&rng, -64, 64) / 128 };
		lt__store(out, i, g->node[n].dtype, lt__round_to(x, g->node[n].dtype));
	}
}

static void keep(void *user, const char *text, size_t bytes) { run_text_add(user, text, bytes); }

static void run_script(const char *path, const char *report)
{
	struct lt_context *ctx;
	struct lt_graph *g;
	struct lt_program *p;
	size_t bytes;
	char *script = read_file(path, &bytes);
	odd_open();
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt_parse(ctx, script, bytes, path, "script", &g), LT_OK, "%s", lt_context_message(ctx));
	const struct lt_options options = { .size = sizeof options, .backends = "odd" };
	cr_assert_eq(lt_compile(ctx, g, &options, &p), LT_OK, "%s", lt_context_message(ctx));
	struct run_text tree = { NULL, 0 };
	cr_assert_eq(lt_looptree_print(p->tree, keep, &tree), LT_OK);
	cr_expect_not_null(strstr(tree.at, "group call dot_bias"), "%s", tree.at);
	cr_expect_not_null(strstr(tree.at, " vector"), "%s", tree.at);
	cr_expect_str_eq(odd_reported()->text, report, "%s\n%s", odd_reported()->text, tree.at);
	cr_expect_not_null(strstr(tree.at, "\ntarget odd\n"));
	run_text_free(&tree);
	lt_program_free(p);
	expect_right(g, "odd", 1, fill_small, path);
	lt_graph_free(g);
	lt_context_free(ctx);
	free(script);
}

Test(auto_routines, matmul)
{
	run_script("examples/matmul.lt", "dot_bias: row m 64, column n 128, deep k 256; bias\n");
}
Test(auto_routines, mlp)
{
	run_script("examples/mlp.lt",
		"dot_bias: row m 48, column n 256, deep k 64\ndot_bias: row m 48, column k 64, deep n 256\n");
}
Test(auto_routines, attention)
{
	run_script("examples/attention.lt",
		"dot_bias: batch i 4, row j 48, column j2 48, deep k 32\ndot_bias: batch i 4, row j 48, column k3 32, "
		"deep j2 48\n");
}
