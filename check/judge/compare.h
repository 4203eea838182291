/* compare.h -- values of a backend against the evaluator's, element by element. */
#ifndef LT_CHECK_JUDGE_COMPARE_H
#define LT_CHECK_JUDGE_COMPARE_H
#include "ir/eval/eval.h"

/* Whether element i of `got` may stand for that of `want`: equal, both NaN, or within the bound.  An infinity counts as
 * the largest number of the type and half a step more, since what overflows on one side may have just not done so on
 * the other.  A bool is 0 or 1. */
bool lt__is_near(const void *got, const void *want, int64_t i, enum lt_dtype, double bound);
/* |a - b|, which may not fit int64. */
double lt__integer_distance(int64_t a, int64_t b, enum lt_dtype);
/* How far element i of `got` is from that of `want`: 0 where both are NaN; lt__float_distance; a bool that is neither 0
 * nor 1: infinity. */
double lt__distance(const void *got, const void *want, int64_t i, enum lt_dtype);
/* |element i|; 0 of a NaN or an infinity. */
double lt__magnitude(const void *data, int64_t i, enum lt_dtype);
/* x*x, at most a number whose sums stay finite. */
double lt__square(double x);
/* Steps through the elements of a node that are within a run's extents: at[] (zeros at first) is the index, flat its
 * place in memory. */
bool lt__next_element(const struct lt_graph *, const struct lt_evaluation *, lt_node, int64_t *at, int64_t *flat);
/* Of the magnitudes of all elements within a run's extents; 0: there are none. */
double lt__root_mean_square(const struct lt_graph *, const struct lt_evaluation *, lt_node, const void *data);
bool lt__is_empty(const struct lt_graph *, const struct lt_evaluation *, lt_node);
/* "%.9g", or a whole number. */
const char *lt__element_text(const void *data, int64_t i, enum lt_dtype, char *out, size_t bytes);
#endif
