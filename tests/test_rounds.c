/* Rounds of steps: what they stand for is the steps, and no other way to cut them leaves fewer to write. */
#include <criterion/criterion.h>
#include <string.h>
#include "check/random/random.h"
#include "program/plan/plan.h"

enum { MOST = 60, PLACES = 2 };

struct steps { struct lt_step_row row[MOST]; struct lt_step_place place[MOST][PLACES]; int n; };

static void add(struct steps *s, int32_t what, int64_t at, int64_t also)
{
	struct lt_step_place *place = s->place[s->n];
	place[0] = (struct lt_step_place){ 0, at, 8 };
	place[1] = (struct lt_step_place){ -1, also, 4 };
	s->row[s->n++] = (struct lt_step_row){ .what = what, .n = PLACES, .place = place, .needs = what == 1, .least = at };
}

static bool equal(const struct lt_step_row *a, const struct lt_step_row *b)
{
	if (a->what < 0 || a->what != b->what || a->n != b->n)
		return false;
	for (int32_t i = 0; i < a->n; i++)
		if (a->place[i].base != b->place[i].base || a->place[i].bytes != b->place[i].bytes)
			return false;
	return true;
}

/* Whether steps first .. first + p * n - 1 are n rounds, by what each step of each round has to be. */
static bool are_rounds(const struct steps *s, int first, int p, int n)
{
	for (int k = 0; k < p; k++)
		for (int r = 1; r < n; r++) {
			const struct lt_step_row *a = &s->row[first + k], *b = &s->row[first + p + k], *c = &s->row[first + r * p + k];
			if (!equal(a, c))
				return false;
			for (int i = 0; i < a->n; i++)
				if (c->place[i].at != a->place[i].at + r * (b->place[i].at - a->place[i].at))
					return false;
		}
	return true;
}

/* The fewest steps and loops to write from a step on, over all ways to cut what follows. */
static int fewest(const struct steps *s)
{
	int cost[MOST + 1] = { 0 };
	for (int i = s->n - 1; i >= 0; i--) {
		cost[i] = cost[i + 1] + 1;
		for (int p = 1; i + 3 * p <= s->n; p++)
			for (int n = 3; i + n * p <= s->n && are_rounds(s, i, p, n); n++)
				if (cost[i + n * p] + p + 1 < cost[i])
					cost[i] = cost[i + n * p] + p + 1;
	}
	return cost[0];
}

static void expect_right(struct steps *s, int number)
{
	struct lt_arena *a = NULL;
	struct lt_context *ctx;
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt__arena_new(ctx, &a), LT_OK);
	const struct lt_rounds_list list = lt__find_rounds(s->row, s->n, a);
	int at = 0, written = 0;
	for (int32_t i = 0; i < list.n; i++) {
		const struct lt_rounds *r = &list.at[i];
		cr_assert(r->first >= at && r->period >= 1 && r->n >= 3 && r->first + r->period * r->n <= s->n);
		cr_assert(are_rounds(s, r->first, r->period, r->n), "%d: steps %d are no %d rounds of %d", number,
			(int)r->first, (int)r->n, (int)r->period);
		for (int32_t k = at; k < s->n && k < r->first; k++)
			cr_assert_null(lt__rounds_at(&list, k));
		for (int32_t k = 0; k < r->period * r->n; k++)
			cr_assert_eq(lt__rounds_at(&list, r->first + k), r);
		cr_assert_eq(lt__round_bytes(s->row, r, r->first, 0),
			s->place[r->first + r->period][0].at - s->place[r->first][0].at);
		written += r->first - at + r->period + 1;
		at = r->first + r->period * r->n;
	}
	cr_assert_eq(written + s->n - at, fewest(s), "%d: %d, not %d", number, written + s->n - at, fewest(s));
	lt__arena_free(a);
	lt_context_free(ctx);
}

/* Rounds of several lengths among other steps, some with a step that is no part of them: another kernel, a place that
 * does not move on as the others do. */
static void draw(struct steps *s, uint64_t *r)
{
	s->n = 0;
	while (s->n < MOST - 30) {
		const int period = (int)random_between(r, 1, 5), n = (int)random_between(r, 1, 30 / period);
		const int spoiled = random_chance(r, 50) ? (int)random_between(r, 0, 60) : -1;
		int32_t what[5];
		int64_t at[5], by[5];
		for (int k = 0; k < period; k++) {
			what[k] = (int32_t)random_between(r, random_chance(r, 12) ? -1 : 0, 3);
			at[k] = 8 * random_between(r, 0, 9);
			by[k] = 8 * random_between(r, -2, 2);
		}
		for (int i = 0; i < n * period; i++) {
			const int k = i % period;
			add(s, what[k], at[k] + i / period * by[k] + (i == spoiled ? 8 : 0), i / period * 64);
		}
	}
}

Test(rounds, fewest_steps_are_left)
{
	uint64_t r = 7;
	for (int i = 0; i < 2000; i++) {
		struct steps s = { .n = 0 };
		draw(&s, &r);
		expect_right(&s, i);
	}
}

Test(rounds, nothing_to_find)
{
	struct steps s = { .n = 0 };
	expect_right(&s, 0);
	add(&s, 0, 0, 0);
	add(&s, 0, 8, 0);
	expect_right(&s, 1);                 /* two are no loop */
	add(&s, 0, 24, 0);
	expect_right(&s, 2);                 /* and neither are three that do not go on alike */
}
