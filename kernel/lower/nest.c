/* nest.c -- loops of a frozen tree, by the mode that mode.c gave each. */
#include "kernel/lower/grid.h"
#include "kernel/build/build.h"

enum { MAX_HINT = 8, MAX_GRID_HINT = 32 };      /* a GPU guesses no branches */

/* What is in a loop, for an iteration of which c is known. */
static void nest_inside(struct lowering *l, int32_t i, struct lower_column c)
{
	const struct lt_loop *x = lower_loop_at(l, i);
	lt__lower_enter(l, i, c);
	lt__lower_body(l, i, x->first_stmt, x->first_stmt + x->n_stmt);
	lt__lower_leave(l, i);
}

static int32_t nest_begin(struct lowering *l, int32_t from, int32_t to, int64_t step, int32_t i)
{
	int32_t loop = lt__build_loop(&l->b, from, to, step, i);
	struct lt_instruction *made = &l->b.region[l->b.now].at[loop];
	const struct lt_loop *x = lower_loop_at(l, i);
	if (l->loop[i].mode == LOWER_HINT) {
		made->flags = LT_INSTRUCTION_UNROLL;
		made->stride = lower_has_grids(l) ? MAX_GRID_HINT : MAX_HINT;
		made->stride = x->max_trip_count < made->stride ? x->max_trip_count : made->stride;
	}
	return loop;
}

/* Whether the inner loop's iterations go on, in each row, where an iteration of the outer one ends. */
static bool nest_goes_on(const struct lowering *l, int32_t outer, int32_t inner)
{
	const int32_t a = lower_loop_column(l->t, outer), b = lower_loop_column(l->t, inner);
	for (uint32_t r = 0; r < (uint32_t)l->t->n_row; r++) {
		const int64_t *row = lower_row_at(l->t, (int32_t)r);
		int64_t far;
		if (__builtin_mul_overflow(row[b], lower_loop_at(l, inner)->max_trip_count, &far) || far != row[a])
			return false;
	}
	return true;
}

/* The loop that loop i is one with, for a machine without vectors: the innermost of those that are alone in the one
 * around them and go on with it; *n: how many iterations they have together.  i: there is none. */
static int32_t nest_joined(const struct lowering *l, int32_t i, int64_t *n)
{
	*n = lower_loop_at(l, i)->max_trip_count;
	for (int32_t in; !l->machine.vector_bytes && !l->machine.teams && !lower_has_grids(l)
			&& (in = lt__lower_only_child(l, i)) >= 0; i = in) {
		if (l->loop[i].mode != LOWER_LOOP || l->loop[in].mode != LOWER_LOOP || l->loop[i].bounded || l->loop[in].bounded
				|| !nest_goes_on(l, i, in) || __builtin_mul_overflow(*n, lower_loop_at(l, in)->max_trip_count, n))
			break;
	}
	return i;
}

static void nest_counted(struct lowering *l, int32_t i)
{
	l->b.origin = -1;
	int64_t n;
	const int32_t joined = nest_joined(l, i, &n);
	bool together = lower_has_grids(l) && l->part[i].waits;
	int32_t from = lt__lower_i64(l, 0), to = joined != i ? lt__lower_i64(l, n)
		: together ? lt__lower_trip_count_of(l, i, true) : lt__lower_trip_count(l, i);
	int32_t mark = lt__lower_mark(l);
	l->written += together;
	for (int32_t up = lower_loop_at(l, joined)->parent; joined != i; up = lower_loop_at(l, up)->parent) {
		lt__lower_enter(l, up, (struct lower_column){ .range = { true, 0, 0 }, .fixed = true, .value = lt__lower_i64(l, 0) });
		if (up == i)
			break;
	}
	nest_inside(l, joined, lt__lower_any_of(n, nest_begin(l, from, to, 1, joined)));
	for (int32_t up = lower_loop_at(l, joined)->parent; joined != i; up = lower_loop_at(l, up)->parent) {
		lt__lower_leave(l, up);
		if (up == i)
			break;
	}
	l->written += together;
	lt__lower_end(l, mark);
}

static struct lower_column nest_number(int64_t number, uint32_t lanes)
{
	return (struct lower_column){ .fixed = true, .number = number, .stride = lanes > 1, .value = -1,
		.range = { true, number, number + lanes - 1 } };
}

static void nest_all_copies(struct lowering *l, int32_t i)
{
	lt__lower_begin_joins(l, i);
	for (int64_t k = 0; k < lower_loop_at(l, i)->max_trip_count; k++) {
		lt__lower_next_copy(l, i, k);
		nest_inside(l, i, nest_number(k, 1));
	}
	lt__lower_end_joins(l, i);
}

/* A copy for each iteration; where there may be fewer: all, without a question, or each if it is there. */
static void nest_copies(struct lowering *l, int32_t i)
{
	l->b.origin = -1;
	const int64_t max = lower_loop_at(l, i)->max_trip_count;
	int32_t whole = l->loop[i].bounded ? lt__lower_reaches(l, i, max) : LOWER_YES, mark = -1;
	if (whole >= 0)
		mark = lt__lower_if(l, whole);
	if (whole != LOWER_NO)
		nest_all_copies(l, i);
	if (whole == LOWER_YES)
		return;
	if (whole >= 0)
		lt__lower_else(l, mark);
	for (int64_t k = 0; k < max; k++) {
		l->b.origin = -1;
		int32_t there = lt__lower_reaches(l, i, k + 1);
		if (there == whole || there == LOWER_NO)
			break;                  /* nor are those behind it */
		int32_t inner = there >= 0 ? lt__lower_if(l, there) : -1;
		nest_inside(l, i, nest_number(k, 1));
		if (there >= 0)
			lt__lower_end(l, inner);
	}
	if (whole >= 0)
		lt__lower_end(l, mark);
}

/* The iterations of a vector: from a number on, or from a value. */
struct nest_base { int32_t value; int64_t number; };

/* on: how many of the lanes, a value; -1: all of them. */
static void nest_vector(struct lowering *l, int32_t i, struct nest_base base, uint32_t lanes, int32_t on)
{
	struct lower_column c = base.value < 0 ? nest_number(base.number, lanes) : lt__lower_any_iteration(l, i, base.value);
	c.stride = lanes > 1;
	c.fixed = base.value < 0;
	l->lane_loop = lanes > 1 ? i : -1;
	l->lanes = lanes;
	l->on = lanes > 1 ? on : -1;
	l->mask = -1;
	if (l->on >= 0)
		l->mask = lt__lower_wide(l, LT_OPCODE_below, LT_LANE_MASK, on, -1, 0);
	nest_inside(l, i, c);
	l->lane_loop = l->on = l->mask = -1;
	l->lanes = 1;
}

/* A vector from a number on of a loop that has n iterations at run time. */
static void nest_bounded(struct lowering *l, int32_t i, int64_t from, uint32_t lanes, int32_t n)
{
	struct nest_base base = { -1, from };
	l->b.origin = -1;
	int32_t mark = lt__lower_if(l, lt__lower_pure(l, LT_OPCODE_greaterequal, LT_LANE_MASK, n,
		lt__lower_i64(l, from + lanes), -1, 0));
	nest_vector(l, i, base, lanes, -1);
	if (lanes > 1) {
		lt__lower_else(l, mark);
		l->b.origin = -1;
		int32_t some = lt__lower_pure(l, LT_OPCODE_greater, LT_LANE_MASK, n, lt__lower_i64(l, from), -1, 0);
		int32_t inner = lt__lower_if(l, some);
		nest_vector(l, i, base, lanes, from ? lt__lower_add(l, n, lt__lower_i64(l, -from)) : n);
		lt__lower_end(l, inner);
	}
	lt__lower_end(l, mark);
}

/* Iterations that are no whole vector. */
static void nest_remainder(struct lowering *l, int32_t i, int64_t from, int32_t n)
{
	const struct lt_loop *x = lower_loop_at(l, i);
	uint32_t lanes = l->loop[i].lanes;
	int64_t left = x->max_trip_count - from;
	if (n < 0 && l->loop[i].masked && left > 0 && __builtin_popcountll((uint64_t)left) > 1) {
		nest_vector(l, i, (struct nest_base){ -1, from }, lanes, lt__lower_i64(l, left));
		lt__decide(l->report, 'L', i, -1, -1, "%s %lld iterations in a vector under a mask", from ? "the last" : "all",
			(long long)left);
		return;
	}
	while (from < x->max_trip_count) {
		while (lanes > x->max_trip_count - from)
			lanes /= 2;
		if (n >= 0)
			nest_bounded(l, i, from, lanes, n);
		else
			nest_vector(l, i, (struct nest_base){ -1, from }, lanes, -1);
		from += lanes;
	}
}

/* Whole vectors, counted: as many as there are; what is left at run time is one under a mask. */
static void nest_strips(struct lowering *l, int32_t i, int64_t whole, int32_t n)
{
	uint32_t lanes = l->loop[i].lanes;
	int32_t from = lt__lower_i64(l, 0), to = lt__lower_i64(l, whole);
	if (n >= 0) {
		int32_t left = lt__lower_pure(l, LT_OPCODE_remainder, LT_I64, n, lt__lower_i64(l, lanes), -1, 0);
		to = lt__lower_pure(l, LT_OPCODE_sub, LT_I64, n, left, -1, 0);
	}
	int32_t mark = lt__lower_mark(l);
	nest_vector(l, i, (struct nest_base){ nest_begin(l, from, to, lanes, i), 0 }, lanes, -1);
	lt__lower_end(l, mark);
	if (n < 0)
		return;
	l->b.origin = -1;
	mark = lt__lower_if(l, lt__lower_pure(l, LT_OPCODE_less, LT_LANE_MASK, to, n, -1, 0));
	nest_vector(l, i, (struct nest_base){ to, 0 }, lanes, lt__lower_pure(l, LT_OPCODE_sub, LT_I64, n, to, -1, 0));
	lt__lower_end(l, mark);
}

/* A vector loop: as many lanes as a vector has at a time, then less and less for the rest. */
static void nest_lanes(struct lowering *l, int32_t i)
{
	const struct lt_loop *x = lower_loop_at(l, i);
	const struct lower_loop *p = &l->loop[i];
	const struct lower_fold *outside = l->folds;
	int64_t from = 0, whole = x->max_trip_count / p->lanes * p->lanes;
	l->b.origin = -1;
	int32_t n = p->bounded ? lt__lower_trip_count(l, i) : -1;
	if (whole > p->lanes || n >= 0)
		lt__lower_begin_folds(l, i);
	l->b.origin = -1;
	if (!p->straight) {
		nest_strips(l, i, whole, n);
		lt__lower_end_folds(l, outside);
		if (n < 0)
			nest_remainder(l, i, whole, n);
		return;
	}
	for (; from < whole; from += p->lanes)
		if (n >= 0)
			nest_bounded(l, i, from, p->lanes, n);
		else
			nest_vector(l, i, (struct nest_base){ -1, from }, p->lanes, -1);
	lt__lower_end_folds(l, outside);
	nest_remainder(l, i, from, n);
}

static void nest_loop(struct lowering *l, int32_t i)
{
	if (lower_has_grids(l) && lt__lower_async_loop(l, i))
		return;
	if (lower_has_grids(l) && l->tile[i] && l->team >= 0) {
		lt__lower_tile(l, i);
		return;
	}
	switch (l->loop[i].mode) {
	case LOWER_TEAM: lt__lower_team(l, i, lt__lower_body); break;
	case LOWER_BLOCK:
		nest_inside(l, i, (struct lower_column){ .range = { true, 0, 0 }, .fixed = true, .value = lt__lower_i64(l, 0) });
		break;
	case LOWER_COPIES: nest_copies(l, i); break;
	case LOWER_LANES: nest_lanes(l, i); break;
	case LOWER_THREAD: nest_inside(l, i, lt__lower_thread_column(l, i)); break;
	default: nest_counted(l, i); break;
	}
}

void lt__lower_body(struct lowering *l, int32_t loop, int32_t s, int32_t end)
{
	l->b.origin = -1;
	lt__lower_begin(l, loop);
	if (lower_has_grids(l) && l->team >= 0) {
		lt__lower_threads_body(l, loop, s, end, nest_loop);
		return;
	}
	while (s < end) {
		int32_t in = lower_stmt_at(l, s)->loop;
		if (in == loop) {
			if (lower_has_grids(l))
				lt__lower_grid(l, -1, s, s + 1, lt__lower_body, nest_loop);
			else if (l->lane_loop >= 0)
				lt__lower_lane_stmt(l, s);
			else
				lt__lower_stmt(l, s);
			s++;
			continue;
		}
		while (lower_loop_at(l, in)->parent != loop)
			in = lower_loop_at(l, in)->parent;
		int32_t after = lower_loop_at(l, in)->first_stmt + lower_loop_at(l, in)->n_stmt;
		if (lower_has_grids(l) && lt__lower_call(l, in)) {
			s = after;
			continue;
		}
		if (lower_has_grids(l) && l->part[in].root == in)
			lt__lower_grid(l, in, s, after, lt__lower_body, nest_loop);
		else
			nest_loop(l, in);
		s = after;
	}
}
