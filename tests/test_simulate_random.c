/* test_simulate_random.c -- random kernel programs that keep the rules (tests/random_kernel.h): the simulator
 * finds nothing in them, and every order and division of the points leaves the same.
 *
 * LT_SEED=N begins with another program, LT_KERNELS=N takes another number of them.
 */
#include <criterion/criterion.h>
#include "check/random/must.h"
#include "tests/random_kernel.h"
#include "tests/simulated.h"

TestSuite(simulate_random, .timeout = 120);

static const struct lt_simulate_options ways[] = { { .seed = 1, .range = 1, .order = LT_SIMULATE_FORWARD },
	{ .seed = 1 }, { .seed = 2, .order = LT_SIMULATE_BACKWARD }, { .seed = 3, .range = 3 }, { .seed = 4, .range = 1000 } };
enum { N_WAY = sizeof ways / sizeof *ways };

static void check_seed(uint64_t seed)
{
	struct random_kernel_memory first, m;
	struct lt_kernel *k = random_kernel(seed, (seed % 2 ? RANDOM_KERNEL_LANES : 0) | RANDOM_KERNEL_INEXACT);
	cr_assert_not_null(k);
	for (int w = 0; w < N_WAY; w++) {
		struct simulated s;
		random_kernel_fill(k, seed, w ? &m : &first);
		simulated_run(k, w ? m.at : first.at, &ways[w], NULL, &s);
		cr_assert_eq(s.status, LT_OK, "seed %llu, way %d: %s", (unsigned long long)seed, w, s.diags.text);
		for (uint32_t b = 0; w && b < k->n_buffer; b++) {
			const struct lt_kernel_buffer *x = &k->buffers[b];
			cr_assert(x->space != LT_SPACE_SLOT
				|| random_kernel_same(x->dtype, first.at[x->slot], m.at[x->slot], x->elems),
				"seed %llu, way %d: buffer %s", (unsigned long long)seed, w, x->name);
		}
		if (w)
			random_kernel_drop(&m);
	}
	random_kernel_drop(&first);
	lt_kernel_free(k);
}

Test(simulate_random, nothing_is_found_and_no_order_matters)
{
	uint64_t seed = must_number("LT_SEED", 1), n = must_draws("LT_KERNELS", 600);
	for (uint64_t i = 0; i < n; i++)
		check_seed(seed + i);
}
