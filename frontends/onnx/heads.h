/* heads.h -- values with heads, [batch, head, position, element]: attention and what is near it. */
#ifndef LT_ONNX_HEADS_H
#define LT_ONNX_HEADS_H
#include "frontends/onnx/position.h"

/* [batch, position, heads * n] as [batch, heads, position, n]. */
lt_node lt__onnx_heads_apart(struct lt_onnx *, lt_node, int64_t heads);
/* The other way. */
lt_node lt__onnx_heads_joined(struct lt_onnx *, lt_node);
/* Axis 1 with as many heads: each one as often as it takes, side by side. */
lt_node lt__onnx_heads_repeated(struct lt_onnx *, lt_node, int64_t heads);
/* q k^T of the last two axes, both times the square root of the scale before; heads of queries may share keys. */
lt_node lt__onnx_scores(struct lt_onnx *, lt_node q, lt_node k, double scale);
/* Rotary positions: the first elements of each head of [batch, position, head, n], as many as `turned`, in pairs by the
 * angles whose cosines and sines are [batch or 1, position, 1, turned / 2].  paired: a pair lies side by side. */
lt_node lt__onnx_heads_turned(
	struct lt_onnx *, lt_node, lt_node cosine, lt_node sine, int64_t turned, bool paired);
#endif
