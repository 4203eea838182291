/* naive_eval.h -- a graph's values element by element, as slowly and plainly as its definition can be written
 * down.
 *
 * Shares nothing with ir/eval/ except the tables of operators and types.
 */
#ifndef TESTS_NAIVE_EVAL_H
#define TESTS_NAIVE_EVAL_H
#include "ir/graph/graph.h"

struct naive {
	const struct lt_graph *g;
	int64_t *extent, *param;        /* of each var and run-time scalar in this run */
	union lt_scalar **value;        /* of each node, at maximum extents; beyond the extents of this run 0 */
};
/* What an element may be: between low and high, which are equal where the definition leaves no room; not a number: any
 * of both. */
struct naive_range { double low, high; bool nan; };

void naive_open(struct naive *, const struct lt_graph *, const void *const *source);
void naive_close(struct naive *);
/* Takes the values of a node from an array of its type. */
void naive_take(struct naive *, lt_node, const void *data);
/* Next position within the extents of this run; begins with at[] all -1 in the first place. */
bool naive_is_inside(const struct naive *, lt_node, const int64_t *at);
/* Element at[] (by dim) of n from the values of its operands.  stepwise: reductions of floats are rounded at each
 * step. */
union lt_scalar naive_element(const struct naive *, lt_node, const int64_t *at, bool stepwise, struct naive_range *);
/* Of an element with random errors: a range that it has to lie in. */
struct naive_range naive_random(const struct naive *, lt_node, const int64_t *at, double amplify);
#endif
