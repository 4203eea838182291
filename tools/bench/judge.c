/* judge.c -- a result before the judge (lt/verify.h): all of it, or, where that takes too long, a
 * sample of its rows.
 *
 * A sample is a program of its own: the same script, with as many rows as are drawn, whose inputs have these rows.
 * So the same evaluator and the same tolerances decide, and only what is in no row that was drawn is not seen.
 */
#include <stdlib.h>
#include <string.h>
#include "lt/verify.h"
#include "base/hash.h"
#include "tools/bench/bench.h"

struct bench_judge {
	struct lt_context *ctx;
	struct lt_graph *graph;
	const void **input;
	struct lt_verifier *judge;
	int64_t *row, n_row;            /* of a sample; NULL: all rows */
	float *in[BENCH_TENSORS];       /* its rows of the inputs that have some */
	float *got;                     /* room for the result's */
};

void bench_judge_free(struct bench_judge *j)
{
	if (!j)
		return;
	lt_verifier_free(j->judge);
	lt_graph_free(j->graph);
	free(j->input);
	free(j->row);
	for (int i = 0; i < BENCH_TENSORS; i++)
		free(j->in[i]);
	free(j->got);
	free(j);
}

/* A row of each of n equal parts, by numbers that depend on the case's name alone: a failure can be repeated. */
void bench_sample_rows(const struct bench_case *c, int64_t rows, int64_t n, int64_t *out)
{
	uint64_t state = lt__hash_more(LT_HASH_BEGIN, c->name, strlen(c->name));

	for (int64_t i = 0; i < n; i++) {
		int64_t begin = rows * i / n, end = rows * (i + 1) / n;

		state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		out[i] = n > 1 && i == 0 ? 0 : n > 1 && i == n - 1 ? rows - 1 : begin + (int64_t)(state >> 33) % (end - begin);
	}
}

static void copy_rows(const struct bench_judge *j, const float *from, int64_t width, float *to)
{
	for (int64_t i = 0; i < j->n_row; i++)
		memcpy(to + i * width, from + j->row[i] * width, (size_t)width * sizeof *to);
}

static void draw_sample(const struct bench_case *c, int64_t rows, struct bench_judge *j)
{
	int64_t all = c->in[0].shape[0];

	j->n_row = rows;
	j->row = lt__must_alloc((size_t)rows * sizeof *j->row);
	bench_sample_rows(c, all, rows, j->row);
	j->got = lt__must_alloc((size_t)(rows * (c->out.n / all)) * sizeof *j->got);
	for (int i = 0; i < c->by_rows; i++) {
		j->in[i] = lt__must_alloc((size_t)(rows * (c->in[i].n / all)) * sizeof *j->in[i]);
		copy_rows(j, c->in[i].data, c->in[i].n / all, j->in[i]);
	}
}

lt_status bench_judge_new(struct lt_context *ctx, const struct bench_case *c, int64_t rows, struct bench_judge **out)
{
	struct bench_judge *j = *out = lt__must_alloc(sizeof *j);
	bool all = rows == c->in[0].shape[0];
	char *script = all ? lt__must_format("%s", c->script) : bench_case_of_rows(c, rows);
	lt_status s = lt_parse(ctx, script, strlen(script), c->name, NULL, &j->graph);

	j->ctx = ctx;
	free(script);
	LT_TRY(s);
	if (!all)
		draw_sample(c, rows, j);
	j->input = lt__must_alloc(((size_t)c->n_in + 1) * sizeof *j->input);
	const void **constant = lt__must_alloc(((size_t)c->n_in + 1) * sizeof *constant), **to[] = { j->input, constant };
	int32_t n[2] = { 0, 0 };
	for (int32_t i = 0; i < j->graph->n_node; i++) {
		const enum lt_opcode op = j->graph->node[i].op;

		for (int k = 0; k < c->n_in && (op == LT_OP_input || op == LT_OP_constant); k++)
			if (j->graph->node[i].label && !strcmp(j->graph->node[i].label, c->in[k].name))
				to[op == LT_OP_constant][n[op == LT_OP_constant]] = j->in[k] ? j->in[k] : c->in[k].data;
		if (op == LT_OP_input || op == LT_OP_constant)
			n[op == LT_OP_constant]++;
	}
	s = lt_verifier_new(j->graph, NULL, constant, NULL, &j->judge);
	free(constant);
	return s ? s : lt_verifier_evaluate(j->judge, j->input);
}

const float *bench_judge_reference(const struct bench_judge *j) { return lt_verifier_reference(j->judge, 0); }

/* Where the sample's rows stand in the result: the one that is farthest from the reference. */
static int64_t worst_row(const struct bench_judge *j, const struct bench_case *c)
{
	int64_t width = c->out.n / c->in[0].shape[0], worst = 0;
	double most = 0;

	for (int64_t i = 0; i < j->n_row; i++) {
		double d = bench_distance(j->got + i * width, bench_judge_reference(j) + i * width, width);

		if (!(d <= most)) {
			most = d;
			worst = j->row[i];
		}
	}
	return worst;
}

lt_status bench_verdict(struct lt_context *ctx, const struct lt_verified *f, const char *where)
{
	return f->verdict == LT_VERDICT_PASSED ? LT_OK
		: f->verdict == LT_VERDICT_FAILED ? lt_fail(ctx, LT_EDEVICE, "wrong result: %s%s", f->first, where)
		: lt_fail(ctx, LT_EDEVICE, "not verified: rounding may explain any value of %lld elements, such as %s%s",
			(long long)f->open, f->open_at, where);
}

lt_status bench_judge_result(struct bench_judge *j, const struct bench_case *c, const float *got)
{
	char where[80] = "";

	if (j->row) {
		copy_rows(j, got, c->out.n / c->in[0].shape[0], j->got);
		snprintf(where, sizeof where, "; of the whole, row %lld is farthest off", (long long)worst_row(j, c));
	}
	lt_verifier_clear(j->judge);
	lt_verifier_name(j->judge, j->row ? " of the sampled rows" : NULL);
	lt_status s = lt_verifier_result(j->judge, 0, j->row ? j->got : got);

	if (s)
		return lt_fail(j->ctx, s, "it cannot be judged: %-s", lt_context_message(j->ctx));
	return bench_verdict(j->ctx, lt_verifier_report(j->judge), where);
}
