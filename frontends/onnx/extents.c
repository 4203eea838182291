/* extents.c -- views whose extents may be run-time ones: see trace.h. */
#include <string.h>
#include "frontends/onnx/trace.h"
#include "ir/node/node.h"

struct lt_linear lt__onnx_extent_sum(struct lt_onnx *m, lt_node x, int32_t axis)
{
	const struct lt_vardef *v = &m->graph->var[lt_node_dim(m->graph, x, axis)];
	return v->bounded ? v->limit : (struct lt_linear){ .constant = v->extent };
}

/* a - b; of sums that do not fit: 0 with a sentence. */
static struct lt_linear difference(struct lt_onnx *m, const struct lt_linear *a, const struct lt_linear *b)
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

lt_node lt__onnx_poly_node(struct lt_onnx *m, const struct lt_onnx_poly *a)
{
	lt_node y = LT_NONE;
	for (int32_t i = 0; i < a->n; i++) {
		const struct lt_onnx_term *t = &a->term[i];
		lt_node part = t->n && t->coef == 1 ? LT_NONE : lt__onnx_whole(m, LT_I64, t->coef);
		for (int32_t k = 0; k < t->n; k++) {
			lt_node scalar = m->graph->param[t->param[k]].source;
			if (lt_node_rank(m->graph, scalar))     /* an input of one element */
				scalar = lt__pos_at(m->graph, scalar, 0, 0);
			part = part < 0 ? scalar : lt__onnx_op2(m, "mul", part, scalar);
		}
		y = i ? lt__onnx_op2(m, "add", y, part) : part;
	}
	return a->n ? y : lt__onnx_whole(m, LT_I64, 0);
}

lt_node lt__onnx_extent_node(struct lt_onnx *m, lt_node x, int32_t axis)
{
	if (x < 0)
		return LT_NONE;
	const struct lt_linear sum = lt__onnx_extent_sum(m, x, axis);
	const struct lt_onnx_poly poly = lt__poly_linear(m, &sum);
	return lt__onnx_poly_node(m, &poly);
}

bool lt__onnx_fixed(struct lt_onnx *m, lt_node x, int32_t axis, const char *what)
{
	if (x < 0 || !lt__onnx_bounded(m, x, axis))
		return x >= 0;
	const struct lt_linear sum = lt__onnx_extent_sum(m, x, axis);
	const struct lt_onnx_poly extent = lt__poly_linear(m, &sum);
	lt__onnx_refuse(m, "%s, %s, differs from run to run: %s", what, lt__poly_text(m, &extent),
		lt__poly_fixes(m, 1, &extent));
	return false;
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

lt_node lt__onnx_part(struct lt_onnx *m, lt_node x, int32_t axis, const struct lt_linear *begin,
	const struct lt_linear *end)
{
	const struct lt_linear extent = lt__onnx_extent_sum(m, x, axis), count = difference(m, end, begin);
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

/* Positions of the result up to `end` (NULL: all) show x from `begin` on; what is below that is in pieces before. */
static struct lt_view_piece join_piece(struct lt_onnx *m, lt_node x, int32_t axis, const struct lt_linear *begin,
	const struct lt_linear *end)
{
	const int32_t rank = lt_node_rank(m->graph, x);
	const int32_t n_param = begin->n + (end ? end->n : 0), width = 1 + n_param + rank;
	lt_param *param = LT_NEW(m->arena, lt_param, n_param + 1);
	int64_t *row = LT_NEW(m->arena, int64_t, (int64_t)rank * width), *guard = LT_NEW(m->arena, int64_t, width);
	for (int32_t k = 0; k < begin->n; k++)
		param[k] = begin->param[k];
	for (int32_t k = 0; end && k < end->n; k++)
		param[begin->n + k] = end->param[k];
	for (int32_t i = 0; i < rank; i++)
		row[(int64_t)i * width + 1 + n_param + i] = 1;
	row[(int64_t)axis * width] = -begin->constant;
	for (int32_t k = 0; k < begin->n; k++)
		row[(int64_t)axis * width + 1 + k] = -begin->coef[k];
	if (end) {
		guard[0] = end->constant - 1;
		for (int32_t k = 0; k < end->n; k++)
			guard[1 + begin->n + k] = end->coef[k];
		guard[1 + n_param + axis] = -1;
	}
	return (struct lt_view_piece){ .source = x, .map = { .n_param = n_param, .n_dim = rank, .n_guard = end != NULL,
		.n_row = rank, .param = param, .guard = guard, .row = row } };
}

static lt_node join_bounded(struct lt_onnx *m, int32_t axis, int32_t n, const lt_node *x)
{
	const int32_t rank = lt_node_rank(m->graph, x[0]);
	struct lt_view_piece *piece = LT_NEW(m->arena, struct lt_view_piece, n);
	struct lt_onnx_poly end = lt__poly_whole(m, 0), begin;
	struct lt_linear from = { 0 }, to;
	for (int32_t k = 0; k < n; k++) {
		bool same = lt_node_rank(m->graph, x[k]) == rank && lt_node_dtype(m->graph, x[k]) == lt_node_dtype(m->graph, x[0]);
		for (int32_t i = 0; same && i < rank; i++)
			same = i == axis || lt__var_same_range(m->graph, lt_node_dim(m->graph, x[k], i), lt_node_dim(m->graph, x[0], i));
		if (!same) {
			lt__onnx_refuse(m, "values whose types or extents differ cannot be joined along axis %d", axis);
			return LT_NONE;
		}
		const struct lt_linear extent = lt__onnx_extent_sum(m, x[k], axis);
		const struct lt_onnx_poly own = lt__poly_linear(m, &extent);
		begin = end;
		if (!lt__poly_add(m, &begin, &own, 1, &end) || !lt__poly_sum(m, &begin, &from) || !lt__poly_sum(m, &end, &to)) {
			lt__onnx_refuse(m, "the joined axis exceeds 63 bits");
			return LT_NONE;
		}
		piece[k] = join_piece(m, x[k], axis, &from, k + 1 < n ? &to : NULL);
	}
	lt_var *v = LT_NEW(m->arena, lt_var, rank + 1);
	for (int32_t i = 0; i < rank; i++)
		v[i] = i == axis ? lt__onnx_sum_var(m, &to) : lt_node_dim(m->graph, x[0], i);
	return lt_graph_view(m->graph, rank, v, n, piece, 0, 0);
}

lt_node lt__onnx_join(struct lt_onnx *m, int32_t axis, int32_t n, const lt_node *x)
{
	bool bounded = false;
	for (int32_t i = 0; i < n; i++) {
		if (x[i] < 0)
			return LT_NONE;
		bounded = bounded || (axis < lt_node_rank(m->graph, x[i]) && lt__onnx_bounded(m, x[i], axis));
	}
	return bounded && n > 1 ? join_bounded(m, axis, n, x) : lt__onnx_concat(m, axis, n, x);
}

lt_node lt__onnx_filled(struct lt_onnx *m, lt_node x, int32_t first, int32_t count)
{
	int32_t n_param = 0, n_guard = 0, rank = lt__onnx_rank(m, x);
	for (int32_t i = first; x >= 0 && i < first + count; i++) {
		n_param += lt__onnx_bounded(m, x, i) ? lt__onnx_extent_sum(m, x, i).n : 0;
		n_guard += lt__onnx_bounded(m, x, i);
	}
	if (x < 0 || !n_guard)
		return x;
	const int32_t width = 1 + n_param + rank;
	lt_param *param = LT_NEW(m->arena, lt_param, n_param);
	lt_var *v = LT_NEW(m->arena, lt_var, rank);
	int64_t *row = LT_NEW(m->arena, int64_t, (int64_t)rank * width);
	int64_t *guard = LT_NEW(m->arena, int64_t, (int64_t)n_guard * width), *at = guard;
	for (int32_t i = 0, p = 0; i < rank; i++) {
		const bool bounded = i >= first && i < first + count && lt__onnx_bounded(m, x, i);
		const struct lt_linear sum = lt__onnx_extent_sum(m, x, i);
		v[i] = bounded ? lt__onnx_var(m, lt__onnx_extent(m, x, i)) : lt_node_dim(m->graph, x, i);
		row[(int64_t)i * width + 1 + n_param + i] = 1;
		if (!bounded)
			continue;
		at[0] = sum.constant - 1;
		for (int32_t k = 0; k < sum.n; k++, p++) {
			param[p] = sum.param[k];
			at[1 + p] = sum.coef[k];
		}
		at[1 + n_param + i] = -1;
		at += width;
	}
	const struct lt_view_piece piece = { .source = x, .map = { .n_param = n_param, .n_dim = rank, .n_guard = n_guard,
		.n_row = rank, .param = param, .guard = guard, .row = row } };
	return lt_graph_view(m->graph, rank, v, 1, &piece, 0, 1);
}
