/* stored.h -- values of types that the library keeps, but does not compute with: stored.def. */
#ifndef LT_ONNX_STORED_H
#define LT_ONNX_STORED_H
#include "frontends/onnx/onnx.h"

enum lt_onnx_stored_kind { LT_ONNX_STORED_WHOLE, LT_ONNX_STORED_FLOAT, LT_ONNX_STORED_UNSIGNED_ZERO,
	LT_ONNX_STORED_POWER };
struct lt_onnx_stored {
	int32_t code;
	enum lt_dtype held;
	int32_t bits;
	enum lt_onnx_stored_kind kind;
	int32_t mantissa, bias, max, over, nan;
};
enum lt_onnx_rounding { LT_ONNX_NEAREST, LT_ONNX_UP, LT_ONNX_DOWN };    /* to a power of 2; others: to nearest */

/* stored.c */
const struct lt_onnx_stored *lt__onnx_stored(int64_t type);     /* NULL: it is none of them */
/* One byte an element of what a file holds packed. */
const void *lt__onnx_unpack(struct lt_onnx *, const struct lt_onnx_stored *, const void *packed, size_t n);

/* stored_cast.c */
/* x as the type; saturate: beyond the largest number is that number. */
lt_node lt__onnx_store(struct lt_onnx *, const struct lt_onnx_stored *, lt_node x, bool saturate,
	enum lt_onnx_rounding);
/* Input i as numbers, whatever its type is kept in. */
lt_node lt__onnx_in_numbers(struct lt_onnx_call *, int32_t i);
void lt__onnx_give_stored(struct lt_onnx_call *, int32_t i, lt_node, const struct lt_onnx_stored *);
/* Whether the operator may have its inputs, of which some may be stored; false with a sentence.  And afterwards: what
 * only moves elements gives their type. */
bool lt__onnx_stored_takes(struct lt_onnx_call *);
void lt__onnx_stored_moves(struct lt_onnx_call *);
#endif
