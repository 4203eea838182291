/* thread.c -- block loops: numbers of threads, and which threads run what (grid.h).
 *
 * Threads along an axis number the iterations of its block loops, the innermost fastest; nests beside each other begin
 * at the same thread, and what is in no block loop of an axis is run by the first thread along it.
 */
#include "kernel/lower/grid.h"

static int axis_of(const struct lowering *l, int32_t loop) { return lower_loop_at(l, loop)->kind_arg; }

/* The block loop of that axis that is `inside` or is nearest around it; -1. */
static int32_t thread_around(const struct lowering *l, int32_t inside, int axis)
{
	while (inside >= 0 && !(lt__lower_is_thread(l, inside) && axis_of(l, inside) == axis))
		inside = lower_loop_at(l, inside)->parent;
	return inside;
}

/* The thread's number along an axis, in the iteration of the block loop around. */
static int32_t thread_number(struct lowering *l, int32_t around, int axis)
{
	int32_t at = lt__lower_pure(l, LT_OPCODE_thread, LT_I64, -1, -1, axis, 0);
	return around < 0 ? at
		: lt__lower_pure(l, LT_OPCODE_remainder, LT_I64, at, lt__lower_i64(l, l->part[around].stride), -1, 0);
}

int64_t lt__lower_threads_of(const struct lowering *l, int32_t loop, int axis)
{
	int32_t around = thread_around(l, lower_loop_at(l, loop)->parent, axis);
	return around >= 0 ? l->part[around].stride : l->grid[l->part[loop].root].threads[axis];
}

static int64_t threads_of_loop(const struct lowering *l, int32_t loop)
{
	return lt__lower_threads_of(l, loop, axis_of(l, loop));
}

struct lower_column lt__lower_thread_column(struct lowering *l, int32_t loop)
{
	int axis = axis_of(l, loop);
	l->b.origin = -1;
	int32_t at = thread_number(l, thread_around(l, lower_loop_at(l, loop)->parent, axis), axis);
	if (l->part[loop].stride > 1)
		at = lt__lower_pure(l, LT_OPCODE_quotient, LT_I64, at, lt__lower_i64(l, l->part[loop].stride), -1, 0);
	return lt__lower_any_iteration(l, loop, at);
}

/* Of a block loop all iterations that are too many, of one that all threads run those that are not there in this. */
int32_t lt__lower_on(struct lowering *l, int32_t loop)
{
	const struct lt_loop *x = lower_loop_at(l, loop);
	bool thread = lt__lower_is_thread(l, loop);
	if (!thread && !l->part[loop].waits)
		return LOWER_YES;
	int32_t count = -1, at = l->column[lower_loop_column(l->t, loop)].value;
	if (thread && l->loop[loop].bounded)
		count = lt__lower_trip_count(l, loop);
	else if (thread && threads_of_loop(l, loop) > x->max_trip_count * l->part[loop].stride)
		count = lt__lower_i64(l, x->max_trip_count);
	else if (!thread)
		count = lt__lower_trip_count_of(l, loop, false);
	return count < 0 ? LOWER_YES : lt__lower_pure(l, LT_OPCODE_less, LT_LANE_MASK, at, count, -1, 0);
}

int32_t lt__lower_is_first(struct lowering *l, int32_t loop, uint8_t axes)
{
	int32_t all = LOWER_YES;
	for (int a = 0; a < LOWER_AXES; a++) {
		int32_t around = thread_around(l, loop, a);
		int64_t threads = l->team < 0 ? 1 : around >= 0 ? l->part[around].stride : l->grid[l->team].threads[a];
		if (threads > 1 && (axes >> a & 1))
			all = lt__lower_both(l, all, lt__lower_pure(l, LT_OPCODE_eq, LT_LANE_MASK, thread_number(l, around, a),
				lt__lower_i64(l, 0), -1, 0));
	}
	return all;
}

int32_t lt__lower_open(struct lowering *l, int32_t loop, uint8_t axes)
{
	int32_t all = LOWER_YES;
	l->b.origin = -1;
	for (int32_t up = loop; up >= 0; up = lower_loop_at(l, up)->parent)
		if (!l->part[up].held && l->part[up].root >= 0)
			all = lt__lower_both(l, all, lt__lower_on(l, up));
	return lt__lower_both(l, all, lt__lower_is_first(l, loop, (uint8_t)(axes & ~l->first_axes)));
}
