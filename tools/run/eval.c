/* eval.c -- the evaluations, in order, on one instance: run, compare, print or write. */
#include <stdlib.h>
#include <string.h>
#include "tools/run/run.h"
#include "tools/common/common.h"

/* Copies the part of a result that there is, row by row, out of its layout at the largest extents. */
static void pack(const struct run_result *res, int64_t elems)
{
	const struct model_binding *p = res->binding;
	const struct lt_tensor *t = &res->tensor;
	size_t bytes = lt__dtype_info(p->dtype)->bytes;

	for (int64_t i = 0; i < elems; i++) {
		int64_t rest = i, from = 0, stride = 1;

		for (int32_t d = p->rank - 1; d >= 0; d--) {
			from += rest % t->shape[d] * stride;
			rest /= t->shape[d];
			stride *= p->shape[d];
		}
		memcpy((char *)t->data + (size_t)i * bytes, (const char *)res->data + (size_t)from * bytes, bytes);
	}
}

/* What its integers stand for, in place of them. */
static void make_real(struct run_result *res)
{
	struct lt_tensor *t = &res->tensor;
	const int64_t n = (int64_t)(t->bytes / lt__dtype_info(t->dtype)->bytes);

	for (int64_t i = 0; i < n; i++)
		res->real[i] = (lt__as_double(lt__load(t->data, i, t->dtype), t->dtype) - (double)res->zero) * res->scale;
	t->data = res->real;
	t->dtype = LT_F64;
	t->bytes = (size_t)n * sizeof *res->real;
}

static void collect(const struct run *r, int32_t i)
{
	struct run_result *res = &r->result[i];
	const struct model_binding *p = res->binding;
	struct lt_tensor *t = &res->tensor;
	bool whole = true;

	t->name = (char *)(uintptr_t)p->name;
	t->dtype = p->dtype;
	t->rank = p->rank;
	for (int32_t d = 0; d < p->rank; d++) {
		t->shape[d] = lt_instance_extent(r->instance, i, d);
		whole &= t->shape[d] == p->shape[d];
	}
	lt__tensor_bytes(t->dtype, t->rank, t->shape, &t->bytes);
	t->data = whole || !res->packed ? res->data : res->packed;
	if (t->data == res->packed)
		pack(res, (int64_t)(t->bytes / lt__dtype_info(p->dtype)->bytes));
	if (res->real)
		make_real(res);
}

char *run_output_name(const struct run *r, int64_t evaluation)
{
	const char *number = strstr(r->o.output, "%d");
	char *path = malloc(strlen(r->o.output) + 32);

	if (path && number)
		sprintf(path, "%.*s%lld%s", (int)(number - r->o.output), r->o.output, (long long)evaluation, number + 2);
	else if (path)
		strcpy(path, r->o.output);
	return path;
}

static lt_status write_results(const struct run *r, int64_t evaluation)
{
	int32_t n = r->model.binding[LT_BINDING_RESULT].n;
	char *path = run_output_name(r, evaluation);
	struct lt_tensors all = { .at = calloc((size_t)n + 1, sizeof *all.at), .n = n };
	lt_status s = path && all.at ? LT_OK : lt_fail(r->ctx, LT_ENOMEM, "out of memory");

	if (!s) {
		for (int32_t i = 0; i < n; i++)
			all.at[i] = r->result[i].tensor;
		s = lt__tensors_write(r->ctx, path, &all);
	}
	free(path);
	free(all.at);
	return s;
}

static lt_status print_results(const struct run *r, int64_t evaluation, bool several)
{
	char shape[256];

	if (several)
		lt__say(stdout, "evaluation %lld\n", (long long)evaluation);
	for (int32_t i = 0; i < r->model.binding[LT_BINDING_RESULT].n; i++) {
		const struct lt_tensor *t = &r->result[i].tensor;

		lt__say(stdout, "%s: %s %s\n", lt__shown(t->name).text, lt__dtype_info(t->dtype)->script,
			lt__shape_text(shape, sizeof shape, t->rank, t->shape));
		if (run_print_tensor(stdout, t))
			return lt_fail(r->ctx, LT_ENOMEM, "out of memory");
	}
	return lt__out_flush(r->ctx);
}

static void add_json(const struct run *r)
{
	json_t *results = json_array();

	for (int32_t i = 0; i < r->model.binding[LT_BINDING_RESULT].n; i++)
		json_array_append_new(results, run_json_tensor(&r->result[i].tensor, !r->o.output && !r->o.quiet));
	json_array_append_new(run_json_under(r->json, "evaluations"), json_pack("{s:o}", "results", results));
}

/* What a run leaves out must not look right because the run before wrote it. */
static void poison(const struct run *r)
{
	for (int32_t i = 0; i < r->model.binding[LT_BINDING_RESULT].n; i++)
		memset(r->output[i], 0xff, lt_program_bytes(r->program, LT_BINDING_RESULT, i));
}

/* The instance keeps its own sentence; the tool's is the context's. */
lt_status run_instance(struct run *r)
{
	lt_status s = lt_instance_run(r->instance, run_device_input(r), run_device_output(r));

	if (s)
		return lt_fail(r->ctx, s, "%s", lt_instance_message(r->instance));
	return r->profile ? run_profile_see(r) : LT_OK;
}

static lt_status run_evaluate_once(struct run *r, int64_t number, int64_t of)
{
	const struct model_values *v = &r->model.given.input[number % r->model.given.n_input];
	lt_status s;

	for (int32_t i = 0; i < r->model.binding[LT_BINDING_INPUT].n; i++)
		r->input[i] = v->value[i] ? v->value[i]->data : NULL;
	if (r->verify)
		poison(r);
	if (r->verify)
		LT_TRY(run_verify_kernels(r, number));
	if (r->verify)
		poison(r);
	if (of > 1)
		lt__phase(&r->phases, "running: %lld of %lld", (long long)number + 1, (long long)of);
	else
		lt__phase(&r->phases, "running");
	s = r->device ? run_device_send(r) : LT_OK;
	s = s ? s : run_instance(r);
	if (!s && r->device)
		s = run_device_fetch(r);
	lt__phase(&r->phases, NULL);
	if (s && !lt__is_end(s) && of > 1)
		lt__say(stderr, "lt-run: evaluation %lld failed\n", (long long)number);
	if (s)
		return s;
	for (int32_t i = 0; i < r->model.binding[LT_BINDING_RESULT].n; i++)
		collect(r, i);
	/* Without a number in its name the file is the last evaluation's. */
	if (r->o.output && (strstr(r->o.output, "%d") || number + 1 == of))
		LT_TRY(write_results(r, number));
	if (r->json)
		add_json(r);
	else if (!r->o.output && !r->o.quiet)
		LT_TRY(print_results(r, number, of > 1));
	return r->verify ? run_verify_compare(r, number) : LT_OK;
}

lt_status run_evaluate(struct run *r)
{
	int64_t n = r->o.runs * r->model.given.n_input;

	if (r->o.verify)
		LT_TRY(run_verify_begin(r));
	/* An evaluation that differs from the reference does not keep the next from being looked at. */
	for (int64_t i = 0; i < n; i++)
		LT_TRY(run_evaluate_once(r, i, n));
	return r->verify ? run_verify_end(r) : LT_OK;
}
