/* count.h -- how many operations a frozen tree runs and how many bytes it moves, found without running it.
 *
 * An operation is one value that a row of the operator table computes (lt__op_counts); include/lt/program.h says it to
 * callers.
 */
#ifndef LT_LOOPTREE_COUNT_COUNT_H
#define LT_LOOPTREE_COUNT_COUNT_H
#include "looptree/freeze/freeze.h"

/* Of one launch.  bytes: the elements of each slot that are accessed, once if they are read and once if they are
 * written; at most, since accesses of one slot that overlap each other in part are not distinguished from those that do
 * not. */
struct lt_counted { int64_t executed, bytes; };
/* param: by param of the graph, the values of a run; NULL where the tree has none. */
void lt__count_kernel(const struct lt_frozen *, const int64_t *param, struct lt_arena *, struct lt_counted *out);
/* Operations of one run of a loop of the kernel, in the first iterations of those around it. */
int64_t lt__count_loop(const struct lt_frozen *, const int64_t *param, int32_t loop, struct lt_arena *);
/* Operations of one run of each line of the tree (all iterations of a loop, in the first iterations of those around
 * it), and what each root nest does, with every run-time extent at its maximum; either may be NULL.  Fails, and fills
 * nothing, where the tree cannot be frozen. */
lt_status lt__count_tree(
	struct lt_looptree *, struct lt_arena *, int64_t *executed_by_tnode, struct lt_counted *by_root);
/* By node of the tree's graph: whether what its leaf computes is what the tree was made for: not a second time (a clone
 * of a value that is computed, too), nor the sum of partial results. */
bool *lt__useful_leaves(const struct lt_looptree *, struct lt_arena *);

/* facts.c: of one run of each loop or group (all its iterations, within one iteration of what is around
 * it). */
struct lt_fact {
	/* flops: of what is computed, each element once; bytes: of values that live outside, each element once, at
	 * most */
	int64_t flops, bytes;
	int64_t executed;               /* flops that run, padding and repetition included; -1: the tree cannot be frozen */
};
lt_status lt__fill_facts(struct lt_looptree *, struct lt_arena *, struct lt_fact *by_tnode);

#endif
