#include "lt/own.h"
LT_KERNEL(scale, f32, 0)
{
	const float *x = LT_OPERAND(0, float);
	float *y = LT_RESULT(0, float);
	const int64_t n = own->result[0].elems;

	for (int64_t i = 0; i < n; i++)
		y[i] = x[i] * 2;
}
