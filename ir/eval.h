/* ir/eval.h -- the oracle: values of an unoptimised graph by its index functions.
 *
 * It knows nothing of passes, trees, isl or backends.  Each operator, and each whole reduction, is computed in
 * double (integers exactly) and then rounded to the node's type.  Beside each value it can give a bound of the
 * error that any conforming backend may have there (operator table: error and ulp; length of the reductions).
 */
#ifndef LT_IR_EVAL_H
#define LT_IR_EVAL_H
#include "ir/graph.h"

struct lt_evaluation;
/* source[i]: data of node i in its dtype, row-major with bounded dims at their maximum, for each input, constant
 * and state (others NULL).  Data is borrowed for the call.  want_error: also compute bounds.
 * LT_EFAULT: a parameter out of its range, a requirement not met, a gather out of range. */
lt_status lt_eval(const struct lt_graph *, const void *const *source, bool want_error, struct lt_evaluation **out);
void lt_eval_free(struct lt_evaluation *);
/* Of result i, or of the new content of state set i: elements in dtype, row-major at maximum extents; elements beyond a
 * bounded extent are 0.  error: one double an element, NULL if not wanted; infinity: no statement can be made. */
const void *lt_eval_result(const struct lt_evaluation *, int32_t i, const double **error);
const void *lt_eval_state(const struct lt_evaluation *, int32_t i, const double **error);
/* Actual extent of a var in this evaluation. */
int64_t lt_eval_extent(const struct lt_evaluation *, lt_var);
#endif
