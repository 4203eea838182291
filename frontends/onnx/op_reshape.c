/* op_reshape.c -- the same elements under another shape, and what says shapes. */
#include <string.h>
#include "frontends/onnx/builders.h"
#include "frontends/onnx/groups.h"
#include "frontends/onnx/trace.h"

void lt__onnx_build_identity(struct lt_onnx_call *c)
{
	struct lt_onnx_value v = *lt__onnx_value(c, 0);
	if (!v.data && !v.empty && !v.part)
		(void)lt__onnx_node(c->m, &v);
	lt__onnx_give_value(c, 0, &v);
}

/* Inputs that are optional values are refused where the model has them: what comes here is a tensor, or nothing. */
void lt__onnx_build_has_element(struct lt_onnx_call *c)
{
	const uint8_t has = lt__onnx_has(c, 0);
	lt__onnx_give_data(c, 0, LT_BOOL, 0, NULL, &has);
}

/* A value of another shape, whose content stays what it is: of known and empty values without a node. */
static bool reshape_known(struct lt_onnx_call *c, int32_t rank, const int64_t *shape)
{
	struct lt_onnx_value *v = lt__onnx_value(c, 0);
	if (!v->empty && !v->data)
		return false;
	struct lt_onnx_value out = lt__onnx_of_data(c->m, v->dtype, rank, shape, v->data);
	lt__onnx_give_value(c, 0, &out);
	return true;
}

static void give_shape(struct lt_onnx_call *c, int32_t rank, const int64_t *shape)
{
	if (!reshape_known(c, rank, shape))
		lt__onnx_give(c, 0, lt__onnx_reshape(c->m, lt__onnx_in(c, 0), rank, shape));
}

static void give_regrouped(struct lt_onnx_call *c, int32_t rank, const struct lt_onnx_poly *want)
{
	struct lt_onnx_value out;
	if (lt__onnx_regroup(c->m, lt__onnx_value(c, 0), rank, want, &out))
		lt__onnx_give_value(c, 0, &out);
}

/* The shape that is asked for, of extents one of which differs from run to run. */
static void reshape_bounded(struct lt_onnx_call *c, bool keep_zero)
{
	struct lt_onnx *m = c->m;
	struct lt_onnx_value *x = lt__onnx_value(c, 0);
	int32_t n, open = 0;
	const struct lt_onnx_poly *want = lt__onnx_in_polys(c, 1, "the shape", &n);
	struct lt_onnx_poly *shape = LT_NEW(m->arena, struct lt_onnx_poly, n + 1);
	for (int32_t i = 0; want && i < n; i++) {
		shape[i] = lt__poly_is(&want[i], 0) && !keep_zero && i < x->rank ? lt__onnx_axis_extent(m, x, i) : want[i];
		open += lt__poly_is(&want[i], -1);
	}
	if (open > 1)
		lt__onnx_refuse(m, "the shape has %d axes of -1", open);
	else if (want && !lt__onnx_failed(m))
		give_regrouped(c, n, shape);
}

/* 0: as in the input unless allowzero; -1: what is left. */
void lt__onnx_build_reshape(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	struct lt_onnx_value *x = lt__onnx_value(c, 0);
	int32_t n, open = -1;
	const bool keep_zero = lt__onnx_int(c, "allowzero", 0) != 0;
	if (c->version >= 5 && lt__onnx_any_bounded(m, x)) {
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
	struct lt_onnx *m = c->m;
	struct lt_onnx_value *x = lt__onnx_value(c, 0);
	int64_t axis = lt__onnx_int(c, "axis", 1), shape[2] = { 1, 1 };
	if (axis < -(int64_t)x->rank || axis > x->rank) {
		lt__onnx_refuse(m, "axis %lld is outside of a value of rank %d", (long long)axis, x->rank);
		return;
	}
	axis = axis < 0 ? axis + x->rank : axis;
	for (int32_t i = 0; i < x->rank; i++)
		shape[i >= axis] = lt__mul_sat(shape[i >= axis], x->shape[i]);
	if (!lt__onnx_any_bounded(m, x)) {
		give_shape(c, 2, shape);
		return;
	}
	struct lt_onnx_poly want[2] = { lt__poly_whole(m, 1), lt__poly_whole(m, 1) };
	for (int32_t i = 0; i < x->rank; i++) {
		const struct lt_onnx_poly one = lt__onnx_axis_extent(m, x, i);
		if (!lt__poly_mul(m, &want[i >= axis], &one, &want[i >= axis]))
			lt__onnx_refuse(m, "the shape is a product of too many extents");
	}
	give_regrouped(c, 2, want);
}

/* Whether an axis has one element in every run. */
static bool is_single_axis(struct lt_onnx *m, const struct lt_onnx_value *x, int32_t axis)
{
	const struct lt_onnx_poly extent = lt__onnx_axis_extent(m, x, axis);
	return lt__poly_is(&extent, 1);
}

/* Gives the axes of input 0 that are named by their numbers, -1: a new one of one element. */
static void give_axes(struct lt_onnx_call *c, int32_t rank, const int32_t *from)
{
	struct lt_onnx *m = c->m;
	struct lt_onnx_value *x = lt__onnx_value(c, 0);
	int64_t *shape = LT_NEW(m->arena, int64_t, rank + 1);
	int32_t *part = LT_NEW(m->arena, int32_t, rank + 1), n = 0, at[LT_MAX_RANK];
	lt_var v[LT_MAX_RANK];
	for (int32_t i = 0; i < rank; i++)
		shape[i] = from[i] < 0 ? 1 : x->shape[from[i]];
	if (reshape_known(c, rank, shape) || lt__onnx_failed(m))
		return;
	const lt_node node = x->part ? x->node : lt__onnx_in(c, 0);
	const int32_t own = lt__onnx_rank(m, node);
	for (int32_t i = 0; i < own; i++)
		at[i] = -1;
	for (int32_t i = 0; i < rank && n < LT_MAX_RANK; i++) {
		part[i] = from[i] < 0 ? 1 : lt__onnx_parts(x, from[i]);
		const int32_t first = from[i] < 0 ? -1 : lt__onnx_first_part(x, from[i]);
		for (int32_t k = 0; node >= 0 && k < part[i] && n < LT_MAX_RANK; k++) {
			v[n] = first < 0 ? lt__onnx_var(m, 1) : lt_node_dim(m->graph, node, first + k);
			if (first >= 0)
				at[first + k] = n;
			n++;
		}
	}
	const struct lt_onnx_value out = lt__onnx_grouped(m, lt__onnx_view(m, node, n, v, at), rank, part);
	lt__onnx_give_value(c, 0, &out);
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
	int32_t *from = LT_NEW(m->arena, int32_t, x->rank + 1);
	for (int32_t i = 0; i < x->rank; i++) {
		mask[i] = axis ? mask[i] : is_single_axis(m, x, i);
		if (mask[i] && !is_single_axis(m, x, i)) {
			const struct lt_onnx_poly extent = lt__onnx_axis_extent(m, x, i);
			lt__onnx_refuse(m, "axis %d has %s elements: only an axis of one can be left out", i, lt__poly_text(m, &extent));
		}
		if (!mask[i])
			from[rank++] = i;
	}
	give_axes(c, rank, from);
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
	int32_t *from = LT_NEW(m->arena, int32_t, rank + 1);
	for (int32_t i = 0; i < rank; i++)
		from[i] = mask[i] || k >= x->rank ? -1 : k++;
	if (k != x->rank)
		lt__onnx_refuse(m, "the axes name one twice");
	else
		give_axes(c, rank, from);
}

void lt__onnx_build_transpose(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	struct lt_onnx_value *x = lt__onnx_value(c, 0);
	int32_t n, *perm = LT_NEW(m->arena, int32_t, x->rank + 1);
	const int64_t *given = lt__onnx_ints(c, "perm", &n);
	bool *taken = LT_NEW(m->arena, bool, x->rank + 1);
	if (given && n != x->rank) {
		lt__onnx_refuse(m, "a permutation of %d axes of a value of rank %d", n, x->rank);
		return;
	}
	for (int32_t i = 0; i < x->rank; i++) {
		perm[i] = given ? lt__onnx_axis(m, given[i], x->rank) : x->rank - 1 - i;
		if (perm[i] < 0)
			return;
		if (taken[perm[i]]) {
			lt__onnx_refuse(m, "a permutation that has axis %d twice", perm[i]);
			return;
		}
		taken[perm[i]] = true;
	}
	/* A content is in an order of its own: it becomes a constant of the graph first. */
	if (x->data)
		lt__onnx_give(c, 0, lt__onnx_transpose(m, lt__onnx_in(c, 0), perm));
	else
		give_axes(c, x->rank, perm);
}

/* An axis of the value, of an extent that is asked for: as it is, or one element repeated. */
static bool expand_axis(struct lt_onnx *m, const struct lt_onnx_value *x, int32_t axis, const struct lt_onnx_poly *want,
	bool *stretched)
{
	const struct lt_onnx_poly have = axis >= 0 ? lt__onnx_axis_extent(m, x, axis) : lt__poly_whole(m, 1);
	*stretched = lt__poly_is(&have, 1) && !lt__poly_is(want, 1);
	if (*stretched || lt__poly_is(want, 1) || lt__poly_equal(&have, want))
		return true;
	lt__onnx_refuse(m, "a value of %s elements at axis %d cannot be broadcast to %s", lt__poly_text(m, &have), axis,
		lt__poly_text(m, want));
	return false;
}

void lt__onnx_build_expand(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	struct lt_onnx_value *x = lt__onnx_value(c, 0);
	int32_t n, dims = 0, at[LT_MAX_RANK];
	const struct lt_onnx_poly *shape = lt__onnx_in_polys(c, 1, "the shape", &n), one = lt__poly_whole(m, 1);
	const lt_node node = x->part ? x->node : lt__onnx_in(c, 0);
	if (!shape || node < 0)
		return;
	const int32_t rank = n > x->rank ? n : x->rank;
	int32_t *part = LT_NEW(m->arena, int32_t, rank + 1);
	lt_var v[LT_MAX_RANK];
	for (int32_t i = 0; i < rank; i++) {
		const int32_t k = i - (rank - x->rank), first = k < 0 ? 0 : lt__onnx_first_part(x, k);
		const struct lt_onnx_poly *want = i < rank - n ? &one : &shape[i - (rank - n)];
		struct lt_linear sum;
		int64_t known;
		bool stretched;
		if (!expand_axis(m, x, k, want, &stretched) || dims + (k < 0 ? 1 : lt__onnx_parts(x, k)) > LT_MAX_RANK)
			return;
		part[i] = k < 0 ? 1 : lt__onnx_parts(x, k);
		for (int32_t j = 0; k >= 0 && j < part[i]; j++) {
			v[dims + j] = lt_node_dim(m->graph, node, first + j);
			at[first + j] = stretched ? -1 : dims + j;
		}
		if (stretched && (!lt__poly_sum(m, want, &sum) || (lt__poly_known(want, &known) && known < 1))) {
			lt__onnx_refuse(m, "an axis of %s elements cannot be made of one: %s", lt__poly_text(m, want),
				lt__poly_fixes(m, 1, want));
			return;
		}
		if (stretched || k < 0)
			v[dims] = stretched ? lt__onnx_sum_var(m, &sum) : lt__onnx_var(m, 1);
		dims += part[i];
	}
	const struct lt_onnx_value out = lt__onnx_grouped(m, lt__onnx_view(m, node, dims, v, at), rank, part);
	lt__onnx_give_value(c, 0, &out);
}

void lt__onnx_build_shape(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	struct lt_onnx_value *x = lt__onnx_value(c, 0);
	int64_t begin = lt__onnx_any_int(c, "start", 0), end = lt__onnx_any_int(c, "end", x->rank);
	begin = begin < 0 ? begin + x->rank : begin;
	end = end < 0 ? end + x->rank : end;
	begin = begin < 0 ? 0 : begin > x->rank ? x->rank : begin;
	end = end > x->rank ? x->rank : end < begin ? begin : end;
	lt_node *each = LT_NEW(m->arena, lt_node, x->rank + 1);
	bool known = true;
	for (int64_t i = begin; i < end; i++) {
		const struct lt_onnx_poly extent = lt__onnx_axis_extent(m, x, (int32_t)i);
		known = known && lt__poly_is(&extent, x->shape[i]);
	}
	for (int64_t i = begin; !known && i < end; i++) {
		const struct lt_onnx_poly extent = lt__onnx_axis_extent(m, x, (int32_t)i);
		each[i - begin] = lt__onnx_insert(m, lt__onnx_poly_node(m, &extent), 0);
	}
	if (known)
		lt__onnx_give_data(c, 0, LT_I64, 1, (const int64_t[]){ end - begin },
			begin < end ? x->shape + begin : NULL);
	else
		lt__onnx_give(c, 0, lt__onnx_concat(m, 0, (int32_t)(end - begin), each));
}

void lt__onnx_build_size(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	struct lt_onnx_value *x = lt__onnx_value(c, 0);
	const int64_t n = lt__onnx_elems(x);
	struct lt_onnx_poly product = lt__poly_whole(m, 1);
	if (!lt__onnx_any_bounded(m, x)) {
		lt__onnx_give_data(c, 0, LT_I64, 0, NULL, &n);
		return;
	}
	for (int32_t i = 0; i < x->rank; i++) {
		const struct lt_onnx_poly extent = lt__onnx_axis_extent(m, x, i);
		if (!lt__poly_mul(m, &product, &extent, &product))
			lt__onnx_refuse(m, "the size is a product of too many extents");
	}
	lt__onnx_give(c, 0, lt__onnx_poly_node(m, &product));
}
