/* tests/test_limits.c -- random graphs at the limits: refused alike, or equal (tests/random_limits.h).
 *
 * LT_SEED=N begins with another seed, LT_GRAPHS=N draws another number of graphs; `make fuzz` draws many
 * (tests/sequences/limits.c).
 */
#include <criterion/criterion.h>
#include "check/must.h"
#include "tests/batch.h"
#include "tests/random_limits.h"

TestSuite(limits, .timeout = 600);

Test(limits, equal_or_refused_alike)
{
	uint64_t seed = must_number("LT_SEED", 1);
	int n = (int)must_number("LT_GRAPHS", 400);
	struct limits_tally t = { 0 };
	batch_open(limits_level);
	limits_run(seed, n, &t);
	batch_close();
	fprintf(stderr,
		"limits, %lld graphs from seed %llu: %lld taken (%lld with requirements), %lld leave their source, "
		"%lld too large, %lld not decided; %lld runs, %lld of them refused, %lld elements\n",
		(long long)t.graphs, (unsigned long long)seed, (long long)t.taken, (long long)t.required,
		(long long)t.outside, (long long)t.large, (long long)t.open, (long long)t.runs,
		(long long)t.refused_runs, (long long)t.elements);
	cr_assert_eq(t.failed, 0, "graphs fail, see above; LT_SEED repeats them");
	if (n >= 400)   /* not vacuous */
		cr_assert(t.taken * 4 > t.graphs && t.required * 20 > t.taken && t.outside * 20 > t.graphs && t.large * 20 > t.graphs
			&& t.open * 10 < t.graphs && t.refused_runs * 20 > t.runs);
}
