#include "lt/own.h"
LT_TAKES(rowsum, rank(0) == 2);

LT_KERNEL(rowsum, f32, 0)
{
	const float *x = LT_OPERAND(0, float);
	float *y = LT_RESULT(0, float);
	const int64_t m = own->operand[0].extent[0], n = own->operand[0].extent[1];

	for (int64_t i = 0; i < m; i++) {
		float sum = 0;
		for (int64_t j = 0; j < n; j++)
			sum += x[i * n + j];
		y[i] = sum;
	}
}
