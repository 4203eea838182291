/* frontends/onnx/product.c -- matrix products and softmax by axis: see position.h. */
#include "frontends/onnx/position.h"

/* Batch axes of both broadcast; the last two of a are (i, k), of b (k, j). */
static lt_node matmul_matrices(struct lt_onnx *m, lt_node a, lt_node b)
{
	struct lt_graph *g = m->graph;
	int32_t ra = lt__onnx_rank(m, a), rb = lt__onnx_rank(m, b), rank = (ra > rb ? ra : rb) - 2, rank_of;
	lt_var k = lt_node_dim(g, a, ra - 1), *dims;
	if (!lt__var_same_range(g, k, lt_node_dim(g, b, rb - 2))) {
		lt__onnx_refuse(m, "matrices of %lld columns and %lld rows cannot be multiplied",
			(long long)lt__onnx_extent(m, a, ra - 1), (long long)lt__onnx_extent(m, b, rb - 2));
		return LT_NONE;
	}
	/* As operands of one operator over (batch .., i, k, j): a has no j, b no i. */
	bool *last = LT_NEW(m->arena, bool, ra + 2), *before = LT_NEW(m->arena, bool, rb + 2);
	last[ra] = true;
	before[rb - 2] = true;
	lt_node wide[2] = { lt__onnx_unsqueeze(m, lt__onnx_wide(m, a), ra + 1, last),
		lt__onnx_unsqueeze(m, lt__onnx_wide(m, b), rb + 1, before) }, own[2];
	if (!lt__onnx_broadcast(m, 2, wide, &rank_of, &dims, own))
		return LT_NONE;
	lt_node product = lt_graph_contract(g, own[0], own[1], 1, &dims[rank + 1]);
	/* An axis that only a 1 stands for is in neither. */
	lt_var *want = LT_NEW(m->arena, lt_var, rank_of + 1);
	int32_t n = 0, have = lt__onnx_rank(m, product), *at = LT_NEW(m->arena, int32_t, have + 1);
	for (int32_t i = 0; i < rank_of; i++)
		if (i != rank + 1)
			want[n++] = dims[i];
	for (int32_t i = 0; i < have; i++)
		for (int32_t j = 0; j < n; j++)
			at[i] = want[j] == lt_node_dim(g, product, i) ? j : at[i];
	return lt__onnx_cast(m, lt__onnx_view(m, product, n, want, at), lt_node_dtype(g, a));
}

lt_node lt__onnx_matmul(struct lt_onnx *m, lt_node a, lt_node b)
{
	int32_t ra = lt__onnx_rank(m, a), rb = lt__onnx_rank(m, b);
	if (a < 0 || b < 0)
		return LT_NONE;
	if (!ra || !rb) {
		lt__onnx_refuse(m, "a value without axes cannot be multiplied as a matrix");
		return LT_NONE;
	}
	if (ra == 1)
		a = lt__onnx_insert(m, a, 0);
	if (rb == 1)
		b = lt__onnx_insert(m, b, 1);
	lt_node y = matmul_matrices(m, a, b);
	int32_t rank = lt__onnx_rank(m, y);
	bool *mask = LT_NEW(m->arena, bool, rank + 1);
	if (ra == 1 && rank > 1)
		mask[rank - 2] = true;
	if (rb == 1 && rank > 0)
		mask[rank - 1] = true;
	return ra == 1 || rb == 1 ? lt__onnx_squeeze(m, y, mask) : y;
}

lt_node lt__onnx_softmax(struct lt_onnx *m, lt_node x, int32_t axis)
{
	return x < 0 || axis < 0 ? LT_NONE : lt_build_softmax(m->graph, lt__onnx_wide(m, x), axis);
}

lt_node lt__onnx_log_softmax(struct lt_onnx *m, lt_node x, int32_t axis)
{
	lt_node wide = lt__onnx_wide(m, x);
	lt_node shifted = lt__onnx_op2(m, "sub", wide, lt__onnx_reduce1(m, "max", wide, axis, true));
	lt_node sum = lt__onnx_reduce1(m, "add", lt__onnx_op1(m, "exp", shifted), axis, true);
	return lt__onnx_op2(m, "sub", shifted, lt__onnx_op1(m, "log", sum));
}
