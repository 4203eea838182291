/* lt/verify.h -- whether results are right, up to rounding: what lt-run --verify says (docs/verify.md).
 *
 *     struct lt_verifier *v;
 *     lt_verifier_new(graph, program, NULL, NULL, &v); the graph as it was parsed, the program made of it
 *     lt_verifier_run(v, instance, input, result);               one run, each kernel and all results judged
 *     const struct lt_verified *found = lt_verifier_report(v);
 *     found->verdict, found->first ...
 *     lt_verifier_free(v);
 *
 * The reference is an evaluator of the graph that knows nothing of passes, loop trees or backends.  There are three
 * tests: each kernel by itself, within a bound of its rounding; each element of each result and state, against what
 * random rounding errors do to it; each of these tensors as a whole.  Without a program the first one is left out:
 * so results of any other program, or library, are judged (lt_verifier_evaluate, lt_verifier_result).
 *
 * Data.       Host memory, row-major, each axis at its largest extent, as of lt_instance_run; also where the program
 *             has it: lt_options.on_device has to be NULL.
 * States.     The verifier has copies of its own: zeros at first, then what the program's were when they were last
 *             judged, or what lt_verifier_states or lt_verifier_set_state gave it.  So each run is judged by itself,
 *             and a state that changes between two is found.
 * Ownership.  The graph, the program and the constants are borrowed until lt_verifier_free; what is given to one call,
 *             for that call, except that inputs are lent from lt_verifier_evaluate until the next one, or
 *             lt_verifier_free.  It is freed before the graph and the program.
 * Threads.    All are calls on the graph's context, which is the program's: one thread at a time.  The instance is in
 *             use during the call.
 * Failures.   Reported to the context.  What is found wrong is no failure: the call is LT_OK, and the report has it.
 *             LT_ECANCELLED: lt_context_cancel is asked some fifty times a second while the evaluator works, and
 *             lt_instance_cancel between kernels.  After a failure the report is what was found until then.
 */
#ifndef LT_VERIFY_H
#define LT_VERIFY_H
#include "lt/program.h"

#ifdef __cplusplus
extern "C" {
#endif

struct lt_verifier;
/* All zero: the defaults; size must be sizeof (struct lt_verify_options). */
struct lt_verify_options {
	uint32_t size;
	uint32_t n_thread;              /* of the evaluator; 0: as many as there are processors */
	uint32_t allow_open;            /* 1: what nothing can judge (lt_verified.open) is no reason not to pass */
	uint32_t seed;                  /* of the random errors; 0: 1 */
	/* Called as the evaluator works (with user): what it does, and which share of that is done, 0 to 1.  On the thread
	 * that called, and it calls nothing of this library.  May be NULL. */
	void (*progress)(void *user, const char *what, double share);
	void *user;
};
/* OPEN: nothing is wrong, but elements differ where rounding may explain any value. */
enum lt_verdict { LT_VERDICT_PASSED, LT_VERDICT_FAILED, LT_VERDICT_OPEN };
/* What was found since the verifier was made, or lt_verifier_clear.  Places are texts such as "y[3, 4] (%23) of run 2";
 * "": there is none.  Errors are absolute unless it is said; of a tensor as a whole they are distances, as shares of
 * its norm. */
struct lt_verified {
	uint32_t size;
	enum lt_verdict verdict;
	const char *first;              /* what is wrong first, a sentence without a full stop; "": nothing is */
	const char *open_at;            /* the first open element */
	/* Elements of results and states: compared; of them equal, within what rounding explains, open, wrong. */
	int64_t elements, equal, judged, open, wrong;
	/* The test of kernels: values and the kernels that wrote them; elements compared; of them equal, within the bound,
	 * left to the next test because their bound says nothing, wrong. */
	int64_t kernels, values, kernel_elements, kernel_equal, kernel_judged, kernel_left, kernel_wrong;
	const char *left;               /* the first value that is left so */
	int64_t runs, widened;          /* of the evaluator with random errors, and how many times these are widened */
	int64_t norm_wrong;             /* tensors that are wrong as a whole */
	double absolute, relative;      /* largest errors of results and states, over all their elements */
	double noise, bound;            /* largest error over tolerance; the same in the test of kernels */
	double norm, norm_explained;    /* largest error of a tensor as a whole; what rounding may explain of that one */
	const char *absolute_at, *relative_at, *noise_at, *bound_at, *norm_at;
	uint32_t tf32;                  /* 1: products of float32 may drop all but 10 bits of their factors' fractions */
	uint32_t n_unrounded;           /* roundings between operators that calls of routines may leave out */
	uint32_t n_added;               /* values that calls may round where the graph does not */
	uint32_t reserved;
};

/* graph: as it was parsed, before any pass.  program: compiled of it; NULL: none, and only lt_verifier_evaluate,
 * lt_verifier_result and lt_verifier_state are of use.  constant[i], by number in the graph, which is that of the
 * program's; NULL, or constant NULL: the content that the program was given (lt_program_bind) or the graph has.
 * LT_EMISSING: one that is needed is nowhere, or is given by a function (lt_program_bind_fill) and not in the host's
 * memory. */
LT_API lt_status lt_verifier_new(const struct lt_graph *, const struct lt_program *,
	const void *const *constant, const struct lt_verify_options *, struct lt_verifier **out);
LT_API void lt_verifier_free(struct lt_verifier *);             /* NULL: nothing */
/* What follows each place from now on, such as " of run 2"; copied; NULL: nothing. */
LT_API void lt_verifier_name(struct lt_verifier *, const char *);

/* All of it: the verifier takes the instance's states, judges each kernel in a run of its own, puts the states back,
 * runs, and judges results and states.  input, result: as of lt_instance_run; result then has the run's. */
LT_API lt_status lt_verifier_run(
	struct lt_verifier *, struct lt_instance *, const void *const *input, void *const *result);
/* The steps of it, for who makes the run.  kernels: before that run; result: room, overwritten.  results: after it. */
LT_API lt_status lt_verifier_states(struct lt_verifier *, struct lt_instance *);
LT_API lt_status lt_verifier_kernels(
	struct lt_verifier *, struct lt_instance *, const void *const *input, void *const *result);
LT_API lt_status lt_verifier_results(
	struct lt_verifier *, struct lt_instance *, const void *const *input, const void *const *result);

/* The same without a program.  evaluate: the reference of these inputs; LT_EFAULT: it refuses them, as a run has to. */
LT_API lt_status lt_verifier_evaluate(struct lt_verifier *, const void *const *input);
/* Of the last evaluate: result i of the reference, and state i as it is after the run, to be read until the next one;
 * the extents that inputs, constants, states and results have by its run-time scalars; what rounding explains of
 * result i as a whole, a share of its norm.  NULL, 0, LT_EINVAL: there is none. */
LT_API const void *lt_verifier_reference(const struct lt_verifier *, int32_t i);
LT_API const void *lt_verifier_reference_state(const struct lt_verifier *, int32_t i);
LT_API int64_t lt_verifier_extent(const struct lt_verifier *, enum lt_binding, int32_t i, int32_t axis);
LT_API lt_status lt_verifier_explained(struct lt_verifier *, int32_t i, double *norm);
/* Judges result i; state i as the run left it, with which the next evaluate begins. */
LT_API lt_status lt_verifier_result(struct lt_verifier *, int32_t i, const void *data);
LT_API lt_status lt_verifier_state(struct lt_verifier *, int32_t i, const void *data);
/* The content of state i with which the next evaluate begins; copied. */
LT_API lt_status lt_verifier_set_state(struct lt_verifier *, int32_t i, const void *data);

/* The test of kernels for a caller that runs them one by one, as lt-check does.  Both after evaluate, of a verifier
 * with a program.  value: a node of lt_program_graph as kernel i (of lt_program_kernels) left it, row-major, each axis
 * at its largest extent; copied; the last one of a node counts.  values: judges each of them from what it was computed
 * of, as that was left, and forgets them.  LT_EINVAL: there is no such node or kernel. */
LT_API lt_status lt_verifier_value(struct lt_verifier *, lt_node, int32_t kernel, const void *data);
LT_API lt_status lt_verifier_values(struct lt_verifier *);

/* Valid until the next call on the verifier. */
LT_API const struct lt_verified *lt_verifier_report(struct lt_verifier *);
LT_API void lt_verifier_clear(struct lt_verifier *);            /* the report begins anew: for results of another one */
/* As lt-run --verify prints it; brief 1: the verdict alone, a line. */
LT_API void lt_verified_print(const struct lt_verified *, int brief, lt_write *, void *user);

#ifdef __cplusplus
}
#endif
#endif
