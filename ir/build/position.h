/* position.h -- graphs of operators whose operands meet axis by axis, as in NumPy and ONNX: for builders.
 *
 * The vars of a graph's values are named; here an axis is a position.  Each function takes values by position and
 * renames vars as needed.  LT_NONE goes through; failures are sentences in the context.  A mask has one bool for each
 * axis.  Like those of build.h, these functions allocate nothing by themselves.
 */
#ifndef LT_IR_BUILD_POSITION_H
#define LT_IR_BUILD_POSITION_H
#include "ir/graph/graph.h"

/* position.c: facts */
int32_t lt__pos_rank(const struct lt_graph *, lt_node);                 /* 0 of LT_NONE */
int64_t lt__pos_extent(const struct lt_graph *, lt_node, int32_t axis); /* the most it may be; 0 of LT_NONE */
bool lt__pos_bounded(const struct lt_graph *, lt_node, int32_t axis);   /* by run-time scalars */
bool lt__pos_is_one(const struct lt_graph *, lt_var);                   /* one position in every run: it broadcasts */
bool lt__pos_is_float(const struct lt_graph *, lt_node);
/* Of the context's scratch texts: the extent of a var, "end - begin", "6"; those of a value, "[end - begin, 3]". */
const char *lt__pos_extent_text(const struct lt_graph *, lt_var);
const char *lt__pos_shape(const struct lt_graph *, lt_node);
lt_var lt__pos_fresh(struct lt_graph *, lt_var like);                   /* a new var of the same extent and limit */
lt_var lt__pos_like(struct lt_graph *, lt_node, int32_t axis);          /* a new var like that of an axis */

/* position.c: views.  The result has the vars; axis i of x is at[i] of them, -1: element 0. */
lt_node lt__pos_view(struct lt_graph *, lt_node x, int32_t n, const lt_var *, const int32_t *at);
/* Axes of extent 1 at the true places of a mask over the result's rank; and away from x's. */
lt_node lt__pos_unsqueeze(struct lt_graph *, lt_node, int32_t rank, const bool *);
lt_node lt__pos_squeeze(struct lt_graph *, lt_node, const bool *);
lt_node lt__pos_insert(struct lt_graph *, lt_node, int32_t axis);       /* one axis of extent 1 before `axis` */
lt_node lt__pos_at(struct lt_graph *, lt_node, int32_t axis, int64_t i);/* element i of an axis, which goes away */
/* NumPy's broadcast_to, both ways. */
lt_node lt__pos_expand(struct lt_graph *, lt_node, int32_t rank, const int64_t *shape);
lt_node lt__pos_swap(struct lt_graph *, lt_node, int32_t a, int32_t b);
/* Elements begin .. end-1 of an axis, at least one; step below 0: from begin down to end + 1. */
lt_node lt__pos_slice(struct lt_graph *, lt_node, int32_t axis, int64_t begin, int64_t end, int64_t step);
lt_node lt__pos_concat(struct lt_graph *, int32_t axis, int32_t n, const lt_node *);
/* Element i of an axis is x's element i - by (by < 0: of those behind); where there is none, the number. */
lt_node lt__pos_shift(struct lt_graph *, lt_node, int32_t axis, int64_t by, double none);
/* Positions 0 .. extent-1 along axis `axis` of `rank`, other axes of extent 1; int64. */
lt_node lt__pos_range(struct lt_graph *, int64_t extent, int32_t axis, int32_t rank);
/* The position along an axis of x, int64, with x's rank: other axes of extent 1. */
lt_node lt__pos_along(struct lt_graph *, lt_node x, int32_t axis);
/* Elements of x along `axis` at integers from 0 on, whose axes come in its place. */
lt_node lt__pos_gather(struct lt_graph *, lt_node x, lt_node index, int32_t axis);

/* position.c: reductions; keep: a reduced axis stays, of extent 1 */
lt_node lt__pos_reduce(struct lt_graph *, const char *op, lt_node, const bool *over, bool keep);
lt_node lt__pos_reduce1(struct lt_graph *, const char *op, lt_node, int32_t axis, bool keep);
lt_node lt__pos_mean(struct lt_graph *, lt_node, const bool *over, bool keep);

/* position_op.c: operator of n operands, broadcast as NumPy does. */
enum { LT_POS_OPERANDS = 3 };
lt_node lt__pos_op(struct lt_graph *, const char *op, int32_t n, const lt_node *);
lt_node lt__pos_op1(struct lt_graph *, const char *op, lt_node);
lt_node lt__pos_op2(struct lt_graph *, const char *op, lt_node, lt_node);
lt_node lt__pos_select(struct lt_graph *, lt_node condition, lt_node yes, lt_node no);
/* With a number of x's type as the second operand (or, opr, the first). */
lt_node lt__pos_opf(struct lt_graph *, const char *op, lt_node x, double);
lt_node lt__pos_opr(struct lt_graph *, const char *op, double, lt_node x);
/* Two of n values that do not broadcast with each other, and the axis, counted from the last, -1; false: all do. */
struct lt_misfit { int32_t first, second, axis; lt_var v, w; };
bool lt__pos_misfit(const struct lt_graph *, int32_t n, const lt_node *, struct lt_misfit *);
/* The operands with common vars, which are given (room for LT_MAX_RANK); for operators of lt/graph.h that take vars. */
bool lt__pos_broadcast(struct lt_graph *, int32_t n, const lt_node *, int32_t *rank, lt_var *dims, lt_node *out);
#endif
