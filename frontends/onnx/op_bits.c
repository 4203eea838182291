/* op_bits.c -- shifts, and the bits of one type as another. */
#include <string.h>
#include "frontends/onnx/builders.h"
#include "frontends/onnx/position.h"
#include "frontends/onnx/stored.h"
#include "frontends/onnx/take.h"

/* Of the width or below 0: 0, or to the right -1 of what is below 0.  In a wider type bits that leave are lost by the
 * cast at the end. */
void lt__onnx_build_bit_shift(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	const char *direction = lt__onnx_text(c, "direction", "");
	const bool left = !strcmp(direction, "LEFT");
	lt_node x = lt__onnx_wide(m, lt__onnx_in(c, 0)), by = lt__onnx_wide(m, lt__onnx_in(c, 1));
	if (x < 0 || by < 0)
		return;
	const enum lt_dtype own = lt__onnx_value(c, 0)->dtype, t = lt_node_dtype(m->graph, x);
	if ((!left && strcmp(direction, "RIGHT") != 0) || lt__dtype_info(own)->cls != LT_CLASS_INT) {
		lt__onnx_refuse(m, "a shift of %s with the attribute 'direction' '%s'", lt__onnx_type_name(lt__onnx_type(own)),
			direction);
		return;
	}
	if (!left && lt__dtype_info(own)->is_signed)
		by = lt__onnx_select(m, lt__onnx_opf(m, "less", by, 0),
			lt__onnx_whole(m, t, 8 * (int64_t)lt__dtype_info(own)->bytes), by);
	lt__onnx_give(c, 0, lt__onnx_cast(m, lt__onnx_op2(m, left ? "shl" : "shr", x, by), own));
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
