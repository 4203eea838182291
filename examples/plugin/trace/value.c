/* value.c -- types and operators.  Floats are computed in double and rounded to the type of the result, integers in 64
 * bits. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "trace.h"

enum { FLOATS = 1, INTEGERS = 2, BOOLS = 4, ANY = 8 };
/* bits: of an integer, negative ones twice */
static const struct { uint32_t bytes, bits; int kind;
} types[LT_NDTYPE] = {
	[LT_F32] = { 4, 0, FLOATS },
	[LT_F64] = { 8, 0, FLOATS },
	[LT_F16] = { 2, 0, FLOATS },
	[LT_BF16] = { 2, 0, FLOATS },
	[LT_I8] = { 1, 8, INTEGERS },
	[LT_U8] = { 1, 8, INTEGERS },
	[LT_I16] = { 2, 16, INTEGERS },
	[LT_I32] = { 4, 32, INTEGERS },
	[LT_I64] = { 8, 64, INTEGERS },
	[LT_BOOL] = { 1, 8, BOOLS },
	[LT_U16] = { 2, 16, INTEGERS },
	[LT_U32] = { 4, 32, INTEGERS },
	[LT_U64] = { 8, 64, INTEGERS },
};
static bool is_unsigned(uint32_t dtype)
{
	return dtype == LT_U8 || dtype == LT_U16 || dtype == LT_U32 || dtype == LT_U64;
}
static bool is_float(uint32_t dtype) { return types[dtype].kind == FLOATS; }

bool is_type(uint32_t dtype, uint32_t bytes)
{
	return dtype < LT_NDTYPE && types[dtype].bytes && types[dtype].bytes == bytes;
}

/* The 16-bit floats: a sign, an exponent biased by `bias`, a mantissa of so many bits. */
static double widen(uint16_t h, int mantissa, int bias)
{
	int max = 2 * bias + 1, e = h >> mantissa & max, m = h & ((1 << mantissa) - 1);
	double x = e == max ? m ? (double)NAN : (double)INFINITY
		: e          ? ldexp(m + (1 << mantissa), e - bias - mantissa)
			     : ldexp(m, 1 - bias - mantissa);
	return h >> 15 ? -x : x;
}

/* Rounds once, to nearest even: rint does, once the last place of the result is 1. */
static uint16_t narrow(double x, int mantissa, int bias)
{
	uint16_t sign = signbit(x) ? 0x8000 : 0, infinity = (uint16_t)((2 * bias + 1) << mantissa);
	int e;
	if (isnan(x))
		return (uint16_t)(sign | infinity | 1 << (mantissa - 1));
	(void)frexp(x, &e);
	e = isinf(x) || e > bias + 1 ? bias + 1 : x == 0 || e < 2 - bias ? 2 - bias : e;
	/* 2^mantissa up to 2^(mantissa + 1); less if subnormal */
	double scaled = rint(ldexp(fabs(x), mantissa + 1 - e));
	if (e == bias + 1 && scaled >= ldexp(1, mantissa + 1))
		return (uint16_t)(sign | infinity);
	return (uint16_t)(sign | (((e + bias - 2) << mantissa) + (int)scaled));
}

union value of_bits(uint64_t bits, uint32_t dtype)
{
	union value v = { 0 };
	float f;
	uint32_t low = (uint32_t)bits;
	switch (dtype) {
	case LT_F32: memcpy(&f, &low, 4); v.f = (double)f; break;
	case LT_F64: memcpy(&v.f, &bits, 8); break;
	case LT_F16: v.f = widen((uint16_t)bits, 10, 15); break;
	case LT_BF16: v.f = widen((uint16_t)bits, 7, 127); break;
	case LT_I8: v.i = (int8_t)bits; break;
	case LT_I16: v.i = (int16_t)bits; break;
	case LT_I32: v.i = (int32_t)bits; break;
	case LT_U8: case LT_BOOL: v.i = (uint8_t)bits; break;
	case LT_U16: v.i = (uint16_t)bits; break;
	case LT_U32: v.i = (uint32_t)bits; break;
	default: v.i = (int64_t)bits;
	}
	return v;
}

union value load(const void *base, int64_t element, uint32_t dtype)
{
	const char *at = (const char *)base + element * types[dtype].bytes;
	uint64_t bits = 0;
	memcpy(&bits, at, types[dtype].bytes);          /* the low bytes come first on all machines that this is tried on */
	return of_bits(bits, dtype);
}

void store(void *base, int64_t element, uint32_t dtype, union value v)
{
	char *at = (char *)base + element * types[dtype].bytes;
	uint64_t bits = (uint64_t)v.i;
	float f = 0;
	switch (dtype) {
	case LT_F32: f = (float)v.f; memcpy(&bits, &f, 4); break;
	case LT_F16: bits = narrow(v.f, 10, 15); break;
	case LT_BF16: bits = narrow(v.f, 7, 127); break;
	default: break;
	}
	memcpy(at, &bits, types[dtype].bytes);
}

/* The integer that the type holds of it: wrapped. */
static union value wrap(int64_t i, uint32_t dtype) { return of_bits((uint64_t)i, dtype); }

static union value saturate(double x, uint32_t to)
{
	int bits = (int)types[to].bits - !is_unsigned(to);
	double max = ldexp(1, bits);
	if (isnan(x))
		return (union value){ .i = 0 };
	if (x >= max)
		return (union value){ .i = (int64_t)(UINT64_MAX >> (64 - bits)) };
	if (is_unsigned(to))
		return (union value){ .i = x > 0 ? (int64_t)(uint64_t)x : 0 };
	return (union value){ .i = x > -max ? (int64_t)x : bits == 63 ? INT64_MIN : -(INT64_C(1) << bits) };
}

/* Beyond 2^53 an integer becomes a float of 53 bits whose last one says whether there were others, so that the next
 * rounding is right. */
static double to_double(int64_t i, uint32_t from, uint32_t to)
{
	bool minus = from != LT_U64 && i < 0;
	uint64_t u = minus ? 0 - (uint64_t)i : (uint64_t)i;
	double d = to == LT_F64 || u >> 53 == 0 ? (double)u : (double)(u >> 11 | ((u & 2047) != 0)) * 2048;
	return minus ? -d : d;
}

union value convert(union value v, uint32_t from, uint32_t to)
{
	if (is_float(from))
		return is_float(to) ? v : to == LT_BOOL ? (union value){ .i = v.f != 0 } : saturate(v.f, to);
	if (is_float(to))
		return (union value){ .f = to_double(v.i, from, to) };
	return to == LT_BOOL ? (union value){ .i = v.i != 0 } : wrap(v.i, to);
}

static double f_min(double a, double b) { return isnan(a) ? a : a < b ? a : b; }
static double f_max(double a, double b) { return isnan(a) ? a : a > b ? a : b; }
static double f_sign(double x) { return isnan(x) ? x : (double)((x > 0) - (x < 0)); }
static double f_mod(double a, double b)
{
	double r = fmod(a, b);
	return r == 0 ? copysign(0, b) : (r < 0) != (b < 0) ? r + b : r;
}
static int64_t i_div(int64_t a, int64_t b)
{
	return b == 0 ? 0 : b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b - (a % b != 0 && (a < 0) != (b < 0));
}
static int64_t i_mod(int64_t a, int64_t b)
{
	return b == 0 || b == -1 ? 0 : a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0);
}
static int64_t i_abs(int64_t a) { return a < 0 ? (int64_t)(0 - (uint64_t)a) : a; }
static int64_t i_sign(int64_t a) { return (a > 0) - (a < 0); }
static int64_t i_shl(int64_t a, int64_t n) { return n < 0 || n > 63 ? 0 : (int64_t)((uint64_t)a << n); }
static int64_t i_shr(int64_t a, int64_t n) { return n < 0 ? a : a >> (n > 63 ? 63 : n); }
/* Of u64. */
static uint64_t u_shl(uint64_t a, uint64_t n) { return n > 63 ? 0 : a << n; }
static uint64_t u_shr(uint64_t a, uint64_t n) { return n > 63 ? 0 : a >> n; }
static uint64_t u_div(uint64_t a, uint64_t b) { return b ? a / b : 0; }
static uint64_t u_mod(uint64_t a, uint64_t b) { return b ? a % b : 0; }
static uint64_t u_abs(uint64_t a) { return a; }
static uint64_t u_sign(uint64_t a) { return a > 0; }
#define OF(name, a) _Generic((a), uint64_t: u_##name, default: i_##name)
#define WRAP(a, op, b) ((int64_t)((uint64_t)(a) op (uint64_t)(b)))

/* X(name, arity, types of the operands, whether the result is a bool, of floats x0 x1 x2, of integers a0 a1 a2) */
#define OPS(X) \
	X(copy, 1, ANY, 0, x0, a0) X(view, 1, ANY, 0, x0, a0) X(gather, 1, ANY, 0, x0, a0) X(update, 1, ANY, 0, x0, a0) \
	X(index, 1, ANY, 0, x0, a0) X(cast, 1, ANY, 0, x0, a0) X(select, 3, ANY, 0, a0 ? x1 : x2, a0 ? a1 : a2) \
	X(add, 2, FLOATS | INTEGERS, 0, x0 + x1, WRAP(a0, +, a1)) \
	X(sub, 2, FLOATS | INTEGERS, 0, x0 - x1, WRAP(a0, -, a1)) \
	X(mul, 2, FLOATS | INTEGERS, 0, x0 * x1, WRAP(a0, *, a1)) \
	X(div, 2, FLOATS | INTEGERS, 0, x0 / x1, OF(div, a0)(a0, a1)) \
	X(mod, 2, FLOATS | INTEGERS, 0, f_mod(x0, x1), OF(mod, a0)(a0, a1)) \
	X(pow, 2, FLOATS, 0, pow(x0, x1), 0) \
	X(min, 2, FLOATS | INTEGERS | BOOLS, 0, f_min(x0, x1), a0 < a1 ? a0 : a1) \
	X(max, 2, FLOATS | INTEGERS | BOOLS, 0, f_max(x0, x1), a0 > a1 ? a0 : a1) \
	X(eq, 2, FLOATS | INTEGERS | BOOLS, 1, x0 == x1, a0 == a1) \
	X(ne, 2, FLOATS | INTEGERS | BOOLS, 1, x0 != x1, a0 != a1) \
	X(less, 2, FLOATS | INTEGERS | BOOLS, 1, x0 < x1, a0 < a1) \
	X(lessequal, 2, FLOATS | INTEGERS | BOOLS, 1, x0 <= x1, a0 <= a1) \
	X(greater, 2, FLOATS | INTEGERS | BOOLS, 1, x0 > x1, a0 > a1) \
	X(greaterequal, 2, FLOATS | INTEGERS | BOOLS, 1, x0 >= x1, a0 >= a1) \
	X(and, 2, INTEGERS | BOOLS, 0, 0, a0 & a1) \
	X(or, 2, INTEGERS | BOOLS, 0, 0, a0 | a1) \
	X(xor, 2, INTEGERS | BOOLS, 0, 0, a0 ^ a1) \
	X(shl, 2, INTEGERS, 0, 0, OF(shl, a0)(a0, a1)) \
	X(shr, 2, INTEGERS, 0, 0, OF(shr, a0)(a0, a1)) \
	X(not, 1, BOOLS, 0, 0, !a0) \
	X(neg, 1, FLOATS | INTEGERS, 0, -x0, WRAP(0, -, a0)) \
	X(abs, 1, FLOATS | INTEGERS, 0, fabs(x0), OF(abs, a0)(a0)) \
	X(sign, 1, FLOATS | INTEGERS, 0, f_sign(x0), OF(sign, a0)(a0)) \
	X(reciprocal, 1, FLOATS, 0, 1 / x0, 0) \
	X(exp, 1, FLOATS, 0, exp(x0), 0) \
	X(log, 1, FLOATS, 0, log(x0), 0) \
	X(sqrt, 1, FLOATS, 0, sqrt(x0), 0) \
	X(rsqrt, 1, FLOATS, 0, 1 / sqrt(x0), 0) \
	X(tanh, 1, FLOATS, 0, tanh(x0), 0) \
	X(sigmoid, 1, FLOATS, 0, 1 / (1 + exp(-x0)), 0) \
	X(erf, 1, FLOATS, 0, erf(x0), 0) \
	X(sin, 1, FLOATS, 0, sin(x0), 0) \
	X(cos, 1, FLOATS, 0, cos(x0), 0) \
	X(floor, 1, FLOATS, 0, floor(x0), 0) \
	X(ceil, 1, FLOATS, 0, ceil(x0), 0) \
	X(round, 1, FLOATS, 0, rint(x0), 0)

#define ROW(name, arity, types, to_bool, of_f, of_i) \
	static double f_of_##name(double x0, double x1, double x2, int64_t a0) \
	{ \
		(void)x0, (void)x1, (void)x2, (void)a0; \
		return of_f; \
	} \
	static int64_t i_of_##name(int64_t a0, int64_t a1, int64_t a2) \
	{ \
		(void)a0, (void)a1, (void)a2; \
		return of_i; \
	} \
	static int64_t u_of_##name(uint64_t a0, uint64_t a1, uint64_t a2) \
	{ \
		(void)a0, (void)a1, (void)a2; \
		return (int64_t)(of_i); \
	}
OPS(ROW)
#undef ROW

struct op_row {
	const char *name;
	int32_t arity;
	int types;
	bool to_bool;
	double (*f)(double, double, double, int64_t);
	int64_t (*i)(int64_t, int64_t, int64_t);
	int64_t (*u)(uint64_t, uint64_t, uint64_t);
};
#define ROW(name, arity, types, to_bool, of_f, of_i) { #name, arity, types, to_bool, f_of_##name, i_of_##name, \
	u_of_##name },
static const struct op_row rows[] = { OPS(ROW) };
#undef ROW

const struct op_row *find_op(const struct lt_op *op)
{
	uint32_t in = op->arity > 0 && op->arity <= 3 ? op->in[op->arity - 1] : 0;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct op_row *r = &rows[i];
		if (strcmp(r->name, op->name) || r->arity != op->arity || in >= LT_NDTYPE || op->out >= LT_NDTYPE
			|| !types[in].kind || !types[op->out].kind)
			continue;
		bool same = r->to_bool ? op->out == LT_BOOL : op->out == in || r->i == i_of_cast;
		return same && (r->types == ANY || (r->types & types[in].kind)) ? r : NULL;
	}
	return NULL;
}

union value compute(const struct op_row *r, const struct lt_op *op, const union value *x)
{
	uint32_t in = op->in[op->arity - 1];
	if (r->i == i_of_cast)
		return convert(x[0], op->in[0], op->out);
	if (in == LT_U64)
		return wrap(r->u((uint64_t)x[0].i, op->arity > 1 ? (uint64_t)x[1].i : 0, op->arity > 2 ? (uint64_t)x[2].i : 0),
			op->out);
	if (!is_float(in))
		return wrap(r->i(x[0].i, op->arity > 1 ? x[1].i : 0, op->arity > 2 ? x[2].i : 0), op->out);
	double f = r->f(x[0].f, op->arity > 1 ? x[1].f : 0, op->arity > 2 ? x[2].f : 0, x[0].i);
	return r->to_bool ? (union value){ .i = f != 0 } : (union value){ .f = f };
}
