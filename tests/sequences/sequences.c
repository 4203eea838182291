/* sequences.c -- sequences [N [SEED]]: random sequences of primitives, N on `ref`, a tenth as many on `cpu`, and half
 * of that number on `cpu` and on `llvm`, if it is built, where all floats are f64: their functions have two forms
 * there, and each is right.
 *
 * What is wrong is reported with its seed; 1 if something was.  LT_SKIP='bind call' leaves primitives out; LT_ON=ref,
 * LT_ON=batch, LT_ON=f64 or LT_ON=llvm runs one of these, N sequences of it.
 */
#include <string.h>
#include <unistd.h>
#include "lt/lt.h"
#include "tests/batch.h"
#include "check/random/must.h"
#include "tests/random_schedule.h"

/* share: of n, unless nothing else is drawn. */
static int draw(const char *name, struct schedule_plan plan, int n, int share)
{
	struct schedule_tally tally = { 0 };
	const char *skip = getenv("LT_SKIP"), *only = getenv("LT_ON");
	const int sequences = only ? n : n / share;
	if (only && strcmp(only, name) != 0)
		return 0;
	plan.skip = skip ? skip : plan.skip;
	const uint64_t first = plan.seed;
	while (tally.sequences < sequences && !tally.failed) {
		plan.graphs = (sequences - tally.sequences) / plan.sequences + 1;
		plan.graphs = plan.graphs < 250 ? plan.graphs : 250;
		random_schedules(&plan, &tally);
		(void)fprintf(stderr, "%s: seeds to %llu, %d of %d sequences\n", name,
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
	const char *slash = strrchr(argv[0], '/');
	char llvm[1024];
	int failed = draw("ref",
		(struct schedule_plan){ .backends = "ref", .skip = "", .seed = seed, .sequences = 8, .together = 1 }, n, 1);
	batch_open("-O0");
	struct schedule_plan plan = { .backends = "batch", .skip = "bind call", .seed = seed + 1000000, .sequences = 8,
		.together = 40 };
	failed += draw("batch", plan, n, 10);
	plan.floats = LT_F64;
	plan.seed = seed + 2000000;
	failed += draw("f64", plan, n, 20);
	(void)snprintf(llvm, sizeof llvm, "%.*s/backends/llvm.so", slash ? (int)(slash - argv[0]) : 1, slash ? argv[0] : ".");
	if (access(llvm, R_OK) == 0) {
		must(lt_backend_load(llvm, NULL) == LT_OK, "%s cannot be loaded", llvm);
		plan.backends = "llvm";
		plan.together = 1;
		plan.seed = seed + 3000000;
		failed += draw("llvm", plan, n, 20);
	}
	struct batch_tally tally = batch_report();
	(void)fprintf(stderr, "%lld kernels in %lld files, %.1f s of compilers\n", (long long)tally.kernels,
		(long long)tally.files, 1e-9 * (double)tally.compile_ns);
	batch_close();
	return failed != 0;
}
