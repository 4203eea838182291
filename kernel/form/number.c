/* number.c -- element types as ref and the simulator hold them. */
#include <math.h>
#include <string.h>
#include "kernel/form/form.h"

/* mantissa: bits after the point; 0: no float.  sign: 0 for bool. */
static const struct format { uint8_t bytes, mantissa, exponent; bool is_signed;
} formats[LT_NDTYPE] = {
	[LT_F32] = { 4, 23, 8, true },
	[LT_F64] = { 8, 52, 11, true },
	[LT_F16] = { 2, 10, 5, true },
	[LT_BF16] = { 2, 7, 8, true },
	[LT_I8] = { 1, 0, 0, true },
	[LT_U8] = { 1, 0, 0, false },
	[LT_I16] = { 2, 0, 0, true },
	[LT_I32] = { 4, 0, 0, true },
	[LT_I64] = { 8, 0, 0, true },
	[LT_BOOL] = { 1, 0, 0, false },
	[LT_U16] = { 2, 0, 0, false },
	[LT_U32] = { 4, 0, 0, false },
	[LT_U64] = { 8, 0, 0, false },
};

static const struct format *format_of(uint32_t dtype) { return &formats[dtype < LT_NDTYPE ? dtype : 0]; }
bool lt__number_is_float(uint32_t dtype) { return format_of(dtype)->mantissa > 0; }
bool lt__number_is_whole(uint32_t dtype)
{
	return format_of(dtype)->bytes && !lt__number_is_float(dtype) && dtype != LT_BOOL;
}
bool lt__number_is_signed(uint32_t dtype) { return format_of(dtype)->is_signed && !lt__number_is_float(dtype); }
uint32_t lt__number_bytes(uint32_t dtype) { return format_of(dtype)->bytes; }

int64_t lt__number_wrap(int64_t i, int bits, bool is_signed)
{
	uint64_t u = (uint64_t)i << (64 - bits);
	return is_signed ? (int64_t)u >> (64 - bits) : (int64_t)(u >> (64 - bits));
}

/* By the bits of a double, whose exponents reach further: ldexp takes long. */
static double of_half(uint32_t bits, const struct format *t)
{
	const int e = (int)(bits >> t->mantissa) & ((1 << t->exponent) - 1), bias = (1 << (t->exponent - 1)) - 1;
	const uint32_t fraction = bits & ((1u << t->mantissa) - 1);
	union { uint64_t u; double f; } x = { .u = (uint64_t)(e - bias + 1023) << 52
		| (uint64_t)fraction << (52 - t->mantissa) };
	if (e == (1 << t->exponent) - 1)
		x.f = fraction > 0 ? (double)NAN : (double)INFINITY;
	else if (!e)
		x.f = ldexp((double)fraction, 1 - bias - t->mantissa);
	return bits >> 15 ? -x.f : x.f;
}

/* The nearest of all magnitudes: they grow with their bits, so the search is by halves. */
static uint32_t to_half(double x, const struct format *t)
{
	uint32_t infinite = ((1u << t->exponent) - 1) << t->mantissa, sign = signbit(x) ? 0x8000 : 0;
	uint32_t low = 0, high = infinite;
	double size = fabs(x), beyond = ldexp(2 - ldexp(1, -t->mantissa - 1), (1 << (t->exponent - 1)) - 1);
	if (isnan(x))
		return sign | infinite | 1u << (t->mantissa - 1);
	if (size >= beyond)                     /* half a place above the largest, and up */
		return sign | infinite;
	while (high - low > 1) {
		uint32_t middle = (low + high) / 2;
		if (of_half(middle, t) <= size)
			low = middle;
		else
			high = middle;
	}
	if (high == infinite)
		return sign | low;
	double below = size - of_half(low, t), above = of_half(high, t) - size;
	return sign | (below < above || (below == above && low % 2 == 0) ? low : high);
}

union lt_number lt__number_round(union lt_number x, uint32_t dtype)
{
	const struct format *t = format_of(dtype);
	if (dtype == LT_F64 || dtype == LT_I64 || dtype == LT_U64)
		return x;
	if (dtype == LT_BOOL)
		x.i = x.i != 0;
	else if (t->mantissa == 0)
		x.i = lt__number_wrap(x.i, 8 * t->bytes, t->is_signed);
	else if (dtype == LT_F32)
		x.f = (double)(float)x.f;
	else
		x.f = of_half(to_half(x.f, t), t);
	return x;
}

static int64_t truncated(double x, const struct format *t)
{
	int bits = 8 * t->bytes - t->is_signed;
	int64_t most = (int64_t)(UINT64_MAX >> (64 - bits)), least = t->is_signed ? -most - 1 : 0;
	if (isnan(x))
		return 0;
	if (x >= ldexp(1, bits) || x <= (double)least)
		return x > 0 ? most : least;
	return t->is_signed ? (int64_t)x : (int64_t)(uint64_t)x;
}

/* Rounded to a float or a half through a double, twice: what the first rounding drops stays to be seen in the last
 * bit. */
static double to_odd(int64_t i, bool minus)
{
	uint64_t size = minus ? 0 - (uint64_t)i : (uint64_t)i, remainder = size & 0xfff;
	if (size >> 52)
		size = (size & ~(uint64_t)0xfff) | (remainder ? 0x800 : 0);
	return minus ? -(double)size : (double)size;
}

union lt_number lt__number_convert(union lt_number x, uint32_t from, uint32_t to)
{
	bool is_float = lt__number_is_float(to);
	if (lt__number_is_float(from) && !is_float)
		return (union lt_number){ .i = to == LT_BOOL ? x.f != 0 : truncated(x.f, format_of(to)) };
	if (!lt__number_is_float(from) && is_float)
		x.f = to != LT_F64 ? to_odd(x.i, from != LT_U64 && x.i < 0) : from == LT_U64 ? (double)(uint64_t)x.i : (double)x.i;
	return lt__number_round(x, to);
}

union lt_number lt__number_of_bits(uint64_t bits, uint32_t dtype)
{
	union { uint32_t u; float f; } narrow = { .u = (uint32_t)bits };
	union lt_number x = { .i = (int64_t)bits };                  /* of f64 the double itself */
	if (dtype == LT_F64 || dtype == LT_I64 || dtype == LT_U64)
		return x;
	const struct format *t = format_of(dtype);
	if (dtype == LT_F32)
		x.f = (double)narrow.f;
	else if (t->mantissa)
		x.f = of_half((uint32_t)bits & 0xffff, t);
	else if (dtype == LT_BOOL)
		x.i = (bits & 255) != 0;
	else
		x.i = lt__number_wrap(x.i, 8 * t->bytes, t->is_signed);
	return x;
}

/* Through integers of the element's size, so that the byte order of the machine does not matter. */
union lt_number lt__number_load(const void *base, int64_t i, uint32_t dtype)
{
	uint32_t bytes = lt__number_bytes(dtype), b4;
	const unsigned char *at = (const unsigned char *)base + i * bytes;
	uint64_t b8;
	uint16_t b2;
	switch (bytes) {
	case 8: memcpy(&b8, at, 8); return lt__number_of_bits(b8, dtype);
	case 4: memcpy(&b4, at, 4); return lt__number_of_bits(b4, dtype);
	case 2: memcpy(&b2, at, 2); return lt__number_of_bits(b2, dtype);
	default: return lt__number_of_bits(*at, dtype);
	}
}

uint64_t lt__number_bits(union lt_number x, uint32_t dtype)
{
	const struct format *t = format_of(dtype);
	union { float f; uint32_t u; } narrow = { .u = 0 };
	if (dtype == LT_F32) {
		narrow.f = (float)x.f;
		return narrow.u;
	}
	if (t->mantissa && t->bytes == 2)
		return to_half(x.f, t);
	return t->bytes == 8 ? (uint64_t)x.i : (uint64_t)x.i & ((UINT64_C(1) << 8 * t->bytes) - 1);
}

void lt__number_store(void *base, int64_t i, uint32_t dtype, union lt_number x)
{
	uint32_t bytes = lt__number_bytes(dtype);
	uint64_t b8 = lt__number_bits(x, dtype);
	uint32_t b4 = (uint32_t)b8;
	uint16_t b2 = (uint16_t)b8;
	unsigned char *at = (unsigned char *)base + i * bytes;
	switch (bytes) {
	case 8: memcpy(at, &b8, 8); break;
	case 4: memcpy(at, &b4, 4); break;
	case 2: memcpy(at, &b2, 2); break;
	default: *at = (unsigned char)b8; break;
	}
}
