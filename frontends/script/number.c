/* number.c -- arithmetic of numbers. */
#include <math.h>
#include <string.h>
#include "frontends/script/reader.h"

enum whole { NOT_WHOLE, WHOLE, TOO_LARGE };

/* x to the power of y; not whole where y is negative, nor beyond 63 bits. */
static enum whole power_whole(int64_t x, int64_t y, int64_t *out)
{
	*out = x == -1 && y % 2 ? -1 : 1;
	if (x == 1 || x == -1)
		return WHOLE;
	if (y < 0)
		return NOT_WHOLE;
	if (x == 0)
		y = y > 0;
	for (; y > 0; y--)              /* at most 63 times */
		if (lt__mul_overflow(*out, x, out))
			return NOT_WHOLE;
	return WHOLE;
}

/* Whole numbers stay whole and exact where the result is one: 12/4 is 3, 3/2 is 1.5.  f: the result in float64. */
static enum whole fold_whole(
	const struct lt_opinfo *info, enum lt_opcode op, int64_t x, int64_t y, double f, int64_t *out)
{
	const union lt_scalar operand[] = { { .i = x }, { .i = y } };
	bool integers = info->classes & 1u << LT_CLASS_INT, large = fabs(f) >= 0x1p53, fraction = f != floor(f);
	if (op == LT_OP_pow)
		return power_whole(x, y, out);
	if (op == LT_OP_div && y != 0)
		fraction = y != -1 && x % y != 0;
	if (!integers && (info->classes & 1u << LT_CLASS_FLOAT)) {
		*out = large || fraction ? 0 : (int64_t)f;
		return large || fraction ? NOT_WHOLE : WHOLE;
	}
	*out = lt__op_value(op, LT_I64, operand).i;
	if (info->to_bool || !(info->classes & 1u << LT_CLASS_FLOAT))
		return WHOLE;
	if (large && !fraction)
		return fabs((double)*out - f) <= fabs(f) * 0x1p-50 ? WHOLE : TOO_LARGE;
	return fraction ? NOT_WHOLE : WHOLE;
}

lt_status lt__script_check_huge(struct lt_script *s, const struct lt_arg *a)
{
	if (!a->huge)
		return LT_OK;
	struct lt_arg shown = *a;
	lt__script_number_text(s, &shown);
	return lt__script_fail(s, a->position, LT_EOVERFLOW, "The number %.*s exceeds float64; write inf if that is meant",
		shown.n, shown.text);
}

void lt__script_number_text(struct lt_script *s, struct lt_arg *a)
{
	if (a->text)
		return;
	a->text = a->whole ? lt__arena_format(s->arena, "%lld", (long long)a->i)
			   : lt__arena_format(s->arena, "%.9g", a->number);
	a->n = (int32_t)strlen(a->text);
}

/* Digits of a number that only uint64 has: as a float it would be another one. */
static lt_status check_large(struct lt_script *s, const struct lt_arg *a)
{
	union lt_scalar x;

	if (!a->overflow || !lt__script_large_number(a, &x))
		return LT_OK;
	return lt__script_fail(s, a->position, LT_EOVERFLOW, "The number %.*s exceeds 63 bits, by which whole numbers are "
		"computed; write FullNode(uint64, [], %.*s) for that of uint64, or %.*s.0 for a float", a->n, a->text, a->n,
		a->text, a->n, a->text);
}

lt_status lt__script_fold(struct lt_script *s, const struct lt_script_node *type, struct lt_position at,
	const char *symbol, const struct lt_arg *x, const struct lt_arg *y, struct lt_arg *out)
{
	const struct lt_opinfo *info = type->op == LT_NOP ? NULL : lt__op_info(type->op);
	bool whole = x->whole && (!y || y->whole), floats = info && info->classes & 1u << LT_CLASS_FLOAT;
	enum whole is = NOT_WHOLE;
	const union lt_scalar operand[] = { { .f = x->number }, { .f = y ? y->number : 0 } };
	struct lt_arg z = { .kind = LT_ARG_NUMBER, .statement = -1, .node = -1, .position = x->position };
	LT_TRY(lt__script_check_huge(s, x));
	LT_TRY(y ? lt__script_check_huge(s, y) : LT_OK);
	LT_TRY(check_large(s, x));
	LT_TRY(y ? check_large(s, y) : LT_OK);
	if (!info || (!floats && !whole))
		return lt__script_fail(s, at, LT_ETYPE, "Unexpected number: %s takes %s", symbol, info ? "integers" : "values");
	bool to_bool = info->to_bool && floats;
	union lt_scalar r = { 0 };
	if (floats)
		r = lt__op_value(type->op, LT_F64, operand);
	z.number = floats && !to_bool ? r.f : 0;
	if (!isfinite(z.number) && y && isfinite(x->number) && isfinite(y->number) && (y->number == 0 || x->number == 0))
		return lt__script_fail(s, y->position, LT_EINVAL, "Division of a number by zero");
	if (whole)
		is = fold_whole(info, type->op, x->i, y ? y->i : 0, z.number, &z.i);
	if (is == TOO_LARGE)
		return lt__script_fail(s, at, LT_EOVERFLOW, "Integer exceeds 63 bits");
	if (!whole && to_bool) {
		z.i = r.i;
		is = WHOLE;
	}
	z.whole = is == WHOLE;
	z.i = z.whole ? z.i : 0;
	z.number = z.whole ? (double)z.i : z.number;
	z.huge = isinf(z.number) && !isinf(x->number) && !(y && isinf(y->number));
	*out = z;
	return LT_OK;
}
