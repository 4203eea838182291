/* take.h -- elements of an axis at positions that are known. */
#ifndef LT_ONNX_TAKE_H
#define LT_ONNX_TAKE_H
#include "frontends/onnx/position.h"

/* Element i along the axis is x's element at[i]: slices where few do, else a gather. */
lt_node lt__onnx_take(struct lt_onnx *, lt_node x, int32_t axis, int64_t n, const int64_t *at);
/* Element i along the axis is the sum over k of weight[i n_tap + k] times x's element at[i n_tap + k]. */
lt_node lt__onnx_weigh(struct lt_onnx *, lt_node x, int32_t axis, int64_t n, int64_t n_tap, const int64_t *at,
	const double *weight);
/* A constant of a content made here, whose element i is data[i]. */
lt_node lt__onnx_table(struct lt_onnx *, const char *name, enum lt_dtype, int32_t rank, const int64_t *shape,
	const double *data);
/* x as it is where mask[i] along the axis, else the number; mask: known. */
lt_node lt__onnx_mask(struct lt_onnx *, lt_node x, int32_t axis, const bool *mask, double otherwise);
#endif
