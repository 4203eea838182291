/* test_eval_order.c -- what random evaluations draw of sums and products that may leave their type: what some
 * order of the terms gives, all of it, and nothing else (ir/eval/order.c). */
#include <criterion/criterion.h>
#include <math.h>
#include "tests/oracle.h"

TestSuite(eval_order, .timeout = 60);

enum { NUMBER = 1, UP = 2, DOWN = 4, NANS = 8, ZERO = 16 };
enum { TERMS = 4, DRAWS = 60 };

static int kind_of(double x) { return isnan(x) ? NANS : isinf(x) ? (x > 0 ? UP : DOWN) : x == 0 ? ZERO : NUMBER; }

/* Kinds of what op.reduce of TERMS numbers gives in all draws; product: each is one of 0.25 and 4 times it. */
static int draw(const char *op, enum lt_dtype t, const double *term, bool product)
{
	struct oracle *b = oracle_open(t);
	double factor[TERMS];
	int seen = 0;
	lt_var k = lt_graph_var(b->g, "k", TERMS);
	lt_node x = oracle_input(b, t, 1, &k, NULL), y = product ? oracle_input(b, t, 1, &k, NULL) : -1;

	for (int i = 0; i < TERMS; i++)
		factor[i] = product ? term[i] / 4 : term[i];
	oracle_fill(b, x, factor);
	for (int i = 0; i < TERMS && product; i++)
		factor[i] = 4;
	if (product)
		oracle_fill(b, y, factor);
	lt_node sum = lt_graph_reduce(b->g, op, product ? lt_graph_binary(b->g, "mul", x, y) : x, 1, &k);
	for (uint64_t seed = 0; seed < DRAWS; seed++) {
		struct lt_evaluation *e;
		struct lt_eval_options o = { .mode = LT_EVAL_RANDOM, .seed = seed, .amplify = 8, .want = &sum, .n_want = 1 };
		cr_assert_eq(lt_eval_with(b->g, b->source, &o, &e), LT_OK, "%s", lt_context_message(b->ctx));
		seen |= kind_of(lt__load(lt_eval_value(e, sum, NULL), 0, t).f);
		lt_eval_free(e);
	}
	oracle_close(b);
	return seen;
}

struct row { double term[TERMS]; int kinds; };

static void check_rows(const char *op, enum lt_dtype t, const struct row *rows, int n, bool product)
{
	for (int i = 0; i < n; i++)
		cr_expect_eq(draw(op, t, rows[i].term, product), rows[i].kinds, "%s of %s, row %d: %d, not %d", op,
			lt__dtype_info(t)->name, i, draw(op, t, rows[i].term, product), rows[i].kinds);
}

Test(eval_order, sums)
{
	static const struct row f32[] = { { { 3e38, 3e38, 3e38, 3e38 }, UP }, { { -3e38, -3e38, 0, 1 }, DOWN },
		{ { 3e38, 3e38, -1e38, 0 }, UP }, { { 3e38, 3e38, -3e38, 0 }, NUMBER | UP },
		{ { 2e38, 2e38, -2e38, -2e38 }, NUMBER | UP | DOWN | NANS }, { { 1e38, 1e38, 1e38, 0 }, NUMBER },
		{ { 3e38, 3e38, 3e38, -3.4e38 }, UP }, { { 3e38, 3e38, 3e38, -INFINITY }, DOWN | NANS },
		{ { 3e38, INFINITY, 3e38, -3e38 }, UP }, { { INFINITY, -INFINITY, 1, 1 }, NANS }, { { NAN, 3e38, 3e38, 1 }, NANS } },
		f64[] = { { { 1e308, 1e308, 1e308, 0 }, UP }, { { 1e308, 1e308, -1e308, 0 }, NUMBER | UP },
			{ { 1e308, 1e308, -1e308, -1.2e308 }, NUMBER | UP | DOWN | NANS }, { { 1e308, 1e307, -1e308, 0 }, NUMBER } };

	check_rows("add", LT_F32, f32, COUNT(f32), false);
	check_rows("add", LT_F64, f64, COUNT(f64), false);
}

/* Contracted into its sum a product has all its digits, and its size: it may come back if that is not twice too
 * large. */
Test(eval_order, sums_of_products)
{
	static const struct row f32[] = { { { 4e38, 1, 0, 0 }, UP }, { { 4e38, -2e38, 0, 0 }, NUMBER | UP },
		{ { 8e38, -3e38, -3e37, 0 }, UP }, { { 8e38, -3e38, -3e38, 0 }, UP | DOWN | NANS }, { { 4e38, 3e38, -1e38, 0 }, UP },
		{ { 4e38, -4e38, 1e30, 0 }, NUMBER | UP | DOWN | NANS }, { { 8e38, -8e38, 1, 0 }, UP | DOWN | NANS } };

	check_rows("add", LT_F32, f32, COUNT(f32), true);
}

Test(eval_order, products)
{
	static const struct row f32[] = { { { 3e38, 3e38, 3e38, 3e38 }, UP }, { { 3e38, -3e38, 3e38, 3e38 }, DOWN },
		{ { 3e38, 3e38, 0, 1 }, ZERO | NANS }, { { 3e38, 3, 0.1, 0.5 }, NUMBER | UP }, { { 3e38, 2, 1, 1 }, UP },
		{ { 1e-30, 1e-30, 1e20, 1e20 }, NUMBER | UP | ZERO | NANS }, { { 1e-30, 1e-30, 1e30, 1 }, NUMBER | ZERO },
		{ { INFINITY, 1e-30, 1e-30, 1 }, UP | NANS }, { { INFINITY, -2, 3e38, 1 }, DOWN },
		{ { INFINITY, 0, 1, 1 }, NANS }, { { 0, 2, 3, 4 }, ZERO }, { { NAN, 0, 3e38, 3e38 }, NANS } },
		f64[] = { { { 1e-200, 1e-200, 1e300, 1 }, NUMBER | ZERO }, { { 1e200, 1e200, 1e-300, 1 }, NUMBER | UP } };

	check_rows("mul", LT_F32, f32, COUNT(f32), false);
	check_rows("mul", LT_F64, f64, COUNT(f64), false);
}

/* 0 because small factors came first: another order has a number, and so there is no bound.  0 because a factor is. */
Test(eval_order, a_product_that_underflows_has_no_bound)
{
	for (int zero = 0; zero < 2; zero++) {
		struct oracle *b = oracle_open(LT_F64);
		const double *error;
		lt_var k = lt_graph_var(b->g, "k", 3);
		lt_node x = oracle_input(b, LT_F64, 1, &k, NULL);
		oracle_fill(b, x, (double[]){ 1e-200, zero ? 0 : 1e-200, 1e300 });
		cr_assert_eq(*(const double *)oracle_run(b, lt_graph_reduce(b->g, "mul", x, 1, &k), &error), 0);
		cr_assert_eq(error[0], zero ? 0 : INFINITY, "%g", error[0]);
		oracle_close(b);
	}
}
