/* bounds.h -- whether what a node reads or replaces lies within its source.
 *
 * Each row of each piece of a view has to be an index of its source's axis wherever the piece is shown; where only
 * run-time scalars decide, a requirement says so, which a run is refused by before its first kernel.  Intervals answer
 * most questions, isl the others, within a budget: what it does not answer is refused.
 */
#ifndef LT_IR_BOUNDS_BOUNDS_H
#define LT_IR_BOUNDS_BOUNDS_H
#include "ir/graph/graph.h"

/* bounds.c */
/* Whether the rows of a view, or the offsets of an update, fit 62 bits. */
lt_status lt__bounds_fit(const struct lt_graph *, lt_node);
/* Refuses a node that leaves its source; where scalars decide, requirements are added (add) or have to be there. */
lt_status lt__bounds_check(const struct lt_graph *, lt_node, struct lt_graph *add);

/* require.c: requirements, and which of them are known by their sums. */
void lt__require_append(struct lt_graph *, const struct lt_require *);
/* All of them; they speak of params only, which have to have the same numbers there. */
void lt__requires_copy(const struct lt_graph *from, struct lt_graph *to);
#endif
