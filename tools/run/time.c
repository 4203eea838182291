/* time.c -- what a run costs, and what the compiler did. */
#include <stdlib.h>
#include "program/host/host.h"
#include "tools/run/run.h"

#define ENOUGH_NS 500000000     /* of runs, when their number is not given */

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Runs with the last evaluation's inputs; the states go on changing. */
static lt_status time_measure(struct run *r, int64_t **out, int64_t *n)
{
	int64_t wanted = r->o.time, cap = wanted > 0 ? wanted : 64, total = 0;
	int64_t *ns = malloc((size_t)cap * sizeof *ns);

	*n = 0;
	/* What came before (the oracle, say) has left the caches to others. */
	lt_status s = ns ? run_instance(r) : LT_OK;

	if (s) {
		free(ns);
		return s;
	}
	while (ns && (wanted > 0 ? *n < wanted : *n < 3 || (total < ENOUGH_NS && *n < 1000000))) {
		int64_t begin = lt__now_ns();

		s = run_instance(r);
		if (s) {
			free(ns);
			return s;
		}
		if (*n == cap) {
			int64_t *grown = realloc(ns, (size_t)(cap *= 2) * sizeof *ns);

			if (!grown)
				break;
			ns = grown;
		}
		ns[*n] = lt__now_ns() - begin;
		total += ns[(*n)++];
	}
	*out = ns;
	return ns ? LT_OK : lt_fail(r->ctx, LT_ENOMEM, "out of memory");
}

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
static struct run_crossing crossing_of(const struct lt_stats *st, int64_t n, const int64_t *ns)
{
	const double runs = (double)(st->n_run > 0 ? st->n_run : 1), all = (double)st->move_ns / runs;
	struct run_crossing c = { .send_ns = (double)st->send_ns / runs, .bring_ns = (double)st->bring_ns / runs };
	double average = 0;

	for (int64_t i = 0; i < n; i++)
		average += (double)ns[i] / (double)n;
	c.between_ns = all - c.send_ns - c.bring_ns;
	c.rest_ns = average > all ? average - all : 0;
	return c;
}

static void print_text(const struct run *r, const struct lt_stats *st, const struct run_crossing *crossing,
	const struct lt_work *w, int64_t n, const int64_t *ns)
{
	char a[32], b[32], c[32], d[32];
	double median = (double)ns[n / 2];

	printf("time: median %s, minimum %s, spread %s (middle half) of %lld run%s\n", run_time_text(median, a, sizeof a),
		run_time_text((double)ns[0], b, sizeof b),
		run_time_text((double)(ns[n * 3 / 4] - ns[n / 4]), c, sizeof c), (long long)n, lt__plural(n));
	print_work(w, median);
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
	if (st->device_ns > 0)
		printf("device: %s a run, by its own clock\n",
			run_time_text((double)st->device_ns / (double)(st->n_run ? st->n_run : 1), a, sizeof a));
	if (st->n_replayed > 0)
		printf("recorded: %lld of the %lld runs were replayed\n", (long long)st->n_replayed, (long long)st->n_run);
	printf("memory: workspace %s at its peak, %s in all intermediates together; %s computed from constants; %s "
	       "within kernels\n",
		run_bytes_text((double)st->workspace_bytes, a, sizeof a), run_bytes_text((double)st->intermediate_bytes, b, sizeof b),
		run_bytes_text((double)st->constant_bytes, c, sizeof c), run_bytes_text((double)st->kernel_bytes, d, sizeof d));
}

static void add_json(struct run *r, const struct lt_stats *st, const struct run_crossing *crossing,
	const struct lt_work *w, int64_t n, const int64_t *ns)
{
	double median = (double)ns[n / 2];
	json_t *phases = json_pack("{s:f,s:f,s:f,s:f,s:f,s:f,s:f}", "parse", (double)r->model.parse_ns / 1e6, "passes",
		(double)st->passes_ns / 1e6, "tree", (double)st->tree_ns / 1e6, "freeze", (double)st->freeze_ns / 1e6,
		"accept", (double)st->accept_ns / 1e6, "compile", (double)st->compile_ns / 1e6, "bind",
		(double)st->bind_ns / 1e6);

	json_object_set_new(r->json, "time",
		json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:f,s:f,s:o,s:i,s:i,s:i,s:i,s:I,s:I,s:I,s:i,s:i,s:i,s:I}", "runs",
			(json_int_t)n, "median_ns", (json_int_t)ns[n / 2], "minimum_ns", (json_int_t)ns[0], "spread_ns",
			(json_int_t)(ns[n * 3 / 4] - ns[n / 4]), "flops", (json_int_t)w->useful, "bytes",
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
			(json_int_t)st->device_bytes, "move_ns", (json_int_t)(st->move_ns / st->n_run), "device_ns",
			(json_int_t)(st->device_ns / st->n_run), "replayed_runs", (json_int_t)st->n_replayed));
	json_object_set_new(json_object_get(r->json, "time"), "crossing", run_crossing_json(r, st, crossing));
}

lt_status run_time(struct run *r)
{
	struct lt_stats st = { .size = sizeof st };
	struct lt_stats before = { .size = sizeof before };
	struct lt_work work = { .size = sizeof work };
	int64_t *ns = NULL, n;
	struct run_crossing crossing;
	lt_status st_measured;

	lt_program_stats(r->program, &before);
	lt__phase(&r->phases, "timing");
	st_measured = time_measure(r, &ns, &n);
	lt__phase(&r->phases, NULL);
	LT_TRY(st_measured);
	qsort(ns, (size_t)n, sizeof *ns, by_value);
	/* A clock too coarse for the shortest runs must not divide by nothing. */
	ns[n / 2] += ns[n / 2] == 0;
	lt_program_stats(r->program, &st);
	if (lt_instance_work(r->instance, &work)) {
		free(ns);
		return lt_context_code(r->ctx);
	}
	/* Of these runs alone. */
	st.n_run -= before.n_run;
	st.n_replayed -= before.n_replayed;
	st.move_ns -= before.move_ns;
	st.send_ns -= before.send_ns;
	st.bring_ns -= before.bring_ns;
	st.device_ns -= before.device_ns;
	crossing = crossing_of(&st, n, ns);
	if (r->json)
		add_json(r, &st, &crossing, &work, n, ns);
	else
		print_text(r, &st, &crossing, &work, n, ns);
	free(ns);
	return LT_OK;
}
