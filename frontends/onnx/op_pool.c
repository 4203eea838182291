/* op_pool.c -- pools: the largest, the mean and the p-norm of windows. */
#include <math.h>
#include <string.h>
#include "frontends/onnx/builders.h"
#include "frontends/onnx/window.h"

/* Over the taps, the last axes. */
static lt_node pool_reduce(struct lt_onnx *m, const char *op, lt_node x, int32_t n)
{
	const int32_t rank = lt__onnx_rank(m, x);
	bool *over = LT_NEW(m->arena, bool, rank + 1);
	for (int32_t i = 0; i < n; i++)
		over[rank - 1 - i] = true;
	return x < 0 ? LT_NONE : lt__onnx_reduce(m, op, x, over, false);
}

/* Where each element of an image is among the spatial ones; the last axis (column: the first) fastest. */
static lt_node pool_places(struct lt_onnx *m, lt_node x, const struct lt_onnx_window *p, bool column)
{
	const int32_t rank = lt__onnx_rank(m, x);
	int64_t step = 1;
	lt_node sum = LT_NONE;
	for (int32_t k = 0; k < p->n; k++) {
		int32_t i = column ? k : p->n - 1 - k;
		lt_node at = lt__onnx_opf(m, "mul", lt__onnx_range(m, p->extent[i], 2 + i, rank), (double)step);
		sum = k ? lt__onnx_op2(m, "add", sum, at) : at;
		step *= p->extent[i];
	}
	for (int32_t i = 1; i >= 0; i--) {
		int64_t extent = lt__onnx_extent(m, x, i);
		lt_node at = lt__onnx_opf(m, "mul", lt__onnx_range(m, extent, i, rank), (double)step);
		sum = lt__onnx_op2(m, "add", sum, at);
		step *= extent;
	}
	return sum;
}

void lt__onnx_build_max_pool(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	lt_node x = lt__onnx_in(c, 0), wide = lt__onnx_wide(m, x);
	const bool column = lt__onnx_int(c, "storage_order", 0) != 0;
	struct lt_onnx_window p;
	lt_var taps[LT_ONNX_SPATIAL];
	if (!lt__onnx_window_read(c, x, NULL, &p))
		return;
	lt_node windows = lt__onnx_windows(m, wide, &p, -INFINITY, taps), y = pool_reduce(m, "max", windows, p.n);
	lt__onnx_give(c, 0, y < 0 ? LT_NONE : lt__onnx_cast(m, y, lt_node_dtype(m->graph, x)));
	if (!lt__onnx_wants(c, 1) || y < 0)
		return;
	/* The least place at which the largest is; the padding is at -1. */
	lt_node places = lt__onnx_windows(m, pool_places(m, x, &p, column), &p, -1, taps);
	bool *mask = LT_NEW(m->arena, bool, 3 * LT_ONNX_SPATIAL);
	for (int32_t i = 0; i < p.n; i++)
		mask[2 + p.n + i] = true;
	lt_node best = lt__onnx_unsqueeze(m, y, 2 + 2 * p.n, mask);
	lt_node hit = lt__onnx_op2(m, "and", lt__onnx_op2(m, "eq", windows, best), lt__onnx_opf(m, "greaterequal", places, 0));
	lt__onnx_give(c, 1, pool_reduce(m, "min", lt__onnx_select(m, hit, places, lt__onnx_whole(m, LT_I64, INT64_MAX)), p.n));
}

/* How many elements of each window count along an axis: those of the image, or of the padding that is asked for,
 * too; [1, 1, .., out, ..]. */
static lt_node pool_count(struct lt_onnx *m, const struct lt_onnx_window *p, int32_t i, bool pads, enum lt_dtype t)
{
	int64_t shape[LT_MAX_RANK];
	for (int32_t k = 0; k < p->n + 2; k++)
		shape[k] = k == i + 2 ? p->out[i] : 1;
	char *data = lt__onnx_room(m, t, p->n + 2, shape);
	for (int64_t o = 0; o < p->out[i]; o++) {
		double count = 0;
		for (int64_t k = 0; k < p->kernel[i]; k++) {
			int64_t at = o * p->stride[i] + k * p->dilation[i] - p->before[i];
			count += pads ? at < p->extent[i] + p->after[i] : at >= 0 && at < p->extent[i];
		}
		lt__store(data, o, t, (union lt_scalar){ .f = count });
	}
	struct lt_onnx_value v = lt__onnx_of_data(m, t, p->n + 2, shape, data);
	v.name = "count";
	return lt__onnx_node(m, &v);
}

void lt__onnx_build_average_pool(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	lt_node x = lt__onnx_in(c, 0), wide = lt__onnx_wide(m, x);
	const bool pads = lt__onnx_int(c, "count_include_pad", 0) != 0;
	struct lt_onnx_window p;
	lt_var taps[LT_ONNX_SPATIAL];
	if (!lt__onnx_window_read(c, x, NULL, &p))
		return;
	lt_node y = pool_reduce(m, "add", lt__onnx_windows(m, wide, &p, 0, taps), p.n);
	const enum lt_dtype t = lt_node_dtype(m->graph, wide);
	double whole = 1;
	for (int32_t i = 0; i < p.n; i++) {
		bool all = p.before[i] == 0 && (p.out[i] - 1) * p.stride[i] + (p.kernel[i] - 1) * p.dilation[i] < p.extent[i];
		if (all)
			whole *= (double)p.kernel[i];
		else
			y = lt__onnx_op2(m, "div", y, pool_count(m, &p, i, pads, t));
	}
	y = whole > 1 ? lt__onnx_opf(m, "div", y, whole) : y;
	lt__onnx_give(c, 0, y < 0 ? LT_NONE : lt__onnx_cast(m, y, lt_node_dtype(m->graph, x)));
}

/* (sum |x|^p)^(1/p); x is of its computing type */
static lt_node norm_before(struct lt_onnx *m, lt_node x, double p)
{
	lt_node a = lt__onnx_op1(m, "abs", x);
	return p == 1 ? a : p == 2 ? lt__onnx_op2(m, "mul", x, x) : lt__onnx_opf(m, "pow", a, p);
}

static lt_node norm_after(struct lt_onnx *m, lt_node sum, double p)
{
	return p == 1 ? sum : p == 2 ? lt__onnx_op1(m, "sqrt", sum) : lt__onnx_opf(m, "pow", sum, 1 / p);
}

void lt__onnx_build_lp_pool(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	lt_node x = lt__onnx_in(c, 0), wide = lt__onnx_wide(m, x);
	const double order = (double)lt__onnx_int(c, "p", 2);
	struct lt_onnx_window p;
	lt_var taps[LT_ONNX_SPATIAL];
	if (!lt__onnx_window_read(c, x, NULL, &p))
		return;
	lt_node windows = lt__onnx_windows(m, norm_before(m, wide, order), &p, 0, taps);
	lt_node y = norm_after(m, pool_reduce(m, "add", windows, p.n), order);
	lt__onnx_give(c, 0, y < 0 ? LT_NONE : lt__onnx_cast(m, y, lt_node_dtype(m->graph, x)));
}

/* Over all spatial axes, which stay with one element; arg "max", "mean" or "norm" */
void lt__onnx_build_global_pool(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	lt_node x = lt__onnx_in(c, 0), wide = lt__onnx_wide(m, x), y;
	const int32_t rank = lt__onnx_rank(m, x);
	bool *over = LT_NEW(m->arena, bool, rank + 1);
	for (int32_t i = 2; i < rank; i++)
		over[i] = true;
	if (!strcmp(c->op->arg, "max")) {
		y = lt__onnx_reduce(m, "max", wide, over, true);
	} else if (!strcmp(c->op->arg, "mean")) {
		y = lt__onnx_mean(m, wide, over, true);
	} else {
		const double p = (double)lt__onnx_int(c, "p", 2);
		y = norm_after(m, lt__onnx_reduce(m, "add", norm_before(m, wide, p), over, true), p);
	}
	lt__onnx_give(c, 0, y < 0 ? LT_NONE : lt__onnx_cast(m, y, lt_node_dtype(m->graph, x)));
}
