/* sample.h -- images [batch, channel, s..] read at places that are computed. */
#ifndef LT_ONNX_SAMPLE_H
#define LT_ONNX_SAMPLE_H
#include "frontends/onnx/position.h"

enum lt_onnx_between { LT_ONNX_NEAREST, LT_ONNX_LINEAR, LT_ONNX_CUBIC };
enum lt_onnx_outside { LT_ONNX_ZEROS, LT_ONNX_BORDER, LT_ONNX_REFLECTED };
enum { LT_ONNX_SAMPLED = 3 };           /* most spatial axes */
struct lt_onnx_sampling {
	enum lt_onnx_between between;
	enum lt_onnx_outside outside;
	bool corners;                   /* an image ends at the middle of its last element, not behind it */
};

/* place: by spatial axis, float, [batch, r..] (extents of 1 broadcast), in elements of the image.
 * batch: the image of each (int, rank 1), LT_OMIT: its own.
 * value: [batch, channel, r.., tap..], of the image's computing type, weight: [batch, 1, r.., tap..]; n: taps' axes. */
struct lt_onnx_taps { lt_node value, weight; int32_t n; };
struct lt_onnx_taps lt__onnx_taps(struct lt_onnx *, lt_node x, const lt_node *place, lt_node batch,
	const struct lt_onnx_sampling *);
/* [batch, channel, r..]: the sum over the taps. */
lt_node lt__onnx_sampled(struct lt_onnx *, const struct lt_onnx_taps *);
#endif
