#include "lt/own.h"
LT_ROUTINE(biased);
LT_KERNEL(biased, f32, 0)
{
	const float *b = LT_OPERAND(0, float), *x = LT_OPERAND(1, float), *w = LT_OPERAND(2, float);
	const int64_t m = own->operand[1].extent[0], k = own->operand[1].extent[1], n = own->operand[2].extent[1];
	for (int64_t i = 0; i < m; i++)
		for (int64_t j = 0; j < n; j++) {
			float sum = 0;
			for (int64_t t = 0; t < k; t++)
				sum += x[i * k + t] * w[t * n + j];
			LT_RESULT(0, float)[i * n + j] = sum - b[j];
		}
}
