/* Instances of a program: states, workspace and tables of their own, in an arena of their own. */
#include <string.h>
#include "program/program.h"

static lt_status instance_fill(void *arg)
{
	struct lt_instance *r = arg;
	struct lt_program *p = r->program;
	const struct lt_graph *g = p->tree->graph;
	const struct lt_bindings *states = &p->bindings[LT_BINDING_STATE];
	const struct lt_pmemory *host = &p->memories.at[0];
	struct lt_arena *a = r->arena;
	r->state = LT_NEW(a, void *, states->n + 1);
	for (int32_t i = 0; i < states->n; i++)
		r->state[i] = lt__aligned_new(a, states->at[i].bytes, LT_ALIGNMENT_SLACK);
	r->workspace = lt__aligned_new(a, host->workspace_bytes, LT_ALIGNMENT_SLACK);
	r->scratch = lt__aligned_new(a, host->scratch_bytes, lt__scratch_align(host));
	r->param = LT_NEW(a, int64_t, g->n_param + 1);
	r->absent = LT_NEW(a, bool, g->n_param + 1);
	r->extent = LT_NEW(a, int64_t, g->n_var + 1);
	for (lt_var v = 0; v < g->n_var; v++)
		r->extent[v] = g->var[v].extent;
	r->slot = LT_NEW(a, struct lt_slot, lt__program_slots(p, p->plan.run, p->plan.n_run) + 1);
	r->touched = LT_NEW(a, bool, states->n + 1);
	for (int32_t i = 0; i < states->n; i++)
		r->touched[i] = true;                           /* zeros, on the host until the first run */
	if (p->options.device_time)
		r->event = LT_NEW(a, struct lt_event *, 2 * p->backends.n);
	LT_TRY(lt__events_new(r));
	LT_TRY(lt__device_memory_new(&r->ctx, p, false, &r->room));
	lt__recorder_new(r);
	return LT_OK;
}

/* Failures of several threads at once are reported in the program's context one after the other. */
static lt_status instance_new(struct lt_program *p, struct lt_instance **out)
{
	if (p->options.plan_only)
		return lt_fail(p->ctx, LT_EINVAL, "the program was compiled with plan_only: it can be shown, not run");
	if (p->options.source_only)
		return lt_fail(p->ctx, LT_EINVAL, "the program was compiled with source_only: it can be shown, not run");
	lt_status st = lt__constants_prepare(p);
	if (st)
		return lt_fail(p->ctx, st, "%s", lt_context_message(&p->constants.ctx));
	struct lt_instance *r = lt__context_realloc(p->ctx, NULL, 0, sizeof *r);
	if (!r)
		return lt_fail(p->ctx, LT_ENOMEM, "out of memory: %zu bytes for an instance", sizeof *r);
	*r = (struct lt_instance){ .program = p };
	lt__context_branch(p->ctx, &r->ctx);
	st = lt__arena_new(&r->ctx, &r->arena);
	if (!st)
		st = lt__protect(&r->ctx, instance_fill, r);
	if (st) {
		lt_fail(p->ctx, st, "%s", lt_context_message(&r->ctx));
		lt_instance_free(r);
		return st;
	}
	*out = r;
	return LT_OK;
}

lt_status lt_instance_new(struct lt_program *p, struct lt_instance **out)
{
	*out = NULL;
	lt__turn_take(&p->turn);
	lt_status st = instance_new(p, out);
	lt__turn_give(&p->turn);
	return st;
}

void lt_instance_free(struct lt_instance *r)
{
	if (!r)
		return;
	struct lt_program *p = r->program;
	lt__recorder_free(r);
	lt__events_free(r);
	lt__device_memory_free(p, r->room);
	lt__arena_free(r->arena);
	lt__context_realloc(p->ctx, r, sizeof *r, 0);
}

const char *lt_instance_message(const struct lt_instance *r) { return r->ctx.message; }
lt_status lt_instance_code(const struct lt_instance *r) { return r->ctx.code; }
