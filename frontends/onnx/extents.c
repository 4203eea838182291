/* frontends/onnx/extents.c -- views whose extents may be run-time ones: see trace.h. */
#include <string.h>
#include "frontends/onnx/position.h"
#include "frontends/onnx/trace.h"

struct lt_linear lt__onnx_extent_sum(struct lt_onnx *m, lt_node x, int32_t axis)
{
	const struct lt_vardef *v = &m->graph->var[lt_node_dim(m->graph, x, axis)];
	return v->bounded ? v->limit : (struct lt_linear){ .constant = v->extent };
}

struct lt_linear lt__onnx_difference(struct lt_onnx *m, const struct lt_linear *a, const struct lt_linear *b)
{
	const int32_t n = a->n + b->n;
	lt_param *param = LT_NEW(m->arena, lt_param, n + 1);
	int64_t *coef = LT_NEW(m->arena, int64_t, n + 1), constant;
	bool overflow = __builtin_sub_overflow(a->constant, b->constant, &constant);
	struct lt_linear out = { 0 };
	for (int32_t i = 0; i < n; i++) {
		param[i] = i < a->n ? a->param[i] : b->param[i - a->n];
		coef[i] = i < a->n ? a->coef[i] : 0;
		overflow |= i >= a->n && __builtin_sub_overflow((int64_t)0, b->coef[i - a->n], &coef[i]);
	}
	if (overflow)
		lt__onnx_refuse(m, "an extent exceeds 63 bits");
	else
		(void)lt__linear_make(m->graph, constant, n, param, coef, &out);
	return out;
}

/* The value of a run-time scalar: what it is read from. */
static lt_node symbol_node(struct lt_onnx *m, lt_param p)
{
	return m->graph->param[p].source;
}

lt_node lt__onnx_extent_node(struct lt_onnx *m, lt_node x, int32_t axis)
{
	if (x < 0)
		return LT_NONE;
	const struct lt_linear sum = lt__onnx_extent_sum(m, x, axis);
	lt_node y = LT_NONE;
	for (int32_t i = 0; i < sum.n; i++) {
		lt_node part = symbol_node(m, sum.param[i]);
		part = sum.coef[i] == 1 ? part : lt__onnx_op2(m, "mul", part, lt__onnx_whole(m, LT_I64, sum.coef[i]));
		y = i ? lt__onnx_op2(m, "add", y, part) : part;
	}
	if (!sum.n || sum.constant)
		y = y < 0 ? lt__onnx_whole(m, LT_I64, sum.constant) :
			lt__onnx_op2(m, "add", y, lt__onnx_whole(m, LT_I64, sum.constant));
	return y;
}

lt_node lt__onnx_expand_to(struct lt_onnx *m, lt_node x, int32_t rank, const struct lt_linear *shape)
{
	if (x < 0)
		return LT_NONE;
	const int32_t own = lt_node_rank(m->graph, x), n = rank > own ? rank : own;
	int32_t *at = LT_NEW(m->arena, int32_t, own + 1);
	lt_var *v = LT_NEW(m->arena, lt_var, n + 1);
	for (int32_t i = 0; i < n; i++) {
		const int32_t k = i - (n - own), j = i - (n - rank);
		const struct lt_linear one = { .constant = 1 }, have = k >= 0 ? lt__onnx_extent_sum(m, x, k) : one;
		const struct lt_linear want = j >= 0 ? shape[j] : one;
		const bool single = lt__linear_equal(&have, &one), asked = !lt__linear_equal(&want, &one);
		const bool same = lt__linear_equal(&have, &want);
		if ((want.n == 0 && want.constant < 1) || (!same && asked && !single)) {
			lt__onnx_refuse(m, "a value of %lld elements at axis -%d cannot be broadcast to %lld",
				(long long)lt__onnx_most(m, &have), n - i, (long long)lt__onnx_most(m, &want));
			return LT_NONE;
		}
		const bool stretched = single && asked;
		v[i] = stretched || k < 0 ? lt__onnx_sum_var(m, &want) : lt_node_dim(m->graph, x, k);
		if (k >= 0)
			at[k] = stretched ? -1 : i;
	}
	return lt__onnx_view(m, x, n, v, at);
}

/* "'batch'": the first run-time extent of a value. */
static const char *symbol_of(struct lt_onnx *m, lt_node x)
{
	for (int32_t i = 0; x >= 0 && i < lt_node_rank(m->graph, x); i++) {
		const struct lt_linear sum = lt__onnx_extent_sum(m, x, i);
		for (int32_t k = 0; sum.n && k < m->n_symbol; k++)
			if (m->symbol[k].param == sum.param[0])
				return m->symbol[k].name;
	}
	return NULL;
}

lt_node lt__onnx_merged(struct lt_onnx *m, lt_node x)
{
	const char *name = symbol_of(m, x);
	if (name)
		lt__onnx_refuse(m, "the extent '%s', which differs from run to run, is merged with another one or split: --dim %s=8 "
			"fixes it", name, name);
	return LT_NONE;
}

lt_node lt__onnx_reshape_to(struct lt_onnx *m, lt_node x, int32_t rank, const struct lt_linear *want)
{
	int64_t *shape = LT_NEW(m->arena, int64_t, rank + 1), product = 1, elems = 1;
	int32_t open = -1;
	if (x < 0)
		return LT_NONE;
	for (int32_t i = 0; i < lt_node_rank(m->graph, x); i++)
		elems *= lt__onnx_extent(m, x, i);
	for (int32_t i = 0; i < rank; i++) {
		const bool rest = want[i].n == 0 && want[i].constant == -1;
		shape[i] = rest ? 1 : lt__onnx_most(m, &want[i]);
		open = rest ? i : open;
		if (shape[i] < 1 || lt__mul_overflow(product, shape[i], &product)) {
			lt__onnx_refuse(m, "%s is no shape", lt__onnx_shape(m, rank, shape));
			return LT_NONE;
		}
	}
	if (open >= 0)
		shape[open] = elems / product;
	if (open >= 0 ? shape[open] * product != elems : product != elems)
		return lt__onnx_merged(m, x);
	lt_node y = lt_graph_reshape(m->graph, x, rank, shape);
	if (y < 0)
		return lt__onnx_merged(m, x);
	for (int32_t i = 0; i < rank; i++) {
		const struct lt_linear have = lt__onnx_extent_sum(m, y, i);
		if (i != open && !lt__linear_equal(&have, &want[i]))
			return lt__onnx_merged(m, x);
	}
	return y;
}

lt_node lt__onnx_part(struct lt_onnx *m, lt_node x, int32_t axis, const struct lt_linear *begin,
	const struct lt_linear *end)
{
	const struct lt_linear extent = lt__onnx_extent_sum(m, x, axis), count = lt__onnx_difference(m, end, begin);
	if (lt__onnx_failed(m))
		return LT_NONE;
	if (begin->n == 0 && begin->constant == 0 && lt__linear_equal(&extent, end))
		return x;
	const int32_t rank = lt_node_rank(m->graph, x), width = 1 + begin->n + rank;
	lt_var *v = LT_NEW(m->arena, lt_var, rank + 1);
	int64_t *row = LT_NEW(m->arena, int64_t, (int64_t)rank * width);
	for (int32_t i = 0; i < rank; i++) {
		v[i] = i == axis ? lt__onnx_sum_var(m, &count) : lt_node_dim(m->graph, x, i);
		row[(int64_t)i * width + 1 + begin->n + i] = 1;
	}
	row[(int64_t)axis * width] = begin->constant;
	for (int32_t k = 0; k < begin->n; k++)
		row[(int64_t)axis * width + 1 + k] = begin->coef[k];
	struct lt_view_piece piece = { .source = x, .map = { .n_param = begin->n, .n_dim = rank, .n_row = rank,
		.param = begin->param, .row = row } };
	return lt_graph_view(m->graph, rank, v, 1, &piece, 0, 0);
}
