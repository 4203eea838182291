/* op_resize.c -- images of another size: axis by axis, each element a weighted sum of its neighbours.
 *
 * Positions and weights are known when the model is read, and computed in double.
 */
#include <math.h>
#include <string.h>
#include "frontends/onnx/builders.h"
#include "frontends/onnx/take.h"
#include "frontends/onnx/trace.h"

struct resize {
	const char *mode, *place, *nearest;
	double cubic, outside_value;
	bool exclude_outside, antialias;
	/* by axis */
	int64_t out[LT_MAX_RANK];
	double scale[LT_MAX_RANK], from[LT_MAX_RANK], to[LT_MAX_RANK];
};

/* Where output element i lies among the n inputs of an axis. */
static double resize_place(const struct resize *r, int32_t axis, int64_t n, int64_t i)
{
	const double x = (double)i, scale = r->scale[axis], length = (double)n * scale, out = (double)r->out[axis];
	const double last = (double)(n - 1), from = r->from[axis], to = r->to[axis];
	if (!strcmp(r->place, "align_corners"))
		return length == 1 ? 0 : x * last / (length - 1);
	if (!strcmp(r->place, "asymmetric"))
		return x / scale;
	if (!strcmp(r->place, "tf_crop_and_resize"))
		return (length == 1 ? (to - from) * last / 2 : x * (to - from) * last / (length - 1)) + from * last;
	if (!strcmp(r->place, "pytorch_half_pixel") && length == 1)
		return -0.5;
	double moved = !strcmp(r->place, "half_pixel_symmetric") ? (double)n / 2 * (1 - out / length) : 0;
	return moved + (x + 0.5) / scale - 0.5;
}

static double cubic_weight(double a, double x)
{
	x = fabs(x);
	if (x <= 1)
		return ((a + 2) * x - (a + 3)) * x * x + 1;
	return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

/* Weights of the n_tap elements from first on, of a position `ratio` behind the one at 0; returns n_tap. */
static int64_t resize_weights(const struct resize *r, double scale, double ratio, int64_t *first, double *out)
{
	const bool cubic = !strcmp(r->mode, "cubic"), smooth = r->antialias && scale < 1;
	const double by = smooth ? scale : 1, reach = cubic ? 2 : 1;
	*first = (int64_t)floor(-reach / by) + 1;
	const int64_t n = 2 - 2 * *first;
	double sum = 0;
	for (int64_t i = 0; out && i < n; i++) {
		double x = by * ((double)(*first + i) - ratio);
		out[i] = cubic ? cubic_weight(r->cubic, x) : fabs(x) < 1 ? 1 - fabs(x) : 0;
		sum += out[i];
	}
	for (int64_t i = 0; out && r->antialias && i < n; i++)
		out[i] /= sum;
	return n;
}

static int64_t nearest_place(const struct resize *r, double x)
{
	const double low = floor(x);
	if (x == low)
		return (int64_t)low;
	if (!strcmp(r->nearest, "floor"))
		return (int64_t)low;
	if (!strcmp(r->nearest, "ceil"))
		return (int64_t)low + 1;
	bool up = !strcmp(r->nearest, "round_prefer_floor") ? x - low > 0.5 : x - low >= 0.5;
	return (int64_t)low + up;
}

static int64_t clamp_place(int64_t at, int64_t n)
{
	return at < 0 ? 0 : at >= n ? n - 1 : at;
}

static lt_node resize_axis(struct lt_onnx *m, const struct resize *r, lt_node x, int32_t axis)
{
	const int64_t n = lt__onnx_extent(m, x, axis), out = r->out[axis];
	int64_t first, n_tap = 1;
	const bool nearest = !strcmp(r->mode, "nearest"), crop = !strcmp(r->place, "tf_crop_and_resize");
	if (!nearest)
		n_tap = resize_weights(r, r->scale[axis], 0, &first, NULL);
	if (out < 1 || n_tap > INT32_MAX / 8 || out > INT32_MAX / n_tap) {
		lt__onnx_refuse(m, "axis %d of %lld elements resized to %lld", axis, (long long)n, (long long)out);
		return LT_NONE;
	}
	int64_t *at = LT_ONNX_TABLE(m, int64_t, out * n_tap);
	double *weight = LT_ONNX_TABLE(m, double, out * n_tap);
	bool *inside = LT_ONNX_TABLE(m, bool, out);
	for (int64_t i = 0; i < out; i++) {
		double place = resize_place(r, axis, n, i), sum = 0;
		inside[i] = !crop || (place >= 0 && place <= (double)(n - 1));
		/* What is computed from lists of known numbers may be far outside. */
		place = place < -1e9 ? -1e9 : place > 1e12 ? 1e12 : isnan(place) ? 0 : place;
		if (nearest) {
			at[i] = clamp_place(nearest_place(r, place), n);
			continue;
		}
		/* A position on an element is one behind the element before it. */
		double low = floor(place), ratio = place == low ? 1 : place - low;
		low -= place == low;
		resize_weights(r, r->scale[axis], ratio, &first, weight + i * n_tap);
		for (int64_t k = 0; k < n_tap; k++) {
			int64_t own = (int64_t)low + first + k;
			if (r->exclude_outside && (own < 0 || own >= n))
				weight[i * n_tap + k] = 0;
			sum += weight[i * n_tap + k];
			at[i * n_tap + k] = clamp_place(own, n);
		}
		for (int64_t k = 0; r->exclude_outside && sum != 0 && k < n_tap; k++)
			weight[i * n_tap + k] /= sum;
	}
	x = nearest ? lt__onnx_take(m, x, axis, out, at) : lt__onnx_weigh(m, x, axis, out, n_tap, at, weight);
	return lt__onnx_mask(m, x, axis, inside, r->outside_value);
}

/* The numbers of an input, which have to be known; *n 0: there is none. */
static const double *resize_numbers(struct lt_onnx_call *c, int32_t i, const char *what, int64_t *n)
{
	struct lt_onnx_value *v = lt__onnx_has(c, i) ? lt__onnx_value(c, i) : NULL;
	*n = v && !v->lost ? lt__onnx_elems(v) : 0;
	if (!*n || *n > 4 * LT_MAX_RANK)
		return NULL;
	const void *data = lt__onnx_content(c->m, v, what);
	double *out = LT_NEW(c->m->arena, double, *n);
	for (int64_t k = 0; data && k < *n; k++)
		out[k] = lt__convert(lt__load(data, k, v->dtype), v->dtype, LT_F64).f;
	return data ? out : NULL;
}

/* One scale for all axes, such that none is larger (or smaller) than asked for. */
static void keep_aspect(struct resize *r, const char *policy, int32_t rank, const bool *resized, const int64_t *extent)
{
	double scale = 0;
	bool begun = false;
	for (int32_t i = 0; i < rank; i++) {
		bool better = !strcmp(policy, "not_larger") ? r->scale[i] < scale : r->scale[i] > scale;
		if (resized[i] && (!begun || better))
			scale = r->scale[i];
		begun |= resized[i];
	}
	for (int32_t i = 0; i < rank; i++)
		if (resized[i]) {
			r->scale[i] = scale;
			r->out[i] = (int64_t)(scale * (double)extent[i] + 0.5);
		}
}

/* Extents and scales of all axes, from the inputs. */
static bool resize_extents(struct lt_onnx_call *c, struct resize *r, const struct lt_onnx_value *v)
{
	struct lt_onnx *m = c->m;
	const bool old = c->version < 11;
	int64_t n_scale, n_size = 0, n_roi = 0;
	int32_t n_axis;
	const int64_t *axis = lt__onnx_ints(c, "axes", &n_axis);
	const double *scale = resize_numbers(c, old ? 1 : 2, "the scales", &n_scale);
	const double *size = old ? NULL : resize_numbers(c, 3, "the sizes", &n_size);
	const double *roi = strcmp(r->place, "tf_crop_and_resize") ? NULL : resize_numbers(c, 1, "the region", &n_roi);
	const char *policy = lt__onnx_text(c, "keep_aspect_ratio_policy", "stretch");
	bool *resized = lt__onnx_axes(m, n_axis, axis, v->rank);
	if (!resized || lt__onnx_failed(m))
		return false;
	n_axis = axis ? n_axis : v->rank;
	if ((size ? n_size : n_scale) != n_axis || (roi && n_roi != 2 * n_axis)) {
		lt__onnx_refuse(m, "%lld scales or sizes for %d axes", (long long)(size ? n_size : n_scale), n_axis);
		return false;
	}
	for (int32_t i = 0; i < v->rank; i++) {
		r->out[i] = v->shape[i];
		r->scale[i] = r->to[i] = 1;
		r->from[i] = 0;
	}
	for (int32_t k = 0; k < n_axis; k++) {
		int32_t i = axis ? lt__onnx_axis(m, axis[k], v->rank) : k;
		resized[i] = true;
		if ((size || scale[k] != 1) && !lt__onnx_fixed(m, lt__onnx_in(c, 0), i, "the extent of a resized axis"))
			return false;
		r->scale[i] = size ? size[k] / (double)v->shape[i] : scale[k];
		double out = size ? size[k] : floor(scale[k] * (double)v->shape[i]);
		if (!(out >= 1 && out < 1e9 && r->scale[i] > 0)) {
			lt__onnx_refuse(m, "axis %d of %lld elements resized to %g", i, (long long)v->shape[i], out);
			return false;
		}
		r->out[i] = (int64_t)out;
		r->from[i] = roi ? roi[k] : 0;
		r->to[i] = roi ? roi[k + n_axis] : 1;
	}
	if (size && strcmp(policy, "stretch"))
		keep_aspect(r, policy, v->rank, resized, v->shape);
	return true;
}

static bool known_word(struct lt_onnx *m, const char *what, const char *word, const char *all)
{
	const size_t n = strlen(word);
	for (const char *at = all; n && (at = strstr(at, word)); at += n)
		if ((at[n] == ' ' || !at[n]) && (at == all || at[-1] == ' '))
			return true;
	lt__onnx_refuse(m, "attribute '%s' is '%s'", what, word);
	return false;
}

static bool resize_attributes(struct lt_onnx_call *c, struct resize *r)
{
	const bool old = c->version < 11;
	*r = (struct resize){ .mode = lt__onnx_text(c, "mode", "nearest"),
		.place = lt__onnx_text(c, "coordinate_transformation_mode", old ? "asymmetric" : "half_pixel"),
		.nearest = lt__onnx_text(c, "nearest_mode", old ? "floor" : "round_prefer_floor"),
		.cubic = lt__onnx_float(c, "cubic_coeff_a", -0.75), .outside_value = lt__onnx_float(c, "extrapolation_value", 0),
		.exclude_outside = lt__onnx_int(c, "exclude_outside", 0) != 0, .antialias = lt__onnx_int(c, "antialias", 0) != 0 };
	return known_word(c->m, "mode", r->mode, "nearest linear cubic")
		&& known_word(c->m, "coordinate_transformation_mode", r->place, "half_pixel half_pixel_symmetric "
			"pytorch_half_pixel align_corners asymmetric tf_crop_and_resize")
		&& known_word(c->m, "nearest_mode", r->nearest, "round_prefer_floor round_prefer_ceil floor ceil");
}

void lt__onnx_build_resize(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	struct lt_onnx_value *v = lt__onnx_value(c, 0);
	struct resize r;
	lt_node x = lt__onnx_in(c, 0);
	if (x < 0 || !resize_attributes(c, &r) || !resize_extents(c, &r, v))
		return;
	const bool nearest = !strcmp(r.mode, "nearest"), whole = !lt__onnx_is_float(m, x);
	lt_node y = nearest ? x : whole ? lt__onnx_cast(m, x, LT_F64) : lt__onnx_wide(m, x);
	for (int32_t i = 0; i < v->rank; i++)
		if (r.out[i] != v->shape[i] || r.scale[i] != 1 || r.from[i] != 0 || r.to[i] != 1)
			y = resize_axis(m, &r, y, i);
	y = whole && !nearest ? lt__onnx_op1(m, "round", y) : y;
	lt__onnx_give(c, 0, y < 0 ? LT_NONE : lt__onnx_cast(m, y, v->dtype));
}

/* Resize's predecessor: scales as an attribute (7) or an input (9). */
void lt__onnx_build_upsample(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	struct lt_onnx_value *v = lt__onnx_value(c, 0);
	struct resize r = { .mode = lt__onnx_text(c, "mode", "nearest"), .place = "asymmetric", .nearest = "floor" };
	lt_node x = lt__onnx_in(c, 0);
	int32_t n = 0;
	int64_t n_scale = 0;
	const float *own = c->version < 9 ? lt__onnx_floats(c, "scales", &n) : NULL;
	const double *given = c->version < 9 ? NULL : resize_numbers(c, 1, "the scales", &n_scale);
	if (x < 0 || lt__onnx_failed(m) || !known_word(m, "mode", r.mode, "nearest linear"))
		return;
	if ((own ? n : n_scale) != v->rank) {
		lt__onnx_refuse(m, "%lld scales of a value of rank %d", (long long)(own ? n : n_scale), v->rank);
		return;
	}
	lt_node y = lt__onnx_wide(m, x);
	for (int32_t i = 0; i < v->rank; i++) {
		r.scale[i] = own ? (double)own[i] : given[i];
		r.to[i] = 1;
		if (r.scale[i] != 1 && !lt__onnx_fixed(m, x, i, "the extent of a resized axis"))
			return;
		double out = floor(r.scale[i] * (double)v->shape[i]);
		if (!(out >= 1 && out < 1e9)) {
			lt__onnx_refuse(m, "axis %d of %lld elements resized to %g", i, (long long)v->shape[i], out);
			return;
		}
		r.out[i] = (int64_t)out;
		if (r.out[i] != v->shape[i])
			y = resize_axis(m, &r, y, i);
	}
	lt__onnx_give(c, 0, y < 0 ? LT_NONE : lt__onnx_cast(m, y, v->dtype));
}
