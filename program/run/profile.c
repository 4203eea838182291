/* profile.c -- the clock's readings during a run (lt/profile.h). */
#include <string.h>
#include "program/run/parts.h"

static int64_t profile_stamp(struct lt_profiler *x)
{
	x->n_stamp++;
	return lt__now_ns();
}

/* How long one reading takes, in picoseconds: the best of some hundreds. */
static int64_t profile_stamp_ps(void)
{
	enum { TIMES = 256, TRIES = 8 };
	int64_t best = INT64_MAX;
	for (int i = 0; i < TRIES; i++) {
		int64_t begin = lt__now_ns(), end = begin;
		for (int k = 0; k < TIMES; k++)
			end = lt__now_ns();
		best = end - begin < best ? end - begin : best;
	}
	return best * 1000 / TIMES;
}

/* Of a step in a device's memory, or from one: whose it is. */
static const struct lt_opened *profile_opened(const struct lt_program *p, const struct lt_pstep *s)
{
	const int32_t memory = lt__profile_memory(s);
	return memory ? &p->backends.at[p->memories.at[memory].opened] : NULL;
}

static lt_status profiler_events(struct lt_instance *r)
{
	struct lt_program *p = r->program;
	struct lt_profiler *x = r->profiler;
	for (int32_t i = 0; i < 2 * p->plan.n_run; i++) {
		const struct lt_opened *c = profile_opened(p, &p->plan.run[i / 2]);
		if (c)
			LT_TRY(lt__event_new(&r->ctx, c, "kernels", &x->event[i]));
	}
	return LT_OK;
}

lt_status lt__profiler_new(struct lt_instance *r)
{
	struct lt_program *p = r->program;
	struct lt_arena *a = r->arena;
	if (!p->options.profile)
		return LT_OK;
	struct lt_profiler *x = r->profiler = LT_NEW(a, struct lt_profiler, 1);
	const int64_t n_thread = p->options.n_thread ? p->options.n_thread : lt__processors();
	x->at = -1;
	x->n_thread_lane = n_thread < POOL_TEAM_MAX ? (int32_t)n_thread : POOL_TEAM_MAX;
	x->step = LT_NEW(a, struct profiled_step, p->plan.n_run + 1);
	x->event = LT_NEW(a, struct lt_event *, 2 * (int64_t)p->plan.n_run + 1);
	x->thread = lt__aligned_new(a, POOL_TEAM_MAX * sizeof *x->thread, LT_ALIGNMENT_SLACK);
	memset(x->thread, 0, POOL_TEAM_MAX * sizeof *x->thread);
	/* Each step by itself; each thread in some loops of each; loops within loops of the host may be many. */
	x->cap_span = (int32_t)(8192 + (int64_t)p->plan.n_run * (2 + 4 * x->n_thread_lane));
	x->span = LT_NEW(a, struct lt_profile_span, x->cap_span);
	x->stamp_ps = profile_stamp_ps();
	return profiler_events(r);
}

void lt__profiler_free(struct lt_instance *r)
{
	struct lt_program *p = r->program;
	for (int32_t i = 0; r->profiler && i < 2 * p->plan.n_run; i++)
		if (r->profiler->event[i])
			lt__event_free(profile_opened(p, &p->plan.run[i / 2]), r->profiler->event[i]);
	r->profiler = NULL;
}

void lt__profile_run(struct lt_instance *r)
{
	struct lt_profiler *x = r->profiler;
	if (!x)
		return;
	lt__lock_take(&r->program->profile_lock);
	r->program->services.profiler = x;
	memset(x->step, 0, (size_t)r->program->plan.n_run * sizeof *x->step);
	x->n_stamp = x->n_dropped = x->n_span = 0;
	x->ran = false;
	x->at = -1;
	x->begin_ns = x->ready_ns = x->launched_ns = x->end_ns = profile_stamp(x);
}

void lt__profile_ready(struct lt_instance *r)
{
	if (r->profiler)
		r->profiler->ready_ns = profile_stamp(r->profiler);
}

void lt__profile_launched(struct lt_instance *r)
{
	struct lt_profiler *x = r->profiler;
	if (!x)
		return;
	x->launched_ns = x->end_ns = profile_stamp(x);
	x->ran = true;
	x->n_host_span = x->n_span;
	r->program->services.profiler = NULL;
	lt__lock_give(&r->program->profile_lock);
}

void lt__profile_done(struct lt_instance *r)
{
	if (r->profiler && r->profiler->ran && r->profiler->end_ns == r->profiler->launched_ns)
		r->profiler->end_ns = profile_stamp(r->profiler);
}

static void profile_add_span(struct lt_profiler *x, int32_t lane, int64_t begin_ns, int64_t end_ns)
{
	if (x->n_span < x->cap_span)
		x->span[x->n_span++] = (struct lt_profile_span){ x->at, lane, begin_ns, end_ns - begin_ns };
	else
		x->n_dropped++;
}

int32_t lt__run_step(const struct lt_program *p, const struct lt_pstep *s)
{
	const uintptr_t at = (uintptr_t)s, first = (uintptr_t)p->plan.run;
	return at - first < (uintptr_t)p->plan.n_run * sizeof *s ? (int32_t)(s - p->plan.run) : -1;
}

static bool profile_event(struct lt_profiler *x, const struct lt_program *p, const struct lt_pstep *s, int32_t event,
	const struct lt_addresses *a)
{
	return lt__event_record(profile_opened(p, s), x->event[event],
		a->queue ? a->queue[lt__profile_memory(s)].stream : NULL);
}

void lt__profile_step_begin(
	struct lt_profiler *x, const struct lt_program *p, const struct lt_pstep *s, const struct lt_addresses *a)
{
	if (!x || (x->at = lt__run_step(p, s)) < 0)
		return;
	x->step[x->at].recorded = profile_event(x, p, s, 2 * x->at, a);
	x->step[x->at].begin_ns = profile_stamp(x);
}

void lt__profile_step_end(
	struct lt_profiler *x, const struct lt_program *p, const struct lt_pstep *s, const struct lt_addresses *a)
{
	if (!x || x->at < 0)
		return;
	struct profiled_step *t = &x->step[x->at];
	int64_t end = profile_stamp(x);
	t->host_ns = end - t->begin_ns;
	t->recorded = t->recorded && profile_event(x, p, s, 2 * x->at + 1, a);
	profile_add_span(x, 0, t->begin_ns, end);
	x->at = -1;
}

bool lt__profile_waits(const struct lt_profiler *x, const struct lt_program *p, const struct lt_pstep *s)
{
	const int32_t at = x ? lt__run_step(p, s) : -1;
	return at >= 0 && s->memory && !x->event[2 * at];
}

struct profiled_loop { struct lt_profiler *x; lt__pool_body *body; void *arg; };

/* One thread's range. */
static void profile_range(void *arg, int64_t first, int64_t last, uint32_t thread)
{
	const struct profiled_loop *loop = arg;
	struct profiled_thread *t = &loop->x->thread[thread % POOL_TEAM_MAX];
	int64_t begin = lt__now_ns();
	loop->body(loop->arg, first, last, thread);
	t->end_ns = lt__now_ns();
	t->begin_ns = t->n_range++ ? t->begin_ns : begin;
	t->busy_ns += t->end_ns - begin;
}

static void profile_add_team(struct lt_profiler *x, int64_t begin_ns)
{
	struct profiled_step *s = &x->step[x->at];
	s->team_ns += profile_stamp(x) - begin_ns;
	s->n_team++;
	for (int32_t i = 0; i < POOL_TEAM_MAX; i++) {
		struct profiled_thread *t = &x->thread[i];
		if (!t->n_range)
			continue;
		s->threads[i / 64] |= UINT64_C(1) << i % 64;
		s->busy_ns += t->busy_ns;
		x->n_stamp += 2 * t->n_range;
		if (i > 0)
			profile_add_span(x, i < x->n_thread_lane ? i : x->n_thread_lane - 1, t->begin_ns, t->end_ns);
		*t = (struct profiled_thread){ 0 };
	}
}

void lt__profile_parallel_for(
	const struct lt_host *host, uint32_t n_thread, int64_t n, lt__pool_body *body, void *arg)
{
	const struct lt_services *s = host->user;
	struct lt_profiler *x = s->profiler;
	struct profiled_loop loop = { x, body, arg };
	if (!x || x->at < 0 || x->in_team) {
		s->parallel_for(host, n_thread, n, body, arg);
		return;
	}
	int64_t begin = profile_stamp(x);
	x->in_team = true;
	s->parallel_for(host, n_thread, n, profile_range, &loop);
	x->in_team = false;
	profile_add_team(x, begin);
}
