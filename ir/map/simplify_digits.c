/* simplify_digits.c -- guards and rows with floors over the digits of their dims, so that isl need not be asked.
 *
 * With q = floor(d / 2) and s = floor(d / 4), d is r + 2q and q is t + 2s: what a shuffle of channels or a reshape
 * reads is a sum over the digits r, t and s, each of which takes its values whatever the others are.  A guard is then
 * decided by numbers, as that of a window is, and a digit that the guards leave one value is that value.
 *
 * A column that has a floor over it stands for its digit, (column + offset) mod radix; one that has none, for itself.
 * All of a column is known twice: `q.low` to `q.high` holds all its values and `sure` has values that it takes in any
 * combination with those of other columns.
 */
#include <stdlib.h>
#include <string.h>
#include "ir/map/simplify.h"

size_t lt__digits_numbers(int32_t width, int32_t n_guard)
{
	return lt__quasi_numbers(width, 0) + (size_t)(n_guard + 7) * (size_t)width;
}

void lt__digits_init(struct lt_digits *d, int32_t width, int64_t *numbers)
{
	lt__quasi_init(&d->q, width, 0, numbers);
	d->radix = numbers + lt__quasi_numbers(width, 0);
	d->offset = d->radix + width;
	d->sure_low = d->offset + width;
	d->sure_high = d->sure_low + width;
	d->row = d->sure_high + width;
	d->over = (int32_t *)(void *)(d->row + width);
	d->order = d->over + width;
	d->loose = (bool *)(void *)(d->order + width);
	d->tied = d->loose + width;
	d->guard = d->row + 3 * (size_t)width;
}

/* -- which column stands over which -- */

/* Puts div k on the chain of floors over a dim, if it is a floor of the last of them.  Its place is kept in `order`. */
static bool chain_add(struct lt_simplify *t, int32_t k)
{
	struct lt_digits *d = &t->digits;
	const int64_t *num = t->q.num + (size_t)k * (size_t)t->width, den = t->q.den[k];
	int32_t at = -1, over = t->q.n_base + k;
	int64_t offset = 0, size = 1, low, high;

	for (int32_t i = 1; i < t->q.n_base + k; i++)
		if (num[i]) {
			if (at >= 0 || num[i] != 1 || i >= t->q.n_base)
				return false;
			at = i;
		}
	for (; at >= 0 && d->radix[at]; at = d->over[at]) {
		offset += size * d->offset[at];
		size *= d->radix[at];
	}
	if (at < 0 || den % size || den == size || (num[0] - offset) % size)
		return false;
	offset = (num[0] - offset) / size;
	size = den / size;
	if (__builtin_add_overflow(d->sure_low[at], offset, &low) || __builtin_add_overflow(d->sure_high[at], offset, &high)
	    || high > INT64_MAX - size || low < INT64_MIN + size)
		return false;
	low = -lt__floor_div(-low, size);
	high = lt__floor_div(high + 1, size) - 1;
	if (low > high)         /* no value of the floor goes with every digit */
		return false;
	d->sure_low[over] = low;
	d->sure_high[over] = high;
	d->q.low[over] = lt__floor_div(d->q.low[at] + offset, size);
	d->q.high[over] = lt__floor_div(d->q.high[at] + offset, size);
	d->sure_low[at] = d->q.low[at] = 0;
	d->sure_high[at] = d->q.high[at] = size - 1;
	d->radix[at] = size;
	d->offset[at] = offset;
	d->over[at] = over;
	d->order[d->n_order++] = at;
	return true;
}

/* The digits of the box, guards or not. */
static void digits_fill(struct lt_simplify *t)
{
	struct lt_digits *d = &t->digits;
	int64_t below = 0, den;

	memset(d->radix, 0, (size_t)t->width * sizeof *d->radix);
	d->n_order = 0;
	for (int32_t i = 1; i < t->q.n_base; i++) {
		const struct lt_paramdef *p = i > t->map->n_param ? NULL : &t->g->param[t->map->param[i - 1]];

		d->sure_low[i] = d->q.low[i] = p ? p->low : 0;
		d->sure_high[i] = d->q.high[i] = p ? p->high : t->box->extent[i - 1 - t->map->n_param] - 1;
	}
	for (int32_t k = 0; k < t->width; k++)
		d->loose[k] = d->tied[k] = k >= t->q.n_base;
	for (; below < INT64_MAX; below = den) {         /* the finest floors first */
		den = INT64_MAX;
		for (int32_t k = 0; k < t->q.n_div; k++)
			if (t->q.den[k] > below && t->q.den[k] < den)
				den = t->q.den[k];
		for (int32_t k = 0; k < t->q.n_div && den < INT64_MAX; k++)
			if (t->q.den[k] == den)
				d->loose[t->q.n_base + k] = d->tied[t->q.n_base + k] = !chain_add(t, k);
	}
}

/* A column that has a floor over it is digit + radix * over - offset.  Where the row has its factor at the column, that
 * is written for it (sign 1: then it is the digit's), or taken back (-1: then the column's). */
static bool shift_digit(const struct lt_digits *d, int64_t *row, int32_t at, int64_t sign)
{
	int64_t *over = &row[d->over[at]], factor, product;

	return !__builtin_mul_overflow(row[at], sign, &factor) && !__builtin_mul_overflow(factor, d->radix[at], &product)
		&& !__builtin_add_overflow(*over, product, over) && !__builtin_mul_overflow(factor, d->offset[at], &product)
		&& !__builtin_sub_overflow(row[0], product, &row[0]);
}

/* A row over columns becomes one over digits; false: it has a floor that is on no chain. */
static bool to_digits(const struct lt_simplify *t, int64_t *row)
{
	const struct lt_digits *d = &t->digits;

	for (int32_t k = t->q.n_base; k < t->q.n_base + t->q.n_div; k++)
		if (row[k] && d->loose[k])
			return false;
	for (int32_t i = 0; i < d->n_order; i++)
		if (!shift_digit(d, row, d->order[i], 1))
			return false;
	return true;
}

static bool from_digits(const struct lt_simplify *t, int64_t *row)
{
	const struct lt_digits *d = &t->digits;

	for (int32_t i = d->n_order - 1; i >= 0; i--)
		if (!shift_digit(d, row, d->order[i], -1))
			return false;
	return true;
}

/* -- guards of which none follows from the others -- */

/* The sum's least and greatest number over what is sure; false: it may step over some between them, or they are
 * large. */
static bool apart_range(const struct lt_digits *d, const int64_t *row, int64_t *low, int64_t *high)
{
	enum { MAX_TERMS = 8, LARGE = 1 << 30 };
	struct { int64_t coef, values; } term[MAX_TERMS];
	int32_t n = 0;
	*low = *high = 0;
	for (int32_t i = 1; i < d->q.n_base; i++) {
		if (!row[i])
			continue;
		const int64_t first = d->sure_low[i], last = d->sure_high[i];
		if (n == MAX_TERMS || row[i] < -LARGE || row[i] > LARGE || first < -LARGE || last > LARGE || first > last)
			return false;
		int32_t at = n++;
		for (; at > 0 && term[at - 1].coef > llabs(row[i]); at--)
			term[at] = term[at - 1];
		term[at].coef = llabs(row[i]);
		term[at].values = last - first;
		*low += row[i] > 0 ? row[i] * first : row[i] * last;
		*high += row[i] > 0 ? row[i] * last : row[i] * first;
		if (*low < -((int64_t)LARGE * LARGE) || *high > (int64_t)LARGE * LARGE)
			return false;
	}
	int64_t reached = 0;                    /* all from 0 to here are sums of the terms so far */
	for (int32_t k = 0; k < n; k++) {
		if (term[k].coef > reached + 1)
			return false;
		reached += term[k].coef * term[k].values;
	}
	return true;
}

/* How the columns of two guards meet: none is in both; one sum is the other's negative; in any other way. */
enum meeting { APART, OPPOSITE, OTHERWISE };

static enum meeting apart_meet(const struct lt_simplify *t, const int64_t *a, const int64_t *b)
{
	bool meet = false, opposite = true;
	for (int32_t i = 1; i < t->width; i++) {
		meet = meet || (a[i] && b[i]);
		opposite = opposite && a[i] == -b[i];
	}
	return !meet ? APART : opposite ? OPPOSITE : OTHERWISE;
}

static int64_t *digits_guard(const struct lt_simplify *t, int32_t i)
{
	return t->digits.guard + (size_t)i * (size_t)t->width;
}

/* The guards over digits, each in its simplest form; false: one is not over digits, or follows from the box, or never
 * holds. */
static bool digits_guards(struct lt_simplify *t)
{
	for (int32_t i = 0; i < t->n_guard; i++) {
		int64_t *row = digits_guard(t, i);
		memcpy(row, lt__simplify_row(t, t->guard, i), (size_t)t->width * sizeof *row);
		if (!to_digits(t, row) || lt__quasi_guard(&t->digits.q, row) != LT_SIGN_OPEN)
			return false;
	}
	return true;
}

/* The guards of a window, 0 <= y + d - 1 < 14 and 0 <= x + e - 1 < 14: two to a sum, no column in two sums.  What such
 * a sum takes are all integers from its least to its greatest, so that each guard is decided by numbers. */
bool lt__guards_apart(struct lt_simplify *t)
{
	digits_fill(t);
	if (t->limited || !digits_guards(t))
		return false;
	for (int32_t i = 0; i < t->n_guard; i++) {
		const int64_t *row = digits_guard(t, i);
		int64_t low, high, end;
		if (!apart_range(&t->digits, row, &low, &high) || row[0] < -high || row[0] > INT64_MAX / 2)
			return false;
		end = high;                             /* -row[0] <= the sum <= end */
		for (int32_t j = 0; j < t->n_guard; j++) {
			const int64_t *other = digits_guard(t, j);
			enum meeting m = j == i ? APART : apart_meet(t, row, other);
			if (m == OTHERWISE)
				return false;
			if (m == OPPOSITE && other[0] < end)
				end = other[0];
		}
		if (low >= -row[0] || -row[0] > end)    /* it always holds, or never with the other one */
			return false;
	}
	return true;
}

/* -- rows where the guards hold -- */

/* A guard cuts the ends of its digits: c * digit >= -(all else at its most).  Of one digit it cuts what is sure, too;
 * several are tied. */
static bool digits_cut(struct lt_simplify *t, const int64_t *row)
{
	struct lt_digits *d = &t->digits;
	int32_t n = 0;

	for (int32_t i = 1; i < t->width; i++)
		n += row[i] != 0;
	for (int32_t i = 1; i < t->width; i++) {
		int64_t low, high, end, c = row[i];

		if (!c)
			continue;
		memcpy(d->row, row, (size_t)t->width * sizeof *row);
		d->row[i] = 0;
		if (!lt__quasi_range(&d->q, d->row, &low, &high) || high == INT64_MIN || c == INT64_MIN)
			return false;
		end = c > 0 ? -lt__floor_div(high, c) : lt__floor_div(high, -c);
		if (c > 0 && end > d->q.low[i])
			d->q.low[i] = end;
		if (c < 0 && end < d->q.high[i])
			d->q.high[i] = end;
		if (n == 1 && c > 0 && end > d->sure_low[i])
			d->sure_low[i] = end;
		if (n == 1 && c < 0 && end < d->sure_high[i])
			d->sure_high[i] = end;
		d->tied[i] |= n > 1 || d->sure_low[i] > d->sure_high[i];
		if (d->q.low[i] > d->q.high[i])
			return false;
	}
	return true;
}

/* The digits where the guards hold; false: these are not over digits. */
static bool digits_settle(struct lt_simplify *t)
{
	enum { ROUNDS = 2 };

	digits_fill(t);
	if (t->limited)
		return false;
	if (!t->settled)
		return true;
	if (!digits_guards(t))
		return false;
	for (int round = 0; round < ROUNDS; round++)
		for (int32_t i = 0; i < t->n_guard; i++)
			if (!digits_cut(t, digits_guard(t, i)))
				return false;
	return true;
}

/* A digit that has one value leaves the row, or takes the part by which the column over it goes, too: with r = 1, 2q is
 * d - 1. */
static bool digits_pin(const struct lt_simplify *t, int64_t *row)
{
	const struct lt_digits *d = &t->digits;
	int64_t product;

	for (int32_t i = 1; i < t->width; i++)
		if (row[i] && d->q.low[i] == d->q.high[i]) {
			if (__builtin_mul_overflow(row[i], d->q.low[i], &product)
			    || __builtin_add_overflow(row[0], product, &row[0]))
				return false;
			row[i] = 0;
		}
	for (int32_t i = d->n_order - 1; i >= 0; i--) {
		const int32_t at = d->order[i];
		const int64_t c = row[d->over[at]];

		if (!c || d->q.low[at] != d->q.high[at] || c % d->radix[at])
			continue;
		row[at] = c / d->radix[at];
		if (__builtin_mul_overflow(row[at], d->q.low[at], &product)
		    || __builtin_sub_overflow(row[0], product, &row[0]))
			return false;
	}
	return true;
}

bool lt__digits_gist(struct lt_simplify *t, int64_t *row)
{
	int32_t n_div, n_term, n_div2, n_term2;

	if (!digits_settle(t))
		return false;
	memcpy(t->b, row, (size_t)t->width * sizeof *row);
	if (!to_digits(t, t->b) || !digits_pin(t, t->b) || !from_digits(t, t->b))
		return false;
	lt__simplify_weigh(t, row, &n_div, &n_term);
	lt__simplify_weigh(t, t->b, &n_div2, &n_term2);
	if (n_div2 < n_div || (n_div2 == n_div && n_term2 < n_term))
		memcpy(row, t->b, (size_t)t->width * sizeof *row);
	return true;
}

enum lt_decided lt__digits_within(struct lt_simplify *t, const int64_t *row, int64_t den, int64_t *out)
{
	struct lt_digits *d = &t->digits;
	int64_t low = row[0], high = row[0], at, product;
	bool tied = false, known = digits_settle(t);

	memcpy(d->row, row, (size_t)t->width * sizeof *row);
	if (!known || !to_digits(t, d->row))
		return LT_UNDECIDED;
	if (lt__quasi_range(&d->q, d->row, &low, &high) && lt__floor_div(low, den) == lt__floor_div(high, den)) {
		*out = lt__floor_div(low, den);
		return LT_DECIDED_YES;
	}
	low = high = d->row[0];
	for (int32_t i = 1; i < t->width; i++) {
		tied |= d->row[i] && d->tied[i];
		at = d->row[i] > 0 ? d->sure_low[i] : d->sure_high[i];
		if (__builtin_mul_overflow(d->row[i], at, &product) || __builtin_add_overflow(low, product, &low))
			return LT_UNDECIDED;
		at = d->row[i] > 0 ? d->sure_high[i] : d->sure_low[i];
		if (__builtin_mul_overflow(d->row[i], at, &product) || __builtin_add_overflow(high, product, &high))
			return LT_UNDECIDED;
	}
	return tied || lt__floor_div(low, den) == lt__floor_div(high, den) ? LT_UNDECIDED : LT_DECIDED_NO;
}
