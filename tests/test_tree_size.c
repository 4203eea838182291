/* test_tree_size.c -- default trees of long graphs take linear time. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/arena.h"
#include "lt/looptree.h"
#include "lt/target.h"

TestSuite(tree_size, .timeout = 120);

static const struct lt_target wide = { .size = sizeof wide,
	.name = "wide",
	.vector_bytes = 64,
	.vector_registers = 32,
	.cores = 2,
	.l1_bytes = 32 << 10,
	.l1_ways = 8,
	.l2_bytes = 1 << 20,
	.l2_ways = 8,
	.l3_bytes = 32 << 20,
	.l3_ways = 16,
	.cache_line = 64 };

/* A chain of n products, or of n pointwise operations. */
static char *chain(int n, bool products)
{
	size_t cap = (size_t)n * 240 + 200, at = 0;
	char *text = malloc(cap);
	at += (size_t)snprintf(text, cap, "graph 1\nvar m 8\nvar d0 16\n");
	for (int i = 1; products && i <= n; i++)
		at += (size_t)snprintf(text + at, cap - at, "var d%d 16\n", i);
	at += (size_t)snprintf(text + at, cap - at, "%%c0 = f32[m, d0] input \"x\"\n");
	for (int i = 1; i <= n; i++)
		if (products)
			at += (size_t)snprintf(text + at, cap - at,
				"%%w%d = f32[d%d, d%d] constant \"w%d\"\n%%p%d = f32[m, d%d, d%d] mul %%c%d, %%w%d\n"
				"%%c%d = f32[m, d%d] add.reduce %%p%d\n",
				i, i - 1, i, i, i, i, i - 1, i - 1, i, i, i, i);
		else
			at += (size_t)snprintf(text + at, cap - at, "%%c%d = f32[m, d0] %s %%c%d\n", i, i % 2 ? "exp" : "neg", i - 1);
	(void)snprintf(text + at, cap - at, "result \"y\" = %%c%d\n", n);
	return text;
}

/* The least of three, so that another process counts for little. */
static double tree_time(int n, bool products)
{
	char *text = chain(n, products);
	struct lt_context *ctx;
	struct lt_graph *g;
	double min = 1e9;
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt_graph_parse(ctx, text, strlen(text), "test", &g), LT_OK, "%s", lt_context_message(ctx));
	for (int i = 0; i < 3; i++) {
		struct lt_looptree *t;
		struct timespec begin, end;
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
		cr_assert_eq(lt_looptree_auto(g, &wide, &t), LT_OK, "%s", lt_context_message(ctx));
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
		double took = (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) * 1e-9;
		min = took < min ? took : min;
		lt_looptree_free(t);
	}
	lt_graph_free(g);
	lt_context_free(ctx);
	free(text);
	return min;
}

/* Eight times as many nodes: 64 times as long, were it quadratic. */
static void expect_linear(int n, bool products)
{
	double few = 1e9, many = 1e9;
	for (int try = 0; try < 5 && !(many < 24 * few + 0.02); try++) {
		few = fmin(few, tree_time(n, products));
		many = fmin(many, tree_time(8 * n, products));
	}
	cr_log_warn("a chain of %d %s: %.1f ms; of %d: %.1f ms", n, products ? "products" : "operations", few * 1e3,
		8 * n, many * 1e3);
	cr_expect_lt(many, 24 * few + 0.02, "eight times as many take %.1f times as long", many / few);
}

Test(tree_size, of_products) { expect_linear(600, true); }
Test(tree_size, of_operations) { expect_linear(2000, false); }
