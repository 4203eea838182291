/* observe.h -- looking into a run: the values that are whole in memory between kernels.
 *
 * Example: a program of two kernels, where the first writes %h and the second reads it.  After the step that launches
 * the first, %h is seen: its elements can be read, and what the second kernel makes of them can be judged by itself.
 * Only nodes of the optimised graph (lt_program.base) are seen; what a schedule adds to it (packed copies, partial
 * sums) is not.
 */
#ifndef LT_PROGRAM_RUN_OBSERVE_H
#define LT_PROGRAM_RUN_OBSERVE_H
#include "program/run/program.h"

struct lt_seen {
	lt_node base, lowered;          /* the node, in lt_program.base and in the tree's graph */
	int32_t step;                   /* complete after it: an index into prepare, or n_prepare + an index into run */
	int32_t storage;
	bool lasts;                     /* a prepared value that no later one overwrites */
	const char *kernel;             /* name of the kernel that writes it */
	int64_t elems;                  /* with bounded dims at their maximum */
};
/* All of them, in the order of the steps; in the arena. */
void lt__seen_values(const struct lt_program *, struct lt_arena *, struct lt_seen **out, int32_t *n);
/* The value out of its storage, which begins at `from`: row-major, in its dtype, bounded dims at their maximum.
 * LT_ENOMEM, without a sentence. */
lt_status lt__seen_read(const struct lt_program *, const struct lt_seen *, const void *from, void *out);

/* A run, one step at a time; what fails is reported in the instance.  seen: called once for each value, with its
 * elements as lt__seen_read gives them; they live during the call.  Constants' values that other values have
 * overwritten since they were prepared are left out.  A status other than LT_OK ends the run with it. */
typedef lt_status lt__seen_fn(void *user, const struct lt_seen *, const void *data);
lt_status lt__instance_observe(
	struct lt_instance *, const void *const *input, void *const *result, lt__seen_fn *seen, void *user);
#endif
