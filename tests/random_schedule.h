/* random_schedule.h -- random sequences of primitives on random graphs: what is accepted gives what the oracle
 * gives.
 *
 * Of each sequence that is accepted: cursors follow their loops through each step; the tree prints to a text that reads
 * back to the same tree; a split that is merged again leaves it as it was; the steps as one list give it, too; and what
 * it computes, run after run, is what the evaluator says.
 */
#ifndef LT_RANDOM_SCHEDULE_H
#define LT_RANDOM_SCHEDULE_H
#include "check/random/random.h"
#include "tests/random_gpu.h"

struct schedule_plan {
	const char *backends;           /* "ref", "batch"; NULL, of grids: for each graph a simulator of a machine */
	const char *skip;               /* primitives that are not drawn */
	enum lt_dtype floats;           /* not 0: the only type of floats */
	uint64_t seed;                  /* of the first graph; each graph has the next one */
	int graphs, sequences;          /* sequences of a graph */
	int together;                   /* graphs that are drawn before the first of them is run */
	bool grids;                     /* trees of a GPU (random_gpu.h), of plain ones */
};
struct schedule_tally {
	int sequences;                  /* that ran */
	int refused;                    /* by the backend, with a reason: not counted above */
	int slow;                       /* graphs left out: their analysis alone takes longer than all else */
	int failed;                     /* told on stderr */
	int tried[RANDOM_STEP_KINDS], accepted[RANDOM_STEP_KINDS];
	int64_t elements, steps;
	int uses[GPU_N_USE];            /* trees of a GPU that ran and use it */
	char refusal[300];              /* the last one */
};
/* Adds to the tally; ends early after ten failures. */
void random_schedules(const struct schedule_plan *, struct schedule_tally *);
/* One line of sums, one of what was accepted of each kind of step, to stderr. */
void random_schedules_report(const struct schedule_plan *, const struct schedule_tally *);
#endif
