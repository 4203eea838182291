/* nn.c -- activations, means, softmax, norms and the matrix product as graphs of primitives. */
#include <math.h>
#include "ir/build/parts.h"
#include "ir/node/node.h"

lt_node lt_build_relu(struct lt_graph *g, lt_node x)
{
	if (!lt__graph_has(g, x))
		return -1;
	return lt_graph_binary(g, "max", x, lt_graph_literal_int(g, lt_node_dtype(g, x), 0));
}

lt_node lt_build_silu(struct lt_graph *g, lt_node x)
{
	if (!lt__graph_has(g, x) || !lt__build_is_float(g, x, "SiLU"))
		return -1;
	lt_node wide = lt__build_wide(g, x);
	lt_node y = lt_graph_binary(g, "mul", wide, lt_graph_unary(g, "sigmoid", wide));
	return lt_graph_cast(g, y, lt_node_dtype(g, x));
}

lt_node lt_build_gelu(struct lt_graph *g, lt_node x)
{
	if (!lt__graph_has(g, x) || !lt__build_is_float(g, x, "GELU"))
		return -1;
	lt_node wide = lt__build_wide(g, x);
	if (wide < 0)
		return -1;
	enum lt_dtype t = lt_node_dtype(g, wide);
	lt_node half = lt_graph_binary(g, "mul", wide, lt_graph_literal(g, t, 0.5));
	lt_node erf = lt_graph_unary(g, "erf", lt_graph_binary(g, "mul", wide, lt_graph_literal(g, t, sqrt(0.5))));
	lt_node y = lt_graph_binary(g, "mul", half, lt_graph_binary(g, "add", erf, lt_graph_literal(g, t, 1)));
	return lt_graph_cast(g, y, lt_node_dtype(g, x));
}

lt_node lt__build_gelu_tanh(struct lt_graph *g, lt_node x)
{
	if (!lt__graph_has(g, x) || !lt__build_is_float(g, x, "GELU"))
		return -1;
	lt_node wide = lt__build_wide(g, x);
	if (wide < 0)
		return -1;
	enum lt_dtype t = lt_node_dtype(g, wide);
	lt_node cube = lt_graph_binary(g, "mul", lt_graph_binary(g, "mul", wide, wide), wide);
	lt_node inner = lt_graph_binary(g, "add", wide, lt_graph_binary(g, "mul", cube, lt_graph_literal(g, t, 0.044715)));
	lt_node tanh = lt_graph_unary(g, "tanh", lt_graph_binary(g, "mul", inner, lt_graph_literal(g, t, sqrt(2 / M_PI))));
	lt_node half = lt_graph_binary(g, "mul", wide, lt_graph_literal(g, t, 0.5));
	lt_node y = lt_graph_binary(g, "mul", half, lt_graph_binary(g, "add", tanh, lt_graph_literal(g, t, 1)));
	return lt_graph_cast(g, y, lt_node_dtype(g, x));
}

/* Mean of a float of a computing type. */
static lt_node mean(struct lt_graph *g, lt_node x, int32_t n, const lt_var *over)
{
	enum lt_dtype t = lt_node_dtype(g, x);
	lt_node sum = lt_graph_reduce(g, "add", x, n, over), count = -1;
	double fixed = 1;

	for (int32_t i = 0; sum >= 0 && i < n; i++) {
		if (!g->var[over[i]].bounded) {
			fixed *= (double)g->var[over[i]].extent;
			continue;
		}
		lt_node extent = lt__build_extent(g, over[i], t);
		count = count < 0 ? extent : lt_graph_binary(g, "mul", count, extent);
	}
	if (sum < 0)
		return -1;
	lt_node by = lt_graph_literal(g, t, fixed);
	if (count >= 0)
		by = fixed > 1 ? lt_graph_binary(g, "mul", count, by) : count;
	return lt_graph_binary(g, "div", sum, by);
}

lt_node lt_build_mean(struct lt_graph *g, lt_node x, int32_t n, const lt_var *over)
{
	if (!lt__graph_has(g, x) || !lt__build_is_float(g, x, "a mean"))
		return -1;
	return lt_graph_cast(g, mean(g, lt__build_wide(g, x), n, over), lt_node_dtype(g, x));
}

lt_node lt_build_softmax(struct lt_graph *g, lt_node x, int32_t axis)
{
	if (!lt__graph_has(g, x) || !lt__build_is_float(g, x, "softmax"))
		return -1;
	if (axis < 0 || axis >= lt_node_rank(g, x)) {
		lt__graph_fail(g, LT_EINVAL, "softmax over axis %d of '%.100s' (%s): axes count from 0", axis, g->node[x].name,
			lt__node_shape_text(g, x));
		return -1;
	}
	lt_node y = lt__build_softmax_over(g, lt__build_wide(g, x), lt_node_dim(g, x, axis));
	return lt_graph_cast(g, y, lt_node_dtype(g, x));
}

lt_node lt__build_log_softmax(struct lt_graph *g, lt_node x, int32_t axis)
{
	if (x < 0)
		return -1;
	lt_var v = lt_node_dim(g, x, axis);
	lt_node shifted = lt_graph_binary(g, "sub", x, lt_graph_reduce(g, "max", x, 1, &v));
	lt_node sum = lt_graph_reduce(g, "add", lt_graph_unary(g, "exp", shifted), 1, &v);

	return lt_graph_binary(g, "sub", shifted, lt_graph_unary(g, "log", sum));
}

/* The view of first where its last index is below a run-time scalar, of second elsewhere. */
static lt_node first_until(struct lt_graph *g, lt_node first, lt_node second, lt_param until)
{
	enum { MAX_COLUMNS = (2 + LT_MAX_RANK) * LT_MAX_RANK };
	int64_t row[2][MAX_COLUMNS] = { { 0 } }, guard[2 + LT_MAX_RANK] = { 0 };
	struct lt_view_piece piece[2] = { { .source = first }, { .source = second } };
	lt_var dims[LT_MAX_RANK];
	int32_t rank = lt_node_rank(g, second);

	if (first < 0 || second < 0)
		return -1;
	for (int32_t p = 0; p < 2; p++) {
		int32_t n_param = p == 0, width = 1 + n_param + rank;
		for (int32_t i = 0; i < rank; i++)
			row[p][i * width + 1 + n_param + i] = 1;
		piece[p].map = (struct lt_map){ .n_param = n_param, .n_dim = rank, .n_guard = n_param, .n_row = rank,
			.param = &until, .guard = guard, .row = row[p] };
	}
	guard[0] = -1;
	guard[1] = 1;
	guard[1 + rank] = -1;
	for (int32_t i = 0; i < rank; i++)
		dims[i] = lt_node_dim(g, second, i);
	return lt_graph_view(g, rank, dims, 2, piece, 0, 0);
}

lt_node lt_build_sliced_softmax(struct lt_graph *g, lt_node x, lt_param prefix)
{
	if (!lt__graph_has(g, x) || !lt__build_is_float(g, x, "softmax"))
		return -1;
	int32_t last = lt_node_rank(g, x) - 1;
	if (last < 0) {
		lt__graph_fail(g, LT_EINVAL, "softmax needs a last axis, but '%.100s' has no dims", g->node[x].name);
		return -1;
	}
	if (!lt__param_given(g, prefix, &prefix))
		return -1;
	if (prefix < 0)
		return lt_build_softmax(g, x, last);
	lt_node head = lt_graph_slice_bounded(g, lt__build_wide(g, x), last, LT_OMIT, prefix);
	lt_var t = lt_node_dim(g, head, last);
	if (t >= 0 && t != lt_node_dim(g, x, last))
		lt_var_set_name(g, t, "t");
	lt_node y = lt_graph_cast(g, lt__build_softmax_over(g, head, t), lt_node_dtype(g, x));
	return first_until(g, y, x, prefix);
}

/* A weight or bias of a norm with the last var of x; fails with both shapes. */
static lt_node along_last(struct lt_graph *g, lt_node w, lt_node x, const char *what)
{
	lt_var last = lt_node_dim(g, x, lt_node_rank(g, x) - 1);

	if (!lt__graph_has(g, w))
		return -1;
	if (lt_node_dtype(g, w) != lt_node_dtype(g, x)) {
		lt__graph_fail(g, LT_ETYPE, "%s: Different value types: %s of '%.100s' and %s of '%.100s'", what,
			lt__dtype_info(lt_node_dtype(g, x))->name, g->node[x].name, lt__dtype_info(lt_node_dtype(g, w))->name,
			g->node[w].name);
		return -1;
	}
	if (lt_node_rank(g, w) != 1 || !lt__var_same_range(g, lt_node_dim(g, w, 0), last)) {
		lt__graph_fail(g, LT_ETYPE, "%s: '%.100s' (%s) must have one dim as long as the last of '%.100s' (%s)", what,
			g->node[w].name, lt__node_shape_text(g, w), g->node[x].name, lt__node_shape_text(g, x));
		return -1;
	}
	return lt__build_wide(g, lt_graph_rename(g, w, 1, &last));
}

static bool can_norm(struct lt_graph *g, lt_node x, const char *what)
{
	if (!lt__graph_has(g, x) || !lt__build_is_float(g, x, what))
		return false;
	if (lt_node_rank(g, x) > 0)
		return true;
	lt__graph_fail(g, LT_EINVAL, "%s needs a last axis, but '%.100s' has no dims", what, g->node[x].name);
	return false;
}

/* x / sqrt(mean(x*x) + eps) over its last axis */
static lt_node over_root_mean_square(struct lt_graph *g, lt_node x, double eps)
{
	if (x < 0)
		return -1;
	lt_var last = lt_node_dim(g, x, lt_node_rank(g, x) - 1);
	lt_node square = mean(g, lt_graph_binary(g, "mul", x, x), 1, &last);
	lt_node root = lt_graph_unary(
		g, "sqrt", lt_graph_binary(g, "add", square, lt_graph_literal(g, lt_node_dtype(g, x), eps)));
	return lt_graph_binary(g, "div", x, root);
}

lt_node lt_build_layer_norm(struct lt_graph *g, lt_node x, lt_node w, lt_node b, double eps)
{
	if (!can_norm(g, x, "layer norm"))
		return -1;
	lt_var last = lt_node_dim(g, x, lt_node_rank(g, x) - 1);
	lt_node wide = lt__build_wide(g, x);
	if (!lt__graph_given(g, w, "the weight of layer norm") || !lt__graph_given(g, b, "the bias of layer norm"))
		return -1;
	lt_node weight = w == LT_OMIT ? -1 : along_last(g, w, x, "layer norm");
	lt_node bias = b == LT_OMIT ? -1 : along_last(g, b, x, "layer norm");
	if (wide < 0 || (w != LT_OMIT && weight < 0) || (b != LT_OMIT && bias < 0))
		return -1;
	lt_node y = over_root_mean_square(g, lt_graph_binary(g, "sub", wide, mean(g, wide, 1, &last)), eps);
	if (w != LT_OMIT)
		y = lt_graph_binary(g, "mul", y, weight);
	if (b != LT_OMIT)
		y = lt_graph_binary(g, "add", y, bias);
	return lt_graph_cast(g, y, lt_node_dtype(g, x));
}

lt_node lt_build_rms_norm(struct lt_graph *g, lt_node x, lt_node w, double eps)
{
	if (!can_norm(g, x, "RMS norm"))
		return -1;
	lt_node weight = along_last(g, w, x, "RMS norm");
	lt_node y = lt_graph_binary(g, "mul", over_root_mean_square(g, lt__build_wide(g, x), eps), weight);
	return lt_graph_cast(g, y, lt_node_dtype(g, x));
}
