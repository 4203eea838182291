/* distance.c -- how far a result is from a reference. */
#include <math.h>
#include "tools/bench/bench.h"

double bench_distance(const float *got, const float *want, int64_t n)
{
	double d = 0, all = 0;

	for (int64_t i = 0; i < n; i++) {
		double e = (double)got[i] - want[i];

		d += e * e;
		all += (double)want[i] * want[i];
	}
	/* A NaN anywhere makes the distance NaN. */
	return all > 0 ? sqrt(d / all) : sqrt(d);
}
