/* number.c -- one number as NumPy prints it: the shortest decimals that read back as the same value. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tools/run/run.h"

#define DECIMALS 8      /* NumPy's default precision */

static double value_at(const struct lt_tensor *t, int64_t at)
{
	return lt__load(t->data, at, t->dtype).f;
}

/* NumPy compares in the type of the array. */
static double in_type(double v, enum lt_dtype dtype)
{
	return lt__round_to((union lt_scalar){ .f = v }, dtype).f;
}

/* The power of ten up to which a type holds all decimals: 1e3 of float16, 1e6 of float32. */
static double exact_below(enum lt_dtype dtype)
{
	return pow(10, floor(-log10(2 * lt__dtype_info(dtype)->unit)));
}

/* Significant digits of v, at least: v reads back from them in its own type. */
static int digits_of(double v, enum lt_dtype dtype)
{
	char text[40];

	for (int n = 1; n < 17; n++) {
		snprintf(text, sizeof text, "%.*e", n - 1, v);
		if (in_type(strtod(text, NULL), dtype) == v)
			return n;
	}
	return 17;
}

static int exponent_of(double v, int digits)
{
	char text[40];

	snprintf(text, sizeof text, "%.*e", digits - 1, v);
	return atoi(strchr(text, 'e') + 1);
}

/* The digits of a finite v without padding: "-12.5", "3.", "1.25e-07". */
static void plain_text(double v, enum lt_dtype dtype, bool scientific, char *out, size_t bytes)
{
	int digits = digits_of(v, dtype),
	    decimals = v == 0 ? 0
		: scientific  ? digits - 1
			      : digits - 1 - exponent_of(v, digits);
	char *end, *e;

	if (decimals < 0)
		decimals = 0;
	if (decimals > DECIMALS)
		decimals = DECIMALS;
	snprintf(out, bytes, scientific ? "%#.*e" : "%#.*f", decimals, v);
	e = strchr(out, 'e');
	end = e ? e : strchr(out, 0);
	while (end[-1] == '0' && end[-2] != '.') {
		memmove(end - 1, end, strlen(end) + 1);
		end--;
	}
	if (end[-1] == '0' && end[-2] == '.')
		memmove(end - 1, end, strlen(end) + 1);
}

void run_number_scalar(const struct lt_tensor *t, char *out, size_t bytes)
{
	double v = value_at(t, 0), a = fabs(v);
	int digits = digits_of(v, t->dtype), decimals;

	if (!isfinite(v)) {
		snprintf(out, bytes, "%s", isnan(v) ? "nan" : v < 0 ? "-inf" : "inf");
	} else if (v != 0 && (a < 1e-4 || a >= (t->dtype == LT_F64 ? 1e16 : exact_below(t->dtype)))) {
		snprintf(out, bytes, "%.*e", digits - 1, v);
	} else {
		decimals = v == 0 ? 1 : digits - 1 - exponent_of(v, digits);
		snprintf(out, bytes, "%.*f", decimals > 1 ? decimals : 1, v);
	}
}

void run_number_style(const struct lt_tensor *t, const int64_t *at, int64_t n, struct run_style *s)
{
	double min = INFINITY, max = 0;
	bool finite = false, negative_inf = false, odd = false;
	char text[512];

	memset(s, 0, sizeof *s);
	for (int64_t i = 0; i < n; i++) {
		double v = value_at(t, at[i]), a = fabs(v);

		odd |= !isfinite(v);
		negative_inf |= isinf(v) && v < 0;
		finite |= isfinite(v);
		if (isfinite(v) && v != 0) {
			min = fmin(min, a);
			max = fmax(max, a);
		}
	}
	s->scientific = max > 0 && (max >= fmin(1e8, exact_below(t->dtype)) || min < in_type(1e-4, t->dtype) ||
		in_type(max / min, t->dtype) > 1000);
	for (int64_t i = 0; i < n && finite; i++) {
		double v = value_at(t, at[i]);
		char *dot, *e;
		int before, after;

		if (!isfinite(v))
			continue;
		plain_text(v, t->dtype, s->scientific, text, sizeof text);
		dot = strchr(text, '.');
		e = strchr(text, 'e');
		before = (int)(dot - text);
		after = (int)((e ? e : strchr(text, 0)) - dot - 1);
		s->before = before > s->before ? before : s->before;
		s->decimals = after > s->decimals ? after : s->decimals;
		if (e && (int)strlen(e) > s->after)
			s->after = (int)strlen(e);
	}
	/* The whole width after the point: decimals, and in scientific form the exponent. */
	s->after += s->decimals;
	if (odd) {
		int trailing = finite ? s->after + 1 : 1, wide = 3 + negative_inf;

		s->before = wide - trailing > s->before ? wide - trailing : s->before;
		s->before = 3 - trailing > s->before ? 3 - trailing : s->before;
	}
}

int run_number_text(const struct run_style *s, const struct lt_tensor *t, int64_t at, char *out, size_t bytes)
{
	double v = value_at(t, at);
	char text[512];
	char *dot;
	int pad, digits, exponent;

	if (!isfinite(v)) {
		/* Right aligned over the full width of a number. */
		return snprintf(out, bytes, "%*s", s->before + 1 + s->after, isnan(v) ? "nan" : v < 0 ? "-inf" : "inf");
	}
	if (s->scientific) {
		snprintf(text, sizeof text, "%#.*e", s->decimals, v);
		exponent = atoi(strchr(text, 'e') + 1);
		return snprintf(out, bytes, "%*s%.*s%c%0*d", s->before - (int)(strchr(text, '.') - text), "",
			(int)(strchr(text, 'e') + 1 - text), text, exponent < 0 ? '-' : '+', s->after - s->decimals - 2, abs(exponent));
	}
	plain_text(v, t->dtype, false, text, sizeof text);
	dot = strchr(text, '.');
	pad = s->before - (int)(dot - text);
	digits = (int)strlen(dot + 1);
	return snprintf(out, bytes, "%*s%s%*s", pad, "", text, s->decimals - digits, "");
}
