/* literal.c -- typed bits as constants: exact, and the same in every locale. */
#include <string.h>
#include "backends/text/part.h"

/* A short decimal where there is one, else hexadecimal; x is finite and not negative. */
static const char *literal_float(struct text *t, double x, uint64_t bits, const char *suffix)
{
	struct lt_out o = lt__out_new(&t->pool);
	int exponent = (int)(bits >> 52 & 2047), digits = 13;
	uint64_t m = bits & 0xfffffffffffffu;
	if (x < 1e6 && x * 8 == (double)(uint64_t)(x * 8)) {
		unsigned thousandths = (unsigned)((uint64_t)(x * 1000) % 1000);
		lt__outf(&o, "%llu.%u", (unsigned long long)x, thousandths / 100);
		if (thousandths % 100)
			lt__outf(&o, "%u", thousandths / 10 % 10);
		if (thousandths % 10)
			lt__outf(&o, "%u", thousandths % 10);
		lt__out(&o, suffix);
		return o.at;
	}
	while (digits > 1 && (m & 15) == 0)
		m >>= 4, digits--;
	lt__outf(&o, "0x%d.%0*llxp%d%s", exponent != 0, digits, (unsigned long long)m, exponent ? exponent - 1023 : -1022,
		suffix);
	return o.at;
}

static struct text_expr float_of(struct text *t, uint32_t dtype, uint64_t bits)
{
	double x;
	float single;
	uint32_t low = (uint32_t)bits;
	const char *text;
	bool is_single = dtype == LT_F32;
	memcpy(&single, &low, sizeof single);
	memcpy(&x, &bits, sizeof x);
	if (is_single)
		x = (double)single;
	if (x != x) {
		const char *of = lt__text_helper(t, "of_bits", (struct lt_value_type){ dtype, 1 });
		text = is_single ? lt__text_formatted(t, "%s(0x%xu)", of, (unsigned)low)
			: lt__text_formatted(t, "%s(0x%llxu)", of, (unsigned long long)bits);
		return (struct text_expr){ .text = text };
	}
	uint64_t wide;
	memcpy(&wide, &x, sizeof wide);
	bool minus = wide >> 63;
	x = minus ? -x : x;
	memcpy(&wide, &x, sizeof wide);
	if (x - x != 0) {
		t->math = true;
		text = t->d->device ? t->d->device->infinity : t->d->headers ? "INFINITY" : "__builtin_inff()";
		/* Functions of devices have one name for all floats, and the operands' type says which is meant. */
		if (t->d->device && !is_single)
			return (struct text_expr){ .text = lt__text_formatted(t, "%s(%s)%s", minus ? "-" : "",
				lt__text_element(dtype)->type, text), .tight = TEXT_UNARY };
	} else {
		text = literal_float(t, x, wide, is_single ? "f" : "");
	}
	return (struct text_expr){ .text = minus ? lt__text_formatted(t, "-%s", text) : text,
		.tight = minus ? TEXT_UNARY : TEXT_PRIMARY };
}

/* Of its type, so that what is made of several such wraps where it has to. */
static struct text_expr literal_unsigned(struct text *t, uint64_t x, const char *suffix)
{
	return (struct text_expr){ .text = lt__text_formatted(t, "%llu%s", (unsigned long long)x, suffix), .literal = true,
		.tight = TEXT_PRIMARY };
}

struct text_expr lt__text_literal(struct text *t, uint32_t dtype, uint64_t bits)
{
	int64_t x = (int64_t)bits;
	switch (dtype) {
	case LT_F32:
	case LT_F64: return float_of(t, dtype, bits);
	case LT_F16:
	case LT_BF16: return (struct text_expr){ .text = lt__text_formatted(t, "0x%04x", (unsigned)(bits & 0xffff)) };
	case LT_I8: x = (int8_t)(uint8_t)bits; break;
	case LT_U8: x = (uint8_t)bits; break;
	case LT_I16: x = (int16_t)(uint16_t)bits; break;
	case LT_I32: x = (int32_t)(uint32_t)bits; break;
	case LT_U16: x = (uint16_t)bits; break;
	case LT_U32: return literal_unsigned(t, (uint32_t)bits, "u");
	case LT_U64: return literal_unsigned(t, bits, t->d->device && t->d->device->overloads ? "ul" : "ull");
	case LT_BOOL: x = (uint8_t)bits != 0; break;
	case LT_LANE_MASK: x = bits & 1; break;
	default: break;
	}
	if ((dtype == LT_I64 && x == INT64_MIN) || (dtype == LT_I32 && x == INT32_MIN))
		return (struct text_expr){ .text = dtype == LT_I64 ? "(-9223372036854775807 - 1)" : "(-2147483647 - 1)",
			.literal = true };
	return (struct text_expr){ .text = lt__text_formatted(t, "%lld", (long long)x), .literal = true,
		.tight = x < 0 ? TEXT_UNARY : TEXT_PRIMARY };
}
