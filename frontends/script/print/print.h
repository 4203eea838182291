/* print.h -- a graph as a script that means the same. */
#ifndef LT_SCRIPT_PRINT_H
#define LT_SCRIPT_PRINT_H
#include "ir/graph/graph.h"

/* Read back it is the graph, but for names, for what no result and no state needs, and for views that only rename dims.
 * Contents of constants are not in it.  Deterministic: what was read back prints the same. */
lt_status lt__script_print(const struct lt_graph *, void (*write)(void *, const char *, size_t), void *user);
#endif
