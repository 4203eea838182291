/* start_report.c -- the suite start in the table, as JSON, and its means. */
#include <string.h>
#include <stdlib.h>
#include "tools/bench/start.h"
#include "tools/common/common.h"

static const char *seconds_text(double s, char *out, size_t bytes)
{
	*out = 0;
	if (s > 0)
		snprintf(out, bytes, s < 1 ? "%.1f ms" : "%.2f s", s < 1 ? s * 1e3 : s);
	return out;
}

static const char *ratio_text(double r, char *out, size_t bytes)
{
	*out = 0;
	if (r > 0)
		snprintf(out, bytes, "%.2f", r);
	return out;
}

static const char *memory_text(int64_t bytes, char *out, size_t n)
{
	*out = 0;
	if (bytes > 0)
		snprintf(out, n, "%.1f MB", (double)bytes * 1e-6);
	return out;
}

void bench_print_started(const struct bench_started *x, bool first, FILE *f)
{
	char name[128], a[7][24], label[BENCH_LABEL + 1];

	if (first)
		lt__say(f, "\n%-28s %2s %-*s %9s %9s %9s %9s %10s %10s %9s\n", "start", "th", BENCH_LABEL, "contestant", "total",
			"ready", "first run", "time/best", "memory", "before", "mem./best");
	snprintf(name, sizeof name, "%s/%s", x->c->suite, x->c->name);
	for (int i = 0; i < x->n_row; i++) {
		const struct bench_start_row *r = &x->row[i];

		if (r->answer == BENCH_SKIP)
			continue;
		lt__say(f, "%-28s %2d %-*s ", name, x->threads, BENCH_LABEL, bench_label(r->label, (int)strlen(r->label), label));
		*name = 0;
		if (r->answer == BENCH_BAD)
			lt__say(f, "failed: %s\n", r->why);
		else
			lt__say(f, "%9s %9s %9s %9s %10s %10s %9s\n", seconds_text(r->total_s, a[0], sizeof a[0]),
				seconds_text(r->ready_s, a[1], sizeof a[1]), seconds_text(r->first_s, a[2], sizeof a[2]),
				ratio_text(r->over_time, a[3], sizeof a[3]), memory_text(r->peak, a[4], sizeof a[4]),
				memory_text(r->before, a[5], sizeof a[5]), ratio_text(r->over_memory, a[6], sizeof a[6]));
	}
	fflush(f);
}

static json_t *ratio_json(double r)
{
	return r > 0 ? json_real(r) : json_null();
}

static json_t *start_row_json(const struct bench_start_row *r)
{
	static const char *const answers[] = { "measured", "skipped", "failed" };
	json_t *o = json_pack("{s:s,s:s,s:s}", "contestant", r->label, "role", r->role == BENCH_OURS ? "looptree" : "other",
		"status", answers[r->answer]);
	json_t *samples;

	if (r->answer != BENCH_READY) {
		json_object_set_new(o, "why", lt__json_text(r->why));
		return o;
	}
	samples = json_array();
	for (int i = 0; i < r->n; i++)
		json_array_append_new(samples, json_real(r->total[i]));
	json_object_update_new(o, json_pack("{s:o,s:f,s:f,s:f,s:I,s:I,s:o,s:o}", "samples_s", samples, "total_s", r->total_s,
		"ready_s", r->ready_s, "first_s", r->first_s, "peak_bytes", (json_int_t)r->peak, "before_bytes",
		(json_int_t)r->before, "time_over_best", ratio_json(r->over_time), "memory_over_best",
		ratio_json(r->over_memory)));
	return o;
}

json_t *bench_started_json(const struct bench_started *x)
{
	json_t *rows = json_array();

	for (int i = 0; i < x->n_row; i++)
		json_array_append_new(rows, start_row_json(&x->row[i]));
	return json_pack("{s:s,s:s,s:i,s:o}", "suite", x->c->suite, "name", x->c->name, "threads", x->threads, "rows", rows);
}

static void print_mean(const struct bench_starts *l, const char *label, int threads, FILE *f)
{
	double *time = lt__must_alloc(((size_t)l->n + 1) * sizeof *time);
	double *memory = lt__must_alloc(((size_t)l->n + 1) * sizeof *memory);
	int n = 0;

	for (int i = 0; i < l->n; i++)
		for (int k = 0; k < l->at[i].n_row; k++) {
			const struct bench_start_row *r = &l->at[i].row[k];

			if (l->at[i].threads != threads || strcmp(r->label, label) != 0 || !(r->over_time > 0))
				continue;
			time[n] = r->over_time;
			memory[n++] = r->over_memory;
		}
	bench_sort(time, n);
	bench_sort(memory, n);
	if (n)
		lt__say(f, "start, %d thread%s, %s: time %.2f of the best of the others (highest %.2f of %d), memory %.2f "
			"(highest %.2f)\n", threads, threads == 1 ? "" : "s", label, bench_geomean(time, n), time[n - 1], n,
			bench_geomean(memory, n), memory[n - 1]);
	free(time);
	free(memory);
}

/* The labels of ours, in order of appearance. */
void bench_print_starts(const struct bench_starts *l, FILE *f)
{
	for (int i = 0; i < l->n; i++)
		for (int k = 0; k < l->at[i].n_row; k++) {
			bool seen = l->at[i].row[k].role != BENCH_OURS;

			for (int b = 0; b < i && !seen; b++)
				seen = l->at[b].threads == l->at[i].threads;
			if (!seen)
				print_mean(l, l->at[i].row[k].label, l->at[i].threads, f);
		}
}
