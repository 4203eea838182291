/* Instances: constants bound and prepared, states and workspace of their own, one run after the other. */
#include <stdlib.h>
#include <string.h>
#include "program/program.h"

void lt__constants_init(struct lt_constants *c, int32_t n, struct lt_arena *a)
{
	*c = (struct lt_constants){ .data = LT_NEW(a, const void *, n + 1), .owned = LT_NEW(a, void *, n + 1) };
}

void lt__constants_free(struct lt_program *p)
{
	struct lt_constants *c = &p->constants;
	lt__device_memory_free(p, c->room);
	for (int32_t i = 0; c->owned && i < p->bindings[LT_BINDING_CONSTANT].n; i++)
		if (c->owned[i])
			lt__context_realloc(p->ctx, c->owned[i], p->bindings[LT_BINDING_CONSTANT].at[i].bytes, 0);
	if (c->prepared)
		lt__context_realloc(p->ctx, c->prepared, p->memories.at[0].prepared_bytes + LT_ALIGNMENT_SLACK, 0);
	c->prepared = c->room = NULL;
}

lt_status lt_program_bind(struct lt_program *p, int32_t i, const void *data, int copy)
{
	const struct lt_bindings *bindings = &p->bindings[LT_BINDING_CONSTANT];
	if (i < 0 || i >= bindings->n)
		return lt_fail(p->ctx, LT_EINVAL, "there is no constant %d; the program has %d", (int)i, (int)bindings->n);
	const struct lt_binding_def *d = &bindings->at[i];
	if (p->constants.ready)
		return lt_fail(p->ctx, LT_EINVAL, "constant '%s' is bound too late: an instance exists; bind constants before it", d->name);
	if (!data)
		return lt_fail(p->ctx, LT_EMISSING, "constant '%s' is given no data", d->name);
	if (copy) {
		void *own = p->constants.owned[i] ? p->constants.owned[i] : lt__context_realloc(p->ctx, NULL, 0, d->bytes);
		if (!own)
			return lt_fail(p->ctx, LT_ENOMEM, "out of memory: %zu bytes for constant '%s'", d->bytes, d->name);
		p->constants.owned[i] = own;
		data = memcpy(own, data, d->bytes);
	}
	p->constants.data[i] = data;
	return LT_OK;
}

/* Names what is missing: all of it, or as many as a sentence holds and how many more. */
static lt_status missing(struct lt_program *p, enum lt_binding kind, const void *const *given, const char *what)
{
	char text[800] = "";
	size_t n = 0;
	int32_t more = 0;
	for (int32_t i = 0; i < p->bindings[kind].n; i++) {
		const struct lt_binding_def *d = &p->bindings[kind].at[i];
		char one[200];
		if (given[i] || !d->needed)
			continue;
		int w = snprintf(one, sizeof one, "%s'%.80s' (%s [", n ? ", " : "", d->name, lt__dtype_info(d->dtype)->script);
		for (int32_t k = 0; k < d->rank && w < (int)sizeof one - 30; k++)
			w += snprintf(one + w, sizeof one - (size_t)w, "%s%lld", k ? ", " : "", (long long)d->extent[k]);
		if (n + (size_t)w + 40 > sizeof text) {
			more++;
			continue;
		}
		n += (size_t)snprintf(text + n, sizeof text - n, "%s])", one);
	}
	if (n == 0)
		return LT_OK;
	return more ? lt_fail(p->ctx, LT_EMISSING, "Missing %s: %s and %d more", what, text, (int)more)
		: lt_fail(p->ctx, LT_EMISSING, "Missing %s: %s", what, text);
}

static lt_status allocate(struct lt_program *p, void **at, size_t bytes, const char *what)
{
	*at = NULL;
	if (bytes == 0)
		return LT_OK;
	/* 64 bytes of room to align, and touched now so that no run meets a fresh page. */
	*at = lt__context_realloc(p->ctx, NULL, 0, bytes + LT_ALIGNMENT_SLACK);
	if (!*at)
		return lt_fail(p->ctx, LT_ENOMEM, "out of memory: %zu bytes for %s", bytes, what);
	memset(*at, 0, bytes + LT_ALIGNMENT_SLACK);
	return LT_OK;
}

/* Gives back what allocate gave; bytes as they were asked for. */
static void memory_release(struct lt_program *p, void *at, size_t bytes)
{
	if (at)
		lt__context_realloc(p->ctx, at, bytes + LT_ALIGNMENT_SLACK, 0);
}

static void *aligned_to(void *at, size_t align)
{
	return at ? (void *)(((uintptr_t)at + align - 1) & ~(uintptr_t)(align - 1)) : NULL;
}

static void *aligned(void *at) { return aligned_to(at, LT_ALIGNMENT_SLACK); }

/* A kernel may want its workspace to begin at more than other blocks do. */
static size_t scratch_align(const struct lt_program *p)
{
	size_t align = p->memories.at[0].scratch_align;
	return align > LT_ALIGNMENT_SLACK ? align : LT_ALIGNMENT_SLACK;
}

/* Runs what depends on constants only, once. */
static lt_status program_prepare(struct lt_program *p)
{
	int64_t begin = lt__now_ns();
	LT_TRY(missing(p, LT_BINDING_CONSTANT, p->constants.data, "constant"));
	LT_TRY(allocate(p, &p->constants.prepared, p->memories.at[0].prepared_bytes, "what is computed from constants"));
	const size_t need = p->memories.at[0].scratch_bytes, scratch_bytes = need ? need + scratch_align(p) : 0;
	void *scratch = NULL, *slot = NULL;
	lt_status st = lt__device_memory_new(p, true, &p->constants.room);
	if (!st)
		st = allocate(p, &scratch, scratch_bytes, "a kernel's workspace");
	size_t slot_bytes = sizeof(struct lt_slot) * (size_t)(lt__program_slots(p, p->plan.prepare, p->plan.n_prepare) + 1);
	if (!st)
		st = allocate(p, &slot, slot_bytes, "slots");
	struct lt_addresses a = { .constant = p->constants.data, .prepared = aligned(p->constants.prepared),
		.scratch = aligned_to(scratch, scratch_align(p)), .room = p->constants.room };
	struct lt_fault fault;
	if (!st)
		st = lt__program_steps_run(p, p->plan.prepare, p->plan.n_prepare, &a, slot, &fault);
	memory_release(p, scratch, scratch_bytes);
	memory_release(p, slot, slot_bytes);
	if (st) {
		memory_release(p, p->constants.prepared, p->memories.at[0].prepared_bytes);
		lt__device_memory_free(p, p->constants.room);
		p->constants.prepared = p->constants.room = NULL;
	}
	p->constants.ready = !st;
	p->stats.bind_ns += lt__now_ns() - begin;
	return st;
}

/* Zeroed, at a multiple of align; touched now, so that no run meets a fresh page. */
static void *aligned_new(struct lt_arena *a, size_t bytes, size_t align)
{
	return bytes ? aligned_to(lt__arena_alloc(a, bytes + align), align) : NULL;
}

static lt_status fill_instance(void *arg)
{
	struct lt_instance *r = arg;
	struct lt_program *p = r->program;
	const struct lt_graph *g = p->tree->graph;
	const struct lt_bindings *states = &p->bindings[LT_BINDING_STATE];
	const struct lt_pmemory *host = &p->memories.at[0];
	struct lt_arena *a = r->arena;
	r->state = LT_NEW(a, void *, states->n + 1);
	for (int32_t i = 0; i < states->n; i++)
		r->state[i] = aligned_new(a, states->at[i].bytes, LT_ALIGNMENT_SLACK);
	r->workspace = aligned_new(a, host->workspace_bytes, LT_ALIGNMENT_SLACK);
	r->scratch = aligned_new(a, host->scratch_bytes, scratch_align(p));
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
		r->event = LT_NEW(a, struct lt_event *, 2 * p->choices.n);
	LT_TRY(lt__events_new(r));
	LT_TRY(lt__device_memory_new(p, false, &r->room));
	lt__recorder_new(r);
	return LT_OK;
}

lt_status lt_instance_new(struct lt_program *p, struct lt_instance **out)
{
	*out = NULL;
	if (p->options.plan_only)
		return lt_fail(p->ctx, LT_EINVAL, "the program was compiled with plan_only: it can be shown, not run");
	if (p->options.source_only)
		return lt_fail(p->ctx, LT_EINVAL, "the program was compiled with source_only: it can be shown, not run");
	if (!p->constants.ready)
		LT_TRY(program_prepare(p));
	struct lt_instance *r = lt__context_realloc(p->ctx, NULL, 0, sizeof *r);
	if (!r)
		return lt_fail(p->ctx, LT_ENOMEM, "out of memory: %zu bytes for an instance", sizeof *r);
	*r = (struct lt_instance){ .program = p };
	lt_status st = lt__arena_new(p->ctx, &r->arena);
	if (!st)
		st = lt__protect(p->ctx, fill_instance, r);
	if (st) {
		lt_instance_free(r);
		return st;
	}
	*out = r;
	return LT_OK;
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

/* The params of a run, read before its first kernel, and checked: a refused run changes nothing. */
static lt_status read_params(struct lt_instance *r, const void *const *input)
{
	struct lt_program *p = r->program;
	const struct lt_graph *g = p->tree->graph;
	for (int32_t i = 0; i < g->n_param; i++) {
		const struct lt_paramdef *d = &g->param[i];
		const struct lt_nodedef *source = &g->node[d->source];
		const struct lt_storage *s = &p->nests.assigned.storage[p->nests.assigned.location[d->source].storage];
		enum lt_binding kind = s->space == LT_SPACE_INPUT ? LT_BINDING_INPUT : s->space == LT_SPACE_CONSTANT ? LT_BINDING_CONSTANT
			: LT_BINDING_STATE;
		r->absent[i] = !p->bindings[kind].at[s->binding].needed;
		if (r->absent[i])
			continue;
		const void *data = s->space == LT_SPACE_INPUT ? input[s->binding] : s->space == LT_SPACE_CONSTANT ? p->constants.data[s->binding]
			: r->state[s->binding];
		r->param[i] = ((const int64_t *)data)[d->element];
		if (r->param[i] < d->low || r->param[i] > d->high)
			return lt_fail(p->ctx, LT_EFAULT, "%selement %lld of %s '%s' is %lld; it must be in %lld..%lld",
				lt__location_text(p, source->line, source->column), (long long)d->element, lt__op_info(source->op)->name,
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
			n += (size_t)snprintf(values + n, sizeof values - n, "%s%.40s = %lld", k ? ", " : "", g->param[q->value.param[k]].name,
				(long long)r->param[q->value.param[k]]);
		return lt_fail(p->ctx, LT_EFAULT, "%s%s (%s)", lt__location_text(p, q->line, q->column), q->text, values);
	}
	for (lt_var v = 0; v < g->n_var; v++) {
		if (!g->var[v].bounded || is_absent(r, &g->var[v].limit))
			continue;
		int64_t extent;
		if (!value_of(r, &g->var[v].limit, &extent))
			return lt_fail(p->ctx, LT_EFAULT, "the extent of dim %s exceeds 63 bits", g->var[v].name);
		if (extent > g->var[v].extent)
			return lt_fail(p->ctx, LT_EFAULT, "dim %s would have extent %lld; its maximum is %lld", g->var[v].name, (long long)extent,
				(long long)g->var[v].extent);
		r->extent[v] = extent < 0 ? 0 : extent;
	}
	return LT_OK;
}

static struct lt_addresses addresses(const struct lt_instance *r, const void *const *input, void *const *result)
{
	const struct lt_program *p = r->program;
	return (struct lt_addresses){ .state = r->state, .input = input, .constant = p->constants.data, .result = result,
		.workspace = r->workspace, .prepared = aligned(p->constants.prepared), .scratch = r->scratch,
		.param = r->param, .room = r->room };
}

/* The whole of state i between the host and the memories that it is kept in: to all of them, or from one. */
static lt_status cross_state(struct lt_instance *r, int32_t i, bool to_devices)
{
	struct lt_program *p = r->program;
	const struct lt_addresses a = addresses(r, NULL, NULL);
	uint64_t in_memories = p->memories.state_memories ? p->memories.state_memories[i] : 1;
	for (int32_t s = 0; s < p->nests.assigned.n_storage && in_memories != 1; s++) {
		const struct lt_storage *x = &p->nests.assigned.storage[s];
		if (x->space != LT_SPACE_STATE || x->binding != i)
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
	for (int32_t i = 0; r->room && i < r->program->bindings[LT_BINDING_STATE].n; i++) {
		if (r->touched[i])
			LT_TRY(cross_state(r, i, true));
		r->touched[i] = false;
	}
	return LT_OK;
}

lt_status lt__instance_begin(struct lt_instance *r, const void *const *input, void *const *result, struct lt_addresses *out)
{
	struct lt_program *p = r->program;
	if (p->bindings[LT_BINDING_INPUT].n > 0)
		LT_TRY(input ? missing(p, LT_BINDING_INPUT, input, "input") : lt_fail(p->ctx, LT_EMISSING, "Missing input: no inputs are given"));
	for (int32_t i = 0; i < p->bindings[LT_BINDING_RESULT].n; i++)
		if (!result || !result[i])
			return lt_fail(p->ctx, LT_EMISSING, "result '%s' is given no memory", p->bindings[LT_BINDING_RESULT].at[i].name);
	r->ran = false;
	LT_TRY(read_params(r, input));
	LT_TRY(check_params(r));
	r->ran = true;
	LT_TRY(send_states(r));
	*out = addresses(r, input, result);
	return LT_OK;
}

lt_status lt_instance_run(struct lt_instance *r, const void *const *input, void *const *result)
{
	struct lt_addresses a;
	LT_TRY(lt__instance_begin(r, input, result, &a));
	return lt__instance_segments(r, &a);
}

int64_t lt_instance_extent(const struct lt_instance *r, int32_t result, int32_t axis)
{
	const struct lt_program *p = r->program;
	const struct lt_graph *g = p->tree->graph;
	if (result < 0 || result >= g->n_result)
		return 0;
	const struct lt_nodedef *d = &g->node[g->result[result].node];
	return axis >= 0 && axis < d->n_dim ? r->extent[d->dim[axis]] : 0;
}

void *lt_instance_state(struct lt_instance *r, int32_t i)
{
	if (i < 0 || i >= r->program->bindings[LT_BINDING_STATE].n)
		return NULL;
	if (r->room && !r->touched[i] && cross_state(r, i, false))
		return NULL;
	r->touched[i] = true;
	return r->state[i];
}

void lt_instance_reset(struct lt_instance *r)
{
	for (int32_t i = 0; i < r->program->bindings[LT_BINDING_STATE].n; i++) {
		if (r->state[i])
			memset(r->state[i], 0, r->program->bindings[LT_BINDING_STATE].at[i].bytes);
		r->touched[i] = true;
	}
}
