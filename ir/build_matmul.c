/* ir/build_matmul.c -- matrix products, broadcasting and products of complex pairs as graphs of primitives. */
#include "ir/build.h"

static lt_node no_product(struct lt_graph *g, lt_node a, lt_node b)
{
	lt__graph_fail(g, LT_ETYPE,
		"Incompatible shapes for matrix multiplication: (%s) and (%s); ranks 1 and 2, 2 and 2, or "
		"3 and 3 with equal inner and batch dims are possible: lt_graph_reshape changes ranks",
		lt__node_shape_text(g, a), lt__node_shape_text(g, b));
	return -1;
}

static bool same_type(struct lt_graph *g, lt_node a, lt_node b)
{
	if (lt_node_dtype(g, a) == lt_node_dtype(g, b))
		return true;
	lt__graph_fail(g, LT_ETYPE, "Different value types: %s of '%.100s' and %s of '%.100s'",
		lt__dtype_info(lt_node_dtype(g, a))->name, g->node[a].name, lt__dtype_info(lt_node_dtype(g, b))->name,
		g->node[b].name);
	return false;
}

/* b takes a's batch and inner vars, and keeps its own column var unless a has it too. */
lt_node lt_build_matmul(struct lt_graph *g, lt_node a, lt_node b)
{
	if (!lt__graph_has(g, a) || !lt__graph_has(g, b) || !same_type(g, a, b))
		return -1;
	int32_t rank = lt_node_rank(g, b), rank_a = lt_node_rank(g, a), at = rank - 2;
	if (!((rank == 2 && (rank_a == 1 || rank_a == 2)) || (rank == 3 && rank_a == 3)))
		return no_product(g, a, b);
	lt_var left[3], right[3], k;
	for (int32_t i = 0; i < rank_a; i++)
		left[i] = lt_node_dim(g, a, i);
	k = left[rank_a - 1];
	if (!lt__var_same_range(g, lt_node_dim(g, b, at), k)
	    || (rank == 3 && !lt__var_same_range(g, lt_node_dim(g, b, 0), left[0])))
		return no_product(g, a, b);
	right[0] = left[0];
	right[at] = k;
	right[at + 1] = lt__build_apart(g, "n", lt_node_dim(g, b, at + 1), rank_a, left);
	if (right[at + 1] < 0)
		return -1;
	lt_node wide = lt__build_wide(g, a), by = lt__build_wide(g, lt_graph_rename(g, b, rank, right));
	return lt_graph_cast(g, lt_graph_contract(g, wide, by, 1, &k), lt_node_dtype(g, a));
}

lt_node lt_build_broadcast_to(struct lt_graph *g, lt_node r, lt_node l)
{
	if (!lt__graph_has(g, r) || !lt__graph_has(g, l))
		return -1;
	int32_t rank = lt_node_rank(g, l);
	lt_var dims[LT_MAX_RANK];
	int64_t row[LT_MAX_RANK * (1 + LT_MAX_RANK)] = { 0 };
	bool fits = lt_node_rank(g, r) == rank, same = fits;
	for (int32_t i = 0; i < rank && fits; i++) {
		lt_var v = lt_node_dim(g, r, i);
		dims[i] = lt_node_dim(g, l, i);
		bool equal = lt__var_same_range(g, v, dims[i]), one = lt_var_extent(g, v) == 1 && !g->var[v].bounded;
		row[i * (1 + rank) + 1 + i] = equal;
		fits = equal || one;
		same = same && v == dims[i];
	}
	if (!fits) {
		lt__graph_fail(g, LT_ETYPE,
			"'%.100s' (%s) does not broadcast to '%.100s' (%s): equal rank is needed, and each dim equal "
			"or 1",
			g->node[r].name, lt__node_shape_text(g, r), g->node[l].name, lt__node_shape_text(g, l));
		return -1;
	}
	if (same)
		return r;
	struct lt_view_piece piece = { .source = r, .map = { .n_dim = rank, .n_row = rank, .row = row } };
	return lt_graph_view(g, rank, dims, 1, &piece, 0, 0);
}

/* x at index `at` of its last axis, without that axis */
static lt_node component(struct lt_graph *g, lt_node x, int64_t at)
{
	int32_t rank = lt_node_rank(g, x);
	lt_var dims[LT_MAX_RANK];
	int64_t row[LT_MAX_RANK * LT_MAX_RANK] = { 0 };

	for (int32_t i = 0; i < rank - 1; i++) {
		dims[i] = lt_node_dim(g, x, i);
		row[i * rank + 1 + i] = 1;
	}
	row[(rank - 1) * rank] = at;
	struct lt_view_piece piece = { .source = x, .map = { .n_dim = rank - 1, .n_row = rank, .row = row } };
	return lt_graph_view(g, rank - 1, dims, 1, &piece, 0, 0);
}

/* The pair of two values along the last dim of like. */
static lt_node pair(struct lt_graph *g, lt_node first, lt_node second, lt_node like)
{
	int32_t rank = lt_node_rank(g, like);
	lt_var dims[LT_MAX_RANK];
	int64_t row[LT_MAX_RANK * (1 + LT_MAX_RANK)] = { 0 }, guard[1 + LT_MAX_RANK] = { 0 };

	for (int32_t i = 0; i < rank; i++)
		dims[i] = lt_node_dim(g, like, i);
	for (int32_t i = 0; i < rank - 1; i++)
		row[i * (1 + rank) + 1 + i] = 1;
	guard[rank] = -1;
	struct lt_view_piece piece[2] = {
		{ .source = first, .map = { .n_dim = rank, .n_guard = 1, .n_row = rank - 1, .guard = guard, .row = row } },
		{ .source = second, .map = { .n_dim = rank, .n_row = rank - 1, .row = row } },
	};
	return first < 0 || second < 0 ? -1 : lt_graph_view(g, rank, dims, 2, piece, 0, 0);
}

static bool is_pair(struct lt_graph *g, lt_node x)
{
	int32_t rank = lt_node_rank(g, x);

	if (rank > 0 && lt_var_extent(g, lt_node_dim(g, x, rank - 1)) == 2 && !g->var[lt_node_dim(g, x, rank - 1)].bounded)
		return true;
	lt__graph_fail(g, LT_ETYPE, "a complex product needs a last dim of 2 (real, imaginary), but '%.100s' has (%s)",
		g->node[x].name, lt__node_shape_text(g, x));
	return false;
}

lt_node lt_build_complex_mul(struct lt_graph *g, lt_node l, lt_node r)
{
	if (!lt__graph_has(g, l) || !lt__graph_has(g, r) || !same_type(g, l, r) || !is_pair(g, l) || !is_pair(g, r))
		return -1;
	lt_node x = lt__build_wide(g, l), y = lt__build_wide(g, lt_build_broadcast_to(g, r, l));
	if (x < 0 || y < 0)
		return -1;
	lt_node a = component(g, x, 0), b = component(g, x, 1), c = component(g, y, 0), d = component(g, y, 1);
	lt_node ac = lt_graph_binary(g, "mul", a, c), bd = lt_graph_binary(g, "mul", b, d);
	lt_node ad = lt_graph_binary(g, "mul", a, d), bc = lt_graph_binary(g, "mul", b, c);
	lt_node real = lt_graph_binary(g, "sub", ac, bd), imaginary = lt_graph_binary(g, "add", ad, bc);
	return lt_graph_cast(g, pair(g, real, imaginary, x), lt_node_dtype(g, l));
}
