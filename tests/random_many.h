/* random_many.h -- random graphs whose views have up to 300 pieces. */
#ifndef LT_TESTS_RANDOM_MANY_H
#define LT_TESTS_RANDOM_MANY_H
#include "ir/graph/graph.h"

/* The same seed gives the same graph; NULL with a sentence in the context. */
struct lt_graph *random_many_new(struct lt_context *, uint64_t seed);
/* Data of a source: quarters of small numbers; of a run-time scalar a number in its range. */
void random_many_fill(const struct lt_graph *, uint64_t seed, int run, lt_node, void *out);
#endif
