/* What a run does: operations and bytes, at the maximum of its run-time extents or by their values. */
#include <string.h>
#include "base/checked.h"
#include "looptree/count/count.h"
#include "program/nest/nest.h"
#include "program/explain/parts.h"

static void add_work(struct lt_work *w, const struct lt_counted *c)
{
	w->executed = lt__add_sat(w->executed, c->executed);
	w->bytes = lt__add_sat(w->bytes, c->bytes);
}

static bool is_bounded(const struct lt_graph *g)
{
	for (lt_var v = 0; v < g->n_var; v++)
		if (g->var[v].bounded)
			return true;
	return false;
}

void lt__count_step(const struct lt_program *p, const struct lt_pstep *step, const int64_t *param, struct lt_arena *a,
	struct lt_counted *c)
{
	*c = (struct lt_counted){ 0 };
	if (step->kind == LT_STEP_RUN)
		lt__count_kernel(&p->nests.frozen[step->nest], param, a, c);
	else if (step->kind == LT_STEP_COPY)
		c->bytes = lt__mul_sat(p->nests.assigned.storage[step->to].elems,
			2 * (int64_t)lt__dtype_info(p->nests.assigned.storage[step->to].dtype)->bytes);
	else if (step->kind == LT_STEP_MOVE)
		c->bytes = lt__mul_sat(step->elems, lt__dtype_info(p->nests.assigned.storage[step->to].dtype)->bytes);
	else
		c->bytes = lt__mul_sat(lt__add_sat(p->nests.blocks[step->nest]->elems,
			p->nests.blocks[step->nest]->read), p->nests.blocks[step->nest]->unit);
}

/* Each step of a run; by_nest: the maxima of a graph with run-time extents, else NULL.  param: of a run, or NULL.
 * Crossing to another memory is counted apart. */
static void add_steps(const struct lt_program *p, struct lt_arena *a, const int64_t *param,
	const struct lt_counted *by_nest, struct lt_work *w)
{
	for (int32_t i = 0; i < p->plan.n_run; i++) {
		const struct lt_pstep *step = &p->plan.run[i];
		struct lt_counted c = { 0 };
		if (step->kind == LT_STEP_RUN && by_nest)
			c = by_nest[step->nest];
		else if (step->kind != LT_STEP_MOVE)
			lt__count_step(p, step, param, a, &c);
		add_work(w, &c);
	}
}

struct work_count {
	struct lt_context *ctx;
	const struct lt_program *p;
	const struct lt_instance *r;
	struct lt_arena *a;
	struct lt_work work;
};

static lt_status count_body(void *arg)
{
	struct work_count *c = arg;
	const struct lt_program *p = c->p;
	struct lt_arena *a = c->a;
	struct lt_counted *by_nest = NULL;
	c->work.useful = lt__graph_operations(p->base, a, lt__constant_nodes(p->base, a), c->r ? c->r->extent : NULL);
	if (!c->r && is_bounded(p->tree->graph)) {
		by_nest = LT_NEW(a, struct lt_counted, p->nests.n + 1);
		LT_TRY(lt__count_tree(p->tree, a, NULL, by_nest));
	}
	add_steps(p, a, c->r ? c->r->param : NULL, by_nest, &c->work);
	return LT_OK;
}

static lt_status count_all(struct work_count *c)
{
	LT_TRY(lt__arena_new(c->ctx, &c->a));
	lt_status st = lt__protect(c->ctx, count_body, c);
	lt__arena_free(c->a);
	return st;
}

/* Sums that are reported, not used: they stop at the largest number. */
static void grow(int64_t *sum, int64_t by)
{
	if (lt__add_overflow(*sum, by, sum))
		*sum = INT64_MAX;
}

static int64_t moved_bytes(const struct lt_program *p, const struct lt_pstep *step)
{
	return step->elems * lt__dtype_info(p->nests.assigned.storage[step->to].dtype)->bytes;
}

static void add_moves(const struct lt_program *p, struct lt_stats *out)
{
	for (int32_t i = 0; i < p->plan.n_run; i++) {
		const struct lt_pstep *step = &p->plan.run[i];
		if (step->kind != LT_STEP_MOVE)
			continue;
		out->n_move++;
		out->n_send += !step->from_memory;
		out->n_bring += !step->memory;
		grow(&out->move_bytes, moved_bytes(p, step));
		if (!step->from_memory || !step->memory)
			grow(step->memory ? &out->send_bytes : &out->bring_bytes, moved_bytes(p, step));
	}
	for (int32_t i = 0; i < p->plan.n_prepare; i++)
		if (p->plan.prepare[i].kind == LT_STEP_MOVE) {
			out->n_once++;
			grow(&out->once_bytes, moved_bytes(p, &p->plan.prepare[i]));
		}
}

static void add_memories(const struct lt_program *p, struct lt_stats *out)
{
	const struct lt_offsets *offsets = &p->offsets;
	for (int32_t i = 0; i < p->memories.n; i++) {
		grow(&out->workspace_bytes, (int64_t)offsets->at[i].workspace_bytes);
		grow(&out->constant_bytes, (int64_t)offsets->at[i].prepared_bytes);
	}
	for (int32_t i = 0; i < p->nests.assigned.n_storage; i++) {
		const struct lt_storage *s = &p->nests.assigned.storage[i];
		if (s->space == LT_STORAGE_WORKSPACE && offsets->lifetime[i].first >= 0)
			grow(&out->intermediate_bytes, (int64_t)lt__storage_bytes(s));
	}
	for (int32_t i = 0; i < p->plan.n_run; i++)
		out->n_launch += p->plan.run[i].kind == LT_STEP_RUN;
	add_moves(p, out);
}

static void add_kernels(const struct lt_kernels *kernels, struct lt_stats *out)
{
	out->n_kernel = kernels->n;
	out->n_compiled = kernels->n_compiled;
	out->n_cached = kernels->n_cached;
	out->n_parallel = kernels->n_parallel;
	out->n_serialised = kernels->n_serialised;
	out->n_thread = kernels->n_thread;
	for (int32_t i = 0; i < kernels->n; i++)
		if ((int64_t)kernels->at[i].workspace_bytes > out->kernel_bytes)
			out->kernel_bytes = (int64_t)kernels->at[i].workspace_bytes;
}

lt_status lt__program_count(const struct lt_program *p, struct lt_stats *out)
{
	struct work_count c = { .ctx = p->ctx, .p = p };
	add_memories(p, out);
	add_kernels(&p->kernels, out);
	LT_TRY(count_all(&c));
	out->flops = c.work.useful;
	out->executed = c.work.executed;
	out->bytes = c.work.bytes;
	return LT_OK;
}

void lt_program_stats(const struct lt_program *p, struct lt_stats *out)
{
	uint32_t size = out->size < sizeof p->stats ? out->size : (uint32_t)sizeof p->stats;
	struct lt_stats now = p->stats;
	lt__count_runs(p, &now.n_run, &now.n_replayed);
	now.n_plan_kept = atomic_load(&p->services.n_plan_kept);
	now.n_plan_read = atomic_load(&p->services.n_plan_read);
	now.move_ns = p->tally.move_ns;
	now.send_ns = p->tally.send_ns;
	now.bring_ns = p->tally.bring_ns;
	now.once_ns = p->tally.once_ns;
	now.device_ns = p->tally.device_ns;
	now.bind_ns = p->tally.bind_ns;
	now.device_bytes = p->tally.device_bytes;
	memcpy(out, &now, size);
	out->size = size;
}

lt_status lt_instance_work(const struct lt_instance *r, struct lt_work *out)
{
	if (!r->ready)
		return r->ctx.code;
	const struct lt_program *p = r->program;
	struct lt_work w = { .useful = p->stats.flops, .executed = p->stats.executed, .bytes = p->stats.bytes };
	uint32_t size = out->size < sizeof w ? out->size : (uint32_t)sizeof w;
	if (r->ran && p->tree->graph->n_param > 0) {
		/* it tells of its failures */
		struct work_count c = { .ctx = (struct lt_context *)(uintptr_t)&r->ctx, .p = p, .r = r };
		LT_TRY(count_all(&c));
		w = c.work;
	}
	w.size = size;
	memcpy(out, &w, size);
	return LT_OK;
}

uint32_t lt__program_allows(const struct lt_program *p)
{
	uint32_t allows = 0;
	for (int32_t i = 0; i < p->n_target; i++)
		if (p->kernels.used[i] && p->target[i] && LT_HAS(struct lt_target, p->target[i], allows))
			allows |= p->target[i]->allows;
	return allows;
}
