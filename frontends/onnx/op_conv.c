/* op_conv.c -- convolutions and their transposes. */
#include <string.h>
#include "frontends/onnx/builders.h"
#include "frontends/onnx/window.h"
#include "frontends/onnx/trace.h"

/* b [M] added to y [N, M, ...], which is of the type of the sum: rounded once, after it, to that of `like`. */
static lt_node add_bias(struct lt_onnx_call *c, int32_t i, lt_node y, lt_node like)
{
	struct lt_onnx *m = c->m;
	if (y < 0)
		return y;
	const int32_t rank = lt__onnx_rank(m, y);
	bool *mask = LT_NEW(m->arena, bool, rank + 1);
	for (int32_t k = 0; k < rank; k++)
		mask[k] = k != 1;
	if (i >= 0 && lt__onnx_has(c, i))
		y = lt__onnx_op2(m, "add", y, lt__onnx_unsqueeze(m, lt__onnx_wide(m, lt__onnx_in(c, i)), rank, mask));
	return lt__onnx_cast(m, y, lt_node_dtype(m->graph, like));
}

/* x [N, G C, ..] as [N, G, C, ..], w [G M, C, ..] as [G, M, C, ..] */
static lt_node conv_group(struct lt_onnx *m, lt_node x, int32_t axis, int64_t groups)
{
	int64_t shape[LT_MAX_RANK];
	const int32_t rank = lt__onnx_rank(m, x);
	for (int32_t i = 0; i < rank; i++)
		shape[i + (i > axis)] = lt__onnx_extent(m, x, i);
	shape[axis + 1] = shape[axis] / groups;
	shape[axis] = groups;
	for (int32_t i = axis + 1; i < rank; i++)
		shape[i + 1] = lt__onnx_extent(m, x, i);
	return lt__onnx_reshape(m, x, rank + 1, shape);
}

/* Sum over channels and taps, of x and w as they are: x [N, G, C, o.., t..], w [G, M, C, t..] to [N, G M, o..]. */
static lt_node conv_sum(struct lt_onnx *m, lt_node x, lt_node w, int32_t n)
{
	if (x < 0 || w < 0)
		return LT_NONE;
	struct lt_graph *g = m->graph;
	lt_var v[LT_MAX_RANK], over[LT_MAX_RANK];
	int64_t shape[LT_MAX_RANK];
	v[0] = lt_node_dim(g, x, 1);
	v[1] = lt__onnx_like(m, w, 1);
	v[2] = over[0] = lt_node_dim(g, x, 2);
	for (int32_t i = 0; i < n; i++)
		v[3 + i] = over[1 + i] = lt_node_dim(g, x, 3 + n + i);
	/* [N, G, o.., M] of the operands' vars in order */
	lt_node y = lt_graph_contract(g, x, lt_graph_rename(g, w, 3 + n, v), 1 + n, over);
	int32_t perm[LT_MAX_RANK];
	for (int32_t i = 0; i < n + 3; i++)
		perm[i] = i < 2 ? i : i == 2 ? n + 2 : i - 1;
	y = lt__onnx_transpose(m, y, perm);
	if (y < 0)
		return LT_NONE;
	shape[0] = lt__onnx_extent(m, y, 0);
	shape[1] = lt__onnx_extent(m, y, 1) * lt__onnx_extent(m, y, 2);
	for (int32_t i = 0; i < n; i++)
		shape[2 + i] = lt__onnx_extent(m, y, 3 + i);
	return lt__onnx_reshape(m, y, n + 2, shape);
}

static bool conv_fits(struct lt_onnx *m, lt_node x, int64_t in, int64_t out, int64_t groups)
{
	if (groups >= 1 && in % groups == 0 && out % groups == 0)
		return true;
	lt__onnx_refuse(m, "%lld channels to %lld in %lld groups: %s", (long long)in, (long long)out, (long long)groups,
		x < 0 ? "" : "the groups divide both");
	return false;
}

static lt_node conv_plain(struct lt_onnx *m, lt_node x, lt_node w, const struct lt_onnx_window *p, int64_t groups)
{
	if (p->n == 2) {
		const int64_t pads[4] = { p->before[0], p->before[1], p->after[0], p->after[1] };
		return lt_build_conv2d(m->graph, x, w, p->stride, pads, p->dilation, groups, LT_NCHW);
	}
	lt_var taps[LT_ONNX_SPATIAL];
	lt_node windows = lt__onnx_windows(m, x, p, 0, taps);
	return conv_sum(m, conv_group(m, windows, 1, groups), conv_group(m, w, 0, groups), p->n);
}

lt_node lt__onnx_conv(struct lt_onnx_call *c, lt_node x, lt_node w, int32_t bias)
{
	struct lt_onnx *m = c->m;
	const int64_t groups = lt__onnx_int(c, "group", 1);
	struct lt_onnx_window p;
	if (x < 0 || w < 0)
		return LT_NONE;
	if (lt__onnx_rank(m, w) != lt__onnx_rank(m, x)) {
		lt__onnx_refuse(m, "weights of rank %d for an image of rank %d", lt__onnx_rank(m, w), lt__onnx_rank(m, x));
		return LT_NONE;
	}
	int64_t kernel[LT_MAX_RANK];
	for (int32_t i = 2; i < lt__onnx_rank(m, w); i++)
		kernel[i - 2] = lt__onnx_extent(m, w, i);
	if (!lt__onnx_window_read(c, x, kernel, &p) || !conv_fits(m, x, lt__onnx_extent(m, x, 1), lt__onnx_extent(m, w, 0),
		groups))
		return LT_NONE;
	if (lt__onnx_extent(m, w, 1) * groups != lt__onnx_extent(m, x, 1)) {
		lt__onnx_refuse(m, "weights for %lld channels in %lld groups, but the image has %lld",
			(long long)lt__onnx_extent(m, w, 1), (long long)groups, (long long)lt__onnx_extent(m, x, 1));
		return LT_NONE;
	}
	return add_bias(c, bias, conv_plain(m, lt__onnx_wide(m, x), lt__onnx_wide(m, w), &p, groups), w);
}

void lt__onnx_build_conv(struct lt_onnx_call *c)
{
	lt__onnx_give(c, 0, lt__onnx_conv(c, lt__onnx_in(c, 0), lt__onnx_in(c, 1), 2));
}

/* One axis of a transposed convolution: element o - t of the image with its elements `stride` apart, 0 between them.
 * Axis `axis` becomes (out, tap). */
static lt_node spread_window(struct lt_onnx *m, lt_node x, int32_t axis, lt_var out, lt_var tap, int64_t stride,
	int64_t dilation, int64_t before)
{
	struct lt_graph *g = m->graph;
	if (x < 0)
		return LT_NONE;
	const int32_t rank = lt__onnx_rank(m, x), width = 1 + rank + 1 + 1;
	const int64_t extent = lt__onnx_extent(m, x, axis);
	lt_var v[LT_MAX_RANK];
	int64_t *row = LT_NEW(m->arena, int64_t, (int64_t)rank * width), *div = LT_NEW(m->arena, int64_t, width + 1),
		*guard = LT_NEW(m->arena, int64_t, 3 * (int64_t)width);
	for (int32_t i = 0; i < rank; i++) {
		v[i + (i > axis)] = lt_node_dim(g, x, i);
		if (i != axis)
			row[(int64_t)i * width + 1 + i + (i > axis)] = 1;
	}
	v[axis] = out;
	v[axis + 1] = tap;
	const int32_t quotient = 1 + rank + 1;
	/* place = out + before - tap * dilation; quotient = floor(place / stride) */
	div[0] = stride;
	div[1] = before;
	div[1 + 1 + axis] = 1;
	div[1 + 1 + axis + 1] = -dilation;
	row[(int64_t)axis * width + quotient] = 1;
	/* quotient >= 0, quotient <= extent - 1, place - stride * quotient <= 0 */
	guard[quotient] = 1;
	guard[width] = extent - 1;
	guard[width + quotient] = -1;
	guard[2 * width] = -before;
	guard[2 * width + 1 + axis] = -1;
	guard[2 * width + 1 + axis + 1] = dilation;
	guard[2 * width + quotient] = stride;
	struct lt_view_piece piece = { .source = x, .map = { .n_dim = rank + 1, .n_div = 1, .n_guard = 3, .n_row = rank,
		.div = div, .guard = guard, .row = row } };
	return lt_graph_view(g, rank + 1, v, 1, &piece, 0, 1);
}

/* The positions of the result, and how many of them are cut off before. */
static bool transposed_plan(struct lt_onnx_call *c, lt_node x, struct lt_onnx_window *p)
{
	struct lt_onnx *m = c->m;
	int32_t n_more, n_shape;
	const int64_t *more = lt__onnx_ints(c, "output_padding", &n_more), *shape = lt__onnx_ints(c, "output_shape", &n_shape);
	const char *how = lt__onnx_text(c, "auto_pad", "NOTSET");
	if ((more && n_more != p->n) || (shape && n_shape != p->n && n_shape != p->n + 2)) {
		lt__onnx_refuse(m, "its lists of numbers do not fit an image of rank %d", lt__onnx_rank(m, x));
		return false;
	}
	for (int32_t i = 0; i < p->n; i++) {
		int64_t reach = (p->kernel[i] - 1) * p->dilation[i] + 1, extra = more ? more[i] : 0;
		int64_t full = (p->extent[i] - 1) * p->stride[i] + reach + extra;
		bool same = !strncmp(how, "SAME", 4);
		if (shape || same) {
			p->out[i] = shape ? shape[i + n_shape - p->n] : p->extent[i] * p->stride[i];
			int64_t cut = full - p->out[i];
			if (same && cut < 0) {
				lt__onnx_refuse(m, "attribute 'auto_pad' is '%s' where steps are larger than the window", how);
				return false;
			}
			p->before[i] = cut < 0 ? 0 : !strcmp(how, "SAME_UPPER") ? cut / 2 : cut - cut / 2;
		} else {
			p->out[i] = full - p->before[i] - p->after[i];
		}
		if (p->out[i] < 1 || extra < 0) {
			lt__onnx_refuse(m, "its result has no elements at axis %d", i + 2);
			return false;
		}
	}
	return true;
}

void lt__onnx_build_conv_transpose(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	lt_node x = lt__onnx_in(c, 0), w = lt__onnx_in(c, 1);
	const int64_t groups = lt__onnx_int(c, "group", 1);
	struct lt_onnx_window p;
	int64_t kernel[LT_MAX_RANK];
	if (x < 0 || w < 0)
		return;
	const int32_t rank = lt__onnx_rank(m, x);
	if (lt__onnx_rank(m, w) != rank || rank < 3) {
		lt__onnx_refuse(m, "weights of rank %d for an image of rank %d", lt__onnx_rank(m, w), rank);
		return;
	}
	for (int32_t i = 2; i < rank; i++) {
		kernel[i - 2] = lt__onnx_extent(m, w, i);
		if (!lt__onnx_fixed(m, x, i, "the extent of an axis that windows are moved over"))
			return;
	}
	/* A window that is larger than the image is none that is moved over it: read with that of one element. */
	if (!lt__onnx_window_read(c, x, NULL, &p) && lt__onnx_failed(m))
		lt_context_clear(m->ctx);
	memcpy(p.kernel, kernel, sizeof *kernel * (size_t)p.n);
	if (!transposed_plan(c, x, &p) || !conv_fits(m, x, lt__onnx_extent(m, x, 1), lt__onnx_extent(m, w, 1) * groups,
		groups))
		return;
	if (lt__onnx_extent(m, w, 0) != lt__onnx_extent(m, x, 1)) {
		lt__onnx_refuse(m, "weights for %lld channels, but the image has %lld", (long long)lt__onnx_extent(m, w, 0),
			(long long)lt__onnx_extent(m, x, 1));
		return;
	}
	int32_t perm[LT_MAX_RANK];
	for (int32_t i = 0; i < p.n; i++)
		x = spread_window(m, x, 2 + 2 * i, lt__onnx_var(m, p.out[i]), lt__onnx_var(m, p.kernel[i]), p.stride[i],
			p.dilation[i], p.before[i]);
	for (int32_t i = 0; i < 2 + 2 * p.n; i++)
		perm[i] = i < 2 ? i : i < 2 + p.n ? 2 + 2 * (i - 2) : 3 + 2 * (i - 2 - p.n);
	x = conv_group(m, lt__onnx_transpose(m, lt__onnx_wide(m, x), perm), 1, groups);
	/* w [G C, M, ..] as [G, C, M, ..] as [G, M, C, ..] */
	lt_node weights = lt__onnx_swap(m, conv_group(m, lt__onnx_wide(m, w), 0, groups), 1, 2);
	lt__onnx_give(c, 0, add_bias(c, 2, conv_sum(m, x, weights, p.n), w));
}
