/* frontends/onnx/axes.c -- views and reductions by axis: see position.h. */
#include "frontends/onnx/position.h"

int64_t lt__onnx_extent(struct lt_onnx *m, lt_node x, int32_t axis)
{
	return x < 0 ? 0 : lt_var_extent(m->graph, lt_node_dim(m->graph, x, axis));
}

bool lt__onnx_bounded(struct lt_onnx *m, lt_node x, int32_t axis)
{
	return x >= 0 && m->graph->var[lt_node_dim(m->graph, x, axis)].bounded;
}

int32_t lt__onnx_rank(struct lt_onnx *m, lt_node x)
{
	return x < 0 ? 0 : lt_node_rank(m->graph, x);
}

int32_t lt__onnx_axis(struct lt_onnx *m, int64_t axis, int32_t rank)
{
	if (axis >= -(int64_t)rank && axis < rank)
		return (int32_t)(axis < 0 ? axis + rank : axis);
	if (!lt__onnx_failed(m))
		lt__onnx_refuse(m, "axis %lld is outside of a value of rank %d", (long long)axis, rank);
	return -1;
}

bool *lt__onnx_axes(struct lt_onnx *m, int32_t n, const int64_t *axis, int32_t rank)
{
	bool *mask = LT_NEW(m->arena, bool, rank + 1);
	for (int32_t i = 0; i < n; i++) {
		int32_t at = lt__onnx_axis(m, axis[i], rank);
		if (at < 0)
			return NULL;
		mask[at] = true;
	}
	return mask;
}

lt_var lt__onnx_var(struct lt_onnx *m, int64_t extent)
{
	return lt_graph_var(m->graph, NULL, extent);
}

lt_var lt__onnx_like(struct lt_onnx *m, lt_node x, int32_t axis)
{
	if (x < 0)
		return LT_NONE;
	lt_var v = lt_node_dim(m->graph, x, axis);
	const struct lt_vardef *d = &m->graph->var[v];
	return lt__var_like(m->graph, v, d->extent, d->bounded ? &d->limit : NULL);
}

lt_node lt__onnx_view(struct lt_onnx *m, lt_node x, int32_t n, const lt_var *v, const int32_t *at)
{
	struct lt_graph *g = m->graph;
	if (x < 0)
		return LT_NONE;
	int32_t rank = lt_node_rank(g, x), width = 1 + n;
	bool same = rank == n;
	for (int32_t i = 0; same && i < n; i++)
		same = at[i] == i && lt_node_dim(g, x, i) == v[i];
	if (same)
		return x;
	int64_t *row = LT_NEW(m->arena, int64_t, (int64_t)rank * width + 1);
	for (int32_t i = 0; i < rank; i++)
		if (at[i] >= 0)
			row[(int64_t)i * width + 1 + at[i]] = 1;
	struct lt_view_piece piece = { .source = x, .map = { .n_dim = n, .n_row = rank, .row = row } };
	return lt_graph_view(g, n, v, 1, &piece, 0, 0);
}

lt_node lt__onnx_unsqueeze(struct lt_onnx *m, lt_node x, int32_t rank, const bool *mask)
{
	if (x < 0 || !mask)
		return LT_NONE;
	lt_var *v = LT_NEW(m->arena, lt_var, rank + 1);
	int32_t own = lt_node_rank(m->graph, x), *at = LT_NEW(m->arena, int32_t, own + 1), k = 0;
	for (int32_t i = 0; i < rank; i++) {
		if (mask[i] || k >= own) {
			v[i] = lt__onnx_var(m, 1);
			continue;
		}
		v[i] = lt_node_dim(m->graph, x, k);
		at[k++] = i;
	}
	return lt__onnx_view(m, x, rank, v, at);
}

lt_node lt__onnx_insert(struct lt_onnx *m, lt_node x, int32_t axis)
{
	int32_t rank = lt__onnx_rank(m, x) + 1;
	bool *mask = LT_NEW(m->arena, bool, rank + 1);
	mask[axis] = true;
	return lt__onnx_unsqueeze(m, x, rank, mask);
}

lt_node lt__onnx_squeeze(struct lt_onnx *m, lt_node x, const bool *mask)
{
	if (x < 0 || !mask)
		return LT_NONE;
	int32_t rank = lt_node_rank(m->graph, x), n = 0, *at = LT_NEW(m->arena, int32_t, rank + 1);
	lt_var *v = LT_NEW(m->arena, lt_var, rank + 1);
	for (int32_t i = 0; i < rank; i++) {
		if (mask[i] && (lt__onnx_extent(m, x, i) != 1 || lt__onnx_bounded(m, x, i))) {
			lt__onnx_refuse(m, "axis %d has %lld elements: only an axis of one can be left out", i,
				(long long)lt__onnx_extent(m, x, i));
			return LT_NONE;
		}
		at[i] = mask[i] ? -1 : n;
		if (!mask[i])
			v[n++] = lt_node_dim(m->graph, x, i);
	}
	return lt__onnx_view(m, x, n, v, at);
}

lt_node lt__onnx_reduce(struct lt_onnx *m, const char *op, lt_node x, const bool *over, bool keep)
{
	if (x < 0 || !over)
		return LT_NONE;
	int32_t rank = lt_node_rank(m->graph, x), n = 0;
	lt_var *v = LT_NEW(m->arena, lt_var, rank + 1);
	for (int32_t i = 0; i < rank; i++)
		if (over[i])
			v[n++] = lt_node_dim(m->graph, x, i);
	lt_node y = lt_graph_reduce(m->graph, op, x, n, v);
	return keep && n ? lt__onnx_unsqueeze(m, y, rank, over) : y;
}

lt_node lt__onnx_reduce1(struct lt_onnx *m, const char *op, lt_node x, int32_t axis, bool keep)
{
	bool *over = LT_NEW(m->arena, bool, lt__onnx_rank(m, x) + 1);
	if (axis < 0)
		return LT_NONE;
	over[axis] = true;
	return lt__onnx_reduce(m, op, x, over, keep);
}

lt_node lt__onnx_mean(struct lt_onnx *m, lt_node x, const bool *over, bool keep)
{
	if (x < 0 || !over)
		return LT_NONE;
	int32_t rank = lt_node_rank(m->graph, x), n = 0;
	lt_var *v = LT_NEW(m->arena, lt_var, rank + 1);
	for (int32_t i = 0; i < rank; i++)
		if (over[i])
			v[n++] = lt_node_dim(m->graph, x, i);
	lt_node y = n ? lt_build_mean(m->graph, x, n, v) : x;
	return keep && n ? lt__onnx_unsqueeze(m, y, rank, over) : y;
}

lt_node lt__onnx_expand(struct lt_onnx *m, lt_node x, int32_t rank, const int64_t *shape)
{
	if (x < 0)
		return LT_NONE;
	int32_t own = lt_node_rank(m->graph, x), n = rank > own ? rank : own, *at = LT_NEW(m->arena, int32_t, own + 1);
	lt_var *v = LT_NEW(m->arena, lt_var, n + 1);
	for (int32_t i = 0; i < n; i++) {
		int32_t k = i - (n - own), j = i - (n - rank);
		int64_t have = k >= 0 ? lt__onnx_extent(m, x, k) : 1, want = j >= 0 ? shape[j] : 1;
		bool one = have == 1 && (k < 0 || !lt__onnx_bounded(m, x, k)), stretched = one && want != 1;
		if (want < 1 || (have != want && want != 1 && !one)) {
			lt__onnx_refuse(m, "a value of %lld elements at axis -%d cannot be broadcast to %s", (long long)have, n - i,
				lt__onnx_shape(m, rank, shape));
			return LT_NONE;
		}
		v[i] = stretched || k < 0 ? lt__onnx_var(m, want) : lt_node_dim(m->graph, x, k);
		if (k >= 0)
			at[k] = stretched ? -1 : i;
	}
	return lt__onnx_view(m, x, n, v, at);
}

lt_node lt__onnx_transpose(struct lt_onnx *m, lt_node x, const int32_t *perm)
{
	return x < 0 ? LT_NONE : lt_graph_permute(m->graph, x, lt_node_rank(m->graph, x), perm);
}

lt_node lt__onnx_swap(struct lt_onnx *m, lt_node x, int32_t a, int32_t b)
{
	int32_t rank = lt__onnx_rank(m, x), *perm = LT_NEW(m->arena, int32_t, rank + 1);
	for (int32_t i = 0; i < rank; i++)
		perm[i] = i == a ? b : i == b ? a : i;
	return lt__onnx_transpose(m, x, perm);
}

lt_node lt__onnx_reshape(struct lt_onnx *m, lt_node x, int32_t rank, const int64_t *shape)
{
	return x < 0 ? LT_NONE : lt_graph_reshape(m->graph, x, rank, shape);
}

lt_node lt__onnx_slice(struct lt_onnx *m, lt_node x, int32_t axis, int64_t begin, int64_t end, int64_t step)
{
	int64_t count = step > 0 ? (end - begin + step - 1) / step : (begin - end - step - 1) / -step;
	return x < 0 ? LT_NONE : lt_graph_slice(m->graph, x, axis, begin, step, count);
}

lt_node lt__onnx_concat(struct lt_onnx *m, int32_t axis, int32_t n, const lt_node *x)
{
	for (int32_t i = 0; i < n; i++)
		if (x[i] < 0)
			return LT_NONE;
	return lt_graph_concat(m->graph, axis, n, x);
}

lt_node lt__onnx_index(struct lt_onnx *m, lt_node x, int32_t axis)
{
	return x < 0 ? LT_NONE : lt_graph_index(m->graph, lt_node_dim(m->graph, x, axis));
}

lt_node lt__onnx_range(struct lt_onnx *m, int64_t extent, int32_t axis, int32_t rank)
{
	bool *mask = LT_NEW(m->arena, bool, rank + 1);
	for (int32_t i = 0; i < rank; i++)
		mask[i] = i != axis;
	return lt__onnx_unsqueeze(m, lt_graph_index(m->graph, lt__onnx_var(m, extent)), rank, mask);
}

lt_node lt__onnx_place(struct lt_onnx *m, lt_node x, int32_t axis)
{
	const int32_t rank = lt__onnx_rank(m, x);
	bool *mask = LT_NEW(m->arena, bool, rank + 1);
	for (int32_t i = 0; i < rank; i++)
		mask[i] = i != axis;
	return lt__onnx_unsqueeze(m, lt__onnx_index(m, x, axis), rank, mask);
}

/* The index with new vars, none of which x has. */
static lt_node apart(struct lt_onnx *m, lt_node index)
{
	int32_t rank = lt__onnx_rank(m, index), *at = LT_NEW(m->arena, int32_t, rank + 1);
	lt_var *v = LT_NEW(m->arena, lt_var, rank + 1);
	for (int32_t i = 0; i < rank; i++) {
		v[i] = lt__onnx_like(m, index, i);
		at[i] = i;
	}
	return lt__onnx_view(m, index, rank, v, at);
}

lt_node lt__onnx_gather(struct lt_onnx *m, lt_node x, lt_node index, int32_t axis)
{
	if (x < 0 || index < 0 || axis < 0)
		return LT_NONE;
	return lt_graph_gather(m->graph, x, apart(m, index), axis);
}
