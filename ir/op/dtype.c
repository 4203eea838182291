/* dtype.c -- the element type table: facts, conversion, storage. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/nearest.h"
#include "ir/op/op.h"
#include "lt/graph.h"

/* By the table's names, so that a row can name its compute type. */
enum code {
#define DTYPE(name, code, cls, bytes, ctype, utype, compute, npy, safetensors, script, unit) code_##name = code,
#include "ir/op/dtype.def"
};

/* These follow from a row (a float has -1 - log2(unit) bits of mantissa), but not in a constant expression. */
#define TINY_FLOAT(bytes, unit) \
	((bytes) == 8 ? 0x1p-1074 : (bytes) == 4 ? 0x1p-149 : (unit) == 0x1p-11 ? 0x1p-24 : 0x1p-133)
#define LARGEST_FLOAT(bytes, unit) \
	((bytes) == 8 ? DBL_MAX : (bytes) == 4 ? (double)FLT_MAX : (unit) == 0x1p-11 ? 65504. : 0x1.fep127)
#define LARGEST_WHOLE(bytes, is_signed) ((double)(UINT64_MAX >> (64 - 8 * (bytes) + (is_signed))))
#define TINY_INT(bytes, unit) 0
#define LARGEST_INT(bytes, unit) 0
#define TINY_BOOL(bytes, unit) 0
#define LARGEST_BOOL(bytes, unit) 1

static const struct lt_dtypeinfo types[LT_NDTYPE] = {
	{ .name = "none", .ctype = "", .utype = "", .npy = "", .safetensors = "", .script = "" },
#define DTYPE(name_, code, cls_, bytes_, ctype_, utype_, compute_, npy_, safetensors_, script_, unit_) \
	[code] = { .name = #name_, .cls = LT_CLASS_##cls_, .bytes = bytes_, .ctype = ctype_, .utype = utype_, \
		.is_signed = LT_CLASS_##cls_ == LT_CLASS_FLOAT || __builtin_strcmp(ctype_, utype_) != 0, \
		.compute = (enum lt_dtype)code_##compute_, .npy = npy_, .safetensors = safetensors_, .script = script_, \
		.unit = unit_, .tiny = TINY_##cls_(bytes_, unit_), .largest = LT_CLASS_##cls_ == LT_CLASS_INT \
			? LARGEST_WHOLE(bytes_, __builtin_strcmp(ctype_, utype_) != 0) : LARGEST_##cls_(bytes_, unit_) },
#include "ir/op/dtype.def"
};

const struct lt_dtypeinfo *lt__dtype_info(enum lt_dtype t)
{
	return &types[t > 0 && t < LT_NDTYPE ? t : 0];
}

double lt__float_distance(double a, double b, enum lt_dtype t)
{
	double edge = lt__dtype_info(t)->largest * (1 + lt__dtype_info(t)->unit);
	if (isnan(a) || isnan(b) || (isinf(a) && isinf(b)))
		return a == b ? 0 : INFINITY;
	if (isinf(a))
		return fabs((a > 0 ? edge : -edge) - b);
	if (isinf(b))
		return fabs(a - (b > 0 ? edge : -edge));
	return fabs(a - b);
}

const char *lt_dtype_name(enum lt_dtype t) { return t > 0 && t < LT_NDTYPE ? types[t].name : NULL; }
size_t lt_dtype_bytes(enum lt_dtype t) { return lt__dtype_info(t)->bytes; }

int lt__dtype_find(const char *name)
{
	for (int t = 1; t < LT_NDTYPE; t++)
		if (!strcmp(types[t].name, name))
			return t;
	return 0;
}

int lt__dtype_find_script(const char *name, size_t bytes)
{
	for (int t = 1; t < LT_NDTYPE; t++)
		if (strlen(types[t].script) == bytes && !memcmp(types[t].script, name, bytes))
			return t;
	return 0;
}

static int mantissa_bits(const struct lt_dtypeinfo *type)
{
	return -ilogb(type->unit) - 1;
}

/* The bits of x in a float format, rounded once, halves to even. */
static uint64_t float_bits(double x, const struct lt_dtypeinfo *type)
{
	int mantissa = mantissa_bits(type), exponent = 8 * (int)type->bytes - 1 - mantissa;
	int min_exponent = 2 - (1 << (exponent - 1)), at = isfinite(x) && x != 0 ? ilogb(x) : min_exponent;
	uint64_t infinite = ((UINT64_C(1) << exponent) - 1) << mantissa, bits;

	if (at < min_exponent)
		at = min_exponent;
	if (isnan(x))
		bits = infinite | UINT64_C(1) << (mantissa - 1);
	else if (isinf(x))
		bits = infinite;
	else    /* in units of the last place, a whole number up to 2^(mantissa+1): its top bit adds 1 to the exponent */
		bits = (uint64_t)rint(ldexp(fabs(x), mantissa - at)) + ((uint64_t)(at - min_exponent) << mantissa);
	if (bits > infinite && !isnan(x))
		bits = infinite;
	return bits | (uint64_t)!!signbit(x) << (8 * type->bytes - 1);
}

static double float_of(uint64_t bits, const struct lt_dtypeinfo *type)
{
	int mantissa = mantissa_bits(type), exponent = 8 * (int)type->bytes - 1 - mantissa;
	uint64_t fraction = bits & ((UINT64_C(1) << mantissa) - 1), e = bits >> mantissa & ((UINT64_C(1) << exponent) - 1);
	int min_exponent = 2 - (1 << (exponent - 1));
	double x;

	if (e == (UINT64_C(1) << exponent) - 1)
		x = fraction ? (double)NAN : (double)INFINITY;
	else if (e)
		x = ldexp((double)(fraction | UINT64_C(1) << mantissa), min_exponent + (int)e - 1 - mantissa);
	else
		x = ldexp((double)fraction, min_exponent - mantissa);
	return bits >> (8 * type->bytes - 1) & 1 ? -x : x;
}

static int64_t wrap(int64_t i, const struct lt_dtypeinfo *type)
{
	int unused = 64 - 8 * (int)type->bytes;
	uint64_t bits = (uint64_t)i << unused;

	return type->is_signed ? (int64_t)bits >> unused : (int64_t)(bits >> unused);
}

union lt_scalar lt__round_to(union lt_scalar x, enum lt_dtype t)
{
	const struct lt_dtypeinfo *type = lt__dtype_info(t);

	if (type->cls == LT_CLASS_BOOL)
		x.i = x.i != 0;
	else if (type->cls == LT_CLASS_INT)
		x.i = wrap(x.i, type);
	else if (t == LT_F32)
		x.f = (double)(float)x.f;
	else if (t != LT_F64)
		x.f = float_of(float_bits(x.f, type), type);
	return x;
}

/* Truncates, saturates; NaN gives 0. */
static int64_t int_of(double x, const struct lt_dtypeinfo *type)
{
	int bits = 8 * (int)type->bytes - type->is_signed;
	int64_t highest = (int64_t)(UINT64_MAX >> (64 - bits)), lowest = type->is_signed ? -highest - 1 : 0;

	if (isnan(x))
		return 0;
	if (x >= ldexp(1, bits))
		return highest;
	if (!type->is_signed)
		return x <= 0 ? 0 : (int64_t)(uint64_t)x;
	return x <= (double)lowest ? lowest : (int64_t)x;
}

/* Exact where a double holds i; else with the lost bits or-ed into the last one, so that a second rounding to a format
 * of at most 51 bits is the only one. */
static double odd_double(int64_t i, bool is_signed)
{
	bool minus = is_signed && i < 0;
	uint64_t size = minus ? 0 - (uint64_t)i : (uint64_t)i;
	double x;

	if (size >> 53 == 0)
		x = (double)size;
	else
		x = ldexp((double)(size >> 11 | ((size & 2047) != 0)), 11);
	return minus ? -x : x;
}

double lt__as_double(union lt_scalar x, enum lt_dtype t)
{
	return lt__dtype_info(t)->cls == LT_CLASS_FLOAT ? x.f : t == LT_U64 ? (double)(uint64_t)x.i : (double)x.i;
}

struct lt_whole_text lt__whole_text(union lt_scalar x, enum lt_dtype t)
{
	struct lt_whole_text out;

	if (t == LT_U64)
		snprintf(out.text, sizeof out.text, "%" PRIu64, (uint64_t)x.i);
	else
		snprintf(out.text, sizeof out.text, "%" PRId64, x.i);
	return out;
}

const char *lt__element_text(const void *data, int64_t i, enum lt_dtype t, char *out, size_t bytes)
{
	union lt_scalar x = lt__load(data, i, t);
	if (lt__dtype_info(t)->cls == LT_CLASS_FLOAT)
		(void)(isnan(x.f) ? snprintf(out, bytes, "nan")
				  : snprintf(out, bytes, "%.9g", x.f)); /* the sign of a NaN says nothing */
	else
		(void)snprintf(out, bytes, "%s", lt__whole_text(t == LT_BOOL
			? (union lt_scalar){ .i = ((const uint8_t *)data)[i] } : x, t).text);
	return out;
}

union lt_scalar lt__convert(union lt_scalar x, enum lt_dtype from, enum lt_dtype to)
{
	const struct lt_dtypeinfo *source = lt__dtype_info(from), *type = lt__dtype_info(to);

	if (source->cls == LT_CLASS_FLOAT) {
		if (type->cls == LT_CLASS_BOOL)
			return (union lt_scalar){ .i = x.f != 0 };
		if (type->cls == LT_CLASS_INT)
			return (union lt_scalar){ .i = int_of(x.f, type) };
	} else if (type->cls == LT_CLASS_FLOAT) {
		x.f = to == LT_F64 ? lt__as_double(x, from) : odd_double(x.i, from != LT_U64);
	}
	return lt__round_to(x, to);
}

uint64_t lt__bits_of(union lt_scalar x, enum lt_dtype t)
{
	const struct lt_dtypeinfo *type = lt__dtype_info(t);
	uint64_t bits;
	float f;

	if (type->cls != LT_CLASS_FLOAT)
		return (uint64_t)x.i & UINT64_MAX >> (64 - 8 * type->bytes);
	if (t == LT_F32) {
		uint32_t half;

		f = (float)x.f;
		memcpy(&half, &f, sizeof half);
		return half;
	}
	if (t != LT_F64)
		return float_bits(x.f, type);
	memcpy(&bits, &x.f, sizeof bits);
	return bits;
}

union lt_scalar lt__scalar_of(uint64_t bits, enum lt_dtype t)
{
	const struct lt_dtypeinfo *type = lt__dtype_info(t);
	uint32_t half = (uint32_t)bits;
	union lt_scalar x;
	float f;

	if (type->cls != LT_CLASS_FLOAT) {
		x.i = type->cls == LT_CLASS_BOOL ? (bits & 255) != 0 : wrap((int64_t)bits, type);
	} else if (t == LT_F64) {
		memcpy(&x.f, &bits, sizeof x.f);
	} else if (t == LT_F32) {
		memcpy(&f, &half, sizeof f);
		x.f = (double)f;
	} else {
		x.f = float_of(bits, type);
	}
	return x;
}

/* Through integers of the element's size, so that the byte order of the machine does not matter. */
union lt_scalar lt__load(const void *base, int64_t i, enum lt_dtype t)
{
	uint32_t bytes = lt__dtype_info(t)->bytes;
	const char *at = (const char *)base + i * bytes;
	uint64_t b8;
	uint32_t b4;
	uint16_t b2;

	switch (bytes) {
	case 8: memcpy(&b8, at, 8); return lt__scalar_of(b8, t);
	case 4: memcpy(&b4, at, 4); return lt__scalar_of(b4, t);
	case 2: memcpy(&b2, at, 2); return lt__scalar_of(b2, t);
	default: return lt__scalar_of(*(const unsigned char *)at, t);
	}
}

void lt__store(void *base, int64_t i, enum lt_dtype t, union lt_scalar x)
{
	uint32_t bytes = lt__dtype_info(t)->bytes;
	char *at = (char *)base + i * bytes;
	uint64_t b8 = lt__bits_of(x, t);
	uint32_t b4 = (uint32_t)b8;
	uint16_t b2 = (uint16_t)b8;
	uint8_t b1 = (uint8_t)b8;

	switch (bytes) {
	case 8: memcpy(at, &b8, 8); break;
	case 4: memcpy(at, &b4, 4); break;
	case 2: memcpy(at, &b2, 2); break;
	default: memcpy(at, &b1, 1); break;
	}
}

/* A type by its other name is meant, too: f32 is a script's float32. */
const char *lt__nearest_dtype(struct lt_context *ctx, bool script, const char *word, size_t bytes)
{
	struct lt_nearest x, other;
	lt__nearest_begin(&x, word, bytes);
	for (int i = 1; i < LT_NDTYPE; i++) {
		const struct lt_dtypeinfo *d = lt__dtype_info((enum lt_dtype)i);
		const char *mine = script ? d->script : d->name, *theirs = script ? d->name : d->script;
		lt__nearest_begin(&other, word, bytes);
		other.limit = 1;
		lt__nearest_add(&other, theirs);
		if (other.n) {
			lt__nearest_begin(&x, mine, strlen(mine));
			lt__nearest_add(&x, mine);
			break;
		}
		lt__nearest_add(&x, mine);
	}
	x.n = x.n > 0;
	return lt__nearest_hint(ctx, &x, "", "");
}
