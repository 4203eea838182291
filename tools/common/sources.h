/* sources.h -- which values a graph's sources may have: for data that is drawn.
 *
 * What a gather takes as index, and what a run-time scalar is read from, has to be within bounds.  They are handed back
 * through views and casts to the sources.
 */
#ifndef LT_TOOLS_COMMON_SOURCES_H
#define LT_TOOLS_COMMON_SOURCES_H
#include "ir/graph/graph.h"

struct lt_source_range {
	bool given, bounded;    /* bounded: by a run-time scalar; high is its least */
	int64_t low, high;
};
/* By node, malloc; NULL: no memory.  scalars: a source that run-time scalars are read from has their range as a whole;
 * else only where it is a view that they are read from, since the caller sets single elements himself. */
struct lt_source_range *lt__source_ranges(const struct lt_graph *, bool scalars);
#endif
