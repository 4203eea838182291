/* tools/bench_check.c -- whether a result is right: before the judge (check/judge.h), compared with a reference in
 * double, or by C.t = A.(B.t) with random t, which takes no product of matrices.
 *
 * The judge's tolerances follow from what the operator table allows our backends.  Other libraries have tables of their
 * own: of them only the distance to the same reference counts, so that none is left out for another choice of
 * polynomials. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "check/judge.h"
#include "tools/bench.h"

#define EVAL_MAX \
	(INT64_C(1) << 28) /* operations that the evaluator, which walks a graph some six times, may be given */
#define PRODUCT_MAX (INT64_C(1) << 32)         /* operations of a product that is still computed in double */

double bench_tolerance(const struct bench_case *c)
{
	/* Rounding errors of a sum in any order grow like the root of its terms. */
	return c->depth ? 0x1p-24 * (16 + 4 * sqrt((double)c->depth)) : 0;
}

double bench_distance(const float *got, const float *want, int64_t n)
{
	double d = 0, all = 0;

	for (int64_t i = 0; i < n; i++) {
		double e = (double)got[i] - want[i];

		d += e * e;
		all += (double)want[i] * want[i];
	}
	/* A NaN anywhere makes the distance NaN. */
	return all > 0 ? sqrt(d / all) : sqrt(d);
}

struct bench_judge {
	struct lt_graph *graph;
	const void **source;
	struct lt_judge *judge;
};

static void free_judge(struct bench_judge *j)
{
	if (!j)
		return;
	lt__judge_free(j->judge);
	free(j->source);
	lt_graph_free(j->graph);
	free(j);
}

static lt_status truth_evaluate(const struct bench_case *c, struct bench_truth *t)
{
	const struct lt_judge_options options = {
		.seed = 1, .n_thread = lt__judge_threads_here(), .parallel = lt__judge_on_threads
	};
	struct bench_judge *j = t->judge = bench_alloc(sizeof *j);

	LT_TRY(lt_parse(t->ctx, c->script, strlen(c->script), c->name, NULL, &j->graph));
	j->source = bench_alloc((size_t)j->graph->n_node * sizeof *j->source);
	for (int32_t i = 0; i < j->graph->n_node; i++)
		for (int k = 0; k < c->n_in; k++)
			if (j->graph->node[i].label && !strcmp(j->graph->node[i].label, c->in[k].name))
				j->source[i] = c->in[k].data;
	LT_TRY(lt__judge_new(j->graph, j->source, &options, &j->judge));
	memcpy(t->want, lt_eval_result(lt__judge_reference(j->judge), 0, NULL), (size_t)c->out.n * sizeof *t->want);
	return LT_OK;
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
	double *middle = bench_alloc((size_t)k * sizeof *middle);
	uint64_t state = 1;

	t->vector = bench_alloc((size_t)n * sizeof *t->vector);
	t->product = bench_alloc((size_t)m * sizeof *t->product);
	for (int64_t i = 0; i < n; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		t->vector[i] = (double)(state >> 11) * 0x1p-52 - 1;
	}
	times_vector(c->in[1].data, k, n, t->vector, middle);
	times_vector(c->in[0].data, m, k, middle, t->product);
	free(middle);
}

void bench_truth_make(struct lt_context *ctx, const struct bench_case *c, struct bench_truth *t)
{
	bool product = !strcmp(c->op, "gemm") && c->flops > PRODUCT_MAX;
	lt_status s;

	*t = (struct bench_truth){ .ctx = ctx };
	if (product) {
		t->method = "C.t = A.(B.t)";
		make_product(c, t);
		return;
	}
	t->want = bench_buffer(c->out.n);
	if (!c->reference || (c->script && c->flops + 8 * c->out.n <= EVAL_MAX)) {
		t->method = "graph evaluator";
		s = truth_evaluate(c, t);
		if (s) {
			bench_truth_free(t, c);
			bench_reason(ctx, s, t->why);
		}
		return;
	}
	t->method = "double";
	c->reference(c, t->want);
}

void bench_truth_free(struct bench_truth *t, const struct bench_case *c)
{
	if (t->want)
		bench_buffer_free(t->want, c->out.n);
	free_judge(t->judge);
	free(t->vector);
	free(t->product);
	*t = (struct bench_truth){ .ctx = t->ctx, .method = t->method };
}

static double product_distance(const struct bench_case *c, const struct bench_truth *t, const float *got)
{
	int64_t m = bench_case_get(c, "m"), n = bench_case_get(c, "n");
	double *have = bench_alloc((size_t)m * sizeof *have), d = 0, all = 0;

	times_vector(got, m, n, t->vector, have);
	for (int64_t i = 0; i < m; i++) {
		d += (have[i] - t->product[i]) * (have[i] - t->product[i]);
		all += t->product[i] * t->product[i];
	}
	free(have);
	return all > 0 ? sqrt(d / all) : sqrt(d);
}

static lt_status judge(const struct bench_truth *t, const float *got)
{
	struct lt_report report = { 0 };
	lt_status s;

	if (!t->judge)
		return LT_OK;
	s = lt__judge_result(t->judge->judge, 0, got, &report);
	if (s)
		return lt_fail(t->ctx, s, "it cannot be judged: %-s", lt_context_message(t->ctx));
	if (report.open > 0)
		return lt_fail(t->ctx, LT_EDEVICE, "not verified: rounding may explain any value of %lld elements, such as %s",
			(long long)report.open, report.open_at);
	return lt__report_failed(&report) ? lt_fail(t->ctx, LT_EDEVICE, "wrong result: %s", report.first) : LT_OK;
}

lt_status bench_check(
	const struct bench_case *c, const struct bench_truth *t, bool ours, const float *got, double *error)
{
	if (!t->want && !t->product)
		return lt_fail(t->ctx, LT_EMISSING, "there is nothing to compare with: %-s", t->why);
	*error = t->product ? product_distance(c, t, got) : bench_distance(got, t->want, c->out.n);
	if (*error <= bench_tolerance(c))
		return ours ? judge(t, got) : LT_OK;
	if (!t->product)
		for (int64_t i = 0; i < c->out.n; i++)
			if (!(fabs((double)got[i] - t->want[i]) <= 1e-4 * (1 + fabs((double)t->want[i]))))
				return lt_fail(t->ctx, LT_EDEVICE,
					"wrong result: relative L2 %.2g, at most %.2g; element %lld is %.7g, not %.7g",
					*error, bench_tolerance(c), (long long)i, (double)got[i], (double)t->want[i]);
	return lt_fail(t->ctx, LT_EDEVICE, "wrong result: relative L2 %.2g, at most %.2g", *error, bench_tolerance(c));
}
