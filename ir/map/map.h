/* map.h -- quasi-affine maps (struct lt_map): applied, composed, simplified; and their ranges. */
#ifndef LT_IR_MAP_MAP_H
#define LT_IR_MAP_MAP_H
#include <stdbool.h>
#include <stdint.h>
#include "ir/graph/graph.h"

/* -- exact quasi-affine maps (struct lt_map): apply, compose, simplify.
 *
 * A map is plain integers (lt/graph.h).  Applying and composing need no more; simplifying asks isl.
 */
/* map.c: plain arithmetic, no isl. */
/* Value at a point.  param: value of each of the map's n_param columns.  Returns whether all guards hold;
 * out (n_row) is filled only then.  Uses floor division; overflow wraps (sizes were checked when built). */
bool lt__map_apply(const struct lt_map *, const int64_t *param, const int64_t *dim, int64_t *out);
struct lt_map lt__map_identity(struct lt_arena *, int32_t n);
/* The map of a dim list: n_row rows, row i = dim column at[i] (of n_dim) + constant add[i] (add NULL: 0). */
struct lt_map lt__map_select(struct lt_arena *, int32_t n_dim, int32_t n_row, const int32_t *at, const int64_t *add);
/* inner after outer: rows of `inner` over the rows of `outer`; guards of both, outer's first.  Exact.
 * LT_EOVERFLOW if a coefficient exceeds 63 bits. */
lt_status lt__map_compose(struct lt_context *, struct lt_arena *, const struct lt_map *outer,
	const struct lt_map *inner, struct lt_map *out);
struct lt_map lt__map_copy(struct lt_arena *, const struct lt_map *);
bool lt__map_equal(const struct lt_map *, const struct lt_map *);

/* simplify.c, which asks isl through affine.c.  The box: 0 <= dim i < extent[i], and for a bounded dim also <
 * limit row over the params (limit[i] NULL: none); low <= param <= high from the graph. */
struct lt_box { int32_t n; const int64_t *extent; const struct lt_linear *const *limit; };
/* Removes guards implied by the box and the other guards, rewrites rows and divs to their simplest form on
 * the domain, drops unused params and divs and numbers the others as the text names them.  *empty: no point of the box
 * satisfies the guards.  A map without guards and divs, or a huge one, stays as it is. */
lt_status lt__map_simplify(
	const struct lt_graph *, struct lt_arena *, const struct lt_box *, struct lt_map *map, bool *empty);

/* -- range.c: how large the numbers are that the rows of a map give.
 *
 * A row fits if neither it, nor any part of its sum in any order, nor a coefficient exceeds 62 bits wherever the dims
 * are within their extents and the params within their ranges, guards or not.  Every row of a graph fits, and so does
 * every row that is made of them: what evaluates, prints or negates one needs no check any more.
 */
#define LT_ROW_MAX ((INT64_C(1) << 62) - 1)

/* Where a map does not fit: a floor division, a guard or a row, and its column; -1: the constant. */
enum lt_unfit_kind { LT_UNFIT_DIV, LT_UNFIT_GUARD, LT_UNFIT_ROW };
struct lt_unfit { enum lt_unfit_kind kind; int32_t number, column; };

/* Adds coef times [low, high] to the ends between which the parts of a sum are; false: 62 bits are exceeded. */
bool lt__span_add(int64_t coef, int64_t low, int64_t high, int64_t *min, int64_t *max);
/* Least and greatest value of a row that fits. */
void lt__row_values(
	const int64_t *row, int32_t n, const int64_t *low, const int64_t *high, int64_t *min, int64_t *max);
/* Whether all divs, guards and rows of a map fit; extent: of its dims.  why may be NULL.  low, high: room for a number
 * a column, which are given the ranges of the columns. */
bool lt__map_columns(const struct lt_graph *, const int64_t *extent, const struct lt_map *, int64_t *low, int64_t *high,
	struct lt_unfit *why);
/* Whether the places in memory fit that the rows mean in `from`; low, high: of the columns. */
bool lt__map_fits_memory(const struct lt_graph *, const struct lt_nodedef *from, const struct lt_map *,
	const int64_t *low, const int64_t *high);
/* Whether they fit, and so does the place in memory that they mean in `from` (NULL: in nothing).  The
 * arena gives room. */
bool lt__piece_fits(const struct lt_graph *, struct lt_arena *, const int64_t *extent, const struct lt_nodedef *from,
	const struct lt_map *);
/* Whether a sum over params fits. */
bool lt__linear_fits(const struct lt_graph *, const struct lt_linear *);

/* -- quasi.c: rewriting quasi-affine expressions by plain arithmetic: floors, guards, ranges.
 *
 * An expression is a row of int64 coefficients over [1 | params | dims | divs]; div k is floor(num[k] / den[k]) over
 * earlier columns.  Every rewriting is exact at each point whose columns lie in [low, high]; one that would exceed
 * 63 bits sets `overflow`, and the caller then keeps what it had.
 */
struct lt_quasi {
	int32_t n_base, n_div, cap_div, width;  /* n_base = 1 + params + dims; width = n_base + cap_div */
	int64_t *low, *high;                    /* width: what each column may be */
	int64_t *den, *num;                     /* cap_div; cap_div x width */
	int64_t *temp;                          /* 2 x width, of the functions below */
	bool overflow;
	/* May be NULL: whether floor(row / den) is one number, which is put out, at all points in question, where intervals
	 * do not decide. */
	bool (*within)(void *user, const int64_t *row, int64_t den, int64_t *out);
	void *user;
};

/* int64 numbers that `lt__quasi_init` needs for rows over n_base columns and up to cap_div divs. */
size_t lt__quasi_numbers(int32_t n_base, int32_t cap_div);
void lt__quasi_init(struct lt_quasi *, int32_t n_base, int32_t cap_div, int64_t *numbers);
/* Bounds of a row by intervals, x - d*floor(x/d) known to be in [0, d); false: none within 63 bits. */
bool lt__quasi_range(const struct lt_quasi *, const int64_t *row, int64_t *low, int64_t *high);

/* The columns of a map in the order in which its text names them: rows, then guards; in each expression dims, params,
 * divs, a div after what is in it.  Writes the numbers of the used params (n_param at most) and divs, and their
 * counts.  scratch: 3 * n_div + n_param numbers. */
void lt__map_appearance(
	const struct lt_map *, int32_t *param, int32_t *n_param, int32_t *div, int32_t *n_div, int32_t *scratch);
#endif
