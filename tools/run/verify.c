/* verify.c -- --verify: every kernel, result and state, every evaluation, before the judge (lt/verify.h). */
#include <stdlib.h>
#include <string.h>
#include "lt/verify.h"
#include "tools/common/common.h"
#include "tools/run/run.h"

struct run_verify { struct lt_verifier *verifier; struct progress_line line; };

lt_status run_verify_begin(struct run *r)
{
	struct run_verify *v = r->verify = calloc(1, sizeof *v);
	const struct model_bindings *constants = &r->model.binding[LT_BINDING_CONSTANT];
	const void **given = calloc((size_t)constants->n + 1, sizeof *given);
	lt_status st;

	if (v && given) {
		const struct lt_verify_options options = { .size = sizeof options,
			.n_thread = (uint32_t)r->o.threads,
			.allow_open = r->o.allow_unbounded,
			.progress = !r->o.quiet ? lt__progress_show : NULL,
			.user = &v->line };

		/* What the user gave, and not what the program keeps of it. */
		for (int32_t i = 0; i < constants->n; i++)
			given[i] = r->model.given.constant.value[i] ? r->model.given.constant.value[i]->data : NULL;
		st = lt_verifier_new(r->model.graph, r->program, given, &options, &v->verifier);
	} else {
		st = lt_fail(r->ctx, LT_ENOMEM, "out of memory");
	}
	free(given);
	return st;
}

void run_verify_free(struct run *r)
{
	if (r->verify)
		lt_verifier_free(r->verify->verifier);
	free(r->verify);
	r->verify = NULL;
}

static void begin_evaluation(struct run *r, int64_t evaluation)
{
	struct run_verify *v = r->verify;

	if (r->o.runs * r->model.given.n_input > 1)
		snprintf(v->line.when, sizeof v->line.when, " of evaluation %lld", (long long)evaluation);
	lt_verifier_name(v->verifier, v->line.when);
	v->line.begin_ns = lt__now_ns();
}

lt_status run_verify_kernels(struct run *r, int64_t evaluation)
{
	struct run_verify *v = r->verify;
	lt_status s;

	begin_evaluation(r, evaluation);
	s = lt_verifier_kernels(v->verifier, r->instance, r->input, r->output);
	lt__progress_end(&v->line);
	return s;
}

lt_status run_verify_compare(struct run *r, int64_t evaluation)
{
	struct run_verify *v = r->verify;
	lt_status s;

	begin_evaluation(r, evaluation);
	s = lt_verifier_results(v->verifier, r->instance, r->input, (const void *const *)r->output);
	lt__progress_end(&v->line);
	return s && !lt__is_end(s) ? lt_fail(r->ctx, s, "verification failed: %-s", lt_context_message(r->ctx)) : s;
}

lt_status run_verify_states(struct run *r) { return lt_verifier_states(r->verify->verifier, r->instance); }

/* -- telling -- */

static void add_largest(json_t *o, const char *key, double value, const char *at)
{
	char name[64];

	snprintf(name, sizeof name, "%s_at", key);
	json_object_set_new(o, key, run_json_number(value));
	json_object_set_new(o, name, lt__json_text(at));
}

static void add_json(struct run *r, const struct lt_verified *f)
{
	static const char *const verdict[] = { "passed", "failed", "not verified" };
	json_t *o = json_pack("{s:b,s:s,s:o}", "passed", f->verdict == LT_VERDICT_PASSED, "verdict", verdict[f->verdict],
		"first", lt__json_text(f->first));
	json_t *kernels = json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "kernels", (json_int_t)f->kernels, "values",
		(json_int_t)f->values, "elements", (json_int_t)f->kernel_elements, "equal", (json_int_t)f->kernel_equal,
		"judged", (json_int_t)f->kernel_judged, "left", (json_int_t)f->kernel_left, "wrong",
		(json_int_t)f->kernel_wrong);
	json_t *noise = json_pack("{s:I,s:I,s:I,s:I,s:I,s:I}", "runs", (json_int_t)f->runs, "widened",
		(json_int_t)f->widened, "equal", (json_int_t)f->equal, "judged", (json_int_t)f->judged, "open",
		(json_int_t)f->open, "wrong", (json_int_t)f->wrong);
	json_t *norm = json_pack("{s:I}", "wrong", (json_int_t)f->norm_wrong);

	json_object_set_new(o, "tf32", json_boolean(f->tf32));
	json_object_set_new(o, "unrounded", json_integer((json_int_t)f->n_unrounded));
	json_object_set_new(o, "added", json_integer((json_int_t)f->n_added));
	json_object_set_new(o, "compared", json_integer((json_int_t)f->elements));
	add_largest(o, "largest_absolute_error", f->absolute, f->absolute_at);
	add_largest(o, "largest_relative_error", f->relative, f->relative_at);
	add_largest(kernels, "largest_error_over_bound", f->bound, f->bound_at);
	add_largest(noise, "largest_error_over_tolerance", f->noise, f->noise_at);
	add_largest(norm, "largest_relative_error", f->norm, f->norm_at);
	json_object_set_new(norm, "explained", run_json_number(f->norm_explained));
	json_object_set_new(o, "kernels", kernels);
	json_object_set_new(o, "noise", noise);
	json_object_set_new(o, "norm", norm);
	json_object_set_new(r->json, "verify", o);
}

static void show(void *user, const char *text, size_t bytes)
{
	(void)user;
	lt__say(stdout, "%.*s", (int)bytes, text);
}

lt_status run_verify_end(struct run *r)
{
	const struct lt_verified *f = lt_verifier_report(r->verify->verifier);

	/* Quiet: the verdict alone, which was asked for. */
	if (r->json)
		add_json(r, f);
	else
		lt_verified_print(f, r->o.quiet && f->verdict != LT_VERDICT_FAILED && f->open == 0, show, NULL);
	fflush(stdout);
	if (f->verdict == LT_VERDICT_FAILED)
		return lt_fail(r->ctx, LT_EDEVICE, "verification failed: %s", f->first);
	if (f->verdict == LT_VERDICT_OPEN) {
		r->verdict = LT_EXIT_OPEN;
		return lt_fail(r->ctx, LT_EUNSUPPORTED,
			"not verified: %lld of %lld elements differ from the reference where rounding may explain any "
			"value, such as %s; with --verify=allow-unbounded they pass",
			(long long)f->open, (long long)f->elements, f->open_at);
	}
	return LT_OK;
}
