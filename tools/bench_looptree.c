/* tools/bench_looptree.c -- one of Looptree's backends as a contestant, with its default tree or a schedule. */
#include <stdlib.h>
#include <string.h>
#include "ir/arena.h"
#include "tools/bench.h"
#include "tools/plugins.h"
#include "tools/interrupt.h"
#include "tools/temporary.h"
#include "tools/tensorfile.h"

struct looptree_contestant {
	char *backend, *schedule_name;
	struct lt_bytes schedule;
	const struct bench_options *o;
	struct lt_context *ctx;
	struct lt_program *program;
	const void *input[BENCH_TENSORS];
	float *output;
	int64_t n;
	struct bench_device *device;            /* where its tensors are, or NULL */
	struct tensor_set {                     /* one, but on a device whose cache would hold it: taken in turn */
		struct lt_instance *instance;
		void *input[BENCH_TENSORS], *output;
	} *set;
	int n_set;
};

static json_t *stats_json(const struct lt_program *p)
{
	struct lt_stats s = { .size = sizeof s };

	lt_program_stats(p, &s);
	return json_pack("{s:i,s:i,s:i,s:i,s:I,s:I,s:I,s:f,s:f,s:f,s:f,s:f,s:f}", "kernels", s.n_kernel, "compiled",
		s.n_compiled, "cached", s.n_cached, "launches", s.n_launch, "workspace_bytes",
		(json_int_t)s.workspace_bytes, "intermediate_bytes", (json_int_t)s.intermediate_bytes, "constant_bytes",
		(json_int_t)s.constant_bytes, "passes_s", (double)s.passes_ns * 1e-9, "tree_s",
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
		.schedule_name = s->schedule_name };
	struct lt_graph *g = NULL;
	lt_status st = lt_parse(s->ctx, c->script, strlen(c->script), c->name, NULL, &g);

	if (!st)
		st = lt_compile(s->ctx, g, &o, &s->program);
	lt_graph_free(g);
	return st;
}

static lt_status bind(struct looptree_contestant *s, const struct bench_case *c)
{
	for (int32_t i = 0; i < lt_program_count(s->program, LT_BINDING_CONSTANT); i++) {
		const struct bench_tensor *t = tensor(c, lt_program_name(s->program, LT_BINDING_CONSTANT, i));

		if (t)
			LT_TRY(lt_program_bind(s->program, i, t->data, 0));
	}
	for (int32_t i = 0; i < lt_program_count(s->program, LT_BINDING_INPUT) && i < BENCH_TENSORS; i++) {
		const struct bench_tensor *t = tensor(c, lt_program_name(s->program, LT_BINDING_INPUT, i));

		s->input[i] = t ? t->data : NULL;
	}
	return LT_OK;
}

static lt_status set_fill(struct looptree_contestant *s, const struct bench_case *c, struct tensor_set *t)
{
	lt_status st = lt_instance_new(s->program, &t->instance);

	if (st)
		return lt_fail(s->ctx, st, "%-s", lt_instance_message(t->instance));
	for (int32_t i = 0; s->device && i < lt_program_count(s->program, LT_BINDING_INPUT) && i < BENCH_TENSORS; i++) {
		const int64_t bytes = (int64_t)lt_program_bytes(s->program, LT_BINDING_INPUT, i);

		if (!s->input[i])
			continue;
		LT_TRY(bench_device_memory(s->device, bytes, &t->input[i]));
		LT_TRY(bench_device_copy(s->device, t->input[i], s->input[i], bytes, LT_COPY_TO_DEVICE));
	}
	return s->device ? bench_device_memory(s->device, 4 * c->out.n, &t->output) : LT_OK;
}

/* Two counts that share nothing: the program's, of its graph, and the case's, of what it means. */
static lt_status check_count(const struct looptree_contestant *s, const struct bench_case *c)
{
	struct lt_stats stats = { .size = sizeof stats };

	lt_program_stats(s->program, &stats);
	return c->flops < 0 || stats.flops == c->flops ? LT_OK
		: lt_fail(s->ctx, LT_EDEVICE, "the program counts %lld operations, and the case %lld: one of them is wrong",
			(long long)stats.flops, (long long)c->flops);
}

static lt_status looptree_begin(struct bench_contestant *k, const struct bench_case *c, int threads)
{
	struct looptree_contestant *s = k->state;
	double start = bench_now();

	LT_TRY(looptree_compile(s, c, threads));
	LT_TRY(check_count(s, c));
	LT_TRY(bind(s, c));
	k->prepare = bench_now() - start;
	k->stats = stats_json(s->program);
	s->n_set = s->device ? bench_device_sets(s->device, c) : 1;
	s->set = bench_alloc((size_t)s->n_set * sizeof *s->set);
	for (int i = 0; i < s->n_set; i++)
		LT_TRY(set_fill(s, c, &s->set[i]));
	s->n = c->out.n;
	s->output = bench_buffer(s->n);
	return LT_OK;
}

static lt_status set_status(const struct looptree_contestant *s, const struct tensor_set *t, lt_status st)
{
	return st ? lt_fail(s->ctx, st, "%-s", lt_instance_message(t->instance)) : LT_OK;
}

static lt_status run_once(struct looptree_contestant *s, float *to)
{
	return set_status(s, s->set, lt_instance_run(s->set->instance, s->input, (void *const []){ to }));
}

/* The device has its own memory: runs follow each other there, and the host waits for the last. */
static lt_status run_there(struct looptree_contestant *s, int64_t n)
{
	for (int64_t i = 0; i < n; i++) {
		struct tensor_set *t = &s->set[i % s->n_set];
		const struct lt_run run = { .size = sizeof run, .input = (const void *const *)t->input,
			.result = (void *const []){ t->output } };
		LT_TRY(set_status(s, t, lt_instance_enqueue(t->instance, &run)));
	}
	for (int i = 0; i < s->n_set; i++)
		LT_TRY(set_status(s, &s->set[i], lt_instance_wait(s->set[i].instance)));
	return LT_OK;
}

static lt_status looptree_run(struct bench_contestant *k, int64_t n, double *seconds)
{
	struct looptree_contestant *s = k->state;
	double start = bench_now();

	if (s->device)
		LT_TRY(run_there(s, n));
	for (int64_t i = 0; !s->device && i < n; i++)
		LT_TRY(run_once(s, s->output));
	*seconds = bench_now() - start;
	return LT_OK;
}

/* A run into a buffer of its own, which the caller has filled with NaN: an element left out is seen. */
static lt_status looptree_result(struct bench_contestant *k, const struct bench_case *c, float *to)
{
	struct looptree_contestant *s = k->state;

	if (!s->device)
		return run_once(s, to);
	LT_TRY(bench_device_copy(s->device, s->set->output, to, 4 * c->out.n, LT_COPY_TO_DEVICE));
	LT_TRY(run_there(s, 1));
	return bench_device_copy(s->device, to, s->set->output, 4 * c->out.n, LT_COPY_TO_HOST);
}

static void looptree_end(struct bench_contestant *k)
{
	struct looptree_contestant *s = k->state;

	for (int i = 0; i < s->n_set; i++) {
		struct tensor_set *t = &s->set[i];

		lt_instance_free(t->instance);
		for (int m = 0; m < BENCH_TENSORS && s->device; m++)
			bench_device_free(s->device, t->input[m]);
		if (s->device)
			bench_device_free(s->device, t->output);
	}
	free(s->set);
	s->set = NULL;
	s->n_set = 0;
	lt_program_free(s->program);
	if (s->output)
		bench_buffer_free(s->output, s->n);
	json_decref(k->stats);
	k->stats = NULL;
	s->program = NULL;
	s->output = NULL;
}

static void looptree_close(struct bench_contestant *k)
{
	struct looptree_contestant *s = k->state;

	lt__bytes_free(&s->schedule);
	bench_device_close(s->device);
	free(s->backend);
	free(s->schedule_name);
	free(s);
}

static const struct bench_ops ops = { looptree_begin, looptree_run, looptree_result, looptree_end, looptree_close };

lt_status bench_looptree_check(struct lt_context *ctx, const char *backend)
{
	const size_t n = strcspn(backend, ":");
	const char *config = backend[n] ? backend + n + 1 : "";
	struct lt_host host = { .size = sizeof host, .temp_dir = lt__temp_dir() };
	struct lt_heard h = lt__heard();
	struct lt_session *session = NULL;
	const struct lt_backend *b;

	LT_TRY(lt__backend_named(ctx, backend, n, &b));
	if (b->score(config, &h.diag) <= 0)
		return lt_fail(ctx, LT_EINVAL, "the backend %s cannot be used here: %s", b->name, lt__heard_reason(&h));
	lt_status s = b->open(&host, config, &session, &h.diag);

	if (s)
		return lt_fail(ctx, s, "backend %s: %s", b->name, lt__heard_reason(&h));
	b->close(session);
	return LT_OK;
}

lt_status bench_looptree_open(struct lt_context *ctx, struct bench_contestant *k, const char *backend,
	const char *schedule, const struct bench_options *o)
{
	struct looptree_contestant *s = bench_alloc(sizeof *s);

	s->ctx = ctx;
	s->o = o;
	s->backend = bench_format("%s", backend);
	s->schedule_name = schedule ? bench_format("%s", schedule) : NULL;
	k->ops = &ops;
	k->state = s;
	LT_TRY(bench_device_open(ctx, backend, &s->device));
	if (!bench_device_is(s->device)) {
		bench_device_close(s->device);
		s->device = NULL;
	}
	if (!*k->label)
		snprintf(k->label, sizeof k->label, schedule ? "%s %s" : "%s", backend, schedule);
	return schedule ? lt__mistake(lt__bytes_read(ctx, schedule, &s->schedule)) : LT_OK;
}
