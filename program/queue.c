/* Queues of an instance: one in each device's memory.  Kernels and copies are enqueued there in the order of the plan;
 * the host waits where it needs a value itself, and at the end of a run. */
#include "program/program.h"

void lt__fault_clear(struct lt_fault *f) { *f = (struct lt_fault){ .n = 0, .stmt = -1, .access = -1 }; }

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
	lt__turn_take(c->turn);
	lt_status st = c->backend->stream_new(c->session, &q->stream, &diags.diag);
	lt__turn_give(c->turn);
	q->own = !st;
	if (!st)
		return LT_OK;
	q->stream = NULL;
	return st == LT_EUNSUPPORTED ? LT_OK
		: lt_fail(&r->ctx, st, "backend %s: a queue to run in: %s", c->backend->name,
			lt__diagnostic_reason(&diags, st, c->backend->name, "stream_new"));
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
	for (int32_t i = 1; i < p->memories.n; i++)
		LT_TRY(queue_stream(r, i));
	return LT_OK;
}

void lt__queues_free(struct lt_instance *r)
{
	for (int32_t i = 1; r->queue && i < r->program->memories.n; i++) {
		const struct lt_opened *c = queue_opened(r->program, i);
		if (!r->queue[i].own)
			continue;
		lt__turn_take(c->turn);
		c->backend->stream_free(c->session, r->queue[i].stream);
		lt__turn_give(c->turn);
	}
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
		lt__turn_take(c->turn);
	lt_status st = c->backend->sync(c->session, q->stream, &diags.diag);
	if (!c->together)
		lt__turn_give(c->turn);
	q->busy = q->crossing = false;
	lt_status fault = queue_faults(p, a, memory);
	return fault || !st ? fault : lt_fail(a->ctx, st, "backend %s: %s", c->backend->name,
		lt__diagnostic_reason(&diags, st, c->backend->name, "sync"));
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

lt_status lt__queue_before_host(struct lt_program *p, const struct lt_addresses *a, int32_t own)
{
	for (int32_t i = 1; a->queue && i < p->memories.n; i++)
		if (i != own && a->queue[i].crossing)
			LT_TRY(lt__queue_wait(p, a, i));
	return LT_OK;
}
