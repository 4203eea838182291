/* test_simulate_cast.c -- the simulator's casts between all types against formulas of this file, halves
 * exhaustively. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include "kernel/form/form.h"
#include "tests/simulated.h"

TestSuite(simulate_cast, .timeout = 120);

static struct simulated_pairs all;

static const double reals[] = { 0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 3, -7, 0.1, -0.3, 1e-3, 17.25, 100, 1e10,
	-1e10, 0x1p23, 0x1.fffffep22, 0x1p52, 0x1.fffffffffffffp51, 1e-40, -1e-40, 1e-310, INFINITY, -INFINITY, NAN };
enum { N_REAL = sizeof reals / sizeof *reals };

/* Halves by their bits: shifted into those of a float. */
static float half_value(uint64_t bits, uint32_t dtype)
{
	uint32_t sign = (uint32_t)(bits & 0x8000) << 16, size = (uint32_t)(bits & 0x7fff);
	if (dtype == LT_BF16)
		return simulated_float(bits << 16);
	if (size >= 0x7c00)
		return simulated_float(sign | 0x7f800000 | (size & 0x3ff) << 13);
	float x = simulated_float(size << 13) * 0x1p112f;         /* the exponent's bias is 112 less */
	return signbit(simulated_float(sign)) ? -x : x;
}

/* The exact value of any element, and a cast to an integer by cutting and clamping it. */
static long double value_of(uint64_t bits, uint32_t dtype)
{
	switch (dtype) {
	case LT_F32: return simulated_float(bits);
	case LT_F64: return simulated_double(bits);
	case LT_F16:
	case LT_BF16: return half_value(bits, dtype);
	case LT_I8: return (int8_t)(uint8_t)bits;
	case LT_I16: return (int16_t)(uint16_t)bits;
	case LT_I32: return (int32_t)(uint32_t)bits;
	case LT_I64: return (int64_t)bits;
	default: return (long double)bits;
	}
}

static uint64_t to_integer(long double x, uint32_t dtype, bool wraps, uint64_t bits)
{
	int width = (int)(8 * lt__number_bytes(dtype));
	uint64_t top = UINT64_MAX >> (64 - width);
	bool plain = dtype == LT_U8 || dtype == LT_U16 || dtype == LT_U32 || dtype == LT_U64;
	long double high = plain ? ldexpl(1, width) - 1 : ldexpl(1, width - 1) - 1, low = plain ? 0 : -high - 1;
	if (dtype == LT_BOOL)
		return x != 0;
	if (wraps)
		return bits & top;
	if (isnan(x))
		return 0;
	x = truncl(x);
	x = x > high ? high : x < low ? low : x;
	return (plain ? (uint64_t)x : (uint64_t)(int64_t)x) & top;
}

/* The nearest float or half, the even one of two: by the spacing of the numbers around. */
static uint64_t to_float(long double x, uint32_t dtype)
{
	static const struct { int digits, min, max; } formats[] = { [LT_F32] = { 24, -149, 128 },
		[LT_F64] = { 53, -1074, 1024 }, [LT_F16] = { 11, -24, 16 }, [LT_BF16] = { 8, -133, 128 } };
	int e;
	if (isfinite(x) && x != 0) {
		(void)frexpl(x, &e);
		int unit = e - formats[dtype].digits > formats[dtype].min ? e - formats[dtype].digits : formats[dtype].min;
		x = ldexpl(rintl(ldexpl(x, -unit)), unit);
		if (fabsl(x) >= ldexpl(1, formats[dtype].max))
			x = copysignl(INFINITY, x);
	}
	if (dtype == LT_F64)
		return simulated_double_bits((double)x);
	if (dtype == LT_F32)
		return simulated_float_bits((float)x);
	uint64_t sign = signbit(x) ? 0x8000 : 0;
	if (dtype == LT_BF16)
		return simulated_float_bits((float)x) >> 16;
	if (!isfinite(x))
		return sign | (isnan(x) ? 0x7e00 : 0x7c00);
	return sign | simulated_float_bits((float)(fabsl(x) * 0x1p-112L)) >> 13;
}

static bool is_float_type(uint32_t dtype) { return dtype >= LT_F32 && dtype <= LT_BF16; }

static void expect_cast(int i)
{
	long double x = value_of(all.x[i], all.dtype);
	bool from_float = is_float_type(all.dtype);
	uint64_t want = is_float_type(all.out) ? to_float(x, all.out) : to_integer(x, all.out, !from_float, all.x[i]
		| (x < 0 && !from_float ? ~(UINT64_MAX >> (64 - 8 * lt__number_bytes(all.dtype))) : 0));
	bool same = isnan(x) && is_float_type(all.out) ? isnan(value_of(all.z[i], all.out)) : want == all.z[i];
	cr_assert(same, "%s %llx to %s: %llx, not %llx", simulated_type(all.dtype), (unsigned long long)all.x[i],
		simulated_type(all.out), (unsigned long long)all.z[i], (unsigned long long)want);
}

static uint64_t any_element(uint32_t dtype, uint64_t *state)
{
	uint64_t bits = simulated_random(state);
	if (dtype == LT_BOOL)
		return bits & 1;
	if (dtype == LT_F32 || dtype == LT_F64) {
		static const double special[] = { 127.5, 128, -128.5, 255.5, -0.9, 65504, 65519.99, 65520, 0x1p-24,
			0x1p-25, 0x1.8p-25, 0x1.fep127, 2147483647.5, -2147483649.0, 0x1p63, -0x1p63, 0x1p64,
			0x1.fffffffffffffp63, 65536.5, 0x1p32, 0x1p31, 1e300, 0x1.002p0, 0x1.006p0, 0x1.01p0 };
		double x = bits % 3 ? reals[(bits >> 8) % N_REAL] : special[(bits >> 8) % (sizeof special / sizeof *special)];
		if (bits >> 40 & 1)
			bits = dtype == LT_F32 ? simulated_float_bits((float)x) : simulated_double_bits(x);
		else
			bits = simulated_random(state);
	} else if (bits & 1) {
		bits = (bits >> 1) >> (bits >> 8) % 56;
	}
	return bits & UINT64_MAX >> (64 - 8 * lt__number_bytes(dtype));
}

Test(simulate_cast, casts_of_all_pairs)
{
	for (uint32_t from = 1; from < LT_NDTYPE; from++)
		for (uint32_t to = 1; to < LT_NDTYPE; to++)
			for (int l = 0; l < 4; l++) {
				uint64_t state = from * 16 + to;
				char line[128];
				(void)snprintf(line, sizeof line, "\t\t%%r = cast %sLANES from TYPE %%x\n", simulated_type(to));
				all.dtype = from;
				all.out = to;
				for (all.n = 0; all.n < 512; all.n++)
					all.x[all.n] = all.y[all.n] = any_element(from, &state);
				simulated_pairs_run(&all, line, simulated_lanes[l]);
				for (int i = 0; i < all.n; i++)
					expect_cast(i);
			}
}

/* All of them to float and back, and what lies between two neighbours: right below, on and right above the middle. */
Test(simulate_cast, halves)
{
	for (uint32_t dtype = LT_F16; dtype <= LT_BF16; dtype++)
		for (uint64_t bits = 0; bits < 0x8000; bits++)
			for (int sign = 0; sign < 2; sign++) {
				uint64_t half = bits | (sign ? 0x8000 : 0);
				double x = half_value(half, dtype), next = half_value(half + 1, dtype), middle = (x + next) / 2;
				uint64_t f32 = lt__simulate_cast(half, dtype, LT_F32);
				cr_assert(isnan(x) ? isnan(simulated_float(f32)) : f32 == simulated_float_bits((float)x), "%llx",
					(unsigned long long)half);
				if (isnan(x) || isinf(x))
					continue;
				cr_assert_eq(lt__simulate_cast(f32, LT_F32, dtype), half);
				cr_assert_eq(lt__simulate_cast(simulated_double_bits(x), LT_F64, dtype), half);
				if (isinf(next))
					continue;
				double below = nextafter(middle, x), above = nextafter(middle, next);
				cr_assert_eq(lt__simulate_cast(simulated_double_bits(middle), LT_F64, dtype), half + (half & 1), "%a", x);
				cr_assert_eq(lt__simulate_cast(simulated_double_bits(below), LT_F64, dtype), half, "%a", below);
				cr_assert_eq(lt__simulate_cast(simulated_double_bits(above), LT_F64, dtype), half + 1, "%a", above);
			}
}
