#include "lt/own.h"
LT_KERNEL(wide, f64, 0)
{
	const double *x = LT_OPERAND(0, double);
	double *y = LT_RESULT(0, double);
	const int64_t n = own->result[0].elems;

	for (int64_t i = 0; i < n; i++)
		y[i] = x[i] * x[i];
}
