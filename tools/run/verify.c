/* verify.c -- --verify: every kernel, result and state, every evaluation, before the judge (program/judge/judge.h).
 *
 * The judge evaluates the parsed graph, before any pass.  Its states are its own copy: zeros at first, then what the
 * program's states were when they were last compared, so that each evaluation is judged by itself and a state that
 * changes between two is found.
 */
#include <stdlib.h>
#include <string.h>
#include "program/judge/judge.h"
#include "program/host/host.h"
#include "tools/common/common.h"
#include "tools/run/run.h"
#include "program/explain/explain.h"

struct run_verify {
	const void **source;            /* by node of the graph */
	void **state;                   /* by binding: the oracle's own */
	struct lt_judge_options options;
	struct lt_unrounded unrounded;
	struct lt_report report;
	struct progress_line line;
};

lt_status run_verify_begin(struct run *r)
{
	struct run_verify *v = r->verify = calloc(1, sizeof *v);
	const struct model_bindings *states = &r->model.binding[LT_BINDING_STATE],
		*constants = &r->model.binding[LT_BINDING_CONSTANT];

	if (!v)
		return lt_fail(r->ctx, LT_ENOMEM, "out of memory");
	v->source = calloc((size_t)r->model.graph->n_node + 1, sizeof *v->source);
	v->state = calloc((size_t)states->n + 1, sizeof *v->state);
	if (!v->source || !v->state)
		return lt_fail(r->ctx, LT_ENOMEM, "out of memory");
	LT_TRY(lt__program_unrounded(r->program, r->model.graph, &v->unrounded));
	v->options = (struct lt_judge_options){ .seed = 1,
		.allows = lt__program_allows(r->program),
		.unrounded = v->unrounded.may,
		.n_thread = r->o.threads ? (uint32_t)r->o.threads : lt__judge_threads_here(),
		.parallel = lt__judge_on_threads,
		.progress = !r->o.quiet ? lt__progress_show : NULL,
		.user = &v->line };
	for (int32_t i = 0; i < constants->n; i++)
		v->source[constants->at[i].node] = r->model.given.constant.value[i] ? r->model.given.constant.value[i]->data :
			constants->at[i].content;
	for (int32_t i = 0; i < states->n; i++) {
		v->state[i] = calloc(1, model_binding_bytes(&states->at[i]) + 1);
		if (!v->state[i])
			return lt_fail(r->ctx, LT_ENOMEM, "out of memory");
		v->source[states->at[i].node] = v->state[i];
	}
	return LT_OK;
}

void run_verify_free(struct run *r)
{
	if (!r->verify)
		return;
	for (int32_t i = 0; r->verify->state && i < r->model.binding[LT_BINDING_STATE].n; i++)
		free(r->verify->state[i]);
	free(r->verify->state);
	free(r->verify->source);
	lt__unrounded_free(&r->verify->unrounded);
	free(r->verify);
	r->verify = NULL;
}

static void begin_evaluation(struct run *r, int64_t evaluation)
{
	struct run_verify *v = r->verify;

	if (r->o.runs * r->model.given.n_input > 1)
		snprintf(v->line.when, sizeof v->line.when, " of evaluation %lld", (long long)evaluation);
	v->report.when = v->line.when[0] ? v->line.when : NULL;
	v->line.begin_ns = lt__now_ns();
}

lt_status run_verify_kernels(struct run *r, int64_t evaluation)
{
	struct run_verify *v = r->verify;
	lt_status s;

	begin_evaluation(r, evaluation);
	s = lt__judge_instance(r->instance, r->input, r->output, &v->options, &v->report);
	lt__progress_end(&v->line);
	return s;
}

static lt_status judge_results(struct run *r, struct lt_judge *j)
{
	const struct model_bindings *results = &r->model.binding[LT_BINDING_RESULT];

	for (int32_t i = 0; i < results->n; i++) {
		const struct lt_nodedef *node = &r->model.graph->node[results->at[i].node];

		for (int32_t d = 0; d < node->n_dim; d++) {
			int64_t want = lt_eval_extent(lt__judge_reference(j), node->dim[d]), got = lt_instance_extent(r->instance, i, d);

			if (want != got)
				return lt_fail(r->ctx, LT_EDEVICE,
					"verification failed: '%s' has extent %lld on axis %d, the reference %lld",
					results->at[i].name, (long long)got, d, (long long)want);
		}
		if (lt__judge_result(j, i, r->output[i], &r->verify->report))
			return lt_fail(r->ctx, LT_EDEVICE, "verification failed: %s", lt_context_message(r->ctx));
	}
	return LT_OK;
}

static lt_status judge_states(struct run *r, struct lt_judge *j)
{
	struct run_verify *v = r->verify;
	const struct model_bindings *states = &r->model.binding[LT_BINDING_STATE];

	for (int32_t i = 0; i < states->n; i++) {
		/* What nothing reads is not kept. */
		const void *got = lt_instance_state(r->instance, i);

		if (!got)
			return lt_instance_code(r->instance);
		if (lt_program_needs(r->program, LT_BINDING_STATE, i) && lt__judge_state(j, states->at[i].node, got, &v->report))
			return lt_fail(r->ctx, LT_EDEVICE, "verification failed: %s", lt_context_message(r->ctx));
	}
	return LT_OK;
}

lt_status run_verify_states(struct run *r)
{
	const struct model_bindings *states = &r->model.binding[LT_BINDING_STATE];

	for (int32_t i = 0; i < states->n; i++) {
		const void *now = lt_instance_state(r->instance, i);

		if (!now)
			return lt_instance_code(r->instance);
		memcpy(r->verify->state[i], now, model_binding_bytes(&states->at[i]));
	}
	return LT_OK;
}

lt_status run_verify_compare(struct run *r, int64_t evaluation)
{
	struct run_verify *v = r->verify;
	const struct model_bindings *inputs = &r->model.binding[LT_BINDING_INPUT];
	struct lt_judge *j = NULL;
	lt_status s;

	begin_evaluation(r, evaluation);
	for (int32_t i = 0; i < inputs->n; i++)
		v->source[inputs->at[i].node] = r->input[i];
	s = lt__judge_new(r->model.graph, v->source, &v->options, &j);
	if (s)
		s = lt_fail(r->ctx, LT_EDEVICE, "verification failed: the reference refuses what was run: %s",
			lt_context_message(r->ctx));
	else
		s = judge_results(r, j);
	if (!s)
		s = judge_states(r, j);
	lt__judge_free(j);
	lt__progress_end(&v->line);
	return s ? s : run_verify_states(r);
}

/* -- telling -- */

static void add_worst(json_t *o, const char *key, const struct lt_worst *w)
{
	char name[64];

	snprintf(name, sizeof name, "%s_at", key);
	json_object_set_new(o, key, run_json_number(w->value));
	json_object_set_new(o, name, lt__json_text(w->at));
}

static void add_json(struct run *r, const char *verdict)
{
	const struct lt_report *p = &r->verify->report;
	json_t *o = json_pack("{s:b,s:s,s:o}", "passed", !strcmp(verdict, "passed"), "verdict", verdict, "first",
		lt__json_text(p->first));
	json_t *kernels = json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "kernels", (json_int_t)p->kernels, "values",
		(json_int_t)p->values, "elements", (json_int_t)p->kernel_elements, "equal", (json_int_t)p->kernel_equal,
		"judged", (json_int_t)p->kernel_judged, "left", (json_int_t)p->kernel_left, "wrong",
		(json_int_t)p->kernel_wrong);
	json_t *noise = json_pack("{s:I,s:i,s:I,s:I,s:I,s:I}", "runs", (json_int_t)p->runs, "widened",
		LT_JUDGE_NOISE * LT_JUDGE_WIDEN, "equal", (json_int_t)p->equal, "judged", (json_int_t)p->judged, "open",
		(json_int_t)p->open, "wrong", (json_int_t)p->wrong);
	json_t *norm = json_pack("{s:I}", "wrong", (json_int_t)p->norm_wrong);

	json_object_set_new(o, "tf32", json_boolean(r->verify->options.allows & LT_ALLOW_TF32));
	json_object_set_new(o, "unrounded", json_integer(r->verify->unrounded.n));
	json_object_set_new(o, "compared", json_integer((json_int_t)p->elements));
	add_worst(o, "largest_absolute_error", &p->absolute);
	add_worst(o, "largest_relative_error", &p->relative);
	add_worst(kernels, "largest_error_over_bound", &p->bound);
	add_worst(noise, "largest_error_over_tolerance", &p->noise);
	add_worst(norm, "largest_relative_error", &p->norm);
	json_object_set_new(norm, "explained", run_json_number(p->norm_explained));
	json_object_set_new(o, "kernels", kernels);
	json_object_set_new(o, "noise", noise);
	json_object_set_new(o, "norm", norm);
	json_object_set_new(r->json, "verify", o);
}

static void print_worst(const char *what, const struct lt_worst *w)
{
	lt__say(stdout, "%s %.3g%s%s", what, w->value, w->value > 0 ? " at " : "", w->at);
}

/* brief: the verdict alone, which was asked for. */
static void print(const struct run_verify *v, const char *verdict, bool brief)
{
	const struct lt_report *p = &v->report;
	char open[40] = "";

	if (p->open > 0)
		snprintf(open, sizeof open, ", %lld not judged", (long long)p->open);
	lt__say(stdout, "verify: %s%s: %lld element%s compared, %lld equal", verdict, open, (long long)p->elements,
		lt__plural(p->elements), (long long)p->equal);
	print_worst("; largest absolute error", &p->absolute);
	print_worst("; largest relative error", &p->relative);
	if (brief) {
		putchar('\n');
		return;
	}
	if (v->options.allows & LT_ALLOW_TF32)
		lt__say(stdout, "\n  allowed: factors of float32 in products may have 10 bits of their fraction (tf32)");
	if (v->unrounded.n)
		lt__say(stdout, "\n  allowed: %d rounding%s between operators may be left out by the routines that do them",
			(int)v->unrounded.n, lt__plural(v->unrounded.n));
	lt__say(stdout,
		"\n  kernels: %lld value%s of %lld kernel%s, %lld element%s: %lld equal, %lld within the bound of "
		"their kernel, %lld wrong",
		(long long)p->values, lt__plural(p->values), (long long)p->kernels, lt__plural(p->kernels),
		(long long)p->kernel_elements, lt__plural(p->kernel_elements), (long long)p->kernel_equal,
		(long long)p->kernel_judged, (long long)p->kernel_wrong);
	print_worst("; largest error/bound", &p->bound);
	if (p->kernel_left > 0)
		lt__say(stdout, "; %lld left to the next test because their bound says nothing, such as some of %s",
			(long long)p->kernel_left, p->left);
	lt__say(stdout,
		"\n  noise:   %lld run%s with random errors, widened %d times: %lld within, %lld wrong, %lld open",
		(long long)p->runs, lt__plural(p->runs), LT_JUDGE_NOISE * LT_JUDGE_WIDEN, (long long)p->judged,
		(long long)p->wrong, (long long)p->open);
	print_worst("; largest error/tolerance", &p->noise);
	lt__say(stdout, "\n  norm:    largest relative error %.3g", p->norm.value);
	if (p->norm.value > 0)
		lt__say(stdout, ", of %s; rounding explains %.3g", p->norm.at, p->norm_explained);
	putchar('\n');
}

lt_status run_verify_end(struct run *r)
{
	const struct lt_report *p = &r->verify->report;
	bool failed = lt__report_failed(p), open = p->open > 0 && !r->o.allow_unbounded;
	const char *verdict = failed ? "FAILED" : open ? "not verified" : "passed";

	if (r->json)
		add_json(r, failed ? "failed" : verdict);
	else
		print(r->verify, verdict, r->o.quiet && !failed && p->open == 0);
	fflush(stdout);
	if (failed)
		return lt_fail(r->ctx, LT_EDEVICE, "verification failed: %s", p->first);
	if (open) {
		r->verdict = LT_EXIT_OPEN;
		return lt_fail(r->ctx, LT_EUNSUPPORTED,
			"not verified: %lld of %lld elements differ from the reference where rounding may explain any "
			"value, such as %s; with --verify=allow-unbounded they pass",
			(long long)p->open, (long long)p->elements, p->open_at);
	}
	return LT_OK;
}
