/* test_product_forms.c -- which tree a product gets: loops, steps, kinds, tails. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "looptree/tree/tree.h"
#include "looptree/derive/derive.h"
#include "lt/lt.h"
#include "program/run/run.h"
#include "check/random/must.h"
#include "tests/product_graphs.h"
#include "tests/run_graph.h"

TestSuite(product_forms, .timeout = 240);

/* One line a node: "m/6 peel", "n vector", "%c"; blanks for depth. */
static char *shape(const struct lt_looptree *t)
{
	static const char *const kinds[LT_NLOOP_KIND] = {
		[LT_PARALLEL] = " parallel", [LT_VECTOR] = " vector", [LT_UNROLL] = " unroll"
	};
	static const char *const tails[] = { [LT_GUARD] = "", [LT_PEEL] = " peel", [LT_MASK] = " mask", [LT_PAD] = " pad" };
	struct run_text out = { NULL, 0 };
	for (lt_tnode n = lt_looptree_after(t, -1); n >= 0; n = lt_looptree_after(t, n)) {
		const struct lt_tnodedef *d = &t->node[n];
		char line[128], step[32] = "";
		int depth = 0;
		for (lt_tnode up = d->parent; up >= 0; up = t->node[up].parent)
			depth++;
		if (d->step > 1)
			snprintf(step, sizeof step, "/%lld", (long long)d->step);
		if (d->kind == LT_TLOOP)
			snprintf(line, sizeof line, "%*s%s%s%s%s\n", depth, "", t->graph->var[d->var].name, step,
				kinds[d->loop] ? kinds[d->loop] : "", tails[d->tail]);
		else if (d->kind == LT_TGROUP)
			snprintf(line, sizeof line, "%*s.\n", depth, "");
		else
			snprintf(line, sizeof line, "%*s%%%s\n", depth, "", t->graph->node[d->leaf].name);
		run_text_add(&out, line, strlen(line));
	}
	return out.at;
}

static void expect(const char *graph, const struct lt_target *target, const char *want)
{
	struct made m = make(graph, target);
	char *got = shape(m.t);
	cr_assert_str_eq(got, want);
	cr_assert_eq(lt_looptree_verify(m.t), LT_OK, "%s", lt_context_message(m.ctx));
	free(got);
	drop(&m);
}

Test(product_forms, what_fits_the_cache_is_read_where_it_lies)
{
	struct lt_target one = machine;
	one.cores = 1;
	expect(VARS(64, 64, 64) PLAIN END(c), &one,
		"m/6 peel\n k\n  m unroll\n   n/16 unroll\n    n vector\n     %p\n     %c\n"
		" m unroll\n  n/16 unroll\n   n vector\n    %c.out\n");
}

/* Bytes with a scale for each group: casts, the product, its sum and the sum over the groups are one nest, which goes
 * along the rows of the right factor; of more groups than a vector has lanes those are partial sums. */
Test(product_forms, groups_of_bytes_are_one_nest)
{
	for (int many = 0; many < 2; many++) {
		char graph[1000];
		snprintf(graph, sizeof graph, "graph 1\nvar b %d\nvar i 64\nvar r 40\n%%x = i8[b, i] input \"x\"\n"
			"%%w = i8[r, b, i] input \"w\"\n%%v = f32[r, b] input \"v\"\n%%xc = i32[b, i] cast %%x\n"
			"%%wc = i32[r, b, i] cast %%w\n%%p = i32[b, r, i] mul %%xc, %%wc\n%%q = i32[b, r] add.reduce %%p\n"
			"%%f = f32[b, r] cast %%q\n%%m = f32[b, r] mul %%f, %%v\n%%y = f32[r] add.reduce %%m\nresult \"y\" = %%y\n",
			many ? 24 : 12);
		expect(graph, &machine, many
			? "r/20 parallel\n r/4\n  r\n   b/16 peel\n    b unroll\n     i vector\n      %xc\n      %wc\n      %p\n"
				"      %q\n    b vector\n     %f\n     %m\n     %y.part\n  r unroll\n   b_1 vector\n    %y\n"
			: "r/2\n r unroll\n  b unroll\n   i vector\n    %xc\n    %wc\n    %p\n    %q\n  b vector\n   %f\n   %m\n   %y\n");
	}
}

/* Heads that were joined: %l is not copied, for each row of a tile adds the same steps to an address; what floors of a
 * row var cut is. */
Test(product_forms, rows_of_joined_heads_are_read_where_they_lie)
{
	static const char *const views[] = { "%a[floor(k / 16), m, k - 16*floor(k / 16)]",
		"%a[floor(m / 4), 4*k - 64*floor(k / 16) + m - 4*floor(m / 4), k - 16*floor(k / 16)]" };
	for (int i = 0; i < 2; i++) {
		char graph[1000];
		snprintf(graph, sizeof graph, "graph 1\nvar m 64\nvar k 64\nvar n 128\nvar h 16\nvar i 64\nvar d 16\n"
			"%%a = f32[h, i, d] input \"a\"\n%%b = f32[k, n] input \"b\"\n%%l = f32[m, k] view { %s }\n"
			"%%p = f32[m, k, n] mul %%l, %%b\n%%c = f32[m, n] add.reduce %%p\nresult \"c\" = %%c\n", views[i]);
		struct made m = make(graph, &machine);
		char *got = shape(m.t);
		cr_expect_eq(strstr(got, "%c.left") != NULL, i == 1, "case %d: %s", i, got);
		free(got);
		drop(&m);
	}
}

Test(product_forms, a_large_right_factor_is_packed_by_panels)
{
	expect(VARS(512, 1000, 640) PLAIN END(c), &machine,
		"n/64 parallel\n k\n  n/16\n   n vector\n    %c.right\n m/6 peel\n  k\n   m unroll\n"
		"    n/16 unroll\n     n vector\n      %p\n      %c\n  m unroll\n   n/16 unroll\n    n vector\n     "
		"%c.out\n");
}

/* Rows that a run-time scalar says. */
#define COUNTED(m, k, n, b) \
	"graph 1\nvar one 1\nvar m " #m " limit 0 + 1*p\nvar k " #k "\nvar n " #n "\nparam p = %pos[0] in 0.." #m \
	"\n%pos = i64[one] input \"pos\"\n%a = f32[m, k] input \"a\"\n%b = f32[k, n] " b " \"b\"\n" \
	"%p = f32[m, k, n] mul %a, %b\n%c = f32[m, n] add.reduce %p\n"

Test(product_forms, what_is_left_of_a_counted_tile_has_a_copy_for_each_number)
{
	expect(COUNTED(64, 64, 64, "input") END(c), &machine,
		"m/36 parallel\n m/6\n  m/6 peel\n   k\n    m unroll\n     n/16 unroll\n      n vector\n       %p\n"
		"       %c\n   m unroll\n    n/16 unroll\n     n vector\n      %c.out\n");
}

Test(product_forms, a_large_right_factor_is_read_once_by_counted_rows_that_are_never_many)
{
	expect(COUNTED(32, 1000, 640, "input") END(c), &machine,
		"n/512 parallel\n k/16 peel\n  n/32\n   m/12\n    m/12 peel\n     k\n      m unroll\n       n/16 unroll\n"
		"        n vector\n         %p\n         %c.part\n     m unroll\n      n/16 unroll\n       n vector\n"
		"        %c\n m\n  n/16\n   n vector\n    %c.out\n");
}

/* As a_large_right_factor_is_packed_by_panels: the tree of as many rows that are always there. */
Test(product_forms, a_large_right_factor_is_packed_for_counted_rows_that_may_be_many)
{
	expect(COUNTED(33, 1000, 640, "input") END(c), &machine,
		"n/64 parallel\n k\n  n/16\n   n vector\n    %c.right\n m/6\n  m/6 peel\n   k\n    m unroll\n"
		"     n/16 unroll\n      n vector\n       %p\n       %c\n   m unroll\n    n/16 unroll\n     n vector\n"
		"      %c.out\n");
}

Test(product_forms, counted_columns_are_padded_panels)
{
	expect("graph 1\nvar one 1\nvar m 64\nvar k 70\nvar n 127 limit 0 + 1*p\nparam p = %pos[0] in 0..127\n"
	       "%pos = i64[one] input \"pos\"\n" PLAIN END(c), &machine,
		"n/64 parallel pad\n k\n  n/16\n   n vector\n    %c.right\n m/6 peel\n  k\n   m unroll\n"
		"    n/16 unroll\n     n vector\n      %p\n      %c\n  m unroll\n   n/16 unroll\n    n vector\n     "
		"%c.out\n");
}

Test(product_forms, a_last_panel_that_is_nearly_whole_is_padded)
{
	expect(VARS(60, 1000, 639) PLAIN END(c), &machine,
		"n/64 parallel pad\n k\n  n/16\n   n vector\n    %c.right\n m/6\n  k\n   m unroll\n"
		"    n/16 unroll\n     n vector\n      %p\n      %c\n  m unroll\n   n/16 unroll\n    n vector\n     "
		"%c.out\n");
}

Test(product_forms, a_last_panel_that_is_nearly_empty_is_peeled)
{
	struct lt_target one = machine;
	one.cores = 1;
	expect(VARS(60, 1000, 641) PLAIN END(c), &one,
		"n/64 peel\n k\n  n/16 peel\n   n vector\n    %c.right\n m/6\n  k\n   m unroll\n"
		"    n/16 unroll peel\n     n vector\n      %p\n      %c\n  m unroll\n   n/16 unroll peel\n    n "
		"vector\n     %c.out\n");
}

/* Where masks cost nothing: what is left of a run is one vector of a factor that is read where it lies, not a vector of
 * eight, one of four, one of two and one element. */
Test(product_forms, what_is_left_of_a_run_is_one_vector)
{
	struct lt_target one = machine;
	one.cores = 1;
	expect(VARS(60, 70, 127) PLAIN END(c), &one,
		"n/64 peel\n m/6\n  k\n   m unroll\n    n/16 unroll pad\n     n vector\n      %p\n      %c\n"
		"  m unroll\n   n/16 unroll pad\n    n vector\n     %c.out\n");
}

/* 13 vectors are 5, 5 and 3 of them: 4, 4, 4 and one would leave tiles of six sums. */
Test(product_forms, tiles_have_a_vector_more_where_one_would_be_left)
{
	struct lt_target one = machine;
	one.cores = 1;
	expect(VARS(60, 70, 208) PLAIN END(c), &one,
		"n/80 peel\n m/5\n  k\n   m unroll\n    n/16 unroll\n     n vector\n      %p\n      %c\n"
		"  m unroll\n   n/16 unroll\n    n vector\n     %c.out\n");
}

/* A factor of 1.9 MB in a second cache of 1 MiB of 16 ways: rows of 3136 bytes meet in few of its sets, and a panel
 * stays there; rows of 4096 meet in 16, and are packed. */
Test(product_forms, a_panel_that_the_cache_keeps_is_read_where_it_lies)
{
	struct lt_target one = machine;
	one.cores = 1;
	one.l2_bytes = 1 << 20;
	one.l2_ways = 16;
	for (int i = 0; i < 2; i++) {
		struct made m = make(i ? VARS(60, 500, 1024) PLAIN END(c) : VARS(60, 500, 784) PLAIN END(c), &one);
		char *got = shape(m.t);
		cr_expect_eq(strstr(got, "%c.right") != NULL, i == 1, "case %d: %s", i, got);
		free(got);
		drop(&m);
	}
}

/* A depthwise convolution of planes of 7x7: half a vector or less is a shorter vector, and all lines are one tile. */
Test(product_forms, sums_without_rows_end_with_a_vector_under_a_mask)
{
	struct lt_target one = machine;
	one.cores = 1;
	expect("graph 1\nvar g 8\nvar h 9\nvar w 9\nvar y 7\nvar x 7\nvar r 3\nvar s 3\n"
		"%a = f32[g, h, w] input \"a\"\n%b = f32[g, r, s] input \"b\"\n"
		"%v = f32[g, y, x, r, s] view { %a[g, y + r, x + s] }\n%p = f32[g, y, x, r, s] mul %v, %b\n"
		"%c = f32[g, y, x] add.reduce %p\nresult \"c\" = %c\n", &one,
		"g\n r\n  s\n   y unroll\n    x/8 unroll pad\n     x vector\n      %p\n      %c\n y unroll\n"
		"  x/8 unroll pad\n   x vector\n    %c.out\n");
}

Test(product_forms, many_terms_are_summed_in_blocks)
{
	expect(VARS(64, 6000, 64) PLAIN END(c), &machine,
		"m/36 parallel\n k/500\n  k\n   n/16\n    n vector\n     %c.right\n  m/6 peel\n   k\n    m unroll\n"
		"     n/16 unroll\n      n vector\n       %p\n       %c.part\n   m unroll\n    n/16 unroll\n     n "
		"vector\n      %c\n");
}

Test(product_forms, few_rows_read_the_right_factor_once)
{
	struct lt_target one = machine;
	one.cores = 1;
	expect(VARS(4, 1024, 1024) PLAIN END(c), &one,
		".\n k/8\n  n/32\n   k unroll\n    m unroll\n     n/16 unroll\n      n vector\n       %p\n       "
		"%c.part\n"
		"   m unroll\n    n/16 unroll\n     n vector\n      %c\n m\n  n/16\n   n vector\n    %c.out\n");
	struct made m = make(VARS(4, 1024, 1024) PLAIN END(c), &one);
	const struct lt_memlayout *l = m.t->layout[lt__tree_node_named(m.t, "c")];
	cr_assert(l && l->n == 3 && l->digit[0].dim == 1 && l->digit[0].step == 32 && l->digit[1].dim == 0
		&& l->digit[2].dim == 1);
	drop(&m);
}

/* What no cache keeps of a constant until it is read again is read where it lies. */
static struct lt_target no_last_cache(void)
{
	struct lt_target far = machine;
	far.l3_bytes = 64 << 10;
	return far;
}

/* Threads share the terms: the rows of the right factor are too short to be cut. */
Test(product_forms, one_row_times_short_rows_is_summed_in_parts)
{
	const struct lt_target far = no_last_cache();
	expect(ROW(288, 288), &far,
		".\n k/24 parallel\n  k/8\n   n/32\n    k unroll\n     n/16 unroll\n      n vector\n       %p\n       "
		"%c.part\n    n/16 unroll\n     n vector\n      %c.chunk\n"
		" n/32\n  k_24\n   n/16 unroll\n    n vector\n     %c\n  n/16 unroll\n   n vector\n    %c.out\n");
	struct made m = make(ROW(288, 288), &far);
	const struct lt_memlayout *l = m.t->layout[lt__tree_node_named(m.t, "c.chunk")];
	cr_assert(l && l->n == 2 && l->digit[0].dim == 1 && l->digit[1].dim == 0);
	drop(&m);
}

/* And long ones are cut, in several parts for each thread. */
Test(product_forms, one_row_times_long_rows_is_shared_by_columns)
{
	const struct lt_target far = no_last_cache();
	expect(ROW(300, 8192), &far,
		"n/1024 parallel\n k/8 peel\n  n/32\n   k unroll\n    n/16 unroll\n     n vector\n      %p\n      %c.part\n"
		"   n/16 unroll\n    n vector\n     %c\n");
}

/* Else it is packed once, by tiles that threads have equal shares of. */
Test(product_forms, one_row_times_a_constant_of_the_cache_reads_panels)
{
	expect(ROW(288, 288), &machine,
		"n/144\n k\n  n\n   %c.right\nn/144 parallel\n k\n  n/16 unroll\n   n vector\n    %p\n    %c\n"
		" n/16 unroll\n  n vector\n   %c.out\n");
}

/* One row has as many sums side by side as there are registers for. */
Test(product_forms, one_row_times_a_small_matrix_has_one_wide_tile)
{
	expect("graph 1\nvar k 48\nvar n 96\n%a = f32[k] input \"a\"\n%b = f32[k, n] input \"b\"\n"
		"%p = f32[k, n] mul %a, %b\n%c = f32[n] add.reduce %p\n" END(c), &machine,
		".\n k\n  n/16 unroll\n   n vector\n    %p\n    %c\n n/16 unroll\n  n vector\n   %c.out\n");
}

/* What takes less than a team of threads costs is for one. */
Test(product_forms, a_product_of_a_microsecond_is_not_shared)
{
	expect(VARS(32, 32, 32) PLAIN END(c), &machine,
		"m/11 peel\n k\n  m unroll\n   n/16 unroll\n    n vector\n     %p\n     %c\n"
		" m unroll\n  n/16 unroll\n   n vector\n    %c.out\n");
}

/* The one row is no plain read: it is copied first, and then lies along the right factor's rows. */
Test(product_forms, a_row_of_pieces_is_copied_for_its_dot_products)
{
	struct lt_target one = machine;
	one.cores = 1;
	expect("graph 1\nvar i 32\nvar j 32\nvar k 64\nvar n 50\n%a = f32[i] input \"a\"\n%b = f32[j] input \"b\"\n"
		"%w = f32[n, k] input \"w\"\n"
		"%v = f32[k] view { %a[k] if 31 - k >= 0; %b[k - 32] if k - 32 >= 0 }\n"
		"%p = f32[n, k] mul %v, %w\n%c = f32[n] add.reduce %p\n" END(c),
		&one,
		"k\n %c.left\nn/8 peel\n k/16\n  n unroll\n   k vector\n    %p\n    %c.part\n n unroll\n  k_1 vector\n   %c\n");
}

Test(product_forms, rows_times_rows_are_dot_products)
{
	struct lt_target one = machine;
	one.cores = 1;
	expect(VARS(2, 300, 50) "%a = f32[m, k] input \"a\"\n%b = f32[n, k] input \"b\"\n%p = f32[m, n, k] mul %a, "
				"%b\n%c = f32[m, n] add.reduce %p\n" END(c),
		&one,
		"n/8 peel\n k/16 peel\n  m unroll\n   n unroll\n    k vector\n     %p\n     %c.part\n m unroll\n  n "
		"unroll\n   k_1 vector\n    %c\n");
}

Test(product_forms, constants_are_packed_in_a_nest_of_their_own)
{
	expect(VARS(32, 40, 128) "%a = f32[m, k] input \"a\"\n%b = f32[k, n] constant \"b\"\n%p = f32[m, k, n] mul %a, "
				 "%b\n%c = f32[m, n] add.reduce %p\n" END(c),
		&machine,
		"n/64\n k\n  n\n   %c.right\nn/64 parallel\n m/6 peel\n  k\n   m unroll\n    n/16 unroll\n     n vector\n      "
		"%p\n      %c\n"
		"  m unroll\n   n/16 unroll\n    n vector\n     %c.out\n");
}

Test(product_forms, what_follows_a_product_is_done_in_its_tiles)
{
	struct lt_target one = machine;
	one.cores = 1;
	expect(VARS(64, 64, 64) "%bias = f32[n] input \"bias\"\n%zero = f32[] lit 0.0\n" PLAIN
				"%d = f32[m, n] add %c, %bias\n%e = f32[m, n] max %d, %zero\n" END(e),
		&one,
		"m/6 peel\n k\n  m unroll\n   n/16 unroll\n    n vector\n     %p\n     %c\n m unroll\n  n/16 unroll\n  "
		" n vector\n    %d\n    %e\n");
}

/* What is computed of the sum is read several times by what follows: that ends the product, too, unless others see
 * it. */
Test(product_forms, an_activation_is_done_in_the_tiles_of_its_product)
{
	struct lt_target one = machine;
	one.cores = 1;
#define BIASED(end) VARS(64, 64, 64) "%bias = f32[n] input \"bias\"\n" PLAIN "%d = f32[m, n] add %c, %bias\n" \
	"%e = f32[m, n] tanh %d\n%f = f32[m, n] mul %d, %e\n" end
#define TILES \
	"m/6 peel\n k\n  m unroll\n   n/16 unroll\n    n vector\n     %p\n     %c\n" \
	" m unroll\n  n/16 unroll\n   n vector\n    %d\n"
	expect(BIASED(END(f)), &one, TILES "    %e\n    %f\n");
	expect(BIASED("result \"d\" = %d\n" END(f)), &one, TILES "m\n n/16\n  n vector\n   %e\n   %f\n");
}

/* One with vectors of 32 bytes and 16 of them. */
static const struct lt_target narrow = { .size = sizeof narrow,
	.name = "narrow",
	.vector_bytes = 32,
	.vector_registers = 16,
	.cores = 2,
	.cache_line = 64,
	.l1_bytes = 32 << 10,
	.l1_ways = 8,
	.l2_bytes = 512 << 10,
	.l3_bytes = 8 << 20 };

Test(product_forms, an_image_is_copied_with_its_border_once)
{
	expect(
		"graph 1\n"
		"var h 14\n"
		"var w 14\n"
		"var y 14\n"
		"var x 14\n"
		"var c 32\n"
		"var o 64\n"
		"var k 3\n"
		"var l 3\n"
		"%a = f32[h, w, c] input \"a\"\n"
		"%f = f32[o, c, k, l] constant \"f\"\n"
		"%v = f32[y, x, c, k, l] view { %a[y + k - 1, x + l - 1, c] "
		"if y + k - 1 >= 0, 14 - y - k >= 0, x + l - 1 >= 0, 14 - x - l >= 0; else 0.0 }\n"
		"%p = f32[y, x, o, c, k, l] mul %v, %f\n"
		"%s = f32[y, x, o] add.reduce %p\n"
		"result \"s\" = %s\n",
		&narrow,
		"h2\n w2\n  c/8\n   c vector\n    %s.image\n"
		"o/16\n k\n  l\n   c\n    o\n     %s.right\n"
		"o/16 parallel\n y\n  x/5 peel\n   k\n    l\n     c\n      x unroll\n       o/8 unroll\n        o vector\n"
		"         %p\n         %s\n"
		"   x unroll\n    o/8 unroll\n     o vector\n      %s.out\n");
}

/* The rows of a value that has 4096 bytes in each would all be read from the same set of the first cache. */
Test(product_forms, few_rows_to_a_run_share_a_tile_with_those_of_the_next)
{
	static const char text[] =
		"graph 1\n"
		"var y 7\n"
		"var x 7\n"
		"var c 1024\n"
		"var o 64\n"
		"%a = f32[y, x, c] input \"a\"\n"
		"%f = f32[o, c] constant \"f\"\n"
		"%e = f32[y, x, c] exp %a\n"
		"%p = f32[y, x, o, c] mul %e, %f\n"
		"%s = f32[y, x, o] add.reduce %p\n"
		"result \"s\" = %s\n";
	expect(text, &narrow,
		"y parallel\n x parallel\n  c/8\n   c vector\n    %e\n"
		"o/8\n c\n  o\n   %s.right\n"
		"o/8 parallel\n y/2 peel\n  c\n   y unroll\n    x unroll\n     o vector\n      %p\n      %s\n"
		"  y unroll\n   x unroll\n    o vector\n     %s.out\n");
	struct made m = make(text, &narrow);
	lt_node e = lt__node_named(m.t->graph, "e");
	cr_assert(m.t->layout[e] && m.t->layout[e]->n == 3 && m.t->layout[e]->digit[2].pad == 16);
	drop(&m);
}

/* A quarter of a vector of columns is not: it is a narrower vector. */
Test(product_forms, what_is_small_stays_plain)
{
	expect(VARS(4, 4, 4) PLAIN END(c), &machine,
		".\n k\n  m unroll\n   n vector\n    %p\n    %c\n m unroll\n  n vector\n   %c.out\n");
	expect(VARS(4, 3, 4) PLAIN END(c), &machine, "m\n k\n  n\n   %p\n   %c\n");
	expect(VARS(64, 64, 64) PLAIN END(c), NULL, "m\n k\n  n\n   %p\n   %c\n");
}
