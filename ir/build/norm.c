/* norm.c -- normalizations of images and sequences [N, C, ..], by their definitions in ONNX; the logarithm of
 * a sum of exponentials. */
#include <math.h>
#include "ir/build/build.h"

lt_node lt__build_per_channel(struct lt_graph *g, lt_node w, int32_t rank, lt_node x)
{
	bool mask[LT_MAX_RANK];
	for (int32_t i = 0; i < rank; i++)
		mask[i] = i != 1;
	if (w < 0 || x < 0)
		return LT_NONE;
	return lt__pos_unsqueeze(g, lt_graph_cast(g, w, lt_node_dtype(g, x)), rank, mask);
}

struct lt_moments lt__build_moments(struct lt_graph *g, lt_node x, const bool *over, double eps)
{
	struct lt_moments r;
	r.mean = lt__pos_mean(g, x, over, true);
	lt_node d = lt__pos_op2(g, "sub", x, r.mean);
	r.variance = lt__pos_mean(g, lt__pos_op2(g, "mul", d, d), over, true);
	r.root = lt__pos_op1(g, "sqrt", lt__pos_opf(g, "add", r.variance, eps));
	r.y = lt__pos_op2(g, "div", d, r.root);
	return r;
}

lt_node lt__build_batch_norm(struct lt_graph *g, lt_node x, lt_node scale, lt_node bias, lt_node mean, lt_node variance,
	double eps)
{
	const int32_t rank = lt__pos_rank(g, x);
	lt_node d = lt__pos_op2(g, "sub", x, mean);
	lt_node root = lt__pos_op1(g, "sqrt", lt__pos_opf(g, "add", variance, eps));
	lt_node factor = lt__pos_op2(g, "div", lt__build_per_channel(g, scale, rank, x), root);
	lt_node y = lt__pos_op2(g, "mul", d, factor);
	return lt__pos_op2(g, "add", y, lt__build_per_channel(g, bias, rank, x));
}

/* y * scale + bias, per channel */
static lt_node scaled(struct lt_graph *g, lt_node y, lt_node scale, lt_node bias)
{
	const int32_t rank = lt__pos_rank(g, y);
	y = lt__pos_op2(g, "mul", y, lt__build_per_channel(g, scale, rank, y));
	return lt__pos_op2(g, "add", y, lt__build_per_channel(g, bias, rank, y));
}

lt_node lt__build_instance_norm(struct lt_graph *g, lt_node x, lt_node scale, lt_node bias, double eps)
{
	bool over[LT_MAX_RANK];
	lt_node wide = lt__build_wide(g, x);
	for (int32_t i = 0; i < LT_MAX_RANK; i++)
		over[i] = i >= 2;
	lt_node y = scaled(g, lt__build_moments(g, wide, over, eps).y, scale, bias);
	return y < 0 ? LT_NONE : lt_graph_cast(g, y, lt_node_dtype(g, x));
}

lt_node lt__build_group_norm(struct lt_graph *g, lt_node x, int64_t groups, lt_node scale, lt_node bias, double eps,
	bool per_group)
{
	static const bool over[3] = { false, false, true };
	lt_var dims[LT_MAX_RANK];
	if (x < 0)
		return LT_NONE;
	const int32_t rank = lt_node_rank(g, x);
	int64_t shape[3] = { lt__pos_extent(g, x, 0), groups, lt__pos_extent(g, x, 1) / groups };
	for (int32_t i = 0; i < rank; i++) {
		dims[i] = lt_node_dim(g, x, i);
		shape[2] *= i > 1 ? lt__pos_extent(g, x, i) : 1;
	}
	lt_node y = lt__build_moments(g, lt_graph_reshape(g, lt__build_wide(g, x), 3, shape), over, eps).y;
	if (per_group)
		y = scaled(g, y, scale, bias);
	y = y < 0 ? LT_NONE : lt_graph_reshape_to(g, y, rank, dims);
	if (!per_group)
		y = scaled(g, y, scale, bias);
	return y < 0 ? LT_NONE : lt_graph_cast(g, y, lt_node_dtype(g, x));
}

/* max + log(sum(exp(x - max))), where max is a number */
lt_node lt__build_log_sum_exp(struct lt_graph *g, lt_node x, const bool *over, bool keep)
{
	if (x < 0 || !over)
		return LT_NONE;
	lt_node max = lt__pos_reduce(g, "max", x, over, true), zero = lt_graph_literal(g, lt_node_dtype(g, x), 0);
	lt_node finite = lt__pos_opf(g, "less", lt__pos_op1(g, "abs", max), INFINITY);
	lt_node shift = lt__pos_select(g, finite, max, zero);
	lt_node sum = lt__pos_reduce(g, "add", lt__pos_op1(g, "exp", lt__pos_op2(g, "sub", x, shift)), over, true);
	lt_node y = lt__pos_op2(g, "add", lt__pos_op1(g, "log", sum), shift);
	return keep ? y : lt__pos_squeeze(g, y, over);
}
