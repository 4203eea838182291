/* judge.h -- whether a program's results are right: the judge of lt-run --verify, lt-check, lt-bench and the
 * tests.
 *
 * Example: a script with one result, run on some inputs.
 *     lt__judge_new(graph, source, &options, &judge);                 the unoptimised graph, evaluated
 *     lt__judge_instance(judge, instance, input, &report);            each kernel by itself
 *     lt__judge_result(judge, 0, got, &report);                       the whole program, by element and as a whole
 *     if (lt__report_failed(&report)) ...                             report.first is a sentence
 *
 * Three tests, all of which must hold (docs/verify.md):
 *   kernels   each value that is whole in memory between kernels, computed by the oracle from the values that the
 *             backend really left there, within the rigorous bound of rounding in that kernel alone;
 *   noise     Monte Carlo arithmetic: the oracle runs the whole graph again with random errors of LT_JUDGE_NOISE times
 *             the permitted size; an element may be off by LT_JUDGE_WIDEN times the largest deviation of those runs;
 *   norm      each tensor as a whole: its distance from the reference against the distances of the same runs.
 * An element that a rounding to whole numbers made may be one step beside the runs (rounded.c); how many are is a part
 * of the test of norm.  Where no rounding decided otherwise it is judged like all floats, by what the runs are without
 * such decisions.
 * An element that differs and whose tolerance is larger than LT_JUDGE_USELESS of its scale is open: nothing can judge
 * it.  So is any other integer or bool that the runs do not agree on.  An error beyond a tolerance is wrong, however
 * large that is.
 */
#ifndef LT_PROGRAM_JUDGE_JUDGE_H
#define LT_PROGRAM_JUDGE_JUDGE_H
#include "ir/eval/eval.h"
#include "program/run/run.h"

enum {
	LT_JUDGE_NOISE = 8,     /* permitted errors are multiplied by this before they are drawn */
	LT_JUDGE_WIDEN = 2,     /* and the deviations that they make by this: 16 in all */
	LT_JUDGE_RUNS = 5,      /* of the oracle: one with sums rounded at each step, the others random */
	LT_JUDGE_AGAIN = 7,     /* so many more at a time, where something looks wrong */
	LT_JUDGE_MORE = 32      /* the same, before anything is called wrong */
};
/* A tolerance above this share of max(|element|, root mean square of its tensor) judges nothing; of a kernel's bound
 * likewise. */
#define LT_JUDGE_USELESS 0.5
#define LT_JUDGE_LOOSE 0.125

struct lt_judge_options {
	uint64_t seed;                  /* of the random errors */
	uint32_t allows;                /* enum lt_allow: what the program may do; the test of kernels asks it itself */
	/* By node of the graph, as in struct lt_eval_options: lt__program_unrounded.  The test of kernels asks the program
	 * itself.  Borrowed until the judge is freed; NULL: none. */
	const bool *unrounded;
	const uint8_t *rounded;
	uint32_t n_thread;              /* 0: 1 */
	/* As in struct lt_eval_options, with `user`: lt__host_on_threads; NULL: one thread. */
	void (*parallel)(void *user, uint32_t n, void (*body)(void *arg, uint32_t i, uint32_t n), void *arg);
	/* What the oracle does, and which share of it is done; in the calling thread.  May be NULL. */
	void (*progress)(void *user, const char *what, double share);
	void *user;
};

/* The worst of something, and where: "result[3, 4] (%23)". */
struct lt_worst { double value; char at[200]; };
/* What was found; begins as zeros, adds up over several judgements. */
struct lt_report {
	const char *when;               /* the caller's: follows each location, such as " of evaluation 2"; NULL: nothing */
	int64_t elements;               /* of results and states: compared; of them equal, within the noise, open, wrong */
	int64_t equal, judged, open, wrong;
	int64_t kernels, values;        /* values judged by the test of kernels, and by how many kernels they were written */
	/* left: the bound says nothing */
	int64_t kernel_elements, kernel_equal, kernel_judged, kernel_left, kernel_wrong;
	int64_t runs;                   /* of the oracle with errors */
	struct lt_worst absolute, relative;     /* true largest errors of results and states, over all their elements */
	struct lt_worst noise, bound;           /* largest error / tolerance; the same in the test of kernels */
	struct lt_worst norm;                   /* largest relative error of a tensor as a whole */
	double norm_explained;                  /* what rounding may explain of that one */
	int64_t norm_wrong;
	char left[200];                 /* first value that the bound of its kernel leaves to the next test */
	char open_at[200];              /* first open element */
	char first[600];                /* what is wrong first, as a sentence without a full stop; "": nothing */
};
/* Something is wrong; what is open is the caller's to decide. */
static inline bool lt__report_failed(const struct lt_report *r)
{
	return r->wrong > 0 || r->kernel_wrong > 0 || r->norm_wrong > 0;
}

struct lt_judge;
/* Evaluates the graph.  source: as of lt_eval; it and the graph are borrowed until the judge is freed.  The status of
 * the evaluation: a run that the oracle refuses has to be refused alike. */
lt_status lt__judge_new(
	const struct lt_graph *, const void *const *source, const struct lt_judge_options *, struct lt_judge **out);
void lt__judge_free(struct lt_judge *);
/* The reference, without bounds. */
const struct lt_evaluation *lt__judge_reference(const struct lt_judge *);
/* Tests noise and norm: result i; the content of a state after the run.  Rows are laid out at maximum extents; what is
 * beyond an actual extent is passed over.  A status: the oracle could not be run again. */
lt_status lt__judge_result(struct lt_judge *, int32_t i, const void *got, struct lt_report *);
/* Of a result as a whole: what rounding explains, a share of its norm.  For results of other programs, which have
 * tables of functions of their own and are judged by their distance alone. */
lt_status lt__judge_allowed(struct lt_judge *, int32_t i, double *norm);
lt_status lt__judge_state(struct lt_judge *, lt_node state, const void *got, struct lt_report *);

/* Test kernels: one run of a program, whose values are handed over as they are seen. */
struct lt_kernel_judge;
/* source: by node of lt_program.base, as of lt_eval. */
lt_status lt__kernel_judge_new(
	const struct lt_program *, const void *const *source, const struct lt_judge_options *, struct lt_kernel_judge **out);
void lt__kernel_judge_free(struct lt_kernel_judge *);
/* by node of lt_program.base: what is given[kind][binding] */
void lt__kernel_judge_sources(
	const struct lt_program *, const void *const *const given[LT_BINDING_RESULT], const void **source);
/* an lt__seen_fn; copies */
lt_status lt__kernel_judge_see(void *kernel_judge, const struct lt_seen *, const void *data);
lt_status lt__kernel_judge_end(struct lt_kernel_judge *, struct lt_report *);
/* All of it for an instance: makes one run, one step at a time, and puts its states back.  result: room for results,
 * overwritten. */
lt_status lt__judge_instance(struct lt_instance *, const void *const *input, void *const *result,
	const struct lt_judge_options *, struct lt_report *);

/* -- values of a backend against the evaluator's, element by element. */
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
#endif
