/* looptree.c -- one of Looptree's backends as a contestant, with its default tree or a schedule. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "tools/bench/net.h"
#include "tools/common/common.h"
#include "tools/tensor/tensor.h"

enum { MAX_BATCH = 4 };                 /* of a case with a batch of 1 whose batch is left open */

struct looptree_contestant {
	char *backend, *schedule_name, *kernels;
	struct lt_bytes schedule;
	const struct bench_options *o;
	struct lt_context *ctx;
	struct lt_program *program;
	const void **input;                     /* of the program; NULL: it needs none of them */
	void **output;                          /* its results, in `result` */
	size_t *at;                             /* where each is in what the case calls its result */
	int32_t n_input, n_output;
	float *result;
	int64_t n;
	struct machine_device *device;            /* where its tensors are, or NULL */
	bool open;                              /* extents are given with the inputs: */
	int64_t rows;
	struct tensor_set {                     /* one, but on a device whose cache would hold it: taken in turn */
		struct lt_instance *instance;
		void **input, **output;
	} *set;
	int n_set;
};

static json_t *stats_json(const struct lt_program *p)
{
	struct lt_stats s = { .size = sizeof s };

	lt_program_stats(p, &s);
	return json_pack("{s:i,s:i,s:i,s:i,s:I,s:I,s:I,s:I,s:f,s:f,s:f,s:f,s:f,s:f}", "kernels", s.n_kernel, "compiled",
		s.n_compiled, "cached", s.n_cached, "launches", s.n_launch, "workspace_bytes",
		(json_int_t)s.workspace_bytes, "intermediate_bytes", (json_int_t)s.intermediate_bytes, "constant_bytes",
		(json_int_t)s.constant_bytes, "flops", (json_int_t)s.flops, "passes_s", (double)s.passes_ns * 1e-9, "tree_s",
		(double)s.tree_ns * 1e-9, "freeze_s", (double)s.freeze_ns * 1e-9, "accept_s",
		(double)s.accept_ns * 1e-9, "compile_s", (double)s.compile_ns * 1e-9, "bind_s", (double)s.bind_ns * 1e-9);
}

static const struct bench_tensor *tensor(const struct bench_case *c, const char *name)
{
	for (int i = 0; i < c->n_in; i++)
		if (!strcmp(c->in[i].name, name))
			return &c->in[i];
	return NULL;
}

static lt_status looptree_compile(struct looptree_contestant *s, const struct bench_case *c, int threads)
{
	const struct lt_options o = { .size = sizeof o,
		.n_thread = (uint32_t)threads,
		.backends = s->backend,
		.strict = 1,
		.on_device = s->device ? "*" : NULL,
		.cc = s->o->cc,
		.cache_dir = s->o->cache_dir,
		.temp_dir = lt__temp_dir(),
		.cancelled = lt__interrupted,
		.cc_timeout_ms = s->o->cc_timeout_ms,
		.schedule = !s->schedule_name ? NULL : s->schedule.at ? (const char *)s->schedule.at : "",
		.schedule_bytes = s->schedule.n,
		.schedule_name = s->schedule_name,
		.kernels = s->kernels,
		.running = s->kernels ? lt__crash_running : NULL };
	struct lt_graph *g = NULL;
	char *script;
	lt_status st;

	if (c->net)
		return lt_compile(s->ctx, c->net->graph, &o, &s->program);
	/* A batch of 1 is one of a few; on a device all rows are copied there, so there are no more than the case has. */
	s->rows = c->in[0].shape[c->open_axis];
	script = s->open ? bench_case_of_open(c, s->rows > 1 || s->device ? s->rows : MAX_BATCH) : NULL;
	st = lt_parse(s->ctx, script ? script : c->script, strlen(script ? script : c->script), c->name, NULL, &g);
	if (!st)
		st = lt_compile(s->ctx, g, &o, &s->program);
	lt_graph_free(g);
	free(script);
	return st;
}

/* What the case has for a binding of the program, or NULL: of a model, whose bindings are in the same order. */
static const void *data_of(const struct looptree_contestant *s, const struct bench_case *c, enum lt_binding kind,
	int32_t i)
{
	const struct bench_tensor *t;

	if (c->net)
		return (kind == LT_BINDING_INPUT ? c->net->input : c->net->constant)[i].data;
	if (s->open && !strcmp(lt_program_name(s->program, kind, i), BENCH_ROWS))
		return &s->rows;
	t = tensor(c, lt_program_name(s->program, kind, i));
	return t ? t->data : NULL;
}

static lt_status bind(struct looptree_contestant *s, const struct bench_case *c)
{
	for (int32_t i = 0; i < lt_program_count(s->program, LT_BINDING_CONSTANT); i++) {
		const void *data = data_of(s, c, LT_BINDING_CONSTANT, i);

		if (data)
			LT_TRY(lt_program_bind(s->program, i, data, 0));
	}
	s->n_input = lt_program_count(s->program, LT_BINDING_INPUT);
	s->input = lt__must_alloc(((size_t)s->n_input + 1) * sizeof *s->input);
	for (int32_t i = 0; i < s->n_input; i++)
		s->input[i] = data_of(s, c, LT_BINDING_INPUT, i);
	return LT_OK;
}

/* Room for the results, one after the other as the case has them: at most as many rows as may be there. */
static void make_output(struct looptree_contestant *s, const struct bench_case *c)
{
	const int64_t all = (int64_t)(lt_program_bytes(s->program, LT_BINDING_RESULT, 0) / sizeof(float));

	s->n = s->open && all > c->out.n ? all : c->out.n;
	s->result = machine_buffer(s->n);
	s->n_output = lt_program_count(s->program, LT_BINDING_RESULT);
	s->output = lt__must_alloc(((size_t)s->n_output + 1) * sizeof *s->output);
	s->at = lt__must_alloc(((size_t)s->n_output + 1) * sizeof *s->at);
	for (int32_t i = 0; i < s->n_output; i++) {
		s->at[i] = c->net ? c->net->at[i] : 0;
		s->output[i] = (char *)s->result + s->at[i];
	}
}

static lt_status set_fill(struct looptree_contestant *s, struct tensor_set *t)
{
	lt_status st = lt_instance_new(s->program, &t->instance);

	if (st)
		return lt_fail(s->ctx, st, "%-s", lt_instance_message(t->instance));
	if (!s->device)
		return LT_OK;
	t->input = lt__must_alloc(((size_t)s->n_input + 1) * sizeof *t->input);
	t->output = lt__must_alloc(((size_t)s->n_output + 1) * sizeof *t->output);
	for (int32_t i = 0; i < s->n_input; i++) {
		const int64_t bytes = (int64_t)lt_program_bytes(s->program, LT_BINDING_INPUT, i);

		if (!s->input[i])
			continue;
		LT_TRY(machine_device_memory(s->device, bytes, &t->input[i]));
		LT_TRY(machine_device_copy(s->device, t->input[i], s->input[i], bytes, LT_COPY_TO_DEVICE));
	}
	for (int32_t i = 0; i < s->n_output; i++)
		LT_TRY(machine_device_memory(s->device, (int64_t)lt_program_bytes(s->program, LT_BINDING_RESULT, i), &t->output[i]));
	return LT_OK;
}

/* Two counts that share nothing: the program's, of its graph, and the case's, of what it means. */
static lt_status check_count(const struct looptree_contestant *s, const struct bench_case *c)
{
	struct lt_stats stats = { .size = sizeof stats };

	lt_program_stats(s->program, &stats);
	return c->flops < 0 || s->open || stats.flops == c->flops ? LT_OK
		: lt_fail(s->ctx, LT_EDEVICE, "the program counts %lld operations, and the case %lld: one of them is wrong",
			(long long)stats.flops, (long long)c->flops);
}

static lt_status looptree_begin(struct bench_contestant *k, const struct bench_case *c, int threads)
{
	struct looptree_contestant *s = k->state;
	double start = machine_now();

	LT_TRY(looptree_compile(s, c, threads));
	LT_TRY(check_count(s, c));
	LT_TRY(bind(s, c));
	k->prepare = machine_now() - start;
	k->stats = stats_json(s->program);
	s->n_set = s->device ? bench_device_sets(s->device, c) : 1;
	s->set = lt__must_alloc((size_t)s->n_set * sizeof *s->set);
	make_output(s, c);
	for (int i = 0; i < s->n_set; i++)
		LT_TRY(set_fill(s, &s->set[i]));
	return LT_OK;
}

static lt_status set_status(const struct looptree_contestant *s, const struct tensor_set *t, lt_status st)
{
	return st ? lt_fail(s->ctx, st, "%-s", lt_instance_message(t->instance)) : LT_OK;
}

static lt_status run_once(struct looptree_contestant *s, void *const *to)
{
	return set_status(s, s->set, lt_instance_run(s->set->instance, s->input, to));
}

/* The device has its own memory: runs follow each other there, and the host waits for the last. */
static lt_status run_there(struct looptree_contestant *s, int64_t n)
{
	for (int64_t i = 0; i < n; i++) {
		struct tensor_set *t = &s->set[i % s->n_set];
		const struct lt_run run = { .size = sizeof run, .input = (const void *const *)t->input,
			.result = t->output };
		LT_TRY(set_status(s, t, lt_instance_enqueue(t->instance, &run)));
	}
	for (int i = 0; i < s->n_set; i++)
		LT_TRY(set_status(s, &s->set[i], lt_instance_wait(s->set[i].instance)));
	return LT_OK;
}

/* One sample of n runs. */
static lt_status time_set(struct looptree_contestant *s, const struct lt_run *run, int64_t n, double *seconds)
{
	const struct lt_time_options o = { .size = sizeof o, .cold = 1, .n_sample = 1, .repeat = n,
		.enqueue = s->device != NULL };
	struct lt_timing *t;

	LT_TRY(set_status(s, s->set, lt_instance_time(s->set->instance, run, &o, &t)));
	*seconds = t->mean_ns * (double)n * 1e-9;
	lt_timing_free(t);
	return LT_OK;
}

static lt_status looptree_run(struct bench_contestant *k, int64_t n, double *seconds)
{
	struct looptree_contestant *s = k->state;
	const struct tensor_set *t = s->set;
	const struct lt_run run = { .size = sizeof run, .input = s->device ? (const void *const *)t->input : s->input,
		.result = s->device ? t->output : s->output };
	double start = machine_now();

	if (s->n_set == 1)
		return time_set(s, &run, n, seconds);
	LT_TRY(run_there(s, n));
	*seconds = machine_now() - start;
	return LT_OK;
}

static lt_status result_copy(const struct looptree_contestant *s, int32_t i, void *host, enum lt_copy way)
{
	const int64_t bytes = (int64_t)lt_program_bytes(s->program, LT_BINDING_RESULT, i);
	void *there = s->set->output[i];

	return way == LT_COPY_TO_HOST ? machine_device_copy(s->device, host, there, bytes, way)
		: machine_device_copy(s->device, there, host, bytes, way);
}

/* A run into a buffer of its own, which the caller has filled with NaN: an element left out is seen. */
static lt_status looptree_result(struct bench_contestant *k, const struct bench_case *c, float *to)
{
	struct looptree_contestant *s = k->state;
	void **at = lt__must_alloc(((size_t)s->n_output + 1) * sizeof *at);
	lt_status st = LT_OK;

	for (int32_t i = 0; i < s->n_output; i++)
		at[i] = (char *)to + s->at[i];
	if (!s->device && s->open) {
		for (int64_t i = 0; i < s->n; i++)
			s->result[i] = NAN;
		st = run_once(s, s->output);
		memcpy(to, s->result, (size_t)c->out.n * sizeof *to);
	} else if (!s->device) {
		st = run_once(s, at);
	} else {
		for (int32_t i = 0; i < s->n_output && !st; i++)
			st = result_copy(s, i, at[i], LT_COPY_TO_DEVICE);
		st = st ? st : run_there(s, 1);
		for (int32_t i = 0; i < s->n_output && !st; i++)
			st = result_copy(s, i, at[i], LT_COPY_TO_HOST);
	}
	free(at);
	return st;
}

static void looptree_end(struct bench_contestant *k)
{
	struct looptree_contestant *s = k->state;

	for (int i = 0; i < s->n_set; i++) {
		struct tensor_set *t = &s->set[i];

		lt_instance_free(t->instance);
		for (int32_t m = 0; t->input && m < s->n_input; m++)
			machine_device_free(s->device, t->input[m]);
		for (int32_t m = 0; t->output && m < s->n_output; m++)
			machine_device_free(s->device, t->output[m]);
		free(t->input);
		free(t->output);
	}
	free(s->set);
	s->set = NULL;
	s->n_set = 0;
	lt_program_free(s->program);
	if (s->result)
		machine_buffer_free(s->result);
	free(s->input);
	free(s->output);
	free(s->at);
	json_decref(k->stats);
	k->stats = NULL;
	s->program = NULL;
	s->input = NULL;
	s->output = NULL;
	s->at = NULL;
	s->result = NULL;
}

static void looptree_close(struct bench_contestant *k)
{
	struct looptree_contestant *s = k->state;

	lt__bytes_free(&s->schedule);
	machine_device_close(s->device);
	free(s->backend);
	free(s->schedule_name);
	free(s->kernels);
	free(s);
}

static const struct bench_ops ops = { looptree_begin, looptree_run, looptree_result, looptree_end, looptree_close };

lt_status bench_looptree_check(struct lt_context *ctx, const char *backend)
{
	const struct lt_options with = { .size = sizeof with, .temp_dir = lt__temp_dir() };
	struct lt_backend_facts *f;
	const struct lt_backend *b;

	LT_TRY(lt__backend_named(ctx, backend, strcspn(backend, ":"), &b));
	LT_TRY(lt_backend_ask(ctx, backend, &with, &f));
	lt_status s = !f->reason ? LT_OK : lt_fail(ctx, f->code, f->code == LT_EINVAL
		? "the backend %s cannot be used here: %s%s%s" : "backend %s: %s%s%s", f->name, f->reason, f->remedy ? "; " : "",
		f->remedy ? f->remedy : "");

	lt_backend_facts_free(f);
	return s;
}

lt_status bench_looptree_open(struct lt_context *ctx, struct bench_contestant *k, const char *backend,
	const char *schedule, const char *kernels, const struct bench_options *o)
{
	struct looptree_contestant *s = lt__must_alloc(sizeof *s);

	s->ctx = ctx;
	s->o = o;
	s->open = k->role == BENCH_OPEN;
	s->backend = lt__must_format("%s", backend);
	s->kernels = kernels ? lt__must_format("%s", kernels) : NULL;
	s->schedule_name = schedule ? lt__must_format("%s", schedule) : NULL;
	k->ops = &ops;
	k->state = s;
	LT_TRY(machine_device_open(ctx, backend, &s->device));
	if (!machine_device_is(s->device)) {
		machine_device_close(s->device);
		s->device = NULL;
	}
	if (!*k->label)
		snprintf(k->label, sizeof k->label, schedule ? "%s %s" : "%s", backend, schedule);
	return schedule ? lt__mistake(lt__bytes_read(ctx, schedule, &s->schedule)) : LT_OK;
}
