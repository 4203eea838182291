#include "lt/own.h"

/* x * min(max(x + 3, 0), 6) / 6 */
LT_KERNEL(hard_swish, f32, 0)
{
	const float *x = LT_OPERAND(0, float);
	float *y = LT_RESULT(0, float);

	for (int64_t i = 0; i < own->result[0].elems; i++) {
		float t = x[i] + 3;
		t = t > 0 ? t : 0;
		t = t < 6 ? t : 6;
		y[i] = x[i] * t / 6;
	}
}
