/* limits.c -- limits [N [SEED [CC]]]: random graphs in text form at the limits of their sources and of
 * int64, against a model of them, the oracle, `ref` and compiled kernels: those of the backend batch, which trap, or
 * with CC those that cpu makes with that compiler ("cc -fsanitize=address").  What is wrong is reported with its seed;
 * 1 if something was.
 */
#include "check/random/must.h"
#include "tests/batch.h"
#include "tests/random_limits.h"

int main(int argc, char **argv)
{
	const int64_t n = argc > 1 ? strtoll(argv[1], NULL, 10) : 1000;
	const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	const char *cc = argc > 3 ? argv[3] : NULL;
	struct limits_tally t = { 0 };
	if (!cc)
		batch_open(limits_level);
	while (t.graphs < n && t.failed < 12) {
		limits_run(seed + (uint64_t)t.graphs, n - t.graphs < 200 ? (int)(n - t.graphs) : 200, cc, &t);
		(void)fprintf(stderr, "limits: seeds to %llu, ", (unsigned long long)(seed + (uint64_t)t.graphs - 1));
		limits_tally_print(&t, stderr);
	}
	if (!cc)
		batch_close();
	return t.failed != 0;
}
