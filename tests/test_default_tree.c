/* test_default_tree.c -- what a default tree fuses, and where values then live. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "looptree/tree/tree.h"
#include "tests/tree_text.h"

TestSuite(default_tree, .timeout = 120);

struct fixture { struct lt_context *ctx; struct lt_graph *g; struct lt_looptree *t; };

static struct fixture open_tree(const char *text)
{
	struct fixture f;
	cr_assert_eq(lt_context_new(&f.ctx), LT_OK);
	cr_assert_eq(lt_graph_parse(f.ctx, text, strlen(text), "test", &f.g), LT_OK, "%s", lt_context_message(f.ctx));
	cr_assert_eq(lt_looptree_auto(f.g, NULL, &f.t), LT_OK, "%s", lt_context_message(f.ctx));
	return f;
}

static void close_tree(struct fixture *f)
{
	lt_looptree_free(f->t);
	lt_graph_free(f->g);
	lt_context_free(f->ctx);
}

static int roots(const struct lt_looptree *t)
{
	int n = 0;
	for (lt_tnode at = lt_looptree_root(t); at >= 0; at = lt_looptree_next(t, at))
		n++;
	return n;
}

/* "scalar", "local 19", "whole 114": where a node's value lives. */
static const char *home(const struct fixture *f, const char *name)
{
	static _Thread_local char text[64];
	lt_node n = tree_node(f->g, name);
	const struct lt_scope *s = &f->t->scope[n];
	int64_t elems = 1;
	for (int32_t i = 0; i < f->g->node[n].n_dim; i++)
		elems *= s->extent[i];
	snprintf(text, sizeof text, "%s %lld", s->whole ? "whole" : "local", (long long)elems);
	return elems == 1 && !s->whole ? "scalar" : text;
}

static void expect_shape(const struct fixture *f, const char *shape)
{
	struct run_text text = { NULL, 0 };
	tree_to(f->t, &text);
	cr_assert_str_eq(text.at, shape);
	run_text_free(&text);
}

Test(default_tree, a_chain_of_pointwise_nodes_is_scalars_in_one_nest)
{
	struct fixture f = open_tree("graph 1\nvar m 50\nvar n 60\n%x = f32[m, n] input \"x\"\n%b = f32[n] input "
				     "\"b\"\n%y1 = f32[m, n] add %x, %b\n"
				     "%y2 = f32[m, n] exp %y1\n%y3 = f32[m, n] mul %y2, %y1\n%y4 = f32[m, n] max %y3, "
				     "%x\n%y5 = f32[m, n] neg %y4\nresult \"y\" = %y5\n");
	expect_shape(&f, "m\n n\n  %y1\n  %y2\n  %y3\n  %y4\n  %y5\n");
	for (const char *const *name = (const char *const[]){ "y1", "y2", "y3", "y4", NULL }; *name; name++)
		cr_assert_str_eq(home(&f, *name), "scalar", "%s", *name);
	cr_assert_str_eq(home(&f, "y5"), "whole 3000");
	close_tree(&f);
}

Test(default_tree, a_softmax_row_is_buffered_once)
{
	struct fixture f = open_tree(
		"graph 1\nvar m 6\nvar k 19\n%x = f32[m, k] input \"x\"\n%h = f32[m] max.reduce %x\n%d = f32[m, k] sub "
		"%x, %h\n"
		"%e = f32[m, k] exp %d\n%s = f32[m] add.reduce %e\n%y = f32[m, k] div %e, %s\nresult \"y\" = %y\n");
	expect_shape(&f, "m\n k\n  %h\n k\n  %d\n  %e\n  %s\n k\n  %y\n");
	cr_assert_str_eq(home(&f, "h"), "scalar");
	cr_assert_str_eq(home(&f, "d"), "scalar");
	cr_assert_str_eq(home(&f, "e"), "local 19");
	cr_assert_str_eq(home(&f, "s"), "scalar");
	cr_assert_str_eq(home(&f, "y"), "whole 114");
	close_tree(&f);
}

Test(default_tree, bias_and_relu_ride_in_the_epilogue_of_a_product)
{
	struct fixture f = open_tree(
		"graph 1\nvar m 13\nvar k 17\nvar n 11\n%a = f32[m, k] input \"a\"\n%b = f32[k, n] input \"b\"\n"
		"%v = f32[n] input \"v\"\n%zero = f32[] lit 0.0\n%p = f32[m, n, k] mul %a, %b\n%c = f32[m, n] "
		"add.reduce %p\n"
		"%d = f32[m, n] add %c, %v\n%e = f32[m, n] max %d, %zero\nresult \"e\" = %e\n");
	cr_assert_eq(roots(f.t), 1);
	cr_assert_str_eq(home(&f, "p"), "scalar");
	cr_assert_str_eq(home(&f, "d"), "scalar");
	cr_assert_str_eq(home(&f, "e"), "whole 143");
	cr_assert(!f.t->scope[tree_node(f.g, "c")].whole, "the product is not kept whole");
	close_tree(&f);
}

Test(default_tree, a_wide_product_is_tiled_so_that_its_accumulators_stay_small)
{
	struct fixture f = open_tree(
		"graph 1\nvar m 64\nvar k 64\nvar n 4096\n%a = f32[m, k] input \"a\"\n%b = f32[k, n] input \"b\"\n"
		"%p = f32[m, n, k] mul %a, %b\n%c = f32[m, n] add.reduce %p\n%e = f32[m, n] neg %c\nresult \"e\" = "
		"%e\n");
	cr_assert_eq(roots(f.t), 1);
	const struct lt_scope *s = &f.t->scope[tree_node(f.g, "c")];
	cr_assert(!s->whole && s->extent[0] * s->extent[1] <= 1024, "%s", home(&f, "c"));
	close_tree(&f);
}

/* A reader of a neighbour's element cannot are inside the loop that writes it. */
Test(default_tree, a_window_over_a_computed_value_has_a_nest_of_its_own)
{
	struct fixture f = open_tree("graph 1\nvar m 9\nvar i 7\nvar j 3\n%x = f32[m] input \"x\"\n%y = f32[m] exp "
				     "%x\n%w = f32[i, j] view { %y[i + j] }\n"
				     "%z = f32[i] add.reduce %w\nresult \"z\" = %z\n");
	cr_assert_eq(roots(f.t), 2);
	cr_assert_str_eq(home(&f, "y"), "whole 9");
	close_tree(&f);
}

Test(default_tree, views_literals_and_sources_have_no_leaf)
{
	struct fixture f = open_tree("graph 1\nvar m 9\nvar i 4\nvar j 2\n%x = f32[m] input \"x\"\n%w = f32[i, j] view "
				     "{ %x[2*i + j] }\n%two = f32[] lit 2.0\n"
				     "%i = i64[i] index i\n%c = f32[i] cast %i\n%y = f32[i, j] mul %w, %two\n%z = "
				     "f32[i, j] add %y, %c\nresult \"z\" = %z\n");
	int leaves = 0;
	for (lt_tnode at = lt_looptree_leaf_after(f.t, -1); at >= 0; at = lt_looptree_leaf_after(f.t, at))
		leaves++;
	cr_assert_eq(leaves, 3);
	cr_assert_eq(roots(f.t), 1);
	cr_assert_str_eq(home(&f, "c"), "scalar");
	close_tree(&f);
}

/* Nests stay small, so that a long chain is linear; what crosses from one to the next is whole. */
Test(default_tree, a_nest_holds_a_few_hundred_leaves)
{
	static char text[40000];
	size_t n = (size_t)snprintf(text, sizeof text, "graph 1\nvar m 5\n%%y0 = f32[m] input \"x\"\n");
	for (int i = 1; i <= 900; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, "%%y%d = f32[m] %s %%y%d\n", i, i % 3 ? "neg" : "abs", i - 1);
	snprintf(text + n, sizeof text - n, "result \"y\" = %%y900\n");
	struct fixture f = open_tree(text);
	cr_assert(roots(f.t) >= 3 && roots(f.t) <= 20, "%d nests", roots(f.t));
	for (lt_tnode root = lt_looptree_root(f.t); root >= 0; root = lt_looptree_next(f.t, root)) {
		int leaves = 0;
		for (lt_tnode at = lt_looptree_leaf_after(f.t, root); at >= 0 && lt__root_of(f.t, at) == root;
			at = lt_looptree_leaf_after(f.t, at))
			leaves++;
		cr_assert_leq(leaves, 512);
	}
	close_tree(&f);
}
