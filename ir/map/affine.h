/* affine.h -- exact quasi-affine maps (struct lt_map): apply, compose, simplify.
 *
 * A map is plain integers (lt/graph.h).  Applying and composing need no more; simplifying asks isl.
 */
#ifndef LT_IR_MAP_AFFINE_H
#define LT_IR_MAP_AFFINE_H
#include "ir/graph/graph.h"

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
/* No guards and no divs: every row a single dim with coefficient 1 and constant 0, or (extent 1 source) 0. */
bool lt__map_is_identity(const struct lt_map *);        /* n_row == n_dim and row i = dim i, no guards */

/* simplify.c, which asks isl through affine.c.  The box: 0 <= dim i < extent[i], and for a bounded dim also <
 * limit row over the params (limit[i] NULL: none); low <= param <= high from the graph. */
struct lt_box { int32_t n; const int64_t *extent; const struct lt_linear *const *limit; };
/* Removes guards implied by the box and the other guards, rewrites rows and divs to their simplest form on
 * the domain, drops unused params and divs and numbers the others as the text names them.  *empty: no point of the box
 * satisfies the guards.  A map without guards and divs, or a huge one, stays as it is. */
lt_status lt__map_simplify(
	const struct lt_graph *, struct lt_arena *, const struct lt_box *, struct lt_map *map, bool *empty);
/* Least and greatest value of each row over the points of the box that satisfy the guards (bounds that are
 * reached, or safe ones for rows with divs); false if there are no points. */
bool lt__map_range(const struct lt_graph *, const struct lt_box *, const struct lt_map *, int64_t *low, int64_t *high);
#endif
