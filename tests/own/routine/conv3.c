#include "lt/own.h"
LT_ROUTINE(conv3);
LT_TAKES(conv3, extent(1, 2) == 3 && extent(1, 3) == 3);
LT_KERNEL(conv3, f32, 0)
{
	const float *x = LT_OPERAND(0, float), *w = LT_OPERAND(1, float);
	const int64_t *e = own->operand[0].extent, *f = own->operand[1].extent;
	for (int64_t b = 0; b < e[0]; b++)
	for (int64_t o = 0; o < f[0]; o++)
	for (int64_t i = 0; i < e[2]; i++)
	for (int64_t j = 0; j < e[3]; j++) {
		float sum = 0;
		for (int64_t c = 0; c < e[1]; c++)
		for (int64_t u = 0; u < 3; u++)
		for (int64_t v = 0; v < 3; v++) {
			const int64_t y = i + u - 1, z = j + v - 1;
			if (y >= 0 && y < e[2] && z >= 0 && z < e[3])
				sum += x[((b * e[1] + c) * e[2] + y) * e[3] + z] * w[((o * e[1] + c) * 3 + u) * 3 + v];
		}
		LT_RESULT(0, float)[((b * f[0] + o) * e[2] + i) * e[3] + j] = sum;
	}
}
