/* value.c -- what an operator gives for one lane, by its opcode.
 *
 * Floats are computed as doubles and rounded once to the type: of sums, products, quotients and square roots of f32
 * that is the f32 result, because a double has more than twice its bits.
 */
#include <math.h>
#include "kernel/form/form.h"
#include "kernel/simulate/part.h"

static double remainder_of_floats(double a, double b)
{
	double r = fmod(a, b);
	if (r == 0)
		return copysign(0, b);
	return (r < 0) != (b < 0) ? r + b : r;
}

/* NaN is handed on; -0 is less than +0. */
static double lesser(double a, double b)
{
	if (isnan(a) || isnan(b))
		return (double)NAN;
	return a < b || (a == b && signbit(a)) ? a : b;
}
static double greater(double a, double b)
{
	if (isnan(a) || isnan(b))
		return (double)NAN;
	return a > b || (a == b && !signbit(a)) ? a : b;
}

static double of_floats(uint32_t opcode, double a, double b)
{
	switch (opcode) {
	case LT_OPCODE_add: return a + b;
	case LT_OPCODE_sub: return a - b;
	case LT_OPCODE_mul: return a * b;
	case LT_OPCODE_div: return a / b;
	case LT_OPCODE_mod: return remainder_of_floats(a, b);
	case LT_OPCODE_remainder: return fmod(a, b);
	case LT_OPCODE_lesser: return a < b ? a : b;
	case LT_OPCODE_larger: return a > b ? a : b;
	case LT_OPCODE_scale: return isnan(b) ? b : ldexp(a, (int)fmax(-5000, fmin(b, 5000)));
	case LT_OPCODE_pow: return pow(a, b);
	case LT_OPCODE_min: return lesser(a, b);
	case LT_OPCODE_max: return greater(a, b);
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
	default: return (double)NAN;
	}
}

static uint64_t of_unsigned(uint32_t opcode, uint64_t a, uint64_t b)
{
	switch (opcode) {
	case LT_OPCODE_add: return a + b;
	case LT_OPCODE_sub: return a - b;
	case LT_OPCODE_mul: return a * b;
	case LT_OPCODE_div:
	case LT_OPCODE_quotient: return b ? a / b : 0;
	case LT_OPCODE_mod:
	case LT_OPCODE_remainder: return b ? a % b : 0;
	case LT_OPCODE_lesser:
	case LT_OPCODE_min: return a < b ? a : b;
	case LT_OPCODE_larger:
	case LT_OPCODE_max: return a > b ? a : b;
	case LT_OPCODE_and: return a & b;
	case LT_OPCODE_or: return a | b;
	case LT_OPCODE_xor: return a ^ b;
	case LT_OPCODE_shl: return b > 63 ? 0 : a << b;
	case LT_OPCODE_shr: return b > 63 ? 0 : a >> b;
	case LT_OPCODE_neg: return 0 - a;
	case LT_OPCODE_abs: return a;
	case LT_OPCODE_sign: return a > 0;
	default: return 0;
	}
}

/* Wraps: the caller takes the bits of the type. */
static int64_t of_integers(uint32_t opcode, int64_t a, int64_t b)
{
	uint64_t u = (uint64_t)a, v = (uint64_t)b;
	switch (opcode) {
	case LT_OPCODE_add: return (int64_t)(u + v);
	case LT_OPCODE_sub: return (int64_t)(u - v);
	case LT_OPCODE_mul: return (int64_t)(u * v);
	case LT_OPCODE_div:             /* INT64_MIN / -1 wraps, too */
		if (b == 0 || b == -1)
			return b == 0 ? 0 : (int64_t)(0 - u);
		return a / b - (a % b != 0 && (a < 0) != (b < 0));
	case LT_OPCODE_mod:
		if (b == 0 || b == -1)
			return 0;
		return a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0);
	case LT_OPCODE_quotient: return b == 0 || b == -1 ? 0 : a / b;
	case LT_OPCODE_remainder: return b == 0 || b == -1 ? 0 : a % b;
	case LT_OPCODE_lesser:
	case LT_OPCODE_min: return a < b ? a : b;
	case LT_OPCODE_larger:
	case LT_OPCODE_max: return a > b ? a : b;
	case LT_OPCODE_shift_signed: return a >> (b & 63);
	case LT_OPCODE_and: return a & b;
	case LT_OPCODE_or: return a | b;
	case LT_OPCODE_xor: return a ^ b;
	case LT_OPCODE_shl: return b < 0 || b > 63 ? 0 : (int64_t)(u << b);
	case LT_OPCODE_shr: return b < 0 ? a : a >> (b > 63 ? 63 : b);
	case LT_OPCODE_neg: return (int64_t)(0 - u);
	case LT_OPCODE_abs: return a < 0 ? (int64_t)(0 - u) : a;
	case LT_OPCODE_sign: return (a > 0) - (a < 0);
	default: return 0;
	}
}

static bool compares(uint32_t opcode, bool less, bool equal, bool greater_than)
{
	switch (opcode) {
	case LT_OPCODE_eq: return equal;
	case LT_OPCODE_ne: return !equal;
	case LT_OPCODE_less: return less;
	case LT_OPCODE_lessequal: return less || equal;
	case LT_OPCODE_greater: return greater_than;
	default: return greater_than || equal;
	}
}

/* Of integers as if they had no sign; n is 0 to bits - 1. */
static uint64_t shifted(uint32_t opcode, uint64_t x, uint64_t n)
{
	return n > 63 ? 0 : opcode == LT_OPCODE_shift_left ? x << n : x >> n;
}

uint64_t lt__simulate_value(uint32_t opcode, uint32_t dtype, uint64_t x, uint64_t y)
{
	uint32_t bits = 8 * lt__number_bytes(dtype);
	uint64_t all = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
	if (opcode == LT_OPCODE_copy || opcode == LT_OPCODE_splat)
		return x;
	if (opcode == LT_OPCODE_shift_left || opcode == LT_OPCODE_shift_right)
		return shifted(opcode, x & all, y & all) & all;
	if (opcode == LT_OPCODE_not)
		return dtype == LT_BOOL ? x == 0 : ~x & all;
	bool is_test = lt__opcode_tests(opcode);
	if (dtype == LT_I64 && !is_test)
		return (uint64_t)of_integers(opcode, (int64_t)x, (int64_t)y);
	if (dtype == LT_F32 && !is_test) {
		union { uint32_t u; float f; } v = { .u = (uint32_t)x }, w = { .u = (uint32_t)y };
		v.f = (float)of_floats(opcode, (double)v.f, (double)w.f);
		return v.u;
	}
	union lt_number a = lt__number_of_bits(x, dtype), b = lt__number_of_bits(y, dtype);
	bool is_float = lt__number_is_float(dtype);
	if (is_test && dtype == LT_U64)
		return compares(opcode, x < y, x == y, x > y);
	if (is_test)
		return is_float ? compares(opcode, a.f < b.f, a.f == b.f, a.f > b.f)
			: compares(opcode, a.i < b.i, a.i == b.i, a.i > b.i);
	if (is_float)
		a.f = of_floats(opcode, a.f, b.f);
	else if (dtype == LT_U32 || dtype == LT_U64)
		a.i = (int64_t)of_unsigned(opcode, (uint64_t)a.i, (uint64_t)b.i);
	else
		a.i = of_integers(opcode, a.i, b.i);
	return lt__number_bits(lt__number_round(a, dtype), dtype);
}

uint64_t lt__simulate_cast(uint64_t x, uint32_t from, uint32_t to)
{
	return from == to ? x : lt__number_bits(lt__number_convert(lt__number_of_bits(x, from), from, to), to);
}
