/* nodes_shape.c -- the same elements in another shape: reshape, axes moved, added and taken away,
 * repeats. */
#include "frontends/script/reader.h"
#include "ir/build/build.h"

static bool keeps_all(const struct lt_script *s, const struct lt_arg *x, const struct lt_arg *shape)
{
	int32_t rank = lt_node_rank(s->graph, x->node);
	bool same = rank == shape->n;
	for (int32_t i = 0; same && i < rank; i++)
		same = lt__script_extent(s, x->node, i) == shape->list[i];
	return same;
}

/* An axis of a run-time extent that the shape does not keep: no dimension of its maximum has as many elements before
 * it; -1: none.  The shape has as many elements as x. */
static int32_t lost_axis(const struct lt_script *s, const struct lt_arg *x, const struct lt_arg *shape)
{
	int64_t before = 1;
	for (int32_t i = 0; i < lt_node_rank(s->graph, x->node); i++) {
		int64_t extent = lt__script_extent(s, x->node, i), passed = 1;
		bool kept = !lt__script_bounded(s, x->node, i);
		for (int32_t k = 0; k < shape->n; k++) {
			kept = kept || (passed == before && shape->list[k] == extent && extent > 1);
			passed *= shape->list[k];
		}
		if (!kept && !keeps_all(s, x, shape))
			return i;
		before *= extent;
	}
	return -1;
}

/* A dimension of -1 is what the others leave of so many elements.  False: they leave no whole number, or two are -1. */
static bool infer_dimension(struct lt_script *s, const struct lt_arg *x, struct lt_arg *shape)
{
	int64_t elems = lt__node_elems(s->graph, x->node), others = 1, *list = LT_NEW(s->arena, int64_t, shape->n);
	const char *text = lt__script_list(s, shape->list, shape->n);
	int32_t at = 0;
	while (at < shape->n && shape->list[at] != -1)
		at++;
	if (at == shape->n)
		return true;
	for (int32_t i = 0; i < shape->n; i++) {
		list[i] = shape->list[i];
		if (i == at || (list[i] > 0 && !lt__mul_overflow(others, list[i], &others)))
			continue;
		if (i > at && list[i] == -1)
			lt__script_fail(s, shape->position, LT_EINVAL, "Invalid shape %s: only one dimension can be -1", text);
		else if (list[i] < 1)
			lt__script_fail(s, shape->position, LT_EINVAL,
				"Invalid shape %s: dimension %d is %lld, each has to be at least 1, or -1 for what is left", text, i,
				(long long)list[i]);
		else
			lt__script_fail(s, shape->position, LT_EOVERFLOW, "The elements of a tensor of shape %s exceed 63 bits", text);
		return false;
	}
	list[at] = elems / others;
	shape->list = list;
	if (elems % others == 0)
		return true;
	lt__script_fail(s, shape->position, LT_ETYPE,
		"Incompatible number of elements: %s has %lld, which is no multiple of the %lld of the shape %s",
		lt__script_value(s, x), (long long)elems, (long long)others, text);
	return false;
}

LT_BUILDER(reshape)
{
	struct lt_graph *g = s->graph;
	struct lt_arg shape = a[1];
	int64_t from = lt__node_elems(g, a[0].node), to = 1;
	if (shape.limit)
		return lt__script_refuse(s, shape.position, LT_EUNSUPPORTED,
			"ReshapeNode makes no run-time extents: those of %s are written as their maxima", lt__script_value(s, &a[0]));
	if (!infer_dimension(s, &a[0], &shape) || !lt__script_no_overflow(s, &shape, lt_node_dtype(g, a[0].node)))
		return -1;
	for (int32_t i = 0; i < shape.n; i++)
		to *= shape.list[i];
	if (from != to)
		return lt__script_refuse(s, shape.position, LT_ETYPE,
			"Incompatible number of elements: %s has %lld, the shape %s %lld",
			lt__script_value(s, &a[0]), (long long)from, lt__script_list(s, shape.list, shape.n), (long long)to);
	if (shape.n > LT_MAX_RANK)
		return lt__script_refuse(s, shape.position, LT_EUNSUPPORTED,
			"A shape of %d dimensions: a value has at most %d", shape.n, LT_MAX_RANK);
	int32_t axis = lost_axis(s, &a[0], &shape);
	if (axis >= 0)
		return lt__script_refuse(s, shape.position, LT_EUNSUPPORTED,
			"%s has a run-time extent at axis %d, which cannot be split or joined with others: the shape "
			"%s has to name its maximum as a dimension at the same place",
			lt__script_value(s, &a[0]), axis, lt__script_list(s, shape.list, shape.n));
	return lt_graph_reshape(g, a[0].node, shape.n, shape.list);
}

/* Axes in another order; from_end: -1 is the last axis. */
static lt_node script_permute(struct lt_script *s, const struct lt_arg *x, const struct lt_arg *list, bool from_end)
{
	int32_t rank = lt_node_rank(s->graph, x->node);
	int32_t *perm = LT_NEW(s->arena, int32_t, rank);
	bool *seen = LT_NEW(s->arena, bool, rank);
	if (list->n != rank)
		return lt__script_refuse(s, list->position, LT_EINVAL, "Invalid permutation size: %s has %d numbers, %s %d axes",
			lt__script_list(s, list->list, list->n), list->n, lt__script_value(s, x), rank);
	for (int32_t i = 0; i < rank; i++) {
		int64_t p = list->list[i] < 0 && from_end ? list->list[i] + rank : list->list[i];
		bool there = p >= 0 && p < rank;
		if (!there || seen[p])
			return lt__script_refuse(s, list->position, LT_EINVAL,
				"%s permutation index %lld in %s: each of 0 .. %d has to occur once", there ? "Duplicate" : "Invalid",
				(long long)list->list[i], lt__script_list(s, list->list, rank), rank - 1);
		seen[p] = true;
		perm[i] = (int32_t)p;
	}
	return lt_graph_permute(s->graph, x->node, rank, perm);
}

LT_BUILDER(permute) { return script_permute(s, &a[0], &a[1], false); }

LT_BUILDER(transpose)
{
	int32_t perm[LT_MAX_RANK], rank = lt_node_rank(s->graph, a[0].node);
	if (a[1].given)
		return script_permute(s, &a[0], &a[1], true);
	for (int32_t i = 0; i < rank; i++)
		perm[i] = rank - 1 - i;
	return lt_graph_permute(s->graph, a[0].node, rank, perm);
}

LT_BUILDER(squeeze)
{
	struct lt_graph *g = s->graph;
	bool mask[LT_MAX_RANK] = { false };
	const int32_t rank = lt_node_rank(g, a[0].node);
	if (!lt__script_axes(s, &a[1], rank, mask))
		return -1;
	for (int32_t i = 0; i < rank; i++) {
		const bool one = lt__pos_is_one(g, lt_node_dim(g, a[0].node, i));
		if (mask[i] && !one)
			return lt__script_refuse(s, a[1].position, LT_ETYPE, "Incompatible shapes: axis %d of %s is not of 1 element",
				i, lt__script_value(s, a));
		mask[i] = a[1].given ? mask[i] : one;
	}
	return lt__pos_squeeze(g, a[0].node, mask);
}

LT_BUILDER(unsqueeze)
{
	bool mask[LT_MAX_RANK] = { false };
	const int32_t rank = lt_node_rank(s->graph, a[0].node) + a[1].n;
	if (rank > LT_MAX_RANK)
		return lt__script_refuse(s, a[1].position, LT_EUNSUPPORTED, "A shape of %d dimensions: a value has at most %d", rank,
			LT_MAX_RANK);
	return lt__script_axes(s, &a[1], rank, mask) ? lt__pos_unsqueeze(s->graph, a[0].node, rank, mask) : -1;
}

LT_BUILDER(flatten)
{
	struct lt_graph *g = s->graph;
	const int32_t rank = lt_node_rank(g, a[0].node);
	int32_t axis = (int32_t)a[1].i;
	int64_t shape[2] = { 1, 1 };
	/* behind the last axis, too */
	if (a[1].i != rank && !lt__script_axis(s, &a[1], rank, &axis))
		return -1;
	for (int32_t i = 0; i < rank; i++)
		shape[i >= axis] *= lt__script_extent(s, a[0].node, i);
	return lt_graph_reshape(g, a[0].node, 2, shape);
}

LT_BUILDER(tile)
{
	struct lt_graph *g = s->graph;
	const int32_t rank = lt_node_rank(g, a[0].node);
	bool mask[LT_MAX_RANK] = { false };
	int64_t *spread = LT_NEW(s->arena, int64_t, 2 * rank), *shape = LT_NEW(s->arena, int64_t, rank);
	bool good = a[1].n == rank && 2 * rank <= LT_MAX_RANK;
	for (int32_t i = 0; good && i < rank; i++) {
		mask[2 * i] = true;
		spread[2 * i] = a[1].list[i];
		spread[2 * i + 1] = lt__script_extent(s, a[0].node, i);
		good = a[1].list[i] > 0 && !lt__mul_overflow(spread[2 * i], spread[2 * i + 1], &shape[i]);
		if (good && a[1].list[i] > 1 && !lt__script_fixed(s, a, i, "repeated", "repeat first, then slice"))
			return -1;
	}
	if (!good)
		return lt__script_refuse(s, a[1].position, LT_EINVAL, "Invalid repeats %s: %s takes %d numbers of at least 1",
			lt__script_list(s, a[1].list, a[1].n), lt__script_value(s, a), rank);
	const struct lt_arg whole = { .position = a[1].position, .n = rank, .list = shape };
	if (!lt__script_no_overflow(s, &whole, lt_node_dtype(g, a[0].node)))
		return -1;
	lt_node wide = lt__pos_expand(g, lt__pos_unsqueeze(g, a[0].node, 2 * rank, mask), 2 * rank, spread);
	return wide < 0 ? -1 : lt_graph_reshape(g, wide, rank, shape);
}

LT_BUILDER(flip)
{
	bool mask[LT_MAX_RANK] = { false };
	const int32_t rank = lt_node_rank(s->graph, a[0].node);
	lt_node x = a[0].node;
	if (!lt__script_axes(s, &a[1], rank, mask))
		return -1;
	for (int32_t i = 0; i < rank; i++) {
		const int64_t extent = lt__script_extent(s, x, i);
		if (a[1].given && !mask[i])
			continue;
		if (!lt__script_fixed(s, a, i, "reversed", "reverse first, then slice"))
			return -1;
		x = extent > 1 ? lt__pos_slice(s->graph, x, i, extent - 1, -1, -1) : x;
	}
	return x;
}

LT_BUILDER(stack)
{
	struct lt_graph *g = s->graph;
	const int32_t rank = lt_node_rank(g, a[1].node);
	lt_node *x = LT_NEW(s->arena, lt_node, n - 1);
	int32_t axis;
	if (!lt__script_axis(s, &a[0], rank + 1, &axis))
		return -1;
	for (int32_t k = 1; k < n; k++) {
		if (!lt__script_same_type(s, &a[1], &a[k]))
			return -1;
		bool same = lt_node_rank(g, a[k].node) == rank;
		for (int32_t i = 0; same && i < rank; i++)
			same = lt__var_same_range(g, lt_node_dim(g, a[1].node, i), lt_node_dim(g, a[k].node, i));
		if (!same)
			return lt__script_refuse(s, a[k].position, LT_ETYPE,
				"Different shapes: %s and %s; what is stacked has one shape", lt__script_value(s, &a[1]),
				lt__script_value(s, &a[k]));
		x[k - 1] = lt__pos_insert(g, a[k].node, axis);
		if (x[k - 1] < 0)
			return -1;
	}
	return lt_graph_concat(g, axis, n - 1, x);
}
