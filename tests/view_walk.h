/* view_walk.h -- what a read of a value gives, found by walking its views point by point; the other side of the
 * comparison with access analysis. */
#ifndef LT_VIEW_WALK_H
#define LT_VIEW_WALK_H
#include "check/random/random.h"

/* What a read gives: an element of a stored value, typed bits, or a position. */
struct walk_found { lt_node base; int64_t at[LT_MAX_RANK]; uint64_t bits; int64_t position; };
/* The rows and guards of a map at a point, by the text of lt/graph.h alone. */
bool walk_apply(const struct lt_map *, const int64_t *param, const int64_t *dim, int64_t *out);
/* Element `at` of a node, through its views. */
void walk_views(const struct lt_graph *, const int64_t *param, lt_node, const int64_t *at, struct walk_found *);
/* The next point of a box; false after the last. */
bool walk_next(int32_t n, const int64_t *extent, int64_t *at);
/* Extent of a var with these params. */
int64_t walk_extent(const struct lt_graph *, const int64_t *param, lt_var);
/* Values of the params that keep every requirement and leave no dim beyond its maximum; false: none found. */
bool walk_params(const struct lt_graph *, uint64_t *rng, int64_t *param);

/* A random graph, lowered without passes (odd seeds) or with them. */
struct walk_graph { struct lt_context *ctx; struct random_graph r; struct lt_graph *live, *g; };
struct walk_graph walk_lower(uint64_t seed);
void walk_free(struct walk_graph *);
#endif
