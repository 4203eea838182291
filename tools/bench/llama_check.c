/* llama_check.c -- whether what a contestant makes of a model is right: ours beside plain loops in double,
 * all others' tokens beside ours.
 *
 * Logits in float32 are 1e-7 to 1e-5 of their norm from these; what is wrong anywhere in a model moves all of them.
 * With int8 what a matrix is multiplied with is rounded: where that is close to the middle between two numbers, any
 * other order of sums decides otherwise, which is a hundredth of that number, and more with each layer: 0.005 of the
 * norm of the logits were seen with 5 layers, 0.018 with 12.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tools/bench/llama.h"

static const double tolerances[BENCH_LLAMA_TYPES] = { [BENCH_LLAMA_F32] = 1e-4, [BENCH_LLAMA_BF16] = 1e-4,
	[BENCH_LLAMA_F16] = 1e-4, [BENCH_LLAMA_INT8] = 0.1 };

double bench_llama_tolerance(const struct bench_llama *x)
{
	return tolerances[x->type];
}

/* As many as the reference computes in some seconds, where the context has them. */
int bench_llama_checked(const struct lt_llama *m)
{
	const int64_t quick = INT64_C(2000000000) / (m->parameters + 1), n = quick < 3 ? 3 : quick > 20 ? 20 : quick;

	return (int)(n < m->context ? n : m->context);
}

static double deviation_of(const float *x, int64_t n)
{
	double mean = 0, squares = 0;

	for (int64_t i = 0; i < n; i++)
		mean += x[i] / (double)n;
	for (int64_t i = 0; i < n; i++)
		squares += (x[i] - mean) * (x[i] - mean);
	return sqrt(squares / (double)n);
}

/* As a whole, relative to the norm of what is wanted. */
static double distance_of(const float *got, const double *want, int32_t n)
{
	double apart = 0, all = 0;

	for (int32_t i = 0; i < n; i++) {
		apart += (got[i] - want[i]) * (got[i] - want[i]);
		all += want[i] * want[i];
	}
	return sqrt(apart / all);
}

static lt_status logits_near(struct lt_context *ctx, const struct bench_llama *x, const char *how, const float *got,
	const double *want, double *error)
{
	const double one = distance_of(got, want, x->sizes.vocab);

	*error = one > *error ? one : *error;
	return one <= bench_llama_tolerance(x) ? LT_OK : lt_fail(ctx, LT_EINVAL, "its logits of a few tokens, %s, differ from "
		"the reference's by %.2g of their norm, and at most %.2g is allowed", how, one, bench_llama_tolerance(x));
}

/* The pass that is measured, beside our own steps: either may be off by the tolerance. */
static lt_status pass_near(struct lt_context *ctx, const struct bench_llama *x, struct bench_llama_ours *u, int prompt,
	const int32_t *token)
{
	double *want = lt__must_alloc((size_t)x->sizes.vocab * sizeof *want), seconds, apart = 0;
	const float *got;
	lt_status s = bench_llama_logits(u, token, prompt, &got);

	for (int32_t i = 0; i < x->sizes.vocab && !s; i++)
		want[i] = got[i];
	s = s ? s : bench_llama_read(u, token, prompt, &got, &seconds);
	if (!s)
		apart = distance_of(got, want, x->sizes.vocab);
	free(want);
	/* What is no number is not near, either. */
	return s || apart <= 2 * bench_llama_tolerance(x) ? s : lt_fail(ctx, LT_EINVAL, "its logits of a prompt of %d tokens, "
		"in one pass, differ from those of its steps by %.2g of their norm, and at most %.2g is allowed", prompt, apart,
		2 * bench_llama_tolerance(x));
}

lt_status bench_llama_check_logits(struct lt_context *ctx, const struct bench_llama *x, struct bench_llama_ours *u,
	int prompt, const double *want, const int32_t *token, int n, double *error)
{
	const float *got;
	double seconds;

	*error = 0;
	LT_TRY(bench_llama_logits(u, token, n, &got));
	LT_TRY(logits_near(ctx, x, "one by one", got, want, error));
	if (prompt >= n) {
		LT_TRY(bench_llama_read(u, token, n, &got, &seconds));
		LT_TRY(logits_near(ctx, x, "in one pass", got, want, error));
	}
	return prompt > 0 && prompt != n ? pass_near(ctx, x, u, prompt, token) : LT_OK;
}

/* How far our token i is before another one, in deviations of all logits. */
static lt_status lead_at(struct bench_llama_ours *u, const struct bench_llama *x, const struct bench_llama_made *mine,
	int i, int32_t other, double *lead)
{
	int32_t *token = lt__must_alloc(((size_t)i + 1) * sizeof *token);
	const float *logits;
	lt_status s;

	*token = LT_LLAMA_BEGIN;
	memcpy(token + 1, mine->token, (size_t)i * sizeof *token);
	s = bench_llama_logits(u, token, i + 1, &logits);
	if (!s)
		*lead = (logits[mine->token[i]] - logits[other]) / deviation_of(logits, x->sizes.vocab);
	free(token);
	return s;
}

lt_status bench_llama_check_tokens(struct lt_context *ctx, const struct bench_llama *x, struct bench_llama_ours *u,
	const struct bench_llama_made *mine, const struct bench_llama_made *other, int *agree)
{
	const int n = mine->n < other->n ? mine->n : other->n;
	double lead;
	int i = 0;

	while (i < n && mine->token[i] == other->token[i])
		i++;
	*agree = i;
	if (i == n)
		return mine->n == other->n ? LT_OK
			: lt_fail(ctx, LT_EINVAL, "it makes %d tokens, and ours are %d", other->n, mine->n);
	if (other->token[i] < 0 || other->token[i] >= x->sizes.vocab)
		return lt_fail(ctx, LT_EINVAL, "its token %d is %d, of a vocabulary of %d", i + 1, other->token[i], x->sizes.vocab);
	LT_TRY(lead_at(u, x, mine, i, other->token[i], &lead));
	/* Either may be off by the tolerance. */
	return lead <= 2 * bench_llama_tolerance(x) ? LT_OK : lt_fail(ctx, LT_EINVAL, "its token %d is %d, where ours, %d, "
		"leads by %.2g deviations of the logits", i + 1, other->token[i], mine->token[i], lead);
}
