/* What a run does: operations and bytes, at the maximum of its run-time extents or by their values. */
#include <string.h>
#include "looptree/count.h"
#include "program/program.h"

static void add_work(struct lt_work *w, const struct lt_counted *c)
{
	w->executed = lt__count_plus(w->executed, c->executed);
	w->bytes = lt__count_plus(w->bytes, c->bytes);
}

static bool is_bounded(const struct lt_graph *g)
{
	for (lt_var v = 0; v < g->n_var; v++)
		if (g->var[v].bounded)
			return true;
	return false;
}

/* Each step of a run; by_nest: the maxima of a graph with run-time extents, else NULL.  param: of a run, or NULL. */
static void add_steps(const struct lt_program *p, struct lt_arena *a, const int64_t *param, const struct lt_counted *by_nest, struct lt_work *w)
{
	for (int32_t i = 0; i < p->n_run; i++) {
		const struct lt_pstep *step = &p->run[i];
		struct lt_counted c = { 0 };
		if (step->kind == LT_STEP_RUN && by_nest)
			c = by_nest[step->nest];
		else if (step->kind == LT_STEP_RUN)
			lt__count_kernel(&p->frozen[step->nest], param, a, &c);
		else if (step->kind == LT_STEP_COPY)
			c.bytes = lt__count_times(p->assigned.storage[step->to].elems, 2 * (int64_t)lt__dtype_info(p->assigned.storage[step->to].dtype)->bytes);
		add_work(w, &c);
	}
}

struct work_count { const struct lt_program *p; const struct lt_instance *r; struct lt_arena *a; struct lt_work work; };

static lt_status count_body(void *arg)
{
	struct work_count *c = arg;
	const struct lt_program *p = c->p;
	struct lt_arena *a = c->a;
	struct lt_counted *by_nest = NULL;
	c->work.useful = lt__graph_operations(p->base, a, lt__constant_nodes(p->base, a), c->r ? c->r->extent : NULL);
	if (!c->r && is_bounded(p->lowered)) {
		by_nest = LT_NEW(a, struct lt_counted, p->n_frozen + 1);
		LT_TRY(lt__count_tree(p->tree, a, NULL, by_nest));
	}
	add_steps(p, a, c->r ? c->r->param : NULL, by_nest, &c->work);
	return LT_OK;
}

static lt_status count_all(struct work_count *c)
{
	LT_TRY(lt__arena_new(c->p->ctx, &c->a));
	lt_status st = lt__protect(c->p->ctx, count_body, c);
	lt__arena_free(c->a);
	return st;
}

lt_status lt__program_count(struct lt_program *p)
{
	struct work_count c = { .p = p };
	LT_TRY(count_all(&c));
	p->stats.flops = c.work.useful;
	p->stats.executed = c.work.executed;
	p->stats.bytes = c.work.bytes;
	return LT_OK;
}

lt_status lt_instance_work(const struct lt_instance *r, struct lt_work *out)
{
	const struct lt_program *p = r->program;
	struct lt_work w = { .useful = p->stats.flops, .executed = p->stats.executed, .bytes = p->stats.bytes };
	uint32_t size = out->size < sizeof w ? out->size : (uint32_t)sizeof w;
	if (r->ran && p->lowered->n_param > 0) {
		struct work_count c = { .p = p, .r = r };
		LT_TRY(count_all(&c));
		w = c.work;
	}
	w.size = size;
	memcpy(out, &w, size);
	return LT_OK;
}
