/* One run of an instance after the other: what is given is checked, states are sent, segments launched. */
#include <string.h>
#include "program/host/host.h"
#include "program/run/parts.h"

static struct lt_addresses addresses(struct lt_instance *r, const void *const *input, void *const *result)
{
	const struct lt_program *p = r->program;
	return (struct lt_addresses){ .ctx = &r->ctx,
		.state = r->state,
		.input = input,
		.constant = p->constants.data,
		.result = result,
		.workspace = r->workspace,
		.prepared = p->constants.prepared,
		.scratch = r->scratch,
		.param = r->param,
		.launch_param = r->launch_param,
		.device = r->device,
		.queue = r->queue,
		.fault = r->fault,
		.profiler = r->profiler,
		.crossing = r->unclocked ? NULL : r->crossing };
}

/* The whole of state i between the host and the memories that it is kept in: to all of them, or from one. */
static lt_status cross_state(struct lt_instance *r, int32_t i, bool to_devices)
{
	struct lt_program *p = r->program;
	const struct lt_addresses a = addresses(r, NULL, NULL);
	uint64_t in_memories = p->memories.state_memories ? p->memories.state_memories[i] : 1;
	for (int32_t s = 0; s < p->nests.assigned.n_storage && in_memories != 1; s++) {
		const struct lt_storage *x = &p->nests.assigned.storage[s];
		if (x->space != LT_STORAGE_STATE || x->binding != i)
			continue;
		for (int32_t m = 1; m < p->memories.n; m++)
			if (in_memories >> m & 1 && (to_devices || !(in_memories & 1)) && (r->device[m].where[s].base || !x->elems)) {
				LT_TRY(lt__move(p, &(struct lt_pstep){ .kind = LT_STEP_MOVE, .to = s, .from = s, .memory = to_devices ? m : 0,
					.from_memory = to_devices ? 0 : m, .elems = x->elems }, &a));
				if (!to_devices)
					return LT_OK;
			}
	}
	return LT_OK;
}

static lt_status send_states(struct lt_instance *r)
{
	for (int32_t i = 0; r->device && i < r->program->bindings[LT_BINDING_STATE].n; i++) {
		if (r->touched[i])
			LT_TRY(cross_state(r, i, true));
		r->touched[i] = false;
	}
	return LT_OK;
}

/* Handles of the caller's take the places of storages in the device's memory. */
static lt_status take_given(struct lt_instance *r, const struct lt_addresses *a)
{
	const struct lt_program *p = r->program;
	for (int32_t s = 0; r->device && s < p->nests.assigned.n_storage; s++) {
		const struct lt_storage *x = &p->nests.assigned.storage[s];
		const struct lt_binding_def *d = lt__storage_binding(p->bindings, x);
		if (!d || !d->on_device)
			continue;
		struct lt_slot *at = &r->device[1].where[s];
		if (x->space != LT_STORAGE_STATE)
			*at = (struct lt_slot){ lt__storage_address(p, s, a), 0, (int64_t)lt__storage_bytes(x) };
		else if (!at->base && p->memories.in_memories[s])
			return lt_fail(&r->ctx, LT_EMISSING, "state '%s' is given no memory: lt_instance_bind_state", d->name);
	}
	return LT_OK;
}

/* Nothing that was enqueued uses the caller's memory any more; what failed first is what is reported. */
static lt_status run_end(struct lt_instance *r, lt_status st)
{
	struct lt_addresses a = addresses(r, NULL, NULL);
	struct lt_context quiet;
	if (!r->ready || !r->queue)
		return st;
	lt__context_branch(r->program->ctx, &quiet);
	if (st)
		a.ctx = &quiet;
	lt_status waited = lt__queue_wait_all(r->program, &a);
	lt__profile_done(r);
	if (st || waited)
		lt__crossing_forget(r);
	return st ? st : waited ? waited : lt__crossing_read(r);
}

lt_status lt__state_to_host(struct lt_instance *r, int32_t i)
{
	if (!r->device)
		return LT_OK;
	LT_TRY(run_end(r, LT_OK));
	return r->touched[i] ? LT_OK : run_end(r, cross_state(r, i, false));
}

lt_status lt__states_bring(struct lt_instance *from)
{
	for (int32_t i = 0; i < from->program->bindings[LT_BINDING_STATE].n; i++)
		if (from->shared[i] && from->state[i])
			LT_TRY(lt__state_to_host(from, i));
	return LT_OK;
}

lt_status lt__states_take(struct lt_instance *r)
{
	struct lt_instance *from = r->states->newest;
	if (from == r)
		return LT_OK;
	if (r->states->ctx.code)
		return lt_fail(&r->ctx, r->states->ctx.code, "%s", r->states->ctx.message);
	if (from && lt__states_bring(from))
		return lt_fail(&r->ctx, from->ctx.code, "%s", from->ctx.message);
	for (int32_t i = 0; i < r->program->bindings[LT_BINDING_STATE].n; i++)
		r->touched[i] = r->touched[i] || r->shared[i];
	r->has_fetched = false;
	r->states->newest = r;
	return LT_OK;
}

lt_status lt__instance_begin(
	struct lt_instance *r, const void *const *input, void *const *result, struct lt_addresses *out)
{
	struct lt_program *p = r->program;
	if (!r->ready)
		return r->ctx.code;             /* and its sentence: why it was not made */
	if (p->bindings[LT_BINDING_INPUT].n > 0)
		LT_TRY(input ? lt__bindings_missing(&r->ctx, &p->bindings[LT_BINDING_INPUT], input, NULL, "input")
			     : lt_fail(&r->ctx, LT_EMISSING, "Missing input: no inputs are given"));
	for (int32_t i = 0; i < p->bindings[LT_BINDING_RESULT].n; i++)
		if (!result || !result[i])
			return lt_fail(&r->ctx, LT_EMISSING, "result '%s' is given no memory", p->bindings[LT_BINDING_RESULT].at[i].name);
	r->ran = false;
	*out = addresses(r, input, result);
	LT_TRY(lt__states_take(r));
	LT_TRY(take_given(r, out));
	LT_TRY(lt__queue_before_host(p, out, 0, true));       /* the run before may still read scalars and states there */
	LT_TRY(lt__params_read(r, out));
	r->has_fetched = false;
	r->ran = true;
	return send_states(r);
}

/* What it enqueues is in the queues; on failure nothing is. */
static lt_status run_begin(struct lt_instance *r, const void *const *input, void *const *result)
{
	struct lt_addresses a;
	LT_TRY(lt__crossing_read(r));           /* of a run that nobody has waited for */
	lt__profile_run(r);
	lt_status st = lt__instance_begin(r, input, result, &a);
	lt__profile_ready(r);
	if (!st)
		st = lt__instance_segments(r, &a);
	if (!st)
		st = lt__params_fetch(r, &a);
	if (!st && r->queue && r->queue[1].stream != r->own_stream)
		st = lt__queue_end(r->program, &a);
	lt__profile_launched(r);
	return st ? run_end(r, st) : LT_OK;
}

/* The instance's own queue, or the caller's.  What is in the one is done before the other gets anything. */
static lt_status run_in(struct lt_instance *r, void *stream)
{
	struct lt_program *p = r->program;
	const struct lt_addresses a = addresses(r, NULL, NULL);
	if (!r->ready)
		return r->ctx.code;
	if (stream && (p->memories.n != 2))
		return lt_fail(&r->ctx, LT_EINVAL, "a queue of a device is given, but not all kernels run on one device "
			"(LT_SHOW_EXPLAIN shows where they do)");
	if (!r->queue || r->queue[1].stream == (stream ? stream : r->own_stream))
		return LT_OK;
	LT_TRY(lt__queue_wait(p, &a, 1));
	r->queue[1].stream = stream ? stream : r->own_stream;
	return LT_OK;
}

static lt_status run_again(struct lt_instance *r, const void *const *input, void *const *result)
{
	const struct lt_addresses a = addresses(r, input, result);
	if (!r->ran || !lt__recorder_same_params(r)) {
		r->ran = false;
		LT_TRY(lt__params_read(r, &a));
		r->ran = true;
	}
	return lt__recorder_repeat(r, &a);
}

lt_status lt_instance_run(struct lt_instance *r, const void *const *input, void *const *result)
{
	const bool again = lt__recorder_repeats(r, input, result);
	if (!again)
		LT_TRY(run_in(r, NULL));
	const bool shared = r->program->is_shared;
	if (shared)
		lt__pool_run_begin();
	lt_status st = again ? run_again(r, input, result) : run_begin(r, input, result);
	if (!again)
		st = st ? st : run_end(r, LT_OK);
	if (shared)
		lt__pool_run_end();
	return st;
}

lt_status lt_instance_enqueue(struct lt_instance *r, const struct lt_run *run)
{
	LT_TRY(run_in(r, LT_HAS(struct lt_run, run, stream) ? run->stream : NULL));
	return run_begin(r, LT_HAS(struct lt_run, run, input) ? run->input : NULL,
		LT_HAS(struct lt_run, run, result) ? run->result : NULL);
}

lt_status lt_instance_wait(struct lt_instance *r) { return r->ready ? run_end(r, LT_OK) : r->ctx.code; }

lt_status lt_instance_bind_state(struct lt_instance *r, int32_t i, void *handle)
{
	const struct lt_program *p = r->program;
	LT_TRY(lt_instance_wait(r));
	if (i < 0 || i >= p->bindings[LT_BINDING_STATE].n || !p->bindings[LT_BINDING_STATE].at[i].on_device)
		return lt_fail(&r->ctx, LT_EINVAL, "state %d is none that lt_options.on_device names", (int)i);
	for (int32_t s = 0; s < p->nests.assigned.n_storage; s++) {
		const struct lt_storage *x = &p->nests.assigned.storage[s];
		if (x->space == LT_STORAGE_STATE && x->binding == i)
			r->device[1].where[s] = (struct lt_slot){ handle, 0, (int64_t)lt__storage_bytes(x) };
	}
	r->touched[i] = r->has_fetched = false;
	lt__recorder_forget(r);
	return LT_OK;
}

int64_t lt_instance_extent(const struct lt_instance *r, int32_t result, int32_t axis)
{
	const struct lt_program *p = r->program;
	const struct lt_graph *g = p->tree->graph;
	if (!r->ready || result < 0 || result >= g->n_result)
		return 0;
	const struct lt_nodedef *d = &g->node[g->result[result].node];
	return axis >= 0 && axis < d->n_dim ? r->extent[d->dim[axis]] : 0;
}

void *lt_instance_state(struct lt_instance *r, int32_t i)
{
	if (!r->ready)
		return NULL;
	if (i < 0 || i >= r->program->bindings[LT_BINDING_STATE].n) {
		lt_fail(&r->ctx, LT_EINVAL, "there is no state %d; the program has %d", (int)i,
			(int)r->program->bindings[LT_BINDING_STATE].n);
		return NULL;
	}
	if (lt__states_take(r) || lt__state_to_host(r, i))
		return NULL;
	r->touched[i] = true;
	return r->state[i];
}

void lt_instance_reset(struct lt_instance *r)
{
	(void)run_end(r, LT_OK);
	if (r->ready)
		(void)lt__states_take(r);
	for (int32_t i = 0; r->ready && i < r->program->bindings[LT_BINDING_STATE].n; i++) {
		if (r->state[i])
			memset(r->state[i], 0, r->program->bindings[LT_BINDING_STATE].at[i].bytes);
		r->touched[i] = true;
	}
}
