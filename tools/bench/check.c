/* check.c -- whether a result is right: before the judge (judge.c), all of it or a sample; compared
 * with a reference in double, or by C.t = A.(B.t) with random t, which takes no product of matrices.
 *
 * The judge's tolerances follow from what the operator table allows our backends.  Other libraries have tables of their
 * own: of them only the distance to the same reference counts, so that none is left out for another choice of
 * polynomials. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "program/host/host.h"
#include "tools/bench/net.h"

/* What the evaluator, which walks a graph some six times, may be given: operations, about a nanosecond each in a
 * product, and for each element what drawing errors and judging take.  Moved elements are equal, and nothing is
 * drawn. */
#define EVAL_MAX (INT64_C(1) << 30)
enum { EVAL_ELEMENT = 256, EVAL_MOVED = 8 };
#define PRODUCT_MAX (INT64_C(1) << 32)         /* operations of a product that is still computed in double */

double bench_tolerance(const struct bench_case *c)
{
	/* Rounding errors of a sum in any order grow like the root of its terms. */
	return c->depth ? 0x1p-24 * (16 + 4 * sqrt((double)c->depth)) : 0;
}

/* out[r] = sum of row r of `a`, which is rows x columns, times v. */
static void times_vector(const float *a, int64_t rows, int64_t columns, const double *v, double *out)
{
	for (int64_t r = 0; r < rows; r++) {
		double s = 0;

		for (int64_t i = 0; i < columns; i++)
			s += a[r * columns + i] * v[i];
		out[r] = s;
	}
}

static void make_product(const struct bench_case *c, struct bench_truth *t)
{
	int64_t m = bench_case_get(c, "m"), k = bench_case_get(c, "k"), n = bench_case_get(c, "n");
	double *middle = lt__must_alloc((size_t)k * sizeof *middle);
	uint64_t state = 1;

	t->vector = lt__must_alloc((size_t)n * sizeof *t->vector);
	t->product = lt__must_alloc((size_t)m * sizeof *t->product);
	for (int64_t i = 0; i < n; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		t->vector[i] = (double)(state >> 11) * 0x1p-52 - 1;
	}
	times_vector(c->in[1].data, k, n, t->vector, middle);
	times_vector(c->in[0].data, m, k, middle, t->product);
	free(middle);
}

static int64_t rows_of(const struct bench_case *c) { return c->in[0].shape[0]; }

int64_t bench_judged_rows(const struct bench_case *c)
{
	if (!c->script)
		return 0;
	int64_t cost = c->flops > 0 ? c->flops + EVAL_ELEMENT * c->out.n : EVAL_MOVED * c->out.n, row = cost / rows_of(c) + 1;

	return cost <= EVAL_MAX || !c->reference ? -1 : !c->by_rows ? 0 : row > EVAL_MAX ? 1 : EVAL_MAX / row;
}

/* The judge of all rows, whose reference is the truth then, or of a sample. */
static lt_status truth_judge(const struct bench_case *c, int64_t rows, struct bench_truth *t)
{
	bool all = rows < 0;
	size_t at = strlen(t->method);

	LT_TRY(bench_judge_new(t->ctx, c, all ? rows_of(c) : rows, &t->judge));
	if (all)
		memcpy(t->want, bench_judge_reference(t->judge), (size_t)c->out.n * sizeof *t->want);
	else
		snprintf(t->method + at, sizeof t->method - at, ", %lld of %lld rows by the graph evaluator", (long long)rows,
			(long long)rows_of(c));
	return LT_OK;
}

/* Some rows of a case by_rows, as a case of its own; its first number is that of the rows. */
struct reference_parts { const struct bench_case *c; float *out; };

static void reference_part(void *arg, uint32_t i, uint32_t n)
{
	const struct reference_parts *r = arg;
	const int64_t all = rows_of(r->c), begin = all * i / n, rows = all * (i + 1) / n - begin;
	struct bench_case part = *r->c;

	for (int k = 0; k < part.by_rows; k++) {
		const int64_t width = part.in[k].n / all;

		part.in[k].data += begin * width;
		part.in[k].shape[0] = rows;
		part.in[k].n = rows * width;
	}
	part.out.n = rows * (r->c->out.n / all);
	part.number[0].value = rows;
	if (rows > 0)
		r->c->reference(&part, r->out + begin * (r->c->out.n / all));
}

void bench_reference_make(const struct bench_case *c, float *out)
{
	struct reference_parts parts = { c, out };

	if (c->by_rows && c->number[0].value == rows_of(c))
		lt__host_on_threads(NULL, lt__processors(), reference_part, &parts);
	else
		c->reference(c, out);
}

void bench_truth_make(struct lt_context *ctx, const struct bench_case *c, struct bench_truth *t)
{
	bool product = !strcmp(c->op, "gemm") && c->flops > PRODUCT_MAX;
	int64_t rows = bench_judged_rows(c);
	lt_status s;

	*t = (struct bench_truth){ .ctx = ctx };
	if (c->net) {
		s = bench_net_truth(c, t);
		if (s)
			bench_reason(ctx, s, t->why);
		return;
	}
	t->tolerance = bench_tolerance(c);
	snprintf(t->method, sizeof t->method, "%s", rows < 0 ? "graph evaluator" : product ? "C.t = A.(B.t)" : "double");
	if (product)
		make_product(c, t);
	else
		t->want = machine_buffer(c->out.n);
	s = rows ? truth_judge(c, rows, t) : LT_OK;
	if (s) {
		bench_truth_free(t);
		bench_reason(ctx, s, t->why);
		return;
	}
	if (rows >= 0 && !product)
		bench_reference_make(c, t->want);
}

void bench_truth_free(struct bench_truth *t)
{
	if (t->want)
		machine_buffer_free(t->want);
	bench_judge_free(t->judge);
	bench_net_truth_free(t);
	free(t->vector);
	free(t->product);
	t->want = NULL;
	t->judge = NULL;
	t->vector = t->product = NULL;
}

static double product_distance(const struct bench_case *c, const struct bench_truth *t, const float *got)
{
	int64_t m = bench_case_get(c, "m"), n = bench_case_get(c, "n");
	double *have = lt__must_alloc((size_t)m * sizeof *have), d = 0, all = 0;

	times_vector(got, m, n, t->vector, have);
	for (int64_t i = 0; i < m; i++) {
		d += (have[i] - t->product[i]) * (have[i] - t->product[i]);
		all += t->product[i] * t->product[i];
	}
	free(have);
	return all > 0 ? sqrt(d / all) : sqrt(d);
}

lt_status bench_check(
	const struct bench_case *c, const struct bench_truth *t, bool ours, const float *got, double *error)
{
	if (c->net)
		return bench_net_check(c, t, ours, got, error);
	if (!t->want && !t->product)
		return lt_fail(t->ctx, LT_EMISSING, "there is nothing to compare with: %-s", t->why);
	*error = t->product ? product_distance(c, t, got) : bench_distance(got, t->want, c->out.n);
	if (*error <= bench_tolerance(c))
		return ours && t->judge ? bench_judge_result(t->judge, c, got) : LT_OK;
	if (!t->product)
		for (int64_t i = 0; i < c->out.n; i++)
			if (!(fabs((double)got[i] - t->want[i]) <= 1e-4 * (1 + fabs((double)t->want[i]))))
				return lt_fail(t->ctx, LT_EDEVICE,
					"wrong result: relative L2 %.2g, at most %.2g; element %lld is %.7g, not %.7g",
					*error, bench_tolerance(c), (long long)i, (double)got[i], (double)t->want[i]);
	return lt_fail(t->ctx, LT_EDEVICE, "wrong result: relative L2 %.2g, at most %.2g", *error, bench_tolerance(c));
}
