/* requant.c -- integers at another scale: the five roundings, multipliers, steps, clamps.
 *
 * Nothing here overflows: a number is split into its quotient by 2^s, rounded down, and the rest, and what rounding
 * adds is the carry of the rest alone.  So x is any number of its type, and not one that is less than the largest by
 * half of 2^s.
 */
#include <math.h>
#include "ir/build/fixed.h"

bool lt__fixed_is_whole(struct lt_graph *g, lt_node x, const char *what)
{
	if (!lt__graph_has(g, x))
		return false;
	const struct lt_dtypeinfo *type = lt__dtype_info(lt_node_dtype(g, x));
	if (type->cls == LT_CLASS_INT && lt_node_dtype(g, x) != LT_U32 && lt_node_dtype(g, x) != LT_U64)
		return true;
	lt__graph_fail(g, LT_ETYPE, "%s: '%.100s' is %s, and has to be i8, u8, i16, u16, i32 or i64", what,
		g->node[x].name, type->name);
	return false;
}

struct fixed_range lt__fixed_type_range(enum lt_dtype t)
{
	const struct lt_dtypeinfo *info = lt__dtype_info(t);
	if (t == LT_I64)
		return (struct fixed_range){ INT64_MIN, INT64_MAX, false };
	return (struct fixed_range){ info->is_signed ? -(int64_t)info->largest - 1 : 0, (int64_t)info->largest, false };
}

/* Numbers that are there when the graph is built. */
static bool known_numbers(const struct lt_graph *g, lt_node x, struct fixed_range *out)
{
	const struct lt_nodedef *d = &g->node[x];
	const int64_t n = d->op == LT_OP_lit ? 1 : d->op == LT_OP_constant && d->content ? lt__node_elems(g, x) : 0;
	*out = (struct fixed_range){ INT64_MAX, INT64_MIN, true };
	for (int64_t i = 0; i < n; i++) {
		const int64_t v = d->op == LT_OP_lit ? lt__scalar_of(d->bits, d->dtype).i : lt__load(d->content, i, d->dtype).i;
		out->least = v < out->least ? v : out->least;
		out->most = v > out->most ? v : out->most;
	}
	return n > 0;
}

static struct fixed_range meet(struct fixed_range a, struct fixed_range b, enum lt_opcode op)
{
	if (op == LT_OP_max) {
		a.least = a.least > b.least ? a.least : b.least;
		a.most = a.most > b.most ? a.most : b.most;
	} else {
		a.least = a.least < b.least ? a.least : b.least;
		a.most = a.most < b.most ? a.most : b.most;
	}
	a.known = a.known && b.known;
	return a;
}

/* What a value of whole numbers is within; deep: how many nodes may be looked through. */
static struct fixed_range range_within(const struct lt_graph *g, lt_node x, int deep)
{
	const struct lt_nodedef *d = &g->node[x];
	const struct fixed_range all = lt__fixed_type_range(d->dtype);
	struct fixed_range r;
	if (known_numbers(g, x, &r))
		return r;
	if (deep == 0 || d->reduce)
		return all;
	if (d->op == LT_OP_min || d->op == LT_OP_max)
		return meet(range_within(g, d->operand[0], deep - 1), range_within(g, d->operand[1], deep - 1), d->op);
	if (d->op == LT_OP_copy)
		return range_within(g, d->operand[0], deep - 1);
	if (d->op == LT_OP_cast && lt__dtype_info(lt_node_dtype(g, d->operand[0]))->cls == LT_CLASS_INT
		&& lt_node_dtype(g, d->operand[0]) != LT_U64) {
		r = range_within(g, d->operand[0], deep - 1);
		return r.least >= all.least && r.most <= all.most ? r : all;
	}
	if (d->op == LT_OP_view && d->n_operand == 1 && d->n_piece == 1 && !d->has_fill)
		return range_within(g, d->operand[0], deep - 1);
	return all;
}

struct fixed_range lt__fixed_range(const struct lt_graph *g, lt_node x)
{
	enum { DEEP = 16 };             /* a clamp, casts and views; an interval is no analysis of a graph */
	return range_within(g, x, DEEP);
}

/* Whether what is known of `x` lies in a range; a sentence if not.  Numbers that a run brings are the caller's. */
static bool lies_within(struct lt_graph *g, lt_node x, int64_t least, int64_t most, const char *what)
{
	struct fixed_range r;
	if (!lt__fixed_is_whole(g, x, what))
		return false;
	if (!known_numbers(g, x, &r) || (r.least >= least && r.most <= most))
		return true;
	lt__graph_fail(g, LT_EINVAL, "%s is %lld: %lld to %lld is possible", what,
		(long long)(r.least < least ? r.least : r.most), (long long)least, (long long)most);
	return false;
}

static lt_node whole(struct lt_graph *g, lt_node like, int64_t v)
{
	return like < 0 ? LT_NONE : lt_graph_literal_int(g, lt_node_dtype(g, like), v);
}

static lt_node with_whole(struct lt_graph *g, const char *op, lt_node x, int64_t v)
{
	return lt__pos_op2(g, op, x, whole(g, x, v));
}

static bool is_number(const struct lt_graph *g, lt_node x, int64_t v)
{
	struct fixed_range r;
	return x >= 0 && g->node[x].op == LT_OP_lit && known_numbers(g, x, &r) && r.least == v;
}

/* An odd quotient goes up from the half on, an even one from beyond it. */
static lt_node nearest_even(struct lt_graph *g, lt_node half, lt_node quotient)
{
	lt_node less = with_whole(g, "sub", half, 1), odd = with_whole(g, "and", quotient, 1);
	return with_whole(g, "max", lt__pos_op2(g, "add", less, odd), 0);
}

/* x / 2^s, rounded; both i32 or i64, s at least 0 and less than all bits but one.  What is added to the rest is below 0
 * for s = 0 alone, where the rest is 0. */
static lt_node rounded_shift(struct lt_graph *g, lt_node x, lt_node s, enum lt_rounding rounding)
{
	if (x < 0 || s < 0)
		return LT_NONE;
	if (is_number(g, s, 0))
		return x;
	lt_node quotient = lt__pos_op2(g, "shr", x, s);
	if (rounding == LT_ROUND_FLOOR)
		return quotient;
	lt_node power = lt__pos_op2(g, "shl", whole(g, x, 1), s), mask = with_whole(g, "sub", power, 1);
	lt_node half = with_whole(g, "shr", power, 1), rest = lt__pos_op2(g, "and", x, mask);
	lt_node sign = with_whole(g, "shr", x, 8 * (int64_t)lt__dtype_info(lt_node_dtype(g, x))->bytes - 1);
	lt_node more = half;
	if (rounding == LT_ROUND_ZERO)
		more = lt__pos_op2(g, "and", sign, mask);
	else if (rounding == LT_ROUND_AWAY)
		more = with_whole(g, "max", lt__pos_op2(g, "add", half, sign), 0);
	else if (rounding == LT_ROUND_EVEN)
		more = nearest_even(g, half, quotient);
	return lt__pos_op2(g, "add", quotient, lt__pos_op2(g, "shr", lt__pos_op2(g, "add", rest, more), s));
}

/* The high half of a doubled product rounded up at 2^31, then away from 0 at the shift; or both at once.  The product
 * of two numbers of 32 bits is at most 2^62, so the half can be added to it. */
static lt_node multiplied(struct lt_graph *g, lt_node x, const struct lt_requant *q)
{
	lt_node shift = lt_graph_cast(g, q->shift, LT_I32), by = lt_graph_cast(g, q->by, LT_I64), y;
	if (q->rounding == LT_ROUND_UP) {
		y = lt__pos_op2(g, "mul", lt_graph_cast(g, x, LT_I64), by);
		return rounded_shift(g, y, lt_graph_cast(g, with_whole(g, "add", shift, 31), LT_I64), LT_ROUND_UP);
	}
	if (lt__fixed_range(g, shift).least < 0) {
		lt_node left = with_whole(g, "max", lt__pos_op1(g, "neg", shift), 0);
		x = lt__pos_op2(g, "shl", x, left);
		shift = with_whole(g, "max", shift, 0);
	}
	y = lt__pos_op2(g, "mul", lt_graph_cast(g, x, LT_I64), by);
	y = with_whole(g, "shr", with_whole(g, "add", y, INT64_C(1) << 30), 31);
	return rounded_shift(g, y < 0 ? y : lt_graph_cast(g, y, LT_I32), shift, LT_ROUND_AWAY);
}

/* The product is rounded before anything is added to it, which might be done in one with it; the cast saturates. */
static lt_node stepped(struct lt_graph *g, lt_node x, const struct lt_requant *q)
{
	lt_node y = lt__pos_op1(g, "round", lt__pos_op2(g, "mul", lt_graph_cast(g, x, LT_F32), q->by));
	return y < 0 ? LT_NONE : lt_graph_cast(g, y, LT_I32);
}

static bool step_fits(struct lt_graph *g, lt_node by)
{
	if (!lt__graph_has(g, by))
		return false;
	const struct lt_nodedef *d = &g->node[by];
	if (d->dtype != LT_F32)
		return lt__graph_fail(g, LT_ETYPE, "A step '%.100s' is %s, and has to be f32", d->name,
			lt__dtype_info(d->dtype)->name), false;
	const int64_t n = d->op == LT_OP_lit ? 1 : d->op == LT_OP_constant && d->content ? lt__node_elems(g, by) : 0;
	for (int64_t i = 0; i < n; i++) {
		const double v = d->op == LT_OP_lit ? lt__scalar_of(d->bits, LT_F32).f : lt__load(d->content, i, LT_F32).f;
		if (!(v > 0 && v < INFINITY))
			return lt__graph_fail(g, LT_EINVAL, "A step is %g, and has to be above 0 and finite", v), false;
	}
	return true;
}

static bool requant_fits(struct lt_graph *g, lt_node x, const struct lt_requant *q)
{
	const enum lt_dtype wide = lt_node_dtype(g, x) == LT_I64 ? LT_I64 : LT_I32;
	const bool small = q->to == LT_I8 || q->to == LT_U8 || q->to == LT_I16 || q->to == LT_U16;
	if (!small && q->to != LT_I32)
		return lt__graph_fail(g, LT_ETYPE, "Integers are brought to i8, u8, i16, u16 or i32, not to %s",
			lt_dtype_name(q->to) ? lt__dtype_info(q->to)->name : "a type that there is not"), false;
	const struct fixed_range r = lt__fixed_type_range(q->to);
	if (q->least > q->most || q->least < r.least || q->most > r.most)
		return lt__graph_fail(g, LT_EINVAL, "Results from %lld to %lld: that is no range of %s, which has %lld to %lld",
			(long long)q->least, (long long)q->most, lt__dtype_info(q->to)->name, (long long)r.least, (long long)r.most),
			false;
	if (q->zero < r.least || q->zero > r.most || (q->zero && !small))
		return lt__graph_fail(g, LT_EINVAL, "A zero point of %lld for %s: %s", (long long)q->zero,
			lt__dtype_info(q->to)->name, small ? "it has to be a number of the type" : "types of 8 and 16 bits have one"),
			false;
	if ((unsigned)q->rounding >= LT_ROUNDINGS || (unsigned)q->kind > LT_REQUANT_STEP)
		return lt__graph_fail(g, LT_EINVAL, "There is no rounding %d of kind %d", (int)q->rounding, (int)q->kind), false;
	if (q->kind == LT_REQUANT_SHIFT)
		return lies_within(g, q->shift, 0, wide == LT_I64 ? 62 : 30, "A shift");
	if (wide == LT_I64)
		return lt__graph_fail(g, LT_ETYPE, "'%.100s' is i64: only a shift brings that to another scale", g->node[x].name),
			false;
	if (q->kind == LT_REQUANT_STEP)
		return step_fits(g, q->by);
	if (q->rounding != LT_ROUND_UP && q->rounding != LT_ROUND_AWAY)
		return lt__graph_fail(g, LT_EINVAL, "A multiplier rounds up, once, or away from zero behind its high half"), false;
	return lies_within(g, q->by, 0, INT32_MAX, "A multiplier") && lies_within(g, q->shift, -30, 30, "A shift");
}

lt_node lt_build_requant(struct lt_graph *g, lt_node x, const struct lt_requant *q)
{
	if (!lt__fixed_is_whole(g, x, "A value at another scale") || !requant_fits(g, x, q))
		return LT_NONE;
	x = lt__build_wide(g, x);
	const struct fixed_range r = lt__fixed_type_range(q->to);
	lt_node y = q->kind == LT_REQUANT_STEP ? stepped(g, x, q) : q->kind == LT_REQUANT_MULTIPLIER ? multiplied(g, x, q)
		: rounded_shift(g, x, lt_graph_cast(g, q->shift, lt_node_dtype(g, x)), q->rounding);
	if (y < 0)
		return LT_NONE;
	if (q->to != LT_I32 || q->least != r.least || q->most != r.most || lt_node_dtype(g, y) == LT_I64)
		y = with_whole(g, "min", with_whole(g, "max", y, q->least - q->zero), q->most - q->zero);
	y = y < 0 ? LT_NONE : lt_graph_cast(g, y, LT_I32);
	if (q->zero)
		y = with_whole(g, "add", y, q->zero);
	return y < 0 ? LT_NONE : lt_graph_cast(g, y, q->to);
}
