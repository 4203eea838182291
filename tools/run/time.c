/* time.c -- what a run costs, and what the compiler did. */
#include "lt/timing.h"
#include "tools/run/run.h"

/* Runs with the last evaluation's inputs; the states go on changing. */
static lt_status time_measure(struct run *r, struct lt_timing **out)
{
	const struct lt_run run = { .size = sizeof run, .input = run_device_input(r), .result = run_device_output(r) };
	const struct lt_time_options options = { .size = sizeof options, .n_sample = r->o.time > 0 ? r->o.time : 0 };
	lt_status s = lt_instance_time(r->instance, &run, &options, out);

	return s ? lt_fail(r->ctx, s, "%s", lt_instance_message(r->instance)) : LT_OK;
}

/* A clock too coarse for the shortest runs must not divide by nothing. */
static double median_of(const struct lt_timing *t) { return t->median_ns > 0 ? t->median_ns : 1; }

/* Rates are of the useful operations. */
static void print_work(const struct lt_work *w, double median)
{
	char a[32], run[64] = "";

	if (w->executed != w->useful)
		snprintf(run, sizeof run, " (%lld executed)", (long long)w->executed);
	printf("work: %lld flop%s%s, %.4g GFLOP/s; %s read and written, %.4g GB/s\n", (long long)w->useful,
		lt__plural(w->useful), run, (double)w->useful / median, run_bytes_text((double)w->bytes, a, sizeof a),
		(double)w->bytes / median);
}

/* Of the average run, as the times of the copies are sums. */
static struct run_crossing crossing_of(const struct lt_timing *t)
{
	const double runs = (double)t->n_run, all = (double)t->move_ns / runs;
	struct run_crossing c = { .send_ns = (double)t->send_ns / runs, .bring_ns = (double)t->bring_ns / runs };

	c.between_ns = all - c.send_ns - c.bring_ns;
	c.rest_ns = t->mean_ns > all ? t->mean_ns - all : 0;
	return c;
}

static void print_text(const struct run *r, const struct lt_stats *st, const struct run_crossing *crossing,
	const struct lt_work *w, const struct lt_timing *t)
{
	char a[32], b[32], c[32], d[32];

	printf("time: median %s, minimum %s, spread %s (middle half) of %lld run%s\n",
		run_time_text(t->median_ns, a, sizeof a), run_time_text(t->min_ns, b, sizeof b),
		run_time_text(t->upper_ns - t->lower_ns, c, sizeof c), (long long)t->n_run, lt__plural(t->n_run));
	print_work(w, median_of(t));
	printf("compile: parse %.3f ms, passes %.3f ms, tree %.3f ms, freeze %.3f ms, accept %.3f ms, compile %.3f ms, "
	       "bind %.3f ms\n",
		(double)r->model.parse_ns / 1e6, (double)st->passes_ns / 1e6, (double)st->tree_ns / 1e6,
		(double)st->freeze_ns / 1e6, (double)st->accept_ns / 1e6, (double)st->compile_ns / 1e6,
		(double)st->bind_ns / 1e6);
	printf("kernels: %d, %d compiled, %d from the cache; %d launch%s a run\n", st->n_kernel, st->n_compiled,
		st->n_cached, st->n_launch, st->n_launch == 1 ? "" : "es");
	if (st->n_parallel > 0)
		printf("threads: %d; %d kernel%s with parallel loops%s\n", st->n_thread, st->n_parallel, lt__plural(st->n_parallel),
			st->n_serialised > 0 ? ", which run one iteration after the other: the backend cannot run them on threads" : "");
	run_crossing_print(r, st, crossing);
	if (t->device_ns > 0)
		printf("device: %s a run, by its own clock\n",
			run_time_text((double)t->device_ns / (double)t->n_run, a, sizeof a));
	if (t->n_replayed > 0)
		printf("recorded: %lld of the %lld runs were replayed\n", (long long)t->n_replayed, (long long)t->n_run);
	printf("memory: workspace %s at its peak, %s in all intermediates together; %s computed from constants; %s "
	       "within kernels\n",
		run_bytes_text((double)st->workspace_bytes, a, sizeof a), run_bytes_text((double)st->intermediate_bytes, b, sizeof b),
		run_bytes_text((double)st->constant_bytes, c, sizeof c), run_bytes_text((double)st->kernel_bytes, d, sizeof d));
}

static void add_json(struct run *r, const struct lt_stats *st, const struct run_crossing *crossing,
	const struct lt_work *w, const struct lt_timing *t)
{
	const double median = median_of(t);
	json_t *phases = json_pack("{s:f,s:f,s:f,s:f,s:f,s:f,s:f}", "parse", (double)r->model.parse_ns / 1e6, "passes",
		(double)st->passes_ns / 1e6, "tree", (double)st->tree_ns / 1e6, "freeze", (double)st->freeze_ns / 1e6,
		"accept", (double)st->accept_ns / 1e6, "compile", (double)st->compile_ns / 1e6, "bind",
		(double)st->bind_ns / 1e6);

	json_object_set_new(r->json, "time",
		json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:f,s:f,s:o,s:i,s:i,s:i,s:i,s:I,s:I,s:I,s:i,s:i,s:i,s:I}", "runs",
			(json_int_t)t->n_run, "median_ns", (json_int_t)median, "minimum_ns", (json_int_t)t->min_ns, "spread_ns",
			(json_int_t)(t->upper_ns - t->lower_ns), "flops", (json_int_t)w->useful, "bytes",
			(json_int_t)w->bytes, "gflop_per_s", (double)w->useful / median, "gb_per_s",
			(double)w->bytes / median, "compile_ms", phases, "kernels", (int)st->n_kernel, "compiled",
			(int)st->n_compiled, "cached", (int)st->n_cached, "launches", (int)st->n_launch,
			"workspace_bytes", (json_int_t)st->workspace_bytes, "intermediate_bytes",
			(json_int_t)st->intermediate_bytes, "constant_bytes", (json_int_t)st->constant_bytes, "threads",
			(int)st->n_thread, "parallel_kernels", (int)st->n_parallel, "serialised_kernels",
			(int)st->n_serialised, "kernel_bytes", (json_int_t)st->kernel_bytes));
	json_object_update_new(json_object_get(r->json, "time"),
		json_pack("{s:I,s:i,s:I,s:I,s:I,s:I,s:I}", "executed_flops", (json_int_t)w->executed, "moves",
			(int)st->n_move, "move_bytes", (json_int_t)st->move_bytes, "device_bytes",
			(json_int_t)st->device_bytes, "move_ns", (json_int_t)(t->move_ns / t->n_run), "device_ns",
			(json_int_t)(t->device_ns / t->n_run), "replayed_runs", (json_int_t)t->n_replayed));
	json_object_set_new(json_object_get(r->json, "time"), "crossing", run_crossing_json(r, st, crossing));
}

lt_status run_time(struct run *r)
{
	struct lt_stats st = { .size = sizeof st };
	struct lt_work work = { .size = sizeof work };
	struct lt_timing *t;
	struct run_crossing crossing;
	lt_status s;

	lt__phase(&r->phases, "timing");
	s = time_measure(r, &t);
	lt__phase(&r->phases, NULL);
	LT_TRY(s);
	lt_program_stats(r->program, &st);
	s = lt_instance_work(r->instance, &work) ? lt_context_code(r->ctx) : LT_OK;
	if (!s) {
		crossing = crossing_of(t);
		if (r->json)
			add_json(r, &st, &crossing, &work, t);
		else
			print_text(r, &st, &crossing, &work, t);
	}
	lt_timing_free(t);
	return s;
}
