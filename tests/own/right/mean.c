#include "lt/own.h"

LT_TAKES(mean, rank(0) == 2);

LT_KERNEL(mean, f32, 0)
{
	double sum = 0;

	for (int64_t i = 0; i < own->operand[0].elems; i++)
		sum += LT_OPERAND(0, float)[i];
	*LT_RESULT(0, float) = (float)(sum / (double)own->operand[0].elems);
}
