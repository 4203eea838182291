/* test_depend.c -- legality: the exact check against enumeration, the structural one against the exact one. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "ir/pass/pass.h"
#include "looptree/legality/legality.h"
#include "looptree/tree/tree.h"
#include "program/run/run.h"
#include "check/random/random.h"
#include "tests/script_run.h"
#include "tests/tree_enum.h"
#include "tests/tree_text.h"

TestSuite(depend, .timeout = 300);

static double now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

struct fixture { struct lt_context *ctx; struct lt_graph *g; struct lt_looptree *t; lt_status status; };

static struct fixture open_graph(const char *graph)
{
	struct fixture f = { NULL, NULL, NULL, LT_OK };
	cr_assert_eq(lt_context_new(&f.ctx), LT_OK);
	cr_assert_eq(lt_graph_parse(f.ctx, graph, strlen(graph), "test", &f.g), LT_OK, "%s\n%s",
		lt_context_message(f.ctx), graph);
	return f;
}

static struct fixture open_tree(const char *graph, const char *tree)
{
	struct fixture f = open_graph(graph);
	f.status = tree_from(f.g, tree, &f.t);
	return f;
}

static void close_tree(struct fixture *f)
{
	lt_looptree_free(f->t);
	lt_graph_free(f->g);
	lt_context_free(f->ctx);
}

/* The loop over a var that is the n-th in the order of the text. */
static void set_kind(struct fixture *f, const char *var, int n, enum lt_loop_kind kind)
{
	for (lt_tnode at = lt_looptree_after(f->t, -1); at >= 0; at = lt_looptree_after(f->t, at))
		if (f->t->node[at].kind == LT_TLOOP && f->t->node[at].var == tree_var(f->g, var) && n-- == 0) {
			f->t->node[at].loop = kind;
			return;
		}
	cr_assert(false, "there is no such loop over %s", var);
}

static void expect_legal(const char *graph, const char *tree)
{
	struct fixture f = open_tree(graph, tree);
	cr_assert_eq(f.status, LT_OK, "%s%s", tree, lt_context_message(f.ctx));
	cr_assert_eq(lt_looptree_verify(f.t), LT_OK, "%s%s", tree, lt_context_message(f.ctx));
	close_tree(&f);
}

/* -- the cases that the formulation was tried on -- */

#define PRODUCT \
	"graph 1\nvar m 1021\nvar n 1023\nvar k 1025\n%a = f32[m, k] input \"a\"\n%b = f32[k, n] input \"b\"\n%Ap = " \
	"f32[m, k] copy %a\n" \
	"%Bp = f32[k, n] copy %b\n%p = f32[m, n, k] mul %Ap, %Bp\n%c = f32[m, n] add.reduce %p\nresult \"c\" = %c\n"
#define BLOCKED \
	"n/2048\n k/512\n  n/64\n   k\n    n\n     %Bp\n  m/384\n   m/6\n    k\n     m\n      %Ap\n   n/64\n    " \
	"m/6\n     k/8\n" \
	"      k\n       m\n        n/16\n         n\n          %p\n          %c\n"

Test(depend, blocked_product_of_ten_loops)
{
	struct fixture f = open_tree(PRODUCT, BLOCKED);
	cr_assert_eq(f.status, LT_OK, "%s", lt_context_message(f.ctx));
	for (int parallel = 0; parallel < 2; parallel++) {
		double start = now_ms();
		cr_assert_eq(lt_looptree_verify(f.t), LT_OK, "%s", lt_context_message(f.ctx));
		double exact = now_ms() - start;
		start = now_ms();
		cr_assert_eq(lt__verify_tree(f.t), LT_OK, "%s", lt_context_message(f.ctx));
		cr_log_warn("blocked product%s: exact %.1f ms, by structure %.3f ms",
			parallel ? ", outer loop parallel" : "", exact, now_ms() - start);
		set_kind(&f, "n", 0, LT_PARALLEL);
	}
	close_tree(&f);
}

/* Memory follows from the tree, so a buffer too small for it is made by hand. */
Test(depend, a_cell_that_is_not_the_one_written_is_found)
{
	struct fixture f = open_tree(PRODUCT, BLOCKED);
	lt_node packed = tree_node(f.g, "Bp");
	lt_tnode k = f.t->node[f.t->root].child;
	cr_assert_eq(f.t->scope[packed].owner, k);
	f.t->scope[packed].owner = f.t->node[k].child;          /* the loop over n/64 that packs: not that of its reader */
	cr_assert_eq(lt_looptree_verify(f.t), LT_EILLEGAL);
	cr_assert(strstr(lt_context_message(f.ctx), "%p at n = "), "%s", lt_context_message(f.ctx));
	close_tree(&f);
}

Test(depend, key_value_cache_and_attention_over_what_is_filled)
{
	static const char graph[] =
		"graph 1\nvar s 1024\nvar t 1024 limit 1 + p\nvar one 1\nvar h 12\nvar d 64\nvar j 768\nvar l 1\n"
		"param p = %pos[0] in 0..1023\n%pos = i64[one] input \"pos\"\n%cache = f32[s, j] state \"cache\"\n%key "
		"= f32[l, j] input \"key\"\n"
		"%q = f32[h, d] input \"q\"\n%k2 = f32[l, j] neg %key\n%u = f32[s, j] update %cache, %k2 at [p, 0]\n"
		"%v = f32[h, t, d] view { %u[t, 64*h + d] }\n%x = f32[h, t, d] mul %q, %v\n%y = f32[h, t] add.reduce "
		"%x\n%m = f32[h] max.reduce %y\n"
		"%z = f32[h, t] sub %y, %m\nresult \"z\" = %z\nset %cache = %u\n";
	expect_legal(graph, "l\n j\n  %k2\n  %u\nh\n t\n  d\n   %x\n   %y\n t\n  %m\n t\n  %z\n");
	expect_legal(graph,
		".\n l\n  j\n   %k2\n   %u\n h/4\n  t/100\n   h\n    t\n     d/16\n      d\n       %x\n       %y\n  "
		"h\n   t\n    %m\n   t\n    %z\n");
	struct fixture f = open_tree(graph, "l\n j\n  %k2\nh\n t\n  d\n   %x\n   %y\n t\n  %m\n t\n  %z\nl\n j\n  %u\n");
	cr_assert_eq(f.status, LT_EILLEGAL);
	cr_assert(strstr(lt_context_message(f.ctx), "%x reads %u, which is written after it"), "%s",
		lt_context_message(f.ctx));
	close_tree(&f);
}

Test(depend, window_of_three_over_a_staged_image)
{
	expect_legal("graph 1\nvar b 2\nvar c 16\nvar y 56\nvar x 56\nvar o 32\nvar oy 56\nvar ox 56\nvar i 3\nvar j "
		     "3\n%in = f32[b, c, y, x] input \"x\"\n"
		     "%w = f32[o, c, i, j] input \"w\"\n%r = f32[b, c, y, x] abs %in\n%v = f32[b, c, oy, ox, i, j] "
		     "view { %r[b, c, oy + i - 1, ox + j - 1] if oy + i - 1 >= 0, 56 - oy - i >= 0, ox + j - 1 >= 0, "
		     "56 - ox - j >= 0; else 0.0 }\n%p = f32[b, o, oy, ox, c, i, j] mul %v, %w\n"
		     "%s = f32[b, o, oy, ox] add.reduce %p\nresult \"s\" = %s\n",
		"b\n c\n  y\n   x\n    %r\n o\n  oy/4\n   oy\n    ox\n     c\n      i\n       j\n        %p\n        "
		"%s\n");
}

/* -- other trips of a shared loop -- */

#define BEFORE "graph 1\nvar b 3\nvar m 9\n%x = f32[b, m] input \"x\"\n%y = f32[b, m] add %x, %x\n" \
	"%v = f32[b, m] view { %y[b, m - 1] if m - 1 >= 0; else 0.0 }\n%z = f32[b, m] add %v, %y\nresult \"z\" = %z\n"
#define BEHIND "graph 1\nvar b 3\nvar m 9\n%x = f32[b, m] input \"x\"\n%y = f32[b, m] add %x, %x\n" \
	"%v = f32[b, m] view { %y[b, m + 1] if 7 - m >= 0; else 0.0 }\n%z = f32[b, m] add %v, %y\nresult \"z\" = %z\n"

Test(depend, the_element_before_may_share_the_loop)
{
	static const char *const trees[] = { "b\n m\n  %y\n  %z\n", "m\n b\n  %y\n  %z\n",
		"b\n m/4\n  m/2\n   m\n    %y\n    %z\n", "m/3\n b\n  m\n   %y\n   %z\n",
		"m/3\n b\n  m\n   %y\n  m/2\n   m\n    %z\n", "b/2\n m/5\n  b\n   m\n    %y\n   m\n    %z\n" };
	for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
		struct fixture f = open_tree(BEFORE, trees[i]);
		cr_assert_eq(f.status, LT_OK, "%s%s", trees[i], lt_context_message(f.ctx));
		lt_node y = tree_node(f.g, "y");
		cr_assert_eq(f.t->scope[y].extent[1], 9, "m stays whole");
		const char *why = tree_check(f.g, trees[i], "ref");
		cr_assert_str_eq(why, "", "%s%s", trees[i], why);
		why = i < 2 ? tree_check(f.g, trees[i], "cpu") : "";
		cr_assert_str_eq(why, "", "%s%s", trees[i], why);
		close_tree(&f);
	}
	struct fixture f = open_tree(BEFORE, trees[0]);
	lt_node y = tree_node(f.g, "y");
	cr_assert(!f.t->scope[y].whole && f.t->scope[y].owner == f.t->root && f.t->scope[y].extent[0] == 1,
		"a row, owned by the loop over b");
	close_tree(&f);
}

static const struct { const char *graph, *tree, *say[3];
} refused[] = {
	{ BEHIND, "b\n m\n  %y\n  %z\n",
		{ "%z reads elements of %y from other iterations of the shared loop over m",
			"%z at b = 0, m = 0 reads element 0, 1 of %y, which is written at b = 0, m = 1",
			"give it a loop of its own after "
			"that of %y" } },
	{ BEHIND, "m/4\n b\n  m\n   %y\n  m\n   %z\n",
		{ "%z at m = 3, b = 0 reads element 0, 4 of %y, which is written at b = 0, m = 4" } },
};

Test(depend, the_element_behind_may_not)
{
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		struct fixture f = open_tree(refused[i].graph, refused[i].tree);
		cr_assert_eq(f.status, LT_EILLEGAL, "%s is not refused", refused[i].tree);
		for (int k = 0; k < 3 && refused[i].say[k]; k++)
			cr_assert(strstr(lt_context_message(f.ctx), refused[i].say[k]), "'%s' does not say '%s'",
				lt_context_message(f.ctx), refused[i].say[k]);
		close_tree(&f);
	}
}

/* -- loops whose trips run in any order -- */

#define SUMS \
	"graph 1\nvar m 9\nvar k 4\n%x = f32[m, k] input \"x\"\n%y = f32[m, k] exp %x\n%s = f32[m] add.reduce %y\n%e " \
	"= f32[m, k] div %y, %s\n" \
	"result \"e\" = %e\n"
#define REPEATED \
	"graph 1\nvar m 9\nvar k 4\n%x = f32[m] input \"x\"\n%y = f32[m] exp %x\n%z = f32[m, k] cast %y\nresult " \
	"\"z\" = %z\n"

static const struct { const char *graph, *tree, *var; int n; enum lt_loop_kind kind; const char *say[3];
} kinds[] = {
	{ SUMS, "m\n k\n  %y\n  %s\n k\n  %e\n", "m", 0, LT_PARALLEL, { NULL } },
	{ SUMS, "m\n k\n  %y\n  %s\n k\n  %e\n", "k", 0, LT_VECTOR, { NULL } },
	{ SUMS, "m\n k\n  %y\n  %s\n k\n  %e\n", "k", 0, LT_BLOCK, { NULL } },
	{ SUMS, "m\n k\n  %y\n  %s\n k\n  %e\n", "k", 1, LT_PARALLEL, { NULL } },
	{ SUMS, "m\n k\n  %y\n  %s\n k\n  %e\n", "k", 0, LT_PARALLEL,
		{ "the parallel loop over k reduces %s: its iterations "
		  "at m = 0, k = 0 and m = 0, k = 1 add to the same element 0 of %s",
			"rfactor %s over it first" } },
	{ SUMS, "m\n k\n  %y\n  %s\n k\n  %e\n", "k", 0, LT_GRID, { "the grid loop over k reduces %s" } },
	{ BEFORE, "b\n m\n  %y\n  %z\n", "b", 0, LT_PARALLEL, { NULL } },
	{ BEFORE, "b\n m\n  %y\n  %z\n", "m", 0, LT_PARALLEL,
		{ "the parallel loop over m carries a dependence: %z at b = 0, m = 1 reads element 0, 0 of %y, which "
		  "another iteration, at b = 0, m = 0, writes",
			"make it serial" } },
	{ BEFORE, "b\n m\n  %y\n  %z\n", "m", 0, LT_UNROLL, { NULL } },
	/* a leaf that a loop repeats */
	{ REPEATED, "m\n k\n  %y\n  %z\n", "k", 0, LT_PARALLEL, { NULL } },
	{ REPEATED, "k\n m\n  %y\nk\n m\n  %z\n", "k", 0, LT_PARALLEL,
		{ "the parallel loop over k repeats %y: its iterations "
		  "at k = 0, m = 0 and k = 1, m = 0 both write element 0 of %y",
			"move %y out of the loop" } },
	{ REPEATED, "k\n m\n  %y\nk\n m\n  %z\n", "k", 0, LT_SERIAL, { NULL } },
};

Test(depend, parallel_trips_share_nothing)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		struct fixture f = open_tree(kinds[i].graph, kinds[i].tree);
		cr_assert_eq(f.status, LT_OK, "%s%s", kinds[i].tree, lt_context_message(f.ctx));
		set_kind(&f, kinds[i].var, kinds[i].n, kinds[i].kind);
		lt_status want = kinds[i].say[0] ? LT_EILLEGAL : LT_OK;
		cr_assert_eq(lt_looptree_verify(f.t), want, "case %d: %s", (int)i, lt_context_message(f.ctx));
		cr_assert_eq(lt__verify_tree(f.t), want, "case %d: %s", (int)i, lt_context_message(f.ctx));
		for (int k = 0; k < 3 && kinds[i].say[k]; k++)
			cr_assert(strstr(lt_context_message(f.ctx), kinds[i].say[k]), "'%s' does not say '%s'",
				lt_context_message(f.ctx), kinds[i].say[k]);
		cr_assert_eq(*tree_enumerate(f.t, NULL) == '\0', want == LT_OK, "case %d: %s", (int)i, tree_enumerate(f.t, NULL));
		close_tree(&f);
	}
}

/* -- rules of their own -- */

Test(depend, a_loop_that_may_have_no_trips_computes_nothing_for_others)
{
	static const char graph[] = "graph 1\nvar t 13 limit p\nvar m 5\nvar one 1\nparam p = %pos[0] in 0..13\n%pos = "
				    "i64[one] input \"pos\"\n"
				    "%x = f32[m] input \"x\"\n%w = f32[t, m] input \"w\"\n%y = f32[m] exp %x\n%z = "
				    "f32[t, m] mul %w, %y\n%s = f32[m] neg %y\nresult \"z\" = %z\n"
				    "result \"s\" = %s\n";
	expect_legal(graph, "m\n %y\n t\n  %z\n %s\n");
	struct fixture f = open_tree(graph, "t\n m\n  %y\n  %z\nm\n %s\n");
	cr_assert_eq(f.status, LT_EILLEGAL);
	cr_assert(strstr(lt_context_message(f.ctx), "the loop over t may have no iterations, and %y, which has no var t, "
		"would then not be computed"), "%s",
		lt_context_message(f.ctx));
	close_tree(&f);
}

Test(depend, an_update_has_its_old_value_from_another_nest)
{
	struct fixture f = open_tree(
		"graph 1\nvar m 9\nvar i 3\n%x = f32[m] input \"x\"\n%y = f32[m] add %x, %x\n%p = f32[i] input \"p\"\n"
		"%u = f32[m] update %y, %p at [2]\n%z = f32[m] add %u, %u\nresult \"z\" = %z\n",
		".\n m\n  %y\n i\n  %u\n m\n  %z\n");
	cr_assert_eq(f.status, LT_EILLEGAL);
	cr_assert(strstr(lt_context_message(f.ctx), "give %u a root nest of its own"), "%s", lt_context_message(f.ctx));
	close_tree(&f);
}

#define GATHER \
	"graph 1\nvar v 7\nvar d 5\nvar i 4\n%x = f32[v, d] input \"x\"\n%t = i32[i] input \"t\"\n%y = f32[v, d] exp " \
	"%x\n" \
	"%z = f32[i, d] gather %y, %t axis 0\nresult \"z\" = %z\n"

/* Which element is read is known only at run time: any along the axis. */
Test(depend, a_gathered_axis_is_complete_before)
{
	expect_legal(GATHER, "d\n v\n  %y\n i\n  %z\n");
	expect_legal(GATHER, "d/2\n v\n  d\n   %y\n i\n  d\n   %z\n");
	struct fixture f = open_tree(GATHER, "v\n d\n  %y\n  i\n   %z\n");
	cr_assert_eq(f.status, LT_EILLEGAL);
	cr_assert(strstr(lt_context_message(f.ctx),
			  "%z at v = 0, d = 0, i = 0 reads element 1, 0 of %y, which is written at v = 1, d = 0"),
		"%s", lt_context_message(f.ctx));
	close_tree(&f);
}

Test(depend, a_spent_budget_is_a_refusal)
{
	struct fixture f = open_tree(PRODUCT, BLOCKED);
	f.t->budget = 50;
	cr_assert_eq(lt_looptree_verify(f.t), LT_EILLEGAL);
	cr_assert(strstr(lt_context_message(f.ctx), "not proven within the budget: that "), "%s", lt_context_message(f.ctx));
	f.t->budget = 0;
	cr_assert_eq(lt_looptree_verify(f.t), LT_OK, "%s", lt_context_message(f.ctx));
	close_tree(&f);
}

static int count_down(void *left) { return (*(int *)left)-- <= 0; }

/* A caller who ends a proof gets no verdict, within a question to isl, too; one who is asked and lets it go on gets the
 * same one as without. */
static void expect_no_verdict_of_what_is_ended(const char *graph, const char *tree, lt_status want)
{
	struct fixture f = open_tree(graph, tree);
	char said[sizeof f.ctx->message];
	int n_ended = 0, n_done = 0;
	cr_assert_eq(lt_looptree_verify(f.t), want);
	strcpy(said, lt_context_message(f.ctx));
	f.ctx->asks_always = true;
	for (int k = 0; n_done == 0; k++) {
		int left = k;
		lt_context_clear(f.ctx);
		lt_context_cancel(f.ctx, count_down, &left);
		const lt_status st = lt_looptree_verify(f.t);
		cr_assert(st == LT_ECANCELLED || st == want, "%d: %s", k, lt_context_message(f.ctx));
		if (st == want)
			cr_expect_str_eq(lt_context_message(f.ctx), said);
		n_ended += st == LT_ECANCELLED;
		n_done += st == want;
	}
	cr_expect_gt(n_ended, 5);
	lt_context_cancel(f.ctx, NULL, NULL);
	close_tree(&f);
}

Test(depend, what_is_ended_has_no_verdict)
{
	expect_no_verdict_of_what_is_ended(PRODUCT, BLOCKED, LT_OK);
	expect_no_verdict_of_what_is_ended(GATHER, "v\n d\n  %y\n  i\n   %z\n", LT_EILLEGAL);
}

Test(depend, an_unfinished_tree_is_not_proven)
{
	struct fixture f = open_graph(SUMS);
	cr_assert_eq(lt_looptree_new(f.g, &f.t), LT_OK);
	cr_assert_eq(lt_looptree_verify(f.t), LT_EINVAL);
	cr_assert_str_eq(lt_context_message(f.ctx), "the tree is not finished: call lt_looptree_finish first");
	close_tree(&f);
}

/* -- default trees -- */

Test(depend, default_trees_of_all_examples_are_legal)
{
	static const char *const files[] = { "examples/attention.lt", "examples/cache.lt", "examples/conv.lt",
		"examples/first.lt", "examples/gather.lt", "examples/hamkaas-mnist.lt", "examples/layernorm.lt",
		"examples/matmul.lt", "examples/mlp.lt", "examples/softmax.lt", "examples/mnist/mnist.lt",
		"examples/llama/tiny.lt", "examples/llama/stories15M.lt" };
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		struct fixture f = { NULL, NULL, NULL, LT_OK };
		struct lt_graph *parsed, *passed;
		size_t bytes;
		char *text = script_file(files[i], &bytes);
		cr_assert_not_null(text, "%s", files[i]);
		cr_assert_eq(lt_context_new(&f.ctx), LT_OK);
		cr_assert_eq(lt_parse(f.ctx, text, bytes, files[i], NULL, &parsed), LT_OK, "%s", lt_context_message(f.ctx));
		cr_assert_eq(lt__passes_run(parsed, NULL, NULL, &passed), LT_OK, "%s", lt_context_message(f.ctx));
		cr_assert_eq(lt__materialize(passed, &f.g), LT_OK, "%s", lt_context_message(f.ctx));
		cr_assert_eq(lt_looptree_auto(f.g, NULL, &f.t), LT_OK, "%s", lt_context_message(f.ctx));
		cr_assert(f.t->plain, "%s: the structure tells", files[i]);
		double start = now_ms();
		cr_assert_eq(lt_looptree_verify(f.t), LT_OK, "%s: %s", files[i], lt_context_message(f.ctx));
		cr_log_warn("%s: exact %.1f ms, %d tree nodes", files[i], now_ms() - start, (int)f.t->n_node);
		lt_graph_free(parsed);
		lt_graph_free(passed);
		free(text);
		close_tree(&f);
	}
}
