#include "lt/own.h"
LT_TAKES(steps, rank(0) == 1);

LT_KERNEL(steps, f32, 0)
{
	for (int64_t i = 0; i < 2; i++)
		LT_RESULT(0, float)[i] = LT_OPERAND(0, float)[i + 1] - LT_OPERAND(0, float)[i];
}
