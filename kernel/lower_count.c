/* kernel/lower_count.c -- how many iterations a loop of the tree has where it begins. */
#include "kernel/lower.h"

int32_t lt__lower_trip_count(struct lowering *l, int32_t loop)
{
	const struct lt_loop *x = lower_loop_at(l, loop);
	int64_t max = x->max_trip_count;
	int32_t count = -1;
	for (int32_t b = x->first_bound; b < x->first_bound + x->n_bound; b++) {
		struct lower_range r = lt__lower_range(l, l->t->bounds[b]);
		if (r.known && r.low == r.high && r.high < max)
			max = r.high;
	}
	bool covered = false;
	for (int32_t b = x->first_bound; b < x->first_bound + x->n_bound; b++) {
		struct lower_range r = lt__lower_range(l, l->t->bounds[b]);
		if (r.known && r.low >= max)
			continue;
		covered = covered || (r.known && r.high <= max);
		int32_t row = lt__lower_row(l, l->t->bounds[b]);
		count = count < 0 ? row : lt__lower_pure(l, LT_OPCODE_min, LT_I64, count, row, -1, 0);
	}
	if (!covered) {
		int32_t all = lt__lower_i64(l, max);
		count = count < 0 ? all : lt__lower_pure(l, LT_OPCODE_min, LT_I64, count, all, -1, 0);
	}
	return count;
}
