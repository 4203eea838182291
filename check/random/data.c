/* data.c -- random numbers, and data for the sources of a random graph. */
#include <math.h>
#include "check/random/random.h"

uint64_t random_next(uint64_t *state)
{
	uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

int64_t random_between(uint64_t *state, int64_t low, int64_t high)
{
	return low + (int64_t)(random_next(state) % (uint64_t)(high - low + 1));
}

bool random_chance(uint64_t *state, int percent) { return random_between(state, 0, 99) < percent; }

static double free_number(const struct random_graph *r, uint64_t *rng)
{
	if (r->special && random_chance(rng, 15)) {
		const double odd[] = { NAN, INFINITY, -INFINITY, 0, -0.0, 1e30, -1e30, 1e-30 };
		return odd[random_between(rng, 0, 7)];
	}
	if (r->exact)
		return (double)random_between(rng, -16, 16) / 4;
	double sum = 0;
	for (int i = 0; i < 6; i++)
		sum += (double)(random_next(rng) >> 11) * 0x1p-53 - 0.5;
	return sum * 1.3;
}

void random_graph_fill(const struct random_graph *r, uint64_t seed, int run, lt_node n, void *out)
{
	const struct lt_nodedef *d = &r->g->node[n];
	uint64_t rng = seed * 1000003 + (uint64_t)n * 7919 + (uint64_t)run;
	const struct random_source *range = NULL;
	for (int i = 0; i < r->n_source; i++)
		if (r->source[i].node == n)
			range = &r->source[i];
	int64_t elems = lt__node_elems(r->g, n);
	for (int64_t i = 0; i < elems; i++) {
		union lt_scalar x;
		enum lt_class cls = lt__dtype_info(d->dtype)->cls;
		if (range) {
			int64_t k = range->n == 1 ? 0 : i;
			x.i = random_between(&rng, range->low[k], range->high[k]);
		} else if (cls == LT_CLASS_FLOAT) {
			x.f = free_number(r, &rng);
			x = lt__round_to(x, d->dtype);
		} else {
			x.i = cls == LT_CLASS_BOOL  ? random_between(&rng, 0, 1)
				: lt__dtype_info(d->dtype)->is_signed ? random_between(&rng, -6, 6)
								      : random_between(&rng, 0, 9);
		}
		lt__store(out, i, d->dtype, x);
	}
}
