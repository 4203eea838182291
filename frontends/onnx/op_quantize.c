/* op_quantize.c -- numbers as whole steps of a scale: QuantizeLinear, and operators of such numbers,
 * which are exact: their sums are integers, which come to the steps of the result as lt_build_requant has it. */
#include <math.h>
#include <string.h>
#include "frontends/onnx/builders.h"
#include "frontends/onnx/position.h"
#include "frontends/onnx/stored.h"
#include "frontends/onnx/window.h"
#include "base/number.h"

/* Further from 0 than any zero point and any range, and an int32 with either. */
static const double OUTSIDE = 1 << 20;

struct quantized { enum lt_dtype dtype; const struct lt_onnx_stored *stored; };

static struct quantized quantized_type(int64_t type)
{
	const struct lt_onnx_stored *s = lt__onnx_stored(type);
	return (struct quantized){ s ? s->held : lt__onnx_dtype(type), s };
}

static int64_t value_type(const struct lt_onnx_value *v)
{
	return v->stored ? v->stored : lt__onnx_type(v->dtype);
}

static bool quantized_whole(const struct quantized *q)
{
	return q->stored ? q->stored->kind == LT_ONNX_STORED_WHOLE : lt__dtype_info(q->dtype)->cls == LT_CLASS_INT;
}

/* Whole numbers y (float or int32) cut off at the range of the type. */
static lt_node quantized_cut(struct lt_onnx *m, const struct quantized *q, lt_node y)
{
	const int bits = q->stored ? q->stored->bits : 8 * (int)lt__dtype_info(q->dtype)->bytes;
	const bool is_signed = lt__dtype_info(q->dtype)->is_signed;
	const double low = is_signed ? -ldexp(1, bits - 1) : 0, high = ldexp(1, bits - is_signed) - 1;
	return lt__onnx_cast(m, lt__onnx_opf(m, "min", lt__onnx_opf(m, "max", y, low), high), q->dtype);
}

/* A view of s with n elements along an axis, each of which stands for `block` of them. */
static lt_node quantized_blocks(struct lt_onnx *m, lt_node s, int32_t axis, int64_t n, int64_t block)
{
	const int32_t rank = lt__onnx_rank(m, s), quotient = 1 + rank, width = quotient + 1;
	lt_var *v = LT_NEW(m->arena, lt_var, rank + 1);
	int64_t *row = LT_NEW(m->arena, int64_t, (int64_t)rank * width), *div = LT_NEW(m->arena, int64_t, width + 1);
	for (int32_t i = 0; i < rank; i++) {
		v[i] = i == axis ? lt__onnx_var(m, n) : lt_node_dim(m->graph, s, i);
		row[(int64_t)i * width + (i == axis ? quotient : 1 + i)] = 1;
	}
	div[0] = block;
	div[1 + 1 + axis] = 1;
	struct lt_view_piece piece = { .source = s, .map = { .n_dim = rank, .n_div = 1, .n_row = rank, .div = div,
		.row = row } };
	return lt_graph_view(m->graph, rank, v, 1, &piece, 0, 0);
}

/* A scale or zero point for an operand like x: one number, one for each place of `axis`, or for each block there. */
static lt_node quantized_spread(struct lt_onnx *m, lt_node s, lt_node x, int64_t axis, int64_t block)
{
	const int32_t own = lt__onnx_rank(m, s), rank = lt__onnx_rank(m, x);
	int64_t elems = 1;
	if (s < 0 || x < 0)
		return LT_NONE;
	for (int32_t i = 0; i < own; i++)
		elems *= lt__onnx_extent(m, s, i);
	if (elems == 1 && !block)
		return lt__onnx_reshape(m, s, 0, NULL);
	const int32_t at = lt__onnx_axis(m, axis, rank);
	if (at < 0)
		return LT_NONE;
	if (!block && own == 1 && elems == lt__onnx_extent(m, x, at)) {
		bool *others = LT_NEW(m->arena, bool, rank + 1);
		for (int32_t i = 0; i < rank; i++)
			others[i] = i != at;
		return lt__onnx_unsqueeze(m, s, rank, others);
	}
	const int64_t n = lt__onnx_extent(m, x, at);
	if (!block || own != rank || lt__onnx_extent(m, s, at) != (n + block - 1) / block) {
		lt__onnx_refuse(m, "scales or zero points of rank %d for %lld elements at axis %d", own, (long long)n, at);
		return LT_NONE;
	}
	return quantized_blocks(m, s, at, n, block);
}

static int64_t block_of(struct lt_onnx_call *c)
{
	const int64_t block = lt__onnx_int(c, "block_size", 0);
	if (block < 0)
		lt__onnx_refuse(c->m, "attribute 'block_size' is %lld", (long long)block);
	return block;
}

/* Types of floats have no zero point but 0; false with a sentence. */
static bool zero_is_none(struct lt_onnx_call *c, int32_t i)
{
	if (!lt__onnx_has(c, i))
		return true;
	struct lt_onnx_value *v = lt__onnx_value(c, i);
	const unsigned char *data = lt__onnx_content(c->m, v, "the zero point");
	for (int64_t k = 0; data && k < lt__onnx_elems(v); k++)
		if (data[k]) {
			lt__onnx_refuse(c->m, "a zero point of %s that is not 0", lt__onnx_type_name(v->stored));
			return false;
		}
	return data != NULL;
}

/* A scale is above 0 and finite, where it is known; false with a sentence. */
static bool scale_fits(struct lt_onnx_call *c, int32_t i, const char *what)
{
	struct lt_onnx_value *v = lt__onnx_value(c, i);
	const void *data = v->stored || lt__dtype_info(v->dtype)->cls != LT_CLASS_FLOAT ? NULL : lt__onnx_maybe(c->m, v);
	for (int64_t k = 0; data && k < lt__onnx_elems(v); k++) {
		const double scale = lt__load(data, k, v->dtype).f;
		if (!(scale > 0 && scale < INFINITY)) {
			lt__onnx_refuse(c->m, "%s ('%s') is %g at %lld: it has to be above 0 and finite", what, v->name ? v->name : "",
				scale, (long long)k);
			return false;
		}
	}
	if (v->stored || lt__dtype_info(v->dtype)->cls == LT_CLASS_FLOAT)
		return !lt__onnx_failed(c->m);
	lt__onnx_refuse(c->m, "%s ('%s') is %s, and has to be a float", what, v->name ? v->name : "",
		lt__onnx_type_name(value_type(v)));
	return false;
}

/* A zero point is of the type of what it is the zero of. */
static bool zero_fits(struct lt_onnx_call *c, int32_t zero, int32_t of)
{
	if (!lt__onnx_has(c, zero) || value_type(lt__onnx_value(c, zero)) == value_type(lt__onnx_value(c, of)))
		return true;
	const struct lt_onnx_value *v = lt__onnx_value(c, zero), *x = lt__onnx_value(c, of);
	lt__onnx_refuse(c->m, "the zero point '%s' is %s, and '%s' is %s: they have to be of one type", v->name ? v->name : "",
		lt__onnx_type_name(value_type(v)), x->name ? x->name : "", lt__onnx_type_name(value_type(x)));
	return false;
}

/* round(x / scale) + zero point, the quotient in the type of the scale or `precision`. */
void lt__onnx_build_quantize(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	const int64_t axis = lt__onnx_int(c, "axis", 1), block = block_of(c), given = lt__onnx_int(c, "output_dtype", 0);
	const int64_t precision = lt__onnx_int(c, "precision", 0);
	const bool saturate = lt__onnx_int(c, "saturate", 1) != 0, has_zero = lt__onnx_has(c, 2);
	const int64_t type = has_zero ? value_type(lt__onnx_value(c, 2)) : given ? given : lt__onnx_type(LT_U8);
	struct quantized q = quantized_type(type);
	lt_node x = lt__onnx_in_numbers(c, 0), scale = lt__onnx_in_numbers(c, 1);
	if (!q.dtype || (!q.stored && !quantized_whole(&q)) || (given && given != type)) {
		lt__onnx_refuse(m, "it is to give %s, which %s", lt__onnx_type_name(given ? given : type), given && given != type ?
			"is not the type of the zero point" : q.dtype ? "is no quantised type" : "Looptree does not have");
		return;
	}
	if (!scale_fits(c, 1, "the scale"))
		return;
	scale = quantized_spread(m, scale, x, axis, block);
	if (x < 0 || scale < 0)
		return;
	const enum lt_dtype t = precision ? lt__onnx_dtype(precision) : lt_node_dtype(m->graph, scale);
	if (!t || lt__dtype_info(t)->cls != LT_CLASS_FLOAT) {
		lt__onnx_refuse(m, "attribute 'precision' is %s", lt__onnx_type_name(precision));
		return;
	}
	lt_node y = lt__onnx_wide(m, lt__onnx_op2(m, "div", lt__onnx_cast(m, x, t), lt__onnx_cast(m, scale, t)));
	if (!quantized_whole(&q)) {
		if (zero_is_none(c, 2))
			lt__onnx_give_stored(c, 0, lt__onnx_store(m, q.stored, y, saturate, LT_ONNX_NEAREST), q.stored);
		return;
	}
	y = lt__onnx_opf(m, "min", lt__onnx_opf(m, "max", lt__onnx_op1(m, "round", y), -OUTSIDE), OUTSIDE);
	y = lt__onnx_cast(m, y, LT_I32);
	if (has_zero)
		y = lt__onnx_op2(m, "add", y, quantized_spread(m, lt__onnx_cast(m, lt__onnx_in(c, 2), LT_I32), x, axis, block));
	y = quantized_cut(m, &q, y);
	if (q.stored)
		lt__onnx_give_stored(c, 0, y, q.stored);
	else
		lt__onnx_give(c, 0, y);
}

/* (x - zero point) * scale */
void lt__onnx_build_dequantize(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	const int64_t axis = lt__onnx_int(c, "axis", 1), block = block_of(c);
	const int64_t given = lt__onnx_int(c, "output_dtype", 0), type = given ? given : value_type(lt__onnx_value(c, 1));
	const struct quantized q = quantized_type(value_type(lt__onnx_value(c, 0)));
	lt_node x = lt__onnx_in_numbers(c, 0), scale = lt__onnx_in_numbers(c, 1);
	const enum lt_dtype t = lt__onnx_dtype(type);
	if (x < 0 || scale < 0 || !scale_fits(c, 1, "the scale") || !zero_fits(c, 2, 0))
		return;
	if (!t || lt__dtype_info(t)->cls != LT_CLASS_FLOAT || (!q.stored && !quantized_whole(&q))) {
		lt__onnx_refuse(m, "numbers of %s cannot be made of %s", lt__onnx_type_name(type),
			lt__onnx_type_name(value_type(lt__onnx_value(c, 0))));
		return;
	}
	if (quantized_whole(&q)) {
		x = lt__onnx_cast(m, x, LT_I32);
		if (lt__onnx_has(c, 2))
			x = lt__onnx_op2(m, "sub", x, quantized_spread(m, lt__onnx_cast(m, lt__onnx_in(c, 2), LT_I32), x, axis, block));
	} else if (!zero_is_none(c, 2)) {
		return;
	}
	const enum lt_dtype wide = lt__dtype_info(t)->compute;
	scale = quantized_spread(m, lt__onnx_cast(m, scale, wide), x, axis, block);
	lt__onnx_give(c, 0, lt__onnx_cast(m, lt__onnx_op2(m, "mul", lt__onnx_cast(m, x, wide), scale), t));
}

/* Steps of the least and the greatest number, and of 0. */
void lt__onnx_build_dynamic_quantize(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	lt_node x = lt__onnx_in(c, 0);
	const int32_t rank = lt__onnx_rank(m, x);
	bool *all = LT_NEW(m->arena, bool, rank + 1);
	if (x >= 0 && lt_node_dtype(m->graph, x) != LT_F32) {
		lt__onnx_refuse(m, "numbers of %s: float32 is expected", lt__onnx_type_name(value_type(lt__onnx_value(c, 0))));
		return;
	}
	memset(all, 1, (size_t)rank);
	lt_node high = lt__onnx_opf(m, "max", lt__onnx_reduce(m, "max", x, all, false), 0);
	lt_node low = lt__onnx_opf(m, "min", lt__onnx_reduce(m, "min", x, all, false), 0);
	lt_node range = lt__onnx_op2(m, "sub", high, low);
	range = lt__onnx_select(m, lt__onnx_opf(m, "eq", range, 0), lt__onnx_number(m, LT_F32, 1), range);
	lt_node scale = lt__onnx_opf(m, "div", range, 255);
	lt_node zero = lt__onnx_op1(m, "neg", lt__onnx_op2(m, "div", low, scale));
	zero = lt__onnx_op1(m, "round", lt__onnx_opf(m, "min", lt__onnx_opf(m, "max", zero, 0), 255));
	lt_node y = lt__onnx_op2(m, "add", lt__onnx_op1(m, "round", lt__onnx_op2(m, "div", x, scale)), zero);
	lt__onnx_give(c, 0, quantized_cut(m, &(struct quantized){ LT_U8, NULL }, y));
	lt__onnx_give(c, 1, scale);
	lt__onnx_give(c, 2, lt__onnx_cast(m, zero, LT_U8));
}

/* A scale or zero point of rows (rows: one for each place of the last axis but one), or of columns. */
static lt_node matrix_scale(struct lt_onnx_call *c, int32_t i, enum lt_dtype t, bool rows)
{
	struct lt_onnx *m = c->m;
	lt_node s = lt__onnx_in(c, i);
	if (s < 0)
		return LT_NONE;
	s = t ? lt__onnx_cast(m, s, t) : s;
	if (lt__onnx_rank(m, s) == 1 && lt__onnx_extent(m, s, 0) == 1)
		return lt__onnx_reshape(m, s, 0, NULL);
	return rows && lt__onnx_rank(m, s) == 1 ? lt__onnx_insert(m, s, 1) : s;
}

/* -- sums of products --
 *
 * Zero points are not taken off before: sum (a - za) (b - zb) is sum a b - za sum b - zb (sum a - K za), in int32,
 * which wraps as the standard's sums do. */

/* The one zero point of input i, if it is known; false: it is not, or there are several. */
static bool one_zero(struct lt_onnx_call *c, int32_t i, int64_t *out)
{
	*out = 0;
	if (!lt__onnx_has(c, i))
		return true;
	struct lt_onnx_value *v = lt__onnx_value(c, i);
	const void *data = lt__onnx_elems(v) == 1 ? lt__onnx_maybe(c->m, v) : NULL;
	if (data)
		*out = lt__load(data, 0, v->dtype).i;
	return data != NULL;
}

static bool any_bounded(struct lt_onnx *m, lt_node x)
{
	bool is = false;
	for (int32_t i = 0; x >= 0 && i < lt__onnx_rank(m, x); i++)
		is = is || lt__onnx_bounded(m, x, i);
	return is;
}

static lt_node minus_product(struct lt_onnx *m, lt_node y, lt_node a, lt_node b)
{
	return lt__onnx_op2(m, "sub", y, lt__onnx_op2(m, "mul", a, b));
}

/* Zero points that are one or one a channel; LT_OMIT: there is none. */
static lt_node zero_of_channels(struct lt_onnx_call *c, int32_t i)
{
	struct lt_onnx *m = c->m;
	if (!lt__onnx_has(c, i))
		return LT_OMIT;
	lt_node z = lt__onnx_in(c, i);
	return z >= 0 && lt__onnx_rank(m, z) == 1 && lt__onnx_extent(m, z, 0) == 1 ? lt__onnx_reshape(m, z, 0, NULL) : z;
}

/* Input i as int32 without its zero point. */
static lt_node without_zero(struct lt_onnx_call *c, int32_t i, int32_t zero, bool rows)
{
	lt_node x = lt__onnx_cast(c->m, lt__onnx_in(c, i), LT_I32);
	return lt__onnx_has(c, zero) ? lt__onnx_op2(c->m, "sub", x, matrix_scale(c, zero, LT_I32, rows)) : x;
}

/* Inputs ia and ib without the zero points za and zb. */
static lt_node whole_matmul(struct lt_onnx_call *c, int32_t ia, int32_t za, int32_t ib, int32_t zb)
{
	struct lt_onnx *m = c->m;
	lt_node a = lt__onnx_in(c, ia), b = lt__onnx_in(c, ib);
	if (!zero_fits(c, za, ia) || !zero_fits(c, zb, ib) || a < 0 || b < 0)
		return LT_NONE;
	const int32_t rank_a = lt__onnx_rank(m, a), rank_b = lt__onnx_rank(m, b);
	if (rank_a < 2 || rank_b < 2 || lt__onnx_bounded(m, a, rank_a - 1) || lt__onnx_bounded(m, b, rank_b - 2))
		return lt__onnx_matmul(m, without_zero(c, ia, za, true), without_zero(c, ib, zb, false));
	struct lt_fixed_product p = { .zero_b = LT_OMIT, .bias = LT_OMIT, .sum = LT_I32, .wraps = 1 };
	const bool plain = !lt__onnx_has(c, zb) || lt__onnx_value(c, zb)->rank < 2;
	if (rank_b == 2 && plain && one_zero(c, za, &p.zero_a)) {
		p.zero_b = zero_of_channels(c, zb);
		return lt_build_fixed_matmul(m->graph, a, b, &p, NULL);
	}
	a = lt__onnx_cast(m, a, LT_I32);
	b = lt__onnx_cast(m, b, LT_I32);
	lt_node y = lt__onnx_matmul(m, a, b), zero_a = lt__onnx_has(c, za) ? matrix_scale(c, za, LT_I32, true) : LT_OMIT;
	if (zero_a != LT_OMIT)
		y = minus_product(m, y, lt__onnx_reduce1(m, "add", b, rank_b - 2, rank_b > 2), zero_a);
	if (!lt__onnx_has(c, zb))
		return y;
	lt_node sums = lt__onnx_reduce1(m, "add", a, rank_a - 1, true);
	if (zero_a != LT_OMIT)
		sums = minus_product(m, sums, zero_a, lt__onnx_whole(m, LT_I32, lt__onnx_extent(m, a, rank_a - 1)));
	return minus_product(m, y, sums, matrix_scale(c, zb, LT_I32, false));
}

/* Zero points of weights [M, C, ..]: one, or one for each of M. */
static lt_node weights_without_zero(struct lt_onnx_call *c, lt_node w, int32_t zero)
{
	struct lt_onnx *m = c->m;
	w = lt__onnx_cast(m, w, LT_I32);
	if (!lt__onnx_has(c, zero))
		return w;
	return lt__onnx_op2(m, "sub", w, quantized_spread(m, lt__onnx_cast(m, lt__onnx_in(c, zero), LT_I32), w, 0, 0));
}

static lt_node ones_like(struct lt_onnx *m, lt_node x, bool first)
{
	int64_t shape[LT_MAX_RANK];
	for (int32_t i = 0; i < lt__onnx_rank(m, x); i++)
		shape[i] = i == 0 && first ? 1 : lt__onnx_extent(m, x, i);
	return lt__onnx_expand(m, lt__onnx_whole(m, LT_I32, 1), lt__onnx_rank(m, x), shape);
}

/* Of an image and weights of rank 4, beside which is the one zero point that is known; LT_OMIT: it is none such. */
static lt_node conv_by_builder(struct lt_onnx_call *c, lt_node x, lt_node w, int32_t zx, int32_t zw, int32_t bias)
{
	struct lt_onnx *m = c->m;
	struct lt_fixed_product p = { .zero_b = LT_OMIT, .bias = LT_OMIT, .sum = LT_I32, .wraps = 1 };
	struct lt_onnx_window at;
	if (lt__onnx_rank(m, x) != 4 || lt__onnx_rank(m, w) != 4 || !one_zero(c, zx, &p.zero_a))
		return LT_OMIT;
	const int64_t kernel[] = { lt__onnx_extent(m, w, 2), lt__onnx_extent(m, w, 3) };
	if (!lt__onnx_window_read(c, x, kernel, &at))
		return LT_NONE;
	struct lt_fixed_window by = { .groups = lt__onnx_int(c, "group", 1), .layout = LT_NCHW };
	for (int32_t i = 0; i < 2; i++) {
		by.strides[i] = at.stride[i];
		by.dilations[i] = at.dilation[i];
		by.pads[i] = at.before[i];
		by.pads[2 + i] = at.after[i];
		if (at.before[i] < 0 || at.after[i] < 0)
			return LT_OMIT;
	}
	p.zero_b = zero_of_channels(c, zw);
	if (bias >= 0 && lt__onnx_has(c, bias))
		p.bias = lt__onnx_in(c, bias);
	return lt_build_fixed_conv2d(m->graph, x, w, &by, &p, NULL);
}

/* The convolution of input 0 with input iw without the zero points zx and zw, and a bias (-1: none). */
static lt_node whole_conv(struct lt_onnx_call *c, int32_t zx, int32_t iw, int32_t zw, int32_t bias)
{
	struct lt_onnx *m = c->m;
	lt_node x = lt__onnx_in(c, 0), w = lt__onnx_in(c, iw);
	if (!zero_fits(c, zx, 0) || !zero_fits(c, zw, iw) || x < 0 || w < 0)
		return LT_NONE;
	if (any_bounded(m, x) || any_bounded(m, w) || lt__onnx_rank(m, x) != lt__onnx_rank(m, w))
		return lt__onnx_conv(c, without_zero(c, 0, zx, false), weights_without_zero(c, w, zw), bias);
	lt_node y = conv_by_builder(c, x, w, zx, zw, bias);
	if (y != LT_OMIT)
		return y;
	x = lt__onnx_cast(m, x, LT_I32);
	y = lt__onnx_conv(c, x, lt__onnx_cast(m, w, LT_I32), bias);
	if (lt__onnx_has(c, zx) && y >= 0)
		y = minus_product(m, y, lt__onnx_conv(c, ones_like(m, x, true), weights_without_zero(c, w, zw), -1),
			matrix_scale(c, zx, LT_I32, false));
	if (!lt__onnx_has(c, zw) || y < 0)
		return y;
	lt_node sums = lt__onnx_conv(c, x, ones_like(m, w, lt__onnx_int(c, "group", 1) == 1), -1);
	return minus_product(m, y, sums, quantized_spread(m, lt__onnx_cast(m, lt__onnx_in(c, zw), LT_I32), y, 1, 0));
}

void lt__onnx_build_matmul_integer(struct lt_onnx_call *c)
{
	lt__onnx_give(c, 0, whole_matmul(c, 0, 2, 1, 3));
}

void lt__onnx_build_conv_integer(struct lt_onnx_call *c)
{
	lt__onnx_give(c, 0, whole_conv(c, 2, 1, 3, -1));
}

/* -- sums in the steps of the result -- */

/* By a float32 and the builder of such, where the zero point is one that is known; false: otherwise. */
static bool give_by_builder(struct lt_onnx_call *c, lt_node y, lt_node step, int32_t zero, const struct quantized *q)
{
	struct lt_requant r = { .kind = LT_REQUANT_STEP, .by = step, .to = q->dtype };
	const struct lt_dtypeinfo *info = lt__dtype_info(q->dtype);
	if (q->stored || info->bytes > 2 || lt_node_dtype(c->m->graph, step) != LT_F32 || !one_zero(c, zero, &r.zero))
		return false;
	r.least = info->is_signed ? -(int64_t)info->largest - 1 : 0;
	r.most = (int64_t)info->largest;
	lt__onnx_give(c, 0, lt_build_requant(c->m->graph, y, &r));
	return true;
}

/* Sums y of a step `step` (of the scales' type, with a product and a quotient rounded to it) in the steps of the result
 * with the zero point `zero`, of x's type where it is left out. */
static void give_steps(struct lt_onnx_call *c, lt_node y, lt_node step, int32_t zero, bool rows)
{
	struct lt_onnx *m = c->m;
	const struct quantized q = quantized_type(value_type(lt__onnx_value(c, lt__onnx_has(c, zero) ? zero : 0)));
	if (y < 0 || step < 0)
		return;
	if (!q.dtype || !quantized_whole(&q)) {
		lt__onnx_refuse(m, "it is to give %s", lt__onnx_type_name(value_type(lt__onnx_value(c,
			lt__onnx_has(c, zero) ? zero : 0))));
		return;
	}
	if (give_by_builder(c, y, step, zero, &q))
		return;
	y = lt__onnx_op2(m, "mul", lt__onnx_cast(m, y, LT_F64), lt__onnx_cast(m, step, LT_F64));
	y = lt__onnx_op1(m, "round", y);
	if (lt__onnx_has(c, zero))
		y = lt__onnx_op2(m, "add", y, lt__onnx_cast(m, matrix_scale(c, zero, 0, rows), LT_F64));
	lt__onnx_give(c, 0, quantized_cut(m, &q, y));
}

static bool scales_fit(struct lt_onnx_call *c)
{
	return scale_fits(c, 1, "the scale of the first operand") && scale_fits(c, 4, "the scale of the second operand")
		&& scale_fits(c, 6, "the scale of the result");
}

/* a, scale, zero, b, scale, zero, scale and zero of the result */
void lt__onnx_build_qlinear_matmul(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	lt_node y = scales_fit(c) ? whole_matmul(c, 0, 2, 3, 5) : LT_NONE;
	if (y < 0)
		return;
	lt_node step = lt__onnx_op2(m, "mul", matrix_scale(c, 1, 0, true), matrix_scale(c, 4, 0, false));
	step = lt__onnx_op2(m, "div", step, matrix_scale(c, 6, 0, true));
	give_steps(c, y, step, 7, true);
}

/* x, scale, zero, weights, scale, zero, scale and zero of the result, bias */
void lt__onnx_build_qlinear_conv(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	lt_node y = scales_fit(c) ? whole_conv(c, 2, 3, 5, 8) : LT_NONE;
	if (y < 0)
		return;
	lt_node step = lt__onnx_op2(m, "mul", matrix_scale(c, 1, 0, false), matrix_scale(c, 4, 0, false));
	step = lt__onnx_op2(m, "div", step, matrix_scale(c, 6, 0, false));
	give_steps(c, y, quantized_spread(m, step, y, 1, 0), 7, false);
}
