/* tools/bench_check.c -- whether a result is right: compared with the graph evaluator, a reference in double, or by
 * C.t = A.(B.t) with random t, which takes no product of matrices. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "ir/eval.h"
#include "tools/bench.h"

#define EVAL_MOST (INT64_C(1) << 23)            /* operations that the evaluator, which walks a graph, may be given */
#define PRODUCT_MOST (INT64_C(1) << 32)         /* operations of a product that is still computed in double */

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

static bool evaluate(const struct bench_case *c, struct bench_truth *t)
{
	struct lt_context *ctx = NULL;
	struct lt_graph *g = NULL;
	struct lt_evaluation *e = NULL;
	const void **source = NULL;
	bool ok = false;

	if (lt_context_new(&ctx))
		return bench_why(t->why, "out of memory");
	if (lt_parse(ctx, c->script, strlen(c->script), c->name, NULL, &g)) {
		bench_why(t->why, "%s", lt_context_message(ctx));
		goto out;
	}
	source = bench_alloc((size_t)g->n_node * sizeof *source);
	for (int32_t i = 0; i < g->n_node; i++)
		for (int k = 0; k < c->n_in; k++)
			if (g->node[i].label && !strcmp(g->node[i].label, c->in[k].name))
				source[i] = c->in[k].data;
	if (lt_eval(g, source, false, &e)) {
		bench_why(t->why, "%s", lt_context_message(ctx));
		goto out;
	}
	memcpy(t->want, lt_eval_result(e, 0, NULL), (size_t)c->out.n * sizeof *t->want);
	ok = true;
out:
	if (e)
		lt_eval_free(e);
	free(source);
	if (g)
		lt_graph_free(g);
	lt_context_free(ctx);
	return ok;
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

void bench_truth_make(const struct bench_case *c, struct bench_truth *t)
{
	bool product = !strcmp(c->op, "gemm") && c->flops > PRODUCT_MOST;

	memset(t, 0, sizeof *t);
	if (product) {
		t->method = "C.t = A.(B.t)";
		make_product(c, t);
		return;
	}
	t->want = bench_buffer(c->out.n);
	if (!c->reference || (c->script && c->flops + 8 * c->out.n <= EVAL_MOST)) {
		t->method = "graph evaluator";
		if (!evaluate(c, t)) {
			bench_buffer_free(t->want, c->out.n);
			t->want = NULL;
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
	free(t->vector);
	free(t->product);
	memset(t, 0, sizeof *t);
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

bool bench_check(const struct bench_case *c, const struct bench_truth *t, const float *got, double *error, char *why)
{
	if (!t->want && !t->product)
		return bench_why(why, "there is nothing to compare with: %s", t->why);
	*error = t->product ? product_distance(c, t, got) : bench_distance(got, t->want, c->out.n);
	if (*error <= bench_tolerance(c))
		return true;
	if (!t->product)
		for (int64_t i = 0; i < c->out.n; i++)
			if (!(fabs((double)got[i] - t->want[i]) <= 1e-4 * (1 + fabs((double)t->want[i]))))
				return bench_why(why, "wrong result: relative L2 %.2g, at most %.2g; element %lld is %.7g, not %.7g", *error, bench_tolerance(c),
					(long long)i, (double)got[i], (double)t->want[i]);
	return bench_why(why, "wrong result: relative L2 %.2g, at most %.2g", *error, bench_tolerance(c));
}
