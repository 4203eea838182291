/* stored_cast.c -- values of the types of stored.def, as operators take and give them: see
 * stored.h. */
#include <math.h>
#include <string.h>
#include "frontends/onnx/onnx.pb-c.h"
#include "frontends/onnx/position.h"
#include "frontends/onnx/stored.h"
#include "frontends/onnx/take.h"

/* Operators that take such values: those that convert them, and those that only move elements or look at shapes. */
static const char *const stored_readers[] = { "BitCast", "Cast", "CastLike", "DequantizeLinear", "QuantizeLinear",
	"Shape", "Size" };
static const char *const stored_movers[] = { "Concat", "DepthToSpace", "Expand", "Flatten", "Gather", "Identity",
	"Reshape", "Slice", "SpaceToDepth", "Split", "Squeeze", "Tile", "Transpose", "Unsqueeze" };

/* The number that the bits without a sign say, and past the largest the one that would come next. */
static double stored_number(const struct lt_onnx_stored *s, int bits)
{
	const int exponent = bits >> s->mantissa, rest = bits - (exponent << s->mantissa), one = 1 << s->mantissa;
	if (s->kind == LT_ONNX_STORED_POWER)
		return ldexp(1, bits - s->bias);
	return exponent ? ldexp(one + rest, exponent - s->bias - s->mantissa) : ldexp(rest, 1 - s->bias - s->mantissa);
}

static double stored_value(const struct lt_onnx_stored *s, int bits)
{
	const bool is_signed = s->kind != LT_ONNX_STORED_POWER;
	const int sign = is_signed ? 1 << (s->bits - 1) : 0, size = bits & ~sign;
	if ((s->nan && bits == s->nan) || size > s->max)
		return size == s->over && s->over != s->nan ? (bits & sign ? -INFINITY : INFINITY) : NAN;
	return bits & sign ? -stored_number(s, size) : stored_number(s, size);
}

/* The values of x, which holds the type: float32, or the integers as they are. */
static lt_node load_stored(struct lt_onnx *m, const struct lt_onnx_stored *s, lt_node x)
{
	const int64_t n = (int64_t)1 << s->bits;
	double *value = LT_NEW(m->arena, double, n);
	if (s->kind == LT_ONNX_STORED_WHOLE)
		return x;
	for (int i = 0; i < n; i++)
		value[i] = stored_value(s, i);
	return lt__onnx_gather(m, lt__onnx_table(m, "values", LT_F32, 1, &n, value), lt__onnx_cast(m, x, LT_I32), 0);
}

/* The least number of type t that is stored as `bits` + 1 or more. */
static double stored_bound(const struct lt_onnx_stored *s, int bits, enum lt_dtype t, enum lt_onnx_rounding how)
{
	const double below = stored_number(s, bits), above = stored_number(s, bits + 1), middle = (below + above) / 2;
	double from = middle;
	bool with = bits % 2 != 0;      /* the middle goes to the even one */
	if (s->kind == LT_ONNX_STORED_POWER) {
		from = how == LT_ONNX_UP ? below : how == LT_ONNX_DOWN ? above : middle;
		with = how != LT_ONNX_UP;
	}
	return with ? from : t == LT_F64 ? nextafter(from, INFINITY) : (double)nextafterf((float)from, INFINITY);
}

/* How many bounds |x| has reached: the bits without a sign. */
static lt_node stored_count(struct lt_onnx *m, const struct lt_onnx_stored *s, lt_node size, int64_t n,
	enum lt_onnx_rounding how)
{
	const enum lt_dtype t = lt_node_dtype(m->graph, size);
	const int32_t rank = lt__onnx_rank(m, size);
	double *bound = LT_NEW(m->arena, double, n + 1);
	for (int i = 0; i < n; i++)
		bound[i] = stored_bound(s, i, t, how);
	lt_node reached = lt__onnx_op2(m, "greaterequal", lt__onnx_insert(m, size, rank),
		lt__onnx_table(m, "bounds", t, 1, &n, bound));
	return lt__onnx_reduce1(m, "add", lt__onnx_cast(m, reached, LT_I32), rank, false);
}

static lt_node store_whole(struct lt_onnx *m, const struct lt_onnx_stored *s, lt_node x)
{
	const int half = 1 << (s->bits - 1);
	lt_node y = lt__onnx_cast(m, x, lt__onnx_is_float(m, x) ? LT_I64 : lt_node_dtype(m->graph, lt__onnx_wide(m, x)));
	y = lt__onnx_op2(m, "and", y, lt__onnx_whole(m, y < 0 ? LT_I64 : lt_node_dtype(m->graph, y), 2 * half - 1));
	if (s->held == LT_I8)
		y = lt__onnx_select(m, lt__onnx_opf(m, "greaterequal", y, half), lt__onnx_opf(m, "sub", y, 2 * half), y);
	return lt__onnx_cast(m, y, s->held);
}

/* Whether x is below 0, or -0. */
static lt_node is_negative(struct lt_onnx *m, lt_node x)
{
	return lt__onnx_op2(m, "or", lt__onnx_opf(m, "less", x, 0),
		lt__onnx_opf(m, "less", lt__onnx_op1(m, "reciprocal", x), 0));
}

lt_node lt__onnx_store(struct lt_onnx *m, const struct lt_onnx_stored *s, lt_node x, bool saturate,
	enum lt_onnx_rounding how)
{
	if (x < 0)
		return LT_NONE;
	if (s->kind == LT_ONNX_STORED_WHOLE)
		return store_whole(m, s, x);
	x = lt__onnx_is_float(m, x) ? lt__onnx_wide(m, x) : lt__onnx_cast(m, x, LT_F64);
	const bool cut = saturate || s->over == s->max;
	lt_node size = lt__onnx_op1(m, "abs", x);
	lt_node bits = x < 0 ? LT_NONE : stored_count(m, s, size, s->max + !cut, how);
	if (!cut)
		bits = lt__onnx_select(m, lt__onnx_opf(m, "greater", bits, s->max), lt__onnx_whole(m, LT_I32, s->over), bits);
	if (s->kind == LT_ONNX_STORED_FLOAT || s->kind == LT_ONNX_STORED_UNSIGNED_ZERO) {
		const int sign = 1 << (s->bits - 1);
		lt_node minus = lt__onnx_op2(m, "or", bits, lt__onnx_whole(m, LT_I32, sign)), negative = is_negative(m, x);
		if (s->kind == LT_ONNX_STORED_UNSIGNED_ZERO)
			negative = lt__onnx_op2(m, "and", negative, lt__onnx_opf(m, "greater", bits, 0));
		bits = lt__onnx_select(m, negative, minus, bits);
	} else if (!cut) {
		/* There is no power for what is below the least. */
		lt_node least = lt__onnx_opf(m, "less", size, stored_number(s, 0));
		bits = lt__onnx_select(m, least, lt__onnx_whole(m, LT_I32, s->nan), bits);
	}
	bits = lt__onnx_select(m, lt__onnx_op2(m, "ne", x, x), lt__onnx_whole(m, LT_I32, s->nan), bits);
	return lt__onnx_cast(m, bits, s->held);
}

lt_node lt__onnx_in_numbers(struct lt_onnx_call *c, int32_t i)
{
	const struct lt_onnx_stored *s = lt__onnx_stored(lt__onnx_value(c, i)->stored);
	lt_node x = lt__onnx_in(c, i);
	return s ? load_stored(c->m, s, x) : x;
}

void lt__onnx_give_stored(struct lt_onnx_call *c, int32_t i, lt_node x, const struct lt_onnx_stored *s)
{
	struct lt_onnx_value v = lt__onnx_of_node(c->m, x);
	v.stored = s->code;
	lt__onnx_give_value(c, i, &v);
}

static bool stored_listed(const char *name, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i], name))
			return true;
	return false;
}

static bool only_moves(const struct lt_onnx_call *c)
{
	return !*c->op->domain && stored_listed(c->op->name, stored_movers, sizeof stored_movers / sizeof *stored_movers);
}

static int32_t stored_of(const struct lt_onnx_call *c, int32_t i)
{
	return lt__onnx_has(c, i) ? c->in[i]->stored : 0;
}

bool lt__onnx_stored_takes(struct lt_onnx_call *c)
{
	const bool reads = !*c->op->domain
		&& stored_listed(c->op->name, stored_readers, sizeof stored_readers / sizeof *stored_readers);
	const bool moves = only_moves(c), together = moves && !strcmp(c->op->name, "Concat");
	for (int32_t i = 0; i < c->n_in; i++) {
		const int32_t own = stored_of(c, i);
		if (together && own != stored_of(c, 0)) {
			lt__onnx_refuse(c->m, "its input '%s' is of another type than the first", c->proto->input[i]);
			return false;
		}
		/* What is moved is the first input; others say where to. */
		if (own && !reads && !together && !(moves && i == 0)) {
			lt__onnx_refuse(c->m, "its input '%s' is %s, which is kept and converted, but not computed with",
				c->proto->input[i], lt__onnx_type_name(own));
			return false;
		}
	}
	return true;
}

void lt__onnx_stored_moves(struct lt_onnx_call *c)
{
	for (int32_t i = 0; i < c->n_out && only_moves(c); i++)
		c->out[i].stored = stored_of(c, 0);
}
