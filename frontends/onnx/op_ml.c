/* op_ml.c -- operators of ai.onnx.ml, and determinants. */
#include <math.h>
#include <string.h>
#include "frontends/onnx/builders.h"
#include "frontends/onnx/position.h"

enum { MAX_MATRIX = 32 };

/* 1 where an element is above the threshold, else 0. */
void lt__onnx_build_binarizer(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	lt_node x = lt__onnx_in(c, 0), above = lt__onnx_opf(m, "greater", x, lt__onnx_float(c, "threshold", 0));
	if (x >= 0)
		lt__onnx_give(c, 0, lt__onnx_cast(m, above, lt_node_dtype(m->graph, x)));
}

/* Elements of the last axis; a vector counts as a matrix of one row. */
void lt__onnx_build_features(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	lt_node x = lt__onnx_in(c, 0), index = lt__onnx_in(c, 1);
	if (x < 0 || index < 0)
		return;
	if (lt__onnx_rank(m, x) == 1)
		x = lt__onnx_insert(m, x, 0);
	const int64_t n = lt__onnx_elems(lt__onnx_value(c, 1));
	lt__onnx_give(c, 0, lt__onnx_gather(m, x, lt__onnx_reshape(m, index, 1, &n), lt__onnx_rank(m, x) - 1));
}

/* Keys or values of a LabelEncoder: a tensor, or numbers of one of two types. */
struct label_names { const char *tensor, *floats, *ints; };

static bool label_list(struct lt_onnx_call *c, const struct label_names *name, struct lt_onnx_value *out)
{
	struct lt_onnx *m = c->m;
	int32_t n;
	const struct Onnx__TensorProto *t = lt__onnx_tensor_attribute(c, name->tensor);
	if (t)
		return lt__onnx_tensor(m, t, out);
	const float *numbers = lt__onnx_floats(c, name->floats, &n);
	const enum lt_dtype type = numbers ? LT_F32 : LT_I64;
	const void *data = numbers ? (const void *)numbers : lt__onnx_any_ints(c, name->ints, &n);
	if (!data || n < 1) {
		lt__onnx_refuse(m, "attribute '%s', '%s' or '%s' is missing: strings are not supported", name->tensor,
			name->floats, name->ints);
		return false;
	}
	const int64_t shape = n;
	void *at = lt__onnx_room(m, type, 1, &shape);
	memcpy(at, data, (size_t)n * lt__dtype_info(type)->bytes);
	*out = lt__onnx_of_data(m, type, 1, &shape, at);
	return true;
}

/* What an element takes that is no key. */
static lt_node label_default(struct lt_onnx_call *c, enum lt_dtype t)
{
	struct lt_onnx *m = c->m;
	const struct Onnx__TensorProto *given = lt__onnx_tensor_attribute(c, "default_tensor");
	struct lt_onnx_value v;
	lt__onnx_ignore(c, "default_string");
	if (given) {
		const bool first[1] = { true };
		lt_node x = lt__onnx_tensor(m, given, &v) ? lt__onnx_node(m, &v) : LT_NONE;
		return lt__onnx_cast(m, lt__onnx_rank(m, x) == 1 ? lt__onnx_squeeze(m, x, first) : x, t);
	}
	const double number = lt__onnx_float(c, "default_float", -0.);
	const int64_t whole = lt__onnx_any_int(c, "default_int64", -1);
	return t == LT_F32 ? lt__onnx_number(m, t, number) : lt__onnx_whole(m, t, whole);
}

/* The value of the last key that an element is. */
void lt__onnx_build_label_encoder(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	struct lt_onnx_value keys, values;
	lt_node x = lt__onnx_in(c, 0);
	if (x < 0 || !label_list(c, &(struct label_names){ "keys_tensor", "keys_floats", "keys_int64s" }, &keys)
	    || !label_list(c, &(struct label_names){ "values_tensor", "values_floats", "values_int64s" }, &values))
		return;
	const int32_t rank = lt__onnx_rank(m, x);
	lt_node otherwise = label_default(c, values.dtype);
	if (keys.empty || keys.rank != 1 || values.rank != 1 || keys.shape[0] != values.shape[0]
	    || keys.dtype != lt_node_dtype(m->graph, x)) {
		lt__onnx_refuse(m, "%lld keys of %s and %lld values for elements of %s", (long long)lt__onnx_elems(&keys),
			lt__onnx_type_name(lt__onnx_type(keys.dtype)), (long long)lt__onnx_elems(&values),
			lt__onnx_type_name(lt__onnx_type(lt_node_dtype(m->graph, x))));
		return;
	}
	keys.name = "keys";
	values.name = "values";
	lt_node same = lt__onnx_op2(m, "eq", lt__onnx_insert(m, x, rank), lt__onnx_node(m, &keys));
	lt_node place = lt__onnx_select(m, same, lt__onnx_range(m, keys.shape[0], rank, rank + 1),
		lt__onnx_whole(m, LT_I64, -1));
	place = lt__onnx_reduce1(m, "max", place, rank, false);
	lt_node found = lt__onnx_gather(m, lt__onnx_node(m, &values), lt__onnx_opf(m, "max", place, 0), 0);
	lt__onnx_give(c, 0, lt__onnx_select(m, lt__onnx_opf(m, "less", place, 0), otherwise, found));
}

/* Takes the first column out of matrices [.., n, n] by the row whose element there is the largest: that element. */
static lt_node det_step(struct lt_onnx *m, lt_node *x, int32_t rank, int64_t n)
{
	const int32_t row = rank - 2, column = rank - 1;
	lt_node first = lt__onnx_slice(m, *x, column, 0, 1, 1), size = lt__onnx_op1(m, "abs", first);
	lt_node most = lt__onnx_reduce1(m, "max", size, row, true), places = lt__onnx_range(m, n, row, rank);
	lt_node place = lt__onnx_select(m, lt__onnx_op2(m, "eq", size, most), places, lt__onnx_whole(m, LT_I64, n - 1));
	place = lt__onnx_reduce1(m, "min", place, row, true);
	lt_node here = lt__onnx_op2(m, "eq", places, place);
	const enum lt_dtype t = first < 0 ? LT_F32 : lt_node_dtype(m->graph, first);
	lt_node zero = lt__onnx_number(m, t, 0);
	lt_node pivots = lt__onnx_reduce1(m, "add", lt__onnx_select(m, here, *x, zero), row, true);
	lt_node pivot = lt__onnx_slice(m, pivots, column, 0, 1, 1), above = lt__onnx_slice(m, *x, row, 0, 1, 1);
	lt_node swapped = lt__onnx_opf(m, "ne", place, 0), none = lt__onnx_opf(m, "eq", pivot, 0);
	/* The first row goes where that one was. */
	lt_node rest = lt__onnx_slice(m, lt__onnx_select(m, here, above, *x), row, 1, n, 1);
	lt_node factor = lt__onnx_op2(m, "div", lt__onnx_slice(m, rest, column, 0, 1, 1),
		lt__onnx_select(m, none, lt__onnx_number(m, t, 1), pivot));
	lt_node right = lt__onnx_slice(m, rest, column, 1, n, 1);
	*x = lt__onnx_op2(m, "sub", right, lt__onnx_op2(m, "mul", factor, lt__onnx_slice(m, pivots, column, 1, n, 1)));
	return lt__onnx_select(m, swapped, lt__onnx_op1(m, "neg", pivot), pivot);
}

void lt__onnx_build_det(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	const struct lt_onnx_value *v = lt__onnx_value(c, 0);
	const int32_t rank = v->rank;
	lt_node x = lt__onnx_wide(m, lt__onnx_in(c, 0)), y = LT_NONE;
	if (x < 0)
		return;
	const int64_t n = rank < 2 ? 0 : v->shape[rank - 1];
	if (n < 1 || n > MAX_MATRIX || v->shape[rank - 2] != n || !lt__onnx_is_float(m, x)) {
		lt__onnx_refuse(m, "the determinant of %s: square matrices of at most %d rows are supported",
			lt__onnx_shape(m, rank, v->shape), MAX_MATRIX);
		return;
	}
	bool last[LT_MAX_RANK] = { false };
	last[rank - 1] = last[rank - 2] = true;
	for (int64_t left = n; left > 1; left--) {
		lt_node factor = det_step(m, &x, rank, left);
		y = left == n ? factor : lt__onnx_op2(m, "mul", y, factor);
	}
	y = n == 1 ? x : lt__onnx_op2(m, "mul", y, x);
	lt__onnx_give(c, 0, lt__onnx_cast(m, lt__onnx_squeeze(m, y, last), v->dtype));
}
