#include "lt/own.h"
LT_ROUTINE(swish);
LT_KERNEL(swish, f32, 0)
{
	for (int64_t i = 0; i < own->result[0].elems; i++) {
		const float x = LT_OPERAND(0, float)[i], up = x + 3 > 0 ? x + 3 : 0;
		LT_RESULT(0, float)[i] = x * (up < 6 ? up : 6) / 6;
	}
}
