#include "lt/own.h"
LT_TAKES(outer, rank(0) == 2 && rank(1) == 2);

LT_KERNEL(outer, f32, 0)
{
	const float *x = LT_OPERAND(0, float), *w = LT_OPERAND(1, float);
	float *y = LT_RESULT(0, float);
	const int64_t m = own->operand[0].extent[0], k = own->operand[0].extent[1], n = own->operand[1].extent[1];

	for (int64_t i = 0; i < m * n; i++)
		y[i] = 0;
	for (int64_t l = 0; l < k; l++)
		for (int64_t i = 0; i < m; i++)
			for (int64_t j = 0; j < n; j++)
				y[i * n + j] += x[i * k + l] * w[l * n + j];
}
