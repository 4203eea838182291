/* trace.h -- integers that may depend on run-time extents, and views of such extents. */
#ifndef LT_ONNX_TRACE_H
#define LT_ONNX_TRACE_H
#include "frontends/onnx/poly.h"
#include "frontends/onnx/position.h"

/* trace.c */
/* The content of a value of which trace.c knows all elements; NULL: it does not. */
const void *lt__onnx_traced(struct lt_onnx *, struct lt_onnx_value *);
/* Element of a value of at most one axis, as a number that depends on run-time extents only; false: it depends on
 * something else. */
bool lt__onnx_trace(struct lt_onnx *, const struct lt_onnx_value *, int64_t element, struct lt_onnx_poly *out);

/* sums.c */
/* As lt__onnx_in_ints, of integers that may depend on run-time extents. */
const struct lt_onnx_poly *lt__onnx_in_polys(struct lt_onnx_call *, int32_t i, const char *what, int32_t *n);
/* The same where no products are possible. */
const struct lt_linear *lt__onnx_in_sums(struct lt_onnx_call *, int32_t i, const char *what, int32_t *n);
/* The most that it may be. */
int64_t lt__onnx_most(struct lt_onnx *, const struct lt_linear *);
/* A var of that extent. */
lt_var lt__onnx_sum_var(struct lt_onnx *, const struct lt_linear *);

/* extents.c */
/* The extent of an axis as a sum. */
struct lt_linear lt__onnx_extent_sum(struct lt_onnx *, lt_node, int32_t axis);
/* A number, int64, as a run has it. */
lt_node lt__onnx_poly_node(struct lt_onnx *, const struct lt_onnx_poly *);
/* The extent of an axis, likewise. */
lt_node lt__onnx_extent_node(struct lt_onnx *, lt_node, int32_t axis);
/* Whether an axis has as many elements in every run; false with a sentence that says what it is. */
bool lt__onnx_fixed(struct lt_onnx *, lt_node, int32_t axis, const char *what);
/* x broadcast to extents, as lt__onnx_expand. */
lt_node lt__onnx_expand_to(struct lt_onnx *, lt_node, int32_t rank, const struct lt_linear *);
/* Elements begin .. end - 1 of an axis. */
lt_node lt__onnx_part(struct lt_onnx *, lt_node, int32_t axis, const struct lt_linear *begin,
	const struct lt_linear *end);
/* Values one after the other along an axis. */
lt_node lt__onnx_join(struct lt_onnx *, int32_t axis, int32_t n, const lt_node *);
/* x with `count` axes of the most that their extents may be, and zeros where a run has no elements. */
lt_node lt__onnx_filled(struct lt_onnx *, lt_node, int32_t first, int32_t count);
#endif
