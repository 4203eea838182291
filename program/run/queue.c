/* Queues of an instance: one in each device's memory.  Kernels and copies are enqueued there in the order of the plan;
 * the host waits where it needs a value itself, and at the end of a run. */
#include <string.h>
#include "program/run/parts.h"

static const struct lt_opened *queue_opened(const struct lt_program *p, int32_t memory)
{
	return &p->backends.at[p->memories.at[memory].opened];
}

/* A backend that has only one queue is used with that. */
static lt_status queue_stream(struct lt_instance *r, int32_t memory)
{
	const struct lt_opened *c = queue_opened(r->program, memory);
	struct lt_run_queue *q = &r->queue[memory];
	struct lt_diagnostics diags;
	if (!LT_HAS(struct lt_backend, c->backend, stream_new) || !LT_HAS(struct lt_backend, c->backend, stream_free))
		return LT_OK;
	lt__diagnostics_init(&diags);
	lt__lock_take(c->lock);
	lt_status st = c->backend->stream_new(c->session, &q->stream, &diags.diag);
	lt__lock_give(c->lock);
	q->own = !st;
	if (!st)
		return LT_OK;
	q->stream = NULL;
	return st == LT_EUNSUPPORTED ? LT_OK
		: lt_fail(&r->ctx, st, "backend %s: a queue to run in: %s", c->backend->name,
			lt__diagnostic_reason(&diags, st, c->backend->name, "stream_new"));
}

static bool has_order(const struct lt_backend *b)
{
	return LT_HAS(struct lt_backend, b, event_new) && LT_HAS(struct lt_backend, b, event_record)
		&& LT_HAS(struct lt_backend, b, event_free) && LT_HAS(struct lt_backend, b, event_wait)
		&& LT_HAS(struct lt_backend, b, stream_wait);
}

/* Without an event, or with a failure to make one, who follows waits. */
static void queue_event(struct lt_instance *r, int32_t memory)
{
	const struct lt_opened *c = queue_opened(r->program, memory);
	struct lt_diagnostics diags;
	if (!r->queue[memory].own || !has_order(c->backend))
		return;
	lt__diagnostics_init(&diags);
	lt__lock_take(c->lock);
	if (c->backend->event_new(c->session, &r->queue[memory].order, &diags.diag))
		r->queue[memory].order = NULL;
	lt__lock_give(c->lock);
}

/* What is copied at each run's end must not hold the host up; memory of any kind does. */
static void pin_params(struct lt_instance *r)
{
	const int32_t n = r->program->tree->graph->n_param;
	const struct lt_opened *c = queue_opened(r->program, 1);
	struct lt_diagnostics diags;
	if (!n || !LT_HAS(struct lt_backend, c->backend, host_new) || !LT_HAS(struct lt_backend, c->backend, host_free))
		return;
	lt__diagnostics_init(&diags);
	lt__lock_take(c->lock);
	if (c->backend->host_new(c->session, (size_t)n * 2 * sizeof(int64_t), &r->pinned, &diags.diag))
		r->pinned = NULL;
	lt__lock_give(c->lock);
	if (!r->pinned)
		return;
	r->param = r->pinned;
	r->fetched = r->param + n;
	memset(r->param, 0, (size_t)n * 2 * sizeof(int64_t));
}

lt_status lt__queues_new(struct lt_instance *r)
{
	struct lt_program *p = r->program;
	r->fault = LT_NEW(r->arena, struct lt_fault, p->plan.n_run + 1);
	for (int32_t i = 0; i < p->plan.n_run; i++)
		lt__fault_clear(&r->fault[i]);
	if (p->memories.n == 1)
		return LT_OK;
	r->queue = LT_NEW(r->arena, struct lt_run_queue, p->memories.n);
	for (int32_t i = 1; i < p->memories.n; i++) {
		LT_TRY(queue_stream(r, i));
		queue_event(r, i);
	}
	pin_params(r);
	r->own_stream = r->queue[1].stream;
	return LT_OK;
}

void lt__queues_free(struct lt_instance *r)
{
	for (int32_t i = 1; r->queue && i < r->program->memories.n; i++) {
		const struct lt_opened *c = queue_opened(r->program, i);
		lt__lock_take(c->lock);
		if (r->queue[i].order)
			c->backend->event_free(r->queue[i].order);
		if (r->queue[i].own)
			c->backend->stream_free(c->session, i == 1 ? r->own_stream : r->queue[i].stream);
		if (i == 1 && r->pinned)
			c->backend->host_free(c->session, r->pinned);
		lt__lock_give(c->lock);
	}
	r->pinned = NULL;
	r->queue = NULL;
}

/* The first in the order of the steps; the records of that memory are cleared for the next run. */
static lt_status queue_faults(struct lt_program *p, const struct lt_addresses *a, int32_t memory)
{
	lt_status status = LT_OK;
	for (int32_t i = 0; i < p->plan.n_run; i++) {
		const struct lt_pstep *s = &p->plan.run[i];
		if (s->kind != LT_STEP_RUN || s->memory != memory || a->fault[i].n <= 0)
			continue;
		if (!status)
			status = lt__fault_report(p, a, s, &a->fault[i]);
		lt__fault_clear(&a->fault[i]);
	}
	return status;
}

lt_status lt__queue_wait(struct lt_program *p, const struct lt_addresses *a, int32_t memory)
{
	struct lt_run_queue *q = a->queue ? &a->queue[memory] : NULL;
	const struct lt_opened *c;
	struct lt_diagnostics diags;
	if (!q || !q->busy)
		return LT_OK;
	c = queue_opened(p, memory);
	lt__diagnostics_init(&diags);
	if (!c->together)
		lt__lock_take(c->lock);
	lt_status st = q->ends ? c->backend->event_wait(q->order, &diags.diag)
		: c->backend->sync(c->session, q->stream, &diags.diag);
	if (!c->together)
		lt__lock_give(c->lock);
	q->busy = q->sends = q->brings = q->ends = false;
	lt_status fault = a->ctx ? queue_faults(p, a, memory) : LT_OK;
	if (!a->ctx)
		return st;
	return fault || !st ? fault : lt_fail(a->ctx, st, "backend %s: %s", c->backend->name,
		lt__diagnostic_reason(&diags, st, c->backend->name, "sync"));
}

static lt_status queue_record(struct lt_program *p, const struct lt_addresses *a, int32_t memory)
{
	const struct lt_opened *c = queue_opened(p, memory);
	struct lt_diagnostics diags;
	lt__diagnostics_init(&diags);
	lt__lock_take(c->lock);
	lt_status st = c->backend->event_record(a->queue[memory].order, a->queue[memory].stream, &diags.diag);
	lt__lock_give(c->lock);
	return st ? lt_fail(a->ctx, st, "backend %s: a moment in a queue: %s", c->backend->name,
		lt__diagnostic_reason(&diags, st, c->backend->name, "event_record")) : LT_OK;
}

lt_status lt__queue_follow(struct lt_program *p, const struct lt_addresses *a, int32_t to, int32_t from)
{
	const struct lt_opened *c = queue_opened(p, to);
	struct lt_diagnostics diags;
	if (!a->queue || !a->queue[from].busy)
		return LT_OK;
	if (!a->queue[from].order || !a->queue[to].stream || queue_opened(p, from)->backend != c->backend)
		return lt__queue_wait(p, a, from);
	LT_TRY(queue_record(p, a, from));
	lt__diagnostics_init(&diags);
	lt__lock_take(c->lock);
	lt_status st = c->backend->stream_wait(c->session, a->queue[to].stream, a->queue[from].order, &diags.diag);
	lt__lock_give(c->lock);
	return st ? lt_fail(a->ctx, st, "backend %s: waiting for another queue: %s", c->backend->name,
		lt__diagnostic_reason(&diags, st, c->backend->name, "stream_wait")) : LT_OK;
}

/* The caller enqueues more behind it, which the host need not wait for. */
lt_status lt__queue_end(struct lt_program *p, const struct lt_addresses *a)
{
	if (!a->queue || p->memories.n != 2 || !a->queue[1].order || !a->queue[1].busy || p->has_faults)
		return LT_OK;
	LT_TRY(queue_record(p, a, 1));
	a->queue[1].ends = true;
	return LT_OK;
}

void lt__queue_settle(struct lt_instance *r, int32_t memory)
{
	const struct lt_addresses a = { .queue = r->queue };
	for (int32_t i = 1; r->queue && i < r->program->memories.n; i++)
		if (!memory || i == memory)
			(void)lt__queue_wait(r->program, &a, i);
}

lt_status lt__queue_wait_all(struct lt_program *p, const struct lt_addresses *a)
{
	lt_status status = LT_OK;
	for (int32_t i = 1; a->queue && i < p->memories.n; i++) {
		lt_status st = lt__queue_wait(p, a, i);
		status = status ? status : st;
	}
	return status;
}

lt_status lt__queue_before_host(struct lt_program *p, const struct lt_addresses *a, int32_t own, bool writes)
{
	for (int32_t i = 1; a->queue && i < p->memories.n; i++)
		if (i != own && (a->queue[i].brings || (writes && a->queue[i].sends)))
			LT_TRY(lt__queue_wait(p, a, i));
	return LT_OK;
}
