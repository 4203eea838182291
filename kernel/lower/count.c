/* count.c -- how many iterations a loop of the tree has where it begins. */
#include "kernel/lower/grid.h"

/* Whether the threads of a block agree on a bound row of the loop. */
static bool is_uniform(const struct lowering *l, int32_t loop, int32_t row)
{
	for (int32_t up = lower_loop_at(l, loop)->parent; up >= 0; up = lower_loop_at(l, up)->parent)
		if (lt__lower_is_thread(l, up) && lt__lower_depends(l->t, row, up))
			return false;
	return true;
}

int32_t lt__lower_trip_count_of(struct lowering *l, int32_t loop, bool uniform)
{
	const struct lt_loop *x = lower_loop_at(l, loop);
	int32_t count = uniform ? lt__lower_i64(l, x->max_trip_count) : -1;
	for (int32_t b = x->first_bound; b < x->first_bound + x->n_bound; b++) {
		if (is_uniform(l, loop, l->t->bounds[b]) != uniform)
			continue;
		int32_t row = lt__lower_row(l, l->t->bounds[b]);
		count = count < 0 ? row : lt__lower_pure(l, LT_OPCODE_min, LT_I64, count, row, -1, 0);
	}
	return count;
}

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

int32_t lt__lower_reaches(struct lowering *l, int32_t loop, int64_t number)
{
	const struct lt_loop *x = lower_loop_at(l, loop);
	int32_t all = LOWER_YES;
	for (int32_t b = x->first_bound; b < x->first_bound + x->n_bound && all != LOWER_NO; b++)
		all = lt__lower_both(l, all, lt__lower_holds(l, l->t->bounds[b], -number));
	return all;
}
