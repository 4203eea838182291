/* attention.c -- scaled dot-product attention as a graph of primitives. */
#include <math.h>
#include "ir/build/parts.h"

static lt_node no_attention(struct lt_graph *g, lt_node q, lt_node k, lt_node v)
{
	lt__graph_fail(g, LT_ETYPE,
		"attention needs q (.., s, d), k (.., t, d) and v (.., t, e) with equal leading dims, but has (%s), "
		"(%s) and (%s)",
		lt__node_shape_text(g, q), lt__node_shape_text(g, k), lt__node_shape_text(g, v));
	return -1;
}

static bool fits(struct lt_graph *g, lt_node q, lt_node k, lt_node v)
{
	int32_t rank = lt_node_rank(g, q);

	if (rank < 2 || lt_node_rank(g, k) != rank || lt_node_rank(g, v) != rank)
		return false;
	for (int32_t i = 0; i < rank - 2; i++)
		if (!lt__var_same_range(g, lt_node_dim(g, q, i), lt_node_dim(g, k, i))
		    || !lt__var_same_range(g, lt_node_dim(g, q, i), lt_node_dim(g, v, i)))
			return false;
	return lt__var_same_range(g, lt_node_dim(g, q, rank - 1), lt_node_dim(g, k, rank - 1))
		&& lt__var_same_range(g, lt_node_dim(g, k, rank - 2), lt_node_dim(g, v, rank - 2));
}

/* T-S, the number of keys that the first query sees in addition to its own; -1 with *none set where it is 0. */
static lt_node keys_ahead(struct lt_graph *g, lt_var s, lt_var t, bool *none)
{
	*none = lt__var_same_range(g, s, t);
	if (*none)
		return -1;
	if (!g->var[s].bounded && !g->var[t].bounded)
		return lt_graph_literal_int(g, LT_I64, g->var[t].extent - g->var[s].extent);
	lt_node keys = lt__build_extent(g, t, LT_I64), queries = lt__build_extent(g, s, LT_I64);
	return lt_graph_binary(g, "sub", keys, queries);
}

/* -inf where t > s + (T-S): the last query sees every key. */
static lt_node mask(struct lt_graph *g, lt_node scores, int32_t rank, const lt_var *dims)
{
	lt_var s = dims[rank - 2], t = dims[rank - 1];
	bool none;

	if (scores < 0)
		return -1;
	lt_node last = lt_graph_index(g, s), ahead = keys_ahead(g, s, t, &none);
	if (!none)
		last = lt_graph_binary(g, "add", last, ahead);
	lt_node seen = lt_graph_binary(g, "lessequal", lt_graph_index(g, t), last);
	lt_node hidden = lt_graph_literal(g, lt_node_dtype(g, scores), -INFINITY);
	return lt_graph_op_to(g, "select", 3, (lt_node[]){ seen, scores, hidden }, rank, dims);
}

lt_node lt_build_attention(struct lt_graph *g, lt_node q, lt_node k, lt_node v, double scale, int causal)
{
	if (!lt__graph_has(g, q) || !lt__graph_has(g, k) || !lt__graph_has(g, v) || !lt__build_is_float(g, q, "attention"))
		return -1;
	if (lt_node_dtype(g, q) != lt_node_dtype(g, k) || lt_node_dtype(g, q) != lt_node_dtype(g, v)) {
		lt__graph_fail(g, LT_ETYPE, "Different value types: attention over %s, %s and %s",
			lt__dtype_info(lt_node_dtype(g, q))->name, lt__dtype_info(lt_node_dtype(g, k))->name,
			lt__dtype_info(lt_node_dtype(g, v))->name);
		return -1;
	}
	if (!fits(g, q, k, v))
		return no_attention(g, q, k, v);
	int32_t rank = lt_node_rank(g, q);
	lt_var in_q[LT_MAX_RANK], in_k[LT_MAX_RANK], in_v[LT_MAX_RANK], d = lt_node_dim(g, q, rank - 1);
	for (int32_t i = 0; i < rank; i++)
		in_q[i] = in_k[i] = in_v[i] = lt_node_dim(g, q, i);
	lt_var t = lt__build_apart(g, "t", lt_node_dim(g, k, rank - 2), rank, in_q);
	in_k[rank - 2] = in_v[rank - 2] = t;
	in_q[rank - 1] = t;     /* from here on: the dims of the scores */
	in_v[rank - 1] = lt__build_apart(g, "e", lt_node_dim(g, v, rank - 1), rank, in_q);
	if (t < 0 || in_v[rank - 1] < 0)
		return -1;
	lt_node wide_q = lt__build_wide(g, q), wide_k = lt__build_wide(g, lt_graph_rename(g, k, rank, in_k));
	lt_node wide_v = lt__build_wide(g, lt_graph_rename(g, v, rank, in_v));
	if (wide_q < 0)
		return -1;
	lt_node factor = lt_graph_literal(g, lt_node_dtype(g, wide_q), scale);
	lt_node scores = lt_graph_binary(g, "mul", lt_graph_contract(g, wide_q, wide_k, 1, &d), factor);
	if (causal)
		scores = mask(g, scores, rank, in_q);
	lt_node y = lt_graph_contract(g, lt__build_softmax_over(g, scores, t), wide_v, 1, &t);
	return lt_graph_cast(g, y, lt_node_dtype(g, q));
}
