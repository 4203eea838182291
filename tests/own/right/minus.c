#include "lt/own.h"
LT_KERNEL(minus, f16 bf16, 0)
{
	const uint16_t *x = LT_OPERAND(0, uint16_t);
	uint16_t *y = LT_RESULT(0, uint16_t);
	const int64_t n = own->result[0].elems;

	for (int64_t i = 0; i < n; i++)
		y[i] = (uint16_t)(x[i] ^ 0x8000);
}
