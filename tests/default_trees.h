/* default_trees.h -- default trees of GPUs for random graphs: that each nest of them is taken as it was made, and
 * what they compute. */
#ifndef LT_DEFAULT_TREES_H
#define LT_DEFAULT_TREES_H
#include "tests/run_graph.h"

struct default_tally { int64_t planned, ran, failed; struct run_tally run; };
/* Graphs of the seeds from `seed` on.  every: of so many one is small, and runs in the simulator, too; 0: none.
 * backends: NULL: one of several machines, by the seed.  What is wrong is reported with its seed, the first MAX_FAILED
 * of it. */
void default_trees_run(uint64_t seed, int64_t n, int every, const char *backends, struct default_tally *);
#endif
