/* number.c -- numbers, constants and types of a kernel program's text. */
#define _GNU_SOURCE 1           /* strtod_l */
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "kernel/form/form.h"
#include "kernel/parse/parser.h"

/* Digits, decimal or hexadecimal after 0x, as a number of at most 64 bits. */
static bool read_digits(const char *at, size_t n, uint64_t *out)
{
	bool hex = n > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
	*out = 0;
	for (size_t i = hex ? 2 : 0; i < n; i++) {
		char c = at[i];
		int digit = c >= '0' && c <= '9' ? c - '0' : hex && c >= 'a' && c <= 'f' ? c - 'a' + 10
			: hex && c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
		if (digit < 0 || __builtin_mul_overflow(*out, (uint64_t)(hex ? 16 : 10), out)
			|| __builtin_add_overflow(*out, (uint64_t)digit, out))
			return false;
	}
	return n > 0;
}

static bool read_whole(const struct lt_kernel_parser *p, const char *at, size_t n, int64_t *out)
{
	bool minus = n > 0 && *at == '-';
	uint64_t size;
	if (p->kind != LT_KERNEL_WORD || !read_digits(at + minus, n - minus, &size) || size > (uint64_t)INT64_MAX + minus)
		return false;
	*out = (int64_t)(minus ? 0 - size : size);
	return true;
}

int64_t lt__kernel_number(struct lt_kernel_parser *p, const char *what, int64_t min, int64_t max)
{
	int64_t x;
	if (!read_whole(p, p->at, p->bytes, &x) || x < min || x > max)
		LT_KERNEL_SYNTAX(p, "expected %s, a whole number from %" PRId64 " to %" PRId64 ", found %s", what, min, max,
			lt__kernel_token(p).text);
	lt__kernel_next(p);
	return x;
}

uint64_t lt__kernel_hex(struct lt_kernel_parser *p, const char *what)
{
	uint64_t x;
	if (p->kind != LT_KERNEL_WORD || !read_digits(p->at, p->bytes, &x))
		LT_KERNEL_SYNTAX(p, "expected %s, a number such as 0x1f of at most 64 bits, found %s", what,
			lt__kernel_token(p).text);
	lt__kernel_next(p);
	return x;
}

/* inf, -1.5e3; false: no such number, or one beyond the type's. */
static bool read_float(const struct lt_kernel_parser *p, uint32_t dtype, uint64_t *bits)
{
	char text[64], *end;
	bool minus = p->bytes > 0 && *p->at == '-', infinite = p->bytes - minus == 3 && memcmp(p->at + minus, "inf", 3) == 0;
	if (p->bytes == minus || p->bytes >= sizeof text || (!infinite && (p->at[minus] < '0' || p->at[minus] > '9')))
		return false;
	for (size_t i = 0; i < p->bytes && !infinite; i++)
		if (!p->at[i] || !strchr("0123456789.eE+-", p->at[i]))
			return false;
	memcpy(text, p->at, p->bytes);
	text[p->bytes] = '\0';
	locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);      /* whatever the host's decimal point is */
	if (!plain)
		return false;
	double f64 = strtod_l(text, &end, plain);
	float f32 = strtof_l(text, NULL, plain);
	uint32_t low;
	freelocale(plain);
	memcpy(&low, &f32, sizeof low);
	memcpy(bits, &f64, sizeof f64);
	if (dtype == LT_F32)
		*bits = low;
	return *end == '\0' && (infinite || (dtype == LT_F32 ? isfinite(f32) : isfinite(f64)));
}

static bool constant_is_float(uint32_t dtype)
{
	return dtype == LT_F32 || dtype == LT_F64 || dtype == LT_F16 || dtype == LT_BF16;
}

static bool read_constant(const struct lt_kernel_parser *p, struct lt_value_type t, uint64_t *bits)
{
	uint32_t width = t.dtype == LT_LANE_MASK ? t.lanes : lt__kernel_element_bytes(t.dtype) * 8;
	uint64_t all = width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
	bool nan = p->bytes > 4 && memcmp(p->at, "nan:", 4) == 0;
	bool hex = p->bytes > 2 && p->at[0] == '0' && (p->at[1] == 'x' || p->at[1] == 'X');
	int64_t whole;
	uint64_t size;
	if (p->kind != LT_KERNEL_WORD)
		return false;
	if (hex || (nan && constant_is_float(t.dtype)) || t.dtype == LT_LANE_MASK)
		return read_digits(p->at + (nan ? 4 : 0), p->bytes - (nan ? 4 : 0), bits) && *bits <= all;
	if (constant_is_float(t.dtype))
		return lt__kernel_element_bytes(t.dtype) >= 4 && read_float(p, t.dtype, bits);
	if (!lt__number_is_signed(t.dtype)) {
		*bits = read_digits(p->at, p->bytes, &size) ? size : UINT64_MAX;
		return read_digits(p->at, p->bytes, &size) && size <= (t.dtype == LT_BOOL ? 1 : all);
	}
	if (!read_whole(p, p->at, p->bytes, &whole))
		return false;
	int64_t max = (int64_t)(all / 2), min = -max - 1;
	*bits = (uint64_t)whole & all;
	return whole >= min && whole <= max;
}

uint64_t lt__kernel_constant(struct lt_kernel_parser *p, struct lt_value_type t)
{
	uint64_t bits;
	if (!read_constant(p, t, &bits))
		LT_KERNEL_SYNTAX(p, "expected a value such as %%0 or a constant of type %s%s, found %s",
			lt__kernel_element_name(t.dtype),
			t.dtype == LT_F16 || t.dtype == LT_BF16 ? " (its bits: 0x3c00)" : t.dtype == LT_LANE_MASK
			? " (a bit for each lane: 0x1)" : "", lt__kernel_token(p).text);
	lt__kernel_next(p);
	return bits;
}

/* f32, maskx8. */
struct lt_value_type lt__kernel_type(struct lt_kernel_parser *p)
{
	struct lt_value_type t = { p->kind == LT_KERNEL_WORD ? lt__kernel_element_find(p->at, p->bytes) : 0, 1 };
	size_t n = p->bytes;
	uint64_t lanes;
	while (!t.dtype && p->kind == LT_KERNEL_WORD && n > 1 && p->at[n - 1] >= '0' && p->at[n - 1] <= '9')
		n--;
	if (!t.dtype && p->kind == LT_KERNEL_WORD && n > 1 && n < p->bytes && p->at[n - 1] == 'x') {
		t.dtype = lt__kernel_element_find(p->at, n - 1);
		if (t.dtype && (!read_digits(p->at + n, p->bytes - n, &lanes) || lanes < 1 || lanes > LT_MAX_LANES))
			LT_KERNEL_SYNTAX(p, "%s has a number of lanes that is not from 1 to %d", lt__kernel_token(p).text,
				(int)LT_MAX_LANES);
		t.lanes = t.dtype ? (uint32_t)lanes : 1;
	}
	if (!t.dtype)
		LT_KERNEL_SYNTAX(p, "expected a type such as f32, i64x8 or mask, found %s", lt__kernel_token(p).text);
	lt__kernel_next(p);
	return t;
}

int32_t lt__kernel_origin(struct lt_kernel_parser *p)
{
	return lt__kernel_accept(p, "@") ? (int32_t)lt__kernel_number(p, "what it comes from", 0, INT32_MAX) : -1;
}
