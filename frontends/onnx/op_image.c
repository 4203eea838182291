/* op_image.c -- regions of images, and images put together of parts. */
#include <math.h>
#include <string.h>
#include "frontends/onnx/builders.h"
#include "frontends/onnx/sample.h"
#include "frontends/onnx/scatter.h"
#include "frontends/onnx/window.h"

enum { MAX_POINTS = 256 };

/* Regions along one axis: their begin and the extent of a bin, float [regions], and points in each bin. */
struct region_axis { lt_node begin, bin, count; int64_t bins, points; };

static lt_node region_edge(struct lt_onnx *m, lt_node regions, int32_t i, double scale, double moved)
{
	const bool second[2] = { false, true };
	lt_node at = lt__onnx_squeeze(m, lt__onnx_slice(m, regions, 1, i, i + 1, 1), second);
	return lt__onnx_opf(m, "sub", lt__onnx_opf(m, "mul", at, scale), moved);
}

/* As many points as a bin has elements: the most of all regions, which have to be known. */
static int64_t region_points(struct lt_onnx_call *c, const struct region_axis *a)
{
	struct lt_onnx_value v = lt__onnx_of_node(c->m, a->count);
	if (!lt__onnx_content(c->m, lt__onnx_value(c, 1), "the regions, without 'sampling_ratio',"))
		return 0;
	const void *data = lt__onnx_content(c->m, &v, "the number of points");
	double most = 1;
	for (int64_t i = 0; data && i < lt__onnx_elems(&v); i++)
		most = fmax(most, lt__convert(lt__load(data, i, v.dtype), v.dtype, LT_F64).f);
	if (!(most <= MAX_POINTS) && !lt__onnx_failed(c->m))
		lt__onnx_refuse(c->m, "%g points along an axis of a bin: at most %d are supported", most, MAX_POINTS);
	return most <= MAX_POINTS ? (int64_t)most : 0;
}

static bool region_axis_read(struct lt_onnx_call *c, lt_node regions, bool rows, struct region_axis *a)
{
	struct lt_onnx *m = c->m;
	const char *how = lt__onnx_text(c, "coordinate_transformation_mode",
		c->version < 16 ? "output_half_pixel" : "half_pixel");
	const int64_t ratio = lt__onnx_int(c, "sampling_ratio", 0);
	const double scale = lt__onnx_float(c, "spatial_scale", 1);
	const bool half = !strcmp(how, "half_pixel");
	a->bins = lt__onnx_int(c, rows ? "output_height" : "output_width", 1);
	if ((!half && strcmp(how, "output_half_pixel")) || a->bins < 1 || ratio < 0 || ratio > MAX_POINTS) {
		lt__onnx_refuse(m, "attribute 'coordinate_transformation_mode' is '%s', 'sampling_ratio' %lld, or there are no bins",
			how, (long long)ratio);
		return false;
	}
	a->begin = region_edge(m, regions, rows, scale, half ? 0.5 : 0);
	lt_node length = lt__onnx_op2(m, "sub", region_edge(m, regions, rows + 2, scale, half ? 0.5 : 0), a->begin);
	if (!half)
		length = lt__onnx_opf(m, "max", length, 1);
	a->bin = lt__onnx_opf(m, "div", length, (double)a->bins);
	a->count = lt__onnx_op1(m, "ceil", a->bin);
	a->points = ratio;
	if (ratio)
		a->count = lt__onnx_expand(m, lt__onnx_number(m, lt_node_dtype(m->graph, regions), (double)ratio), 1,
			(const int64_t[]){ lt__onnx_extent(m, regions, 0) });
	else if (!lt__onnx_failed(m))
		a->points = region_points(c, a);
	return !lt__onnx_failed(m) && a->points > 0;
}

/* Values by region as [region, 1, 1, 1, 1] */
static lt_node of_region(struct lt_onnx *m, lt_node x)
{
	const bool mask[5] = { false, true, true, true, true };
	return lt__onnx_unsqueeze(m, x, 5, mask);
}

/* Places [region, row, column, point, point] along an axis; used: whether the region has the point, in the image. */
static lt_node region_places(struct lt_onnx *m, const struct region_axis *a, bool rows, int64_t extent, lt_node *used)
{
	const enum lt_dtype t = a->begin < 0 ? LT_F32 : lt_node_dtype(m->graph, a->begin);
	lt_node bin = lt__onnx_cast(m, lt__onnx_range(m, a->bins, rows ? 1 : 2, 5), t);
	lt_node point = lt__onnx_cast(m, lt__onnx_range(m, a->points, rows ? 3 : 4, 5), t);
	lt_node count = of_region(m, a->count), size = of_region(m, a->bin);
	lt_node part = lt__onnx_op2(m, "div", lt__onnx_op2(m, "mul", lt__onnx_opf(m, "add", point, 0.5), size), count);
	lt_node at = lt__onnx_op2(m, "add", of_region(m, a->begin), lt__onnx_op2(m, "mul", bin, size));
	at = lt__onnx_op2(m, "add", at, part);
	lt_node inside = lt__onnx_op2(m, "and", lt__onnx_opf(m, "greaterequal", at, -1),
		lt__onnx_opf(m, "lessequal", at, (double)extent));
	*used = lt__onnx_op2(m, "and", inside, lt__onnx_op2(m, "less", point, count));
	return lt__onnx_opf(m, "min", lt__onnx_opf(m, "max", at, 0), (double)extent - 1);
}

/* Means (or maxima) of points in the bins of regions [x, y, x, y]. */
void lt__onnx_build_roi_align(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	const struct lt_onnx_sampling how = { LT_ONNX_LINEAR, LT_ONNX_BORDER, true };
	const char *mode = lt__onnx_text(c, "mode", "avg");
	lt_node x = lt__onnx_in(c, 0), regions = lt__onnx_wide(m, lt__onnx_in(c, 1)), batch = lt__onnx_in(c, 2);
	lt_node used[2] = { LT_NONE, LT_NONE }, place[2] = { LT_NONE, LT_NONE };
	struct region_axis a[2];
	const bool most = !strcmp(mode, "max");
	if (x < 0 || regions < 0 || batch < 0)
		return;
	if (lt__onnx_rank(m, x) != 4 || lt__onnx_rank(m, regions) != 2 || lt__onnx_extent(m, regions, 1) != 4
	    || lt__onnx_rank(m, batch) != 1 || (!most && strcmp(mode, "avg"))) {
		lt__onnx_refuse(m, "attribute 'mode' is '%s', or image and regions are not [n, c, h, w] and [regions, 4]", mode);
		return;
	}
	for (int32_t i = 0; i < 2; i++) {
		if (!region_axis_read(c, regions, i == 0, &a[i]))
			return;
		place[i] = region_places(m, &a[i], i == 0, lt__onnx_extent(m, x, i + 2), &used[i]);
	}
	/* [region, channel, row, column, point, point, tap, tap] */
	const struct lt_onnx_taps taps = lt__onnx_taps(m, x, place, batch, &how);
	const bool behind[7] = { false, false, false, false, false, true, true };
	lt_node seen = lt__onnx_unsqueeze(m, lt__onnx_op2(m, "and", used[0], used[1]), 7, behind);
	lt_node part = lt__onnx_op2(m, "mul", taps.value, taps.weight);
	if (part < 0)
		return;
	part = lt__onnx_select(m, lt__onnx_insert(m, seen, 1), part, lt__onnx_number(m, lt_node_dtype(m->graph, part), 0));
	const bool over[8] = { false, false, false, false, true, true, true, true };
	lt_node y = lt__onnx_reduce(m, most ? "max" : "add", part, over, false);
	if (!most) {
		const bool others[4] = { false, true, true, true };
		lt_node count = lt__onnx_opf(m, "max", lt__onnx_op2(m, "mul", a[0].count, a[1].count), 1);
		y = lt__onnx_op2(m, "div", y, lt__onnx_unsqueeze(m, count, 4, others));
	}
	lt__onnx_give(c, 0, lt__onnx_cast(m, y, lt_node_dtype(m->graph, x)));
}

/* Blocks [batch, channel, tap.., block..] as [batch, channel, image.., tap..]: what each tap gives to an element. */
static lt_node blocks_spread(struct lt_onnx *m, lt_node x, const struct lt_onnx_window *w)
{
	const int32_t rank = 2 + 2 * w->n, width = 1 + rank + w->n, wide = 1 + width;
	lt_var v[LT_MAX_RANK];
	int64_t *row = LT_NEW(m->arena, int64_t, rank * width), *div = LT_NEW(m->arena, int64_t, w->n * wide),
		*guard = LT_NEW(m->arena, int64_t, 3 * w->n * width);
	if (x < 0)
		return LT_NONE;
	for (int32_t i = 0; i < 2; i++) {
		v[i] = lt_node_dim(m->graph, x, i);
		row[i * width + 1 + i] = 1;
	}
	for (int32_t i = 0; i < w->n; i++) {
		const int32_t image = 1 + 2 + i, tap = image + w->n, block = 1 + rank + i;
		int64_t *d = div + i * wide, *g = guard + 3 * i * width;
		v[2 + i] = lt__onnx_var(m, w->out[i]);
		v[2 + w->n + i] = lt_node_dim(m->graph, x, 2 + i);
		row[(2 + i) * width + tap] = 1;
		row[(2 + w->n + i) * width + block] = 1;
		/* place = image + before - tap * dilation; block = floor(place / stride) */
		d[0] = w->stride[i];
		d[1] = w->before[i];
		d[1 + image] = 1;
		d[1 + tap] = -w->dilation[i];
		/* block >= 0, block <= blocks - 1, place <= stride * block */
		g[block] = 1;
		g[width] = w->extent[i] - 1;
		g[width + block] = -1;
		g[2 * width] = -w->before[i];
		g[2 * width + image] = -1;
		g[2 * width + tap] = w->dilation[i];
		g[2 * width + block] = w->stride[i];
	}
	const struct lt_view_piece piece = { .source = x, .map = { .n_dim = rank, .n_div = w->n, .n_guard = 3 * w->n,
		.n_row = rank, .div = div, .guard = guard, .row = row } };
	return lt_graph_view(m->graph, rank, v, 1, &piece, 0, 1);
}

/* A list of n numbers of at least `least`, by default all `otherwise`. */
static bool image_list(struct lt_onnx_call *c, const char *name, int32_t n, int64_t otherwise, int64_t least,
	int64_t *out)
{
	int32_t given;
	const int64_t *at = lt__onnx_ints(c, name, &given);
	bool good = !at || given == n;
	for (int32_t i = 0; good && i < n; i++) {
		out[i] = at ? at[i] : otherwise;
		good = out[i] >= least && out[i] < INT32_MAX;
	}
	if (!good && !lt__onnx_failed(c->m))
		lt__onnx_refuse(c->m, "attribute '%s' is %s: %d numbers of at least %lld are expected", name,
			lt__onnx_shape(c->m, given, at), n, (long long)least);
	return good;
}

/* x [batch, channel * taps, blocks]: an element of the image is the sum of what all blocks have for it. */
void lt__onnx_build_col2im(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	int32_t n, n_tap;
	lt_node x = lt__onnx_in(c, 0);
	const int64_t *image = lt__onnx_in_ints(c, 1, "the image's shape", &n);
	const int64_t *taps = lt__onnx_in_ints(c, 2, "the block's shape", &n_tap);
	struct lt_onnx_window w = { .n = n };
	int64_t pads[2 * LT_ONNX_SPATIAL], shape[LT_MAX_RANK], n_taps = 1, blocks = 1;
	bool over[LT_MAX_RANK] = { false };
	if (!image || !taps || x < 0)
		return;
	if (n != n_tap || n < 1 || n > (LT_MAX_RANK - 2) / 2 || n > LT_ONNX_SPATIAL || lt__onnx_rank(m, x) != 3) {
		lt__onnx_refuse(m, "an image of %d axes and blocks of %d", n, n_tap);
		return;
	}
	if (!image_list(c, "strides", n, 1, 1, w.stride) || !image_list(c, "dilations", n, 1, 1, w.dilation)
	    || !image_list(c, "pads", 2 * n, 0, 0, pads))
		return;
	for (int32_t i = 0; i < n; i++) {
		const int64_t room = image[i] + pads[i] + pads[n + i] - (taps[i] - 1) * w.dilation[i] - 1;
		w.out[i] = image[i];
		w.before[i] = pads[i];
		w.extent[i] = shape[2 + n + i] = image[i] < 1 || taps[i] < 1 || room < 0 ? 0 : room / w.stride[i] + 1;
		shape[2 + i] = taps[i];
		n_taps = lt__mul_sat(n_taps, taps[i] < 1 ? 0 : taps[i]);
		blocks = lt__mul_sat(blocks, w.extent[i]);
		over[2 + n + i] = true;
	}
	shape[0] = lt__onnx_extent(m, x, 0);
	if (blocks < 1 || n_taps < 1 || lt__onnx_extent(m, x, 2) != blocks || lt__onnx_extent(m, x, 1) % n_taps) {
		lt__onnx_refuse(m, "%lld blocks of %lld elements for an image of %lld", (long long)lt__onnx_extent(m, x, 2),
			(long long)n_taps, (long long)blocks);
		return;
	}
	shape[1] = lt__onnx_extent(m, x, 1) / n_taps;
	lt_node parts = blocks_spread(m, lt__onnx_reshape(m, lt__onnx_wide(m, x), 2 + 2 * n, shape), &w);
	lt__onnx_give(c, 0, lt__onnx_cast(m, lt__onnx_reduce(m, "add", parts, over, false), lt_node_dtype(m->graph, x)));
}

/* Elements put where a pool found them; behind them, zeros up to the shape that is asked for. */
void lt__onnx_build_max_unpool(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	lt_node x = lt__onnx_in(c, 0), index = lt__onnx_in(c, 1);
	const int32_t rank = lt__onnx_rank(m, x), n = rank - 2;
	int64_t kernel[LT_MAX_RANK], stride[LT_MAX_RANK], pads[2 * LT_MAX_RANK], shape[LT_MAX_RANK], whole = 1, count = 1;
	int32_t n_shape = rank;
	const int64_t *asked = lt__onnx_has(c, 2) ? lt__onnx_in_ints(c, 2, "the shape of the result", &n_shape) : NULL;
	if (x < 0 || index < 0 || lt__onnx_failed(m))
		return;
	if (n < 1 || n_shape != rank || lt__onnx_rank(m, index) != rank) {
		lt__onnx_refuse(m, "an image of rank %d, and a shape of %d numbers", rank, n_shape);
		return;
	}
	if (!image_list(c, "kernel_shape", n, 0, 1, kernel) || !image_list(c, "strides", n, 1, 1, stride)
	    || !image_list(c, "pads", 2 * n, 0, 0, pads))
		return;
	int64_t before[LT_MAX_RANK] = { 0 }, after[LT_MAX_RANK] = { 0 };
	for (int32_t i = 0; i < rank; i++) {
		const int64_t extent = lt__onnx_extent(m, x, i);
		shape[i] = i < 2 ? extent : lt__add_sat(lt__mul_sat(extent - 1, stride[i - 2]), kernel[i - 2] - pads[i - 2]
			- pads[n + i - 2]);
		after[i] = asked ? asked[i] - shape[i] : 0;
		if (shape[i] < 1 || after[i] < 0 || extent != lt__onnx_extent(m, index, i)) {
			lt__onnx_refuse(m, "the result has %lld elements at axis %d, and %lld are asked for", (long long)shape[i], i,
				(long long)(asked ? asked[i] : shape[i]));
			return;
		}
		whole = lt__mul_sat(whole, shape[i]);
		count = lt__mul_sat(count, extent);
	}
	lt_node zeros = lt__onnx_expand(m, lt__onnx_whole(m, lt_node_dtype(m->graph, x), 0), 1, &whole);
	lt_node y = lt__onnx_scatter(m, zeros, lt__onnx_reshape(m, index, 1, &count), lt__onnx_reshape(m, x, 1, &count));
	y = lt__onnx_reshape(m, y, rank, shape);
	lt__onnx_give(c, 0, asked && y >= 0 ? lt_graph_pad(m->graph, y, before, after, 0) : y);
}
