/* The oracle's error bounds, against other orders and roundings of the same arithmetic. */
#include <criterion/criterion.h>
#include <math.h>
#include "tests/oracle.h"

static float shuffled_dot(const float *a, const float *c, int64_t n, int order)
{
	float sum = 0, part[8] = { 0 };

	for (int64_t i = 0; i < n; i++) {
		int64_t at = order == 1 ? n - 1 - i : i;
		if (order == 2)
			part[i % 8] += a[at] * c[at];
		else if (order == 3)
			sum = fmaf(a[at], c[at], sum);
		else
			sum += a[at] * c[at];
	}
	for (int i = 0; i < 8; i++)
		sum += part[i];
	return sum;
}

/* Any order and contraction of a dot product, and of a norm made of it, lies within the bound, which is not idle. */
Test(eval_bounds, hold)
{
	uint64_t seed = 99;

	for (int trial = 0; trial < 200; trial++) {
		struct oracle *b = oracle_open(LT_F32);
		int64_t n = 1 + (int64_t)(oracle_noise(&seed) % 300);
		const double *error;
		lt_var v = lt_graph_var(b->g, "v", n);
		lt_node x = oracle_input(b, LT_F32, 1, &v, NULL), w = oracle_input(b, LT_F32, 1, &v, NULL);
		float *a = b->data[x], *c = b->data[w];
		for (int64_t i = 0; i < n; i++) {
			a[i] = ldexpf((float)oracle_noise(&seed), -(int)(oracle_noise(&seed) % 40)) - (float)(oracle_noise(&seed) % 3);
			c[i] = ((float)oracle_noise(&seed) - 1e9f) / 1e9f;
		}
		lt_node dot = lt_graph_contract(b->g, x, w, 1, &v);
		lt_node y = lt_graph_unary(b->g, "tanh", lt_graph_binary(b->g, "div", dot, lt_graph_literal(b->g, LT_F32, 3e7)));
		cr_assert_eq(lt_graph_result(b->g, "dot", dot), LT_OK);
		cr_assert_eq(lt_graph_result(b->g, "y", y), LT_OK);
		cr_assert_eq(lt_eval(b->g, b->source, true, &b->e), LT_OK);
		double value = oracle_number(lt_eval_result(b->e, 0, &error), 0, LT_F32), size = 0, bound = error[0];
		double result = oracle_number(lt_eval_result(b->e, 1, &error), 0, LT_F32);
		for (int64_t i = 0; i < n; i++)
			size += fabs((double)a[i] * (double)c[i]);
		for (int order = 0; order < 4; order++) {
			float other = shuffled_dot(a, c, n, order);
			cr_assert_leq(fabs((double)other - value), bound, "trial %d order %d: %g and %g, bound %g",
				trial, order, (double)other, value, bound);
			cr_assert_leq(fabs((double)tanhf(other / 3e7f) - result), error[0], "trial %d order %d", trial, order);
		}
		cr_assert_leq(bound, size * 1e-7 * (double)(n + 4), "trial %d: %g", trial, bound);
		cr_assert_leq(error[0], 1e-2);
		oracle_close(b);
	}
}

/* An operator on x = exp(1) (inexact), one = 1 (exact), big = 3e38, inf, nan: is the bound 0, finite or infinite? */
enum kind { ZERO, FINITE, INFINITE };
static lt_node third(struct oracle *b, double value) { return lt_graph_literal(b->g, LT_F32, value); }

static lt_node bound_case(struct oracle *b, int i, lt_node e)
{
	lt_node one = third(b, 1), zero = lt_graph_binary(b->g, "sub", e, e);

	switch (i) {
	case 0: return lt_graph_binary(b->g, "div", one, third(b, 3));
	case 1: return lt_graph_unary(b->g, "exp", one);
	case 2: return lt_graph_binary(b->g, "add", e, one);
	case 3: return lt_graph_binary(b->g, "less", e, one);
	case 4: return lt_graph_binary(b->g, "less", e, e);
	case 5: return lt_graph_unary(b->g, "floor", e);
	case 6: return lt_graph_unary(b->g, "floor", zero);
	case 7: return lt_graph_cast(b->g, e, LT_I32);
	case 8: return lt_graph_cast(b->g, zero, LT_I32);
	case 9: return lt_graph_binary(b->g, "div", one, zero);
	case 10: return lt_graph_binary(b->g, "mul", third(b, 1.25e38), e);
	case 11: return lt_graph_binary(b->g, "mul", third(b, INFINITY), e);
	case 12: return lt_graph_binary(b->g, "sub", third(b, -INFINITY), e);
	case 13: return lt_graph_unary(b->g, "exp", lt_graph_binary(b->g, "sub", third(b, -INFINITY), e));
	case 14: return lt_graph_binary(b->g, "add", third(b, NAN), e);
	case 15: return lt_graph_binary(b->g, "mul", third(b, 1.5), third(b, 2.25));
	case 16: return lt_graph_binary(b->g, "mul", third(b, 1.1), third(b, 1.1));
	case 17: return lt_graph_unary(b->g, "sqrt", third(b, 2));
	case 18: return lt_graph_unary(b->g, "neg", third(b, 2));
	case 19: return lt_graph_op(b->g, "select", 3, (lt_node[]){ lt_graph_binary(b->g, "less", e, one), one, third(b, 2) });
	case 20: return lt_graph_op(b->g, "select", 3, (lt_node[]){ lt_graph_binary(b->g, "less", e, e), one, third(b, 2) });
	case 21: return lt_graph_binary(b->g, "max", e, third(b, NAN));
	case 22: return lt_graph_binary(b->g, "div", lt_graph_cast(b->g, zero, LT_I32), lt_graph_literal_int(b->g, LT_I32, 3));
	case 23: return lt_graph_cast(b->g, e, LT_F16);
	case 24: return lt_graph_binary(b->g, "mul", third(b, 3e38), third(b, 3e38));
	case 25:
		return lt_graph_cast(
			b->g, lt_graph_binary(b->g, "add", third(b, 2047), lt_graph_binary(b->g, "div", e, e)), LT_F16);
	case 26:
		return lt_graph_cast(
			b->g, lt_graph_binary(b->g, "add", third(b, 2048), lt_graph_binary(b->g, "div", e, e)), LT_F16);
	default: return -1;
	}
}

Test(eval_bounds, kind)
{
	static const enum kind want[] = { ZERO, FINITE, FINITE, ZERO, FINITE, ZERO, FINITE, ZERO, ZERO, INFINITE,
		FINITE, INFINITE, ZERO, ZERO, ZERO, ZERO, FINITE, ZERO, ZERO, ZERO, FINITE, ZERO, ZERO, ZERO, INFINITE,
		ZERO, FINITE };

	for (int i = 0; i < COUNT(want); i++) {
		struct oracle *b = oracle_open(LT_F32);
		static const float one = 1;
		const double *error;
		lt_node e = lt_graph_unary(b->g, "exp", oracle_input(b, LT_F32, 0, NULL, &one)), y = bound_case(b, i, e);
		cr_assert_geq(y, 0, "case %d: %s", i, lt_context_message(b->ctx));
		oracle_run(b, y, &error);
		enum kind got = error[0] == 0 ? ZERO : isfinite(error[0]) ? FINITE : INFINITE;
		cr_expect_eq(got, want[i], "case %d: bound %g", i, error[0]);
		if (i == 1)             /* the two units in the last place that a backend's exp may be off */
			cr_expect_geq(error[0], 0x1p-21, "bound %g", error[0]);
		oracle_close(b);
	}
}

/* A gather by an uncertain index can be anything; sums that may overflow, products that may underflow too. */
Test(eval_bounds, infinite)
{
	struct oracle *b = oracle_open(LT_F32);
	const double *error;
	static const float x[3] = { 3e38f, 3e38f, -3e38f }, small[3] = { 1e-30f, 1e-30f, 1e30f }, unit[3] = { 1, 2, 3 };
	lt_var v = lt_graph_var(b->g, "v", 3), i = lt_graph_var(b->g, "i", 1);
	lt_node in = oracle_input(b, LT_F32, 1, &v, x), tiny = oracle_input(b, LT_F32, 1, &v, small),
		plain = oracle_input(b, LT_F32, 1, &v, unit);
	lt_node e = lt_graph_op_to(b->g, "exp", 1, (lt_node[]){ third(b, 0.6931471805599453) }, 1, &i);
	lt_node two = lt_graph_cast(b->g, lt_graph_unary(b->g, "floor", e), LT_I64);
	lt_node index = lt_graph_binary(b->g, "min", two, lt_graph_literal_int(b->g, LT_I64, 2));
	const struct { const char *name; lt_node y; } results[] = {
		{ "overflow", lt_graph_reduce(b->g, "add", in, 1, &v) }, { "underflow", lt_graph_reduce(b->g, "mul", tiny, 1, &v) },
		{ "gather", lt_graph_gather(b->g, plain, index, 0) }, { "sum", lt_graph_reduce(b->g, "add", plain, 1, &v) },
		{ "product", lt_graph_reduce(b->g, "mul", plain, 1, &v) },
	};

	for (int k = 0; k < COUNT(results); k++)
		cr_assert_eq(lt_graph_result(b->g, results[k].name, results[k].y), LT_OK, "%s", lt_context_message(b->ctx));
	cr_assert_eq(lt_eval(b->g, b->source, true, &b->e), LT_OK, "%s", lt_context_message(b->ctx));
	for (int k = 0; k < COUNT(results); k++) {
		lt_eval_result(b->e, k, &error);
		cr_expect_eq(isinf(error[0]) != 0, k < 3, "%s: %g", results[k].name, error[0]);
	}
	oracle_close(b);
}

/* A product that overflows: contracted into its sum it need not, so the sum of both can be anything.  A pole is no
 * overflow. */
Test(eval_bounds, overflowing_product)
{
	struct oracle *b = oracle_open(LT_F64);
	const double *error;
	static const double x[2] = { 1e308, -1e308 }, y[2] = { 4, 3 }, zero[2] = { 0, 0 };
	lt_var v = lt_graph_var(b->g, "v", 2);
	lt_node left = oracle_input(b, LT_F64, 1, &v, x), right = oracle_input(b, LT_F64, 1, &v, y),
		none = oracle_input(b, LT_F64, 1, &v, zero);
	lt_node sum = lt_graph_contract(b->g, left, right, 1, &v), pole = lt_graph_unary(b->g, "log", none);

	cr_assert_eq(lt_graph_result(b->g, "sum", sum), LT_OK, "%s", lt_context_message(b->ctx));
	cr_assert_eq(lt_graph_result(b->g, "pole", pole), LT_OK, "%s", lt_context_message(b->ctx));
	cr_assert_eq(lt_eval(b->g, b->source, true, &b->e), LT_OK, "%s", lt_context_message(b->ctx));
	lt_eval_result(b->e, 0, &error);
	cr_expect(isinf(error[0]), "%g", error[0]);
	lt_eval_result(b->e, 1, &error);
	cr_expect_eq(error[0], 0, "%g", error[0]);
	oracle_close(b);
}
