#include "lt/own.h"
LT_TAKES(ends, rank(0) == 2);

LT_KERNEL(ends, i32, 0)
{
	const int32_t *x = LT_OPERAND(0, int32_t);
	int32_t *high = LT_RESULT(0, int32_t), *low = LT_RESULT(1, int32_t);
	const int64_t m = own->operand[0].extent[0], n = own->operand[0].extent[1];

	for (int64_t i = 0; i < m; i++) {
		high[i] = low[i] = x[i * n];
		for (int64_t j = 1; j < n; j++) {
			high[i] = x[i * n + j] > high[i] ? x[i * n + j] : high[i];
			low[i] = x[i * n + j] < low[i] ? x[i * n + j] : low[i];
		}
	}
}
