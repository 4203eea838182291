/* Run-time scalars of a run: read and checked before its first kernel, so that a refused run changes nothing.  One
 * that is an element of what lies on a device is fetched from there; that of a state of our own, which nobody else
 * writes, at the end of the run before. */
#include <string.h>
#include "program/run/parts.h"

/* The device that the source of param i lies on; 0: the host has it. */
static int32_t param_memory(const struct lt_instance *r, int32_t i, int32_t *storage)
{
	const struct lt_program *p = r->program;
	const lt_node source = p->tree->graph->param[i].source;
	*storage = p->nests.assigned.location[source].storage;
	const struct lt_storage *s = &p->nests.assigned.storage[*storage];
	if (s->space == LT_STORAGE_INPUT)
		return p->bindings[LT_BINDING_INPUT].at[s->binding].on_device ? 1 : 0;
	if (s->space != LT_STORAGE_STATE || !p->memories.state_memories || r->touched[s->binding])
		return 0;
	return __builtin_ctzll(p->memories.state_memories[s->binding]);
}

const int64_t *lt__param_address(const struct lt_instance *r, int32_t i, const struct lt_addresses *a)
{
	const struct lt_program *p = r->program;
	int32_t storage, memory = param_memory(r, i, &storage);
	const struct lt_binding_def *d = lt__storage_binding(p->bindings, &p->nests.assigned.storage[storage]);
	return memory || !d->needed ? NULL
		: (const int64_t *)lt__storage_address(p, storage, a) + p->tree->graph->param[i].element;
}

/* Whether it has its value of the next run when a run ends. */
static bool param_is_fetched_early(const struct lt_program *p, int32_t storage)
{
	const struct lt_storage *s = &p->nests.assigned.storage[storage];
	return s->space == LT_STORAGE_STATE && !p->bindings[LT_BINDING_STATE].at[s->binding].on_device;
}

static lt_status param_fetch(
	struct lt_instance *r, int32_t i, int32_t memory, int32_t storage, const struct lt_addresses *a)
{
	const struct lt_program *p = r->program;
	return lt__fetch_element(p, storage, memory, p->tree->graph->param[i].element, a, &r->fetched[i]);
}

lt_status lt__params_fetch(struct lt_instance *r, const struct lt_addresses *a)
{
	const struct lt_program *p = r->program;
	for (int32_t i = 0; i < p->tree->graph->n_param; i++) {
		int32_t storage, memory = param_memory(r, i, &storage);
		if (memory && param_is_fetched_early(p, storage))
			LT_TRY(param_fetch(r, i, memory, storage, a));
	}
	r->has_fetched = true;
	return LT_OK;
}

/* What lt__params_fetch has not, or not of this run. */
static lt_status fetch_now(struct lt_instance *r, const struct lt_addresses *a)
{
	struct lt_program *p = r->program;
	for (int32_t i = 0; i < p->tree->graph->n_param; i++) {
		int32_t storage, memory = param_memory(r, i, &storage);
		if (!memory || (r->has_fetched && param_is_fetched_early(p, storage)))
			continue;
		LT_TRY(param_fetch(r, i, memory, storage, a));
		LT_TRY(lt__queue_wait(p, a, memory));
	}
	return LT_OK;
}

static lt_status read_params(struct lt_instance *r, const struct lt_addresses *a)
{
	struct lt_program *p = r->program;
	const struct lt_graph *g = p->tree->graph;
	LT_TRY(fetch_now(r, a));
	for (int32_t i = 0; i < g->n_param; i++) {
		const struct lt_paramdef *d = &g->param[i];
		const struct lt_nodedef *source = &g->node[d->source];
		int32_t storage, memory = param_memory(r, i, &storage);
		const struct lt_storage *s = &p->nests.assigned.storage[storage];
		r->absent[i] = !lt__storage_binding(p->bindings, s)->needed;
		if (r->absent[i])
			continue;
		r->param[i] = memory ? r->fetched[i] : ((const int64_t *)lt__storage_address(p, storage, a))[d->element];
		if (r->param[i] < d->low || r->param[i] > d->high)
			return lt_fail(&r->ctx, LT_EFAULT, "%selement %lld of %s '%s' is %lld; it must be in %lld..%lld",
				lt__location_text(&r->ctx, p, source->line, source->column), (long long)d->element, lt__op_info(source->op)->name,
				source->label ? source->label : source->name, (long long)r->param[i], (long long)d->low, (long long)d->high);
	}
	return LT_OK;
}

bool lt__params_absent(const bool *absent, const struct lt_linear *l)
{
	for (int32_t i = 0; i < l->n; i++)
		if (absent[l->param[i]])
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
		if (lt__params_absent(r->absent, &q->value) || (value_of(r, &q->value, &v) && (q->equal ? v == 0 : v >= 0)))
			continue;
		char values[300] = "";
		size_t n = 0;
		for (int32_t k = 0; k < q->value.n && n < sizeof values - 80; k++)
			n += (size_t)snprintf(values + n, sizeof values - n, "%s%.40s = %lld", k ? ", " : "",
				g->param[q->value.param[k]].name, (long long)r->param[q->value.param[k]]);
		return lt_fail(&r->ctx, LT_EFAULT, "%s%s (%s)", lt__location_text(&r->ctx, p, q->line, q->column), q->text, values);
	}
	for (lt_var v = 0; v < g->n_var; v++) {
		if (!g->var[v].bounded || lt__params_absent(r->absent, &g->var[v].limit))
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

lt_status lt__params_read(struct lt_instance *r, const struct lt_addresses *a)
{
	LT_TRY(read_params(r, a));
	return check_params(r);
}
