/* position.h -- the functions by position of ir/build/build.h, for the builders of this frontend.
 *
 * The vars of a graph's values are named; an ONNX axis is a position.  LT_NONE goes through; failures are sentences in
 * the context.
 */
#ifndef LT_ONNX_POSITION_H
#define LT_ONNX_POSITION_H
#include "frontends/onnx/onnx.h"
#include "ir/build/build.h"

/* Operator of n operands, broadcast as NumPy does. */
static inline lt_node lt__onnx_op(struct lt_onnx *m, const char *op, int32_t n, const lt_node *x)
{
	return lt__pos_op(m->graph, op, n, x);
}
static inline lt_node lt__onnx_op1(struct lt_onnx *m, const char *op, lt_node x)
{
	return lt__pos_op1(m->graph, op, x);
}
static inline lt_node lt__onnx_op2(struct lt_onnx *m, const char *op, lt_node a, lt_node b)
{
	return lt__pos_op2(m->graph, op, a, b);
}
static inline lt_node lt__onnx_select(struct lt_onnx *m, lt_node condition, lt_node yes, lt_node no)
{
	return lt__pos_select(m->graph, condition, yes, no);
}
/* With a number of x's type as the second operand (or, opr, the first). */
static inline lt_node lt__onnx_opf(struct lt_onnx *m, const char *op, lt_node x, double number)
{
	return lt__pos_opf(m->graph, op, x, number);
}
static inline lt_node lt__onnx_opr(struct lt_onnx *m, const char *op, double number, lt_node x)
{
	return lt__pos_opr(m->graph, op, number, x);
}
static inline lt_node lt__onnx_number(struct lt_onnx *m, enum lt_dtype t, double x)      /* no dims */
{
	return lt_graph_literal(m->graph, t, x);
}
static inline lt_node lt__onnx_whole(struct lt_onnx *m, enum lt_dtype t, int64_t x)
{
	return lt_graph_literal_int(m->graph, t, x);
}
static inline lt_node lt__onnx_cast(struct lt_onnx *m, lt_node x, enum lt_dtype t)
{
	return lt_graph_cast(m->graph, x, t);
}
/* x to its computing type: float32 of half types, int32 of small integers. */
static inline lt_node lt__onnx_wide(struct lt_onnx *m, lt_node x)
{
	return lt__build_wide(m->graph, x);
}
static inline bool lt__onnx_is_float(struct lt_onnx *m, lt_node x)
{
	return lt__pos_is_float(m->graph, x);
}

static inline int64_t lt__onnx_extent(struct lt_onnx *m, lt_node x, int32_t axis)
{
	return lt__pos_extent(m->graph, x, axis);
}
static inline bool lt__onnx_bounded(struct lt_onnx *m, lt_node x, int32_t axis)
{
	return lt__pos_bounded(m->graph, x, axis);
}
static inline int32_t lt__onnx_rank(struct lt_onnx *m, lt_node x)
{
	return lt__pos_rank(m->graph, x);
}
static inline lt_var lt__onnx_var(struct lt_onnx *m, int64_t extent)
{
	return lt_graph_var(m->graph, NULL, extent);
}
static inline lt_var lt__onnx_like(struct lt_onnx *m, lt_node x, int32_t axis)
{
	return lt__pos_like(m->graph, x, axis);
}
static inline lt_node lt__onnx_view(struct lt_onnx *m, lt_node x, int32_t n, const lt_var *v, const int32_t *at)
{
	return lt__pos_view(m->graph, x, n, v, at);
}
static inline lt_node lt__onnx_unsqueeze(struct lt_onnx *m, lt_node x, int32_t rank, const bool *mask)
{
	return lt__pos_unsqueeze(m->graph, x, rank, mask);
}
static inline lt_node lt__onnx_squeeze(struct lt_onnx *m, lt_node x, const bool *mask)
{
	return lt__pos_squeeze(m->graph, x, mask);
}
static inline lt_node lt__onnx_insert(struct lt_onnx *m, lt_node x, int32_t axis)
{
	return lt__pos_insert(m->graph, x, axis);
}
static inline lt_node lt__onnx_reduce(struct lt_onnx *m, const char *op, lt_node x, const bool *over, bool keep)
{
	return lt__pos_reduce(m->graph, op, x, over, keep);
}
static inline lt_node lt__onnx_reduce1(struct lt_onnx *m, const char *op, lt_node x, int32_t axis, bool keep)
{
	return lt__pos_reduce1(m->graph, op, x, axis, keep);
}
static inline lt_node lt__onnx_mean(struct lt_onnx *m, lt_node x, const bool *over, bool keep)
{
	return lt__pos_mean(m->graph, x, over, keep);
}
static inline lt_node lt__onnx_expand(struct lt_onnx *m, lt_node x, int32_t rank, const int64_t *shape)
{
	return lt__pos_expand(m->graph, x, rank, shape);
}
static inline lt_node lt__onnx_transpose(struct lt_onnx *m, lt_node x, const int32_t *perm)
{
	return x < 0 ? LT_NONE : lt_graph_permute(m->graph, x, lt_node_rank(m->graph, x), perm);
}
static inline lt_node lt__onnx_swap(struct lt_onnx *m, lt_node x, int32_t a, int32_t b)
{
	return lt__pos_swap(m->graph, x, a, b);
}
static inline lt_node lt__onnx_reshape(struct lt_onnx *m, lt_node x, int32_t rank, const int64_t *shape)
{
	return x < 0 ? LT_NONE : lt_graph_reshape(m->graph, x, rank, shape);
}
static inline lt_node lt__onnx_slice(
	struct lt_onnx *m, lt_node x, int32_t axis, int64_t begin, int64_t end, int64_t step)
{
	return lt__pos_slice(m->graph, x, axis, begin, end, step);
}
static inline lt_node lt__onnx_concat(struct lt_onnx *m, int32_t axis, int32_t n, const lt_node *x)
{
	return lt__pos_concat(m->graph, axis, n, x);
}
/* The position along an axis of x, int64, of rank 1 with that axis' var; for lt_graph_op. */
static inline lt_node lt__onnx_index(struct lt_onnx *m, lt_node x, int32_t axis)
{
	return x < 0 ? LT_NONE : lt_graph_index(m->graph, lt_node_dim(m->graph, x, axis));
}
/* The same with x's rank: other axes of extent 1. */
static inline lt_node lt__onnx_positions(struct lt_onnx *m, lt_node x, int32_t axis)
{
	return lt__pos_along(m->graph, x, axis);
}
static inline lt_node lt__onnx_range(struct lt_onnx *m, int64_t extent, int32_t axis, int32_t rank)
{
	return lt__pos_range(m->graph, extent, axis, rank);
}
static inline lt_node lt__onnx_gather(struct lt_onnx *m, lt_node x, lt_node index, int32_t axis)
{
	return lt__pos_gather(m->graph, x, index, axis);
}
static inline lt_node lt__onnx_matmul(struct lt_onnx *m, lt_node a, lt_node b)           /* NumPy's */
{
	return lt_build_matmul(m->graph, a, b);
}
/* In the computing type. */
static inline lt_node lt__onnx_softmax(struct lt_onnx *m, lt_node x, int32_t axis)
{
	return x < 0 || axis < 0 ? LT_NONE : lt_build_softmax(m->graph, lt__onnx_wide(m, x), axis);
}
static inline lt_node lt__onnx_log_softmax(struct lt_onnx *m, lt_node x, int32_t axis)
{
	return x < 0 || axis < 0 ? LT_NONE : lt__build_log_softmax(m->graph, lt__onnx_wide(m, x), axis);
}

/* axes.c */
/* -rank .. rank-1 to 0 .. rank-1; -1 with a sentence. */
int32_t lt__onnx_axis(struct lt_onnx *, int64_t axis, int32_t rank);
/* A mask over 0 .. rank-1 of a list of axes; NULL with a sentence.  n 0: none. */
bool *lt__onnx_axes(struct lt_onnx *, int32_t n, const int64_t *axis, int32_t rank);
#endif
