#include "lt/own.h"

LT_TAKES(product, rank(0) == 2 && rank(1) == 2 && extent(1, 0) == 3 && extent(1, 1) == 3);

LT_KERNEL(product, f32, 0)
{
	const float *restrict x = LT_OPERAND(0, float), *restrict w = LT_OPERAND(1, float);
	float *restrict y = LT_RESULT(0, float);
	const int64_t m = own->operand[0].extent[0];

	for (int64_t i = 0; i < m; i++) {
		const float a = x[3 * i], b = x[3 * i + 1], c = x[3 * i + 2];

		y[3 * i] = a * w[0] + b * w[3] + c * w[6];
		y[3 * i + 1] = a * w[1] + b * w[4] + c * w[7];
		y[3 * i + 2] = a * w[2] + b * w[5] + c * w[8];
	}
}
