/* simplify_points.c -- guards that follow from others, and floors that have one value, found by looking at all points
 * of the few dims that they are on.
 *
 * Guards that share no dim say nothing about each other: those that are tied by dims are a group, and a group seldom
 * has more than some hundred points.
 */
#include <string.h>
#include "ir/map/simplify.h"

enum {
	MAX_WORK = 1 << 18,     /* sums of one look at a group */
	MAX_MARKS = 64,         /* columns and guards that have a bit */
};

static int64_t low_of(const struct lt_simplify *t, int32_t column)
{
	return column > t->map->n_param ? 0 : t->g->param[t->map->param[column - 1]].low;
}

static int64_t high_of(const struct lt_simplify *t, int32_t column)
{
	const int32_t dim = column - 1 - t->map->n_param;

	return dim >= 0 ? t->box->extent[dim] - 1 : t->g->param[t->map->param[column - 1]].high;
}

/* The base columns of a row, also those that its floors are of; divs: those. */
static uint64_t columns_of(const struct lt_simplify *t, const int64_t *row, uint64_t *divs)
{
	uint64_t base = 0;

	for (int32_t i = 1; i < t->q.n_base; i++)
		base |= (uint64_t)(row[i] != 0) << i;
	for (int32_t k = t->q.n_div - 1; k >= 0; k--)
		*divs |= (uint64_t)(row[t->q.n_base + k] != 0) << k;
	for (int32_t k = t->q.n_div - 1; k >= 0; k--) {
		const int64_t *num = t->q.num + (size_t)k * (size_t)t->width;

		for (int32_t i = 1; *divs >> k & 1 && i < t->q.n_base + k; i++) {
			base |= (uint64_t)(num[i] && i < t->q.n_base) << (i < t->q.n_base ? i : 0);
			*divs |= (uint64_t)(num[i] && i >= t->q.n_base) << (i < t->q.n_base ? 0 : i - t->q.n_base);
		}
	}
	return base;
}

/* Guards that dims tie together: their bits, columns and floors. */
struct group { uint64_t guards, columns, divs; };

/* Adds the guards of `left` that its columns tie to it; to a group without any, the first of them. */
static void group_grow(const struct lt_simplify *t, uint64_t left, struct group *g)
{
	for (bool grows = true; grows;) {
		grows = false;
		for (int32_t i = 0; i < t->n_guard; i++) {
			uint64_t divs = 0, columns;

			if (!(left >> i & 1) || g->guards >> i & 1)
				continue;
			columns = columns_of(t, lt__simplify_row(t, t->guard, i), &divs);
			if (g->columns && !(columns & g->columns))
				continue;
			g->guards |= (uint64_t)1 << i;
			g->columns |= columns;
			g->divs |= divs;
			grows = true;
		}
	}
}

/* Whether its points are few, and no sum over them exceeds 63 bits. */
static bool group_small(struct lt_simplify *t, const struct group *g)
{
	int64_t work = 1 + __builtin_popcountll(g->guards) + __builtin_popcountll(g->divs), low, high;

	for (int32_t i = 1; i < t->q.n_base; i++)
		if (g->columns >> i & 1
		    && (__builtin_sub_overflow(high_of(t, i), low_of(t, i), &high) || high >= MAX_WORK
			|| __builtin_mul_overflow(work, high + 1, &work) || work > MAX_WORK))
			return false;
	for (int32_t k = 0; k < t->q.n_div; k++)
		if (g->divs >> k & 1 && !lt__quasi_range(&t->q, t->q.num + (size_t)k * (size_t)t->width, &low, &high))
			return false;
	for (int32_t i = 0; i < t->n_guard; i++)
		if (g->guards >> i & 1 && !lt__quasi_range(&t->q, lt__simplify_row(t, t->guard, i), &low, &high))
			return false;
	return true;
}

static int64_t sum_at(const int64_t *row, const int64_t *point, int32_t n)
{
	uint64_t sum = (uint64_t)row[0];

	for (int32_t i = 1; i < n; i++)
		sum += (uint64_t)row[i] * (uint64_t)point[i];
	return (int64_t)sum;
}

/* The guards of `of` that fail at a point, whose floors are filled in. */
static uint64_t fails_at(const struct lt_simplify *t, const struct group *g, uint64_t of, int64_t *point)
{
	uint64_t fails = 0;

	for (int32_t k = 0; k < t->q.n_div; k++)
		if (g->divs >> k & 1)
			point[t->q.n_base + k] = lt__floor_div(
				sum_at(t->q.num + (size_t)k * (size_t)t->width, point, t->q.n_base + k), t->q.den[k]);
	for (int32_t i = 0; i < t->n_guard; i++)
		if (of >> i & 1)
			fails |= (uint64_t)(sum_at(lt__simplify_row(t, t->guard, i), point, t->q.n_base + t->q.n_div) < 0) << i;
	return fails;
}

static void first_point(const struct lt_simplify *t, const struct group *g, int64_t *point)
{
	memset(point, 0, (size_t)t->width * sizeof *point);
	for (int32_t i = 1; i < t->q.n_base; i++)
		if (g->columns >> i & 1)
			point[i] = low_of(t, i);
}

static bool next_point(const struct lt_simplify *t, const struct group *g, int64_t *point)
{
	for (int32_t i = 1; i < t->q.n_base; i++) {
		if (!(g->columns >> i & 1))
			continue;
		if (point[i]++ < high_of(t, i))
			return true;
		point[i] = low_of(t, i);
	}
	return false;
}

/* The guards of `of` each of which is alone the one that fails somewhere; *holds: all hold somewhere. */
static uint64_t needed_guards(struct lt_simplify *t, const struct group *g, uint64_t of, bool *holds)
{
	int64_t *point = t->point;
	uint64_t needed = 0;

	first_point(t, g, point);
	*holds = false;
	do {
		const uint64_t fails = fails_at(t, g, of, point);

		*holds |= !fails;
		if (!(fails & (fails - 1)))
			needed |= fails;
	} while ((needed != of || !*holds) && next_point(t, g, point));
	return needed;
}

static bool has_marks(const struct lt_simplify *t)
{
	return !t->limited && t->n_guard < MAX_MARKS && t->q.n_base <= MAX_MARKS && t->q.n_div <= MAX_MARKS;
}

bool lt__guards_enumerate(struct lt_simplify *t)
{
	uint64_t left, kept;

	if (!has_marks(t))
		return false;
	left = kept = ((uint64_t)1 << t->n_guard) - 1;
	while (left && !t->empty) {
		struct group g = { .guards = 0 };
		uint64_t of, needed;
		bool holds;

		group_grow(t, left, &g);
		of = g.guards;
		if (!group_small(t, &g))
			return false;
		while ((needed = needed_guards(t, &g, of, &holds)) != of && holds)
			of &= ~((uint64_t)1 << (63 - __builtin_clzll(of & ~needed)));   /* the last first */
		t->empty = !holds;
		kept &= of | ~g.guards;
		left &= ~g.guards;
	}
	for (int32_t i = t->n_guard - 1; i >= 0 && !t->empty; i--)
		if (!(kept >> i & 1))
			lt__simplify_drop(t, i);
	return true;
}

/* The dims of a row and the guards that these are in; false: there are too many points, or sums are too large. */
static bool group_around(struct lt_simplify *t, const int64_t *row, struct group *g)
{
	int64_t low, high;

	*g = (struct group){ .guards = 0 };
	if (!has_marks(t) || !lt__quasi_range(&t->q, row, &low, &high))
		return false;
	g->columns = columns_of(t, row, &g->divs);
	if (!g->columns)
		return false;
	if (t->settled)
		group_grow(t, ((uint64_t)1 << t->n_guard) - 1, g);
	return group_small(t, g);
}

enum lt_decided lt__points_within(struct lt_simplify *t, const int64_t *row, int64_t den, int64_t *out)
{
	int64_t *point = t->point;
	struct group g;
	bool any = false;

	if (!group_around(t, row, &g))
		return LT_UNDECIDED;
	first_point(t, &g, point);
	do {
		int64_t at;

		if (fails_at(t, &g, g.guards, point))
			continue;
		at = lt__floor_div(sum_at(row, point, t->q.n_base + t->q.n_div), den);
		if (any && at != *out)
			return LT_DECIDED_NO;
		*out = at;
		any = true;
	} while (next_point(t, &g, point));
	return any ? LT_DECIDED_YES : LT_UNDECIDED;
}

bool lt__points_gist(struct lt_simplify *t, int64_t *row)
{
	int64_t *point = t->point, *first = t->a;
	struct group g;
	uint64_t fixed;
	bool any = false;

	if (!group_around(t, row, &g))
		return false;
	fixed = g.divs;
	for (first_point(t, &g, point);;) {
		if (!fails_at(t, &g, g.guards, point)) {
			for (int32_t k = 0; k < t->q.n_div && any; k++)
				if (first[t->q.n_base + k] != point[t->q.n_base + k])
					fixed &= ~((uint64_t)1 << k);
			memcpy(first, point, any ? 0 : (size_t)t->width * sizeof *first);
			any = true;
		}
		if (!next_point(t, &g, point))
			break;
	}
	for (int32_t k = 0; k < t->q.n_div && any; k++)
		if (fixed >> k & 1 && row[t->q.n_base + k]) {
			if (!lt__row_add(row, row[t->q.n_base + k], &first[t->q.n_base + k], 1))
				return false;
			row[t->q.n_base + k] = 0;
		}
	return any;
}
