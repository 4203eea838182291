/* frontends/onnx/position.h -- graphs of operators whose operands meet axis by axis, as in ONNX: helpers of builders.
 *
 * The vars of a graph's values are named; an ONNX axis is a position.  Each function here takes values by position and
 * renames vars as needed.  LT_NONE goes through; failures are sentences in the context.
 */
#ifndef LT_ONNX_POSITION_H
#define LT_ONNX_POSITION_H
#include "frontends/onnx/onnx.h"

/* elementwise.c */
/* Operator of n operands, broadcast as NumPy does. */
lt_node lt__onnx_op(struct lt_onnx *, const char *op, int32_t n, const lt_node *);
lt_node lt__onnx_op1(struct lt_onnx *, const char *op, lt_node);
lt_node lt__onnx_op2(struct lt_onnx *, const char *op, lt_node, lt_node);
lt_node lt__onnx_select(struct lt_onnx *, lt_node condition, lt_node yes, lt_node no);
/* With a number of x's type as the second operand (or, opr, the first). */
lt_node lt__onnx_opf(struct lt_onnx *, const char *op, lt_node x, double);
lt_node lt__onnx_opr(struct lt_onnx *, const char *op, double, lt_node x);
lt_node lt__onnx_number(struct lt_onnx *, enum lt_dtype, double);       /* no dims */
lt_node lt__onnx_whole(struct lt_onnx *, enum lt_dtype, int64_t);
lt_node lt__onnx_cast(struct lt_onnx *, lt_node, enum lt_dtype);
/* x to its computing type: float32 of half types, int32 of small integers. */
lt_node lt__onnx_wide(struct lt_onnx *, lt_node);
bool lt__onnx_is_float(struct lt_onnx *, lt_node);
/* The operands with common vars, which are given; for operators of lt/graph.h that take vars. */
bool lt__onnx_broadcast(struct lt_onnx *, int32_t n, const lt_node *, int32_t *rank, lt_var **dims, lt_node *out);

/* axes.c */
int64_t lt__onnx_extent(struct lt_onnx *, lt_node, int32_t axis);       /* the most it may be; 0 of LT_NONE */
bool lt__onnx_bounded(struct lt_onnx *, lt_node, int32_t axis);         /* by run-time scalars */
int32_t lt__onnx_rank(struct lt_onnx *, lt_node);
/* -rank .. rank-1 to 0 .. rank-1; -1 with a sentence. */
int32_t lt__onnx_axis(struct lt_onnx *, int64_t axis, int32_t rank);
/* A mask over 0 .. rank-1 of a list of axes; NULL with a sentence.  n 0: none. */
bool *lt__onnx_axes(struct lt_onnx *, int32_t n, const int64_t *axis, int32_t rank);
lt_var lt__onnx_var(struct lt_onnx *, int64_t extent);
lt_var lt__onnx_like(struct lt_onnx *, lt_node, int32_t axis);          /* a new var like that of an axis */
/* A view: the result has the vars; axis i of x is at[i] of them, -1: element 0. */
lt_node lt__onnx_view(struct lt_onnx *, lt_node x, int32_t n, const lt_var *, const int32_t *at);
/* Axes of extent 1 at the true places of a mask over the result's rank; and away from x's. */
lt_node lt__onnx_unsqueeze(struct lt_onnx *, lt_node, int32_t rank, const bool *);
lt_node lt__onnx_squeeze(struct lt_onnx *, lt_node, const bool *);
/* One axis of extent 1 before `axis`. */
lt_node lt__onnx_insert(struct lt_onnx *, lt_node, int32_t axis);
lt_node lt__onnx_reduce(struct lt_onnx *, const char *op, lt_node, const bool *over, bool keep);
/* Over one axis. */
lt_node lt__onnx_reduce1(struct lt_onnx *, const char *op, lt_node, int32_t axis, bool keep);
lt_node lt__onnx_mean(struct lt_onnx *, lt_node, const bool *over, bool keep);
/* NumPy's broadcast_to, both ways. */
lt_node lt__onnx_expand(struct lt_onnx *, lt_node, int32_t rank, const int64_t *shape);
lt_node lt__onnx_transpose(struct lt_onnx *, lt_node, const int32_t *perm);
lt_node lt__onnx_swap(struct lt_onnx *, lt_node, int32_t a, int32_t b);
lt_node lt__onnx_reshape(struct lt_onnx *, lt_node, int32_t rank, const int64_t *shape);
/* Elements begin .. end-1 of an axis, at least one. */
lt_node lt__onnx_slice(struct lt_onnx *, lt_node, int32_t axis, int64_t begin, int64_t end, int64_t step);
lt_node lt__onnx_concat(struct lt_onnx *, int32_t axis, int32_t n, const lt_node *);
/* The position along an axis of x, int64, of rank 1 with that axis' var; for lt_graph_op. */
lt_node lt__onnx_index(struct lt_onnx *, lt_node x, int32_t axis);
/* The same with x's rank: other axes of extent 1. */
lt_node lt__onnx_place(struct lt_onnx *, lt_node x, int32_t axis);
/* Positions 0 .. extent-1 along axis `axis` of `rank`, other axes of extent 1. */
lt_node lt__onnx_range(struct lt_onnx *, int64_t extent, int32_t axis, int32_t rank);
/* Elements of x along `axis` at integers from 0 on, whose axes come in its place. */
lt_node lt__onnx_gather(struct lt_onnx *, lt_node x, lt_node index, int32_t axis);

/* product.c */
lt_node lt__onnx_matmul(struct lt_onnx *, lt_node a, lt_node b);        /* NumPy's */
/* Softmax over one axis; in the computing type. */
lt_node lt__onnx_softmax(struct lt_onnx *, lt_node, int32_t axis);
lt_node lt__onnx_log_softmax(struct lt_onnx *, lt_node, int32_t axis);
#endif
