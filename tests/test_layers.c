/* test_layers.c -- random layers by their default trees: packed, padded, peeled, in vectors and on threads,
 * against the oracle.
 *
 * LT_SEED=N begins with another seed, LT_GRAPHS=N draws another number of graphs; `make fuzz` draws many
 * (tests/sequences/layers.c).
 */
#include <criterion/criterion.h>
#include "tests/batch.h"
#include "check/random/must.h"
#include "tests/random_layer.h"

TestSuite(layers, .timeout = 600);

static void draw(struct layer_plan plan)
{
	struct layer_tally tally = { 0 };
	plan.seed = must_number("LT_SEED", plan.seed);
	plan.graphs = (int)must_draws("LT_GRAPHS", (uint64_t)plan.graphs);
	layer_runs(&plan, &tally);
	fprintf(stderr, "%s, seeds from %llu: %d graphs, %lld elements, %lld that the oracle says nothing of\n", plan.backends,
		(unsigned long long)plan.seed, tally.graphs, (long long)tally.elements, (long long)tally.skipped);
	cr_assert_eq(tally.failed, 0, "layers fail, see above; LT_SEED repeats them");
	cr_assert(tally.elements > 1000 && tally.skipped * 100 < tally.elements);
}

Test(layers, proven_and_right_on_ref)
{
	draw((struct layer_plan){ .backends = "ref",
		.seed = 1,
		.graphs = 60,
		.together = 1,
		.work = 20000,
		.target = "small",
		.verify = true });
}

Test(layers, right_when_compiled)
{
	batch_open("-O0");
	draw((struct layer_plan){ .backends = "batch", .seed = 1001, .graphs = 60, .together = 60, .work = 200000 });
	batch_close();
}
