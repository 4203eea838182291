/* exact.c -- operators whose results are exact: minimum and maximum, signs, rounding, integer division
 * (expand.h).
 */
#include "kernel/expand/expand.h"

static uint64_t sign_bit(const struct expansion *e, int32_t x)
{
	return lt__expand_integer(e, x) == LT_I64 ? UINT64_C(1) << 63 : UINT64_C(1) << 31;
}

/* Beside a number that is no NaN one comparison is enough: it is false for a NaN in x.  Of two zeros, y is taken if it
 * is the one that is wanted. */
static int32_t min_or_max_beside(struct expansion *e, bool min, int32_t x, int32_t y, bool takes_zero)
{
	if (!takes_zero)
		return lt__expand_two(e, min ? LT_OPCODE_lesser : LT_OPCODE_larger, y, x);
	int32_t m = lt__build_test(&e->b, min ? LT_OPCODE_lessequal : LT_OPCODE_greaterequal, y, x);
	return lt__build_select(&e->b, m, y, x);
}

/* Taken both ways, lesser and larger differ for NaN and for two zeros alone.  Of a minimum the bits of both are joined:
 * NaN stays, and so does the zero's sign.  In a maximum the sign is negative where both are, and the other bits are
 * joined. */
static int32_t min_or_max(struct expansion *e, bool min, int32_t x, int32_t y)
{
	uint64_t bits, top = sign_bit(e, x);
	if (lt__expand_known(e, x, &bits)) {
		int32_t other = x;
		x = y;
		y = other;
	}
	bool is_double = expand_dtype(e, x) == LT_F64;
	uint64_t all = is_double ? UINT64_MAX : UINT32_MAX, infinite = is_double ? UINT64_C(0x7ff) << 52 : 0xff << 23;
	if (lt__expand_known(e, y, &bits) && (bits & all & ~top) <= infinite)
		return min_or_max_beside(e, min, x, y, (bits & all) == (min ? top : 0));
	int opcode = min ? LT_OPCODE_lesser : LT_OPCODE_larger;
	int32_t r = lt__expand_two(e, opcode, x, y), s = lt__expand_two(e, opcode, y, x);
	r = expand_bits_of(e, r);
	s = expand_bits_of(e, s);
	int32_t joined = lt__expand_two(e, LT_OPCODE_or, r, s);
	if (!min) {
		int32_t sign = lt__expand_two(e, LT_OPCODE_and, r, s);
		sign = expand_with_word(e, LT_OPCODE_or, sign, all & ~top);
		joined = lt__expand_two(e, LT_OPCODE_and, joined, sign);
	}
	return lt__expand_bits(e, expand_dtype(e, x), joined);
}

static int32_t expand_min(struct expansion *e, int32_t x, int32_t y) { return min_or_max(e, true, x, y); }
static int32_t expand_max(struct expansion *e, int32_t x, int32_t y) { return min_or_max(e, false, x, y); }
static int32_t expand_lesser(struct expansion *e, int32_t x, int32_t y)
{
	return lt__expand_two(e, LT_OPCODE_lesser, x, y);
}
static int32_t expand_larger(struct expansion *e, int32_t x, int32_t y)
{
	return lt__expand_two(e, LT_OPCODE_larger, x, y);
}
static int32_t expand_both(struct expansion *e, int32_t x, int32_t y)
{
	return lt__expand_two(e, LT_OPCODE_and, x, y);
}
static int32_t expand_either(struct expansion *e, int32_t x, int32_t y)
{
	return lt__expand_two(e, LT_OPCODE_or, x, y);
}

static int32_t expand_abs(struct expansion *e, int32_t x, int32_t none)
{
	(void)none;
	int32_t bits = expand_with_word(e, LT_OPCODE_and, expand_bits_of(e, x), sign_bit(e, x) - 1);
	return lt__expand_bits(e, expand_dtype(e, x), bits);
}

static int32_t expand_neg_integer(struct expansion *e, int32_t x, int32_t none)
{
	(void)none;
	return expand_sub(e, lt__expand_number(e, x, 0), x);
}

static int32_t expand_abs_unsigned(struct expansion *e, int32_t x, int32_t none)
{
	return lt__build_value(&e->b, LT_OPCODE_copy, expand_dtype(e, x), expand_lanes_of(e, x), x, none);
}

static int32_t expand_sign_unsigned(struct expansion *e, int32_t x, int32_t none)
{
	(void)none;
	return expand_with(e, LT_OPCODE_lesser, x, 1);
}

static int32_t expand_abs_integer(struct expansion *e, int32_t x, int32_t none)
{
	return lt__expand_two(e, LT_OPCODE_larger, x, expand_neg_integer(e, x, none));
}

static int32_t expand_sign(struct expansion *e, int32_t x, int32_t none)
{
	(void)none;
	struct lt_kernel_builder *b = &e->b;
	int32_t below = lt__expand_number(e, x, -1), zero = lt__expand_number(e, x, 0), above = lt__expand_number(e, x, 1);
	int32_t s = expand_where(e, LT_OPCODE_less, x, 0, below, zero);
	s = expand_where(e, LT_OPCODE_greater, x, 0, above, s);
	if (expand_dtype(e, x) != LT_F32 && expand_dtype(e, x) != LT_F64)
		return s;
	int32_t nan = lt__build_test(b, LT_OPCODE_ne, x, x);
	return lt__build_select(b, nan, x, s);
}

static int32_t expand_not(struct expansion *e, int32_t x, int32_t none)
{
	(void)none;
	return expand_with_word(e, LT_OPCODE_xor, x, expand_dtype(e, x) == LT_BOOL ? 1
		: lt__expand_integer(e, x) == LT_I32 ? UINT32_MAX : UINT64_MAX);
}

/* Added to a number from which on floats are whole, and taken off: the adder rounds.  The sign stays that of x. */
static int32_t expand_round(struct expansion *e, int32_t x, int32_t none)
{
	(void)none;
	double whole = expand_dtype(e, x) == LT_F32 ? 0x1p23 : 0x1p52;
	int32_t a = expand_one(e, LT_OPCODE_abs, x);
	int32_t r = expand_with(e, LT_OPCODE_sub, expand_with(e, LT_OPCODE_add, a, whole), whole);
	r = expand_bits_of(e, expand_where(e, LT_OPCODE_less, a, whole, r, a));
	int32_t sign = expand_with_word(e, LT_OPCODE_and, expand_bits_of(e, x), sign_bit(e, x));
	return lt__expand_bits(e, expand_dtype(e, x), lt__expand_two(e, LT_OPCODE_or, r, sign));
}

static int32_t expand_floor(struct expansion *e, int32_t x, int32_t none)
{
	(void)none;
	int32_t r = expand_one(e, LT_OPCODE_round, x), less = expand_with(e, LT_OPCODE_sub, r, 1);
	int32_t above = lt__build_test(&e->b, LT_OPCODE_greater, r, x);
	return lt__build_select(&e->b, above, less, r);
}

static int32_t expand_ceil(struct expansion *e, int32_t x, int32_t none)
{
	(void)none;
	return expand_one(e, LT_OPCODE_neg, expand_one(e, LT_OPCODE_floor, expand_one(e, LT_OPCODE_neg, x)));
}

static int32_t mask_of_two(struct expansion *e, int opcode, int32_t m, int32_t n)
{
	return lt__build_value(&e->b, opcode, LT_LANE_MASK, expand_lanes_of(e, m), m, n);
}

/* The remainder has the sign of the divisor, and so has a zero. */
static int32_t expand_mod(struct expansion *e, int32_t x, int32_t y)
{
	struct lt_kernel_builder *b = &e->b;
	int32_t r = lt__expand_two(e, LT_OPCODE_remainder, x, y);
	int32_t zero = expand_with_word(e, LT_OPCODE_and, expand_bits_of(e, y), sign_bit(e, y));
	zero = lt__expand_bits(e, expand_dtype(e, y), zero);
	int32_t below = expand_test(e, LT_OPCODE_less, r, 0), moved = expand_add(e, r, y);
	int32_t differ = mask_of_two(e, LT_OPCODE_xor, below, expand_test(e, LT_OPCODE_less, y, 0));
	moved = lt__build_select(b, differ, moved, r);
	return expand_where(e, LT_OPCODE_eq, r, 0, zero, moved);
}

/* A divisor that is known, and whether `quotient` takes it; shift: it is 2 to that power, -1: it is no power of two. */
struct expand_divisor { bool known; int64_t y; int shift; };

static struct expand_divisor divisor_of(const struct expansion *e, int32_t y)
{
	struct expand_divisor d = { .shift = -1 };
	uint64_t bits;
	if (!lt__expand_known(e, y, &bits))
		return d;
	uint32_t dtype = expand_dtype(e, y);
	bool is_signed = dtype == LT_I32 || dtype == LT_I64;
	d.y = dtype == LT_I32 ? (int64_t)(int32_t)(uint32_t)bits : dtype == LT_U32 ? (int64_t)(uint32_t)bits : (int64_t)bits;
	d.known = d.y != 0 && (d.y != -1 || !is_signed);
	if ((d.y > 0 || !is_signed) && d.y != 0 && ((uint64_t)d.y & ((uint64_t)d.y - 1)) == 0)
		d.shift = __builtin_ctzll((uint64_t)d.y);
	return d;
}

/* Whether rounding towards minus infinity is one less than towards zero: the remainder has not the divisor's sign. */
static int32_t is_one_less(struct expansion *e, struct expand_divisor d, int32_t r, int32_t y)
{
	if (d.known)
		return expand_test(e, d.y > 0 ? LT_OPCODE_less : LT_OPCODE_greater, r, 0);
	int32_t inexact = expand_test(e, LT_OPCODE_ne, r, 0), signs = lt__expand_two(e, LT_OPCODE_xor, r, y);
	return mask_of_two(e, LT_OPCODE_and, inexact, expand_test(e, LT_OPCODE_less, signs, 0));
}

/* Where y is 0 or -1. */
static int32_t is_special(struct expansion *e, int32_t y)
{
	int32_t zero = expand_test(e, LT_OPCODE_eq, y, 0);
	return mask_of_two(e, LT_OPCODE_or, zero, expand_test(e, LT_OPCODE_eq, y, -1));
}

/* A divisor that `quotient` takes: 1 in place of those two. */
static int32_t safe_divisor(struct expansion *e, int32_t special, int32_t y)
{
	return lt__build_select(&e->b, special, lt__expand_number(e, y, 1), y);
}

/* By 0 the result is 0, by -1 it is -x: x * y both times. */
static int32_t expand_div_integer(struct expansion *e, int32_t x, int32_t y)
{
	struct lt_kernel_builder *b = &e->b;
	struct expand_divisor d = divisor_of(e, y);
	int32_t special = -1, safe = y;
	if (d.shift >= 0)
		return expand_with(e, LT_OPCODE_shift_signed, x, d.shift);
	if (!d.known) {
		special = is_special(e, y);
		safe = safe_divisor(e, special, y);
	}
	int32_t q = lt__expand_two(e, LT_OPCODE_quotient, x, safe), r = lt__expand_two(e, LT_OPCODE_remainder, x, safe);
	int32_t less = expand_with(e, LT_OPCODE_sub, q, 1);
	q = lt__build_select(b, is_one_less(e, d, r, safe), less, q);
	return d.known ? q : lt__build_select(b, special, expand_mul(e, x, y), q);
}

/* By 0 and by -1 it is 0, as by 1. */
static int32_t expand_mod_integer(struct expansion *e, int32_t x, int32_t y)
{
	struct expand_divisor d = divisor_of(e, y);
	if (d.shift >= 0)
		return expand_with_word(e, LT_OPCODE_and, x, (uint64_t)d.y - 1);
	if (!d.known)
		y = safe_divisor(e, is_special(e, y), y);
	int32_t r = lt__expand_two(e, LT_OPCODE_remainder, x, y), more = expand_add(e, r, y);
	return lt__build_select(&e->b, is_one_less(e, d, r, y), more, r);
}

/* By 0 it is 0. */
static int32_t expand_div_unsigned(struct expansion *e, int32_t x, int32_t y)
{
	struct expand_divisor d = divisor_of(e, y);
	if (d.shift >= 0)
		return expand_with(e, LT_OPCODE_shift_right, x, d.shift);
	if (d.known)
		return lt__expand_two(e, LT_OPCODE_quotient, x, y);
	int32_t special = expand_test(e, LT_OPCODE_eq, y, 0);
	int32_t q = lt__expand_two(e, LT_OPCODE_quotient, x, safe_divisor(e, special, y)), zero = lt__expand_number(e, q, 0);
	return lt__build_select(&e->b, special, zero, q);
}

/* By 0 it is 0, as by 1. */
static int32_t expand_mod_unsigned(struct expansion *e, int32_t x, int32_t y)
{
	struct expand_divisor d = divisor_of(e, y);
	if (d.shift >= 0)
		return expand_with_word(e, LT_OPCODE_and, x, (uint64_t)d.y - 1);
	if (!d.known)
		y = safe_divisor(e, expand_test(e, LT_OPCODE_eq, y, 0), y);
	return lt__expand_two(e, LT_OPCODE_remainder, x, y);
}

/* Bits of the type less 1: a count that processors take has no others. */
static uint64_t largest_count(const struct expansion *e, int32_t x)
{
	uint32_t dtype = expand_dtype(e, x);
	return dtype == LT_I32 || dtype == LT_U32 ? 31 : 63;
}

/* As a number without a sign a count below 0 is larger than all bits, too. */
static int32_t shift_or_zero(struct expansion *e, int opcode, int32_t x, int32_t n)
{
	uint64_t largest = largest_count(e, x), known;
	uint32_t word = largest == 31 ? LT_U32 : LT_U64;
	if (lt__expand_known(e, n, &known))
		return known > largest ? lt__expand_number(e, x, 0) : lt__expand_two(e, opcode, x, n);
	int32_t fits = expand_test(e, LT_OPCODE_lessequal, lt__expand_bits(e, word, n), (double)largest);
	int32_t moved = lt__expand_two(e, opcode, x, expand_with_word(e, LT_OPCODE_and, n, largest));
	return lt__build_select(&e->b, fits, moved, lt__expand_number(e, x, 0));
}

static int32_t expand_shl(struct expansion *e, int32_t x, int32_t n)
{
	return shift_or_zero(e, LT_OPCODE_shift_left, x, n);
}
static int32_t expand_shr_unsigned(struct expansion *e, int32_t x, int32_t n)
{
	return shift_or_zero(e, LT_OPCODE_shift_right, x, n);
}

/* From all bits less 1 on there is the sign alone; below 0 nothing is moved. */
static int32_t expand_shr(struct expansion *e, int32_t x, int32_t n)
{
	const uint64_t largest = largest_count(e, x);
	uint64_t known;
	if (lt__expand_known(e, n, &known))
		return known >> largest & 1 ? x
			: expand_with(e, LT_OPCODE_shift_signed, x, (double)(known > largest ? largest : known));
	int32_t least = lt__expand_two(e, LT_OPCODE_larger, n, lt__expand_number(e, n, 0));
	return lt__expand_two(e, LT_OPCODE_shift_signed, x, expand_with(e, LT_OPCODE_lesser, least, (double)largest));
}

const struct lt_expand_row lt__expand_exact[] = {
	{ LT_OPCODE_shl, EXPAND_INTEGERS, expand_shl },
	{ LT_OPCODE_shr, EXPAND_SIGNED, expand_shr },
	{ LT_OPCODE_shr, EXPAND_UNSIGNED, expand_shr_unsigned },
	{ LT_OPCODE_min, EXPAND_FLOATS, expand_min },
	{ LT_OPCODE_max, EXPAND_FLOATS, expand_max },
	{ LT_OPCODE_min, EXPAND_INTEGERS, expand_lesser },
	{ LT_OPCODE_max, EXPAND_INTEGERS, expand_larger },
	{ LT_OPCODE_min, EXPAND_BOOL, expand_both },
	{ LT_OPCODE_max, EXPAND_BOOL, expand_either },
	{ LT_OPCODE_abs, EXPAND_FLOATS, expand_abs },
	{ LT_OPCODE_abs, EXPAND_SIGNED, expand_abs_integer },
	{ LT_OPCODE_abs, EXPAND_UNSIGNED, expand_abs_unsigned },
	{ LT_OPCODE_neg, EXPAND_INTEGERS, expand_neg_integer },
	{ LT_OPCODE_sign, EXPAND_FLOATS | EXPAND_SIGNED, expand_sign },
	{ LT_OPCODE_sign, EXPAND_UNSIGNED, expand_sign_unsigned },
	{ LT_OPCODE_not, EXPAND_BOOL | EXPAND_INTEGERS, expand_not },
	{ LT_OPCODE_round, EXPAND_FLOATS, expand_round },
	{ LT_OPCODE_floor, EXPAND_FLOATS, expand_floor },
	{ LT_OPCODE_ceil, EXPAND_FLOATS, expand_ceil },
	{ LT_OPCODE_mod, EXPAND_FLOATS, expand_mod },
	{ LT_OPCODE_div, EXPAND_SIGNED, expand_div_integer },
	{ LT_OPCODE_mod, EXPAND_SIGNED, expand_mod_integer },
	{ LT_OPCODE_div, EXPAND_UNSIGNED, expand_div_unsigned },
	{ LT_OPCODE_mod, EXPAND_UNSIGNED, expand_mod_unsigned },
	{ 0, 0, NULL }
};
