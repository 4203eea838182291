/* range.c -- how large the numbers are that the rows of a map give. */
#include "ir/map/map.h"

static bool within(int64_t x) { return x >= -LT_ROW_MAX && x <= LT_ROW_MAX; }

/* The ends only move apart, so that every sum of some of the terms is between them. */
bool lt__span_add(int64_t coef, int64_t low, int64_t high, int64_t *min, int64_t *max)
{
	int64_t a, b;

	if (!within(coef) || lt__mul_overflow(coef, coef < 0 ? high : low, &a)
		|| lt__mul_overflow(coef, coef < 0 ? low : high, &b) || lt__add_overflow(*min, a < 0 ? a : 0, min)
		|| lt__add_overflow(*max, b > 0 ? b : 0, max))
		return false;
	return *min >= -LT_ROW_MAX && *max <= LT_ROW_MAX;
}

/* The span of a row of n columns whose values are within [low, high] (of column 0: 1), or that which does not fit in
 * *column. */
static bool row_span(const int64_t *row, int32_t n, const int64_t *low, const int64_t *high, int64_t *min, int64_t *max,
	int32_t *column)
{
	*min = *max = 0;
	for (int32_t i = 0; i < n; i++)
		if (row[i] && !lt__span_add(row[i], i ? low[i] : 1, i ? high[i] : 1, min, max)) {
			*column = i ? i : -1;
			return false;
		}
	return true;
}

void lt__row_values(
	const int64_t *row, int32_t n, const int64_t *low, const int64_t *high, int64_t *min, int64_t *max)
{
	*min = *max = row[0];
	for (int32_t i = 1; i < n; i++) {
		*min += row[i] * (row[i] < 0 ? high[i] : low[i]);
		*max += row[i] * (row[i] < 0 ? low[i] : high[i]);
	}
}

static bool unfit(struct lt_unfit *why, enum lt_unfit_kind kind, int32_t number, int32_t column)
{
	if (why)
		*why = (struct lt_unfit){ kind, number, column };
	return false;
}

bool lt__map_columns(const struct lt_graph *g, const int64_t *extent, const struct lt_map *m, int64_t *low,
	int64_t *high, struct lt_unfit *why)
{
	int32_t width = lt__map_width(m), base = 1 + m->n_param + m->n_dim, column;
	int64_t min, max;

	low[0] = high[0] = 1;
	for (int32_t i = 0; i < m->n_param; i++) {
		low[1 + i] = g->param[m->param[i]].low;
		high[1 + i] = g->param[m->param[i]].high;
	}
	for (int32_t i = 0; i < m->n_dim; i++) {
		low[1 + m->n_param + i] = 0;
		high[1 + m->n_param + i] = extent[i] - 1;
	}
	for (int32_t k = 0; k < m->n_div; k++) {
		const int64_t *div = m->div + (int64_t)k * (1 + width);

		if (!within(div[0]))
			return unfit(why, LT_UNFIT_DIV, k, -1);
		if (!row_span(div + 1, base + k, low, high, &min, &max, &column))
			return unfit(why, LT_UNFIT_DIV, k, column);
		lt__row_values(div + 1, base + k, low, high, &min, &max);
		low[base + k] = lt__floor_div(min, div[0]);
		high[base + k] = lt__floor_div(max, div[0]);
	}
	for (int32_t i = 0; i < m->n_guard; i++)
		if (!row_span(m->guard + (int64_t)i * width, width, low, high, &min, &max, &column))
			return unfit(why, LT_UNFIT_GUARD, i, column);
	for (int32_t i = 0; i < m->n_row; i++)
		if (!row_span(m->row + (int64_t)i * width, width, low, high, &min, &max, &column))
			return unfit(why, LT_UNFIT_ROW, i, column);
	return true;
}

/* The bytes from the begin of the source to what the rows mean, in any order of its dims; of the widest type, since
 * passes read through casts. */
bool lt__map_fits_memory(const struct lt_graph *g, const struct lt_nodedef *from, const struct lt_map *m,
	const int64_t *low, const int64_t *high)
{
	int64_t unit = 8, min = 0, max = 0;
	int32_t width = lt__map_width(m), column;

	for (int32_t r = m->n_row - 1; r >= 0; r--) {
		int64_t row_min, row_max;

		if (!row_span(m->row + (int64_t)r * width, width, low, high, &row_min, &row_max, &column)
		    || !lt__span_add(unit, row_min, row_max, &min, &max))
			return false;
		if (r > 0 && lt__mul_overflow(unit, g->var[from->dim[r]].extent, &unit))
			return false;
	}
	return true;
}

bool lt__piece_fits(const struct lt_graph *g, struct lt_arena *arena, const int64_t *extent,
	const struct lt_nodedef *from, const struct lt_map *m)
{
	int64_t own[128], *at = own;
	size_t width = (size_t)lt__map_width(m);

	if (2 * width > sizeof own / sizeof *own)
		at = LT_NEW(arena, int64_t, 2 * width);
	return lt__map_columns(g, extent, m, at, at + width, NULL)
		&& (!from || lt__map_fits_memory(g, from, m, at, at + width));
}

bool lt__linear_fits(const struct lt_graph *g, const struct lt_linear *l)
{
	int64_t min = 0, max = 0;
	bool fits = lt__span_add(l->constant, 1, 1, &min, &max);

	for (int32_t i = 0; fits && i < l->n; i++)
		fits = lt__span_add(l->coef[i], g->param[l->param[i]].low, g->param[l->param[i]].high, &min, &max);
	return fits;
}
