/* reference.h -- what a call computes by its description, element by element in double: what plans are judged by.
 *
 * A program that reference.c makes of the description, and the interpreter that runs it: one element of a result, which
 * is what a thread of a device does.  This text is compiled twice: by NVRTC, without its includes (kernel.c), and by
 * the C compiler, so that tests run it where there is no device.  It is C and C++.
 *
 * Beside each value go two numbers.  `error`: by how much what a right plan has there may differ, in any order of sums,
 * each operator rounded as its type says; infinite: nothing can be said.  `size`: what relative errors of a result are
 * measured by: an error of c times the size of each sum moves the result by about c times its size, by the
 * derivatives of the operators between, as errors that are independent of each other do.  A value that is not finite is
 * as it is, whatever the order: the description decides.
 */
#ifndef LT_CUDNN_REFERENCE_H
#define LT_CUDNN_REFERENCE_H
#include <math.h>
#include <stdint.h>
#include <string.h>
#include "lt/tree.h"

/* READ: an element, or the fill.  BITS, PLACE: numbers.  MAP, CAST: an operator.  BEGIN, END: of a reduction's loop:
 * the steps between are one term. */
enum reference_kind { REFERENCE_READ, REFERENCE_BITS, REFERENCE_PLACE, REFERENCE_MAP, REFERENCE_CAST, REFERENCE_BEGIN,
	REFERENCE_END };
/* The value of a step is that of its number. */
struct reference_step {
	int32_t kind, opcode;
	int32_t type, from;             /* of its value, of its operands */
	int32_t in[3];                  /* END: the term, and the factors that it is a product of; -1: it is none */
	int32_t operand;                /* READ */
	int32_t place, guard, n_guard;  /* READ, PLACE: of the program's places; BEGIN, END: where indices are saved */
	int32_t to;                     /* BEGIN: the step behind its END; END: that behind its BEGIN */
	int32_t may_skip, more;         /* CAST; END: another value, of its own */
	uint64_t axes, bits;            /* of a loop; of BITS, and the fill */
	/* Its rounding, of its value, its operands or its terms; what a factor loses that is made shorter, for a product. */
	double unit, shorter;
};
/* at: of its first element, the one that has number `first`; or, of a mask's program, the address of number `slot`. */
struct reference_operand { uint64_t at; int64_t elems, first; int32_t type, slot; };
/* Behind it: extents of axes, operands, steps, words of places (a base, how many axes, each with its stride). */
struct reference_program {
	int32_t n_step, n_axis, n_operand, n_place, n_value, n_index;
	int32_t result, value, place, unused;           /* an operand, the step of what it gets, and where */
};
struct reference_value { double f; int64_t i; double error, size; };
/* element: of the operand, from where it begins; unknown: the description reads what is none of its operands. */
struct reference_result { int64_t element; double value, error, size, got; int64_t unknown; };
/* Of one element; those of several lie `apart`.  lanes: threads that share the terms of its outermost sums, whose rooms
 * lie side by side; this is that of number `lane`. */
struct reference_room {
	struct reference_value *value;
	int64_t *index, apart;
	const uint64_t *slot;
	int64_t lane, lanes;
};

/* What is large: once in a kernel, which NVRTC is quicker with. */
#ifdef __CUDACC__
#define REFERENCE_APART static __noinline__
#else
#define REFERENCE_APART static inline
#endif
/* The threads of an element wait for each other, and see what all have written. */
#ifndef REFERENCE_TOGETHER
#ifdef __CUDACC__
#define REFERENCE_TOGETHER() __syncwarp()
#else
#define REFERENCE_TOGETHER() ((void)0)
#endif
#endif
#define REFERENCE_EXTENTS(p) ((const int64_t *)((p) + 1))
#define REFERENCE_OPERANDS(p) ((const struct reference_operand *)(REFERENCE_EXTENTS(p) + (p)->n_axis))
#define REFERENCE_STEPS(p) ((const struct reference_step *)(REFERENCE_OPERANDS(p) + (p)->n_operand))
#define REFERENCE_PLACES(p) ((const int64_t *)(REFERENCE_STEPS(p) + (p)->n_step))

/* ---- numbers ---- */

static inline double reference_of_bits(uint64_t bits)
{
	union { uint64_t u; double f; } x;
	x.u = bits;
	return x.f;
}
#define REFERENCE_INFINITY (reference_of_bits(0x7ff0000000000000u))
#define REFERENCE_NAN (reference_of_bits(0x7ff8000000000000u))

static inline int reference_is_float(int32_t type) { return type >= LT_F32 && type <= LT_BF16; }
static inline int reference_is_unsigned(int32_t type)
{
	return type == LT_U8 || type == LT_U16 || type == LT_U32 || type == LT_U64;
}
static inline int reference_bytes(int32_t type)
{
	switch (type) {
	case LT_F64: case LT_I64: case LT_U64: return 8;
	case LT_F32: case LT_I32: case LT_U32: return 4;
	case LT_F16: case LT_BF16: case LT_I16: case LT_U16: return 2;
	default: return 1;
	}
}
/* Half the distance from 1 to the next number. */
static inline double reference_unit(int32_t type)
{
	return type == LT_F16 ? 0x1p-11 : type == LT_BF16 ? 0x1p-8 : type == LT_F32 ? 0x1p-24 : 0x1p-53;
}
static inline double reference_largest(int32_t type)
{
	return type == LT_F16 ? 65504 : type == LT_BF16 ? 0x1.fep127 : type == LT_F32 ? 0x1.fffffep127
		: 0x1.fffffffffffffp1023;
}

/* What is rounded to infinity: half a place above the largest number, and up. */
static inline double reference_beyond(int32_t type)
{
	return reference_largest(type) + reference_unit(type) * (type == LT_F16 ? 0x1p15 : type == LT_F64 ? 0 : 0x1p127);
}

/* To nearest even; what is half a place above the largest number is infinite. */
REFERENCE_APART double reference_round(double x, int32_t type)
{
	const int digits = type == LT_F16 ? 10 : type == LT_BF16 ? 7 : 23, least = type == LT_F16 ? -14 : -126;
	int exponent;
	if (type == LT_F64 || !isfinite(x) || x == 0)
		return x;
	(void)frexp(x, &exponent);
	exponent = exponent - 1 < least ? least : exponent - 1;
	const double y = ldexp(rint(ldexp(x, digits - exponent)), exponent - digits);
	return fabs(y) > reference_largest(type) ? copysign(REFERENCE_INFINITY, y) : y;
}

static inline int64_t reference_wrap(int64_t x, int32_t type)
{
	const int shift = 64 - 8 * reference_bytes(type);
	if (type == LT_BOOL)
		return x != 0;
	const uint64_t u = (uint64_t)x << shift;
	return reference_is_unsigned(type) ? (int64_t)(u >> shift) : (int64_t)u >> shift;
}

static inline double reference_half(uint64_t bits, int digits, int exponents)
{
	const int exponent = (int)(bits >> digits) & ((1 << exponents) - 1), bias = (1 << (exponents - 1)) - 1;
	const double fraction = (double)(bits & ((UINT64_C(1) << digits) - 1)) / (double)(1 << digits);
	const double x = exponent == (1 << exponents) - 1 ? fraction > 0 ? REFERENCE_NAN : REFERENCE_INFINITY
		: exponent ? ldexp(1 + fraction, exponent - bias) : ldexp(fraction, 1 - bias);
	return bits >> 15 & 1 ? -x : x;
}

static inline struct reference_value reference_of(uint64_t bits, int32_t type)
{
	union { uint32_t u; float f; } narrow;
	struct reference_value x = { 0, 0, 0, 0 };
	narrow.u = (uint32_t)bits;
	if (!reference_is_float(type))
		x.i = type == LT_BOOL ? (bits & 255) != 0 : reference_wrap((int64_t)bits, type);
	else
		x.f = type == LT_F64 ? reference_of_bits(bits) : type == LT_F32 ? (double)narrow.f
			: type == LT_F16 ? reference_half(bits, 10, 5) : reference_half(bits, 7, 8);
	return x;
}

static inline struct reference_value reference_load(
	const struct reference_operand *o, const uint64_t *slot, int64_t element)
{
	const char *at = (const char *)(uintptr_t)(slot ? slot[o->slot] : o->at)
		+ (element - o->first) * reference_bytes(o->type);
	switch (reference_bytes(o->type)) {
	case 8: return reference_of(*(const uint64_t *)(const void *)at, o->type);
	case 4: return reference_of(*(const uint32_t *)(const void *)at, o->type);
	case 2: return reference_of(*(const uint16_t *)(const void *)at, o->type);
	default: return reference_of(*(const uint8_t *)(const void *)at, o->type);
	}
}

/* A float as an integer: truncated, saturated; NaN is 0. */
static inline int64_t reference_truncated(double x, int32_t type)
{
	const int bits = 8 * reference_bytes(type) - !reference_is_unsigned(type);
	const int64_t most = (int64_t)(~UINT64_C(0) >> (64 - bits)), least = reference_is_unsigned(type) ? 0 : -most - 1;
	if (type == LT_BOOL)
		return x != 0;
	if (isnan(x))
		return 0;
	if (x >= ldexp(1.0, bits) || x <= (double)least)
		return x > 0 ? most : least;
	return reference_is_unsigned(type) ? (int64_t)(uint64_t)x : (int64_t)x;
}

/* An integer for a shorter float: what a double does not hold stays to be seen in its last bit. */
static inline double reference_to_odd(int64_t x, int32_t from)
{
	const int minus = from != LT_U64 && x < 0;
	uint64_t size = minus ? 0 - (uint64_t)x : (uint64_t)x;
	const uint64_t dropped = size & 0xfff;
	if (size >> 52)
		size = (size & ~UINT64_C(0xfff)) | (dropped ? 0x800 : 0);
	return minus ? -(double)size : (double)size;
}

/* ---- operators ---- */

/* NaN is handed on; -0 is less than +0. */
static inline double reference_lesser(double a, double b)
{
	return isnan(a) || isnan(b) ? REFERENCE_NAN : a < b || (a == b && signbit(a)) ? a : b;
}

static inline int reference_compare(uint32_t opcode, int less, int equal, int greater)
{
	return opcode == LT_OPCODE_eq ? equal : opcode == LT_OPCODE_ne ? !equal : opcode == LT_OPCODE_less ? less
		: opcode == LT_OPCODE_lessequal ? less || equal : opcode == LT_OPCODE_greater ? greater : greater || equal;
}

/* Of integers: the caller wraps. */
REFERENCE_APART int64_t reference_integer(uint32_t opcode, int64_t a, int64_t b, int32_t type)
{
	const uint64_t u = (uint64_t)a, v = (uint64_t)b;
	const int whole = reference_is_unsigned(type), less = whole ? u < v : a < b, by = b != 0 && (whole || b != -1);
	switch (opcode) {
	case LT_OPCODE_copy: return a;
	case LT_OPCODE_add: return (int64_t)(u + v);
	case LT_OPCODE_sub: return (int64_t)(u - v);
	case LT_OPCODE_mul: return (int64_t)(u * v);
	case LT_OPCODE_div:
		return whole ? v ? (int64_t)(u / v) : 0 : by ? a / b - (a % b != 0 && (a < 0) != (b < 0)) : b ? (int64_t)(0 - u) : 0;
	case LT_OPCODE_mod:
		return whole ? v ? (int64_t)(u % v) : 0 : by ? a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0) : 0;
	case LT_OPCODE_min: return less ? a : b;
	case LT_OPCODE_max: return less ? b : a;
	case LT_OPCODE_and: return a & b;
	case LT_OPCODE_or: return a | b;
	case LT_OPCODE_xor: return a ^ b;
	case LT_OPCODE_shl: return v > 63 ? 0 : (int64_t)(u << v);
	case LT_OPCODE_shr: return whole ? v > 63 ? 0 : (int64_t)(u >> v) : b < 0 ? a : a >> (b > 63 ? 63 : b);
	case LT_OPCODE_not: return type == LT_BOOL ? !a : ~a;
	case LT_OPCODE_neg: return (int64_t)(0 - u);
	case LT_OPCODE_abs: return !whole && a < 0 ? (int64_t)(0 - u) : a;
	case LT_OPCODE_sign: return whole ? a != 0 : (a > 0) - (a < 0);
	default: return reference_compare(opcode, less, a == b, !less && a != b);
	}
}

REFERENCE_APART double reference_float(uint32_t opcode, double a, double b)
{
	double r;
	switch (opcode) {
	case LT_OPCODE_add: return a + b;
	case LT_OPCODE_sub: return a - b;
	case LT_OPCODE_mul: return a * b;
	case LT_OPCODE_div: return a / b;
	case LT_OPCODE_mod:
		r = fmod(a, b);
		return r == 0 ? copysign(0.0, b) : (r < 0) != (b < 0) ? r + b : r;
	case LT_OPCODE_pow: return pow(a, b);
	case LT_OPCODE_min: return reference_lesser(a, b);
	case LT_OPCODE_max: return -reference_lesser(-a, -b);
	case LT_OPCODE_neg: return -a;
	case LT_OPCODE_abs: return fabs(a);
	case LT_OPCODE_sign: return isnan(a) ? a : (double)((a > 0) - (a < 0));
	case LT_OPCODE_reciprocal: return 1 / a;
	case LT_OPCODE_exp: return exp(a);
	case LT_OPCODE_log: return log(a);
	case LT_OPCODE_sqrt: return sqrt(a);
	case LT_OPCODE_rsqrt: return 1 / sqrt(a);
	case LT_OPCODE_tanh: return tanh(a);
	case LT_OPCODE_sigmoid: return 1 / (1 + exp(-a));
	case LT_OPCODE_erf: return erf(a);
	case LT_OPCODE_sin: return sin(a);
	case LT_OPCODE_cos: return cos(a);
	case LT_OPCODE_floor: return floor(a);
	case LT_OPCODE_ceil: return ceil(a);
	case LT_OPCODE_round: return rint(a);
	default: return a;
	}
}

/* ---- how errors of the operands move the result ---- */

/* Of a power with operands that are not exact: the corners, and 0 where a whole exponent's base may be it. */
REFERENCE_APART double reference_pow_error(double a, double ea, double b, double eb, double v)
{
	const int whole = eb == 0 && rint(b) == b;
	double worst = a - ea > 0 || a + ea < 0 ? 0 : fabs(v);
	if (isnan(a) || isnan(b))
		return REFERENCE_INFINITY;              /* but for a base of 1, and an exponent of 0 */
	if (a + ea < 0 && isfinite(a) && !whole && eb == 0 && isfinite(b))
		return 0;                               /* NaN, whatever the base */
	if (!(a - ea > 0) && (!whole || (!(a + ea < 0) && b < 0)))
		return REFERENCE_INFINITY;
	for (int corner = 0; corner < 4; corner++)
		worst = fmax(worst, fabs(pow(a + (corner & 1 ? ea : -ea), b + (corner & 2 ? eb : -eb)) - v));
	return worst;
}

/* Infinite, too, where the result is not finite, unless it is the same for all operands within their errors: an
 * infinity times what may have either sign is either. */
REFERENCE_APART double reference_moved(uint32_t opcode, double a, double ea, double b, double eb, double v)
{
	const double f = fabs(a), g = fabs(b);
	if (ea == 0 && eb == 0)
		return 0;
	if (opcode == LT_OPCODE_pow)
		return reference_pow_error(a, ea, b, eb, v);
	if (isnan(a) || isnan(b))
		return 0;
	switch (opcode) {
	case LT_OPCODE_add: case LT_OPCODE_sub: return ea + eb;
	case LT_OPCODE_mul:
		if (isinf(a) || isinf(b))
			return f > ea && g > eb ? 0 : REFERENCE_INFINITY;
		return ea * g + eb * f + ea * eb;
	case LT_OPCODE_div:
		if (isinf(a) || (g == 0 && eb == 0))
			return f > ea && (g > eb || eb == 0) ? 0 : REFERENCE_INFINITY;
		return g > eb ? (ea + eb * fabs(v)) / (g - eb) : REFERENCE_INFINITY;
	case LT_OPCODE_min: return b - a > ea + eb ? ea : a - b > ea + eb ? eb : fmax(ea, eb);
	case LT_OPCODE_max: return a - b > ea + eb ? ea : b - a > ea + eb ? eb : fmax(ea, eb);
	case LT_OPCODE_copy: case LT_OPCODE_neg: case LT_OPCODE_abs: case LT_OPCODE_tanh: return ea;
	case LT_OPCODE_sign: return f > ea ? 0 : REFERENCE_INFINITY;
	case LT_OPCODE_reciprocal: return f > ea ? ea / f / (f - ea) : REFERENCE_INFINITY;
	case LT_OPCODE_exp:
		if (isinf(v))
			return isinf(exp(a - ea)) ? 0 : REFERENCE_INFINITY;
		return ea < 1 ? v * expm1(ea) : exp(a + ea);
	case LT_OPCODE_log: return a > ea ? -log1p(-ea / a) : a < -ea ? 0 : REFERENCE_INFINITY;
	case LT_OPCODE_sqrt: return a >= ea ? ea / (v + sqrt(a - ea)) : a < -ea ? 0 : REFERENCE_INFINITY;
	case LT_OPCODE_rsqrt: return a > ea ? 1 / sqrt(a - ea) - v : a < -ea ? 0 : REFERENCE_INFINITY;
	case LT_OPCODE_sigmoid: return ea / 4;
	case LT_OPCODE_erf: return 1.13 * ea;
	case LT_OPCODE_sin: case LT_OPCODE_cos: return fmin(ea, 2.0);
	case LT_OPCODE_floor: return floor(a + ea) == v && floor(a - ea) == v ? 0 : REFERENCE_INFINITY;
	case LT_OPCODE_ceil: return ceil(a + ea) == v && ceil(a - ea) == v ? 0 : REFERENCE_INFINITY;
	case LT_OPCODE_round: return rint(a + ea) == v && rint(a - ea) == v ? 0 : REFERENCE_INFINITY;
	default: return REFERENCE_INFINITY;
	}
}

static inline double reference_sum_of_squares(double a, double b) { return sqrt(a * a + b * b); }

/* Sizes by the derivative; a result that is computed is at least as large as it is. */
REFERENCE_APART double reference_size(uint32_t opcode, double a, double sa, double b, double sb, double v)
{
	const double x = fabs(v);
	double s = 0;
	switch (opcode) {
	case LT_OPCODE_copy: case LT_OPCODE_neg: case LT_OPCODE_abs: return sa;
	case LT_OPCODE_min: case LT_OPCODE_max: return a == v ? b == v ? fmax(sa, sb) : sa : sb;
	case LT_OPCODE_add: case LT_OPCODE_sub: s = reference_sum_of_squares(sa, sb); break;
	case LT_OPCODE_mul: s = reference_sum_of_squares(sa * b, sb * a); break;
	case LT_OPCODE_div: s = reference_sum_of_squares(sa / b, v * sb / b); break;
	case LT_OPCODE_pow:
		s = reference_sum_of_squares(sa > 0 ? b * pow(a, b - 1) * sa : 0, sb > 0 ? v * log(fabs(a)) * sb : 0);
		break;
	case LT_OPCODE_reciprocal: s = v * v * sa; break;
	case LT_OPCODE_exp: s = v * sa; break;
	case LT_OPCODE_log: s = sa / fabs(a); break;
	case LT_OPCODE_sqrt: s = v > 0 ? sa / (2 * v) : 0; break;
	case LT_OPCODE_rsqrt: s = v * v * v / 2 * sa; break;
	case LT_OPCODE_tanh: s = (1 - v * v) * sa; break;
	case LT_OPCODE_sigmoid: s = v * (1 - v) * sa; break;
	case LT_OPCODE_erf: s = 1.13 * exp(-a * a) * sa; break;
	case LT_OPCODE_sin: s = fabs(cos(a)) * sa; break;
	case LT_OPCODE_cos: s = fabs(sin(a)) * sa; break;
	default: break;
	}
	return s > x ? s : x;
}

/* What the operator itself rounds: `unit` of its value, of what it adds, since others may be added before; functions as
 * CUDA says of its fast ones, whose exponentials lose bits to the size of the exponent. */
REFERENCE_APART double reference_rounding(uint32_t opcode, double a, double b, double v, double unit)
{
	if (v == 0 && opcode != LT_OPCODE_add && opcode != LT_OPCODE_sub && opcode != LT_OPCODE_log)
		return 0;                               /* of -inf, too */
	switch (opcode) {
	case LT_OPCODE_add: case LT_OPCODE_sub: return unit * (fabs(a) + fabs(b));
	case LT_OPCODE_exp: case LT_OPCODE_sigmoid: return unit * v * (1 + fabs(a) / 2);
	case LT_OPCODE_pow: return unit * fabs(v) * (1 + fabs(log(fabs(v))) / 2);
	case LT_OPCODE_log: return unit * fmax(fabs(v), 1.0);
	default: return unit * fabs(v);
	}
}

/* Of what is not finite nothing is off.  What is too large for the type is infinite; what is while it is added up may
 * be anything; what is too small may be 0. */
static inline struct reference_value reference_settled(
	struct reference_value x, int is_open, double norms, int32_t type)
{
	if (!isfinite(x.f)) {
		x.error = is_open ? REFERENCE_INFINITY : 0;
		x.size = 0;
	} else if (isnan(x.error) || isinf(x.error) || norms > reference_largest(type)) {
		x.error = REFERENCE_INFINITY;
	} else if (fabs(x.f) - x.error >= reference_beyond(type)) {
		x.f = copysign(REFERENCE_INFINITY, x.f);
		x.error = x.size = 0;
	}
	return x;
}
static inline double reference_least(double unit, int32_t type) { return unit > 0 && type == LT_F32 ? 0x1p-126 : 0; }

static inline int reference_has_two(uint32_t opcode)
{
	switch (opcode) {
	case LT_OPCODE_add: case LT_OPCODE_sub: case LT_OPCODE_mul: case LT_OPCODE_div: case LT_OPCODE_mod:
	case LT_OPCODE_pow: case LT_OPCODE_min: case LT_OPCODE_max: return 1;
	default: return 0;
	}
}

/* Operands as floats, to a float; b is any value where the operator has one operand. */
static inline struct reference_value reference_floats(
	const struct reference_step *s, struct reference_value a, struct reference_value b)
{
	const struct reference_value none = { 0, 0, 0, 0 };
	const uint32_t opcode = (uint32_t)s->opcode;
	if (!reference_has_two(opcode))
		b = none;
	struct reference_value x = { reference_float(opcode, a.f, b.f), 0, 0, 0 };
	const double moved = reference_moved(opcode, a.f, a.error, b.f, b.error, x.f);
	x.error = moved + reference_rounding(opcode, a.f, b.f, x.f, s->unit) + s->shorter * fabs(x.f)
		+ reference_least(s->unit, s->type);
	x.size = reference_size(opcode, a.f, a.size, b.f, b.size, x.f);
	return reference_settled(x, isinf(a.error) || isinf(b.error) || isinf(moved), 0, s->type);
}

static inline struct reference_value reference_select(
	struct reference_value c, struct reference_value a, struct reference_value b, int is_float)
{
	struct reference_value x = c.i ? a : b;
	if (c.error > 0) {
		const double apart = is_float && !isnan(a.f) && !isnan(b.f) ? a.f == b.f ? 0 : fabs(a.f - b.f)
			: is_float ? isnan(a.f) && isnan(b.f) ? 0 : REFERENCE_INFINITY : a.i == b.i ? 0 : REFERENCE_INFINITY;
		x.error = c.i ? fmax(a.error, apart + b.error) : fmax(b.error, apart + a.error);
		x.size = fmax(a.size, b.size);
		x.error = isnan(x.error) ? REFERENCE_INFINITY : x.error;
	}
	return x;
}

static inline struct reference_value reference_map(const struct reference_step *s, struct reference_value a,
	struct reference_value b, struct reference_value c)
{
	const uint32_t opcode = (uint32_t)s->opcode;
	struct reference_value x = { 0, 0, 0, 0 };
	if (opcode == LT_OPCODE_select)
		return reference_select(a, b, c, reference_is_float(s->type));
	if (reference_is_float(s->from) && reference_is_float(s->type))
		return reference_floats(s, a, b);
	if (reference_is_float(s->from)) {
		x.i = reference_compare(opcode, a.f < b.f, a.f == b.f, a.f > b.f);
		x.error = a.error + b.error > 0 && !(fabs(a.f - b.f) > a.error + b.error) ? REFERENCE_INFINITY : 0;
		return x;
	}
	x.i = reference_wrap(reference_integer(opcode, a.i, b.i, s->from), s->type);
	x.error = a.error > 0 || b.error > 0 ? REFERENCE_INFINITY : 0;
	return x;
}

/* From a float to a shorter one: rounded, or with an error that has both; else as the language says. */
REFERENCE_APART struct reference_value reference_cast(const struct reference_step *s, struct reference_value a)
{
	struct reference_value x = a;
	const double unit = reference_unit(s->type);
	if (!reference_is_float(s->from)) {
		x.f = s->type == LT_F64 ? s->from == LT_U64 ? (double)(uint64_t)a.i : (double)a.i
			: reference_round(reference_to_odd(a.i, s->from), s->type);
		x.i = reference_is_float(s->type) ? 0 : reference_wrap(a.i, s->type);
		return x;
	}
	if (!reference_is_float(s->type)) {
		x.i = reference_truncated(a.f, s->type);
		x.f = x.size = 0;
		x.error = a.error > 0 && (isinf(a.error) || reference_truncated(a.f - a.error, s->type) != x.i
			|| reference_truncated(a.f + a.error, s->type) != x.i) ? REFERENCE_INFINITY : 0;
		return x;
	}
	if (unit <= reference_unit(s->from) && s->type != LT_F16)
		return x;
	if (!s->may_skip && (fabs(a.f) - a.error >= reference_beyond(s->type) || fabs(a.f) < reference_beyond(s->type)))
		x.f = reference_round(a.f, s->type);
	if (s->may_skip || a.error > 0)
		x.error = a.error + (s->may_skip ? 1 : 2) * (unit * (fabs(a.f) + a.error) + (s->type == LT_F16 ? 0x1p-25 : 0));
	return reference_settled(x, isinf(a.error), 0, s->may_skip ? s->from : s->type);
}

/* ---- reductions ---- */

static inline struct reference_value reference_identity(const struct reference_step *s)
{
	struct reference_value x = { 0, 0, 0, 0 };
	const uint32_t opcode = (uint32_t)s->opcode;
	const int bits = 8 * reference_bytes(s->type), whole = reference_is_unsigned(s->type);
	if (reference_is_float(s->type))
		x.f = opcode == LT_OPCODE_mul ? 1 : opcode == LT_OPCODE_min ? REFERENCE_INFINITY
			: opcode == LT_OPCODE_max ? -REFERENCE_INFINITY : 0;
	else
		x.i = opcode == LT_OPCODE_mul ? 1 : opcode == LT_OPCODE_and ? reference_wrap(-1, s->type)
			: opcode == LT_OPCODE_min ? s->type == LT_BOOL ? 1 : whole ? reference_wrap(-1, s->type)
			: (int64_t)(~UINT64_C(0) >> (65 - bits))
			: opcode == LT_OPCODE_max && s->type != LT_BOOL && !whole ? -(int64_t)(~UINT64_C(0) >> (65 - bits)) - 1 : 0;
	return x;
}

static inline int reference_adds(const struct reference_step *s)
{
	return s->opcode == LT_OPCODE_add && reference_is_float(s->type);
}

/* One term more.  A sum's error is that of its terms, its size the square of theirs; more: the squares of the factors,
 * and the sizes of all terms. */
static inline void reference_add(const struct reference_step *s, struct reference_value *sum,
	struct reference_value *more, const struct reference_value *term, const struct reference_value *left,
	const struct reference_value *right)
{
	if (!reference_adds(s)) {
		*sum = reference_map(s, *sum, *term, *term);
		return;
	}
	sum->f += term->f;
	sum->error += term->error;
	sum->size += term->size * term->size;
	more->size += fabs(term->f);
	more->f += left ? left->f * left->f : 0;
	more->error += right ? right->f * right->f : 0;
}

/* By the norms of the factors: eight roundings of the sum of the sizes and more. */
static inline struct reference_value reference_total(
	const struct reference_step *s, struct reference_value sum, const struct reference_value *more)
{
	const double norms = s->in[1] >= 0 ? sqrt(more->f) * sqrt(more->error) : more->size;
	if (!reference_adds(s))
		return sum;
	const int is_open = isinf(sum.error);
	sum.error += s->unit * norms;
	sum.size = fmax(fabs(sum.f), sqrt(sum.size));
	return reference_settled(sum, is_open, norms, s->type);
}

/* ---- a program ---- */

static inline int64_t reference_place(const int64_t *word, const int64_t *index, int64_t apart)
{
	int64_t at = word[0];
	for (int64_t i = 0; i < word[1]; i++)
		at += word[3 + 2 * i] * index[word[2 + 2 * i] * apart];
	return at;
}

static inline struct reference_value reference_read(const struct reference_program *p, const struct reference_step *s,
	const struct reference_room *r, int64_t *unknown)
{
	const int64_t *places = REFERENCE_PLACES(p);
	const struct reference_operand *o = REFERENCE_OPERANDS(p) + s->operand;
	/* Guards are behind each other, each as long as it says. */
	for (int32_t g = 0, at = s->guard; g < s->n_guard; g++) {
		if (reference_place(places + at, r->index, r->apart) < 0)
			return reference_of(s->bits, s->type);
		at += 2 + 2 * (int32_t)places[at + 1];
	}
	const int64_t element = reference_place(places + s->place, r->index, r->apart);
	if (element < o->first || element - o->first >= o->elems) {
		*unknown = 1;
		return reference_of(0, s->type);
	}
	return reference_load(o, r->slot, element);
}

/* So many terms further; 0: there is none.  Indices are then what they were before the loop. */
static inline int reference_next(const struct reference_program *p, const struct reference_step *s,
	const struct reference_room *r, int64_t by)
{
	for (int32_t a = p->n_axis; a-- > 0; ) {
		const int64_t extent = REFERENCE_EXTENTS(p)[a];
		if (!(s->axes >> a & 1))
			continue;
		const int64_t at = r->index[a * r->apart] + by;
		if (at < extent) {
			r->index[a * r->apart] = at;
			return 1;
		}
		r->index[a * r->apart] = by == 1 ? 0 : at % extent;
		by = by == 1 ? 1 : at / extent;
	}
	for (int32_t a = 0, k = 0; a < p->n_axis; a++)
		if (s->axes >> a & 1)
			r->index[a * r->apart] = r->index[(s->place + k++) * r->apart];
	return 0;
}

/* What those threads of an element that have terms have of a reduction, as one: the same for each of them. */
static inline void reference_join(const struct reference_program *p, const struct reference_step *s,
	const struct reference_room *r, struct reference_value *x, struct reference_value *more)
{
	const struct reference_value *all = x - r->lane, *rest = more - r->lane;
	int64_t terms = 1;
	for (int32_t a = 0; a < p->n_axis && terms < r->lanes; a++)
		terms *= s->axes >> a & 1 ? REFERENCE_EXTENTS(p)[a] : 1;
	REFERENCE_TOGETHER();
	struct reference_value sum = all[0], others = rest[0];
	for (int64_t i = 1; i < r->lanes && i < terms; i++) {
		if (!reference_adds(s)) {
			sum = reference_map(s, sum, all[i], all[i]);
			continue;
		}
		sum.f += all[i].f;
		sum.error += all[i].error;
		sum.size += all[i].size;
		others.f += rest[i].f;
		others.error += rest[i].error;
		others.size += rest[i].size;
	}
	REFERENCE_TOGETHER();
	*x = sum;
	*more = others;
}

/* 0: there are no terms. */
static inline int reference_begin(const struct reference_program *p, const struct reference_step *s,
	const struct reference_room *r)
{
	const struct reference_value none = { 0, 0, 0, 0 };
	const struct reference_step *end = REFERENCE_STEPS(p) + s->to - 1;
	for (int32_t a = 0; a < p->n_axis; a++)
		if (s->axes >> a & 1 && REFERENCE_EXTENTS(p)[a] <= 0)
			return 0;
	for (int32_t a = 0, k = 0; a < p->n_axis; a++)
		if (s->axes >> a & 1) {
			r->index[(s->place + k++) * r->apart] = r->index[a * r->apart];
			r->index[a * r->apart] = 0;
		}
	r->value[(s->to - 1) * r->apart] = reference_identity(end);
	r->value[end->more * r->apart] = none;
	return 1;
}

/* At the indices that are there; 1: it reads what is none of its operands.  depth: loops around the step; those inside
 * of another are each thread's own. */
REFERENCE_APART int64_t reference_steps(const struct reference_program *p, const struct reference_room *r)
{
	const struct reference_step *steps = REFERENCE_STEPS(p);
	const int64_t *places = REFERENCE_PLACES(p), apart = r->apart;
	const struct reference_value none = { 0, 0, 0, 0 };
	struct reference_value *value = r->value;
	int64_t unknown = 0, depth = 0;
	int no_more = 0;
	for (int32_t i = 0; i < p->n_step; ) {
		const struct reference_step *s = steps + i;
		struct reference_value *x = value + i++ * apart;
		const struct reference_value *in[3];
		for (int k = 0; k < 3; k++)
			in[k] = s->in[k] < 0 ? &none : value + s->in[k] * apart;
		switch (s->kind) {
		case REFERENCE_READ: *x = reference_read(p, s, r, &unknown); break;
		case REFERENCE_BITS: *x = reference_of(s->bits, s->type); break;
		case REFERENCE_PLACE:
			*x = reference_of(0, LT_I64);
			x->i = reference_place(places + s->place, r->index, apart);
			break;
		case REFERENCE_MAP: *x = reference_map(s, *in[0], *in[1], *in[2]); break;
		case REFERENCE_CAST: *x = reference_cast(s, *in[0]); break;
		case REFERENCE_BEGIN:
			if (!reference_begin(p, s, r)) {
				value[(s->to - 1) * apart] = reference_identity(steps + s->to - 1);
				i = s->to;
			} else if (depth++ == 0 && r->lane > 0 && !reference_next(p, s, r, r->lane)) {
				no_more = 1;
				i = s->to - 1;
			}
			break;
		default:
			if (!no_more)
				reference_add(s, x, value + s->more * apart, in[0],
					s->in[1] < 0 ? (const struct reference_value *)0 : in[1],
					s->in[2] < 0 ? (const struct reference_value *)0 : in[2]);
			if (!no_more && reference_next(p, s, r, depth == 1 ? r->lanes : 1)) {
				i = s->to;
				break;
			}
			no_more = 0;
			if (--depth == 0 && r->lanes > 1)
				reference_join(p, s, r, x, value + s->more * apart);
			*x = reference_total(s, *x, value + s->more * apart);
		}
	}
	return unknown;
}

static inline void reference_element(const struct reference_program *p, const int64_t *position,
	const struct reference_room *r, struct reference_result *out)
{
	const int64_t *places = REFERENCE_PLACES(p), apart = r->apart;
	const struct reference_operand *result = REFERENCE_OPERANDS(p) + p->result;
	for (int32_t a = 0; a < p->n_axis; a++)
		r->index[a * apart] = position[a];
	const int64_t unknown = reference_steps(p, r);
	const struct reference_value v = r->value[p->value * apart];
	const int32_t type = result->type;
	out->element = reference_place(places + p->place, r->index, apart);
	out->value = reference_is_float(type) ? v.f : (double)v.i;
	out->error = v.error;
	out->size = v.size;
	out->unknown = unknown || out->element < result->first || out->element - result->first >= result->elems;
	out->got = 0;
	if (!out->unknown) {
		const struct reference_value got = reference_load(result, r->slot, out->element);
		out->got = reference_is_float(type) ? got.f : (double)got.i;
	}
}

/* Whether what is there may be: what may be too large may be infinite. */
static inline int reference_agrees(const struct reference_result *x, int32_t type)
{
	if (isnan(x->value) || isnan(x->got) || isinf(x->error))
		return isinf(x->error) || (isnan(x->value) && isnan(x->got));
	return x->got == x->value || fabs(x->got - x->value) <= x->error || (isinf(x->got) && isfinite(x->value)
		&& (x->got > 0) == (x->value > 0) && fabs(x->value) + x->error >= reference_beyond(type));
}

/* Bytes that one element needs: for who runs it. */
static inline int64_t reference_room_bytes(const struct reference_program *p)
{
	return p->n_value * (int64_t)sizeof(struct reference_value) + p->n_index * (int64_t)sizeof(int64_t);
}

/* Element `i` of n, which is at position i, by thread `lane` of its `lanes`; out: of each thread, those of an element
 * side by side. */
static inline void reference_run(const struct reference_program *p, const int64_t *positions, char *room,
	struct reference_result *out, int64_t n, int64_t i, int64_t lanes, int64_t lane)
{
	struct reference_room r;
	const int64_t thread = i * lanes + lane;
	r.apart = n * lanes;
	r.value = (struct reference_value *)(void *)room + thread;
	r.index = (int64_t *)(void *)(room + r.apart * p->n_value * (int64_t)sizeof(struct reference_value)) + thread;
	r.slot = 0;
	r.lane = lane;
	r.lanes = lanes;
	reference_element(p, positions + i * p->n_axis, &r, out + thread);
}

/* A number that its type has, in its bytes. */
static inline void reference_store(char *to, int64_t i, double x, int32_t type)
{
	union { float f; uint32_t u; } single;
	int exponent;
	single.f = (float)x;
	if (type == LT_F32) {
		((float *)(void *)to)[i] = single.f;
		return;
	}
	uint32_t bits = single.u >> 16;
	if (type == LT_F16) {
		const double size = fabs(x);
		(void)frexp(size, &exponent);
		bits = isnan(x) ? 0x7e00 : isinf(x) ? 0x7c00 : size == 0 || exponent - 1 < -14 ? (uint32_t)ldexp(size, 24)
			: ((uint32_t)(exponent + 14) << 10) + ((uint32_t)ldexp(size, 11 - exponent) - 1024);
		bits |= signbit(x) ? 0x8000 : 0;
	}
	((uint16_t *)(void *)to)[i] = (uint16_t)bits;
}

/* Element i of a mask: what the program says, or one number where that is true and another where it is not. */
enum { REFERENCE_MASK_VALUES = 24, REFERENCE_MASK_INDICES = 72 };
static inline void reference_mask(const struct reference_program *p, char *to, int64_t i, int32_t type, int chooses,
	double yes, double no, const uint64_t *slot)
{
	struct reference_value value[REFERENCE_MASK_VALUES];
	int64_t index[REFERENCE_MASK_INDICES];
	const int64_t *place = REFERENCE_PLACES(p) + p->place;
	const struct reference_room r = { value, index, 1, slot, 0, 1 };
	for (int32_t a = 0; a < p->n_axis; a++)
		index[a] = 0;
	for (int64_t k = 0; k < place[1]; k++)
		index[place[2 + 2 * k]] = i / place[3 + 2 * k] % REFERENCE_EXTENTS(p)[place[2 + 2 * k]];
	const int64_t unknown = reference_steps(p, &r);
	const struct reference_value v = value[p->value];
	reference_store(to, i, unknown ? REFERENCE_NAN : chooses ? v.i ? yes : no : reference_round(v.f, type), type);
}

/* Length i of a batch, as it may be. */
static inline int64_t reference_length(const void *length, int64_t wide, int64_t stride, int64_t i)
{
	return wide ? ((const int64_t *)length)[i * stride] : ((const int32_t *)length)[i * stride];
}
static inline void reference_keep_length(const void *length, int64_t wide, int64_t stride, int64_t least, int64_t most,
	int32_t *to, int64_t i, int64_t apart, int64_t queries)
{
	const int64_t n = reference_length(length, wide, stride, i);
	to[i] = (int32_t)((n < least ? least : n > most ? most : n) - least + 1);
	to[apart + i] = (int32_t)queries;
}

/* A batch whose length is below the least is no number; extents of a batch of the result, strides of its outer axes.
 * So many lanes share one. */
enum { REFERENCE_EMPTY_LANES = 1024 };
static inline void reference_empty(char *to, int32_t type, int64_t i, int64_t lane, const int64_t *extent,
	const int64_t *stride)
{
	for (int64_t k = lane; k < extent[0] * extent[1] * extent[2]; k += REFERENCE_EMPTY_LANES)
		reference_store(to, i * stride[0] + k / (extent[1] * extent[2]) * stride[1]
			+ k / extent[2] % extent[1] * stride[2] + k % extent[2], REFERENCE_NAN, type);
}

/* Where two results have other bits: 1 and the number of such a byte, some one of them. */
static inline void reference_compare_bytes(const uint8_t *a, const uint8_t *b, int64_t i, int64_t *out)
{
	if (a[i] != b[i])
		*out = 1 + i;
}

#ifdef __CUDACC__
extern "C" __global__ void lt_cudnn_reference_0(const struct reference_program *p, const int64_t *positions, char *room,
	struct reference_result *out, int64_t n, int64_t lanes)
{
	const int64_t i = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / lanes;
	if (i < n)
		reference_run(p, positions, room, out, n, i, lanes, threadIdx.x % lanes);
}
extern "C" __global__ void lt_cudnn_masked_0(const struct reference_program *p, char *to, int64_t n, int64_t type,
	int64_t chooses, double yes, double no, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	const uint64_t slot[] = { a, b, c, d };
	for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x)
		reference_mask(p, to, i, (int32_t)type, chooses != 0, yes, no, slot);
}
extern "C" __global__ void lt_cudnn_length_0(const void *length, int64_t wide, int64_t stride, int64_t least,
	int64_t most, int32_t *to, int64_t n, int64_t apart, int64_t queries)
{
	for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x)
		reference_keep_length(length, wide, stride, least, most, to, i, apart, queries);
}
extern "C" __global__ void lt_cudnn_empty_0(const void *length, int64_t wide, int64_t stride, int64_t least, char *to,
	int64_t type, int64_t n, int64_t d, int64_t e, int64_t f, int64_t a, int64_t b, int64_t c)
{
	const int64_t extent[] = { d, e, f }, by[] = { a, b, c };
	for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n * REFERENCE_EMPTY_LANES;
		i += (int64_t)gridDim.x * blockDim.x)
		if (reference_length(length, wide, stride, i / REFERENCE_EMPTY_LANES) < least)
			reference_empty(to, (int32_t)type, i / REFERENCE_EMPTY_LANES, i % REFERENCE_EMPTY_LANES, extent, by);
}
extern "C" __global__ void lt_cudnn_same_0(const uint8_t *a, const uint8_t *b, int64_t n, int64_t *out)
{
	for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x)
		reference_compare_bytes(a, b, i, out);
}
#endif
#endif
