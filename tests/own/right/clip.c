#include "lt/own.h"
LT_KERNEL(clip, i32, 0)
{
	const int32_t *x = LT_OPERAND(0, int32_t);
	int32_t *y = LT_RESULT(0, int32_t);
	const int64_t n = own->result[0].elems;

	for (int64_t i = 0; i < n; i++)
		y[i] = x[i] < -3 ? -3 : x[i] > 3 ? 3 : x[i];
}
