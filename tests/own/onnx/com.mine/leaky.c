#include "lt/own.h"
LT_KERNEL(leaky, f32, 0)
{
	const float *x = LT_OPERAND(0, float), alpha = (float)own->number[0], by = (float)own->number[2];
	float *y = LT_RESULT(0, float);

	for (int64_t i = 0; i < own->result[0].elems; i++)
		y[i] = x[i] > 0 ? x[i] * alpha : x[i] * by;
}
