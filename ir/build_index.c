/* ir/build_index.c -- where elements are: of the largest, the first in order, one-hot, triangles, running sums. */
#include <string.h>
#include "ir/build.h"
#include "ir/position.h"

/* Positions along an axis of x, int64, as a value of x's rank with extents of 1 elsewhere. */
static lt_node positions(struct lt_graph *g, lt_node x, int32_t axis)
{
	bool mask[LT_MAX_RANK] = { false };
	const int32_t rank = lt__pos_rank(g, x);
	for (int32_t i = 0; i < rank; i++)
		mask[i] = i != axis;
	return x < 0 ? LT_NONE : lt__pos_unsqueeze(g, lt_graph_index(g, lt_node_dim(g, x, axis)), rank, mask);
}

lt_node lt__build_arg(struct lt_graph *g, lt_node x, int32_t axis, const char *op, bool last)
{
	if (x < 0 || axis < 0)
		return LT_NONE;
	lt_node best = lt__pos_reduce1(g, op, x, axis, true), at = positions(g, x, axis);
	lt_node hit = lt__pos_op2(g, "eq", x, best);
	/* NaN is the best where there is one, and equals nothing. */
	hit = lt__pos_is_float(g, x) ? lt__pos_op2(g, "or", hit, lt__pos_op2(g, "ne", x, x)) : hit;
	lt_node otherwise = lt_graph_literal_int(g, LT_I64, last ? -1 : INT64_MAX);
	return lt__pos_reduce1(g, last ? "max" : "min", lt__pos_select(g, hit, at, otherwise), axis, true);
}
