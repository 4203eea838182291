/* poly.h -- whole numbers that depend on run-time extents: sums of products of run-time scalars.
 *
 * A shape that a model computes is such numbers: "batch", "past + length", "12 * batch * length".  They are kept in one
 * form, so that two are the same number in every run if and only if they look the same.
 */
#ifndef LT_ONNX_POLY_H
#define LT_ONNX_POLY_H
#include "frontends/onnx/onnx.h"

/* coef times the n scalars, which ascend and may repeat. */
struct lt_onnx_term { int64_t coef; int32_t n; const lt_param *param; };
/* Terms in order, none with the same scalars as another or with the coefficient 0; n 0: the number 0. */
struct lt_onnx_poly { int32_t n; const struct lt_onnx_term *term; };

struct lt_onnx_poly lt__poly_whole(struct lt_onnx *, int64_t);
struct lt_onnx_poly lt__poly_linear(struct lt_onnx *, const struct lt_linear *);
/* a + by * b, a * b; false: it does not fit. */
bool lt__poly_add(struct lt_onnx *, const struct lt_onnx_poly *a, const struct lt_onnx_poly *b, int64_t by,
	struct lt_onnx_poly *out);
bool lt__poly_mul(struct lt_onnx *, const struct lt_onnx_poly *a, const struct lt_onnx_poly *b,
	struct lt_onnx_poly *out);
/* a / by where it is whole in every run; false: it is not, or not known to be. */
bool lt__poly_divide(struct lt_onnx *, const struct lt_onnx_poly *a, int64_t by, struct lt_onnx_poly *out);
bool lt__poly_equal(const struct lt_onnx_poly *, const struct lt_onnx_poly *);
bool lt__poly_is(const struct lt_onnx_poly *, int64_t);         /* it is that number */
bool lt__poly_known(const struct lt_onnx_poly *, int64_t *out); /* it is a number, without scalars */
/* a is k times b, k at least 1. */
bool lt__poly_ratio(const struct lt_onnx_poly *a, const struct lt_onnx_poly *b, int64_t *k);
/* As a sum of scalars; false: it has products. */
bool lt__poly_sum(struct lt_onnx *, const struct lt_onnx_poly *, struct lt_linear *out);
/* Bounds of what it may be; false: they exceed 63 bits. */
bool lt__poly_range(const struct lt_onnx *, const struct lt_onnx_poly *, int64_t *low, int64_t *high);
/* "12*batch*length" */
const char *lt__poly_text(struct lt_onnx *, const struct lt_onnx_poly *);
/* Marks the symbols (lt_onnx.symbol) that n numbers depend on. */
void lt__poly_symbols(const struct lt_onnx *, int32_t n, const struct lt_onnx_poly *, bool *named);
/* "--dim batch=8 --dim length=8", of those that are marked, and how many. */
const char *lt__poly_dims(struct lt_onnx *, const bool *named, int32_t *count);
/* "--dim batch=8 --dim length=8 fix them": the options that make n numbers known. */
const char *lt__poly_fixes(struct lt_onnx *, int32_t n, const struct lt_onnx_poly *);
#endif
