/* ir/build.h -- steps that several of the composite builders (ir/build_*.c) share.
 *
 * Only functions of lt/graph.h and of this header are called here, so no builder allocates by itself.  Nodes are
 * numbered as they are made, so no call has two operands that make one: C leaves their order to the compiler.
 */
#ifndef LT_IR_BUILD_H
#define LT_IR_BUILD_H
#include "ir/graph.h"

/* ir/build_common.c */
/* Half types and small integers are computed in a wider type; a composite widens once, at its ends. */
lt_node lt__build_wide(struct lt_graph *, lt_node);
/* Whether x is a float; if not, a sentence about `what`. */
bool lt__build_is_float(const struct lt_graph *, lt_node, const char *what);
/* A new var that covers the positions of `like`. */
lt_var lt__build_var(struct lt_graph *, const char *name, lt_var like);
/* `own`, or a new var like it where it is among the n others. */
lt_var lt__build_apart(struct lt_graph *, const char *name, lt_var own, int32_t n, const lt_var *others);
/* Number of positions of a var in a run, as a node without dims. */
lt_node lt__build_extent(struct lt_graph *, lt_var, enum lt_dtype);
/* Softmax over a var; x is a float of a computing type. */
lt_node lt__build_softmax_over(struct lt_graph *, lt_node, lt_var);

/* ir/build_index.c */
/* Position (int64) of the largest (op "max") or smallest ("min") along an axis, which stays, of extent 1: of the first,
 * or the last, where several are; NaN comes before all numbers. */
lt_node lt__build_arg(struct lt_graph *, lt_node, int32_t axis, const char *op, bool last);

/* ir/build_nn.c: the logarithm of softmax along an axis, which does not underflow; x as there */
lt_node lt__build_log_softmax(struct lt_graph *, lt_node, int32_t axis);
/* ir/build_matmul.c: why the shapes of two values do not fit in a matrix product, and the vars that do not (-1: none);
 * NULL: they do. */
const char *lt__build_matmul_misfit(const struct lt_graph *, lt_node a, lt_node b, lt_var *, lt_var *);
#endif
