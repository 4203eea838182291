/* take.c -- see take.h. */
#include "frontends/onnx/take.h"

enum { MAX_RUNS = 8 };

/* The longest run from i on with one step, +1, 0 or -1. */
static int64_t take_run(int64_t n, const int64_t *at, int64_t i, int64_t *step)
{
	int64_t count = 1;
	*step = i + 1 < n ? at[i + 1] - at[i] : 1;
	if (*step < -1 || *step > 1) {
		*step = 1;
		return 1;
	}
	while (i + count < n && at[i + count] - at[i + count - 1] == *step)
		count++;
	return count;
}

static lt_node take_slice(struct lt_onnx *m, lt_node x, int32_t axis, int64_t begin, int64_t step, int64_t count)
{
	if (x < 0 || step)
		return x < 0 ? LT_NONE : lt_graph_slice(m->graph, x, axis, begin, step, count);
	const int32_t rank = lt__onnx_rank(m, x);
	int64_t shape[LT_MAX_RANK];
	for (int32_t i = 0; i < rank; i++)
		shape[i] = i == axis ? count : lt__onnx_extent(m, x, i);
	return lt__onnx_expand(m, lt_graph_slice(m->graph, x, axis, begin, 1, 1), rank, shape);
}

static lt_node take_gather(struct lt_onnx *m, lt_node x, int32_t axis, int32_t rank, const int64_t *shape,
	const int64_t *at)
{
	int64_t n = 1;
	for (int32_t i = 0; i < rank; i++)
		n *= shape[i];
	int64_t *data = lt__onnx_room(m, LT_I64, rank, shape);
	for (int64_t i = 0; i < n; i++)
		data[i] = at[i];
	struct lt_onnx_value v = lt__onnx_of_data(m, LT_I64, rank, shape, data);
	v.name = "positions";
	return x < 0 ? LT_NONE : lt_graph_gather(m->graph, x, lt__onnx_node(m, &v), axis);
}

lt_node lt__onnx_take(struct lt_onnx *m, lt_node x, int32_t axis, int64_t n, const int64_t *at)
{
	lt_node part[MAX_RUNS];
	int32_t n_part = 0;
	for (int64_t i = 0, step, count; i < n; i += count) {
		count = take_run(n, at, i, &step);
		if (n_part == MAX_RUNS || n / (n_part + 1) < 2)
			return take_gather(m, x, axis, 1, &n, at);
		part[n_part++] = take_slice(m, x, axis, at[i], step, count);
	}
	return lt__onnx_concat(m, axis, n_part, part);
}

lt_node lt__onnx_table(struct lt_onnx *m, const char *name, enum lt_dtype t, int32_t rank, const int64_t *shape,
	const double *data)
{
	void *at = lt__onnx_room(m, t, rank, shape);
	struct lt_onnx_value v = lt__onnx_of_data(m, t, rank, shape, at);
	for (int64_t i = 0; i < lt__onnx_elems(&v); i++)
		lt__store(at, i, t, lt__convert((union lt_scalar){ .f = data[i] }, LT_F64, t));
	v.name = name;
	return lt__onnx_node(m, &v);
}

lt_node lt__onnx_weigh(struct lt_onnx *m, lt_node x, int32_t axis, int64_t n, int64_t n_tap, const int64_t *at,
	const double *weight)
{
	const int64_t shape[2] = { n, n_tap };
	if (x < 0)
		return LT_NONE;
	lt_node taken = take_gather(m, x, axis, 2, shape, at);
	lt_node by = lt__onnx_table(m, "weights", lt_node_dtype(m->graph, x), 2, shape, weight);
	if (taken < 0)
		return LT_NONE;
	const lt_var dims[2] = { lt_node_dim(m->graph, taken, axis), lt_node_dim(m->graph, taken, axis + 1) };
	lt_node product = lt_graph_contract(m->graph, taken, lt_graph_rename(m->graph, by, 2, dims), 1, &dims[1]);
	return product;
}

lt_node lt__onnx_mask(struct lt_onnx *m, lt_node x, int32_t axis, const bool *mask, double otherwise)
{
	const int64_t n = lt__onnx_extent(m, x, axis);
	double *data = LT_ONNX_TABLE(m, double, n + 1);
	bool *others = LT_NEW(m->arena, bool, lt__onnx_rank(m, x) + 1), all = true;
	for (int64_t i = 0; i < n; i++) {
		data[i] = mask[i];
		all = all && mask[i];
	}
	if (all || x < 0)
		return x;
	for (int32_t i = 0; i < lt__onnx_rank(m, x); i++)
		others[i] = i != axis;
	lt_node inside = lt__onnx_unsqueeze(m, lt__onnx_table(m, "mask", LT_BOOL, 1, &n, data), lt__onnx_rank(m, x), others);
	return lt__onnx_select(m, inside, x, lt__onnx_number(m, lt_node_dtype(m->graph, x), otherwise));
}
