/* threads.c -- what is in a loop of a grid: which threads run it (grid.h).
 *
 * Who is off is off by an `if` around as much as can be, but never around a barrier.
 */
#include "kernel/lower/grid.h"

/* loop -1: a statement.  sums: threads are combined behind the loop. */
struct thread_child { int32_t loop, end; bool waits; uint8_t axes; bool sums; };

static struct thread_child child_at(const struct lowering *l, int32_t loop, int32_t s)
{
	const struct lt_stmt *st = lower_stmt_at(l, s);
	int32_t in = st->loop;
	if (in == loop)
		return (struct thread_child){ -1, s + 1,
			st->kind >= LT_BARRIER || (lt__lower_combines(l, st) && l->combined[s].loop < 0), 0, false };
	while (lower_loop_at(l, in)->parent != loop)
		in = lower_loop_at(l, in)->parent;
	return (struct thread_child){ in, lower_loop_at(l, in)->first_stmt + lower_loop_at(l, in)->n_stmt, l->part[in].waits,
		l->part[in].axes, lt__lower_has_combines(l, in) };
}

/* The only vectors of a thread are those of `dot`. */
static void lower_one(struct lowering *l, int32_t s)
{
	if (l->lane_loop >= 0)
		lt__lower_lane_stmt(l, s);
	else
		lt__lower_stmt(l, s);
}

static void lower_child(struct lowering *l, const struct thread_child *c, int32_t s, lower_loop_fn *nest)
{
	if (c->loop >= 0)
		nest(l, c->loop);
	else if (lower_stmt_at(l, s)->kind == LT_BARRIER)
		lt__lower_barrier(l);
	else if (lower_stmt_at(l, s)->kind > LT_BARRIER)
		lt__lower_flight(l, s);
	else if (c->waits)
		lt__lower_combine(l, s);
	else
		lower_one(l, s);
}

static void hold(struct lowering *l, int32_t loop, bool *was)
{
	for (int32_t up = loop, i = 0; up >= 0; up = lower_loop_at(l, up)->parent, i++) {
		was[i] = l->part[up].held;
		l->part[up].held = true;
	}
}

static void let_go(struct lowering *l, int32_t loop, const bool *was)
{
	for (int32_t up = loop, i = 0; up >= 0; up = lower_loop_at(l, up)->parent, i++)
		l->part[up].held = was[i];
}

/* Neighbours that the same threads run are in one `if`; alone: only the first of them. */
static int32_t lower_together(
	struct lowering *l, int32_t loop, int32_t s, int32_t end, bool alone, lower_loop_fn *nest)
{
	struct thread_child c = child_at(l, loop, s);
	const int32_t first_end = c.end;
	const uint8_t axes = c.axes, was_first = l->first_axes;
	const uint8_t first = (uint8_t)(~axes & ~was_first & ((1 << LOWER_AXES) - 1));
	bool was[LOWER_MAX_DEPTH];
	int32_t mask = lt__lower_open(l, loop, first), mark = -1;
	if (mask >= 0)
		mark = lt__lower_if(l, mask);
	hold(l, loop, was);
	l->first_axes |= first;
	for (; s < end; s = c.end) {
		c = child_at(l, loop, s);
		if (c.waits || c.axes != axes || (alone ? s >= first_end : c.sums))
			break;
		if (mask != LOWER_NO)
			lower_child(l, &c, s, nest);
	}
	l->first_axes = was_first;
	let_go(l, loop, was);
	if (mask >= 0)
		lt__lower_end(l, mark);
	return s;
}

/* Loops with sums beside each other: threads are combined behind all of them that do not need the sums of others. */
static int32_t lower_sums(struct lowering *l, int32_t loop, int32_t s, int32_t end, lower_loop_fn *nest)
{
	const int32_t first = s;
	while (s < end) {
		struct thread_child c = child_at(l, loop, s);
		if (!c.sums || lt__lower_needs_combined(l, c.loop, first, s))
			break;
		lt__lower_begin_combines(l, c.loop);
		if (c.waits)
			lower_child(l, &c, s, nest);
		s = c.waits ? c.end : lower_together(l, loop, s, end, true, nest);
	}
	lt__lower_end_combines(l, loop, first, s);
	return s;
}

void lt__lower_threads_body(struct lowering *l, int32_t loop, int32_t s, int32_t end, lower_loop_fn *nest)
{
	while (s < end) {
		struct thread_child c = child_at(l, loop, s);
		if (c.sums) {
			s = lower_sums(l, loop, s, end, nest);
			continue;
		}
		if (c.waits)
			lower_child(l, &c, s, nest);
		s = c.waits ? c.end : lower_together(l, loop, s, end, false, nest);
	}
}
