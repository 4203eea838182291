/* test_dtype.c -- the element types: rounding and conversion against NumPy's and exact fractions, storage. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>
#include "ir/op/op.h"

/* A double and its bits as f32, f16 (NumPy's) and bf16 (nearest fraction, halves to even). */
static const struct rounding { double x; uint32_t f32; uint16_t f16, bf16; } roundings[] = {
	{ 0x0.0p+0, 0x00000000u, 0x0000u, 0x0000u }, { -0x0.0p+0, 0x80000000u, 0x8000u, 0x8000u },
	{ 0x1.0000000000000p+0, 0x3f800000u, 0x3c00u, 0x3f80u },
	{ -0x1.0000000000000p+0, 0xbf800000u, 0xbc00u, 0xbf80u },
	{ 0x1.5555555555555p-2, 0x3eaaaaabu, 0x3555u, 0x3eabu },
	{ -0x1.5555555555555p-1, 0xbf2aaaabu, 0xb955u, 0xbf2bu },
	{ 0x1.921fb54442d18p+1, 0x40490fdbu, 0x4248u, 0x4049u },
	{ 0x1.ffc0000000000p+15, 0x477fe000u, 0x7bffu, 0x4780u },
	{ 0x1.ffdfff7ced917p+15, 0x477ff000u, 0x7bffu, 0x4780u },
	{ 0x1.ffe0000000000p+15, 0x477ff000u, 0x7c00u, 0x4780u },
	{ 0x1.0000000000000p+16, 0x47800000u, 0x7c00u, 0x4780u },
	{ 0x1.86a0000000000p+16, 0x47c35000u, 0x7c00u, 0x47c3u },
	{ -0x1.7e43c8800759cp+996, 0xff800000u, 0xfc00u, 0xff80u },
	{ 0x1.56e1fc2f8f359p-997, 0x00000000u, 0x0000u, 0x0000u },
	{ 0x1.0000000000000p-24, 0x33800000u, 0x0001u, 0x3380u },
	{ 0x1.0000000000000p-25, 0x33000000u, 0x0000u, 0x3300u },
	{ 0x1.0000000000004p-25, 0x33000000u, 0x0001u, 0x3300u },
	{ 0x1.0000000000000p-26, 0x32800000u, 0x0000u, 0x3280u },
	{ 0x1.8000000000000p-24, 0x33c00000u, 0x0002u, 0x33c0u },
	{ 0x1.0000000000000p-14, 0x38800000u, 0x0400u, 0x3880u },
	{ 0x1.ffc0000000000p-15, 0x387fe000u, 0x0400u, 0x3880u },
	{ 0x1.ffe0000000000p-15, 0x387ff000u, 0x0400u, 0x3880u },
	{ 0x1.ffb480a5accd5p-15, 0x387fda40u, 0x03ffu, 0x3880u },
	{ 0x1.fff5c939522dbp-25, 0x337ffae5u, 0x0001u, 0x3380u },
	{ 0x1.0020000000000p+0, 0x3f801000u, 0x3c00u, 0x3f80u },
	{ 0x1.0020000001000p+0, 0x3f801000u, 0x3c01u, 0x3f80u },
	{ 0x1.0060000000000p+0, 0x3f803000u, 0x3c02u, 0x3f80u },
	{ 0x1.0100000000000p+0, 0x3f808000u, 0x3c04u, 0x3f80u },
	{ 0x1.0100000000080p+0, 0x3f808000u, 0x3c04u, 0x3f81u },
	{ 0x1.0300000000000p+0, 0x3f818000u, 0x3c0cu, 0x3f82u },
	{ 0x1.0000000000000p-133, 0x00010000u, 0x0000u, 0x0001u },
	{ 0x1.0000000000000p-134, 0x00008000u, 0x0000u, 0x0000u },
	{ 0x1.000001ad7f29bp-134, 0x00008000u, 0x0000u, 0x0001u },
	{ 0x1.8000000000000p-133, 0x00018000u, 0x0000u, 0x0002u },
	{ 0x1.0000000000000p-126, 0x00800000u, 0x0000u, 0x0080u },
	{ 0x1.0000000000000p-127, 0x00400000u, 0x0000u, 0x0040u },
	{ 0x1.0000000000000p-149, 0x00000001u, 0x0000u, 0x0000u },
	{ 0x1.0000000000000p-150, 0x00000000u, 0x0000u, 0x0000u },
	{ 0x1.0000000001000p-150, 0x00000001u, 0x0000u, 0x0000u },
	{ 0x1.ffffff0000000p+127, 0x7f800000u, 0x7c00u, 0x7f80u },
	{ 0x1.fffffefffffffp+127, 0x7f7fffffu, 0x7c00u, 0x7f80u },
	{ 0x1.fe120cdbd668cp+127, 0x7f7f0906u, 0x7c00u, 0x7f7fu },
	{ 0x1.ff0000000005ep+127, 0x7f7f8000u, 0x7c00u, 0x7f80u },
	{ 0x1.ff0000000005fp+127, 0x7f7f8000u, 0x7c00u, 0x7f80u }, { INFINITY, 0x7f800000u, 0x7c00u, 0x7f80u },
	{ -INFINITY, 0xff800000u, 0xfc00u, 0xff80u }, { 0x1.0000010000000p+0, 0x3f800000u, 0x3c00u, 0x3f80u },
	{ 0x1.0000010000001p+0, 0x3f800001u, 0x3c00u, 0x3f80u },
	{ 0x1.0000030000000p+0, 0x3f800002u, 0x3c00u, 0x3f80u },
	{ 0x1.999999999999ap-4, 0x3dcccccdu, 0x2e66u, 0x3dcdu },
	{ -0x1.999999999999ap-4, 0xbdcccccdu, 0xae66u, 0xbdcdu },
	{ 0x1.34a456d5cfaadp+10, 0x449a522bu, 0x64d3u, 0x449au },
	{ -0x1.9e4093410a958p-14, 0xb8cf204au, 0x8679u, 0xb8cfu },
	{ 0x0.0000000000001p-1022, 0x00000000u, 0x0000u, 0x0000u },
	{ 0x1.fffffffffffffp+1023, 0x7f800000u, 0x7c00u, 0x7f80u },
	{ 0x1.0020000000000p+11, 0x45001000u, 0x6800u, 0x4500u },
	{ 0x1.0060000000000p+11, 0x45003000u, 0x6802u, 0x4500u },
	{ 0x1.0010000000000p+12, 0x45800800u, 0x6c00u, 0x4580u },
	{ 0x1.0100000000000p+8, 0x43808000u, 0x5c04u, 0x4380u },
	{ 0x1.0300000000000p+8, 0x43818000u, 0x5c0cu, 0x4382u },
	{ 0x1.02ffffffd50cep+8, 0x43818000u, 0x5c0cu, 0x4381u },
};
/* An integer and its bits as f32, f16 and bf16 (nearest fractions, halves to even). */
static const struct whole { int64_t i; uint32_t f32; uint16_t f16, bf16; } wholes[] = {
	{ 0LL, 0x00000000u, 0x0000u, 0x0000u }, { 1LL, 0x3f800000u, 0x3c00u, 0x3f80u },
	{ -1LL, 0xbf800000u, 0xbc00u, 0xbf80u }, { 2049LL, 0x45001000u, 0x6800u, 0x4500u },
	{ 2051LL, 0x45003000u, 0x6802u, 0x4500u }, { -2051LL, 0xc5003000u, 0xe802u, 0xc500u },
	{ 65519LL, 0x477fef00u, 0x7bffu, 0x4780u }, { 65520LL, 0x477ff000u, 0x7c00u, 0x4780u },
	{ 65504LL, 0x477fe000u, 0x7bffu, 0x4780u }, { 257LL, 0x43808000u, 0x5c04u, 0x4380u },
	{ 259LL, 0x43818000u, 0x5c0cu, 0x4382u }, { 16777217LL, 0x4b800000u, 0x7c00u, 0x4b80u },
	{ 16777219LL, 0x4b800002u, 0x7c00u, 0x4b80u }, { 9007199254740993LL, 0x5a000000u, 0x7c00u, 0x5a00u },
	{ 4629700416936869889LL, 0x5e808000u, 0x7c00u, 0x5e81u },
	{ 4629700416936869888LL, 0x5e808000u, 0x7c00u, 0x5e80u },
	{ 4665729213955833856LL, 0x5e818000u, 0x7c00u, 0x5e82u },
	{ -4629700416936869889LL, 0xde808000u, 0xfc00u, 0xde81u },
	{ 9223372036854775807LL, 0x5f000000u, 0x7c00u, 0x5f00u }, { INT64_MIN, 0xdf000000u, 0xfc00u, 0xdf00u },
	{ 4611686293305294849LL, 0x5e800001u, 0x7c00u, 0x5e80u },
	{ 4611686293305294848LL, 0x5e800000u, 0x7c00u, 0x5e80u }, { 1103806595073LL, 0x53808000u, 0x7c00u, 0x5381u },
	{ 1103806595072LL, 0x53808000u, 0x7c00u, 0x5380u }, { 1152921573326323712LL, 0x5d800000u, 0x7c00u, 0x5d80u },
	{ 1152921573326323713LL, 0x5d800001u, 0x7c00u, 0x5d80u },
	{ 9042383626829824LL, 0x5a008000u, 0x7c00u, 0x5a00u }, { 9042383626829825LL, 0x5a008000u, 0x7c00u, 0x5a01u },
	{ 9042383626829823LL, 0x5a008000u, 0x7c00u, 0x5a00u },
};

static uint64_t converted(union lt_scalar x, enum lt_dtype from, enum lt_dtype to)
{
	return lt__bits_of(lt__convert(x, from, to), to);
}

Test(dtype, rounds_once)
{
	for (size_t i = 0; i < sizeof roundings / sizeof *roundings; i++) {
		const struct rounding *c = &roundings[i];
		union lt_scalar x = { .f = c->x };

		cr_expect_eq(converted(x, LT_F64, LT_F32), c->f32, "%a to f32", c->x);
		cr_expect_eq(converted(x, LT_F64, LT_F16), c->f16, "%a to f16: %llx", c->x,
			(unsigned long long)converted(x, LT_F64, LT_F16));
		cr_expect_eq(converted(x, LT_F64, LT_BF16), c->bf16, "%a to bf16: %llx", c->x,
			(unsigned long long)converted(x, LT_F64, LT_BF16));
	}
	for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++) {
		const struct whole *c = &wholes[i];
		union lt_scalar x = { .i = c->i };

		cr_expect_eq(converted(x, LT_I64, LT_F32), c->f32, "%lld to f32", (long long)c->i);
		cr_expect_eq(converted(x, LT_I64, LT_F16), c->f16, "%lld to f16", (long long)c->i);
		cr_expect_eq(converted(x, LT_I64, LT_BF16), c->bf16, "%lld to bf16", (long long)c->i);
	}
}

/* The value of each pattern from its definition; itself, the middle to the next and its neighbours come back right. */
static void check_halves(enum lt_dtype t, int mantissa, int min)
{
	uint32_t infinite = (uint32_t)(32768 - (1 << mantissa));

	for (uint32_t bits = 0; bits < infinite; bits++) {
		double e = bits >> mantissa, f = bits & ((1u << mantissa) - 1);
		double x = e > 0 ? ldexp(1 + ldexp(f, -mantissa), (int)e - 1 + min) : ldexp(f, min - mantissa);
		double step = ldexp(1, (e > 0 ? (int)e - 1 : 0) + min - mantissa), middle = x + step / 2;

		cr_assert_eq(lt__scalar_of(bits, t).f, x, "%x", bits);
		cr_assert_eq(lt__scalar_of(bits | 0x8000, t).f, -x, "%x", bits);
		cr_assert_eq(lt__bits_of((union lt_scalar){ .f = x }, t), bits, "%x", bits);
		cr_assert_eq(lt__bits_of((union lt_scalar){ .f = -middle }, t), 0x8000 | (bits + (bits & 1)), "%x", bits);
		cr_assert_eq(lt__bits_of((union lt_scalar){ .f = nextafter(middle, 0) }, t), bits, "%x", bits);
		cr_assert_eq(lt__bits_of((union lt_scalar){ .f = nextafter(middle, INFINITY) }, t), bits + 1, "%x", bits);
	}
	cr_expect(isinf(lt__scalar_of(infinite, t).f) && isnan(lt__scalar_of(infinite + 1, t).f));
	cr_expect(isnan(lt__scalar_of(lt__bits_of((union lt_scalar){ .f = (double)NAN }, t), t).f), "NaN stays NaN");
}

Test(dtype, every_half)
{
	check_halves(LT_F16, 10, -14);
	check_halves(LT_BF16, 7, -126);
}

Test(dtype, floats_to_integers)
{
	static const struct { double x; enum lt_dtype t; int64_t i; } rows[] = {
		{ 2.9, LT_I32, 2 }, { -2.9, LT_I32, -2 }, { -0.9, LT_U8, 0 }, { -5, LT_U8, 0 }, { 255.9, LT_U8, 255 },
		{ 300, LT_U8, 255 }, { 127.5, LT_I8, 127 }, { 128, LT_I8, 127 }, { -128.5, LT_I8, -128 }, { -1000, LT_I8, -128 },
		{ 1e30, LT_I16, 32767 }, { -INFINITY, LT_I32, INT32_MIN }, { INFINITY, LT_I64, INT64_MAX }, { NAN, LT_I64, 0 },
		{ 0x1p63, LT_I64, INT64_MAX }, { -0x1p63, LT_I64, INT64_MIN }, { 0x1.fffffffffffffp62, LT_I64, INT64_MAX - 1023 },
		{ 2147483647.5, LT_I32, INT32_MAX }, { NAN, LT_BOOL, 1 }, { 0.25, LT_BOOL, 1 }, { -0., LT_BOOL, 0 },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		cr_expect_eq(lt__convert((union lt_scalar){ .f = rows[i].x }, LT_F64, rows[i].t).i, rows[i].i, "%g to %s", rows[i].x,
			lt__dtype_info(rows[i].t)->name);
}

Test(dtype, integers_wrap)
{
	static const struct { int64_t from; enum lt_dtype t; int64_t to; } rows[] = {
		{ 200, LT_I8, -56 }, { -1, LT_U8, 255 }, { 256, LT_U8, 0 }, { 32768, LT_I16, -32768 }, { 1LL << 32, LT_I32, 0 },
		{ 3000000000, LT_I32, -1294967296 }, { INT64_MIN, LT_I64, INT64_MIN }, { 256, LT_BOOL, 1 }, { 0, LT_BOOL, 0 },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		cr_expect_eq(lt__convert((union lt_scalar){ .i = rows[i].from }, LT_I64, rows[i].t).i, rows[i].to, "%lld to %s",
			(long long)rows[i].from, lt__dtype_info(rows[i].t)->name);
}

/* Writes between sentinels, at odd addresses, and reads back. */
Test(dtype, storage)
{
	for (int t = 1; t < LT_NDTYPE; t++) {
		const struct lt_dtypeinfo *info = lt__dtype_info((enum lt_dtype)t);
		unsigned char memory[64];
		union lt_scalar x = lt__convert((union lt_scalar){ .i = 1 }, LT_I64, (enum lt_dtype)t), y;

		memset(memory, 0xa5, sizeof memory);
		lt__store(memory + 1, 2, (enum lt_dtype)t, x);
		y = lt__load(memory + 1, 2, (enum lt_dtype)t);
		cr_expect(info->cls == LT_CLASS_FLOAT ? y.f == 1 : y.i == 1, "%s", info->name);
		for (size_t i = 0; i < sizeof memory; i++)
			if (i < 1 + 2 * info->bytes || i >= 1 + 3 * info->bytes)
				cr_expect_eq(memory[i], 0xa5, "%s wrote byte %zu", info->name, i);
		cr_expect_eq(lt__bits_of(lt__scalar_of(lt__bits_of(y, (enum lt_dtype)t), (enum lt_dtype)t), (enum lt_dtype)t),
			lt__bits_of(x, (enum lt_dtype)t));
	}
	cr_expect_eq(lt__bits_of((union lt_scalar){ .i = -1 }, LT_I8), 0xff, "no bits beyond the type's");
	cr_expect_eq(lt__scalar_of(0xff, LT_I8).i, -1);
	cr_expect_eq(lt__scalar_of(0xff, LT_U8).i, 255);
}

Test(dtype, table)
{
	static const struct { enum lt_dtype t; double tiny, largest; bool is_signed; } rows[] = {
		{ LT_F32, 0x1p-149, 0x1.fffffep127, true }, { LT_F64, 0x1p-1074, 0x1.fffffffffffffp1023, true },
		{ LT_F16, 0x1p-24, 65504, true }, { LT_BF16, 0x1p-133, 0x1.fep127, true }, { LT_I8, 0, 127, true },
		{ LT_U8, 0, 255, false }, { LT_I16, 0, 32767, true }, { LT_I32, 0, 2147483647, true }, { LT_I64, 0, 0x1p63, true },
		{ LT_BOOL, 0, 1, false }, { LT_U16, 0, 65535, false }, { LT_U32, 0, 4294967295, false },
		{ LT_U64, 0, 0x1p64, false },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct lt_dtypeinfo *info = lt__dtype_info(rows[i].t);

		cr_expect_eq(info->tiny, rows[i].tiny, "%s", info->name);
		cr_expect_eq(info->largest, rows[i].largest, "%s", info->name);
		cr_expect_eq(info->is_signed, rows[i].is_signed, "%s", info->name);
		cr_expect_eq(lt__dtype_find(info->name), (int)rows[i].t);
		cr_expect_eq(lt__dtype_find_script(info->script, strlen(info->script)), (int)rows[i].t);
	}
	cr_expect_eq(lt__dtype_find("f31"), 0);
	cr_expect_eq(lt__dtype_find_script("float3", 6), 0);
}

/* What overflows on one side may have just not done so on the other; half a step beyond the largest number is where
 * rounding begins to. */
Test(dtype, distance_counts_an_infinity_as_just_beyond_the_largest)
{
	cr_expect_eq(lt__float_distance(3, -1.5, LT_F32), 4.5);
	cr_expect_eq(lt__float_distance((double)INFINITY, 65504, LT_F16), 65504 * 0x1p-11);
	cr_expect_eq(lt__float_distance(-65504, -(double)INFINITY, LT_F16), 65504 * 0x1p-11);
	cr_expect_eq(lt__float_distance(-(double)INFINITY, 65504, LT_F16), 2 * 65504.0 + 65504 * 0x1p-11);
	cr_expect_eq(lt__float_distance((double)INFINITY, (double)INFINITY, LT_F32), 0);
	cr_expect(isinf(lt__float_distance((double)INFINITY, -(double)INFINITY, LT_F32)));
	cr_expect(isinf(lt__float_distance((double)NAN, 1, LT_F32)) && isinf(lt__float_distance(1, (double)NAN, LT_F64)));
}
