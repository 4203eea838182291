/* layers.c -- layers [N [SEED]]: random layers on `cpu`, by the default trees for this machine and for
 * machines with tiny caches, many to a compiler.
 *
 * What is wrong is reported with its seed; 1 if something was.  LT_ON=ref: on ref.  LT_WORK=N: multiply-adds of a node,
 * at most. LT_TARGET=native or small: one of the two.  LT_LEVEL=-O2: how far kernels are optimised.  LT_ANY=1: random
 * graphs of every operator instead.  LT_VERIFY=1: trees are proven, too.  LT_THREADS=N.  LT_SHOW=1: shows each script
 * first.
 */
#include "tests/batch.h"
#include "check/random/must.h"
#include "tests/random_layer.h"

int main(int argc, char **argv)
{
	const int n = argc > 1 ? (int)strtoll(argv[1], NULL, 10) : 1000;
	const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	const char *on = getenv("LT_ON"), *level = getenv("LT_LEVEL");
	struct layer_plan plan = { .backends = on ? on : "batch",
		.together = 50,
		.work = (int64_t)must_number("LT_WORK", 1000000),
		.target = getenv("LT_TARGET"),
		.any = getenv("LT_ANY"),
		.verify = getenv("LT_VERIFY"),
		.show = getenv("LT_SHOW"),
		.n_thread = (uint32_t)must_number("LT_THREADS", 0) };
	struct layer_tally tally = { 0 };
	batch_open(level ? level : "-O0");
	while (tally.graphs < n && !tally.failed) {
		plan.seed = seed + (uint64_t)tally.graphs;
		plan.graphs = n - tally.graphs < plan.together ? n - tally.graphs : plan.together;
		layer_runs(&plan, &tally);
		(void)fprintf(stderr,
			"%s: seeds to %llu, %d failed; %lld elements, %lld that the oracle says nothing of\n",
			plan.backends, (unsigned long long)seed + (unsigned long long)tally.graphs - 1, tally.failed,
			(long long)tally.elements, (long long)tally.skipped);
	}
	batch_close();
	return tally.failed != 0;
}
