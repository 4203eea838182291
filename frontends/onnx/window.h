/* window.h -- windows over the spatial axes of an image [N, C, ...]: convolutions and pools. */
#ifndef LT_ONNX_WINDOW_H
#define LT_ONNX_WINDOW_H
#include "frontends/onnx/position.h"

enum { LT_ONNX_SPATIAL = 8 };
struct lt_onnx_window {
	int32_t n;              /* spatial axes */
	/* by axis: elements of the image, positions of the window, and the attributes */
	int64_t extent[LT_ONNX_SPATIAL], out[LT_ONNX_SPATIAL], kernel[LT_ONNX_SPATIAL], stride[LT_ONNX_SPATIAL],
		dilation[LT_ONNX_SPATIAL], before[LT_ONNX_SPATIAL], after[LT_ONNX_SPATIAL];
};

/* The attributes of a node over x (kernel: NULL: from the attribute kernel_shape); false with a sentence. */
bool lt__onnx_window_read(struct lt_onnx_call *, lt_node x, const int64_t *kernel, struct lt_onnx_window *);
/* x [N, C, s..] as [N, C, o.., t..] with windows, outside it `fill` (of x's type); taps: the vars t. */
lt_node lt__onnx_windows(struct lt_onnx *, lt_node x, const struct lt_onnx_window *, double fill, lt_var *taps);

/* op_conv.c: the convolution of x with w by the node's attributes, and its input `bias` (-1: none) added. */
lt_node lt__onnx_conv(struct lt_onnx_call *, lt_node x, lt_node w, int32_t bias);
#endif
