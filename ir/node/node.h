/* node.h -- nodes, vars and params are made, named and verified; which of them a run needs. */
#ifndef LT_IR_NODE_NODE_H
#define LT_IR_NODE_NODE_H
#include "ir/graph/graph.h"

/* -- which nodes of a graph a run needs. */
/* By node: whether a result or a state's new content needs it, directly, as the source of a run-time scalar that a
 * needed node uses, or as one that a requirement ties to such a scalar.  Inputs and constants that only other
 * nodes read need not be given. */
bool *lt__needed_nodes(const struct lt_graph *, struct lt_arena *);
/* Adds what those that are marked need, and the run-time scalars that they use. */
void lt__need_close(const struct lt_graph *, bool *need, bool *used);
#endif
