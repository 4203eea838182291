#include <math.h>
#include "lt/own.h"
LT_ROUTINE(rows);
LT_KERNEL(rows, f32, 0)
{
	const int64_t n = own->operand[0].extent[own->operand[0].rank - 1];
	for (int64_t first = 0; first < own->result[0].elems; first += n) {
		const float *x = LT_OPERAND(0, float) + first;
		float *y = LT_RESULT(0, float) + first, most = -INFINITY, sum = 0;
		for (int64_t k = 0; k < n; k++)
			most = fmaxf(most, x[k]);
		for (int64_t k = 0; k < n; k++)
			sum += y[k] = expf(x[k] - most);
		for (int64_t k = 0; k < n; k++)
			y[k] /= sum;
	}
}
