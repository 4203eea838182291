/* net_check.c -- whether what a contestant makes of a model is right: before the judge (lt/verify.h), or
 * compared with another contestant's.
 *
 * Other programs have tables of functions of their own.  Of them each result as a whole has to be as near to the
 * evaluator's as rounding explains, which the judge derives from its runs with random errors.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "lt/verify.h"
#include "ir/op/op.h"
#include "tools/bench/net.h"

/* Between two programs, where no evaluator says what rounding explains: networks in float32 differ by 1e-7 to 1e-5 of
 * the norm, and a layer that is wrong by more than 1e-2. */
#define NET_APART 1e-4

/* Relative L2, as bench_distance, of any type. */
static double net_distance(const void *got, const void *want, enum lt_dtype t, int64_t n)
{
	const bool real = lt__dtype_info(t)->cls == LT_CLASS_FLOAT;
	double d = 0, all = 0;

	for (int64_t i = 0; i < n; i++) {
		const union lt_scalar a = lt__load(got, i, t), b = lt__load(want, i, t);
		const double x = real ? a.f : (double)a.i, y = real ? b.f : (double)b.i;

		d += (x - y) * (x - y);
		all += y * y;
	}
	return all > 0 ? sqrt(d / all) : sqrt(d);
}

static lt_status truth_judged(const struct bench_case *c, struct bench_truth *t)
{
	const struct bench_net *net = c->net;
	const int32_t n_input = net->binding[LT_BINDING_INPUT].n, n_constant = net->binding[LT_BINDING_CONSTANT].n;
	const void **constant = lt__must_alloc(((size_t)n_constant + 1) * sizeof *constant);

	t->input = lt__must_alloc(((size_t)n_input + 1) * sizeof *t->input);
	for (int32_t i = 0; i < n_input; i++)
		t->input[i] = net->input[i].data;
	for (int32_t i = 0; i < n_constant; i++)
		constant[i] = net->constant[i].data;
	lt_status s = lt_verifier_new(net->graph, NULL, constant, NULL, &t->net);
	free(constant);
	LT_TRY(s);
	LT_TRY(lt_verifier_evaluate(t->net, t->input));
	for (int32_t i = 0; i < net->graph->n_result; i++) {
		LT_TRY(lt_verifier_explained(t->net, i, &t->allowed[i]));
		t->tolerance = fmax(t->tolerance, t->allowed[i]);
	}
	return LT_OK;
}

lt_status bench_net_truth(const struct bench_case *c, struct bench_truth *t)
{
	const int32_t n = c->net->graph->n_result;

	t->allowed = lt__must_alloc(((size_t)n + 1) * sizeof *t->allowed);
	if (!c->net->unjudged) {
		snprintf(t->method, sizeof t->method, "graph evaluator");
		return truth_judged(c, t);
	}
	t->open = true;
	t->tolerance = NET_APART;
	for (int32_t i = 0; i < n; i++)
		t->allowed[i] = NET_APART;
	return LT_OK;
}

void bench_net_truth_is(const struct bench_case *c, struct bench_truth *t, const char *label, const void *result)
{
	snprintf(t->method, sizeof t->method, "the result of %s", label);
	t->want = machine_buffer(c->out.n);
	memcpy(t->want, result, c->net->bytes);
	t->open = false;
}

void bench_net_truth_free(struct bench_truth *t)
{
	lt_verifier_free(t->net);
	free(t->input);
	free(t->allowed);
	t->net = NULL;
	t->input = NULL;
	t->allowed = NULL;
}

static const void *wanted(const struct bench_case *c, const struct bench_truth *t, int32_t i)
{
	return t->net ? lt_verifier_reference(t->net, i) : (const char *)t->want + c->net->at[i];
}

static lt_status judge_ours(const struct bench_case *c, const struct bench_truth *t, const void *got)
{
	lt_verifier_clear(t->net);
	for (int32_t i = 0; i < c->net->graph->n_result; i++)
		if (lt_verifier_result(t->net, i, (const char *)got + c->net->at[i]))
			return lt_fail(t->ctx, LT_EDEVICE, "it cannot be judged: %-s", lt_context_message(t->ctx));
	return bench_verdict(t->ctx, lt_verifier_report(t->net), "");
}

lt_status bench_net_check(const struct bench_case *c, const struct bench_truth *t, bool ours, const void *got,
	double *error)
{
	const struct model_bindings *results = &c->net->binding[LT_BINDING_RESULT];

	*error = 0;
	if (*t->why)
		return lt_fail(t->ctx, LT_EMISSING, "there is nothing to compare with: %-s", t->why);
	for (int32_t i = 0; i < results->n; i++) {
		const enum lt_dtype type = results->at[i].dtype;
		const int64_t n = (int64_t)(bench_net_result_bytes(c->net, i) / lt__dtype_info(type)->bytes);
		const double d = net_distance((const char *)got + c->net->at[i], wanted(c, t, i), type, n);

		if (!(d <= *error))
			*error = d;
		if (!(d <= t->allowed[i]))
			return lt_fail(t->ctx, LT_EDEVICE, "wrong result: '%s' is off by %.2g of its norm, at most %.2g (compared with "
				"%s)", results->at[i].name, d, t->allowed[i], t->net ? "the graph evaluator's" : t->method);
	}
	return ours && t->net ? judge_ours(c, t, got) : LT_OK;
}
