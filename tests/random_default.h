/* random_default.h -- random graphs of the sorts that default trees are made for, from single elements to 4097 of
 * them along a dim. */
#ifndef LT_RANDOM_DEFAULT_H
#define LT_RANDOM_DEFAULT_H
#include "check/random/random.h"

/* Pointwise nodes and reductions in any order of dims, products and what follows them, rows that are gone through
 * again, views and windows; several results; perhaps a run-time extent.  work: elements that a node goes through, at
 * most.  The text it is made of is written to `text`.  Data: random_graph_fill. */
void random_default_new(
	struct lt_context *, uint64_t seed, int64_t work, struct random_graph *out, char *text, size_t bytes);
#endif
