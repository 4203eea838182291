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
/* Whether sum >= 0 follows from the params' ranges or from one requirement with the same coefficients. */
bool lt__require_implies(const struct lt_graph *, const struct lt_linear *);
int64_t lt__linear_greatest(const struct lt_graph *, const struct lt_linear *);         /* INT64_MAX on overflow */

/* isl.c: the same question for isl. */
enum lt_bound { LT_BOUND_INSIDE, LT_BOUND_REQUIRES, LT_BOUND_OUTSIDE, LT_BOUND_OPEN, LT_BOUND_TANGLED };
/* larger questions stay open */
enum { LT_BOUND_FORMS = 4, LT_BOUND_PARAMS = 16, LT_BOUND_PIECES = 32, LT_BOUND_DIVS = 64 };
struct lt_boundask {
	lt_node view;
	int32_t piece, row;
	bool past_end;                    /* the end of the axis, not its begin */
	int32_t n_param;                /* the params in question: of the pieces, of the limits of dims */
	lt_param param[LT_BOUND_PARAMS];
	/* LT_BOUND_REQUIRES: all of form[i][0] + sum form[i][1 + k] * param[k] >= 0.  LT_BOUND_OUTSIDE: where, as
	 * params and dims. */
	int32_t n_form;
	int64_t form[LT_BOUND_FORMS][1 + LT_BOUND_PARAMS];
	int64_t point[LT_BOUND_PARAMS + LT_MAX_RANK];
};
enum lt_bound lt__isl_bound(const struct lt_graph *, struct lt_boundask *);
#endif
