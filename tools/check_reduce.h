/* tools/check_reduce.h -- what the files of the reducer share: candidates that are a little smaller than a graph and its schedule. */
#ifndef LT_TOOLS_CHECK_REDUCE_H
#define LT_TOOLS_CHECK_REDUCE_H
#include "ir/graph.h"

/* Whether there is a k-th candidate, and whether this one is made. */
enum reduce_made { REDUCE_NONE, REDUCE_NOT, REDUCE_MADE };
/* A kind of step: k counts its places in the graph.  Changes the graph's tables in place, under lt__protect; what comes of it may break a
 * rule, and is asked of lt_graph_parse. */
struct reduce_kind { const char *name; enum reduce_made (*make)(struct lt_graph *, int64_t k); };
extern const struct reduce_kind lt__reduce_kinds[];             /* check_reduce_graph.c; ends with a row of NULL */

/* check_reduce_text.c: the caller's to free; NULL: it cannot be printed, or memory ran out. */
/* The text of a graph, without the nodes, vars and scalars that nothing uses. */
char *lt__reduce_text(const struct lt_graph *);
/* A schedule without its k-th step; NULL: it has none. */
char *lt__reduce_step(const char *schedule, int64_t k);

/* check_reduce_write.c.  What was found: texts (schedule NULL: the default tree), the set of data, and whether time or tries ran out. */
struct reduced { const char *graph, *schedule; int set, n_tried; bool is_over; };
struct check_failure;
lt_status lt__reduce_write(const struct check_failure *, const struct reduced *, char *told, size_t bytes);
#endif
