/* timing.c -- runs of an instance, one sample after the other, and what the samples say. */
#include <stdlib.h>
#include <string.h>
#include "lt/timing.h"
#include "program/explain/explain.h"

struct timing {
	struct lt_timing out;                   /* first: the caller has its address */
	struct lt_context *ctx;                 /* the instance's: its memory */
	double *sample, *sorted;
	int64_t cap;
};

static void *timing_room(struct lt_context *ctx, double *at, int64_t old, int64_t n)
{
	return lt__context_realloc(ctx, at, (size_t)old * sizeof *at, (size_t)n * sizeof *at);
}

void lt_timing_free(struct lt_timing *timing)
{
	struct timing *t = (struct timing *)timing;
	if (!t)
		return;
	if (t->sample)
		timing_room(t->ctx, t->sample, t->cap, 0);
	if (t->sorted)
		timing_room(t->ctx, t->sorted, t->out.n_sample, 0);
	lt__context_realloc(t->ctx, t, sizeof *t, 0);
}

/* -- taking them -- */

static lt_status timing_add(struct timing *t, double ns)
{
	const int64_t n = t->out.n_sample;
	if (n == t->cap) {
		const int64_t cap = n ? 2 * n : 64;
		double *more = timing_room(t->ctx, t->sample, t->cap, cap);
		if (!more)
			return lt_fail(t->ctx, LT_ENOMEM, "out of memory: %lld samples", (long long)cap);
		t->sample = more;
		t->cap = cap;
	}
	t->sample[t->out.n_sample++] = ns;
	return LT_OK;
}

static lt_status timed_runs(struct lt_instance *r, const struct lt_run *run, int64_t n, bool enqueue)
{
	for (int64_t i = 0; i < n && enqueue; i++)
		LT_TRY(lt_instance_enqueue(r, run));
	for (int64_t i = 0; i < n && !enqueue; i++)
		LT_TRY(lt_instance_run(r, LT_HAS(struct lt_run, run, input) ? run->input : NULL,
			LT_HAS(struct lt_run, run, result) ? run->result : NULL));
	return enqueue ? lt_instance_wait(r) : LT_OK;
}

static bool is_enough(const struct lt_time_options *o, int64_t n, int64_t total_ns)
{
	enum { LEAST = 3, MOST = 1000000 };
	return o->n_sample ? n >= o->n_sample : n >= MOST || (n >= LEAST && total_ns >= o->enough_ns);
}

static lt_status timing_progress(const struct lt_time_options *o, const struct timing *t, int64_t total_ns)
{
	const int64_t n = t->out.n_sample, mean = total_ns / n ? total_ns / n : 1;
	const int64_t of = o->n_sample ? o->n_sample : o->enough_ns / mean > n ? o->enough_ns / mean : n;
	return o->progress && o->progress(o->user, n, of) ? lt_fail(t->ctx, LT_ECANCELLED, "timing was cancelled") : LT_OK;
}

/* What the program has counted, from (sign -1) one moment to (1) another. */
static void timing_count(struct timing *t, const struct lt_instance *r, int sign)
{
	const struct lt_tally *now = &r->program->tally;
	t->out.move_ns += sign * now->move_ns;
	t->out.send_ns += sign * now->send_ns;
	t->out.bring_ns += sign * now->bring_ns;
	t->out.device_ns += sign * now->device_ns;
}

/* A sample is taken without the devices' clocks: two moments in a queue, for which the host waits, are microseconds of
 * a run.  So as many runs with them follow, of which the host's clock is not read. */
static lt_status timing_sample(struct timing *t, struct lt_instance *r, const struct lt_run *run,
	const struct lt_time_options *o, int64_t *ns)
{
	const bool enqueue = o->enqueue || LT_HAS(struct lt_run, run, stream), clocked = lt__instance_clocked(r);
	const int64_t replayed = r->n_replayed, begin = lt__now_ns();
	if (!clocked)
		timing_count(t, r, -1);
	r->unclocked = true;
	lt_status st = timed_runs(r, run, o->repeat, enqueue);
	r->unclocked = false;
	*ns = lt__now_ns() - begin;
	t->out.n_replayed += r->n_replayed - replayed;
	if (!st && clocked) {
		timing_count(t, r, -1);
		st = timed_runs(r, run, o->repeat, enqueue);
	}
	timing_count(t, r, 1);
	return st ? st : timing_add(t, (double)*ns / (double)o->repeat);
}

static lt_status timing_take(struct timing *t, struct lt_instance *r, const struct lt_run *run,
	const struct lt_time_options *o)
{
	int64_t total = 0, ns;
	if (!o->cold)
		LT_TRY(timed_runs(r, run, 1, o->enqueue || LT_HAS(struct lt_run, run, stream)));
	while (!is_enough(o, t->out.n_sample, total)) {
		LT_TRY(timing_sample(t, r, run, o, &ns));
		total += ns;
		LT_TRY(timing_progress(o, t, total));
	}
	t->out.n_run = t->out.n_sample * o->repeat;
	return LT_OK;
}

/* -- what they say -- */

static int by_ns(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Between the two nearest, in proportion. */
static double quantile_of(const double *sorted, int64_t n, double q)
{
	const double at = q * (double)(n - 1);
	const int64_t i = (int64_t)at;
	return i + 1 < n ? sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i]) : sorted[n - 1];
}

static lt_status timing_finish(struct timing *t)
{
	struct lt_timing *x = &t->out;
	double sum = 0;
	t->sorted = timing_room(t->ctx, NULL, 0, x->n_sample);
	if (!t->sorted)
		return lt_fail(t->ctx, LT_ENOMEM, "out of memory: %lld samples", (long long)x->n_sample);
	memcpy(t->sorted, t->sample, (size_t)x->n_sample * sizeof *t->sorted);
	qsort(t->sorted, (size_t)x->n_sample, sizeof *t->sorted, by_ns);
	for (int64_t i = 0; i < x->n_sample; i++)
		sum += t->sample[i];
	x->sample_ns = t->sample;
	x->min_ns = t->sorted[0];
	x->mean_ns = sum / (double)x->n_sample;
	x->median_ns = quantile_of(t->sorted, x->n_sample, 0.5);
	x->lower_ns = quantile_of(t->sorted, x->n_sample, 0.25);
	x->upper_ns = quantile_of(t->sorted, x->n_sample, 0.75);
	return LT_OK;
}

lt_status lt_instance_time(
	struct lt_instance *r, const struct lt_run *run, const struct lt_time_options *given, struct lt_timing **out)
{
	struct lt_time_options o = { 0 };
	*out = NULL;
	if (!r->ready)
		return r->ctx.code;
	if (given)
		memcpy(&o, given, given->size < sizeof o ? given->size : sizeof o);
	if (o.n_sample < 0 || o.repeat < 0 || o.enough_ns < 0)
		return lt_fail(&r->ctx, LT_EINVAL, "lt_time_options: n_sample %lld, repeat %lld, enough_ns %lld: none may be below "
			"0", (long long)o.n_sample, (long long)o.repeat, (long long)o.enough_ns);
	o.repeat = o.repeat ? o.repeat : 1;
	o.enough_ns = o.enough_ns ? o.enough_ns : 500000000;
	struct timing *t = lt__context_realloc(&r->ctx, NULL, 0, sizeof *t);
	if (!t)
		return lt_fail(&r->ctx, LT_ENOMEM, "out of memory");
	*t = (struct timing){ .out.size = sizeof t->out, .ctx = &r->ctx };
	lt_status st = timing_take(t, r, run, &o);
	if (!st)
		st = timing_finish(t);
	if (st)
		lt_timing_free(&t->out);
	else
		*out = &t->out;
	return st;
}
