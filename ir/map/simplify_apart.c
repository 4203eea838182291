/* simplify_apart.c -- guards of which none follows from the others, found without isl.
 *
 * The guards of a window, 0 <= y + d - 1 < 14 and 0 <= x + e - 1 < 14: two to a sum, no column in two sums.  What such
 * a sum takes are all integers from its least to its greatest, so that each guard is decided by numbers.
 */
#include <stdlib.h>
#include "ir/map/simplify.h"

/* The sum's least and greatest number over the box; false: it may step over some between them, or they are large. */
static bool apart_range(const struct lt_simplify *t, const int64_t *row, int64_t *low, int64_t *high)
{
	enum { MAX_TERMS = 8, LARGE = 1 << 30 };
	struct { int64_t coef, values; } term[MAX_TERMS];
	int32_t n = 0;
	*low = *high = 0;
	for (int32_t i = 1; i < t->q.n_base; i++) {
		if (!row[i])
			continue;
		const bool dim = i > t->map->n_param;
		const struct lt_paramdef *p = dim ? NULL : &t->g->param[t->map->param[i - 1]];
		const int64_t first = p ? p->low : 0, last = p ? p->high : t->box->extent[i - 1 - t->map->n_param] - 1;
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

bool lt__guards_apart(const struct lt_simplify *t)
{
	for (int32_t i = 0; i < t->n_guard; i++) {
		const int64_t *row = lt__simplify_row(t, t->guard, i);
		int64_t low, high, end;
		for (int32_t k = t->q.n_base; k < t->width; k++)
			if (row[k])
				return false;           /* a floor */
		if (t->limited || !apart_range(t, row, &low, &high) || row[0] < -high || row[0] > INT64_MAX / 2)
			return false;
		end = high;                             /* -row[0] <= the sum <= end */
		for (int32_t j = 0; j < t->n_guard; j++) {
			const int64_t *other = lt__simplify_row(t, t->guard, j);
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
