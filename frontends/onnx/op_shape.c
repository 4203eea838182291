/* op_shape.c -- values put together, cut and repeated; and constants. */
#include <string.h>
#include "frontends/onnx/builders.h"
#include "frontends/onnx/groups.h"
#include "frontends/onnx/onnx.pb-c.h"
#include "frontends/onnx/trace.h"

/* Values without elements add nothing. */
void lt__onnx_build_concat(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	struct lt_onnx_value *first = lt__onnx_value(c, 0);
	const int32_t axis = lt__onnx_along(c, lt__onnx_int(c, "axis", c->version < 4 ? 1 : 0));
	lt_node *x = LT_NEW(m->arena, lt_node, c->n_in + 1);
	int32_t n = 0;
	for (int32_t i = 0; i < c->n_in; i++)
		if (!lt__onnx_value(c, i)->empty)
			x[n++] = lt__onnx_in(c, i);
	if (axis < 0)
		return;
	if (n)
		lt__onnx_give(c, 0, lt__onnx_join(m, axis, n, x));
	else
		lt__onnx_give_value(c, 0, first);
}

/* The parts' extents: given, or equal ones whose last may be smaller. */
static const int64_t *split_parts(struct lt_onnx_call *c, int64_t extent)
{
	int32_t n = 0;
	const int64_t *given = c->version < 13 ? lt__onnx_ints(c, "split", &n) :
		lt__onnx_has(c, 1) ? lt__onnx_in_ints(c, 1, "the parts", &n) : NULL;
	int64_t parts = lt__onnx_int(c, "num_outputs", c->n_out), *out = LT_NEW(c->m->arena, int64_t, c->n_out + 1), sum = 0;
	if (lt__onnx_failed(c->m))
		return NULL;
	const int64_t each = parts > 0 ? lt__ceil_div(extent, parts) : 0;
	for (int32_t i = 0; i < c->n_out; i++) {
		int64_t left = extent - sum;
		out[i] = given ? (i < n ? given[i] : 0) : left < each ? left : each;
		sum += out[i];
	}
	if ((given ? n : parts) != c->n_out || sum != extent) {
		lt__onnx_refuse(c->m, "an axis of %lld elements is not split into %d parts by that", (long long)extent, c->n_out);
		return NULL;
	}
	return out;
}

void lt__onnx_build_split(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	struct lt_onnx_value *x = lt__onnx_value(c, 0);
	const int32_t axis = lt__onnx_along(c, lt__onnx_int(c, "axis", 0));
	if (axis >= 0 && x->node >= 0 && lt__onnx_bounded(m, x->node, axis)) {
		lt__onnx_refuse(m, "the extent of axis %d, which is split, differs from run to run", axis);
		return;
	}
	const int64_t *part = axis < 0 ? NULL : split_parts(c, x->shape[axis]);
	int64_t begin = 0;
	for (int32_t i = 0; part && i < c->n_out; i++) {
		int64_t *shape = LT_NEW(m->arena, int64_t, x->rank + 1);
		memcpy(shape, x->shape, sizeof *shape * (size_t)x->rank);
		shape[axis] = part[i];
		if (x->empty || part[i] == 0) {
			struct lt_onnx_value none = lt__onnx_of_data(m, x->dtype, x->rank, shape, NULL);
			lt__onnx_give_value(c, i, &none);
		} else {
			lt__onnx_give(c, i, lt__onnx_slice(m, lt__onnx_in(c, 0), axis, begin, begin + part[i], 1));
		}
		begin += part[i];
	}
}

/* One axis of a slice by NumPy's rules: begin, and how many. */
static void slice_clamp(int64_t extent, int64_t *begin, int64_t end, int64_t step, int64_t *count)
{
	const int64_t low = step < 0 ? -1 : 0, high = step < 0 ? extent - 1 : extent;
	int64_t from = *begin < 0 ? *begin + extent : *begin, to = end < 0 ? (end < -extent ? low : end + extent) : end;
	from = from < (step < 0 ? -1 : 0) ? low : from > high ? high : from;
	to = to < low ? low : to > high ? high : to;
	*begin = from;
	if (step > 0)
		*count = to > from ? (to - from - 1) / step + 1 : 0;
	else
		*count = from > to ? (from - to - 1) / -step + 1 : 0;
}

/* Where a begin or an end is: from the axis' end, if it is below 0 in every run, or the axis' end, if that is never
 * behind it. */
static bool slice_end(struct lt_onnx *m, const struct lt_onnx_poly *extent, struct lt_onnx_poly *at)
{
	struct lt_onnx_poly behind;
	int64_t low, high, least, most;
	bool fits = lt__poly_range(m, at, &low, &high) && lt__poly_add(m, at, extent, -1, &behind)
		&& lt__poly_range(m, &behind, &least, &most);
	if (fits && high < 0)
		return lt__poly_add(m, extent, at, 1, at);
	if (fits && least >= 0)
		*at = *extent;
	if (!fits || low < 0)
		lt__onnx_refuse(m, "whether %s counts from the begin or the end of the axis differs from run to run",
			lt__poly_text(m, at));
	return fits && low >= 0;
}

/* One axis of a slice whose extent, begin or end differs from run to run: what does not reach over the ends. */
static lt_node slice_bounded(struct lt_onnx *m, lt_node x, int32_t axis, struct lt_onnx_poly begin,
	struct lt_onnx_poly end)
{
	const struct lt_linear whole = lt__onnx_extent_sum(m, x, axis);
	const struct lt_onnx_poly extent = lt__poly_linear(m, &whole);
	struct lt_linear from, to;
	if (!slice_end(m, &extent, &begin) || !slice_end(m, &extent, &end))
		return LT_NONE;
	if (lt__poly_sum(m, &begin, &from) && lt__poly_sum(m, &end, &to))
		return lt__onnx_part(m, x, axis, &from, &to);
	lt__onnx_refuse(m, "a part from %s to %s", lt__poly_text(m, &begin), lt__poly_text(m, &end));
	return LT_NONE;
}

/* One axis of a slice, any of whose numbers may differ from run to run. */
static lt_node slice_axis(struct lt_onnx *m, lt_node x, int32_t axis, const struct lt_onnx_poly *begin,
	const struct lt_onnx_poly *end, int64_t step)
{
	int64_t from, to, count = 0;
	const bool known = lt__poly_known(begin, &from) && lt__poly_known(end, &to) && !lt__onnx_bounded(m, x, axis);
	if (known && step && step != INT64_MIN)
		slice_clamp(lt__onnx_extent(m, x, axis), &from, to, step, &count);
	if (known && count > 0)
		return lt_graph_slice(m->graph, x, axis, from, step, count);
	if (!known && step == 1)
		return slice_bounded(m, x, axis, *begin, *end);
	lt__onnx_refuse(m, "a part of axis %d in steps of %lld", axis, (long long)step);
	return LT_NONE;
}

static void slice_sums(struct lt_onnx_call *c, const int64_t *axis, int32_t n_axis, const int64_t *step)
{
	struct lt_onnx *m = c->m;
	int32_t n, n_end;
	const struct lt_onnx_poly *begin = lt__onnx_in_polys(c, 1, "where it begins", &n);
	const struct lt_onnx_poly *end = begin ? lt__onnx_in_polys(c, 2, "where it ends", &n_end) : NULL;
	lt_node y = lt__onnx_in(c, 0);
	if (!begin || !end || y < 0)
		return;
	if (n != n_end || (axis && n_axis != n) || (!axis && n > lt__onnx_rank(m, y))) {
		lt__onnx_refuse(m, "its lists have different lengths");
		return;
	}
	for (int32_t i = 0; i < n; i++) {
		int32_t at = lt__onnx_along(c, axis ? axis[i] : i);
		if (at < 0 || y < 0)
			return;
		y = slice_axis(m, y, at, &begin[i], &end[i], step ? step[i] : 1);
	}
	lt__onnx_give(c, 0, y);
}

/* Whether an axis that is sliced, or where it is, is not known before a run. */
static bool slice_differs(struct lt_onnx_call *c, const int64_t *axis, int32_t n_axis)
{
	struct lt_onnx *m = c->m;
	struct lt_onnx_value *x = lt__onnx_value(c, 0);
	bool differs = false;
	for (int32_t i = 1; i < 3; i++) {
		struct lt_onnx_value *v = lt__onnx_value(c, i);
		differs |= !v->lost && !v->empty && m->n_symbol && !lt__onnx_maybe(m, v);
	}
	const int64_t n = axis ? n_axis : lt__onnx_elems(lt__onnx_value(c, 1));
	for (int32_t i = 0; x->node >= 0 && i < n; i++) {
		int32_t at = lt__onnx_along(c, axis ? axis[i] : i);
		if (at < 0)
			return false;
		differs |= lt__onnx_bounded(m, x->node, at);
	}
	return differs && !lt__onnx_failed(m);
}

void lt__onnx_build_slice(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	struct lt_onnx_value *x = lt__onnx_value(c, 0), out = *x;
	int32_t n, n_end, n_axis = 0, n_step = 0;
	const bool old = c->version < 10;
	const int64_t *axis = old ? lt__onnx_ints(c, "axes", &n_axis) :
		lt__onnx_has(c, 3) ? lt__onnx_in_ints(c, 3, "the axes", &n_axis) : NULL;
	const int64_t *step = !old && lt__onnx_has(c, 4) ? lt__onnx_in_any_ints(c, 4, "the steps", &n_step) : NULL;
	if (lt__onnx_failed(m))
		return;
	if (!old && slice_differs(c, axis, n_axis)) {
		slice_sums(c, axis, n_axis, step);
		return;
	}
	const int64_t *begin = old ? lt__onnx_any_ints(c, "starts", &n) : lt__onnx_in_any_ints(c, 1, "where it begins", &n);
	const int64_t *end = old ? lt__onnx_any_ints(c, "ends", &n_end) : lt__onnx_in_any_ints(c, 2, "where it ends", &n_end);
	if (!begin || !end || lt__onnx_failed(m))
		return;
	if (n != n_end || (axis && n_axis != n) || (step && n_step != n) || (!axis && n > x->rank)) {
		lt__onnx_refuse(m, "its lists have different lengths");
		return;
	}
	lt_node y = x->empty ? LT_NONE : lt__onnx_in(c, 0);
	out.shape = lt__arena_copy(m->arena, x->shape, sizeof *x->shape * (size_t)x->rank);
	for (int32_t i = 0; i < n; i++) {
		int32_t at = lt__onnx_along(c, axis ? axis[i] : i);
		int64_t from = begin[i], by = step ? step[i] : 1, count;
		if (at < 0)
			return;
		if (by == 0 || by == INT64_MIN) {
			lt__onnx_refuse(m, "a step of %lld", (long long)by);
			return;
		}
		slice_clamp(out.shape[at], &from, end[i], by, &count);
		out.shape[at] = count;
		out.empty |= count == 0;
		if (!out.empty)
			y = lt_graph_slice(m->graph, y, at, from, by, count);
	}
	out.data = NULL;
	out.node = LT_NONE;
	if (out.empty)
		lt__onnx_give_value(c, 0, &out);
	else
		lt__onnx_give(c, 0, y);
}

/* Axis i of the result is (repeat, element): both split again. */
void lt__onnx_build_tile(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	int32_t n;
	const int64_t *times = lt__onnx_in_ints(c, 1, "the repeats", &n);
	lt_node x = lt__onnx_in(c, 0);
	if (!times || x < 0)
		return;
	if (n != lt__onnx_rank(m, x)) {
		lt__onnx_refuse(m, "%d repeats of a value of rank %d", n, lt__onnx_rank(m, x));
		return;
	}
	int64_t *spread = LT_NEW(m->arena, int64_t, 2 * n + 1), *shape = LT_NEW(m->arena, int64_t, n + 1);
	bool *mask = LT_NEW(m->arena, bool, 2 * n + 1), none = false;
	for (int32_t i = 0; i < n; i++) {
		mask[2 * i] = true;
		spread[2 * i] = times[i];
		spread[2 * i + 1] = lt__onnx_extent(m, x, i);
		none |= times[i] == 0;
		if (times[i] < 0 || lt__mul_overflow(times[i], spread[2 * i + 1], &shape[i])) {
			lt__onnx_refuse(m, "%lld repeats", (long long)times[i]);
			return;
		}
	}
	if (none) {
		struct lt_onnx_value v = lt__onnx_of_data(m, lt_node_dtype(m->graph, x), n, shape, NULL);
		lt__onnx_give_value(c, 0, &v);
		return;
	}
	lt_node wide = lt__onnx_expand(m, lt__onnx_unsqueeze(m, x, 2 * n, mask), 2 * n, spread);
	lt__onnx_give(c, 0, lt__onnx_reshape(m, wide, n, shape));
}

void lt__onnx_build_constant(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	struct lt_onnx_value v;
	int32_t n;
	const struct Onnx__TensorProto *t = lt__onnx_tensor_attribute(c, "value");
	if (t) {
		if (lt__onnx_tensor(m, t, &v))
			lt__onnx_give_value(c, 0, &v);
	} else if (lt__onnx_has_attribute(c, "value_float")) {
		const float x = (float)lt__onnx_float(c, "value_float", 0);
		lt__onnx_give_data(c, 0, LT_F32, 0, NULL, &x);
	} else if (lt__onnx_has_attribute(c, "value_int")) {
		const int64_t x = lt__onnx_any_int(c, "value_int", 0);
		lt__onnx_give_data(c, 0, LT_I64, 0, NULL, &x);
	} else if (lt__onnx_has_attribute(c, "value_floats")) {
		const float *x = lt__onnx_floats(c, "value_floats", &n);
		if (x)
			lt__onnx_give_data(c, 0, LT_F32, 1, (const int64_t[]){ n }, x);
	} else if (lt__onnx_has_attribute(c, "value_ints")) {
		const int64_t *x = lt__onnx_any_ints(c, "value_ints", &n);
		if (x)
			lt__onnx_give_data(c, 0, LT_I64, 1, (const int64_t[]){ n }, x);
	} else if (!lt__onnx_failed(m)) {
		lt__onnx_refuse(m, "it has neither a tensor nor numbers");
	}
}

void lt__onnx_build_constant_of_shape(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	int32_t n;
	const struct lt_linear *sum = lt__onnx_in_sums(c, 0, "the shape", &n);
	const struct Onnx__TensorProto *t = lt__onnx_tensor_attribute(c, "value");
	int64_t *shape = LT_NEW(m->arena, int64_t, n + 1);
	struct lt_onnx_value fill = lt__onnx_of_data(m, LT_F32, 0, NULL, lt__onnx_room(m, LT_F32, 0, NULL));
	if (!sum || (t && !lt__onnx_tensor(m, t, &fill)))
		return;
	const int32_t stored = fill.stored;
	for (int32_t i = 0; i < n; i++)
		shape[i] = lt__onnx_most(m, &sum[i]);
	struct lt_onnx_value none = lt__onnx_of_data(m, fill.dtype, n, shape, NULL);
	for (int32_t i = 0; i < n; i++)
		if (shape[i] < 0) {
			lt__onnx_refuse(m, "%s is no shape", lt__onnx_shape(m, n, shape));
			return;
		}
	if (none.empty) {
		none.stored = stored;
		lt__onnx_give_value(c, 0, &none);
		return;
	}
	fill.rank = 0;          /* of one element */
	fill.name = "fill";
	lt__onnx_give(c, 0, lt__onnx_expand_to(m, lt__onnx_node(m, &fill), n, sum));
	c->out[0].stored = stored;
}
