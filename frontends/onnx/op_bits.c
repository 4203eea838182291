/* op_bits.c -- shifts, and the bits of one type as another. */
#include <math.h>
#include <string.h>
#include "frontends/onnx/builders.h"
#include "frontends/onnx/position.h"
#include "frontends/onnx/stored.h"
#include "frontends/onnx/take.h"

/* A product with, or quotient by, a power of 2; beyond the width 0, or to the right -1 of what is below 0. */
void lt__onnx_build_bit_shift(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	const char *direction = lt__onnx_text(c, "direction", "");
	const bool left = !strcmp(direction, "LEFT");
	lt_node x = lt__onnx_wide(m, lt__onnx_in(c, 0)), by = lt__onnx_wide(m, lt__onnx_in(c, 1)), y;
	if (x < 0 || by < 0)
		return;
	const enum lt_dtype own = lt__onnx_value(c, 0)->dtype, t = lt_node_dtype(m->graph, x);
	const bool is_signed = lt__dtype_info(own)->is_signed;
	const int64_t width = 8 * (int64_t)lt__dtype_info(own)->bytes;
	if ((!left && strcmp(direction, "RIGHT") != 0) || lt__dtype_info(own)->cls != LT_CLASS_INT) {
		lt__onnx_refuse(m, "a shift of %s with the attribute 'direction' '%s'", lt__onnx_type_name(lt__onnx_type(own)),
			direction);
		return;
	}
	/* To the right by all bits but the sign's is the sign, as by more. */
	const int64_t n = !left && is_signed ? width - 1 : width;
	double *power = LT_NEW(m->arena, double, n);
	for (int k = 0; k < n; k++)
		power[k] = is_signed && k == width - 1 ? -ldexp(1, k) : ldexp(1, k);
	lt_node inside = lt__onnx_op2(m, "and", lt__onnx_opf(m, "greaterequal", by, 0),
		lt__onnx_opf(m, "less", by, (double)n));
	lt_node place = lt__onnx_opf(m, "min", lt__onnx_opf(m, "max", by, 0), (double)n - 1);
	lt_node factor = lt__onnx_gather(m, lt__onnx_table(m, "powers", t, 1, &n, power), place, 0);
	lt_node outside = lt__onnx_whole(m, t, 0);
	if (!left && is_signed)
		outside = lt__onnx_select(m, lt__onnx_opf(m, "less", x, 0), lt__onnx_whole(m, t, -1), outside);
	y = lt__onnx_select(m, inside, lt__onnx_op2(m, left ? "mul" : "div", x, factor), outside);
	lt__onnx_give(c, 0, lt__onnx_cast(m, y, own));
}

/* Bits of an element; 0: not a number of bytes. */
static int bitcast_width(int64_t type)
{
	const struct lt_onnx_stored *s = lt__onnx_stored(type);
	const enum lt_dtype t = lt__onnx_dtype(type);
	return s ? s->bits : t ? 8 * (int)lt__dtype_info(t)->bytes : 0;
}

/* Whether the elements, as they are kept, are whole numbers of which a cast keeps the bits. */
static bool keeps_bits(enum lt_dtype t)
{
	return lt__dtype_info(t)->cls == LT_CLASS_INT || t == LT_BOOL;
}

void lt__onnx_build_bit_cast(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	struct lt_onnx_value *x = lt__onnx_value(c, 0);
	const int64_t to = lt__onnx_int(c, "to", 0), from = x->stored ? x->stored : lt__onnx_type(x->dtype);
	const struct lt_onnx_stored *s = lt__onnx_stored(to);
	const enum lt_dtype t = s ? s->held : lt__onnx_dtype(to);
	const int width = bitcast_width(to);
	if (!t || width != bitcast_width(from) || (width < 8 && to != from) || (t == LT_BOOL && x->dtype != LT_BOOL)) {
		lt__onnx_refuse(m, "the bits of %s as %s", lt__onnx_type_name(from), lt__onnx_type_name(to));
		return;
	}
	struct lt_onnx_value y = *x;
	if (x->dtype != t && keeps_bits(x->dtype) && keeps_bits(t)) {
		y = lt__onnx_of_node(m, lt__onnx_cast(m, lt__onnx_in(c, 0), t));
	} else if (x->dtype != t) {
		const void *data = lt__onnx_content(m, x, "what is read as another type");
		if (!data)
			return;
		y = lt__onnx_of_data(m, t, x->rank, x->shape, data);
	} else if (!y.data && !y.empty) {
		y.node = lt__onnx_in(c, 0);
	}
	y.stored = s ? s->code : 0;
	lt__onnx_give_value(c, 0, &y);
}
