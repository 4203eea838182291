/* op_index.c -- elements at positions that are computed: gather, scatter, one-hot, the largest. */
#include <string.h>
#include "frontends/onnx/builders.h"
#include "frontends/onnx/groups.h"
#include "frontends/onnx/trace.h"

/* The index with negative numbers counted from the end. */
static lt_node from_front(struct lt_onnx *m, lt_node index, int64_t extent)
{
	return lt__onnx_select(m, lt__onnx_opf(m, "less", index, 0), lt__onnx_opf(m, "add", index, (double)extent), index);
}

/* The same, along an axis of x. */
static lt_node from_front_of(struct lt_onnx *m, lt_node index, lt_node x, int32_t axis)
{
	if (!lt__onnx_bounded(m, x, axis))
		return from_front(m, index, lt__onnx_extent(m, x, axis));
	lt_node wide = lt__onnx_cast(m, index, LT_I64);
	lt_node behind = lt__onnx_op2(m, "add", wide, lt__onnx_extent_node(m, x, axis));
	return lt__onnx_select(m, lt__onnx_opf(m, "less", wide, 0), behind, wide);
}

/* Dims first .. first + count - 1 of x as one, of the most that they may be; where a run has no elements, zeros. */
static lt_node gather_room(struct lt_onnx *m, lt_node x, int32_t first, int32_t count)
{
	const int32_t rank = lt__onnx_rank(m, x);
	lt_node filled = lt__onnx_filled(m, x, first, count);
	lt_var v[LT_MAX_RANK];
	int64_t most = 1;
	for (int32_t i = 0; i < count; i++)
		most *= lt__onnx_extent(m, x, first + i);
	for (int32_t i = 0; x >= 0 && i < rank - count + 1; i++)
		v[i] = i == first ? lt__onnx_var(m, most) : lt_node_dim(m->graph, x, i < first ? i : i + count - 1);
	return filled < 0 ? LT_NONE : lt_graph_reshape_to(m->graph, filled, rank - count + 1, v);
}

/* Where in that an index along the whole group is; -1: out of it. */
static lt_node gather_place(struct lt_onnx *m, lt_node index, const struct lt_onnx_value *x, int32_t axis)
{
	const int32_t first = lt__onnx_first_part(x, axis), count = lt__onnx_parts(x, axis);
	const struct lt_onnx_poly extent = lt__onnx_axis_extent(m, x, axis);
	lt_node whole = lt__onnx_poly_node(m, &extent), left = lt__onnx_cast(m, index, LT_I64), place = LT_NONE;
	int64_t stride = 1;
	left = lt__onnx_select(m, lt__onnx_opf(m, "less", left, 0), lt__onnx_op2(m, "add", left, whole), left);
	lt_node inside =
		lt__onnx_op2(m, "and", lt__onnx_opf(m, "greaterequal", left, 0), lt__onnx_op2(m, "less", left, whole));
	for (int32_t i = count - 1; i >= 0; i--) {
		lt_node own = lt__onnx_extent_node(m, x->node, first + i);
		lt_node part = i ? lt__onnx_op2(m, "mod", left, own) : left;
		left = i ? lt__onnx_op2(m, "div", left, own) : left;
		part = lt__onnx_op2(m, "mul", part, lt__onnx_whole(m, LT_I64, stride));
		place = place < 0 ? part : lt__onnx_op2(m, "add", place, part);
		stride *= lt__onnx_extent(m, x->node, first + i);
	}
	return lt__onnx_select(m, inside, place, lt__onnx_whole(m, LT_I64, -1));
}

/* One position along an axis of x, where the model says which: that part of x, which nothing has to look up.  LT_NONE:
 * it is not known, or not inside.  Integers are looked up: they are shapes, and those are traced (trace.c). */
static lt_node gather_known(struct lt_onnx *m, lt_node x, int32_t axis, struct lt_onnx_value *at)
{
	const int32_t rank = lt__onnx_rank(m, x);
	const void *content = at->rank == 0 && lt__onnx_is_float(m, x) ? lt__onnx_maybe(m, at) : NULL;
	if (!content || lt__onnx_bounded(m, x, axis))
		return LT_NONE;
	int64_t extent = lt__onnx_extent(m, x, axis), index = lt__load(content, 0, at->dtype).i;
	index += index < 0 ? extent : 0;
	if (index < 0 || index >= extent)
		return LT_NONE;
	lt_var v[LT_MAX_RANK];
	int64_t *row = LT_NEW(m->arena, int64_t, rank * rank);
	for (int32_t i = 0, n = 0; i < rank; i++) {
		row[i * rank + (i == axis ? 0 : n + 1)] = i == axis ? index : 1;
		if (i != axis)
			v[n++] = lt_node_dim(m->graph, x, i);
	}
	const struct lt_view_piece piece = { .source = x, .map = { .n_dim = rank - 1, .n_row = rank, .row = row } };
	return lt_graph_view(m->graph, rank - 1, v, 1, &piece, 0, 0);
}

/* The axes of the index come in place of x's; each keeps its group. */
void lt__onnx_build_gather(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	struct lt_onnx_value *x = lt__onnx_value(c, 0), *at = lt__onnx_value(c, 1);
	const int32_t axis = lt__onnx_axis(m, lt__onnx_int(c, "axis", 0), x->rank);
	lt_node from = lt__onnx_node(m, lt__onnx_apart(m, x)), index = lt__onnx_node(m, lt__onnx_apart(m, at));
	if (axis < 0 || from < 0 || index < 0)
		return;
	const int32_t first = lt__onnx_first_part(x, axis), count = lt__onnx_parts(x, axis), rank = x->rank - 1 + at->rank;
	int32_t *part = LT_NEW(m->arena, int32_t, rank + 1), n = 0;
	lt_node y_node = count > 1 ? LT_NONE : gather_known(m, from, first, at);
	if (y_node < 0) {
		index = count > 1 ? gather_place(m, index, x, axis) : from_front_of(m, index, from, first);
		from = count > 1 ? gather_room(m, from, first, count) : from;
		y_node = lt__onnx_gather(m, from, index, first);
	}
	for (int32_t i = 0; i < axis; i++)
		part[n++] = lt__onnx_parts(x, i);
	for (int32_t i = 0; i < at->rank; i++)
		part[n++] = lt__onnx_parts(at, i);
	for (int32_t i = axis + 1; i < x->rank; i++)
		part[n++] = lt__onnx_parts(x, i);
	const struct lt_onnx_value y = lt__onnx_grouped(m, y_node, rank, part);
	lt__onnx_give_value(c, 0, &y);
}

/* y[i, j] = x[index[i, j], j], for axis 0: x and index share the other axes. */
void lt__onnx_build_gather_elements(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	lt_node x = lt__onnx_in(c, 0), index = lt__onnx_in(c, 1);
	const int32_t rank = lt__onnx_rank(m, x), axis = lt__onnx_axis(m, lt__onnx_int(c, "axis", 0), rank);
	if (x < 0 || index < 0 || axis < 0)
		return;
	if (lt__onnx_rank(m, index) != rank) {
		lt__onnx_refuse(m, "an index of rank %d into a value of rank %d", lt__onnx_rank(m, index), rank);
		return;
	}
	lt__onnx_give(c, 0, lt__build_gather_elements(m->graph, x, from_front_of(m, index, x, axis), axis));
}

/* Place of each tuple of an index [.., n] in a block of those extents, as one number: [..]. */
static lt_node flat_index(struct lt_onnx *m, lt_node index, int32_t n, const int64_t *extent)
{
	const int32_t last = lt__onnx_rank(m, index) - 1;
	bool *mask = LT_NEW(m->arena, bool, last + 2);
	lt_node sum = LT_NONE;
	mask[last] = true;
	for (int32_t k = 0; k < n; k++) {
		lt_node part = lt__onnx_squeeze(m, lt__onnx_slice(m, index, last, k, k + 1, 1), mask);
		part = from_front(m, lt__onnx_cast(m, part, LT_I64), extent[k]);
		sum = k ? lt__onnx_op2(m, "add", lt__onnx_opf(m, "mul", sum, (double)extent[k]), part) : part;
	}
	return sum;
}

/* index [b.., i.., n] into x [b.., e1..en, r..] */
void lt__onnx_build_gather_nd(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	lt_node x = lt__onnx_in(c, 0), index = lt__onnx_in(c, 1);
	const int64_t batch = lt__onnx_int(c, "batch_dims", 0);
	if (x < 0 || index < 0)
		return;
	const int32_t rx = lt__onnx_rank(m, x), ri = lt__onnx_rank(m, index);
	const int64_t n = ri ? lt__onnx_extent(m, index, ri - 1) : 0;
	if (batch < 0 || batch >= ri || n < 1 || batch + n > rx) {
		lt__onnx_refuse(m, "an index of %lld numbers, with %lld axes in common, into a value of rank %d", (long long)n,
			(long long)batch, rx);
		return;
	}
	/* x as [b.., e, r..]; the index as one number, with x's vars at the axes in common */
	int64_t extent[LT_MAX_RANK], shape[LT_MAX_RANK], whole = 1;
	int32_t b = (int32_t)batch, rank = 0;
	for (int32_t k = 0; k < n; k++)
		whole *= extent[k] = lt__onnx_extent(m, x, b + k);
	for (int32_t i = 0; i < rx; i++)
		if (i < b || i >= b + n)
			shape[rank++] = lt__onnx_extent(m, x, i);
		else if (i == b)
			shape[rank++] = whole;
	lt_node at = flat_index(m, index, (int32_t)n, extent), from = lt__onnx_reshape(m, x, rank, shape);
	if (at < 0 || from < 0)
		return;
	lt_var v[LT_MAX_RANK];
	int32_t same[LT_MAX_RANK];
	for (int32_t i = 0; i < ri - 1; i++) {
		v[i] = i < b ? lt_node_dim(m->graph, from, i) : lt__onnx_like(m, at, i);
		same[i] = i;
	}
	lt__onnx_give(c, 0, lt_graph_gather(m->graph, from, lt__onnx_view(m, at, ri - 1, v, same), b));
}

/* values [off, on] at the class of each index, on a new axis */
void lt__onnx_build_one_hot(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	const double given = lt__onnx_in_number(c, 1, "the depth", 1);
	const int64_t depth = given >= 1 && given <= (double)LT_ONNX_MOST ? (int64_t)given : 0;
	lt_node index = lt__onnx_in(c, 0), values = lt__onnx_in(c, 2);
	if (index < 0 || values < 0 || lt__onnx_failed(m))
		return;
	const int32_t rank = lt__onnx_rank(m, index) + 1, axis = lt__onnx_axis(m, lt__onnx_int(c, "axis", -1), rank);
	bool first[1] = { true };
	if (axis < 0 || depth < 1 || lt__onnx_rank(m, values) != 1 || lt__onnx_extent(m, values, 0) != 2) {
		lt__onnx_refuse(m, "a depth of %g, and values that are not two", given);
		return;
	}
	lt_node off = lt__onnx_squeeze(m, lt__onnx_slice(m, values, 0, 0, 1, 1), first);
	lt_node on = lt__onnx_squeeze(m, lt__onnx_slice(m, values, 0, 1, 2, 1), first);
	lt_node at = from_front(m, lt__onnx_cast(m, index, LT_I64), depth);
	lt__onnx_give(c, 0, lt__onnx_select(m, lt__build_one_hot(m->graph, at, depth, axis), on, off));
}

void lt__onnx_build_top_k(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	lt_node x = lt__onnx_in(c, 0);
	const int32_t rank = lt__onnx_rank(m, x), axis = lt__onnx_axis(m, lt__onnx_int(c, "axis", -1), rank);
	const int64_t k = c->version < 10 ? lt__onnx_int(c, "k", 0) : lt__onnx_in_any_int(c, 1, "k", 0);
	const bool largest = lt__onnx_int(c, "largest", 1) != 0;
	lt__onnx_ignore(c, "sorted");           /* sorted is one of the orders that are allowed otherwise */
	if (x < 0 || axis < 0 || lt__onnx_failed(m))
		return;
	const int64_t n = lt__onnx_extent(m, x, axis);
	if (k < 1 || k > n) {
		lt__onnx_refuse(m, "the %lld first of %lld elements", (long long)k, (long long)n);
		return;
	}
	lt_node y, at;
	lt__build_top_k(m->graph, x, axis, k, largest, &y, &at);
	lt__onnx_give(c, 0, y);
	lt__onnx_give(c, 1, at);
}

/* The positions of the lower (or upper) triangle of the last two axes, moved by k. */
void lt__onnx_build_trilu(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	struct lt_onnx_value *v = lt__onnx_value(c, 0);
	const int64_t k = lt__onnx_in_any_int(c, 1, "k", 0);
	const bool upper = lt__onnx_int(c, "upper", 1) != 0;
	if (v->empty) {
		lt__onnx_give_value(c, 0, v);
		return;
	}
	lt_node x = lt__onnx_in(c, 0);
	const int32_t rank = lt__onnx_rank(m, x);
	if (x < 0 || lt__onnx_failed(m))
		return;
	if (rank < 2) {
		lt__onnx_refuse(m, "a value of rank %d has no triangle", rank);
		return;
	}
	if (lt__onnx_along(c, -2) < 0 || lt__onnx_along(c, -1) < 0)
		return;
	lt__onnx_give(c, 0, lt__build_triangle(m->graph, x, k, upper));
}

void lt__onnx_build_eye_like(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	struct lt_onnx_value *v = lt__onnx_value(c, 0);
	const int64_t k = lt__onnx_any_int(c, "k", 0), type = lt__onnx_int(c, "dtype", lt__onnx_type(v->dtype));
	if (v->rank != 2 || v->empty || !lt__onnx_dtype(type)) {
		lt__onnx_refuse(m, "a matrix of %s of the shape %s", lt__onnx_type_name(type), lt__onnx_shape(m, v->rank, v->shape));
		return;
	}
	lt_node x = lt__onnx_in(c, 0), row = lt__onnx_positions(m, x, 0), column = lt__onnx_positions(m, x, 1);
	lt_node hit = lt__onnx_op2(m, "eq", column, lt__onnx_op2(m, "add", row, lt__onnx_whole(m, LT_I64, k)));
	lt__onnx_give(c, 0, lt__onnx_cast(m, hit, lt__onnx_dtype(type)));
}

/* A range in steps of 1 or -1 whose begin or end differ from run to run; false: it is none. */
static bool range_bounded(struct lt_onnx_call *c, enum lt_dtype t)
{
	struct lt_onnx *m = c->m;
	struct lt_onnx_value *in[3] = { lt__onnx_value(c, 0), lt__onnx_value(c, 1), lt__onnx_value(c, 2) };
	struct lt_onnx_poly x[3], count;
	struct lt_linear sum;
	int64_t step;
	if (!m->n_symbol || (lt__onnx_maybe(m, in[0]) && lt__onnx_maybe(m, in[1])))
		return false;
	for (int32_t i = 0; i < 3; i++)
		if (!lt__onnx_trace(m, in[i], 0, &x[i]))
			return false;
	if (!lt__poly_known(&x[2], &step) || (step != 1 && step != -1)
	    || !lt__poly_add(m, &x[step > 0], &x[step < 0], -1, &count) || !lt__poly_sum(m, &count, &sum))
		return false;
	lt_node at = sum.n ? lt_graph_index(m->graph, lt__onnx_sum_var(m, &sum)) : LT_NONE;
	if (at < 0)
		return false;
	at = step > 0 ? at : lt__onnx_op1(m, "neg", at);
	lt__onnx_give(c, 0, lt__onnx_cast(m, lt__onnx_op2(m, "add", at, lt__onnx_poly_node(m, &x[0])), t));
	return true;
}

/* begin, begin + step, ... below end */
void lt__onnx_build_range(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	const enum lt_dtype t = lt__onnx_value(c, 0)->dtype;
	if (range_bounded(c, t))
		return;
	const double begin = lt__onnx_in_number(c, 0, "the begin", 0), end = lt__onnx_in_number(c, 1, "the end", 0);
	const double step = lt__onnx_in_number(c, 2, "the step", 1);
	if (lt__onnx_failed(m))
		return;
	const double steps = (end - begin) / step;
	if (!(step != 0) || !(steps < 0x1p40)) {
		lt__onnx_refuse(m, "a range from %g to %g in steps of %g", begin, end, step);
		return;
	}
	int64_t n = (int64_t)steps;
	n = (double)n < steps ? n + 1 : n;
	if (n <= 0) {
		struct lt_onnx_value none = lt__onnx_of_data(m, t, 1, (const int64_t[]){ 0 }, NULL);
		lt__onnx_give_value(c, 0, &none);
		return;
	}
	const bool real = lt__dtype_info(t)->cls == LT_CLASS_FLOAT;
	lt_node at = lt__onnx_cast(m, lt__onnx_range(m, n, 0, 1), real ? LT_F64 : LT_I64);
	lt_node y = lt__onnx_opf(m, "add", lt__onnx_opf(m, "mul", at, step), begin);
	lt__onnx_give(c, 0, lt__onnx_cast(m, y, t));
}
