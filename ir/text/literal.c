/* literal.c -- typed bits as text: readable where that is exact, bits where nothing else is. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "ir/text/literal.h"

/* Whole eighths below 2^40 in decimal, everything else in hexadecimal: exact both, and short. */
static void float_text(double x, char *text, size_t bytes)
{
	double size = fabs(x);
	const char *sign = signbit(x) ? "-" : "";
	uint64_t fraction;
	int exponent;
	char digits[16];
	size_t n;

	if (isinf(x)) {
		snprintf(text, bytes, "%sinf", sign);
	} else if (size < 0x1p40 && size * 8 == floor(size * 8)) {
		uint64_t eighths = (uint64_t)(size * 8);

		snprintf(text, bytes, "%s%" PRIu64 ".%03u", sign, eighths / 8, (unsigned)(eighths % 8) * 125);
		for (n = strlen(text); text[n - 1] == '0' && text[n - 2] != '.'; n--)
			text[n - 1] = '\0';
	} else {
		fraction = (uint64_t)ldexp(frexp(size, &exponent), 53) & ((UINT64_C(1) << 52) - 1);
		snprintf(digits, sizeof digits, "%013" PRIx64, fraction);
		for (n = 13; n && digits[n - 1] == '0'; n--)
			digits[n - 1] = '\0';
		snprintf(text, bytes, "%s0x1%s%sp%+d", sign, n ? "." : "", digits, exponent - 1);
	}
}

void lt__literal_text(uint64_t bits, enum lt_dtype t, char text[LT_LITERAL_BYTES])
{
	union lt_scalar value = lt__scalar_of(bits, t);
	enum lt_class cls = lt__dtype_info(t)->cls;

	if (lt__bits_of(value, t) != bits || (cls == LT_CLASS_FLOAT && isnan(value.f)))
		snprintf(text, LT_LITERAL_BYTES, "bits(0x%" PRIx64 ")", bits);
	else if (cls == LT_CLASS_FLOAT)
		float_text(value.f, text, LT_LITERAL_BYTES);
	else if (cls == LT_CLASS_BOOL)
		snprintf(text, LT_LITERAL_BYTES, "%s", value.i ? "true" : "false");
	else
		snprintf(text, LT_LITERAL_BYTES, "%s", lt__whole_text(value, t).text);
}

static lt_status parse_bits(struct lt_context *ctx, struct lt_lexer *l, uint64_t *bits)
{
	lt__lex_next(l);
	if (!lt__lex_is(l, "("))
		return lt__lex_fail(ctx, l, LT_ESYNTAX, "expected ( after bits, found %s", lt__lex_text(ctx, l));
	lt__lex_next(l);
	if (l->kind != LT_TOKEN_NUMBER || !lt__lex_whole(l, bits))
		return lt__lex_fail(ctx, l, LT_ESYNTAX, "expected a whole number of at most 64 bits, found %s", lt__lex_text(ctx, l));
	lt__lex_next(l);
	if (!lt__lex_is(l, ")"))
		return lt__lex_fail(ctx, l, LT_ESYNTAX, "expected ), found %s", lt__lex_text(ctx, l));
	lt__lex_next(l);
	return LT_OK;
}

static bool parse_float(struct lt_lexer *l, enum lt_dtype t, bool minus, uint64_t *bits)
{
	union lt_scalar value = { .f = INFINITY };

	if (l->kind == LT_TOKEN_NUMBER ? !lt__lex_float(l, &value.f) : !lt__lex_is(l, "inf"))
		return false;
	if (minus)
		value.f = -value.f;
	*bits = lt__bits_of(lt__round_to(value, t), t);
	return true;
}

/* Wrapping would hide a mistake: the number has to be one of the type. */
static bool parse_int(struct lt_lexer *l, enum lt_dtype t, bool minus, uint64_t *bits)
{
	union lt_scalar value;
	uint64_t size;

	if (!lt__lex_whole(l, &size) || (t == LT_U64 ? minus && size > 0 : size > (uint64_t)INT64_MAX + minus))
		return false;
	value.i = (int64_t)(minus ? 0 - size : size);
	*bits = lt__bits_of(lt__round_to(value, t), t);
	return lt__scalar_of(*bits, t).i == value.i;
}

lt_status lt__literal_parse(struct lt_context *ctx, struct lt_lexer *l, enum lt_dtype t, uint64_t *bits)
{
	enum lt_class cls = lt__dtype_info(t)->cls;
	bool minus = lt__lex_is(l, "-"), good;

	if (lt__lex_is(l, "bits"))
		return parse_bits(ctx, l, bits);
	if (minus)
		lt__lex_next(l);
	if (cls == LT_CLASS_BOOL) {
		good = !minus && (lt__lex_is(l, "true") || lt__lex_is(l, "false"));
		*bits = lt__lex_is(l, "true");
	} else {
		good = cls == LT_CLASS_FLOAT ? parse_float(l, t, minus, bits) : parse_int(l, t, minus, bits);
	}
	if (!good)
		return lt__lex_fail(ctx, l, LT_ESYNTAX, "expected a value of type %s, found %s", lt__dtype_info(t)->name,
			lt__lex_text(ctx, l));
	lt__lex_next(l);
	return LT_OK;
}
