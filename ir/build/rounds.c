/* rounds.c -- steps one after the other, whose number T may be known only when a run starts (build.h).
 *
 * There are as many rounds as T may be at most, all of the same nodes: what they read of x, by round, is some number in
 * those after T, and only what the first T gave is read.  So no round depends on T, and a run may leave out those that
 * come after it.  Round i of steps that go backwards is step T - 1 - i.
 */
#include "ir/build/parts.h"

/* The view of x with the first axis `v`, whose element i is x's element i, or (turned) T - 1 - i; 0 where T <= i. */
static lt_node along_steps(struct lt_graph *g, lt_var steps, lt_node x, lt_var v, bool turned, bool guarded)
{
	if (x < 0)
		return LT_NONE;
	const struct lt_vardef *t = &g->var[steps];
	const struct lt_linear limit = t->bounded ? t->limit : (struct lt_linear){ .constant = t->extent };
	const int32_t rank = lt_node_rank(g, x), width = 1 + limit.n + rank;
	lt_var dim[LT_MAX_RANK];
	int64_t *row = LT_NEW(g->arena, int64_t, (int64_t)rank * width), *left = LT_NEW(g->arena, int64_t, width);
	left[0] = limit.constant - 1;           /* T - 1 - i */
	left[1 + limit.n] = -1;
	for (int32_t k = 0; k < limit.n; k++)
		left[1 + k] = limit.coef[k];
	for (int32_t i = 0; i < rank; i++) {
		dim[i] = i ? lt_node_dim(g, x, i) : v;
		row[(int64_t)i * width + 1 + limit.n + i] = 1;
	}
	for (int32_t k = 0; turned && k < width; k++)
		row[k] = left[k];
	const struct lt_view_piece piece = { .source = x, .map = { .n_param = limit.n, .n_dim = rank, .n_guard = guarded,
		.n_row = rank, .param = limit.param, .guard = left, .row = row } };
	return lt_graph_view(g, rank, dim, 1, &piece, 0, guarded);
}

lt_node lt__rounds_of(struct lt_graph *g, lt_var steps, lt_node x, bool backwards)
{
	const struct lt_vardef *t = &g->var[steps];
	if (!t->bounded && !backwards)
		return x;
	return along_steps(g, steps, x, lt_graph_var(g, NULL, t->extent), backwards, t->bounded);
}

lt_node lt__rounds_else(struct lt_graph *g, lt_var steps, lt_node x, lt_node otherwise)
{
	if (x < 0 || !g->var[steps].bounded)
		return x;
	lt_node there = lt__pos_op2(g, "less", lt__pos_along(g, x, 0), lt__build_extent(g, steps, LT_I64));
	return lt__pos_select(g, there, x, otherwise);
}

lt_node lt__rounds_there(struct lt_graph *g, lt_var steps)
{
	const lt_var v = lt_graph_var(g, NULL, g->var[steps].extent);
	return lt__rounds_else(g, steps, lt__pos_view(g, lt_graph_literal_int(g, LT_BOOL, 1), 1, &v, NULL),
		lt_graph_literal_int(g, LT_BOOL, 0));
}

bool lt__rounds_same(const struct lt_graph *g, lt_node a, lt_node b)
{
	bool same = lt_node_rank(g, a) == lt_node_rank(g, b) && lt_node_dtype(g, a) == lt_node_dtype(g, b);
	for (int32_t i = 0; same && i < lt_node_rank(g, a); i++)
		same = lt__var_same_range(g, lt_node_dim(g, a, i), lt_node_dim(g, b, i));
	return same;
}

lt_node lt__rounds_joined(struct lt_graph *g, lt_var steps, lt_node *y, bool turned)
{
	const struct lt_vardef t = g->var[steps];
	for (int64_t i = 0; turned && !t.bounded && i < t.extent / 2; i++) {
		const lt_node first = y[i];
		y[i] = y[t.extent - 1 - i];
		y[t.extent - 1 - i] = first;
	}
	lt_node all = lt__pos_concat(g, 0, (int32_t)t.extent, y);
	return t.bounded ? along_steps(g, steps, all, lt__pos_fresh(g, steps), turned, false) : all;
}

lt_node lt__rounds_turned(struct lt_graph *g, lt_var steps, lt_node x)
{
	return along_steps(g, steps, x, lt__pos_fresh(g, steps), true, false);
}

lt_node lt__rounds_last(struct lt_graph *g, lt_var steps, lt_node all, lt_node before)
{
	const struct lt_vardef *t = &g->var[steps];
	if (all < 0 || before < 0)
		return LT_NONE;
	const int32_t n = t->limit.n, rank = lt_node_rank(g, before), width = 1 + n + rank;
	int64_t *row = LT_NEW(g->arena, int64_t, (rank + 1) * (int64_t)width),
		*old = LT_NEW(g->arena, int64_t, rank * (int64_t)width + 1);
	lt_var dim[LT_MAX_RANK];
	row[0] = t->limit.constant - 1;         /* T - 1: where there is one, a row and a guard */
	for (int32_t k = 0; k < n; k++)
		row[1 + k] = t->limit.coef[k];
	for (int32_t i = 0; i < rank; i++) {
		dim[i] = lt_node_dim(g, before, i);
		old[i * width + 1 + n + i] = row[(i + 1) * width + 1 + n + i] = 1;
	}
	const struct lt_view_piece piece[] = {
		{ .source = all, .map = { .n_param = n, .n_dim = rank, .n_guard = 1, .n_row = rank + 1, .param = t->limit.param,
			.guard = row, .row = row } },
		{ .source = before, .map = { .n_param = n, .n_dim = rank, .n_row = rank, .param = t->limit.param, .row = old } },
	};
	return lt_graph_view(g, rank, dim, 2, piece, 0, 0);
}
