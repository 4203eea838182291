/* range.h -- how large the numbers are that the rows of a map give.
 *
 * A row fits if neither it, nor any part of its sum in any order, nor a coefficient exceeds 62 bits wherever the dims
 * are within their extents and the params within their ranges, guards or not.  Every row of a graph fits, and so does
 * every row that is made of them: what evaluates, prints or negates one needs no check any more.
 */
#ifndef LT_IR_MAP_RANGE_H
#define LT_IR_MAP_RANGE_H
#include "ir/graph/graph.h"

#define LT_ROW_MAX ((INT64_C(1) << 62) - 1)

/* Where a map does not fit: a floor division, a guard or a row, and its column; -1: the constant. */
enum lt_unfit_kind { LT_UNFIT_DIV, LT_UNFIT_GUARD, LT_UNFIT_ROW };
struct lt_unfit { enum lt_unfit_kind kind; int32_t number, column; };

/* Adds coef times [low, high] to the ends between which the parts of a sum are; false: 62 bits are exceeded. */
bool lt__span_add(int64_t coef, int64_t low, int64_t high, int64_t *min, int64_t *max);
/* The span of a row of n columns whose values are within [low, high] (of column 0: 1), or that which does not fit in
 * *column. */
bool lt__row_span(const int64_t *row, int32_t n, const int64_t *low, const int64_t *high, int64_t *min, int64_t *max,
	int32_t *column);
/* Least and greatest value of a row that fits. */
void lt__row_values(
	const int64_t *row, int32_t n, const int64_t *low, const int64_t *high, int64_t *min, int64_t *max);
/* Whether all divs, guards and rows of a map fit; extent: of its dims.  why may be NULL.  low, high: room for a number
 * a column, which are given the ranges of the columns. */
bool lt__map_columns(const struct lt_graph *, const int64_t *extent, const struct lt_map *, int64_t *low, int64_t *high,
	struct lt_unfit *why);
/* ir/bounds/fit.c: whether they fit, and so does the place in memory that they mean in `from` (NULL: in nothing).  The
 * arena gives room. */
bool lt__piece_fits(const struct lt_graph *, struct lt_arena *, const int64_t *extent, const struct lt_nodedef *from,
	const struct lt_map *);
/* Whether a sum over params fits. */
bool lt__linear_fits(const struct lt_graph *, const struct lt_linear *);
#endif
