/* frontends/onnx/op_shape.c -- the same elements under another shape, and what says shapes. */
#include <string.h>
#include "frontends/onnx/builders.h"
#include "frontends/onnx/onnx.pb-c.h"
#include "frontends/onnx/position.h"
#include "frontends/onnx/trace.h"

void lt__onnx_build_identity(struct lt_onnx_call *c)
{
	struct lt_onnx_value v = *lt__onnx_value(c, 0);
	if (!v.data && !v.empty)
		(void)lt__onnx_node(c->m, &v);
	lt__onnx_give_value(c, 0, &v);
}

/* A value of another shape, whose content stays what it is: of known and empty values without a node. */
static bool reshape_known(struct lt_onnx_call *c, int32_t i, int32_t rank, const int64_t *shape)
{
	struct lt_onnx_value *v = lt__onnx_value(c, 0);
	if (!v->empty && !v->data)
		return false;
	struct lt_onnx_value out = lt__onnx_of_data(c->m, v->dtype, rank, shape, v->data);
	lt__onnx_give_value(c, i, &out);
	return true;
}

static void give_shape(struct lt_onnx_call *c, int32_t rank, const int64_t *shape)
{
	if (reshape_known(c, 0, rank, shape))
		return;
	lt_node x = lt__onnx_in(c, 0), y = lt__onnx_reshape(c->m, x, rank, shape);
	lt__onnx_give(c, 0, y < 0 ? lt__onnx_merged(c->m, x) : y);
}

static bool any_bounded(struct lt_onnx *m, const struct lt_onnx_value *v)
{
	bool any = false;
	for (int32_t i = 0; v->node >= 0 && i < v->rank; i++)
		any |= lt__onnx_bounded(m, v->node, i);
	return any;
}

/* The shape that is asked for, of extents one of which differs from run to run. */
static void reshape_bounded(struct lt_onnx_call *c, bool keep_zero)
{
	int32_t n;
	const struct lt_linear *want = lt__onnx_in_sums(c, 1, "the shape", &n);
	lt_node x = lt__onnx_in(c, 0);
	if (!want || x < 0)
		return;
	struct lt_linear *shape = lt__arena_copy(c->m->arena, want, sizeof *want * (size_t)(n + 1));
	for (int32_t i = 0; i < n; i++)
		if (want[i].n == 0 && want[i].constant == 0 && !keep_zero && i < lt__onnx_rank(c->m, x))
			shape[i] = lt__onnx_extent_sum(c->m, x, i);
	lt__onnx_give(c, 0, lt__onnx_reshape_to(c->m, x, n, shape));
}

/* 0: as in the input unless allowzero; -1: what is left. */
void lt__onnx_build_reshape(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	struct lt_onnx_value *x = lt__onnx_value(c, 0);
	int32_t n, open = -1;
	const bool keep_zero = lt__onnx_int(c, "allowzero", 0) != 0;
	if (c->version >= 5 && any_bounded(m, x)) {
		reshape_bounded(c, keep_zero);
		return;
	}
	const int64_t *want = c->version < 5 ? lt__onnx_ints(c, "shape", &n) : lt__onnx_in_ints(c, 1, "the shape", &n);
	if (!want)
		return;
	int64_t *shape = LT_NEW(m->arena, int64_t, n + 1), elems = lt__onnx_elems(x), product = 1;
	for (int32_t i = 0; i < n; i++) {
		shape[i] = want[i] == 0 && !keep_zero && i < x->rank ? x->shape[i] : want[i];
		if (shape[i] < -1 || (shape[i] == -1 && open >= 0) || lt__mul_overflow(product, shape[i] == -1 ? 1 : shape[i],
			&product)) {
			lt__onnx_refuse(m, "%s is no shape", lt__onnx_shape(m, n, want));
			return;
		}
		open = shape[i] == -1 ? i : open;
	}
	if (open >= 0)
		shape[open] = product ? elems / product : 0;
	if (open >= 0 ? shape[open] * product != elems : product != elems)
		lt__onnx_refuse(m, "%s has %lld elements and cannot have the shape %s", lt__onnx_shape(m, x->rank, x->shape),
			(long long)elems, lt__onnx_shape(m, n, want));
	else
		give_shape(c, n, shape);
}

void lt__onnx_build_flatten(struct lt_onnx_call *c)
{
	struct lt_onnx_value *x = lt__onnx_value(c, 0);
	int64_t axis = lt__onnx_int(c, "axis", 1), shape[2] = { 1, 1 };
	if (axis < -(int64_t)x->rank || axis > x->rank) {
		lt__onnx_refuse(c->m, "axis %lld is outside of a value of rank %d", (long long)axis, x->rank);
		return;
	}
	axis = axis < 0 ? axis + x->rank : axis;
	for (int32_t i = 0; i < x->rank; i++)
		shape[i >= axis] *= x->shape[i];
	give_shape(c, 2, shape);
}

void lt__onnx_build_squeeze(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	struct lt_onnx_value *x = lt__onnx_value(c, 0);
	int32_t n = 0, rank = 0;
	const int64_t *axis = NULL;
	if (c->version < 13)
		axis = lt__onnx_ints(c, "axes", &n);
	else if (lt__onnx_has(c, 1))
		axis = lt__onnx_in_ints(c, 1, "the axes", &n);
	bool *mask = lt__onnx_axes(m, n, axis, x->rank);
	if (!mask || lt__onnx_failed(m))
		return;
	int64_t *shape = LT_NEW(m->arena, int64_t, x->rank + 1);
	for (int32_t i = 0; i < x->rank; i++) {
		mask[i] = axis ? mask[i] : x->shape[i] == 1;
		if (mask[i] && x->shape[i] != 1)
			lt__onnx_refuse(m, "axis %d has %lld elements: only an axis of one can be left out", i, (long long)x->shape[i]);
		if (!mask[i])
			shape[rank++] = x->shape[i];
	}
	if (!reshape_known(c, 0, rank, shape))
		lt__onnx_give(c, 0, lt__onnx_squeeze(m, lt__onnx_in(c, 0), mask));
}

void lt__onnx_build_unsqueeze(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	struct lt_onnx_value *x = lt__onnx_value(c, 0);
	int32_t n, k = 0;
	const int64_t *axis = c->version < 13 ? lt__onnx_ints(c, "axes", &n) : lt__onnx_in_ints(c, 1, "the axes", &n);
	if (!axis)
		return;
	const int32_t rank = x->rank + n;
	bool *mask = lt__onnx_axes(m, n, axis, rank);
	if (!mask)
		return;
	int64_t *shape = LT_NEW(m->arena, int64_t, rank + 1);
	for (int32_t i = 0; i < rank; i++)
		shape[i] = mask[i] || k >= x->rank ? 1 : x->shape[k++];
	if (k != x->rank)
		lt__onnx_refuse(m, "the axes name one twice");
	else if (!reshape_known(c, 0, rank, shape))
		lt__onnx_give(c, 0, lt__onnx_unsqueeze(m, lt__onnx_in(c, 0), rank, mask));
}

void lt__onnx_build_transpose(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	struct lt_onnx_value *x = lt__onnx_value(c, 0);
	int32_t n, *perm = LT_NEW(m->arena, int32_t, x->rank + 1);
	const int64_t *given = lt__onnx_ints(c, "perm", &n);
	int64_t *shape = LT_NEW(m->arena, int64_t, x->rank + 1);
	if (given && n != x->rank) {
		lt__onnx_refuse(m, "a permutation of %d axes of a value of rank %d", n, x->rank);
		return;
	}
	for (int32_t i = 0; i < x->rank; i++) {
		perm[i] = given ? lt__onnx_axis(m, given[i], x->rank) : x->rank - 1 - i;
		if (perm[i] < 0)
			return;
		shape[i] = x->shape[perm[i]];
	}
	if (x->empty)
		(void)reshape_known(c, 0, x->rank, shape);
	else
		lt__onnx_give(c, 0, lt__onnx_transpose(m, lt__onnx_in(c, 0), perm));
}

void lt__onnx_build_expand(struct lt_onnx_call *c)
{
	int32_t n;
	const struct lt_linear *shape = lt__onnx_in_sums(c, 1, "the shape", &n);
	if (shape)
		lt__onnx_give(c, 0, lt__onnx_expand_to(c->m, lt__onnx_in(c, 0), n, shape));
}

void lt__onnx_build_shape(struct lt_onnx_call *c)
{
	struct lt_onnx_value *x = lt__onnx_value(c, 0);
	int64_t begin = lt__onnx_int(c, "start", 0), end = lt__onnx_int(c, "end", x->rank);
	begin = begin < 0 ? begin + x->rank : begin;
	end = end < 0 ? end + x->rank : end;
	begin = begin < 0 ? 0 : begin > x->rank ? x->rank : begin;
	end = end > x->rank ? x->rank : end < begin ? begin : end;
	lt_node *part = LT_NEW(c->m->arena, lt_node, x->rank + 1);
	bool bounded = false;
	for (int64_t i = begin; i < end; i++)
		bounded |= x->node >= 0 && lt__onnx_bounded(c->m, x->node, (int32_t)i);
	for (int64_t i = begin; bounded && i < end; i++)
		part[i - begin] = lt__onnx_insert(c->m, lt__onnx_extent_node(c->m, x->node, (int32_t)i), 0);
	if (bounded)
		lt__onnx_give(c, 0, lt__onnx_concat(c->m, 0, (int32_t)(end - begin), part));
	else
		lt__onnx_give_data(c, 0, LT_I64, 1, (const int64_t[]){ end - begin }, x->shape + begin);
}

void lt__onnx_build_size(struct lt_onnx_call *c)
{
	struct lt_onnx_value *x = lt__onnx_value(c, 0);
	const int64_t n = lt__onnx_elems(x);
	lt_node y = LT_NONE;
	for (int32_t i = 0; any_bounded(c->m, x) && i < x->rank; i++) {
		lt_node extent = lt__onnx_extent_node(c->m, x->node, i);
		y = i ? lt__onnx_op2(c->m, "mul", y, extent) : extent;
	}
	if (y >= 0)
		lt__onnx_give(c, 0, y);
	else
		lt__onnx_give_data(c, 0, LT_I64, 0, NULL, &n);
}

/* Values without elements add nothing. */
void lt__onnx_build_concat(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	struct lt_onnx_value *first = lt__onnx_value(c, 0);
	const int32_t axis = lt__onnx_axis(m, lt__onnx_int(c, "axis", c->version < 4 ? 1 : 0), first->rank);
	lt_node *x = LT_NEW(m->arena, lt_node, c->n_in + 1);
	int32_t n = 0;
	for (int32_t i = 0; i < c->n_in; i++)
		if (!lt__onnx_value(c, i)->empty)
			x[n++] = lt__onnx_in(c, i);
	if (axis < 0)
		return;
	if (n)
		lt__onnx_give(c, 0, lt__onnx_concat(m, axis, n, x));
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
	const int64_t each = parts > 0 ? (extent + parts - 1) / parts : 0;
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
	const int32_t axis = lt__onnx_axis(m, lt__onnx_int(c, "axis", 0), x->rank);
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

/* One axis of a slice whose extent, begin or end differs from run to run: what does not reach over the ends. */
static lt_node slice_bounded(struct lt_onnx *m, lt_node x, int32_t axis, struct lt_linear begin, struct lt_linear end)
{
	const struct lt_linear extent = lt__onnx_extent_sum(m, x, axis), zero = { 0 };
	struct lt_linear *both[2] = { &begin, &end };
	for (int i = 0; i < 2; i++) {
		/* Negative numbers count from the end: minus what is to be added to the extent. */
		const struct lt_linear minus = lt__onnx_difference(m, &zero, both[i]);
		if (lt__onnx_most(m, both[i]) < 0)
			*both[i] = lt__onnx_difference(m, &extent, &minus);
		else if (both[i]->n == 0 && both[i]->constant >= lt__onnx_most(m, &extent))
			*both[i] = extent;
	}
	return lt__onnx_part(m, x, axis, &begin, &end);
}

/* Begins and ends as sums; all steps are 1. */
static void slice_sums(struct lt_onnx_call *c, const int64_t *axis, int32_t n_axis, const int64_t *step)
{
	struct lt_onnx *m = c->m;
	int32_t n, n_end;
	const struct lt_linear *begin = lt__onnx_in_sums(c, 1, "where it begins", &n);
	const struct lt_linear *end = begin ? lt__onnx_in_sums(c, 2, "where it ends", &n_end) : NULL;
	lt_node y = lt__onnx_in(c, 0);
	if (!begin || !end || y < 0)
		return;
	if (n != n_end || (axis && n_axis != n) || (!axis && n > lt__onnx_rank(m, y))) {
		lt__onnx_refuse(m, "its lists have different lengths");
		return;
	}
	for (int32_t i = 0; i < n; i++) {
		int32_t at = lt__onnx_axis(m, axis ? axis[i] : i, lt__onnx_rank(m, y));
		if (at < 0 || y < 0)
			return;
		if (step && step[i] != 1) {
			lt__onnx_refuse(m, "a step of %lld along an axis whose extent, begin or end differs from run to run",
				(long long)step[i]);
			return;
		}
		y = slice_bounded(m, y, at, begin[i], end[i]);
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
	for (int32_t i = 0; x->node >= 0 && i < (axis ? n_axis : x->rank); i++) {
		int32_t at = lt__onnx_axis(m, axis ? axis[i] : i, x->rank);
		differs |= at >= 0 && lt__onnx_bounded(m, x->node, at);
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
	const int64_t *step = !old && lt__onnx_has(c, 4) ? lt__onnx_in_ints(c, 4, "the steps", &n_step) : NULL;
	if (lt__onnx_failed(m))
		return;
	if (!old && slice_differs(c, axis, n_axis)) {
		slice_sums(c, axis, n_axis, step);
		return;
	}
	const int64_t *begin = old ? lt__onnx_ints(c, "starts", &n) : lt__onnx_in_ints(c, 1, "where it begins", &n);
	const int64_t *end = old ? lt__onnx_ints(c, "ends", &n_end) : lt__onnx_in_ints(c, 2, "where it ends", &n_end);
	if (!begin || !end || lt__onnx_failed(m))
		return;
	if (n != n_end || (axis && n_axis != n) || (step && n_step != n) || (!axis && n > x->rank)) {
		lt__onnx_refuse(m, "its lists have different lengths");
		return;
	}
	lt_node y = x->empty ? LT_NONE : lt__onnx_in(c, 0);
	out.shape = lt__arena_copy(m->arena, x->shape, sizeof *x->shape * (size_t)x->rank + 1);
	for (int32_t i = 0; i < n; i++) {
		int32_t at = lt__onnx_axis(m, axis ? axis[i] : i, x->rank);
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
		const int64_t x = lt__onnx_int(c, "value_int", 0);
		lt__onnx_give_data(c, 0, LT_I64, 0, NULL, &x);
	} else if (lt__onnx_has_attribute(c, "value_floats")) {
		const float *x = lt__onnx_floats(c, "value_floats", &n);
		if (x)
			lt__onnx_give_data(c, 0, LT_F32, 1, (const int64_t[]){ n }, x);
	} else if (lt__onnx_has_attribute(c, "value_ints")) {
		const int64_t *x = lt__onnx_ints(c, "value_ints", &n);
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
