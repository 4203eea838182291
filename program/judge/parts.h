/* parts.h -- what the files of the judge share; included by them only. */
#ifndef LT_PROGRAM_JUDGE_PARTS_H
#define LT_PROGRAM_JUDGE_PARTS_H
#include "program/judge/judge.h"

/* What the callbacks of an evaluation are for. */
struct lt_judge_work { const struct lt_judge_options *o; char what[40]; void *user; };
/* Fills the parts of `eval` that have to do with threads and progress; both live as long as the evaluation. */
void lt__judge_threads(const struct lt_judge_options *, struct lt_judge_work *, struct lt_eval_options *eval);
void lt__judge_progress(void *work, double share);
void lt__judge_parallel(void *work, uint32_t n, void (*body)(void *arg, uint32_t i, uint32_t n), void *arg);
/* "state cache[3, 4] (%23) of evaluation 2": element `flat` of a node, at maximum extents. */
const char *lt__judge_location(const struct lt_graph *, lt_node, const char *kind, const char *name, int64_t flat,
	const char *when, char *out, size_t bytes);
/* got - want of element i; infinity where one of them is no number. */
double lt__signed_distance(const void *got, const void *want, int64_t i, enum lt_dtype);

/* -- rounded.c: the last roundings to whole numbers before the results. */
struct lt_rounded {
	const struct lt_graph *g;
	lt_node *round; int32_t n_round;
	lt_node *given; int32_t n_given;        /* sums and products before results without a rounding between them */
	lt_node *want; int32_t n_want;          /* of an evaluation: results, states' new contents, and what is used here */
	unsigned char **moved;          /* by rounding: elements whose operand moved in a run */
	/* By result, then by state set: by how much an element moves with its last roundings, 0: not at all.  NULL: none. */
	double **step;
	/* Of results whose elements each read one element of one rounding: the least that an element moves by where that
	 * goes up or down; NULL: none, or not known. */
	double **least;
	bool *alone;                    /* by output: each element reads one of one rounding at most */
	/* By output: what the tail gave last, of lt__rounded_hold what the run has with the roundings of the reference; NULL:
	 * not known. */
	const void **held;
	struct lt_evaluation *tail;
};
/* NULL: the results are made of no rounding. */
lt_status lt__rounded_new(const struct lt_graph *, struct lt_rounded **out);
void lt__rounded_free(struct lt_rounded *);
/* Both of `want`. */
lt_status lt__rounded_add_run(
	struct lt_rounded *, const struct lt_evaluation *reference, const struct lt_evaluation *run);
/* The run, which the options gave, with the last roundings of the reference: held, while the run is there. */
lt_status lt__rounded_hold(struct lt_rounded *, const void *const *source, const struct lt_eval_options *of_run,
	const struct lt_evaluation *reference, const struct lt_evaluation *run);
/* By the runs so far. */
lt_status lt__rounded_find_steps(
	struct lt_rounded *, const void *const *source, const struct lt_evaluation *reference);
#endif
