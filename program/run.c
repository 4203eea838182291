/* One run of an instance after the other: parameters read and checked, states sent, segments launched. */
#include <string.h>
#include "program/program.h"

/* The params of a run, read before its first kernel, and checked: a refused run changes nothing. */
static lt_status read_params(struct lt_instance *r, const void *const *input)
{
	struct lt_program *p = r->program;
	const struct lt_graph *g = p->tree->graph;
	for (int32_t i = 0; i < g->n_param; i++) {
		const struct lt_paramdef *d = &g->param[i];
		const struct lt_nodedef *source = &g->node[d->source];
		const struct lt_storage *s = &p->nests.assigned.storage[p->nests.assigned.location[d->source].storage];
		enum lt_binding kind = s->space == LT_STORAGE_INPUT ? LT_BINDING_INPUT
			: s->space == LT_STORAGE_CONSTANT           ? LT_BINDING_CONSTANT
								  : LT_BINDING_STATE;
		r->absent[i] = !p->bindings[kind].at[s->binding].needed;
		if (r->absent[i])
			continue;
		const void *data = s->space == LT_STORAGE_INPUT ? input[s->binding]
			: s->space == LT_STORAGE_CONSTANT       ? p->constants.data[s->binding]
							      : r->state[s->binding];
		r->param[i] = ((const int64_t *)data)[d->element];
		if (r->param[i] < d->low || r->param[i] > d->high)
			return lt_fail(&r->ctx, LT_EFAULT, "%selement %lld of %s '%s' is %lld; it must be in %lld..%lld",
				lt__location_text(&r->ctx, p, source->line, source->column), (long long)d->element, lt__op_info(source->op)->name,
				source->label ? source->label : source->name, (long long)r->param[i], (long long)d->low, (long long)d->high);
	}
	return LT_OK;
}

static bool is_absent(const struct lt_instance *r, const struct lt_linear *l)
{
	for (int32_t i = 0; i < l->n; i++)
		if (r->absent[l->param[i]])
			return true;
	return false;
}

/* constant + sum coef*param; false: it exceeds 63 bits. */
static bool value_of(const struct lt_instance *r, const struct lt_linear *l, int64_t *v)
{
	*v = l->constant;
	for (int32_t i = 0; i < l->n; i++) {
		int64_t term;
		if (lt__mul_overflow(l->coef[i], r->param[l->param[i]], &term) || lt__add_overflow(*v, term, v))
			return false;
	}
	return true;
}

static lt_status check_params(struct lt_instance *r)
{
	struct lt_program *p = r->program;
	const struct lt_graph *g = p->tree->graph;
	for (int32_t i = 0; i < g->n_require; i++) {
		const struct lt_require *q = &g->require[i];
		int64_t v;
		if (is_absent(r, &q->value) || (value_of(r, &q->value, &v) && (q->equal ? v == 0 : v >= 0)))
			continue;
		char values[300] = "";
		size_t n = 0;
		for (int32_t k = 0; k < q->value.n && n < sizeof values - 80; k++)
			n += (size_t)snprintf(values + n, sizeof values - n, "%s%.40s = %lld", k ? ", " : "",
				g->param[q->value.param[k]].name, (long long)r->param[q->value.param[k]]);
		return lt_fail(&r->ctx, LT_EFAULT, "%s%s (%s)", lt__location_text(&r->ctx, p, q->line, q->column), q->text, values);
	}
	for (lt_var v = 0; v < g->n_var; v++) {
		if (!g->var[v].bounded || is_absent(r, &g->var[v].limit))
			continue;
		int64_t extent;
		if (!value_of(r, &g->var[v].limit, &extent))
			return lt_fail(&r->ctx, LT_EFAULT, "the extent of dim %s exceeds 63 bits", g->var[v].name);
		if (extent > g->var[v].extent)
			return lt_fail(&r->ctx, LT_EFAULT, "dim %s would have extent %lld; its maximum is %lld",
				g->var[v].name, (long long)extent, (long long)g->var[v].extent);
		r->extent[v] = extent < 0 ? 0 : extent;
	}
	return LT_OK;
}

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
		.fault = r->fault };
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
			if (in_memories >> m & 1 && (to_devices || !(in_memories & 1))) {
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

lt_status lt__instance_begin(
	struct lt_instance *r, const void *const *input, void *const *result, struct lt_addresses *out)
{
	struct lt_program *p = r->program;
	if (!r->ready)
		return r->ctx.code;             /* and its sentence: why it was not made */
	if (p->bindings[LT_BINDING_INPUT].n > 0)
		LT_TRY(input ? lt__bindings_missing(&r->ctx, &p->bindings[LT_BINDING_INPUT], input, "input")
			     : lt_fail(&r->ctx, LT_EMISSING, "Missing input: no inputs are given"));
	for (int32_t i = 0; i < p->bindings[LT_BINDING_RESULT].n; i++)
		if (!result || !result[i])
			return lt_fail(&r->ctx, LT_EMISSING, "result '%s' is given no memory", p->bindings[LT_BINDING_RESULT].at[i].name);
	r->ran = false;
	LT_TRY(read_params(r, input));
	LT_TRY(check_params(r));
	r->ran = true;
	LT_TRY(send_states(r));
	*out = addresses(r, input, result);
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
	return st ? st : waited;
}

lt_status lt_instance_run(struct lt_instance *r, const void *const *input, void *const *result)
{
	struct lt_addresses a;
	lt_status st = lt__instance_begin(r, input, result, &a);
	return run_end(r, st ? st : lt__instance_segments(r, &a));
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
	if (r->device && !r->touched[i] && run_end(r, cross_state(r, i, false)))
		return NULL;
	r->touched[i] = true;
	return r->state[i];
}

void lt_instance_reset(struct lt_instance *r)
{
	for (int32_t i = 0; r->ready && i < r->program->bindings[LT_BINDING_STATE].n; i++) {
		if (r->state[i])
			memset(r->state[i], 0, r->program->bindings[LT_BINDING_STATE].at[i].bytes);
		r->touched[i] = true;
	}
}
