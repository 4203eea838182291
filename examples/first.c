/* Calls the function that lt-build makes of first.lt (docs/build.md). */
#include <stdio.h>
#include "first.h"

int main(void)
{
	float x[FIRST_in_x_ELEMENTS] = { 0, 1, 2, 3, 4, 5 }, y[FIRST_out_result_ELEMENTS];
	struct first_args a = { 0 };
	a.in_x = x;
	a.out_result = y;
	if (first(&a) != FIRST_OK) {
		fprintf(stderr, "%s (%lld)\n", a.message, (long long)a.value);
		return 1;
	}
	for (int i = 0; i < FIRST_out_result_ELEMENTS; i++)
		printf("%g%c", (double)y[i], (i + 1) % FIRST_out_result_DIM1 ? ' ' : '\n');
	return 0;
}
