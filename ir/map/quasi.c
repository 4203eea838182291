/* quasi.c -- rewriting quasi-affine expressions by plain arithmetic: floors, guards, ranges. */
#include <string.h>
#include "ir/map/simplify.h"

size_t lt__quasi_numbers(int32_t n_base, int32_t cap_div)
{
	size_t width = (size_t)n_base + (size_t)cap_div;

	return 4 * width + (size_t)cap_div * (width + 1);
}

void lt__quasi_init(struct lt_quasi *q, int32_t n_base, int32_t cap_div, int64_t *numbers)
{
	size_t width = (size_t)n_base + (size_t)cap_div;

	*q = (struct lt_quasi){ .n_base = n_base, .cap_div = cap_div, .width = n_base + cap_div };
	memset(numbers, 0, lt__quasi_numbers(n_base, cap_div) * sizeof *numbers);
	q->low = numbers;
	q->high = q->low + width;
	q->temp = q->high + width;
	q->den = q->temp + 2 * width;
	q->num = q->den + cap_div;
	q->low[0] = q->high[0] = 1;
}

bool lt__row_add(int64_t *a, int64_t factor, const int64_t *b, int32_t n)
{
	int64_t product;

	for (int32_t i = 0; i < n; i++)
		if (b[i] && (__builtin_mul_overflow(factor, b[i], &product) || __builtin_add_overflow(a[i], product, &a[i])))
			return false;
	return true;
}

static int64_t gcd(int64_t a, int64_t b)
{
	uint64_t x = a < 0 ? 0 - (uint64_t)a : (uint64_t)a, y = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;

	while (y) {
		uint64_t remainder = x % y;

		x = y;
		y = remainder;
	}
	return x > INT64_MAX ? 1 : (int64_t)x;
}

static bool add_range(int64_t c, int64_t low, int64_t high, int64_t *sum_low, int64_t *sum_high)
{
	int64_t a, b;

	if (__builtin_mul_overflow(c, c < 0 ? high : low, &a) || __builtin_mul_overflow(c, c < 0 ? low : high, &b))
		return false;
	return !__builtin_add_overflow(*sum_low, a, sum_low) && !__builtin_add_overflow(*sum_high, b, sum_high);
}

static bool plain_range(const struct lt_quasi *q, const int64_t *row, int64_t *low, int64_t *high)
{
	*low = *high = row[0];
	for (int32_t i = 1; i < q->n_base + q->n_div; i++)
		if (row[i] && !add_range(row[i], q->low[i], q->high[i], low, high))
			return false;
	return true;
}

/* Whether remainder holds m times the numerator of div k, in addition to -m * den times div k itself. */
static bool holds_remainder(const struct lt_quasi *q, const int64_t *remainder, int32_t k, int64_t *m)
{
	const int64_t *num = q->num + (size_t)k * (size_t)q->width;
	int64_t c = remainder[q->n_base + k], product;

	if (!c || c == INT64_MIN || c % q->den[k])
		return false;
	*m = -c / q->den[k];
	for (int32_t i = 1; i < q->n_base + k; i++)
		if (num[i] && (__builtin_mul_overflow(*m, num[i], &product) || remainder[i] != product))
			return false;
	return true;
}

/* Bounds that see remainders: m * (x - d * floor(x / d)) is within m * [0, d - 1]. */
static bool remainder_range(const struct lt_quasi *q, const int64_t *row, int64_t *low, int64_t *high)
{
	int64_t *remainder = q->temp, m, from_low = 0, from_high = 0;

	memcpy(remainder, row, (size_t)q->width * sizeof *remainder);
	for (int32_t k = q->n_div - 1; k >= 0; k--) {
		if (!holds_remainder(q, remainder, k, &m))
			continue;
		if (!lt__row_add(remainder, -m, q->num + (size_t)k * (size_t)q->width, q->n_base + k)
		    || !add_range(m, 0, q->den[k] - 1, &from_low, &from_high))
			return false;
		remainder[q->n_base + k] = 0;
	}
	return plain_range(q, remainder, low, high) && !__builtin_add_overflow(*low, from_low, low)
		&& !__builtin_add_overflow(*high, from_high, high);
}

bool lt__quasi_range(const struct lt_quasi *q, const int64_t *row, int64_t *low, int64_t *high)
{
	int64_t low2, high2;
	bool plain = plain_range(q, row, low, high);

	if (!q->n_div || !remainder_range(q, row, &low2, &high2))
		return plain;
	if (!plain || low2 > *low)
		*low = low2;
	if (!plain || high2 < *high)
		*high = high2;
	return true;
}

/* Multiples of den leave the numerator, also those within a larger coefficient; what is left of the constant is in
 * [0, den). */
static void pull_multiples(struct lt_quasi *q, int64_t *num, int64_t den, int64_t factor, int64_t *out)
{
	for (int32_t i = 0; i < q->n_base + q->n_div; i++) {
		int64_t whole = i && num[i] % den && num[i] > -den && num[i] < den ? 0 : lt__floor_div(num[i], den), add;

		if (!whole)
			continue;
		q->overflow |= __builtin_mul_overflow(factor, whole, &add) || __builtin_add_overflow(out[i], add, &out[i]);
		num[i] -= whole * den;
	}
}

/* Divides numerator and denominator by what all of them share: exact, with the constant rounded down. */
static void share_divisor(const struct lt_quasi *q, int64_t *num, int64_t *den)
{
	int64_t g = *den;

	for (int32_t i = 1; i < q->n_base + q->n_div; i++)
		g = gcd(g, num[i]);
	if (g <= 1)
		return;
	for (int32_t i = 1; i < q->n_base + q->n_div; i++)
		num[i] /= g;
	num[0] = lt__floor_div(num[0], g);
	*den /= g;
}

/* What g leaves of a coefficient: all of one that it does not divide, or, `near`, what lies between it and the multiple
 * next to it. */
static int64_t left_over(int64_t c, int64_t g, bool near)
{
	int64_t r = c % g;

	if (!r || !near)
		return r ? c : 0;
	return r > g / 2 ? r - g : r < -(g / 2) ? r + g : r;
}

/* row = g*E + r, where r stays within one [m*g, m*g + g): then the row becomes E + m.  asks: isl, too. */
static bool drop_within(const struct lt_quasi *q, int64_t *row, int64_t g, bool near, bool asks)
{
	int64_t *remainder = q->temp + q->width, low = 0, high = 0, m;

	memset(remainder, 0, (size_t)q->width * sizeof *remainder);
	remainder[0] = row[0];
	for (int32_t i = 1; i < q->n_base + q->n_div; i++)
		remainder[i] = left_over(row[i], g, near);
	if (lt__quasi_range(q, remainder, &low, &high) && lt__floor_div(low, g) == lt__floor_div(high, g))
		m = lt__floor_div(low, g);
	else if (!asks || !q->within || !q->within(q->user, remainder, g, &m))
		return false;
	for (int32_t i = 1; i < q->n_base + q->n_div; i++)
		row[i] = (row[i] - remainder[i]) / g;
	row[0] = m;
	return true;
}

/* floor((g*E + r) / (g*d)) = floor(E / d) for 0 <= r < g: tries the greatest g first. */
static bool drop_remainder(const struct lt_quasi *q, int64_t *num, int64_t *den)
{
	int64_t below = INT64_MAX, g;

	for (;;) {
		g = *den < below ? *den : 1;
		for (int32_t i = 1; i < q->n_base + q->n_div; i++) {
			int64_t other = num[i] ? gcd(num[i], *den) : 1;

			if (other < below && other > g)
				g = other;
		}
		if (g <= 1)
			return false;
		below = g;
		if (drop_within(q, num, g, true, false) || drop_within(q, num, g, false, true))
			break;
	}
	*den /= g;
	return true;
}

/* floor((floor(x / a) + E) / d) = floor((x + a*E) / (a*d)), where E has no floors. */
static bool open_nested(const struct lt_quasi *q, int64_t *num, int64_t *den)
{
	int64_t *made = q->temp, wide;
	int32_t at = -1;

	for (int32_t k = 0; k < q->n_div; k++)
		if (num[q->n_base + k]) {
			if (at >= 0 || num[q->n_base + k] != 1)
				return false;
			at = k;
		}
	if (at < 0 || __builtin_mul_overflow(*den, q->den[at], &wide))
		return false;
	memcpy(made, q->num + (size_t)at * (size_t)q->width, (size_t)q->width * sizeof *made);
	num[q->n_base + at] = 0;
	if (!lt__row_add(made, q->den[at], num, q->width)) {
		num[q->n_base + at] = 1;
		return false;
	}
	memcpy(num, made, (size_t)q->width * sizeof *num);
	*den = wide;
	return true;
}

static int32_t find_div(struct lt_quasi *q, const int64_t *num, int64_t den)
{
	size_t bytes = (size_t)q->width * sizeof *num;
	int64_t low, high;
	int32_t k;

	for (k = 0; k < q->n_div; k++)
		if (q->den[k] == den && !memcmp(q->num + (size_t)k * (size_t)q->width, num, bytes))
			return k;
	if (k == q->cap_div)
		return -1;
	if (!lt__quasi_range(q, num, &low, &high))
		return -1;
	q->low[q->n_base + k] = lt__floor_div(low, den);
	q->high[q->n_base + k] = lt__floor_div(high, den);
	q->den[k] = den;
	memcpy(q->num + (size_t)k * (size_t)q->width, num, bytes);
	return q->n_div++;
}

void lt__quasi_floor(struct lt_quasi *q, int64_t *num, int64_t den, int64_t factor, int64_t *out)
{
	bool constant;
	int32_t k;

	do {
		pull_multiples(q, num, den, factor, out);
		share_divisor(q, num, &den);
		pull_multiples(q, num, den, factor, out);
		constant = true;
		for (int32_t i = 1; i < q->n_base + q->n_div && constant; i++)
			constant = !num[i];
		if (constant || q->overflow)
			return;
	} while (drop_remainder(q, num, &den) || open_nested(q, num, &den));
	k = find_div(q, num, den);
	if (k < 0 || __builtin_add_overflow(out[q->n_base + k], factor, &out[q->n_base + k]))
		q->overflow = true;
}

/* q + E >= 0 is x + d*E >= 0, and E - q >= 0 is d*E + d-1 - x >= 0, for q = floor(x / d). */
static bool open_guard(const struct lt_quasi *q, int64_t *row)
{
	int64_t *made = q->temp;

	for (int32_t k = q->n_div - 1; k >= 0; k--) {
		int64_t c = row[q->n_base + k];

		if (c != 1 && c != -1)
			continue;
		memset(made, 0, (size_t)q->width * sizeof *made);
		made[0] = c < 0 ? q->den[k] - 1 : 0;
		row[q->n_base + k] = 0;
		if (lt__row_add(made, q->den[k], row, q->width)
		    && lt__row_add(made, c, q->num + (size_t)k * (size_t)q->width, q->width)) {
			memcpy(row, made, (size_t)q->width * sizeof *row);
			return true;
		}
		row[q->n_base + k] = c;
	}
	return false;
}

/* g*E + r >= 0 is E + m >= 0, where r stays within [m*g, m*g + g): tries the greatest g first, which are the row's own
 * coefficients. */
static bool split_guard(const struct lt_quasi *q, int64_t *row)
{
	for (int64_t below = INT64_MAX, g;; below = g) {
		g = 1;
		for (int32_t i = 1; i < q->n_base + q->n_div; i++)
			if (row[i] > -below && row[i] < below && (row[i] > g || row[i] < -g))
				g = row[i] < 0 ? -row[i] : row[i];
		if (g <= 1)
			return false;
		if (drop_within(q, row, g, true, false) || drop_within(q, row, g, false, false))
			return true;
	}
}

enum lt_sign lt__quasi_guard(struct lt_quasi *q, int64_t *row)
{
	int64_t low, high, g;

	do {
		g = 0;
		for (int32_t i = 1; i < q->n_base + q->n_div; i++)
			g = gcd(g, row[i]);
		if (!g)
			return row[0] >= 0 ? LT_SIGN_ALWAYS : LT_SIGN_NEVER;
		for (int32_t i = 1; i < q->n_base + q->n_div; i++)
			row[i] /= g;
		row[0] = lt__floor_div(row[0], g);
		if (!lt__quasi_range(q, row, &low, &high))
			continue;
		if (low >= 0)
			return LT_SIGN_ALWAYS;
		if (high < 0)
			return LT_SIGN_NEVER;
	} while (split_guard(q, row) || open_guard(q, row));
	return LT_SIGN_OPEN;
}

/* One expression's walk: params, then divs after what is in them; a stack instead of recursion. */
static void appear(const struct lt_map *map, const int64_t *row, int32_t *param, int32_t *n_param, int32_t *div,
	int32_t *n_div, int32_t *seen_param, int32_t *seen_div, int32_t *stack, int32_t *from)
{
	int32_t base = 1 + map->n_param + map->n_dim, depth = 0, start = 0;
	size_t width = (size_t)lt__map_width(map);

	for (;;) {
		const int64_t *at = depth ? map->div + (size_t)stack[depth - 1] * (width + 1) + 1 : row;
		int32_t k;

		if (!start)
			for (int32_t p = 0; p < map->n_param; p++)
				if (at[1 + p] && !seen_param[p]) {
					seen_param[p] = 1;
					param[(*n_param)++] = p;
				}
		for (k = start; k < map->n_div; k++)
			if (at[base + k] && !seen_div[k])
				break;
		if (k < map->n_div) {
			seen_div[k] = 1;
			from[depth] = k + 1;
			stack[depth++] = k;
			start = 0;
		} else if (depth) {
			depth--;
			div[(*n_div)++] = stack[depth];
			start = from[depth];
		} else {
			return;
		}
	}
}

void lt__map_appearance(
	const struct lt_map *map, int32_t *param, int32_t *n_param, int32_t *div, int32_t *n_div, int32_t *scratch)
{
	size_t width = (size_t)lt__map_width(map);
	int32_t *seen_div = scratch, *stack = scratch + map->n_div, *from = stack + map->n_div,
		*seen_param = from + map->n_div;

	memset(scratch, 0, ((size_t)map->n_div * 3 + (size_t)map->n_param) * sizeof *scratch);
	*n_param = *n_div = 0;
	for (int32_t r = 0; r < map->n_row + map->n_guard; r++)
		appear(map, r < map->n_row ? map->row + (size_t)r * width : map->guard + (size_t)(r - map->n_row) * width,
			param, n_param, div, n_div, seen_param, seen_div, stack, from);
}
