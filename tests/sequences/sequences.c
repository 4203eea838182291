/* sequences.c -- sequences [N [SEED]]: random sequences of primitives, N on `ref` and a tenth as many
 * on `cpu`.
 *
 * What is wrong is reported with its seed; 1 if something was.  LT_SKIP='bind call' leaves primitives out, LT_ON=ref or
 * LT_ON=batch runs one of the two.
 */
#include <string.h>
#include "tests/batch.h"
#include "check/random/must.h"
#include "tests/random_schedule.h"

static int draw(struct schedule_plan plan, int sequences)
{
	struct schedule_tally tally = { 0 };
	const char *skip = getenv("LT_SKIP"), *only = getenv("LT_ON");
	if (only && strcmp(only, plan.backends) != 0)
		return 0;
	plan.skip = skip ? skip : plan.skip;
	const uint64_t first = plan.seed;
	while (tally.sequences < sequences && !tally.failed) {
		plan.graphs = (sequences - tally.sequences) / plan.sequences + 1;
		plan.graphs = plan.graphs < 250 ? plan.graphs : 250;
		random_schedules(&plan, &tally);
		(void)fprintf(stderr, "%s: seeds to %llu, %d of %d sequences\n", plan.backends,
			(unsigned long long)(plan.seed + (uint64_t)plan.graphs - 1), tally.sequences, sequences);
		plan.seed += (uint64_t)plan.graphs;
	}
	plan.graphs = (int)(plan.seed - first);
	plan.seed = first;
	random_schedules_report(&plan, &tally);
	return tally.failed;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? (int)strtoll(argv[1], NULL, 10) : 20000;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	int failed = draw(
		(struct schedule_plan){ .backends = "ref", .skip = "", .seed = seed, .sequences = 8, .together = 1 },
		n);
	batch_open("-O0");
	failed += draw((struct schedule_plan){ .backends = "batch",
			       .skip = "bind call",
			       .seed = seed + 1000000,
			       .sequences = 8,
			       .together = 40 },
		n / 10);
	struct batch_tally tally = batch_report();
	(void)fprintf(stderr, "%lld kernels in %lld files, %.1f s of compilers\n", (long long)tally.kernels,
		(long long)tally.files, 1e-9 * (double)tally.compile_ns);
	batch_close();
	return failed != 0;
}
