/* eval.c -- the oracle: walks the graph in the order of its nodes and stores those that the plan names. */
#include <string.h>
#include "ir/eval/parts.h"

static void free_value(struct lt_context *ctx, struct lt_stored *value)
{
	if (value->own)
		lt__context_realloc(ctx, value->own, value->bytes, 0);
	if (value->error)
		lt__context_realloc(ctx, value->error, value->error_bytes, 0);
	*value = (struct lt_stored){ 0 };
}

static void free_values(void *arg)
{
	struct lt_evaluation *e = arg;

	for (lt_node n = 0; n < e->n_node; n++)
		free_value(e->ctx, &e->value[n]);
	lt__eval_free_workers(e);
}

/* Everything that is sized by the graph; values are given back with the arena. */
static void make_tables(struct lt_evaluation *e)
{
	const struct lt_graph *g = e->g;
	struct lt_arena *a = e->arena;
	int32_t width = 1, n_node = g->n_node + 1;

	for (lt_node n = 0; n < g->n_node; n++) {
		width = g->node[n].n_dim > width ? g->node[n].n_dim : width;
		for (int32_t p = 0; p < g->node[n].n_piece; p++) {
			const struct lt_map *map = &g->node[n].piece[p].map;
			width = lt__map_width(map) > width ? lt__map_width(map) : width;
			width = map->n_row > width ? map->n_row : width;
		}
	}
	e->value = LT_NEW(a, struct lt_stored, n_node);
	e->n_node = g->n_node;
	e->n_var = g->n_var;
	e->n_result = g->n_result;
	e->n_set = g->n_set;
	e->result = LT_NEW(a, lt_node, g->n_result + 1);
	e->set = LT_NEW(a, lt_node, g->n_set + 1);
	for (int32_t i = 0; i < g->n_result; i++)
		e->result[i] = g->result[i].node;
	for (int32_t i = 0; i < g->n_set; i++)
		e->set[i] = g->set[i].value;
	e->param = LT_NEW(a, int64_t, g->n_param + 1);
	e->known = LT_NEW(a, bool, g->n_param + 1);
	e->used = LT_NEW(a, bool, g->n_param + 1);
	e->extent = LT_NEW(a, int64_t, g->n_var + 1);
	e->wanted = LT_NEW(a, bool, n_node);
	e->computed = LT_NEW(a, bool, n_node);
	e->needed = LT_NEW(a, bool, n_node);
	e->stored = LT_NEW(a, bool, n_node);
	e->last = LT_NEW(a, lt_node, n_node);
	e->dies = LT_NEW(a, lt_node, n_node);
	e->dies_next = LT_NEW(a, lt_node, n_node);
	e->step_of = LT_NEW(a, int32_t, n_node);
	e->step_stamp = LT_NEW(a, int32_t, n_node);
	e->width = width;
	e->slope = LT_NEW(a, double, 2 * width);
	e->n_worker = e->options.parallel && e->options.n_thread > 1 ? e->options.n_thread : 1;
	e->worker = LT_NEW(a, struct lt_worker, e->n_worker);
	e->rows = lt__rows();
	if (e->options.mode == LT_EVAL_RANDOM)
		lt__eval_make_noise(e);
	lt__arena_defer(a, free_values, e);
}

static const void *given_value(const struct lt_evaluation *e, lt_node n)
{
	return e->options.given ? e->options.given[n] : NULL;
}

static lt_status hand_over(struct lt_evaluation *e, lt_node n)
{
	struct lt_stored *value = &e->value[n];

	if (!e->wanted[n])
		return LT_OK;
	LT_TRY(lt__eval_keep_error(e, &e->value[n]));
	if (e->options.done) {
		LT_TRY(e->options.done(e->options.user, e, n, value->own, value->error));
		if (e->last[n] < 0 || value->data != value->own) {
			const void *data = value->data == value->own ? NULL : value->data;
			free_value(e->ctx, value);
			value->data = data;
		}
	}
	return LT_OK;
}

/* While a node is computed, a value of it that is given must not be read instead. */
static lt_status compute(struct lt_evaluation *e, lt_node n)
{
	const void *given = given_value(e, n);

	e->value[n].data = lt__eval_is_source(&e->g->node[n]) && e->source[n] ? e->source[n] : NULL;
	LT_TRY(lt__eval_store(e, n));
	e->value[n].data = given ? given : e->value[n].own;
	LT_TRY(hand_over(e, n));
	for (lt_node dead = e->dies[n]; dead >= 0; dead = e->dies_next[dead])
		free_value(e->ctx, &e->value[dead]);
	return LT_OK;
}

static lt_status eval_body(void *arg)
{
	struct lt_evaluation *e = arg;
	const struct lt_graph *g = e->g;

	make_tables(e);
	LT_TRY(lt__eval_params(e));
	lt__eval_plan(e);
	LT_TRY(lt__eval_given(e));
	for (lt_node n = 0; n < g->n_node; n++) {
		if (e->computed[n])
			lt__spend(g->ctx, LT_BUDGET_ELEMENTS, lt__eval_elems(e, n), g->node[n].name);
		e->work += e->computed[n] ? lt__eval_work(e, n) : 0;
		if (given_value(e, n))
			e->value[n].data = given_value(e, n);
		else if (lt__eval_is_source(&g->node[n]))
			e->value[n].data = e->source[n];
	}
	for (lt_node n = 0; n < g->n_node; n++) {
		if (!e->computed[n])
			continue;
		e->node_work = lt__eval_work(e, n);
		LT_TRY(compute(e, n));
		e->work_done += e->node_work;
	}
	return LT_OK;
}

struct eval_start { const struct lt_graph *g; struct lt_arena *arena; struct lt_evaluation *e; };

static lt_status make_evaluation(void *arg)
{
	struct eval_start *start = arg;

	start->e = LT_NEW(start->arena, struct lt_evaluation, 1);
	return LT_OK;
}

lt_status lt_eval_with(const struct lt_graph *g, const void *const *source, const struct lt_eval_options *options,
	struct lt_evaluation **out)
{
	struct eval_start start = { .g = g };
	lt_status status;

	*out = NULL;
	LT_TRY(lt__arena_new(g->ctx, &start.arena));
	status = lt__protect(g->ctx, make_evaluation, &start);
	if (!status) {
		start.e->ctx = g->ctx;
		start.e->arena = start.arena;
		start.e->g = g;
		start.e->source = source;
		start.e->options = *options;
		start.e->options.want_error = options->want_error && options->mode == LT_EVAL_EXACT;
		start.e->amplify = options->amplify != 0 ? options->amplify : 1;
		status = lt__protect(g->ctx, eval_body, start.e);
	}
	if (status) {
		lt__arena_free(start.arena);
		return status;
	}
	start.e->g = NULL;
	start.e->source = NULL;
	start.e->options = (struct lt_eval_options){ 0 };
	*out = start.e;
	return LT_OK;
}

lt_status lt_eval(const struct lt_graph *g, const void *const *source, bool want_error, struct lt_evaluation **out)
{
	return lt_eval_with(g, source, &(struct lt_eval_options){ .want_error = want_error }, out);
}

void lt_eval_free(struct lt_evaluation *e)
{
	if (e)
		lt__arena_free(e->arena);
}

const void *lt_eval_value(const struct lt_evaluation *e, lt_node n, const double **error)
{
	if (error)
		*error = e->value[n].error;
	return e->wanted[n] ? e->value[n].own : NULL;
}

const void *lt_eval_result(const struct lt_evaluation *e, int32_t i, const double **error)
{
	return lt_eval_value(e, e->result[i], error);
}

const void *lt_eval_state(const struct lt_evaluation *e, int32_t i, const double **error)
{
	return lt_eval_value(e, e->set[i], error);
}

int64_t lt_eval_extent(const struct lt_evaluation *e, lt_var v)
{
	return e->extent[v] < 0 ? 0 : e->extent[v];
}
