#include "lt/own.h"
LT_TAKES(pairs, rank(0) == 2);

LT_KERNEL(pairs, f32, 0)
{
	const float *x = LT_OPERAND(0, float);
	float *y = LT_RESULT(0, float);
	const int64_t m = own->operand[0].extent[0], n = own->operand[0].extent[1];

	for (int64_t i = 0; i < m; i++) {
		float even = 0, odd = 0;
		for (int64_t j = 0; j + 1 < n; j += 2) {
			even += x[i * n + j];
			odd += x[i * n + j + 1];
		}
		y[i] = even + odd + (n % 2 ? x[i * n + n - 1] : 0);
	}
}
