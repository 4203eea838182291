/* build.h -- steps that several of the composite builders (ir/build_*.c) share.
 *
 * Only functions of lt/graph.h and of this header are called here, so no builder allocates by itself.  Nodes are
 * numbered as they are made, so no call has two operands that make one: C leaves their order to the compiler.
 */
#ifndef LT_IR_BUILD_BUILD_H
#define LT_IR_BUILD_BUILD_H
#include "ir/graph/graph.h"

/* common.c */
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

/* index.c */
/* Position (int64) of the largest (op "max") or smallest ("min") along an axis, which stays, of extent 1: of the first,
 * or the last, where several are; NaN comes before all numbers. */
lt_node lt__build_arg(struct lt_graph *, lt_node, int32_t axis, const char *op, bool last);
/* The k first in order (largest: from above) along an axis, and where they were (int64); of equal ones the first one
 * first; NaN counts as the largest.  1 <= k <= extent. */
void lt__build_top_k(struct lt_graph *, lt_node x, int32_t axis, int64_t k, bool largest, lt_node *values, lt_node *at);
/* y[i, j] = x[index[i, j], j], for axis 0: as numpy.take_along_axis; the other axes of the index are at most x's. */
lt_node lt__build_gather_elements(struct lt_graph *, lt_node x, lt_node index, int32_t axis);
/* True on a new axis at the position that the index (int64) names. */
lt_node lt__build_one_hot(struct lt_graph *, lt_node index, int64_t depth, int32_t axis);
/* The lower (or upper) triangle of the last two axes, moved by k columns; zeros elsewhere. */
lt_node lt__build_triangle(struct lt_graph *, lt_node x, int64_t k, bool upper);
/* Sums ("add") or products ("mul") of all elements up to each one; exclusive: of those before it; reverse: from the
 * last element. */
lt_node lt__build_running(struct lt_graph *, const char *op, lt_node x, int32_t axis, bool exclusive, bool reverse);

/* norm.c: x [N, C, ..] */
/* w [C] as [1, C, 1 ..] of rank `rank`, in the type of x */
lt_node lt__build_per_channel(struct lt_graph *, lt_node w, int32_t rank, lt_node x);
/* y: (x - mean) / root, root: sqrt(variance + eps), over axes, which stay; x is of a computing type */
struct lt_moments { lt_node mean, variance, root, y; };
struct lt_moments lt__build_moments(struct lt_graph *, lt_node x, const bool *over, double eps);
/* (x - mean) * (scale / sqrt(variance + eps)) + bias; x of a computing type, mean and variance of its rank. */
lt_node lt__build_batch_norm(struct lt_graph *, lt_node x, lt_node scale, lt_node bias, lt_node mean, lt_node variance,
	double eps);
lt_node lt__build_instance_norm(struct lt_graph *, lt_node x, lt_node scale, lt_node bias, double eps);
/* Channels in `groups`, which divides them; scale and bias of each channel (or per_group). */
lt_node lt__build_group_norm(struct lt_graph *, lt_node x, int64_t groups, lt_node scale, lt_node bias, double eps,
	bool per_group);
/* log(sum(exp(x))) over axes, which does not overflow; x is a float of a computing type */
lt_node lt__build_log_sum_exp(struct lt_graph *, lt_node, const bool *over, bool keep);

/* nn.c: x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) */
lt_node lt__build_gelu_tanh(struct lt_graph *, lt_node);
/* nn.c: the logarithm of softmax along an axis, which does not underflow; x as there */
lt_node lt__build_log_softmax(struct lt_graph *, lt_node, int32_t axis);
/* matmul.c: why the shapes of two values do not fit in a matrix product, and the vars that do not (-1: none);
 * NULL: they do. */
const char *lt__build_matmul_misfit(const struct lt_graph *, lt_node a, lt_node b, lt_var *, lt_var *);
#endif
