/* index.c -- where elements are: of the largest, the first in order, one-hot, triangles, running sums. */
#include <string.h>
#include "ir/build/parts.h"

lt_node lt__build_arg(struct lt_graph *g, lt_node x, int32_t axis, const char *op, bool last)
{
	if (x < 0 || axis < 0)
		return LT_NONE;
	lt_node best = lt__pos_reduce1(g, op, x, axis, true), at = lt__pos_along(g, x, axis);
	lt_node hit = lt__pos_op2(g, "eq", x, best);
	/* NaN is the best where there is one, and equals nothing. */
	hit = lt__pos_is_float(g, x) ? lt__pos_op2(g, "or", hit, lt__pos_op2(g, "ne", x, x)) : hit;
	lt_node otherwise = lt_graph_literal_int(g, LT_I64, last ? -1 : INT64_MAX);
	return lt__pos_reduce1(g, last ? "max" : "min", lt__pos_select(g, hit, at, otherwise), axis, true);
}

/* Rank of each element along an axis, 0 for the first: how many come before it.  NaN counts as the largest. */
static lt_node order_of(struct lt_graph *g, lt_node x, int32_t axis, bool largest)
{
	const int32_t rank = lt__pos_rank(g, x) + 1;
	const int64_t n = lt__pos_extent(g, x, axis);
	/* own element at `axis`, others at `axis` + 1 */
	lt_node own = lt__pos_insert(g, x, axis + 1), other = lt__pos_insert(g, x, axis);
	lt_node before = lt__pos_op2(g, largest ? "greater" : "less", other, own), same = lt__pos_op2(g, "eq", other, own);
	if (lt__pos_is_float(g, x)) {
		lt_node own_nan = lt__pos_op2(g, "ne", own, own), other_nan = lt__pos_op2(g, "ne", other, other);
		lt_node only = largest ? lt__pos_op2(g, "and", other_nan, lt__pos_op1(g, "not", own_nan)) :
			lt__pos_op2(g, "and", own_nan, lt__pos_op1(g, "not", other_nan));
		before = lt__pos_op2(g, "or", before, only);
		same = lt__pos_op2(g, "or", same, lt__pos_op2(g, "and", own_nan, other_nan));
	}
	lt_node at = lt__pos_range(g, n, axis + 1, rank);
	lt_node earlier = lt__pos_op2(g, "less", at, lt__pos_range(g, n, axis, rank));
	lt_node first = lt__pos_op2(g, "or", before, lt__pos_op2(g, "and", same, earlier));
	return lt__pos_reduce1(g, "add", lt_graph_cast(g, first, LT_I64), axis + 1, false);
}

/* Element j of the result is the one whose place is j. */
void lt__build_top_k(struct lt_graph *g, lt_node x, int32_t axis, int64_t k, bool largest, lt_node *values, lt_node *at)
{
	*values = *at = LT_NONE;
	if (x < 0 || axis < 0)
		return;
	const int64_t n = lt__pos_extent(g, x, axis);
	const int32_t rank = lt_node_rank(g, x) + 1;
	lt_node place = lt__pos_insert(g, order_of(g, x, axis, largest), axis);
	lt_node hit = lt__pos_op2(g, "eq", place, lt__pos_range(g, k, axis, rank));
	lt_node range = lt__pos_range(g, n, axis + 1, rank), none = lt_graph_literal_int(g, LT_I64, -1);
	*at = lt__pos_reduce1(g, "max", lt__pos_select(g, hit, range, none), axis + 1, false);
	/* One element is hit: the sum of it and of zeros that take no part. */
	lt_node each = lt__pos_insert(g, lt__build_wide(g, x), axis);
	lt_node zero = each < 0 ? LT_NONE : lt_graph_literal_int(g, lt_node_dtype(g, each), 0);
	lt_node y = lt__pos_reduce1(g, "add", lt__pos_select(g, hit, each, zero), axis + 1, false);
	*values = lt_graph_cast(g, y, lt_node_dtype(g, x));
}

/* A value with the vars of another at all axes but one (which gets a var of its own), cut to its extents. */
static lt_node index_meet(struct lt_graph *g, lt_node x, lt_node like, int32_t axis)
{
	const int32_t rank = lt__pos_rank(g, x);
	lt_var v[LT_MAX_RANK];
	int32_t at[LT_MAX_RANK];
	for (int32_t i = 0; x >= 0 && i < rank; i++)
		if (i != axis && lt__pos_extent(g, like, i) != lt__pos_extent(g, x, i))
			x = lt__pos_slice(g, x, i, 0, lt__pos_extent(g, like, i), 1);
	for (int32_t i = 0; x >= 0 && i < rank; i++) {
		v[i] = i == axis ? lt__pos_like(g, x, i) : lt_node_dim(g, like, i);
		at[i] = i;
	}
	return lt__pos_view(g, x, rank, v, at);
}

lt_node lt__build_gather_elements(struct lt_graph *g, lt_node x, lt_node index, int32_t axis)
{
	lt_var v[LT_MAX_RANK];
	int32_t to[LT_MAX_RANK];
	const int32_t rank = lt__pos_rank(g, x);
	if (x < 0 || index < 0 || axis < 0)
		return LT_NONE;
	lt_node y = lt_graph_gather(g, index_meet(g, x, index, axis), index, axis);
	if (y < 0)
		return LT_NONE;
	/* The shared vars first, the axis' where it was. */
	for (int32_t i = 0; i < rank; i++)
		v[i] = lt_node_dim(g, index, i);
	for (int32_t i = 0; i < rank; i++)
		for (int32_t k = 0; k < rank; k++)
			to[i] = lt_node_dim(g, y, i) == v[k] ? k : to[i];
	return lt__pos_view(g, y, rank, v, to);
}

lt_node lt__build_one_hot(struct lt_graph *g, lt_node index, int64_t depth, int32_t axis)
{
	const int32_t rank = lt__pos_rank(g, index) + 1;
	lt_node at = lt__pos_insert(g, index, axis);
	return lt__pos_op2(g, "eq", at, lt__pos_range(g, depth, axis, rank));
}

lt_node lt__build_triangle(struct lt_graph *g, lt_node x, int64_t k, bool upper)
{
	const int32_t rank = lt__pos_rank(g, x);
	if (x < 0)
		return LT_NONE;
	const int64_t far = INT64_C(1) << 40, by = k < -far ? -far : k > far ? far : k;
	lt_node row = lt__pos_along(g, x, rank - 2), column = lt__pos_along(g, x, rank - 1);
	lt_node edge = lt__pos_op2(g, "add", row, lt_graph_literal_int(g, LT_I64, by));
	lt_node inside = lt__pos_op2(g, upper ? "greaterequal" : "lessequal", column, edge);
	return lt__pos_select(g, inside, x, lt_graph_literal_int(g, lt_node_dtype(g, x), 0));
}

/* Of two, of four, of eight ... that are neighbours. */
lt_node lt__build_running(struct lt_graph *g, const char *op, lt_node x, int32_t axis, bool exclusive, bool reverse)
{
	const double none = !strcmp(op, "mul") ? 1 : 0;
	lt_node y = lt__build_wide(g, x);
	if (y < 0 || axis < 0)
		return LT_NONE;
	for (int64_t by = 1; by < lt__pos_extent(g, x, axis); by *= 2)
		y = lt__pos_op2(g, op, y, lt__pos_shift(g, y, axis, reverse ? -by : by, none));
	if (exclusive)
		y = lt__pos_shift(g, y, axis, reverse ? -1 : 1, none);
	return y < 0 ? LT_NONE : lt_graph_cast(g, y, lt_node_dtype(g, x));
}
