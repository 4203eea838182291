/* op_math.c -- arithmetic, comparison, logic and conversion, element by element. */
#include <math.h>
#include <string.h>
#include "frontends/onnx/builders.h"
#include "frontends/onnx/position.h"
#include "frontends/onnx/stored.h"

/* Of inputs without elements a result without elements, of their common shape. */
static bool empty_given(struct lt_onnx_call *c, enum lt_dtype t)
{
	int64_t shape[LT_MAX_RANK];
	int32_t rank = 0;
	bool empty = false;
	for (int32_t k = 0; k < c->n_in; k++) {
		const struct lt_onnx_value *v = lt__onnx_value(c, k);
		empty |= v->empty;
		for (; rank < v->rank; rank++) {
			memmove(shape + 1, shape, sizeof *shape * (size_t)rank);
			shape[0] = 1;
		}
		for (int32_t i = 0; i < v->rank; i++) {
			int64_t *at = &shape[rank - v->rank + i];
			if (empty && *at != 1 && v->shape[i] != 1 && *at != v->shape[i])
				return false;
			*at = *at == 1 ? v->shape[i] : *at;
		}
	}
	if (empty)
		lt__onnx_give_data(c, 0, t, rank, shape, NULL);
	return empty;
}

/* An operator of the graph by its name. */
void lt__onnx_build_unary(struct lt_onnx_call *c)
{
	if (empty_given(c, lt__onnx_value(c, 0)->dtype))
		return;
	lt__onnx_give(c, 0, lt__onnx_op1(c->m, c->op->arg, lt__onnx_in(c, 0)));
}

void lt__onnx_build_binary(struct lt_onnx_call *c)
{
	static const char compared[] = " eq less lessequal greater greaterequal ";
	const bool compares = strstr(compared, lt__arena_format(c->m->arena, " %s ", c->op->arg)) != NULL;
	if (empty_given(c, compares ? LT_BOOL : lt__onnx_value(c, 0)->dtype))
		return;
	lt_node a = lt__onnx_in(c, 0), b = lt__onnx_in(c, 1);
	lt__onnx_give(c, 0, lt__onnx_op2(c->m, c->op->arg, a, b));
}

/* Of any number of operands, from left to right. */
static lt_node chain(struct lt_onnx_call *c, const char *op)
{
	lt_node y = lt__onnx_in(c, 0);
	for (int32_t i = 1; i < c->n_in; i++)
		y = lt__onnx_op2(c->m, op, y, lt__onnx_in(c, i));
	return y;
}

void lt__onnx_build_variadic(struct lt_onnx_call *c)
{
	if (empty_given(c, lt__onnx_value(c, 0)->dtype))
		return;
	lt__onnx_give(c, 0, chain(c, c->op->arg));
}

void lt__onnx_build_mean_of(struct lt_onnx_call *c)
{
	lt__onnx_give(c, 0, lt__onnx_opf(c->m, "div", chain(c, "add"), c->n_in));
}

/* The graph's integer quotient is rounded down, that of ONNX towards 0. */
void lt__onnx_build_div(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	lt_node a = lt__onnx_in(c, 0), b = lt__onnx_in(c, 1), q = lt__onnx_op2(m, "div", a, b);
	if (q >= 0 && !lt__onnx_is_float(m, q) && lt__dtype_info(lt_node_dtype(m->graph, q))->is_signed) {
		lt_node inexact = lt__onnx_op2(m, "ne", lt__onnx_op2(m, "mul", q, b), a);
		lt_node up = lt__onnx_op2(m, "and", inexact, lt__onnx_opf(m, "less", q, 0));
		q = lt__onnx_select(m, up, lt__onnx_opf(m, "add", q, 1), q);
	}
	lt__onnx_give(c, 0, q);
}

/* fmod 0: the sign of the divisor, as the graph's; 1: that of the dividend. */
void lt__onnx_build_mod(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	lt_node a = lt__onnx_in(c, 0), b = lt__onnx_in(c, 1), y;
	bool is_signed = a >= 0 && lt__dtype_info(lt_node_dtype(m->graph, a))->is_signed;
	bool fmod = lt__onnx_int(c, "fmod", 0) != 0;
	if (!fmod || !is_signed) {
		y = lt__onnx_op2(m, "mod", a, b);
	} else {
		y = lt__onnx_op2(m, "mod", lt__onnx_op1(m, "abs", a), lt__onnx_op1(m, "abs", b));
		y = lt__onnx_select(m, lt__onnx_opf(m, "less", a, 0), lt__onnx_op1(m, "neg", y), y);
	}
	lt__onnx_give(c, 0, y);
}

/* Integer to an integer power below 64, by squaring; it wraps. */
static lt_node whole_power(struct lt_onnx *m, lt_node base, lt_node exponent)
{
	if (base < 0 || exponent < 0)
		return LT_NONE;
	enum lt_dtype t = lt_node_dtype(m->graph, base);
	lt_node power = lt__onnx_wide(m, base), left = lt__onnx_wide(m, exponent), y = LT_NONE;
	lt_node one = power < 0 ? LT_NONE : lt__onnx_whole(m, lt_node_dtype(m->graph, power), 1);
	for (int i = 0; i < 6 && left >= 0 && power >= 0; i++) {
		lt_node odd = lt__onnx_opf(m, "ne", lt__onnx_opf(m, "mod", left, 2), 0), factor = lt__onnx_select(m, odd, power, one);
		y = i ? lt__onnx_op2(m, "mul", y, factor) : factor;
		left = lt__onnx_opf(m, "div", left, 2);
		power = lt__onnx_op2(m, "mul", power, power);
	}
	return y < 0 ? LT_NONE : lt__onnx_cast(m, y, t);
}

void lt__onnx_build_pow(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	lt_node a = lt__onnx_in(c, 0), b = lt__onnx_in(c, 1), y;
	if (a < 0 || b < 0)
		return;
	enum lt_dtype t = lt_node_dtype(m->graph, a);
	if (lt__onnx_is_float(m, a))
		y = lt__onnx_op2(m, "pow", a, lt__onnx_cast(m, b, t));
	else if (!lt__onnx_is_float(m, b))
		y = whole_power(m, a, b);
	else
		y = lt__onnx_cast(m, lt__onnx_op2(m, "pow", lt__onnx_cast(m, a, LT_F64), lt__onnx_cast(m, b, LT_F64)), t);
	lt__onnx_give(c, 0, y);
}

void lt__onnx_build_where(struct lt_onnx_call *c)
{
	lt_node condition = lt__onnx_in(c, 0), yes = lt__onnx_in(c, 1), no = lt__onnx_in(c, 2);
	lt__onnx_give(c, 0, lt__onnx_select(c->m, condition, yes, no));
}

void lt__onnx_build_bitwise_not(struct lt_onnx_call *c)
{
	lt_node x = lt__onnx_in(c, 0);
	if (x >= 0)
		lt__onnx_give(c, 0, lt__onnx_op2(c->m, "xor", x, lt__onnx_whole(c->m, lt_node_dtype(c->m->graph, x), -1)));
}

static void cast_to(struct lt_onnx_call *c, int64_t type)
{
	const enum lt_dtype t = lt__onnx_dtype(type);
	const struct lt_onnx_stored *stored = lt__onnx_stored(type);
	const bool saturate = lt__onnx_int(c, "saturate", 1) != 0;
	const char *mode = lt__onnx_text(c, "round_mode", "up");
	const bool up = !strcmp(mode, "up"), down = !strcmp(mode, "down");
	lt_node x = lt__onnx_in_numbers(c, 0);
	if (!up && !down && strcmp(mode, "nearest") != 0)
		lt__onnx_refuse(c->m, "attribute 'round_mode' is '%s'", mode);
	else if (stored)
		lt__onnx_give_stored(c, 0, lt__onnx_store(c->m, stored, x, saturate,
			up ? LT_ONNX_UP : down ? LT_ONNX_DOWN : LT_ONNX_NEAREST), stored);
	else if (!t)
		lt__onnx_refuse(c->m, "the type %s, which Looptree does not have", lt__onnx_type_name(type));
	else
		lt__onnx_give(c, 0, lt__onnx_cast(c->m, x, t));
}

void lt__onnx_build_cast(struct lt_onnx_call *c)
{
	cast_to(c, lt__onnx_int(c, "to", 0));
}

void lt__onnx_build_cast_like(struct lt_onnx_call *c)
{
	const struct lt_onnx_value *like = lt__onnx_value(c, 1);
	cast_to(c, like->stored ? like->stored : lt__onnx_type(like->dtype));
}

void lt__onnx_build_is_nan(struct lt_onnx_call *c)
{
	lt_node x = lt__onnx_in(c, 0);
	lt__onnx_give(c, 0, lt__onnx_op2(c->m, "ne", x, x));
}

void lt__onnx_build_is_inf(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	lt_node x = lt__onnx_in(c, 0);
	bool positive = lt__onnx_int(c, "detect_positive", 1) != 0, negative = lt__onnx_int(c, "detect_negative", 1) != 0;
	lt_node above = lt__onnx_opf(m, "eq", x, INFINITY), below = lt__onnx_opf(m, "eq", x, -INFINITY);
	lt_node none = lt__onnx_op2(m, "and", above, below);
	lt_node either = positive ? above : negative ? below : none;
	lt__onnx_give(c, 0, positive && negative ? lt__onnx_op2(m, "or", above, below) : either);
}

/* Bounds as attributes (versions below 11) or inputs, each of which may be left out. */
void lt__onnx_build_clip(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	lt_node x = lt__onnx_in(c, 0);
	if (c->version < 11) {
		bool low = lt__onnx_has_attribute(c, "min"), high = lt__onnx_has_attribute(c, "max");
		x = low ? lt__onnx_opf(m, "max", x, lt__onnx_float(c, "min", 0)) : x;
		x = high ? lt__onnx_opf(m, "min", x, lt__onnx_float(c, "max", 0)) : x;
	} else {
		x = lt__onnx_has(c, 1) ? lt__onnx_op2(m, "max", x, lt__onnx_in(c, 1)) : x;
		x = lt__onnx_has(c, 2) ? lt__onnx_op2(m, "min", x, lt__onnx_in(c, 2)) : x;
	}
	lt__onnx_give(c, 0, x);
}
