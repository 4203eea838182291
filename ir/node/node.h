/* node.h -- a graph's nodes, vars and run-time scalars are made: named, verified, added.
 *
 * What makes several nodes runs inside a protected entry (lt__protect).  -1: it failed, and the context has a sentence.
 */
#ifndef LT_IR_NODE_NODE_H
#define LT_IR_NODE_NODE_H
#include "ir/graph/graph.h"

/* -- node.c -- */
/* The next nodes are of that part of a model that has no lines; in lt__protect. */
void lt__graph_part(struct lt_graph *, const char *name);
/* Appends a node whose fields are all set (copied; name may be NULL or taken: made unique) and checked
 * as the rules of lt/graph.h say.  -1 on failure. */
lt_node lt__graph_add(struct lt_graph *, const struct lt_nodedef *);
/* As lt__graph_add, but the arrays of the node lie in the graph's arena already and are not copied. */
lt_node lt__graph_adopt(struct lt_graph *, const struct lt_nodedef *);

/* -- own.c: calls of operations of the user's own.  Adds one (copied), if it is as it has to be: what is between its
 * operands and results depends on the operands alone, and on each of them. */
lt_status lt__own_add(struct lt_graph *, const struct lt_owncall *);
lt_status lt__own_verify(const struct lt_graph *, const struct lt_owncall *);
/* Those of `in` in a graph that its nodes became nodes `to` of, -1: none; what no longer holds goes. */
lt_status lt__own_carry(const struct lt_graph *in, const lt_node *to, struct lt_graph *out, struct lt_arena *scratch);
/* The word that stands for it in a tree, behind `call`: DOMAIN.NAME. */
const char *lt__own_word(struct lt_arena *, const char *name);
/* By node: whether it is between them; results are, operands are not. */
bool *lt__own_members(const struct lt_graph *, struct lt_arena *, const struct lt_owncall *);

/* -- param.c: vars and run-time scalars -- */
/* A var with that extent and limit (NULL: none); name NULL: a made-up one.  lt__var_like: a name like another's. */
lt_var lt__var_add(struct lt_graph *, const char *name, int64_t extent, const struct lt_linear *limit);
lt_var lt__var_like(struct lt_graph *, lt_var, int64_t extent, const struct lt_linear *limit);
/* A run-time scalar that may be left out, as the tables have it: -1 then.  False: there is no such, or it has
 * failed. */
bool lt__param_given(const struct lt_graph *, lt_param given, lt_param *out);
/* Sums equal params, drops zero coefficients; -1 on a param that the graph lacks or overflow, with a sentence. */
lt_status lt__linear_make(
	struct lt_graph *, int64_t constant, int32_t n, const lt_param *, const int64_t *coef, struct lt_linear *out);
/* Appends a requirement unless the params' ranges imply it. */
void lt__graph_require(struct lt_graph *, bool equal, const struct lt_linear *, const char *text);
#endif
