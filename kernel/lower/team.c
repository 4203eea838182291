/* team.c -- a parallel loop as a team: the host's launch, and the region for a range of its points. */
#include <string.h>
#include "kernel/lower/lowering.h"

/* Points of a team number the iterations of its loops, the innermost fastest. */
static void take_apart(struct lowering *l, const int32_t *loop, const int32_t *count, int32_t n, int32_t point)
{
	for (int32_t i = n; i-- > 0; ) {
		int32_t value = i ? lt__lower_pure(l, LT_OPCODE_remainder, LT_I64, point, count[i], -1, 0) : point;
		l->column[lower_loop_column(l->t, loop[i])].value = value;
		if (i)
			point = lt__lower_pure(l, LT_OPCODE_quotient, LT_I64, point, count[i], -1, 0);
	}
}

/* The loops that are one team: the outermost first. */
static int32_t team_loops(const struct lowering *l, int32_t first, int32_t *loop)
{
	int32_t n = 0;
	for (int32_t i = first; i >= 0 && n < LOWER_MAX_DEPTH; ) {
		loop[n++] = i;
		int32_t in = lt__lower_only_child(l, i);
		i = in >= 0 && l->loop[in].mode == LOWER_COLLAPSED && l->loop[in].team == first ? in : -1;
	}
	return n;
}

/* What the host hands over: the loops around, outer of them, and how many iterations those of the team have. */
struct lower_handed { int32_t outer[LOWER_MAX_DEPTH], n_outer, count[LOWER_MAX_DEPTH]; };

static int32_t launch(struct lowering *l, const int32_t *loop, int32_t n, struct lower_handed *h)
{
	int64_t handed[2 * LOWER_MAX_DEPTH];
	int32_t n_handed = 0, points = -1;
	for (int32_t i = 0; i < n; i++) {
		h->count[i] = lt__lower_trip_count(l, loop[i]);
		if (n > 1)              /* a negative number times another would be none of points */
			h->count[i] = lt__lower_pure(l, LT_OPCODE_max, LT_I64, h->count[i], lt__lower_i64(l, 0), -1, 0);
		points = points < 0 ? h->count[i] : lt__lower_pure(l, LT_OPCODE_mul, LT_I64, points, h->count[i], -1, 0);
	}
	for (int32_t i = 0; i < h->n_outer; i++)
		handed[n_handed++] = l->column[lower_loop_column(l->t, h->outer[i])].value;
	for (int32_t i = 1; i < n; i++)
		handed[n_handed++] = h->count[i];
	int32_t host = l->b.now, region = lt__build_region(&l->b, LT_REGION_TEAM, n_handed, loop[0]);
	l->b.now = host;
	(void)lt__build(&l->b, (struct lt_instruction){ .opcode = LT_OPCODE_launch, .operand = { points, -1, -1, -1 },
		.what = region, .origin = -1, .first_extra = lt__build_extras(&l->b, handed, n_handed), .n_extra = n_handed });
	return region;
}

static void team_region(
	struct lowering *l, const int32_t *loop, int32_t n, struct lower_handed *h, lower_body_fn *body)
{
	const struct lt_loop *outermost = lower_loop_at(l, loop[0]);
	for (int32_t i = 0; i < h->n_outer; i++)
		l->column[lower_loop_column(l->t, h->outer[i])].value = lt__build_numbered(&l->b, LT_OPCODE_argument, LT_I64, i);
	for (int32_t i = 1; i < n; i++)
		h->count[i] = lt__build_numbered(&l->b, LT_OPCODE_argument, LT_I64, h->n_outer + i - 1);
	int32_t from = lt__build_value(&l->b, LT_OPCODE_first, LT_I64, 1, -1, -1);
	int32_t to = lt__build_value(&l->b, LT_OPCODE_last, LT_I64, 1, -1, -1);
	take_apart(l, loop, h->count, n, lt__build_loop(&l->b, from, to, 1, loop[0]));
	body(l, loop[n - 1], outermost->first_stmt, outermost->first_stmt + outermost->n_stmt);
	lt__build_end(&l->b);
}

void lt__lower_team(struct lowering *l, int32_t first, lower_body_fn *body)
{
	int32_t loop[LOWER_MAX_DEPTH], n = team_loops(l, first, loop);
	struct lower_handed h = { .n_outer = 0 };
	l->b.origin = -1;
	for (int32_t up = lower_loop_at(l, first)->parent; up >= 0 && h.n_outer < LOWER_MAX_DEPTH; )
		h.outer[h.n_outer++] = up, up = lower_loop_at(l, up)->parent;
	int32_t host = l->b.now, region = launch(l, loop, n, &h), was_first = l->first_known, mark = lt__lower_mark(l);
	struct lower_column *kept = lt__pool_alloc(&l->b.pool, (size_t)l->t->n_column, sizeof *kept);
	memcpy(kept, l->column, (size_t)l->t->n_column * sizeof *kept);
	l->first_known = mark;
	l->b.now = region;
	l->team = first;
	team_region(l, loop, n, &h, body);
	l->team = -1;
	l->b.now = host;
	lt__lower_forget(l, mark);
	l->first_known = was_first;
	memcpy(l->column, kept, (size_t)l->t->n_column * sizeof *kept);
}
