/* eval.h -- the oracle: values of an unoptimised graph by its index functions.
 *
 * It knows nothing of passes, trees, isl or backends.  Each operator, and each whole reduction, is computed in
 * double (integers exactly) and then rounded to the node's type.  With each value it can give a bound of the
 * error that any conforming backend may have there (operator table: error and ulp; length of the reductions).
 * Or it draws the errors that are permitted at random: how far the values of several such runs lie apart is what
 * rounding explains (Monte Carlo arithmetic).
 */
#ifndef LT_IR_EVAL_EVAL_H
#define LT_IR_EVAL_EVAL_H
#include "ir/graph/graph.h"

struct lt_evaluation;
enum lt_eval_mode {
	LT_EVAL_EXACT,          /* the reference: each operator and each whole reduction in double, then rounded to its type */
	/* as a plain program would: sums and products too are rounded to the type at each step, in index order */
	LT_EVAL_NEAREST,
	/* Monte Carlo arithmetic: each inexact rounding, and each function's permitted error, is a random one */
	LT_EVAL_RANDOM
};
struct lt_eval_options {        /* zero: the defaults */
	enum lt_eval_mode mode;
	bool want_error;                /* EXACT: rigorous bounds with the values */
	uint64_t seed;                  /* RANDOM: equal seeds give equal values, whatever the number of threads */
	/* enum lt_allow: what backends may do to products, which bounds, the mode NEAREST and random errors then grant */
	uint32_t allows;
	/* By node: casts whose rounding a backend may leave out before what reads them, since they are between two operators
	 * of a call (lt_call_op.may_skip).  Bounds grant either value; without bounds all of them are left out, but none of
	 * what is wanted.  NULL: none. */
	const bool *unrounded;
	/* By node: the enum lt_dtype that a call may round it to, though the graph does not, 0: none.  Bounds grant either
	 * value; without bounds all of them are rounded.  NULL: none. */
	const uint8_t *rounded;
	/* By node: the number of the call that computes it, 0: none does.  What is unrounded and given was rounded: only
	 * nodes of the same call read what it was before.  NULL: none is in a call. */
	const int32_t *call;
	double amplify;                 /* RANDOM: random errors are this many times the permitted ones; 0 counts as 1 */
	/* By node: values of further nodes that are known (dense, row-major, dims at their maximum).  Readers take these
	 * instead of computing them.  NULL: none. */
	const void *const *given;
	/* Nodes to compute; one that is also given is computed from its operands, and its readers still take the given
	 * value.  NULL: the results and the states' new contents. */
	const lt_node *want;
	int32_t n_want;
	/* Called for each wanted node as soon as it is computed, in the calling thread; value and error live during the call.
	 * error: as of lt_eval_result.  A status other than LT_OK ends the evaluation with it.  NULL: the values are kept. */
	lt_status (*done)(void *user, const struct lt_evaluation *, lt_node, const void *value, const double *error);
	/* body(arg, i, n) for i in 0..n-1, each once, possibly at once on several threads; NULL: one thread. */
	void (*parallel)(void *user, uint32_t n, void (*body)(void *arg, uint32_t i, uint32_t n), void *arg);
	uint32_t n_thread;              /* 0 counts as 1 */
	/* Share of the work that is done, 0..1, now and then, in the calling thread; NULL: not reported. */
	void (*progress)(void *user, double share);
	void *user;                     /* of done, parallel and progress */
};
/* source[i]: data of node i in its dtype, row-major with bounded dims at their maximum, for each input, constant
 * and state (others NULL).  All data is borrowed for the call.
 * LT_EFAULT: a parameter out of its range, a requirement not met, a gather out of range (RANDOM takes the nearest
 * element then: only a random error can lead there if the reference does not fail). */
lt_status lt_eval_with(
	const struct lt_graph *, const void *const *source, const struct lt_eval_options *, struct lt_evaluation **out);
/* The reference on one thread.  want_error: also compute bounds. */
lt_status lt_eval(const struct lt_graph *, const void *const *source, bool want_error, struct lt_evaluation **out);
void lt_eval_free(struct lt_evaluation *);
/* Of result i, of the new content of state set i, of a wanted node: elements in dtype, row-major at maximum extents;
 * elements beyond a bounded extent are 0.  error: one double an element, NULL if not wanted; infinity: no statement can
 * be made.  NULL where the node was not wanted, or went to done. */
const void *lt_eval_result(const struct lt_evaluation *, int32_t i, const double **error);
const void *lt_eval_state(const struct lt_evaluation *, int32_t i, const double **error);
const void *lt_eval_value(const struct lt_evaluation *, lt_node, const double **error);
/* Actual extent of a var in this evaluation. */
int64_t lt_eval_extent(const struct lt_evaluation *, lt_var);
#endif
