/* heads.c -- see heads.h. */
#include <math.h>
#include "frontends/onnx/heads.h"
#include "frontends/onnx/groups.h"
#include "frontends/onnx/trace.h"

lt_node lt__onnx_heads_apart(struct lt_onnx *m, lt_node x, int64_t heads)
{
	const int64_t width = x < 0 || lt__onnx_rank(m, x) != 3 ? 0 : lt__onnx_extent(m, x, 2);
	if (x < 0)
		return LT_NONE;
	if (heads < 1 || width < 1 || width % heads) {
		const struct lt_onnx_value v = lt__onnx_of_node(m, x);
		lt__onnx_refuse(m, "%lld heads of a value of the shape %s", (long long)heads,
			lt__onnx_shape(m, v.rank, v.shape));
		return LT_NONE;
	}
	const struct lt_linear shape[4] = { lt__onnx_extent_sum(m, x, 0), lt__onnx_extent_sum(m, x, 1),
		{ .constant = heads }, { .constant = width / heads } };
	return lt__onnx_swap(m, lt__onnx_reshape_to(m, x, 4, shape), 1, 2);
}

lt_node lt__onnx_heads_joined(struct lt_onnx *m, lt_node x)
{
	lt_node y = lt__onnx_swap(m, x, 1, 2);
	if (y < 0)
		return LT_NONE;
	const struct lt_linear shape[3] = { lt__onnx_extent_sum(m, y, 0), lt__onnx_extent_sum(m, y, 1),
		{ .constant = lt__onnx_extent(m, y, 2) * lt__onnx_extent(m, y, 3) } };
	return lt__onnx_reshape_to(m, y, 3, shape);
}

lt_node lt__onnx_heads_repeated(struct lt_onnx *m, lt_node x, int64_t heads)
{
	const int64_t own = x < 0 ? 0 : lt__onnx_extent(m, x, 1);
	const int32_t rank = lt__onnx_rank(m, x), width = 1 + rank + 1;
	if (x < 0 || own == heads)
		return x;
	if (heads < own || heads % own) {
		lt__onnx_refuse(m, "%lld heads of the query for %lld heads of the keys: they are no multiple", (long long)heads,
			(long long)own);
		return LT_NONE;
	}
	lt_var v[LT_MAX_RANK];
	int64_t row[LT_MAX_RANK * (LT_MAX_RANK + 2)] = { 0 }, div[LT_MAX_RANK + 3] = { 0 };
	for (int32_t i = 0; i < rank; i++) {
		v[i] = i == 1 ? lt__onnx_var(m, heads) : lt_node_dim(m->graph, x, i);
		row[i * width + (i == 1 ? 1 + rank : 1 + i)] = 1;
	}
	div[0] = heads / own;
	div[1 + 1 + 1] = 1;
	const struct lt_view_piece piece = { .source = x, .map = { .n_dim = rank, .n_div = 1, .n_row = rank, .div = div,
		.row = row } };
	return lt_graph_view(m->graph, rank, v, 1, &piece, 0, 0);
}

/* Keys are scaled before they are repeated: once for all heads that share them. */
lt_node lt__onnx_scores(struct lt_onnx *m, lt_node q, lt_node k, double scale)
{
	const double root = sqrt(scale);
	const int32_t rank = lt__onnx_rank(m, k);
	lt_node scaled = lt__onnx_heads_repeated(m, lt__onnx_opf(m, "mul", k, root), lt__onnx_extent(m, q, 1));
	lt_node turned = lt__onnx_swap(m, scaled, rank - 2, rank - 1);
	return lt__onnx_matmul(m, lt__onnx_opf(m, "mul", q, root), turned);
}

lt_node lt__onnx_heads_turned(
	struct lt_onnx *m, lt_node x, lt_node cosine, lt_node sine, int64_t turned, bool paired)
{
	const int64_t width = lt__onnx_extent(m, x, 3), half = turned / 2;
	lt_node a = lt__onnx_slice(m, x, 3, 0, paired ? turned : half, paired ? 2 : 1), y[3];
	lt_node b = lt__onnx_slice(m, x, 3, paired ? 1 : half, turned, paired ? 2 : 1);
	y[0] = lt__onnx_op2(m, "sub", lt__onnx_op2(m, "mul", cosine, a), lt__onnx_op2(m, "mul", sine, b));
	y[1] = lt__onnx_op2(m, "add", lt__onnx_op2(m, "mul", sine, a), lt__onnx_op2(m, "mul", cosine, b));
	if (y[0] < 0 || y[1] < 0)
		return LT_NONE;
	int32_t n = 2;
	if (paired) {
		/* Pairs side by side again. */
		const lt_node pair[2] = { lt__onnx_insert(m, y[0], 4), lt__onnx_insert(m, y[1], 4) };
		const struct lt_linear shape[4] = { lt__onnx_extent_sum(m, x, 0), lt__onnx_extent_sum(m, x, 1),
			lt__onnx_extent_sum(m, x, 2), { .constant = turned } };
		y[0] = lt__onnx_reshape_to(m, lt__onnx_concat(m, 4, 2, pair), 4, shape);
		n = 1;
	}
	if (turned < width)
		y[n++] = lt__onnx_slice(m, x, 3, turned, width, 1);
	return n == 1 ? y[0] : lt__onnx_concat(m, 3, n, y);
}
