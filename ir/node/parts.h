/* parts.h -- what the files that make nodes share; included by ir/node/ only. */
#ifndef LT_IR_NODE_PARTS_H
#define LT_IR_NODE_PARTS_H
#include "ir/node/node.h"

/* node.c */
/* A name made into a C identifier; in the graph's arena. */
const char *lt__name_clean_var(struct lt_graph *, const char *);

/* verify.c: the rules of lt/graph.h for one node */
lt_status lt__verify_node(const struct lt_graph *, lt_node);
/* Whether `state` may take the content of `value`. */
lt_status lt__verify_set(const struct lt_graph *, lt_node state, lt_node value);

/* view.c: steps that run inside a protected entry. */
lt_node lt__build_rename(struct lt_graph *, lt_node, int32_t n, const lt_var *dims);
/* A view of one source by a map that lies in the graph's arena, and so do the dims; outside the guards (if any)
 * `bits`. */
lt_node lt__build_view(
	struct lt_graph *, lt_node source, int32_t n_dim, lt_var *dims, const struct lt_map *, uint64_t bits);
/* Whether `axis` is one of x's and x is a node; else false, with a sentence unless x is -1. */
bool lt__graph_has_axis(const struct lt_graph *, lt_node x, int32_t axis);
#endif
