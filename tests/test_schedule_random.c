/* test_schedule_random.c -- random sequences of primitives on random graphs: what is accepted gives what the
 * oracle gives.
 *
 * LT_SEED=N begins with another seed, LT_SEQUENCES=N draws another number of sequences on `ref` (those on `cpu` in
 * proportion), LT_SKIP='bind call' leaves primitives out.
 */
#include <criterion/criterion.h>
#include "tests/batch.h"
#include "check/random/must.h"
#include "tests/random_schedule.h"

TestSuite(schedule_random, .timeout = 900);

/* many: as many sequences as asked for without a limit by the environment; enough to ask that each kind of step is
 * common. */
static void draw(struct schedule_plan plan, int sequences, bool many)
{
	struct schedule_tally tally = { 0 };
	plan.seed = must_number("LT_SEED", plan.seed);
	plan.skip = getenv("LT_SKIP") ? getenv("LT_SKIP") : plan.skip;
	const uint64_t first = plan.seed;
	plan.graphs = sequences / plan.sequences + 1;
	random_schedules(&plan, &tally);
	while (tally.sequences < sequences && !tally.failed && many) {
		plan.seed += (uint64_t)plan.graphs;
		plan.graphs = (sequences - tally.sequences) / plan.sequences + 1;
		random_schedules(&plan, &tally);
	}
	plan.graphs = (int)(plan.seed - first) + plan.graphs;
	plan.seed = first;
	random_schedules_report(&plan, &tally);
	cr_assert_eq(tally.failed, 0, "sequences fail, see above; LT_SEED repeats them");
	cr_assert_lt(tally.slow, plan.graphs / 20 + 3, "the analysis of many graphs is slow");
	for (int i = 0; i < random_step_count() && tally.sequences >= 2000; i++)
		cr_assert(tally.tried[i] == 0 || tally.accepted[i] >= 3, "a step of the kind %s is hardly ever legal",
			random_step_name(i));
}

static int number(int share) { return (int)must_draws("LT_SEQUENCES", 2000) / share; }

Test(schedule_random, on_ref)
{
	draw((struct schedule_plan){ .backends = "ref", .skip = "", .seed = 1, .sequences = 8, .together = 1 },
		number(1), true);
}

Test(schedule_random, many_to_a_compiler_on_cpu)
{
	batch_open("-O0");
	draw(
		(struct schedule_plan){
			.backends = "batch", .skip = "bind call", .seed = 100001, .sequences = 8, .together = 30 },
		number(10), true);
	struct batch_tally tally = batch_report();
	fprintf(stderr, "%lld kernels in %lld files, %.2f s of compilers\n", (long long)tally.kernels,
		(long long)tally.files, 1e-9 * (double)tally.compile_ns);
	cr_assert(tally.kernels > 4 * tally.files, "many kernels share a compiler");
	batch_close();
}

/* Vectors take another form of exp than single values do: what a clone of one kind has is not what the other stored. */
Test(schedule_random, floats_of_64_bits_on_cpu)
{
	batch_open("-O0");
	draw(
		(struct schedule_plan){ .backends = "batch", .skip = "bind call", .floats = LT_F64, .seed = 400001, .sequences = 8,
			.together = 30 },
		number(10), true);
	batch_close();
}

Test(schedule_random, on_cpu)
{
	draw(
		(struct schedule_plan){
			.backends = "cpu:O1", .skip = "bind call", .seed = 200001, .sequences = 1, .together = 1 },
		number(100), true);
}
