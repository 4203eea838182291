/* Random errors of the oracle (LT_EVAL_RANDOM): their size by theory, and what has none. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>
#include "tests/oracle.h"

enum { RUNS = 120, ROWS = 40, COLUMNS = 11 };      /* rows: enough to run along them */

/* Root of the mean square distance from the reference, over runs, of elements 0..n-1 of result 0. */
static double spread_of(struct oracle *b, int64_t n, enum lt_dtype t, double amplify, double *mean)
{
	struct lt_evaluation *e;
	double sum = 0, all = 0;

	cr_assert_eq(lt_eval(b->g, b->source, false, &b->e), LT_OK, "%s", lt_context_message(b->ctx));
	for (int run = 0; run < RUNS; run++) {
		struct lt_eval_options o = { .mode = LT_EVAL_RANDOM, .seed = (uint64_t)run + 1, .amplify = amplify };
		cr_assert_eq(lt_eval_with(b->g, b->source, &o, &e), LT_OK);
		for (int64_t i = 0; i < n; i++) {
			double apart = oracle_number(lt_eval_result(e, 0, NULL), i, t) - oracle_number(lt_eval_result(b->e, 0, NULL), i, t);
			sum += apart * apart;
			all += apart;
		}
		lt_eval_free(e);
	}
	lt_eval_free(b->e);
	b->e = NULL;
	*mean = all / (double)(n * RUNS);
	return sqrt(sum / (double)(n * RUNS));
}

/* Sums of n terms in -0.64..0.64 that are no sums of few bits: over rows, over columns, of products by tiles. */
static lt_node sum_case(struct oracle *b, int kind, int64_t n, bool whole, double *theory)
{
	enum lt_dtype t = b->t;
	lt_var r = lt_graph_var(b->g, "r", ROWS), k = lt_graph_var(b->g, "k", n), c = lt_graph_var(b->g, "c", COLUMNS);
	uint64_t seed = 17 + (uint64_t)n;
	lt_node x = oracle_random(b, t, 2, kind == 1 ? (lt_var[]){ k, r } : (lt_var[]){ r, k }, &seed, whole ? 1 : 0.01);
	lt_node w = kind == 2 ? oracle_random(b, t, 2, (lt_var[]){ k, c }, &seed, whole ? 1 : 1 / 37.) : -1;
	double unit = lt__dtype_info(t)->unit;

	*theory = 0;
	for (int64_t i = 0; i < (kind == 2 ? ROWS * COLUMNS : ROWS); i++) {
		double partial = 0, size = 0, common;
		for (int64_t j = 0; j < n; j++) {
			double a = oracle_number(b->data[x], kind == 1 ? j * ROWS + i : (kind == 2 ? i / COLUMNS : i) * n + j, t);
			double term = kind == 2 ? a * oracle_number(b->data[w], j * COLUMNS + i % COLUMNS, t) : a;
			partial += term;
			size += fabs(term);
			*theory += unit * unit * (partial * partial + (kind == 2 ? term * term : 0)) / 3;
		}
		/* another order, and what a library does in one direction */
		common = fabs(partial) * (double)n / 256;
		*theory += unit * unit * (size * size + common * common) / 3;
	}
	*theory = sqrt(*theory / (kind == 2 ? ROWS * COLUMNS : ROWS));
	return kind == 2 ? lt_graph_contract(b->g, x, w, 1, &k) : lt_graph_reduce(b->g, "add", x, 1, &k);
}

Test(eval_random, spread_of_sums, .timeout = 120)
{
	for (int kind = 0; kind < 3; kind++)
		for (int type = 0; type < 2; type++)
			for (int64_t n = 40; n <= 1000; n *= 5) {
				struct oracle *b = oracle_open(type ? LT_F64 : LT_F32);
				double theory, mean;
				cr_assert_eq(lt_graph_result(b->g, "y", sum_case(b, kind, n, false, &theory)), LT_OK);
				int64_t elems = kind == 2 ? ROWS * COLUMNS : ROWS;
				double one = spread_of(b, elems, b->t, 0, &mean), many = spread_of(b, elems, b->t, 64, &mean);
				cr_expect(one > 0.7 * theory && one < 1.6 * theory,
					"kind %d type %d: %lld terms: %g, by theory %g", kind, type, (long long)n, one,
					theory);
				cr_expect(many > 60 * 0.8 * theory && many < 60 * 1.3 * theory,
					"kind %d type %d: %lld terms: %g for 64 times %g", kind, type, (long long)n,
					many, theory);
				cr_expect(fabs(mean) < many / 4, "mean %g of %g", mean, many);
				oracle_close(b);
			}
}

/* One rounding of a product, and none of its sum with nothing; equal rows have errors of their own. */
Test(eval_random, spread_of_products)
{
	for (int type = 0; type < 2; type++)
		for (int apart = 0; apart < 2; apart++) {
			struct oracle *b = oracle_open(type ? LT_F64 : LT_F32);
			lt_var r = lt_graph_var(b->g, "r", ROWS), c = lt_graph_var(b->g, "c", COLUMNS), k = lt_graph_var(b->g, "k", 1);
			lt_node x = oracle_input(b, b->t, 2, (lt_var[]){ r, k }, NULL),
				w = oracle_input(b, b->t, 2, (lt_var[]){ k, c }, NULL);
			double third[ROWS], mean, size;
			bool rows = false, columns = false;     /* they differ */
			for (int i = 0; i < ROWS; i++)
				third[i] = 1 / 3.;
			oracle_fill(b, x, third);
			oracle_fill(b, w, third);
			lt_node y = lt_graph_contract(b->g, x, w, 1, &k);
			cr_assert_eq(lt_graph_result(b->g, "y", y), LT_OK);
			if (apart)
				cr_assert_eq(lt_graph_result(b->g, "product", b->g->node[y].operand[0]), LT_OK);
			double got = spread_of(b, ROWS * COLUMNS, b->t, 64, &mean);
			size = 64 * lt__dtype_info(b->t)->unit / 9 / sqrt(3);
			cr_expect(got > 0.85 * size && got < 1.15 * size, "type %d: %g, not %g", type, got, size);
			struct lt_eval_options o = { .mode = LT_EVAL_RANDOM, .amplify = 64, .seed = 3 };
			cr_assert_eq(lt_eval_with(b->g, b->source, &o, &b->e), LT_OK);
			for (int i = 0; i < ROWS * COLUMNS; i++) {
				double value = oracle_number(lt_eval_result(b->e, 0, NULL), i, b->t);
				rows = rows || value != oracle_number(lt_eval_result(b->e, 0, NULL), i % COLUMNS, b->t);
				columns = columns || value != oracle_number(lt_eval_result(b->e, 0, NULL), i / COLUMNS * COLUMNS, b->t);
			}
			cr_expect(rows && columns);
			oracle_close(b);
		}
}

/* Sums of whole numbers are exact in any order, and so are they here. */
Test(eval_random, whole_numbers_stay)
{
	for (int kind = 0; kind < 3; kind++)
		for (int type = 0; type < 2; type++) {
			struct oracle *b = oracle_open(type ? LT_F64 : LT_F32);
			double theory, mean;
			cr_assert_eq(lt_graph_result(b->g, "y", sum_case(b, kind, 500, true, &theory)), LT_OK);
			cr_expect_eq(spread_of(b, kind == 2 ? ROWS * COLUMNS : ROWS, b->t, 0, &mean), 0);
			oracle_close(b);
		}
}

/* An operator's error is of the size that a rounding may have, a function's as large as the table grants, and one half
 * of it the same everywhere in the node; what is exact stays. */
Test(eval_random, spread_of_operators)
{
	/* in units of the last place of the result */
	static const struct { const char *op; double x, min, max;
	} cases[] = {
		{ "exp", 1.3, 1, 8 },
		{ "sqrt", 3, 0.2, 1.5 },
		{ "reciprocal", 3, 0.2, 1.5 },
		{ "tanh", 0.7, 1, 8 },
		{ "neg", 1.3, 0, 0 },
		{ "floor", 1.3, 0, 0 },
		{ "sqrt", 4, 0, 0 },
		{ "reciprocal", 4, 0, 0 },
		{ "exp", -INFINITY, 0, 0 },
		{ "sin", 0, 0, 0 },
	};

	for (int type = 0; type < 2; type++)
		for (int i = 0; i < COUNT(cases); i++) {
			struct oracle *b = oracle_open(type ? LT_F64 : LT_F32);
			double x[300], mean, unit = lt__dtype_info(b->t)->unit;
			lt_var v = lt_graph_var(b->g, "v", 300);
			lt_node in = oracle_input(b, b->t, 1, &v, NULL);
			for (int k = 0; k < 300; k++)
				x[k] = cases[i].x;
			oracle_fill(b, in, x);
			cr_assert_eq(lt_graph_result(b->g, "y", lt_graph_unary(b->g, cases[i].op, in)), LT_OK);
			double got = spread_of(b, 300, b->t, 0, &mean);
			cr_assert_eq(lt_eval(b->g, b->source, false, &b->e), LT_OK);
			double size = fabs(oracle_number(lt_eval_result(b->e, 0, NULL), 0, b->t)) * unit;
			cr_expect(got >= cases[i].min * size && got <= cases[i].max * size, "%s of %g: %g units",
				cases[i].op, cases[i].x, got / size);
			oracle_close(b);
		}
}
