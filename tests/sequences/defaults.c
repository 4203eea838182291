/* defaults.c -- defaults [N [SEED [EVERY [BACKENDS]]]]: random graphs with the default trees of several
 * GPUs (tests/default_trees.h), one of EVERY simulated.  What is wrong is reported with its seed; 1 if something was.
 */
#include "check/random/must.h"
#include "tests/default_trees.h"

enum { TOGETHER = 500 };

int main(int argc, char **argv)
{
	const int64_t n = argc > 1 ? strtoll(argv[1], NULL, 10) : 1000;
	const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	const int every = argc > 3 ? atoi(argv[3]) : 10;
	const char *backends = argc > 4 ? argv[4] : NULL;
	struct default_tally t = { 0 };
	for (int64_t at = 0; at < n && !t.failed; at += TOGETHER) {
		default_trees_run(seed + (uint64_t)at, n - at < TOGETHER ? n - at : TOGETHER, every, backends, &t);
		(void)fprintf(stderr, "defaults: %lld graphs, %lld of them run, %lld elements, %lld wrong\n", (long long)t.planned,
			(long long)t.ran, (long long)t.run.elements, (long long)t.failed);
	}
	return t.failed != 0;
}
