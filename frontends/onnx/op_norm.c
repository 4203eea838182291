/* op_norm.c -- normalizations, by their definitions in the standard. */
#include <string.h>
#include "frontends/onnx/builders.h"
#include "frontends/onnx/groups.h"
#include "frontends/onnx/position.h"

static void norm_give(struct lt_onnx_call *c, int32_t i, lt_node y, enum lt_dtype t)
{
	if (lt__onnx_wants(c, i))
		lt__onnx_give(c, i, y < 0 ? LT_NONE : lt__onnx_cast(c->m, y, t));
}

/* Training gives the running mean and variance, too. */
void lt__onnx_build_batch_norm(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	struct lt_onnx_value *v = lt__onnx_value(c, 0);
	const double eps = lt__onnx_float(c, "epsilon", 1e-5f), momentum = lt__onnx_float(c, "momentum", 0.9f);
	const bool training = c->version >= 14 ? lt__onnx_int(c, "training_mode", 0) != 0 :
		c->version < 7 && lt__onnx_int(c, "is_test", 0) == 0;
	lt_node x = lt__onnx_wide(m, lt__onnx_in(c, 0)), scale = lt__onnx_in(c, 1), bias = lt__onnx_in(c, 2);
	lt_node mean = lt__onnx_in(c, 3), variance = lt__onnx_in(c, 4);
	const int32_t rank = v->rank;
	if (c->version < 9 && lt__onnx_int(c, "spatial", 1) == 0)
		lt__onnx_refuse(m, "attribute 'spatial' is 0");
	if (x < 0 || mean < 0 || variance < 0 || lt__onnx_failed(m))
		return;
	lt_node mean_of = lt__build_per_channel(m->graph, mean, rank, x);
	lt_node variance_of = lt__build_per_channel(m->graph, variance, rank, x);
	if (training) {
		bool *mask = LT_NEW(m->arena, bool, rank + 1);
		for (int32_t i = 0; i < rank; i++)
			mask[i] = i != 1;
		struct lt_moments r = lt__build_moments(m->graph, x, mask, eps);
		lt_node own[2] = { r.mean, r.variance }, old[2] = { mean_of, variance_of };
		for (int32_t i = 0; i < 2; i++) {
			lt_node y = lt__onnx_op2(m, "add", lt__onnx_opf(m, "mul", old[i], momentum),
				lt__onnx_opf(m, "mul", own[i], 1 - momentum));
			norm_give(c, 1 + i, lt__onnx_squeeze(m, y, mask), lt_node_dtype(m->graph, i ? variance : mean));
		}
		mean_of = r.mean;
		variance_of = r.variance;
	}
	norm_give(c, 0, lt__build_batch_norm(m->graph, x, scale, bias, mean_of, variance_of, eps), v->dtype);
}

void lt__onnx_build_instance_norm(struct lt_onnx_call *c)
{
	lt_node x = lt__onnx_in(c, 0), scale = lt__onnx_in(c, 1), bias = lt__onnx_in(c, 2);
	norm_give(c, 0, lt__build_instance_norm(c->m->graph, x, scale, bias, lt__onnx_float(c, "epsilon", 1e-5f)),
		lt__onnx_value(c, 0)->dtype);
}

/* Channels as [groups, channels / groups]: version 18 scales each group, 21 each channel. */
void lt__onnx_build_group_norm(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	struct lt_onnx_value *v = lt__onnx_value(c, 0);
	const int64_t groups = lt__onnx_int(c, "num_groups", 1);
	const double eps = lt__onnx_float(c, "epsilon", 1e-5f);
	lt__onnx_ignore(c, "stash_type");
	lt_node x = lt__onnx_in(c, 0), scale = lt__onnx_in(c, 1), bias = lt__onnx_in(c, 2);
	if (v->rank < 2 || groups < 1 || v->shape[1] % groups) {
		lt__onnx_refuse(m, "%lld groups of the channels of %s", (long long)groups, lt__onnx_shape(m, v->rank, v->shape));
		return;
	}
	norm_give(c, 0, lt__build_group_norm(m->graph, x, groups, scale, bias, eps, c->version < 21), v->dtype);
}

/* The axes from one on. */
static bool *axes_from(struct lt_onnx *m, int32_t axis, int32_t rank)
{
	bool *over = LT_NEW(m->arena, bool, rank + 1);
	for (int32_t i = axis; i < rank; i++)
		over[i] = true;
	return axis < 0 ? NULL : over;
}

/* The type that means are computed in: float32, unless the values have more. */
static enum lt_dtype stash_type(struct lt_onnx_call *c, enum lt_dtype t)
{
	const int64_t type = lt__onnx_int(c, "stash_type", 1);
	const enum lt_dtype stash = lt__onnx_dtype(type);
	if (!stash || lt__dtype_info(stash)->cls != LT_CLASS_FLOAT)
		lt__onnx_refuse(c->m, "attribute 'stash_type' is %s", lt__onnx_type_name(type));
	return t == LT_F64 || !stash ? t : stash;
}

void lt__onnx_build_layer_norm(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	struct lt_onnx_value *v = lt__onnx_value(c, 0);
	const int32_t axis = lt__onnx_along(c, lt__onnx_int(c, "axis", -1));
	const enum lt_dtype stash = stash_type(c, v->dtype);
	if (lt__onnx_failed(m))
		return;
	lt_node x = lt__onnx_cast(m, lt__onnx_in(c, 0), stash);
	struct lt_moments r = lt__build_moments(m->graph, x, axes_from(m, axis, v->rank), lt__onnx_float(c, "epsilon", 1e-5f));
	lt_node y = lt__onnx_cast(m, r.y, v->dtype);
	y = lt__onnx_op2(m, "mul", y, lt__onnx_in(c, 1));
	y = lt__onnx_has(c, 2) ? lt__onnx_op2(m, "add", y, lt__onnx_in(c, 2)) : y;
	norm_give(c, 0, y, v->dtype);
	norm_give(c, 1, r.mean, stash);
	norm_give(c, 2, lt__onnx_op1(m, "reciprocal", r.root), stash);
}

void lt__onnx_build_rms_norm(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	struct lt_onnx_value *v = lt__onnx_value(c, 0);
	const int32_t axis = lt__onnx_along(c, lt__onnx_int(c, "axis", -1));
	const enum lt_dtype stash = stash_type(c, v->dtype);
	const double eps = lt__onnx_float(c, "epsilon", 1e-5f);
	if (lt__onnx_failed(m))
		return;
	lt_node x = lt__onnx_cast(m, lt__onnx_in(c, 0), stash);
	lt_node square = lt__onnx_mean(m, lt__onnx_op2(m, "mul", x, x), axes_from(m, axis, v->rank), true);
	lt_node y = lt__onnx_op2(m, "div", x, lt__onnx_op1(m, "sqrt", lt__onnx_opf(m, "add", square, eps)));
	norm_give(c, 0, lt__onnx_op2(m, "mul", lt__onnx_cast(m, y, v->dtype), lt__onnx_in(c, 1)), v->dtype);
}

/* x over its norm along an axis; 0 where that is 0 */
void lt__onnx_build_lp_norm(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	struct lt_onnx_value *v = lt__onnx_value(c, 0);
	const int32_t axis = lt__onnx_along(c, lt__onnx_int(c, "axis", -1));
	const int64_t p = lt__onnx_int(c, "p", 2);
	lt_node x = lt__onnx_wide(m, lt__onnx_in(c, 0));
	if (p != 1 && p != 2) {
		lt__onnx_refuse(m, "attribute 'p' is %lld", (long long)p);
		return;
	}
	lt_node part = p == 1 ? lt__onnx_op1(m, "abs", x) : lt__onnx_op2(m, "mul", x, x);
	lt_node norm = lt__onnx_reduce1(m, "add", part, axis, true);
	norm = p == 1 ? norm : lt__onnx_op1(m, "sqrt", norm);
	lt_node none = lt__onnx_opf(m, "eq", norm, 0), y = lt__onnx_op2(m, "div", x, norm);
	norm_give(c, 0, x < 0 ? LT_NONE : lt__onnx_select(m, none, lt__onnx_number(m, lt_node_dtype(m->graph, x), 0), y),
		v->dtype);
}

/* (x - mean) / (sqrt(variance) + 1e-9), as the standard's function has it */
void lt__onnx_build_mean_variance_norm(struct lt_onnx_call *c)
{
	static const int64_t usual[] = { 0, 2, 3 };
	struct lt_onnx *m = c->m;
	struct lt_onnx_value *v = lt__onnx_value(c, 0);
	int32_t n;
	const int64_t *axis = lt__onnx_ints(c, "axes", &n);
	bool *over = lt__onnx_axes(m, axis ? n : 3, axis ? axis : usual, v->rank);
	lt_node x = lt__onnx_wide(m, lt__onnx_in(c, 0)), mean = lt__onnx_mean(m, x, over, true);
	lt_node square = lt__onnx_mean(m, lt__onnx_op2(m, "mul", x, x), over, true);
	lt_node root = lt__onnx_op1(m, "sqrt", lt__onnx_op2(m, "sub", square, lt__onnx_op2(m, "mul", mean, mean)));
	norm_give(c, 0, lt__onnx_op2(m, "div", lt__onnx_op2(m, "sub", x, mean), lt__onnx_opf(m, "add", root, 1e-9)), v->dtype);
}

/* x / (bias + alpha/size * sum of the squares of the channels around)^beta */
void lt__onnx_build_lrn(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	struct lt_onnx_value *v = lt__onnx_value(c, 0);
	const double alpha = lt__onnx_float(c, "alpha", 0.0001f), beta = lt__onnx_float(c, "beta", 0.75),
		bias = lt__onnx_float(c, "bias", 1);
	const int64_t size = lt__onnx_int(c, "size", 1);
	lt_node x = lt__onnx_wide(m, lt__onnx_in(c, 0)), square = lt__onnx_op2(m, "mul", x, x);
	if (v->rank < 2 || size < 1 || x < 0) {
		if (!lt__onnx_failed(m))
			lt__onnx_refuse(m, "%lld channels of a value of rank %d", (long long)size, v->rank);
		return;
	}
	lt_var tap = lt__onnx_var(m, size);
	lt_node windows = lt_graph_window(m->graph, square, 1, lt__onnx_like(m, x, 1), tap, 1, 1, (size - 1) / 2, 0);
	lt_node sum = lt_graph_reduce(m->graph, "add", windows, 1, &tap);
	lt_node base = lt__onnx_opf(m, "add", lt__onnx_opf(m, "mul", sum, alpha / (double)size), bias);
	norm_give(c, 0, lt__onnx_op2(m, "div", x, lt__onnx_opf(m, "pow", base, beta)), v->dtype);
}

/* Without training the identity, and a mask of all. */
void lt__onnx_build_dropout(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	struct lt_onnx_value v = *lt__onnx_value(c, 0);
	lt__onnx_ignore(c, "ratio");
	lt__onnx_ignore(c, "seed");
	lt__onnx_ignore(c, "is_test");
	const bool training = c->version >= 12 && lt__onnx_in_number(c, 2, "training_mode", 0) != 0;
	if (training && lt__onnx_in_number(c, 1, "the ratio", 0.5) != 0) {
		lt__onnx_refuse(m, "training needs random numbers");
		return;
	}
	if (!v.data && !v.empty && !v.part)
		(void)lt__onnx_node(m, &v);
	lt__onnx_give_value(c, 0, &v);
	lt_node x = lt__onnx_wants(c, 1) ? lt__onnx_in(c, 0) : LT_NONE;
	if (x < 0)
		return;
	lt_node one = lt__onnx_whole(m, c->version < 10 ? v.dtype : LT_BOOL, 1);
	lt_var dims[LT_MAX_RANK];
	for (int32_t i = 0; i < v.rank; i++)
		dims[i] = lt_node_dim(m->graph, x, i);
	lt__onnx_give(c, 1, lt_graph_op_to(m->graph, "copy", 1, &one, v.rank, dims));
}
