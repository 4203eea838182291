/* cast.c -- casts as conversions that C has: halves by their bits, floats to integers saturated
 * (expand.h).
 */
#include <math.h>
#include "kernel/expand/expand.h"
#include "kernel/build/build.h"

static bool is_half(uint32_t dtype) { return dtype == LT_F16 || dtype == LT_BF16; }
static bool is_wide_float(uint32_t dtype) { return dtype == LT_F32 || dtype == LT_F64; }
static bool is_wide(uint32_t dtype)
{
	return is_wide_float(dtype) || (lt__number_is_whole(dtype) && lt__kernel_element_bytes(dtype) >= 4);
}

/* Between floats and small integers or bools in two steps. */
int32_t lt__expand_convert(struct expansion *e, uint32_t to, int32_t x)
{
	uint32_t from = expand_dtype(e, x), lanes = expand_lanes_of(e, x);
	if ((is_wide_float(from) && !is_wide(to)) || (is_wide_float(to) && !is_wide(from)))
		x = lt__build_value(&e->b, LT_OPCODE_convert, LT_I32, lanes, x, -1);
	return lt__build_value(&e->b, LT_OPCODE_convert, to, lanes, x, -1);
}

/* A half's bits as an i32, with whatever above them. */
static int32_t half_word(struct expansion *e, int32_t x)
{
	return lt__expand_convert(e, LT_I32, lt__expand_bits(e, LT_I16, x));
}

static int32_t half_of_word(struct expansion *e, uint32_t to, int32_t x)
{
	return lt__expand_bits(e, to, lt__expand_convert(e, LT_I16, x));
}

/* The exponent is moved by adding and a product; a subnormal has the same digits as one of a number that is then taken
 * off. */
static int32_t f16_to_f32(struct expansion *e, int32_t x)
{
	int32_t word = half_word(e, x), size = expand_with_word(e, LT_OPCODE_and, word, 0x7fff);
	int32_t normal = expand_with_word(e, LT_OPCODE_shift_left, size, 13);
	normal = lt__expand_bits(e, LT_F32, expand_with_word(e, LT_OPCODE_add, normal, 0x70000000));
	normal = expand_with(e, LT_OPCODE_mul, normal, 0x1p-112);
	int32_t small = lt__expand_bits(e, LT_F32, expand_with_word(e, LT_OPCODE_or, size, 0x3f000000));
	small = expand_with(e, LT_OPCODE_sub, small, 0.5);
	int32_t r = expand_bits_of(e, expand_where(e, LT_OPCODE_less, size, 0x400, small, normal));
	int32_t sign = expand_with_word(e, LT_OPCODE_and, word, 0x8000);
	sign = expand_with_word(e, LT_OPCODE_shift_left, sign, 16);
	return lt__expand_bits(e, LT_F32, lt__expand_two(e, LT_OPCODE_or, r, sign));
}

static int32_t bf16_to_f32(struct expansion *e, int32_t x)
{
	return lt__expand_bits(e, LT_F32, expand_with_word(e, LT_OPCODE_shift_left, half_word(e, x), 16));
}

/* Adding a float whose last place is the half's lets the adder round. */
static int32_t f32_to_f16(struct expansion *e, int32_t x)
{
	int32_t word = expand_bits_of(e, x), size = expand_with_word(e, LT_OPCODE_and, word, 0x7fffffff);
	int32_t base = expand_with(e, LT_OPCODE_mul, lt__expand_bits(e, LT_F32, size), 0x1p112);
	base = expand_with(e, LT_OPCODE_mul, base, 0x1p-110);
	int32_t place = expand_with_word(e, LT_OPCODE_and, size, 0x7f800000);
	place = expand_with_word(e, LT_OPCODE_larger, place, 0x38800000);
	place = lt__expand_bits(e, LT_F32, expand_with_word(e, LT_OPCODE_add, place, 0x07800000));
	int32_t sum = expand_bits_of(e, expand_add(e, place, base));
	int32_t half = expand_with_word(e, LT_OPCODE_and, expand_with_word(e, LT_OPCODE_shift_right, sum, 13), 0x7c00);
	half = expand_add(e, half, expand_with_word(e, LT_OPCODE_and, sum, 0xfff));
	half = expand_where(e, LT_OPCODE_greater, size, 0x7f800000, lt__expand_word(e, size, 0x7e00), half);
	int32_t sign = expand_with_word(e, LT_OPCODE_and, expand_with_word(e, LT_OPCODE_shift_right, word, 16), 0x8000);
	return half_of_word(e, LT_F16, lt__expand_two(e, LT_OPCODE_or, half, sign));
}

/* Half a place is added, less one bit where the last digit is even. */
static int32_t f32_to_bf16(struct expansion *e, int32_t x)
{
	int32_t word = expand_bits_of(e, x);
	int32_t odd = expand_with_word(e, LT_OPCODE_and, expand_with_word(e, LT_OPCODE_shift_right, word, 16), 1);
	int32_t rounded = expand_add(e, expand_with_word(e, LT_OPCODE_add, word, 0x7fff), odd);
	int32_t quiet = expand_with_word(e, LT_OPCODE_or, word, 0x400000), nan = lt__build_test(&e->b, LT_OPCODE_ne, x, x);
	rounded = lt__build_select(&e->b, nan, quiet, rounded);
	return half_of_word(e, LT_BF16, expand_with_word(e, LT_OPCODE_shift_right, rounded, 16));
}

/* f64 to f32, inexact results to the neighbour whose last bit is 1: rounding this again to a half rounds once. */
static int32_t round_to_odd(struct expansion *e, int32_t x)
{
	struct lt_kernel_builder *b = &e->b;
	int32_t r = lt__expand_convert(e, LT_F32, x), back = lt__expand_convert(e, LT_F64, r), word = expand_bits_of(e, r);
	int32_t size = expand_one(e, LT_OPCODE_abs, x), away = expand_one(e, LT_OPCODE_abs, back);
	away = lt__build_test(b, LT_OPCODE_greater, away, size);
	word = lt__build_select(b, away, expand_with_word(e, LT_OPCODE_sub, word, 1), word);
	int32_t other = lt__build_test(b, LT_OPCODE_ne, back, x);
	return lt__expand_bits(e, LT_F32, lt__build_select(b, other, expand_with_word(e, LT_OPCODE_or, word, 1), word));
}

/* An i64 or u64 that a double has, for rounding to bf16: of one with 53 bits and more, whether its last 12 were 0 is
 * all that stays of them. */
static int32_t keep_high_bits(struct expansion *e, int32_t x)
{
	struct lt_kernel_builder *b = &e->b;
	int32_t low = expand_with_word(e, LT_OPCODE_and, x, 0xfff), high = expand_sub(e, x, low);
	int32_t marked = expand_with_word(e, LT_OPCODE_or, high, 0x800);
	int32_t cut = expand_where(e, LT_OPCODE_ne, low, 0, marked, high);
	int32_t moved = expand_dtype(e, x) == LT_U64 ? x : expand_with_word(e, LT_OPCODE_add, x, UINT64_C(1) << 52);
	int32_t large = expand_test(e, LT_OPCODE_ne, expand_with_word(e, LT_OPCODE_shift_right, moved, 53), 0);
	return lt__build_select(b, large, cut, x);
}

/* Through f32, where it has all that a rounding to the half can see: every integer up to 2^24, and f16 has none beyond
 * 2^16. */
static int32_t cast_to_half(struct expansion *e, uint32_t to, int32_t x)
{
	uint32_t from = expand_dtype(e, x);
	if (from == LT_F32)
		return to == LT_F16 ? f32_to_f16(e, x) : f32_to_bf16(e, x);
	if (to == LT_BF16 && is_wide(from) && !is_wide_float(from)) {
		x = lt__expand_convert(e, LT_F64, lt__kernel_element_bytes(from) == 8 ? keep_high_bits(e, x) : x);
		from = LT_F64;
	}
	x = from == LT_F64 ? round_to_odd(e, x) : lt__expand_convert(e, LT_F32, x);
	return lt__expand_cast(e, to, x);
}

/* Clamped to the floats whose integer part is in the type's range; what is above gets the largest integer afterwards,
 * where that is no float's, and NaN 0. */
static int32_t saturate(struct expansion *e, uint32_t to, int32_t x)
{
	struct lt_kernel_builder *b = &e->b;
	bool is_signed = lt__number_is_signed(to);
	int bits = 8 * (int)lt__kernel_element_bytes(to) - is_signed, digits = expand_dtype(e, x) == LT_F32 ? 24 : 53;
	double beyond = ldexp(1, bits), high = beyond - ldexp(1, bits - digits);
	int32_t z = lt__expand_two(e, LT_OPCODE_larger, x, lt__expand_number(e, x, is_signed ? -beyond : 0));
	z = lt__expand_two(e, LT_OPCODE_lesser, z, lt__expand_number(e, z, high));
	int32_t r = lt__expand_convert(e, is_wide(to) ? to : LT_I32, z);
	if (bits > digits)
		r = expand_where(e, LT_OPCODE_greaterequal, x, beyond, lt__expand_word(e, r, UINT64_MAX >> (64 - bits)), r);
	if (is_signed) {
		int32_t nan = lt__build_test(b, LT_OPCODE_ne, x, x);
		r = lt__build_select(b, nan, lt__expand_number(e, r, 0), r);
	}
	return lt__expand_cast(e, to, r);
}

int32_t lt__expand_cast_rule(struct expansion *e, uint32_t to, int32_t x)
{
	uint32_t from = expand_dtype(e, x);
	if (is_half(from) && to != LT_F32)
		return lt__expand_cast(e, to, lt__expand_cast(e, LT_F32, x));
	if (is_half(from))
		return from == LT_F16 ? f16_to_f32(e, x) : bf16_to_f32(e, x);
	if (is_half(to))
		return cast_to_half(e, to, x);
	if (to == LT_BOOL && !is_wide(from))            /* which have no comparisons */
		return lt__expand_cast(e, to, lt__expand_convert(e, LT_I32, x));
	if (to == LT_BOOL)
		return lt__build_value(&e->b, LT_OPCODE_flag, LT_BOOL, expand_lanes_of(e, x), expand_test(e, LT_OPCODE_ne, x, 0), -1);
	if (is_wide_float(from) && !is_wide_float(to))
		return saturate(e, to, x);
	return lt__expand_convert(e, to, x);
}
