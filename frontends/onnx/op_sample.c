/* op_sample.c -- images read between their elements: grids, regions, deformed convolutions. */
#include <math.h>
#include <string.h>
#include "frontends/onnx/builders.h"
#include "frontends/onnx/sample.h"
#include "frontends/onnx/take.h"
#include "frontends/onnx/window.h"

static bool sampling_read(struct lt_onnx_call *c, struct lt_onnx_sampling *how)
{
	static const char *const betweens[] = { "nearest", "linear", "cubic", NULL, "bilinear", "bicubic" };
	static const char *const outsides[] = { "zeros", "border", "reflection" };
	const char *mode = lt__onnx_text(c, "mode", c->version < 20 ? "bilinear" : "linear");
	const char *padding = lt__onnx_text(c, "padding_mode", "zeros");
	int32_t between = -1, outside = -1;
	for (int32_t i = 0; i < 6; i++)
		between = betweens[i] && !strcmp(mode, betweens[i]) ? i % 3 : between;
	for (int32_t i = 0; i < 3; i++)
		outside = !strcmp(padding, outsides[i]) ? i : outside;
	if (between < 0 || outside < 0) {
		lt__onnx_refuse(c->m, "attribute 'mode' is '%s', 'padding_mode' '%s'", mode, padding);
		return false;
	}
	*how = (struct lt_onnx_sampling){ (enum lt_onnx_between)between, (enum lt_onnx_outside)outside,
		lt__onnx_int(c, "align_corners", 0) != 0 };
	return true;
}

/* An image's elements of whole numbers are sampled as numbers. */
static lt_node image_numbers(struct lt_onnx *m, lt_node x)
{
	return x < 0 || lt__onnx_is_float(m, x) ? x : lt__onnx_cast(m, x, LT_F32);
}

/* Places -1 .. 1 of a grid [batch, o.., r], the last axis of the image first. */
void lt__onnx_build_grid_sample(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	struct lt_onnx_sampling how;
	lt_node x = lt__onnx_in(c, 0), grid = lt__onnx_wide(m, lt__onnx_in(c, 1)), place[LT_ONNX_SAMPLED];
	const int32_t rank = lt__onnx_rank(m, x), n = rank - 2;
	if (x < 0 || grid < 0 || !sampling_read(c, &how))
		return;
	if (n < 1 || n > LT_ONNX_SAMPLED || lt__onnx_rank(m, grid) != rank || lt__onnx_extent(m, grid, rank - 1) != n
	    || lt__onnx_extent(m, grid, 0) != lt__onnx_extent(m, x, 0)) {
		lt__onnx_refuse(m, "an image of rank %d and a grid of rank %d: 1 to %d axes of both are supported", rank,
			lt__onnx_rank(m, grid), LT_ONNX_SAMPLED);
		return;
	}
	bool last[LT_MAX_RANK] = { false };
	last[rank - 1] = true;
	for (int32_t i = 0; i < n; i++) {
		const double extent = (double)lt__onnx_extent(m, x, i + 2);
		lt_node part = lt__onnx_squeeze(m, lt__onnx_slice(m, grid, rank - 1, n - 1 - i, n - i, 1), last);
		part = lt__onnx_opf(m, "add", part, 1);
		place[i] = how.corners ? lt__onnx_opf(m, "mul", lt__onnx_opf(m, "div", part, 2), extent - 1) :
			lt__onnx_opf(m, "div", lt__onnx_opf(m, "sub", lt__onnx_opf(m, "mul", part, extent), 1), 2);
	}
	const struct lt_onnx_taps taps = lt__onnx_taps(m, image_numbers(m, x), place, LT_OMIT, &how);
	lt__onnx_give(c, 0, lt__onnx_cast(m, lt__onnx_sampled(m, &taps), lt_node_dtype(m->graph, x)));
}

/* Places of a grid by a matrix of each: theta [batch, n, n + 1] of (x, y, .., 1). */
void lt__onnx_build_affine_grid(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	int32_t n;
	lt_node theta = lt__onnx_in(c, 0);
	const int64_t *size = lt__onnx_in_ints(c, 1, "the size", &n);
	const bool corners = lt__onnx_int(c, "align_corners", 0) != 0;
	n -= 2;
	if (!size || theta < 0)
		return;
	if (n < 2 || n > 3 || lt__onnx_rank(m, theta) != 3 || lt__onnx_extent(m, theta, 1) != n
	    || lt__onnx_extent(m, theta, 2) != n + 1 || size[0] != lt__onnx_extent(m, theta, 0)) {
		lt__onnx_refuse(m, "matrices for %d axes that are not [batch, %d, %d]", n, n, n + 1);
		return;
	}
	int64_t shape[5] = { size[0] }, whole = 1;
	for (int32_t i = 0; i < n; i++) {
		shape[1 + i] = size[2 + i];
		if (size[2 + i] < 1 || size[2 + i] > 1 << 20 || (whole *= size[2 + i]) > 1 << 24) {
			lt__onnx_refuse(m, "a grid of the size %s", lt__onnx_shape(m, n, size + 2));
			return;
		}
	}
	shape[1 + n] = n;
	double *data = LT_ONNX_TABLE(m, double, whole * (n + 1) + 1);
	for (int64_t k = 0; k < whole; k++) {
		int64_t left = k;
		for (int32_t i = n - 1; i >= 0; left /= size[2 + i], i--) {
			const double at = (double)(left % size[2 + i]), extent = (double)size[2 + i];
			const double place = corners ? (extent == 1 ? -1 : -1 + 2 * at / (extent - 1)) : -1 + (2 * at + 1) / extent;
			data[k * (n + 1) + n - 1 - i] = place;
		}
		data[k * (n + 1) + n] = 1;
	}
	lt_node points = lt__onnx_table(m, "grid", lt_node_dtype(m->graph, theta), 2, (const int64_t[]){ whole, n + 1 }, data);
	lt__onnx_give(c, 0, lt__onnx_reshape(m, lt__onnx_matmul(m, points, lt__onnx_swap(m, theta, 1, 2)), n + 2, shape));
}

struct deformed { int64_t images, groups, offset_groups, taps, out[2]; };

/* Places of each tap along axis a: [image and group of offsets, tap, o, o] */
static lt_node deformed_place(struct lt_onnx *m, lt_node offset, const struct deformed *d,
	const struct lt_onnx_window *w, int32_t a)
{
	const int64_t shape[5] = { d->images * d->offset_groups, d->taps, 2, d->out[0], d->out[1] };
	const int64_t plain[3] = { d->taps, a ? 1 : d->out[0], a ? d->out[1] : 1 };
	const bool axis[5] = { false, false, true };
	double *data = LT_ONNX_TABLE(m, double, d->taps * d->out[a] + 1);
	for (int64_t t = 0; t < d->taps; t++)
		for (int64_t o = 0; o < d->out[a]; o++) {
			int64_t tap = a ? t % w->kernel[1] : t / w->kernel[1];
			data[t * d->out[a] + o] = (double)(o * w->stride[a] - w->before[a] + tap * w->dilation[a]);
		}
	lt_node own = lt__onnx_squeeze(m, lt__onnx_slice(m, lt__onnx_reshape(m, offset, 5, shape), 2, a, a + 1, 1), axis);
	own = lt__onnx_wide(m, own);
	return own < 0 ? LT_NONE : lt__onnx_op2(m, "add", own, lt__onnx_table(m, "taps", lt_node_dtype(m->graph, own), 3,
		plain, data));
}

static bool deformed_fits(struct lt_onnx *m, lt_node x, lt_node w, lt_node offset, const struct deformed *d)
{
	const int64_t in = lt__onnx_extent(m, x, 1), out = lt__onnx_extent(m, w, 0);
	if (d->groups >= 1 && d->offset_groups >= 1 && in == lt__onnx_extent(m, w, 1) * d->groups && out % d->groups == 0
	    && in % d->offset_groups == 0 && lt__onnx_rank(m, offset) == 4
	    && lt__onnx_extent(m, offset, 1) == d->offset_groups * d->taps * 2 && lt__onnx_extent(m, offset, 2) == d->out[0]
	    && lt__onnx_extent(m, offset, 3) == d->out[1])
		return true;
	lt__onnx_refuse(m, "image, weights and offsets do not fit together, in %lld groups and %lld of offsets",
		(long long)d->groups, (long long)d->offset_groups);
	return false;
}

/* A convolution each of whose taps is read at a place of its own: x at the places, then a product. */
void lt__onnx_build_deform_conv(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	lt_node x = lt__onnx_in(c, 0), w = lt__onnx_in(c, 1), offset = lt__onnx_in(c, 2), place[2];
	const struct lt_onnx_sampling how = { LT_ONNX_LINEAR, LT_ONNX_ZEROS, true };
	struct deformed d = { .groups = lt__onnx_int(c, "group", 1), .offset_groups = lt__onnx_int(c, "offset_group", 1) };
	struct lt_onnx_window p;
	if (x < 0 || w < 0 || offset < 0)
		return;
	if (lt__onnx_rank(m, x) != 4 || lt__onnx_rank(m, w) != 4) {
		lt__onnx_refuse(m, "an image of rank %d and weights of rank %d: 4 is expected", lt__onnx_rank(m, x),
			lt__onnx_rank(m, w));
		return;
	}
	const int64_t kernel[2] = { lt__onnx_extent(m, w, 2), lt__onnx_extent(m, w, 3) };
	if (!lt__onnx_window_read(c, x, kernel, &p))
		return;
	const int64_t in = lt__onnx_extent(m, x, 1), out = lt__onnx_extent(m, w, 0);
	d.images = lt__onnx_extent(m, x, 0);
	d.taps = kernel[0] * kernel[1];
	memcpy(d.out, p.out, sizeof d.out);
	if (!deformed_fits(m, x, w, offset, &d))
		return;
	const int64_t pixels = d.out[0] * d.out[1], parts = d.images * d.offset_groups;
	for (int32_t a = 0; a < 2; a++)
		place[a] = deformed_place(m, offset, &d, &p, a);
	lt_node image = lt__onnx_reshape(m, x, 4, (const int64_t[]){ parts, in / d.offset_groups, p.extent[0], p.extent[1] });
	const struct lt_onnx_taps taps = lt__onnx_taps(m, image, place, LT_OMIT, &how);
	lt_node y = lt__onnx_sampled(m, &taps);
	if (lt__onnx_has(c, 4))
		y = lt__onnx_op2(m, "mul", y, lt__onnx_wide(m, lt__onnx_reshape(m, lt__onnx_in(c, 4), 5,
			(const int64_t[]){ parts, 1, d.taps, d.out[0], d.out[1] })));
	/* [image, group, channel and tap, o] by [group, out, channel and tap] */
	y = lt__onnx_reshape(m, y, 4, (const int64_t[]){ d.images, d.groups, in / d.groups * d.taps, pixels });
	lt_node weights = lt__onnx_reshape(m, lt__onnx_wide(m, w), 3,
		(const int64_t[]){ d.groups, out / d.groups, in / d.groups * d.taps });
	y = lt__onnx_reshape(m, lt__onnx_matmul(m, weights, y), 4, (const int64_t[]){ d.images, out, d.out[0], d.out[1] });
	if (lt__onnx_has(c, 3)) {
		const bool others[4] = { true, false, true, true };
		y = lt__onnx_op2(m, "add", y, lt__onnx_wide(m, lt__onnx_unsqueeze(m, lt__onnx_in(c, 3), 4, others)));
	}
	lt__onnx_give(c, 0, lt__onnx_cast(m, y, lt_node_dtype(m->graph, x)));
}
