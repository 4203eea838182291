#include "lt/own.h"
LT_TAKES(add, rank(0) == rank(1) && elems(0) == elems(1));

LT_KERNEL(add, f32 f64, 0)
{
	const int64_t n = own->result[0].elems;

	if (own->operand[0].dtype == LT_OWN_F32)
		for (int64_t i = 0; i < n; i++)
			LT_RESULT(0, float)[i] = LT_OPERAND(0, float)[i] + LT_OPERAND(1, float)[i];
	else
		for (int64_t i = 0; i < n; i++)
			LT_RESULT(0, double)[i] = LT_OPERAND(0, double)[i] + LT_OPERAND(1, double)[i];
}
