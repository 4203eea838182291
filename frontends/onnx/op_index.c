/* frontends/onnx/op_index.c -- elements at positions that are computed: gather, scatter, one-hot, the largest. */
#include <string.h>
#include "frontends/onnx/builders.h"
#include "frontends/onnx/position.h"
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

void lt__onnx_build_gather(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	struct lt_onnx_value *x = lt__onnx_value(c, 0);
	const int32_t axis = lt__onnx_axis(m, lt__onnx_int(c, "axis", 0), x->rank);
	lt_node from = lt__onnx_in(c, 0), index = lt__onnx_in(c, 1);
	if (axis < 0 || from < 0)
		return;
	lt__onnx_give(c, 0, lt__onnx_gather(m, from, from_front_of(m, index, from, axis), axis));
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
	const int64_t depth = (int64_t)lt__onnx_in_number(c, 1, "the depth", 1);
	lt_node index = lt__onnx_in(c, 0), values = lt__onnx_in(c, 2);
	if (index < 0 || values < 0 || lt__onnx_failed(m))
		return;
	const int32_t rank = lt__onnx_rank(m, index) + 1, axis = lt__onnx_axis(m, lt__onnx_int(c, "axis", -1), rank);
	bool first[1] = { true };
	if (axis < 0 || depth < 1 || lt__onnx_rank(m, values) != 1 || lt__onnx_extent(m, values, 0) != 2) {
		lt__onnx_refuse(m, "a depth of %lld, and values that are not two", (long long)depth);
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
	const int64_t k = c->version < 10 ? lt__onnx_int(c, "k", 0) : lt__onnx_in_int(c, 1, "k", 0);
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
	const int64_t k = lt__onnx_in_int(c, 1, "k", 0);
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
	lt__onnx_give(c, 0, lt__build_triangle(m->graph, x, k, upper));
}

void lt__onnx_build_eye_like(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	struct lt_onnx_value *v = lt__onnx_value(c, 0);
	const int64_t k = lt__onnx_int(c, "k", 0), type = lt__onnx_int(c, "dtype", lt__onnx_type(v->dtype));
	if (v->rank != 2 || v->empty || !lt__onnx_dtype(type)) {
		lt__onnx_refuse(m, "a matrix of %s of the shape %s", lt__onnx_type_name(type), lt__onnx_shape(m, v->rank, v->shape));
		return;
	}
	lt_node row = lt__onnx_range(m, v->shape[0], 0, 2), column = lt__onnx_range(m, v->shape[1], 1, 2);
	lt_node hit = lt__onnx_op2(m, "eq", column, lt__onnx_op2(m, "add", row, lt__onnx_whole(m, LT_I64, k)));
	lt__onnx_give(c, 0, lt__onnx_cast(m, hit, lt__onnx_dtype(type)));
}

/* begin, begin + step, ... below end */
void lt__onnx_build_range(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	const enum lt_dtype t = lt__onnx_value(c, 0)->dtype;
	struct lt_linear from, to, by;
	if (m->n_symbol && !lt__onnx_maybe(m, lt__onnx_value(c, 1)) && lt__onnx_trace(m, lt__onnx_value(c, 0), 0, &from)
	    && lt__onnx_trace(m, lt__onnx_value(c, 1), 0, &to) && lt__onnx_trace(m, lt__onnx_value(c, 2), 0, &by)
	    && by.n == 0 && by.constant == 1 && from.n == 0) {
		const struct lt_linear count = lt__onnx_difference(m, &to, &from);
		lt_node at = lt_graph_index(m->graph, lt__onnx_sum_var(m, &count));
		lt__onnx_give(c, 0, lt__onnx_cast(m, lt__onnx_op2(m, "add", at, lt__onnx_whole(m, LT_I64, from.constant)), t));
		return;
	}
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
