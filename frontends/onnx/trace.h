/* frontends/onnx/trace.h -- integers that may depend on run-time extents. */
#ifndef LT_ONNX_TRACE_H
#define LT_ONNX_TRACE_H
#include "frontends/onnx/onnx.h"

/* Element of a value of at most one axis, as a sum of run-time scalars; false: it depends on something else. */
bool lt__onnx_trace(struct lt_onnx *, struct lt_onnx_value *, int64_t element, struct lt_linear *out);
/* As lt__onnx_in_ints, of integers that may depend on run-time extents. */
const struct lt_linear *lt__onnx_in_sums(struct lt_onnx_call *, int32_t i, const char *what, int32_t *n);
/* The most that it may be. */
int64_t lt__onnx_most(struct lt_onnx *, const struct lt_linear *);
/* A var of that extent. */
lt_var lt__onnx_sum_var(struct lt_onnx *, const struct lt_linear *);
/* The extent of an axis, int64, as a run has it. */
lt_node lt__onnx_extent_node(struct lt_onnx *, lt_node, int32_t axis);
/* x broadcast to extents, as lt__onnx_expand. */
lt_node lt__onnx_expand_to(struct lt_onnx *, lt_node, int32_t rank, const struct lt_linear *);
/* x with another shape of extents that may be run-time ones, which stay whole; -1: what is left. */
lt_node lt__onnx_reshape_to(struct lt_onnx *, lt_node, int32_t rank, const struct lt_linear *);
/* After a reshape of x has failed: LT_NONE, with a sentence that names the option which fixes its run-time extent. */
lt_node lt__onnx_merged(struct lt_onnx *, lt_node x);
/* Elements begin .. end - 1 of an axis. */
lt_node lt__onnx_part(struct lt_onnx *, lt_node, int32_t axis, const struct lt_linear *begin,
	const struct lt_linear *end);
/* The extent of an axis as a sum. */
struct lt_linear lt__onnx_extent_sum(struct lt_onnx *, lt_node, int32_t axis);
/* a - b; of sums that do not fit: 0 with a sentence. */
struct lt_linear lt__onnx_difference(struct lt_onnx *, const struct lt_linear *a, const struct lt_linear *b);
#endif
