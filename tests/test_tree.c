/* test_tree.c -- trees by hand: tails, reductions, resets, sharing; walks; every refusal with its sentence. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ir/pass/pass.h"
#include "looptree/tree/tree.h"
#include "program/run/run.h"
#include "check/random/random.h"
#include "tests/parsed.h"
#include "tests/tree_text.h"
#include "program/program.h"

TestSuite(tree, .timeout = 300);

static void expect_right(const char *graph, const char *tree, const char *backends)
{
	struct lt_graph *g = parsed(graph);
	const char *why = tree_check(g, tree, backends);
	cr_assert_str_eq(why, "", "with the tree\n%sof\n%s%s", tree, graph, why);
	parsed_free(g);
}

#define SUM_ROWS \
	"graph 1\nvar m 41\nvar k 29\n%x = f32[m, k] input \"x\"\n%y = f32[m] add.reduce %x\nresult \"y\" = %y\n"
#define POINTWISE "graph 1\nvar m 41\n%x = f32[m] input \"x\"\n%y = f32[m] add %x, %x\nresult \"y\" = %y\n"
#define MATMUL "graph 1\nvar m 13\nvar k 17\nvar n 11\n%a = f32[m, k] input \"a\"\n%b = f32[k, n] input \"b\"\n" \
	"%p = f32[m, n, k] mul %a, %b\n%c = f32[m, n] add.reduce %p\nresult \"c\" = %c\n"
#define MATMUL_RELU "graph 1\nvar m 13\nvar k 17\nvar n 11\n%a = f32[m, k] input \"a\"\n%b = f32[k, n] input \"b\"\n" \
	"%v = f32[n] input \"v\"\n%zero = f32[] lit 0.0\n%p = f32[m, n, k] mul %a, %b\n%c = f32[m, n] add.reduce %p\n" \
	"%d = f32[m, n] add %c, %v\n%e = f32[m, n] max %d, %zero\nresult \"e\" = %e\n"
#define BOUNDED \
	"graph 1\nvar t 13 limit p\nvar m 5\nparam p = %pos[0] in 0..13\nvar one 1\n%pos = i64[one] input \"pos\"\n" \
	"%x = f32[t, m] input \"x\"\n%y = f32[m] add.reduce %x\n%z = f32[t, m] add %x, %y\nresult \"y\" = %y\nresult " \
	"\"z\" = %z\n"
#define TWO_SUMS \
	"graph 1\nvar m 7\nvar k 19\n%x = f32[m, k] input \"x\"\n%s = f32[m] add.reduce %x\n%q = f32[m, k] mul %x, " \
	"%x\n" \
	"%t = f32[m] add.reduce %q\n%u = f32[m] add %s, %t\nresult \"u\" = %u\n"
#define SOFTMAX \
	"graph 1\nvar m 6\nvar k 19\n%x = f32[m, k] input \"x\"\n%h = f32[m] max.reduce %x\n%d = f32[m, k] sub %x, " \
	"%h\n" \
	"%e = f32[m, k] exp %d\n%s = f32[m] add.reduce %e\n%y = f32[m, k] div %e, %s\nresult \"y\" = %y\n"

static const struct { const char *graph, *tree; bool compiled; } right[] = {
	/* nested tails: 41 in steps 13, 3, 1 has rests 2 and 1 */
	{ POINTWISE, "m/13\n m/3\n  m\n   %y\n", true },
	{ POINTWISE, "m/40\n m/40\n  m/7\n   m/7\n    m\n     m\n      %y\n", true },
	{ POINTWISE, "m/41\n m\n  %y\n", false },
	{ POINTWISE, "m/100\n m/13\n  m\n   %y\n", false },
	{ POINTWISE, "m/9223372036854775807\n m\n  %y\n", true },
	{ SUM_ROWS, "k/4611686018427387904\n m/4611686018427387904\n  k/9999999999999999\n   m\n    k\n     %y\n", false },
	{ POINTWISE, "m/1000\n m/41\n  m/40\n   m/2\n    m\n     %y\n", true },
	/* reduced loops split, in every order with the others */
	{ SUM_ROWS, "m\n k/5\n  k\n   %y\n", false },
	{ SUM_ROWS, "k/5\n m/3\n  k/2\n   m\n    k\n     %y\n", true },
	{ SUM_ROWS, "m/13\n k/8\n  m/3\n   k/3\n    m\n     k\n      %y\n", true },
	{ SUM_ROWS, "k\n m\n  %y\n", false },
	/* a leaf below a loop that it does not have runs again, its reduction starts again */
	{ MATMUL, "n\n m\n  k\n   %p\n   %c\n", false },
	{ MATMUL, "k/6\n m/5\n  n/4\n   k\n    n\n     m\n      %p\n      %c\n", true },
	{ MATMUL, "m/5\n n/4\n  k/6\n   m/2\n    n\n     k\n      m\n       %p\n       %c\n", true },
	{ MATMUL, "m\n n\n  k\n   %p\nm\n n\n  k\n   %c\n", false },
	{ MATMUL_RELU, "m/4\n n/3\n  k/5\n   m\n    n\n     k\n      %p\n      %c\n  m\n   n\n    %d\n    %e\n", true },
	{ MATMUL_RELU, "m\n k\n  n\n   %p\n   %c\n n/3\n  n\n   %d\n n\n  %e\n", true },
	{ MATMUL_RELU, "k\n m\n  n\n   %p\n   %c\nn\n m\n  %d\n  %e\n", false },
	/* bounded by a run-time scalar, split */
	{ BOUNDED, "m\n t\n  %y\n t\n  %z\n", false },
	{ BOUNDED, "t/4\n m\n  t/3\n   t\n    %y\nt/5\n t\n  m/2\n   m\n    %z\n", true },
	{ BOUNDED, "m/2\n t/6\n  m\n   t\n    %y\n m\n  t\n   %z\n", true },
	/* independent reductions share a loop; their reader comes after it */
	{ TWO_SUMS, "m\n k\n  %s\n  %q\n  %t\n %u\n", false },
	{ TWO_SUMS, "m/2\n k/4\n  m\n   k\n    %s\n    %q\n    %t\n m\n  %u\n", true },
	{ TWO_SUMS, "k\n m\n  %q\n  %s\n  %t\nm\n %u\n", false },
	/* a row held between its loops */
	{ SOFTMAX, "m\n k\n  %h\n k\n  %d\n  %e\n  %s\n k\n  %y\n", true },
	{ SOFTMAX, "m/4\n k/5\n  m\n   k\n    %h\n m\n  k/3\n   k\n    %d\n    %e\n    %s\n  k\n   %y\n", true },
	{ SOFTMAX, "m\n k\n  %h\nk\n m\n  %d\nm/5\n m\n  k\n   %e\n  k\n   %s\nm\n k\n  %y\n", false },
};

Test(tree, right_trees_on_ref)
{
	for (size_t i = 0; i < sizeof right / sizeof *right; i++)
		expect_right(right[i].graph, right[i].tree, "ref");
}

Test(tree, right_trees_on_cpu)
{
	for (size_t i = 0; i < sizeof right / sizeof *right; i++)
		if (right[i].compiled)
			expect_right(right[i].graph, right[i].tree, "cpu");
}

/* Extents and steps at random, 405 in four levels among them: no element missed, none out of bounds. */
static void tail_text(char *text, size_t bytes, const char *var, int n, const int64_t *step, const char *leaf)
{
	size_t at = 0;
	for (int i = 0; i < n; i++)
		at += (size_t)snprintf(text + at, bytes - at, "%*s%s/%lld\n", i, "", var, (long long)step[i]);
	snprintf(text + at, bytes - at, "%*s%s\n%*s%%%s\n", n, "", var, n + 1, "", leaf);
}

static void expect_tail(int64_t extent, int n, const int64_t *step, const char *backends)
{
	char graph[400], tree[800];
	snprintf(graph, sizeof graph,
		"graph 1\nvar m %lld\n%%x = f32[m] input \"x\"\n%%y = f32[m] add %%x, %%x\nresult \"y\" = %%y\n",
		(long long)extent);
	tail_text(tree, sizeof tree, "m", n, step, "y");
	expect_right(graph, tree, backends);
	snprintf(graph, sizeof graph,
		"graph 1\nvar m %lld\n%%x = f32[m] input \"x\"\n%%y = f32[] add.reduce %%x\nresult \"y\" = %%y\n",
		(long long)extent);
	expect_right(graph, tree, backends);
}

Test(tree, tails_of_any_extent_and_steps)
{
	uint64_t rng = 4;
	expect_tail(405, 3, (const int64_t[]){ 100, 17, 4 }, "ref");
	expect_tail(405, 3, (const int64_t[]){ 100, 17, 4 }, "cpu");
	expect_tail(405, 4, (const int64_t[]){ 403, 400, 7, 2 }, "ref");
	for (int i = 0; i < 300; i++) {
		int64_t extent = random_between(&rng, 1, 60), step[5], max = extent + 3;
		int n = (int)random_between(&rng, 1, 4);
		for (int k = 0; k < n; k++)
			max = step[k] = random_between(&rng, 1, max);
		expect_tail(extent, n, step, "ref");
	}
}

/* The reduction starts once for each iteration of its own result's loops, and no earlier value of it shows. */
Test(tree, resets_stand_before_the_outermost_reducing_loop)
{
	struct lt_graph *g = parsed(SUM_ROWS);
	struct lt_looptree *t;
	cr_assert_eq(tree_from(g, "m/13\n k/8\n  m\n   k\n    %y\n", &t), LT_OK, "%s", lt_context_message(g->ctx));
	lt_node y = tree_node(g, "y");
	lt_tnode reducing = lt__reducing_loop(t, y);
	cr_assert_eq(lt_looptree_var(t, reducing), tree_var(g, "k"));
	cr_assert_eq(lt_looptree_step(t, reducing), 8);
	lt_looptree_free(t);
	parsed_free(g);
}

Test(tree, twelve_nested_loops)
{
	char graph[1500] = "graph 1\n", tree[600] = "", dims[200] = "";
	for (int i = 0; i < 12; i++) {
		char line[40];
		snprintf(line, sizeof line, "var a%d %d\n", i, i % 3 == 0 ? 3 : i % 3 == 1 ? 1 : 2);
		strcat(graph, line);
		snprintf(line, sizeof line, "%sa%d", i ? ", " : "", i);
		strcat(dims, line);
		snprintf(line, sizeof line, "%*sa%d\n", i, "", 11 - i);
		strcat(tree, line);
	}
	snprintf(graph + strlen(graph), sizeof graph - strlen(graph), "%%x = f32[%s] input \"x\"\n%%y = f32[%s] add %%x, %%x\n"
		"%%z = f32[a3, a0] add.reduce %%y\nresult \"z\" = %%z\n", dims, dims);
	strcat(tree, "            %y\n            %z\n");
	expect_right(graph, tree, "ref");
	expect_right(graph, tree, "cpu");
}

#define CHAIN \
	"graph 1\nvar m 9\nvar k 4\n%x = f32[m] input \"x\"\n%y = f32[m] add %x, %x\n%z = f32[m] add %y, %y\nresult " \
	"\"z\" = %z\n"
#define SHIFTED \
	"graph 1\nvar m 9\nvar i 8\n%x = f32[m] input \"x\"\n%y = f32[m] add %x, %x\n%v = f32[i] view { %y[i + 1] }\n" \
	"%w = f32[i] view { %y[i] }\n%z = f32[i] add %v, %w\nresult \"z\" = %z\n"
#define SAME_VAR "graph 1\nvar m 9\n%x = f32[m] input \"x\"\n%y = f32[m] add %x, %x\n%v = f32[m] view { %y[8 - m] }\n" \
	"%z = f32[m] add %v, %y\nresult \"z\" = %z\n"
#define VARIANCE \
	"graph 1\nvar k 9\n%x = f32[k] input \"x\"\n%s = f32[] add.reduce %x\n%d = f32[k] sub %x, %s\n%q = f32[k] " \
	"mul %d, %d\n" \
	"%v = f32[] add.reduce %q\nresult \"v\" = %v\n"
#define UPDATED \
	"graph 1\nvar m 9\nvar i 3\n%x = f32[m] input \"x\"\n%y = f32[m] add %x, %x\n%p = f32[i] input \"p\"\n" \
	"%u = f32[m] update %y, %p at [2]\n%z = f32[m] add %u, %u\nresult \"z\" = %z\n"

static const struct { const char *graph, *tree, *say[4];
} refused[] = {
	{ CHAIN, "m\n %y\n", { "%z has no leaf in the tree" } },
	{ CHAIN, "m\n k\n  %y\n  %z\n k\n", { "the loop over k holds no leaf; remove it" } },
	{ CHAIN, "m/3\n m/5\n  m\n   %y\n   %z\n",
		{ "the inner loop over m has step 5, more than the 3 of the loop around it", "must not grow" } },
	{ CHAIN, "m/3\n %y\n %z\n",
		{ "the innermost loop over m around %y has step 3", "must be 1",
			"add a loop over m with step 1 inside" } },
	{ CHAIN, "m\n %y\nk\n %z\n", { "%z has var m, but is inside no loop over m", "put it inside one" } },
	{ CHAIN, "m\n %z\n %y\n", { "%z reads %y, which is written after it", "put the leaf of %y before it" } },
	{ SHIFTED, "m\n %y\n i\n  %z\n",
		{ "%z reads elements of %y from other iterations of the shared loop over m",
			"loop "
			"of its own after that of %y" } },
	{ SAME_VAR, "m\n %y\n %z\n", { "%z reads elements of %y from other iterations of the shared loop over m" } },
	{ VARIANCE, "k\n %s\n %d\n %q\n %v\n",
		{ "%d reads %s inside its reducing loop over k, before the reduction is complete",
			"move %d after that loop" } },
	{ MATMUL_RELU, "m\n n\n  k\n   %p\n   %c\n   %d\n   %e\n", { "%d reads %c inside its reducing loop over k" } },
	{ UPDATED, "m\n %y\n i\n  %u\nm\n %z\n",
		{ "%y and %u share the loop over m", "complete only when the whole loop has ended" } },
	{ UPDATED, "m\n %y\ni\n %u\n m\n  %z\n", { "%u and %z share the loop over i", "complete only when" } },
};

Test(tree, refusals_name_the_loop_and_the_way_out)
{
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		struct lt_graph *g = parsed(refused[i].graph);
		struct lt_looptree *t;
		lt_status st = tree_from(g, refused[i].tree, &t);
		cr_assert_eq(st, LT_EILLEGAL, "%s is not refused", refused[i].tree);
		for (int k = 0; k < 4 && refused[i].say[k]; k++)
			cr_assert(strstr(lt_context_message(g->ctx), refused[i].say[k]), "%s: '%s' does not say '%s'", refused[i].tree,
				lt_context_message(g->ctx), refused[i].say[k]);
		lt_looptree_free(t);
		parsed_free(g);
	}
}

Test(tree, a_loop_between_a_reduction_and_its_reducing_loop_must_be_its_own)
{
	struct lt_graph *g = parsed("graph 1\nvar m 9\nvar k 4\n%x = f32[k] input \"x\"\n%s = f32[] add.reduce "
				      "%x\n%w = f32[m] input \"w\"\n"
				      "%y = f32[m] mul %w, %s\nresult \"y\" = %y\n");
	struct lt_looptree *t;
	cr_assert_eq(tree_from(g, "k\n m\n  %s\nm\n %y\n", &t), LT_EILLEGAL);
	cr_assert(strstr(lt_context_message(g->ctx),
			  "the loop over m repeats the reduction %s inside its reducing loop over k"),
		"%s", lt_context_message(g->ctx));
	lt_looptree_free(t);
	parsed_free(g);
}

Test(tree, building_refuses_what_is_no_tree)
{
	struct lt_graph *g = parsed(CHAIN);
	struct lt_looptree *t;
	lt_var m = tree_var(g, "m");
	cr_assert_eq(lt_looptree_new(g, &t), LT_OK);
	lt_tnode loop = lt_looptree_add_loop(t, -1, m, 1), leaf = lt_looptree_add_leaf(t, loop, tree_node(g, "y"));
	cr_assert_eq(lt_looptree_add_loop(t, -1, 99, 1), -1);
	cr_assert_str_eq(lt_context_message(g->ctx),
		"a loop needs a var of the graph and a step of at least 1; var 99, step 1 given");
	cr_assert_eq(lt_looptree_add_loop(t, -1, m, 0), -1);
	cr_assert(strstr(lt_context_message(g->ctx), "step 0 given"));
	cr_assert_eq(lt_looptree_add_loop(t, leaf, m, 1), -1);
	cr_assert(strstr(lt_context_message(g->ctx), "cannot be a parent: it is a leaf"));
	cr_assert_eq(lt_looptree_add_loop(t, 77, m, 1), -1);
	cr_assert(strstr(lt_context_message(g->ctx), "it is not there"));
	cr_assert_eq(lt_looptree_add_leaf(t, loop, tree_node(g, "y")), -1);
	cr_assert(strstr(lt_context_message(g->ctx), "%y cannot be a leaf: it has one already"));
	cr_assert_eq(lt_looptree_add_leaf(t, loop, tree_node(g, "x")), -1);
	cr_assert(strstr(lt_context_message(g->ctx), "views, literals and sources are read where they are used"));
	cr_assert_eq(lt_looptree_add_leaf(t, loop, 1000), -1);
	cr_assert(strstr(lt_context_message(g->ctx), "there is no such node"));
	lt_looptree_free(t);
	parsed_free(g);
}

Test(tree, walks)
{
	static const char text[] = "m/4\n k/5\n  m\n   k\n    %h\n m\n  k/3\n   k\n    %d\n    %e\n    %s\n  k\n   %y\n";
	static const char *const leaves[] = { "h", "d", "e", "s", "y" };
	struct lt_graph *g = parsed(SOFTMAX);
	struct lt_looptree *t;
	struct run_text back = { NULL, 0 };
	cr_assert_eq(tree_from(g, text, &t), LT_OK, "%s", lt_context_message(g->ctx));
	tree_to(t, &back);
	cr_assert_str_eq(back.at, text);
	cr_assert_eq(lt_looptree_graph(t), g);
	int n = 0;
	for (lt_tnode at = lt_looptree_leaf_after(t, -1); at >= 0; at = lt_looptree_leaf_after(t, at), n++) {
		cr_assert_eq(lt_looptree_kind(t, at), LT_TLEAF);
		cr_assert_str_eq(g->node[lt_looptree_leaf(t, at)].name, leaves[n]);
	}
	cr_assert_eq(n, 5);
	n = 0;
	for (lt_tnode at = lt_looptree_after(t, -1); at >= 0; at = lt_looptree_after(t, at))
		n++;
	cr_assert_eq(n, lt_looptree_count(t));
	lt_tnode root = lt_looptree_root(t), first = lt_looptree_child(t, root), second = lt_looptree_next(t, first);
	cr_assert_eq(lt_looptree_next(t, root), -1);
	cr_assert_eq(lt_looptree_parent(t, first), root);
	cr_assert_eq(lt_looptree_parent(t, root), -1);
	cr_assert_eq(lt_looptree_var(t, first), tree_var(g, "k"));
	cr_assert_eq(lt_looptree_step(t, first), 5);
	cr_assert_eq(lt_looptree_trip_count(t, root), 2);
	cr_assert_eq(lt_looptree_trip_count(t, first), 4);
	cr_assert_eq(lt_looptree_trip_count(t, second), 4);
	cr_assert_eq(lt_looptree_loop_kind(t, first), LT_SERIAL);
	cr_assert_eq(lt_looptree_tail(t, first), LT_GUARD);
	run_text_free(&back);
	lt_looptree_free(t);
	parsed_free(g);
}

/* A copy of a tree with loops cut at random; outer: into the second tree's parent `to`. */
static void cut(const struct lt_looptree *t, lt_tnode from, struct lt_looptree *out, lt_tnode to, uint64_t *rng)
{
	for (lt_tnode n = from; n >= 0; n = t->node[n].next) {
		const struct lt_tnodedef *d = &t->node[n];
		if (d->kind == LT_TLEAF) {
			lt_looptree_add_leaf(out, to, d->leaf);
			continue;
		}
		lt_tnode at = to;
		if (d->kind == LT_TGROUP) {
			at = lt_looptree_add_group(out, to);
		} else {
			int64_t max = t->graph->var[d->var].extent + 1;
			for (lt_tnode up = d->parent; up >= 0; up = t->node[up].parent)
				if (t->node[up].kind == LT_TLOOP && t->node[up].var == d->var) {
					max = t->node[up].step;
					break;
				}
			for (int k = 0; k < 3 && random_chance(rng, 35) && max > d->step; k++) {
				max = random_between(rng, d->step, max);
				at = lt_looptree_add_loop(out, at, d->var, max);
			}
			at = lt_looptree_add_loop(out, at, d->var, d->step);
		}
		cut(t, d->child, out, at, rng);
	}
}

/* Each leaf in a nest of its own, its loops in any order and cut, now and then below a loop that it does not have. */
static void scatter(const struct lt_looptree *t, struct lt_looptree *out, uint64_t *rng)
{
	for (lt_tnode at = lt_looptree_leaf_after(t, -1); at >= 0; at = lt_looptree_leaf_after(t, at)) {
		const struct lt_leaf *leaf = t->leaf[t->node[at].leaf];
		lt_var var[24];
		int64_t step[24];
		int n = 0;
		for (int32_t i = 0; i < leaf->n_var && i < 8; i++) {
			int64_t s = t->graph->var[leaf->var[i]].extent;
			while (random_chance(rng, 30) && s > 1 && n < 20) {
				s = random_between(rng, 1, s);
				var[n] = leaf->var[i];
				step[n++] = s;
			}
			var[n] = leaf->var[i];
			step[n++] = 1;
		}
		for (int k = 0; k < 30 && n > 1; k++) {         /* neighbours of different vars change places */
			int64_t i = random_between(rng, 0, n - 2);
			if (var[i] == var[i + 1])
				continue;
			lt_var v = var[i];
			int64_t s = step[i];
			var[i] = var[i + 1];
			step[i] = step[i + 1];
			var[i + 1] = v;
			step[i + 1] = s;
		}
		lt_tnode up = -1;
		lt_var other = (lt_var)random_between(rng, 0, t->graph->n_var - 1);
		if (n == 0 || (random_chance(rng, 10) && lt__leaf_column(leaf, other) < 0 && t->graph->var[other].extent < 8
		    && !t->graph->var[other].bounded))
			up = n == 0 ? lt_looptree_add_group(out, -1) : lt_looptree_add_loop(out, -1, other, 1);
		for (int i = 0; i < n; i++)
			up = lt_looptree_add_loop(out, up, var[i], step[i]);
		lt_looptree_add_leaf(out, up, t->node[at].leaf);
	}
}

struct draw { struct random_graph *r; uint64_t seed; bool scatter; };

static lt_status compile_cut(
	void *user, const struct lt_graph *g, const struct lt_options *options, struct lt_program **out)
{
	struct draw *d = user;
	uint64_t rng = d->seed;
	struct lt_looptree *t, *cutted;
	struct lt_graph *live, *lowered;
	*out = NULL;
	LT_TRY(lt__pass_dead(g, &live));
	LT_TRY(lt__materialize(live, &lowered));
	lt_graph_free(live);
	LT_TRY(lt_looptree_auto(lowered, NULL, &t));
	LT_TRY(lt_looptree_new(lowered, &cutted));
	if (d->scatter)
		scatter(t, cutted, &rng);
	else
		cut(t, t->root, cutted, -1, &rng);
	lt_looptree_free(t);
	LT_TRY(lt_looptree_finish(cutted));
	return lt__compile_tree(g->ctx, g, lowered, cutted, options, out);
}

static void fill_random(void *user, int run, lt_node n, void *out)
{
	const struct draw *d = user;
	random_graph_fill(d->r, d->seed, run, n, out);
}

static void random_trees(uint64_t first, uint64_t count, const char *backends)
{
	for (uint64_t seed = first; seed < first + count; seed++) {
		struct lt_context *ctx;
		struct random_graph r;
		struct run_want want;
		struct run_tally tally = { 0 };
		char why[800];
		cr_assert_eq(lt_context_new(&ctx), LT_OK);
		random_graph_new(ctx, seed, &(struct random_options){ .n_node = 25, .views = true, .params = true, .states = true,
			.composites = true }, &r);
		struct draw d = { &r, seed, seed % 2 };
		run_want_new(r.g, 3, fill_random, &d, &want);
		bool good = run_compare(&want, r.g, &(struct run_config){ backends, true, compile_cut, &d }, NULL, NULL,
			&tally, why, sizeof why);
		cr_assert(good, "seed %d: %s", (int)seed, why);
		run_want_free(&want);
		random_graph_free(&r);
		lt_context_free(ctx);
	}
}

Test(tree, random_graphs_with_random_trees_on_ref) { random_trees(1, 100, "ref"); }
Test(tree, random_graphs_with_random_trees_on_cpu) { random_trees(500, 3, "cpu"); }
Test(more_tree, random_graphs_with_random_trees_on_ref) { random_trees(101, 300, "ref"); }
Test(more_tree, random_graphs_with_random_trees_on_cpu) { random_trees(503, 9, "cpu"); }
