/* number.h -- arithmetic of a tensor's numbers, as the operators have it: what the value columns of ir/op/op.def call.
 *
 * Integer helpers work on int64_t and wrap; the caller wraps the result to its type.  Those that mind the sign have one
 * for uint64_t beside them, and a name that takes the one for its operand.
 */
#ifndef LT_BASE_NUMBER_H
#define LT_BASE_NUMBER_H
#include <math.h>
#include <stdint.h>

static inline int64_t lt_wrap_add(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }
static inline int64_t lt_wrap_sub(int64_t a, int64_t b) { return (int64_t)((uint64_t)a - (uint64_t)b); }
static inline int64_t lt_wrap_mul(int64_t a, int64_t b) { return (int64_t)((uint64_t)a * (uint64_t)b); }

/* Towards minus infinity; x/0 is 0; the one quotient that does not fit wraps. */
static inline int64_t lt_floordiv(int64_t a, int64_t b)
{
	if (b == 0)
		return 0;
	if (b == -1)
		return lt_wrap_sub(0, a);
	return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* a - b*floor(a/b): the sign of the divisor; x%0 is 0. */
static inline int64_t lt_floormod(int64_t a, int64_t b)
{
	int64_t remainder;

	if (b == 0 || b == -1)
		return 0;
	remainder = a % b;
	return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

static inline uint64_t lt_unsigned_add(uint64_t a, uint64_t b) { return a + b; }
static inline uint64_t lt_unsigned_sub(uint64_t a, uint64_t b) { return a - b; }
static inline uint64_t lt_unsigned_mul(uint64_t a, uint64_t b) { return a * b; }
static inline uint64_t lt_unsigned_neg(uint64_t a) { return 0 - a; }
static inline int64_t lt_signed_neg(int64_t a) { return lt_wrap_sub(0, a); }
static inline uint64_t lt_unsigned_div(uint64_t a, uint64_t b) { return b == 0 ? 0 : a / b; }
static inline uint64_t lt_unsigned_mod(uint64_t a, uint64_t b) { return b == 0 ? 0 : a % b; }
static inline uint64_t lt_unsigned_abs(uint64_t a) { return a; }
static inline uint64_t lt_unsigned_sign(uint64_t a) { return a != 0; }
static inline int64_t lt_signed_abs(int64_t a) { return a < 0 ? lt_wrap_sub(0, a) : a; }
static inline int64_t lt_signed_sign(int64_t a) { return (a > 0) - (a < 0); }
/* Of 32 bits, too, where `a` has those with their sign or zeros above them, and the caller wraps. */
static inline int64_t lt_signed_shl(int64_t a, int64_t n) { return n < 0 || n > 63 ? 0 : (int64_t)((uint64_t)a << n); }
static inline int64_t lt_signed_shr(int64_t a, int64_t n) { return n < 0 ? a : a >> (n > 63 ? 63 : n); }
static inline uint64_t lt_unsigned_shl(uint64_t a, uint64_t n) { return n > 63 ? 0 : a << n; }
static inline uint64_t lt_unsigned_shr(uint64_t a, uint64_t n) { return n > 63 ? 0 : a >> n; }
#define lt_whole_shl(a, b) _Generic((a), uint64_t: lt_unsigned_shl, default: lt_signed_shl)(a, b)
#define lt_whole_shr(a, b) _Generic((a), uint64_t: lt_unsigned_shr, default: lt_signed_shr)(a, b)
#define lt_whole_add(a, b) _Generic((a), uint64_t: lt_unsigned_add, default: lt_wrap_add)(a, b)
#define lt_whole_sub(a, b) _Generic((a), uint64_t: lt_unsigned_sub, default: lt_wrap_sub)(a, b)
#define lt_whole_mul(a, b) _Generic((a), uint64_t: lt_unsigned_mul, default: lt_wrap_mul)(a, b)
#define lt_whole_neg(a) _Generic((a), uint64_t: lt_unsigned_neg, default: lt_signed_neg)(a)
#define lt_whole_div(a, b) _Generic((a), uint64_t: lt_unsigned_div, default: lt_floordiv)(a, b)
#define lt_whole_mod(a, b) _Generic((a), uint64_t: lt_unsigned_mod, default: lt_floormod)(a, b)
#define lt_whole_abs(a) _Generic((a), uint64_t: lt_unsigned_abs, default: lt_signed_abs)(a)
#define lt_whole_sign(a) _Generic((a), uint64_t: lt_unsigned_sign, default: lt_signed_sign)(a)

/* The same for floats, as NumPy and Python have it: x mod 0 is NaN, a zero has the sign of the divisor. */
static inline double lt_fmod(double a, double b)
{
	double remainder = fmod(a, b);

	if (remainder == 0)
		return copysign(0, b);
	return (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

/* fmin and fmax of C lose a NaN, and take either of two zeros; these hand NaN on, and -0 is less than +0. */
static inline double lt_fmin(double a, double b) { return isnan(a) || a < b || (a == b && signbit(a)) ? a : b; }
static inline double lt_fmax(double a, double b) { return isnan(a) || a > b || (a == b && signbit(b)) ? a : b; }
#endif
