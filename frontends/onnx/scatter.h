/* scatter.h -- values put at positions that are computed. */
#ifndef LT_ONNX_SCATTER_H
#define LT_ONNX_SCATTER_H
#include "frontends/onnx/position.h"

/* x [n] with update [u] at index [u]; the last one, of several at one place. */
lt_node lt__onnx_scatter(struct lt_onnx *, lt_node x, lt_node index, lt_node update);
#endif
