#include "lt/own.h"
LT_TAKES(columns, rank(0) == 2);

LT_KERNEL(columns, f32, 0)
{
	const float *x = LT_OPERAND(0, float);
	float *y = LT_RESULT(0, float);
	const int64_t m = own->operand[0].extent[0], n = own->operand[0].extent[1];

	for (int64_t j = 0; j < n; j++)
		y[j] = 0;
	for (int64_t i = 0; i < m; i++)
		for (int64_t j = 0; j < n; j++)
			y[j] += x[i * n + j];
}
