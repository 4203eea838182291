/* crossing.c -- how long copies between memories take.
 *
 * Where runs are timed (lt_options.device_time): on the device, between two of its events, which are read when the run
 * is over, so that nothing waits for them; a device without events is waited for before and after each copy.  Else by
 * the host's clock around the call, which may only enqueue.
 */
#include "program/run/parts.h"

/* The queue that the copy is in. */
static const struct lt_opened *crossing_opened(const struct lt_program *p, const struct lt_pstep *s)
{
	return &p->backends.at[p->memories.at[lt__profile_memory(s)].opened];
}

lt_status lt__crossing_new(struct lt_instance *r)
{
	const struct lt_program *p = r->program;
	if (!p->options.device_time || p->memories.n == 1)
		return LT_OK;
	struct lt_crossing *x = r->crossing = LT_NEW(r->arena, struct lt_crossing, 1);
	x->event = LT_NEW(r->arena, struct lt_event *, 2 * (int64_t)p->plan.n_run + 1);
	x->recorded = LT_NEW(r->arena, bool, p->plan.n_run + 1);
	for (int32_t i = 0; i < 2 * p->plan.n_run; i++)
		if (p->plan.run[i / 2].kind == LT_STEP_MOVE)
			LT_TRY(lt__event_new(&r->ctx, crossing_opened(p, &p->plan.run[i / 2]), "copies", &x->event[i]));
	return LT_OK;
}

void lt__crossing_free(struct lt_instance *r)
{
	for (int32_t i = 0; r->crossing && i < 2 * r->program->plan.n_run; i++)
		if (r->crossing->event[i])
			lt__event_free(crossing_opened(r->program, &r->program->plan.run[i / 2]), r->crossing->event[i]);
	r->crossing = NULL;
}

static void crossing_add(struct lt_program *p, const struct lt_pstep *s, int64_t ns)
{
	struct lt_tally *t = &p->tally;
	const uintptr_t at = (uintptr_t)s, once = (uintptr_t)p->plan.prepare;
	t->move_ns += ns;
	if (at - once < (uintptr_t)p->plan.n_prepare * sizeof *s)
		t->once_ns += ns;
	else if (!s->from_memory)
		t->send_ns += ns;
	else if (!s->memory)
		t->bring_ns += ns;
}

/* The plan's step, if it has events; -1. */
static int32_t crossing_step(const struct lt_program *p, const struct lt_pstep *s, const struct lt_addresses *a)
{
	const int32_t i = lt__run_step(p, s);
	return a->crossing && i >= 0 && a->crossing->event[2 * i] ? i : -1;
}

static bool crossing_record(
	const struct lt_program *p, const struct lt_pstep *s, const struct lt_addresses *a, int32_t event)
{
	return lt__event_record(crossing_opened(p, s), a->crossing->event[event],
		a->queue ? a->queue[lt__profile_memory(s)].stream : NULL);
}

lt_status lt__crossing_begin(
	struct lt_program *p, const struct lt_pstep *s, const struct lt_addresses *a, int64_t *begin_ns)
{
	const int32_t i = crossing_step(p, s, a);
	if (i >= 0)
		a->crossing->recorded[i] = crossing_record(p, s, a, 2 * i);
	else if (a->crossing)
		LT_TRY(lt__queue_wait(p, a, lt__profile_memory(s)));
	*begin_ns = lt__now_ns();
	return LT_OK;
}

lt_status lt__crossing_end(
	struct lt_program *p, const struct lt_pstep *s, const struct lt_addresses *a, int64_t begin_ns)
{
	const int32_t i = crossing_step(p, s, a);
	if (i >= 0 && a->crossing->recorded[i]) {
		a->crossing->recorded[i] = crossing_record(p, s, a, 2 * i + 1);
		if (a->crossing->recorded[i])
			return LT_OK;
	} else if (a->crossing) {
		LT_TRY(lt__queue_wait(p, a, lt__profile_memory(s)));
	}
	crossing_add(p, s, lt__now_ns() - begin_ns);
	return LT_OK;
}

void lt__crossing_forget(struct lt_instance *r)
{
	for (int32_t i = 0; r->crossing && i < r->program->plan.n_run; i++)
		r->crossing->recorded[i] = false;
}

lt_status lt__crossing_read(struct lt_instance *r)
{
	struct lt_program *p = r->program;
	const struct lt_crossing *x = r->crossing;
	for (int32_t i = 0; x && i < p->plan.n_run; i++) {
		int64_t ns = 0;
		if (!x->recorded[i])
			continue;
		x->recorded[i] = false;
		LT_TRY(lt__event_between(
			&r->ctx, crossing_opened(p, &p->plan.run[i]), "a copy", x->event[2 * i], x->event[2 * i + 1], &ns));
		crossing_add(p, &p->plan.run[i], ns);
	}
	return LT_OK;
}
