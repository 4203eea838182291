/* axes.c -- axes that a model names by number. */
#include "frontends/onnx/position.h"

int32_t lt__onnx_axis(struct lt_onnx *m, int64_t axis, int32_t rank)
{
	if (axis >= -(int64_t)rank && axis < rank)
		return (int32_t)(axis < 0 ? axis + rank : axis);
	if (!lt__onnx_failed(m))
		lt__onnx_refuse(m, "axis %lld is outside of a value of rank %d", (long long)axis, rank);
	return -1;
}

bool *lt__onnx_axes(struct lt_onnx *m, int32_t n, const int64_t *axis, int32_t rank)
{
	bool *mask = LT_NEW(m->arena, bool, rank + 1);
	for (int32_t i = 0; i < n; i++) {
		int32_t at = lt__onnx_axis(m, axis[i], rank);
		if (at < 0)
			return NULL;
		mask[at] = true;
	}
	return mask;
}
