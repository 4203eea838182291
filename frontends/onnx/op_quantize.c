/* op_quantize.c -- numbers as whole steps of a scale: QuantizeLinear, and operators of such numbers,
 * which are exact: their sums are integers, and what follows is computed in float64. */
#include <math.h>
#include <string.h>
#include "frontends/onnx/builders.h"
#include "frontends/onnx/position.h"
#include "frontends/onnx/stored.h"
#include "frontends/onnx/window.h"

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
	if (x < 0 || scale < 0)
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

/* Input i as int32 without its zero point. */
static lt_node without_zero(struct lt_onnx_call *c, int32_t i, int32_t zero, bool rows)
{
	lt_node x = lt__onnx_cast(c->m, lt__onnx_in(c, i), LT_I32);
	return lt__onnx_has(c, zero) ? lt__onnx_op2(c->m, "sub", x, matrix_scale(c, zero, LT_I32, rows)) : x;
}

void lt__onnx_build_matmul_integer(struct lt_onnx_call *c)
{
	lt__onnx_give(c, 0, lt__onnx_matmul(c->m, without_zero(c, 0, 2, true), without_zero(c, 1, 3, false)));
}

/* Sums y of a step `step` (of the scales' type, with a product and a quotient rounded to it) in the steps of the result
 * with the zero point `zero`, of x's type where it is left out. */
static void give_steps(struct lt_onnx_call *c, lt_node y, lt_node step, int32_t zero, lt_node zero_point)
{
	struct lt_onnx *m = c->m;
	const struct quantized q = quantized_type(value_type(lt__onnx_value(c, lt__onnx_has(c, zero) ? zero : 0)));
	if (y < 0 || step < 0 || !quantized_whole(&q))
		return;
	y = lt__onnx_op2(m, "mul", lt__onnx_cast(m, y, LT_F64), lt__onnx_cast(m, step, LT_F64));
	if (lt__onnx_has(c, zero))
		y = lt__onnx_op2(m, "add", y, lt__onnx_cast(m, zero_point, LT_F64));
	lt__onnx_give(c, 0, quantized_cut(m, &q, lt__onnx_op1(m, "round", y)));
}

/* a, scale, zero, b, scale, zero, scale and zero of the result */
void lt__onnx_build_qlinear_matmul(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	lt_node y = lt__onnx_matmul(m, without_zero(c, 0, 2, true), without_zero(c, 3, 5, false));
	lt_node step = lt__onnx_op2(m, "mul", matrix_scale(c, 1, 0, true), matrix_scale(c, 4, 0, false));
	step = lt__onnx_op2(m, "div", step, matrix_scale(c, 6, 0, true));
	give_steps(c, y, step, 7, lt__onnx_has(c, 7) ? matrix_scale(c, 7, 0, true) : LT_NONE);
}

/* Zero points of weights [M, C, ..]: one, or one for each of M. */
static lt_node weights_without_zero(struct lt_onnx_call *c, int32_t i, int32_t zero)
{
	struct lt_onnx *m = c->m;
	lt_node w = lt__onnx_cast(m, lt__onnx_in(c, i), LT_I32);
	if (!lt__onnx_has(c, zero))
		return w;
	return lt__onnx_op2(m, "sub", w, quantized_spread(m, lt__onnx_cast(m, lt__onnx_in(c, zero), LT_I32), w, 0, 0));
}

void lt__onnx_build_conv_integer(struct lt_onnx_call *c)
{
	lt__onnx_give(c, 0, lt__onnx_conv(c, without_zero(c, 0, 2, false), weights_without_zero(c, 1, 3), -1));
}

/* x, scale, zero, weights, scale, zero, scale and zero of the result, bias */
void lt__onnx_build_qlinear_conv(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	lt_node y = lt__onnx_conv(c, without_zero(c, 0, 2, false), weights_without_zero(c, 3, 5), 8);
	lt_node step = lt__onnx_op2(m, "mul", matrix_scale(c, 1, 0, false), matrix_scale(c, 4, 0, false));
	step = lt__onnx_op2(m, "div", step, matrix_scale(c, 6, 0, false));
	lt_node zero = lt__onnx_has(c, 7) ? matrix_scale(c, 7, 0, false) : LT_NONE;
	give_steps(c, y, quantized_spread(m, step, y, 1, 0), 7, zero);
}
