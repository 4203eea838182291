/* Instances of a program: states, workspace and tables of their own, in an arena of their own. */
#include <string.h>
#include "program/run/parts.h"

struct instance_request { struct lt_instance *r, *with; };

static lt_status instance_fill(void *arg)
{
	const struct instance_request *q = arg;
	struct lt_instance *r = q->r;
	struct lt_program *p = r->program;
	const struct lt_graph *g = p->tree->graph;
	const struct lt_bindings *states = &p->bindings[LT_BINDING_STATE];
	struct lt_arena *a = r->arena;
	LT_TRY(lt__states_new(r, q->with));
	r->workspace = lt__aligned_new(a, p->offsets.at[0].workspace_bytes, LT_ALIGNMENT_SLACK);
	r->scratch = lt__scratch_new(a, &p->scratch[0]);
	r->param = LT_NEW(a, int64_t, g->n_param + 1);
	r->fetched = LT_NEW(a, int64_t, g->n_param + 1);
	r->launch_param = LT_NEW(a, int64_t, g->n_param + 1);
	r->absent = LT_NEW(a, bool, g->n_param + 1);
	r->extent = LT_NEW(a, int64_t, g->n_var + 1);
	for (lt_var v = 0; v < g->n_var; v++)
		r->extent[v] = g->var[v].extent;
	r->slot = LT_NEW(a, struct lt_slot, lt__program_slots(p, p->plan.run, p->plan.n_run) + 1);
	r->touched = LT_NEW(a, bool, states->n + 1);
	for (int32_t i = 0; i < states->n; i++)
		r->touched[i] = !states->at[i].on_device;       /* zeros, on the host until the first run */
	if (p->options.device_time)
		r->event = LT_NEW(a, struct lt_event *, 2 * p->backends.n);
	LT_TRY(lt__queues_new(r));
	LT_TRY(lt__events_new(r));
	LT_TRY(lt__profiler_new(r));
	LT_TRY(lt__crossing_new(r));
	LT_TRY(lt__device_memory_new(&r->ctx, p, false, a, &r->device));
	lt__recorder_new(r);
	return LT_OK;
}

/* From now on its runs count among the program's, also when it is gone. */
static void instance_enter(struct lt_instance *r)
{
	struct lt_program *p = r->program;
	lt__lock_take(&p->instance_lock);
	r->next = p->instance;
	p->instance = r;
	lt__lock_give(&p->instance_lock);
}

static void instance_leave(struct lt_instance *r)
{
	struct lt_program *p = r->program;
	lt__lock_take(&p->instance_lock);
	for (struct lt_instance **at = &p->instance; *at; at = &(*at)->next)
		if (*at == r) {
			*at = r->next;
			break;
		}
	p->tally.n_run += r->n_run;
	p->tally.n_replayed += r->n_replayed;
	lt__lock_give(&p->instance_lock);
}

void lt__count_runs(const struct lt_program *p, int64_t *n_run, int64_t *n_replayed)
{
	struct lt_lock *turn = (struct lt_lock *)(uintptr_t)&p->instance_lock;
	lt__lock_take(turn);
	*n_run = p->tally.n_run;
	*n_replayed = p->tally.n_replayed;
	for (const struct lt_instance *r = p->instance; r; r = r->next) {
		*n_run += r->n_run;
		*n_replayed += r->n_replayed;
	}
	lt__lock_give(turn);
}

static lt_status instance_make(struct lt_instance *r, struct lt_instance *with)
{
	struct instance_request q = { r, with };
	struct lt_program *p = r->program;
	if (p->options.plan_only)
		return lt_fail(&r->ctx, LT_EINVAL, "the program was compiled with plan_only: it can be shown, not run");
	if (p->options.source_only)
		return lt_fail(&r->ctx, LT_EINVAL, "the program was compiled with source_only: it can be shown, not run");
	if (with && !with->ready)
		return lt_fail(&r->ctx, with->ctx.code, "%s", with->ctx.message);
	LT_TRY(lt__constants_prepare(p, &r->ctx));
	LT_TRY(lt__arena_new(&r->ctx, &r->arena));
	return lt__protect(&r->ctx, instance_fill, &q);
}

static void instance_clear(struct lt_instance *r)
{
	lt__queue_settle(r, 0);
	lt__states_free(r);
	lt__recorder_free(r);
	lt__events_free(r);
	lt__profiler_free(r);
	lt__crossing_free(r);
	lt__queues_free(r);
	lt__device_memory_free(r->program, r->device);
	lt__arena_free(r->arena);
	r->event = NULL;
	r->device = NULL;
	r->arena = NULL;
}

/* What fails is reported in the instance, which no other thread knows yet. */
lt_status lt_instance_new_sharing(struct lt_program *p, struct lt_instance *with, struct lt_instance **out)
{
	struct lt_instance *r = *out = lt__context_realloc(p->ctx, NULL, 0, sizeof *r);
	if (!r)
		return LT_ENOMEM;               /* as lt_instance_code and lt_instance_message say of NULL */
	*r = (struct lt_instance){ .program = p };
	lt__context_branch(p->ctx, &r->ctx);
	lt_status st = instance_make(r, with);
	r->ready = !st;
	if (st)
		instance_clear(r);
	else
		instance_enter(r);
	return st;
}

lt_status lt_instance_new(struct lt_program *p, struct lt_instance **out)
{
	return lt_instance_new_sharing(p, NULL, out);
}

void lt_instance_free(struct lt_instance *r)
{
	if (!r)
		return;
	instance_leave(r);
	instance_clear(r);
	lt__context_realloc(r->program->ctx, r, sizeof *r, 0);
}

const char *lt_instance_message(const struct lt_instance *r) { return r ? r->ctx.message : lt_status_text(LT_ENOMEM); }
lt_status lt_instance_code(const struct lt_instance *r) { return r ? r->ctx.code : LT_ENOMEM; }

void lt_instance_cancel(struct lt_instance *r, int (*cancelled)(void *user), void *user)
{
	r->ctx.cancelled = cancelled;
	r->ctx.cancelled_user = user;
	r->ctx.asked_ns = 0;
}
