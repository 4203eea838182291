/* conv.c -- convolution and pooling over images as graphs of primitives.
 *
 * Rows and columns become windows: view element (y, i) of an axis is element y*stride + i*dilation - pad of it, and
 * outside the image the fill.  A convolution is then a sum of products, a pool a reduction.
 */
#include "ir/build/parts.h"

/* Where each field is in an image and in weights. */
struct order { int32_t n, c, h, w, out, in, i, j; };
static const struct order orders[] = {
	[LT_NCHW] = { .n = 0, .c = 1, .h = 2, .w = 3, .out = 0, .in = 1, .i = 2, .j = 3 },
	[LT_NHWC] = { .n = 0, .h = 1, .w = 2, .c = 3, .i = 0, .j = 1, .in = 2, .out = 3 },
};
/* One axis of an image under a window. */
struct sweep { lt_var out, tap; int64_t stride, dilation, before; };

static bool is_image(struct lt_graph *g, lt_node x, enum lt_layout layout, const char *what)
{
	if (!lt__graph_has(g, x))
		return false;
	if (layout != LT_NCHW && layout != LT_NHWC)
		return lt__graph_fail(g, LT_EINVAL, "%s: there is no layout number %d", what, (int)layout), false;
	if (lt_node_rank(g, x) == 4)
		return true;
	lt__graph_fail(g, LT_ETYPE, "%s needs an image of rank 4 (%s), but '%.100s' has (%s)", what,
		layout == LT_NCHW ? "NCHW" : "NHWC", g->node[x].name, lt__node_shape_text(g, x));
	return false;
}

/* Number of positions of a window along an axis; -1 with a sentence if there is none. */
static int64_t positions(struct lt_graph *g, const char *what, const char *axis, int64_t extent, int64_t before,
	int64_t after, int64_t window, int64_t dilation, int64_t stride)
{
	int64_t padded, reach;

	if (window < 1 || stride < 1 || dilation < 1 || before < 0 || after < 0) {
		lt__graph_fail(g, LT_EINVAL,
			"%s: along the %s window %lld, stride %lld, dilation %lld, pads %lld and %lld: window, stride "
			"and dilation are at least 1, pads at least 0",
			what, axis, (long long)window, (long long)stride, (long long)dilation, (long long)before,
			(long long)after);
		return -1;
	}
	if (lt__add_overflow(extent, before, &padded) || lt__add_overflow(padded, after, &padded)
	    || lt__mul_overflow(dilation, window - 1, &reach) || lt__add_overflow(reach, 1, &reach)) {
		lt__graph_fail(g, LT_EOVERFLOW, "%s: along the %s the padded extent or the window exceeds 63 bits", what, axis);
		return -1;
	}
	if (reach > padded) {
		lt__graph_fail(g, LT_ETYPE,
			"%s: along the %s the window of %lld with dilation %lld reaches over %lld elements, but there "
			"are %lld + %lld + %lld (with pads)",
			what, axis, (long long)window, (long long)dilation, (long long)reach, (long long)before,
			(long long)extent, (long long)after);
		return -1;
	}
	return (padded - reach) / stride + 1;
}

/* Rows and columns of x as windows, outside it `fill`. */
static lt_node windows(struct lt_graph *g, lt_node x, int32_t row_axis, const struct sweep sweep[2], uint64_t fill)
{
	const struct sweep *rows = &sweep[0], *columns = &sweep[1];

	x = lt_graph_window(g, x, row_axis, rows->out, rows->tap, rows->stride, rows->dilation, rows->before, fill);
	return lt_graph_window(g, x, row_axis + 2, columns->out, columns->tap, columns->stride, columns->dilation,
		columns->before, fill);
}

/* Fills sweep from the shape of x; tap vars are set by the caller. */
static bool plan(struct lt_graph *g, const char *what, lt_node x, const struct order *o, const int64_t window[2],
	const int64_t strides[2], const int64_t pads[4], const int64_t dilations[2], struct sweep sweep[2])
{
	for (int32_t i = 0; i < 2; i++) {
		int64_t extent = lt_var_extent(g, lt_node_dim(g, x, i == 0 ? o->h : o->w));
		int64_t count = positions(g, what, i == 0 ? "rows" : "columns", extent, pads[i], pads[i + 2], window[i], dilations[i],
			strides[i]);
		if (count < 0)
			return false;
		sweep[i].out = lt_graph_var(g, i == 0 ? "y" : "x", count);
		sweep[i].stride = strides[i];
		sweep[i].dilation = dilations[i];
		sweep[i].before = pads[i];
		if (sweep[i].out < 0)
			return false;
	}
	return true;
}

static bool can_convolve(struct lt_graph *g, lt_node x, lt_node w, const struct order *o, int64_t groups)
{
	if (lt_node_dtype(g, x) != lt_node_dtype(g, w)) {
		lt__graph_fail(g, LT_ETYPE, "conv2d: Different value types: %s of '%.100s' and %s of '%.100s'",
			lt__dtype_info(lt_node_dtype(g, x))->name, g->node[x].name, lt__dtype_info(lt_node_dtype(g, w))->name,
			g->node[w].name);
		return false;
	}
	if (lt_node_rank(g, w) != 4) {
		lt__graph_fail(g, LT_ETYPE, "conv2d needs weights of rank 4 (%s), but '%.100s' has (%s)",
			o->out == 0 ? "OIHW" : "HWIO", g->node[w].name, lt__node_shape_text(g, w));
		return false;
	}
	int64_t channels = lt_var_extent(g, lt_node_dim(g, x, o->c)), out = lt_var_extent(g, lt_node_dim(g, w, o->out));
	int64_t in = lt_var_extent(g, lt_node_dim(g, w, o->in));
	if (groups >= 1 && channels % groups == 0 && out % groups == 0 && in == channels / groups)
		return true;
	lt__graph_fail(g, LT_ETYPE,
		"conv2d: %lld channels, weights from %lld to %lld channels, %lld groups: groups must divide the "
		"channels of the image and of the result, and the weights take channels / groups",
		(long long)channels, (long long)in, (long long)out, (long long)groups);
	return false;
}

/* Vars of a convolution: g only with groups. */
struct fields { lt_var n, g, o, c, i, j; };

static int32_t add_channel(lt_var *dims, int32_t n, bool grouped, lt_var group, lt_var channel)
{
	if (grouped)
		dims[n++] = group;
	dims[n++] = channel;
	return n;
}

/* The image with its channels as groups x channels/groups. */
static lt_node group_image(struct lt_graph *g, lt_node x, const struct fields *f, bool nchw)
{
	lt_var nchw_dims[5] = { f->n, f->g, f->c, lt_node_dim(g, x, 2), lt_node_dim(g, x, 3) };
	lt_var nhwc_dims[5] = { f->n, lt_node_dim(g, x, 1), lt_node_dim(g, x, 2), f->g, f->c };

	return lt_graph_reshape_to(g, x, 5, nchw ? nchw_dims : nhwc_dims);
}

static lt_node group_weights(struct lt_graph *g, lt_node w, const struct fields *f, bool nchw, bool grouped)
{
	lt_var plain[4] = { f->o, f->c, f->i, f->j }, plain_hwio[4] = { f->i, f->j, f->c, f->o };
	lt_var oihw[5] = { f->g, f->o, f->c, f->i, f->j }, hwio[5] = { f->i, f->j, f->c, f->g, f->o };

	if (!grouped)
		return lt_graph_rename(g, w, 4, nchw ? plain : plain_hwio);
	return lt_graph_reshape_to(g, w, 5, nchw ? oihw : hwio);
}

/* Sum of products over c, i, j, with the channels of the result as groups x channels/groups. */
static lt_node convolve(struct lt_graph *g, lt_node x, lt_node w, const struct fields *f, const struct sweep sweep[2],
	bool nchw, bool grouped)
{
	lt_var dims[8] = { f->n }, over[3] = { f->c, f->i, f->j };
	lt_node operand[2] = { windows(g, x, nchw ? 2 + grouped : 1, sweep, 0), w };
	int32_t n = 1;

	if (nchw)
		n = add_channel(dims, n, grouped, f->g, f->o);
	dims[n++] = sweep[0].out;
	dims[n++] = sweep[1].out;
	if (!nchw)
		n = add_channel(dims, n, grouped, f->g, f->o);
	for (int32_t i = 0; i < 3; i++)
		dims[n++] = over[i];
	return lt_graph_reduce(g, "add", lt_graph_op_to(g, "mul", 2, operand, n, dims), 3, over);
}

lt_node lt_build_conv2d(struct lt_graph *g, lt_node x, lt_node w, const int64_t strides[2], const int64_t pads[4],
	const int64_t dilations[2], int64_t groups, enum lt_layout layout)
{
	if (!is_image(g, x, layout, "conv2d") || !lt__graph_has(g, w))
		return -1;
	const struct order *o = &orders[layout];
	bool nchw = layout == LT_NCHW, grouped = groups > 1;
	struct sweep sweep[2];
	if (!can_convolve(g, x, w, o, groups))
		return -1;
	int64_t window[2] = { lt_var_extent(g, lt_node_dim(g, w, o->i)), lt_var_extent(g, lt_node_dim(g, w, o->j)) };
	int64_t out = lt_var_extent(g, lt_node_dim(g, w, o->out)), channels = lt_var_extent(g, lt_node_dim(g, x, o->c));
	if (!plan(g, "conv2d", x, o, window, strides, pads, dilations, sweep))
		return -1;
	lt_var taken[4] = { lt_node_dim(g, x, 0), lt_node_dim(g, x, 1), lt_node_dim(g, x, 2), lt_node_dim(g, x, 3) };
	struct fields f = { .n = taken[0] };
	f.i = sweep[0].tap = lt__build_apart(g, "i", lt_node_dim(g, w, o->i), 4, taken);
	f.j = sweep[1].tap = lt__build_apart(g, "j", lt_node_dim(g, w, o->j), 4, taken);
	f.g = grouped ? lt_graph_var(g, "g", groups) : -1;
	f.c = grouped ? lt_graph_var(g, "c", channels / groups) : taken[o->c];
	f.o = grouped ? lt_graph_var(g, "o", out / groups) : lt__build_apart(g, "o", lt_node_dim(g, w, o->out), 4, taken);
	x = lt__build_wide(g, x);
	if (f.i < 0 || f.j < 0 || f.c < 0 || f.o < 0 || (grouped && f.g < 0) || x < 0)
		return -1;
	if (grouped)
		x = group_image(g, x, &f, nchw);
	lt_node weights = lt__build_wide(g, group_weights(g, w, &f, nchw, grouped));
	lt_node y = convolve(g, x, weights, &f, sweep, nchw, grouped);
	if (grouped && y >= 0) {
		lt_var whole = lt_graph_var(g, "o", out);
		lt_var by_channel[4] = { f.n, whole, sweep[0].out, sweep[1].out },
		       by_pixel[4] = { f.n, sweep[0].out, sweep[1].out, whole };
		y = whole < 0 ? -1 : lt_graph_reshape_to(g, y, 4, nchw ? by_channel : by_pixel);
	}
	return lt_graph_cast(g, y, lt_node_dtype(g, w));
}

/* Plans a pool: new tap vars, x in a computing type. */
static lt_node pool(struct lt_graph *g, const char *what, lt_node x, const struct order *o, const int64_t window[2],
	const int64_t strides[2], const int64_t pads[4], const int64_t dilations[2], struct sweep sweep[2])
{
	if (!plan(g, what, x, o, window, strides, pads, dilations, sweep))
		return -1;
	sweep[0].tap = lt_graph_var(g, "i", window[0]);
	sweep[1].tap = lt_graph_var(g, "j", window[1]);
	return sweep[0].tap < 0 || sweep[1].tap < 0 ? -1 : lt__build_wide(g, x);
}

lt_node lt_build_max_pool2d(struct lt_graph *g, lt_node x, const int64_t window[2], const int64_t strides[2],
	const int64_t pads[4], const int64_t dilations[2], enum lt_layout layout)
{
	struct sweep sweep[2];

	if (!is_image(g, x, layout, "max_pool2d"))
		return -1;
	enum lt_dtype t = lt_node_dtype(g, x);
	lt_node wide = pool(g, "max_pool2d", x, &orders[layout], window, strides, pads, dilations, sweep);
	if (wide < 0)
		return -1;
	union lt_scalar lowest = lt__convert(lt__op_identity(LT_OP_max, t), t, lt_node_dtype(g, wide));
	lt_var over[2] = { sweep[0].tap, sweep[1].tap };
	lt_node y = windows(g, wide, orders[layout].h, sweep, lt__bits_of(lowest, lt_node_dtype(g, wide)));
	return lt_graph_cast(g, lt_graph_reduce(g, "max", y, 2, over), t);
}

/* How many taps of each position lie on the image: a sum over windows of ones. */
static lt_node count_taps(struct lt_graph *g, lt_var axis, const struct sweep *sweep, enum lt_dtype t)
{
	lt_node one = lt_graph_literal_int(g, t, 1), ones = lt_graph_op_to(g, "copy", 1, &one, 1, &axis);

	ones = lt_graph_window(g, ones, 0, sweep->out, sweep->tap, sweep->stride, sweep->dilation, sweep->before, 0);
	return lt_graph_reduce(g, "add", ones, 1, &sweep->tap);
}

lt_node lt_build_average_pool2d(struct lt_graph *g, lt_node x, const int64_t window[2], const int64_t strides[2],
	const int64_t pads[4], int count_pad, enum lt_layout layout)
{
	static const int64_t dilations[2] = { 1, 1 };
	struct sweep sweep[2];

	if (!is_image(g, x, layout, "average_pool2d") || !lt__build_is_float(g, x, "average_pool2d"))
		return -1;
	const struct order *o = &orders[layout];
	bool padded = pads[0] > 0 || pads[1] > 0 || pads[2] > 0 || pads[3] > 0;
	for (int32_t i = 0; i < 4 && !count_pad; i++)
		if (pads[i] >= window[i % 2] && pads[i] > 0) {
			lt__graph_fail(g, LT_EINVAL,
				"average_pool2d without counting the padding: a window of %lld would lie wholly in a "
				"pad of %lld; pads must be smaller than the window",
				(long long)window[i % 2], (long long)pads[i]);
			return -1;
		}
	lt_node wide = pool(g, "average_pool2d", x, o, window, strides, pads, dilations, sweep);
	if (wide < 0)
		return -1;
	enum lt_dtype t = lt_node_dtype(g, wide);
	lt_var over[2] = { sweep[0].tap, sweep[1].tap };
	lt_node sum = lt_graph_reduce(g, "add", windows(g, wide, o->h, sweep, 0), 2, over), count;
	if (count_pad || !padded) {
		count = lt_graph_literal(g, t, (double)window[0] * (double)window[1]);
	} else {
		lt_node rows = count_taps(g, lt_node_dim(g, x, o->h), &sweep[0], t);
		lt_node columns = count_taps(g, lt_node_dim(g, x, o->w), &sweep[1], t);
		count = lt_graph_binary(g, "mul", rows, columns);
	}
	return lt_graph_cast(g, lt_graph_binary(g, "div", sum, count), lt_node_dtype(g, x));
}
