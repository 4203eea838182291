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
/* q k^T of the last two axes, both times the square root of the scale before. */
lt_node lt__onnx_scores(struct lt_onnx *, lt_node q, lt_node k, double scale);
#endif
