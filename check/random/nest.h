/* nest.h -- graphs of the sorts that schedules are written for, of random extents: products, windows,
 * rows, chains. */
#ifndef LT_CHECK_RANDOM_NEST_H
#define LT_CHECK_RANDOM_NEST_H
#include "check/random/graph.h"

/* max: the largest extent, 0: as it comes.  The text it is made of is written to `text`.  Data: random_graph_fill. */
void random_nest_new(
	struct lt_context *, uint64_t seed, int32_t max, struct random_graph *out, char *text, size_t bytes);
#endif
