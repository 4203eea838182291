#include "lt/own.h"
#include <math.h>

LT_TAKES(rms, rank(0) == 2);

LT_KERNEL(rms, f32, 0)
{
	const float *x = LT_OPERAND(0, float);
	float *y = LT_RESULT(0, float);
	const int64_t m = own->operand[0].extent[0], n = own->operand[0].extent[1];

	for (int64_t i = 0; i < m; i++) {
		float sum = 0;
		for (int64_t j = 0; j < n; j++)
			sum += x[i * n + j] * x[i * n + j];
		const float by = sqrtf(sum / (float)n + 0.001f);
		for (int64_t j = 0; j < n; j++)
			y[i * n + j] = x[i * n + j] / by;
	}
}
