/* tests/sequences/limits.c -- limits [N [SEED]]: random graphs in text form at the limits of their sources and of
 * int64, against a model of them, the oracle, `ref` and compiled kernels that trap.  What is wrong is reported with its
 * seed; 1 if something was.
 */
#include "check/must.h"
#include "tests/batch.h"
#include "tests/random_limits.h"

int main(int argc, char **argv)
{
	const int64_t n = argc > 1 ? strtoll(argv[1], NULL, 10) : 1000;
	const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	struct limits_tally t = { 0 };
	batch_open(limits_level);
	while (t.graphs < n && t.failed < 12) {
		limits_run(seed + (uint64_t)t.graphs, n - t.graphs < 200 ? (int)(n - t.graphs) : 200, &t);
		(void)fprintf(stderr,
			"limits: seeds to %llu: %lld taken (%lld with requirements), %lld leave their source, %lld too "
			"large, %lld not decided; %lld runs, %lld of them refused, %lld elements; %lld failed\n",
			(unsigned long long)(seed + (uint64_t)t.graphs - 1), (long long)t.taken, (long long)t.required,
			(long long)t.outside, (long long)t.large, (long long)t.open, (long long)t.runs,
			(long long)t.refused_runs, (long long)t.elements, (long long)t.failed);
	}
	batch_close();
	return t.failed != 0;
}
