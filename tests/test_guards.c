/* test_guards.c -- guards of which none follows from the others (ir/map/simplify_digits.c), against enumeration. */
#include <criterion/criterion.h>
#include "check/random/must.h"
#include "ir/map/simplify.h"
#include "check/random/random.h"

enum { DIMS = 4, WIDTH = 1 + DIMS, GUARDS = 4 };
struct guards { int64_t extent[DIMS], row[GUARDS * WIDTH]; int32_t n; };

static bool asked(const struct guards *g)
{
	const struct lt_map map = { .n_dim = DIMS };
	const struct lt_box box = { .n = DIMS, .extent = g->extent };
	int64_t row[GUARDS * WIDTH], numbers[256] = { 0 };
	memcpy(row, g->row, sizeof row);
	struct lt_simplify t = { .map = &map, .box = &box, .width = WIDTH, .n_guard = g->n, .guard = row };
	t.q.n_base = WIDTH;
	cr_assert_leq(lt__digits_numbers(WIDTH, GUARDS), sizeof numbers / sizeof *numbers);
	lt__digits_init(&t.digits, WIDTH, numbers);
	return lt__guards_apart(&t);
}

static bool holds(const struct guards *g, int32_t guard, const int64_t *at)
{
	const int64_t *row = g->row + guard * WIDTH;
	int64_t sum = row[0];
	for (int d = 0; d < DIMS; d++)
		sum += row[1 + d] * at[d];
	return sum >= 0;
}

/* Whether all hold somewhere, and each somewhere fails alone. */
static bool enumerated(const struct guards *g)
{
	bool all = false, alone[GUARDS] = { false };
	int64_t at[DIMS];
	for (at[0] = 0; at[0] < g->extent[0]; at[0]++)
		for (at[1] = 0; at[1] < g->extent[1]; at[1]++)
			for (at[2] = 0; at[2] < g->extent[2]; at[2]++)
				for (at[3] = 0; at[3] < g->extent[3]; at[3]++) {
					int32_t n = 0, last = 0;
					for (int32_t i = 0; i < g->n; i++)
						if (!holds(g, i, at)) {
							n++;
							last = i;
						}
					all = all || n == 0;
					alone[last] = alone[last] || n == 1;
				}
	for (int32_t i = 0; i < g->n; i++)
		all = all && alone[i];
	return all;
}

/* Half of them are windows: two guards to a sum. */
static struct guards draw(uint64_t *r)
{
	struct guards g = { .n = (int32_t)random_between(r, 0, GUARDS - 1) + 1 };
	for (int d = 0; d < DIMS; d++)
		g.extent[d] = 1 + random_between(r, 0, 5 - 1);
	for (int32_t i = 0; i < g.n; i++) {
		int64_t *row = g.row + i * WIDTH;
		const bool opposite = i % 2 && random_between(r, 0, 4 - 1);
		row[0] = random_between(r, 0, 9 - 1) - 3;
		for (int d = 0; d < DIMS; d++)
			row[1 + d] = opposite ? -row[1 + d - WIDTH]
				: d / 2 == i / 2 || !random_between(r, 0, 8 - 1) ? random_between(r, 0, 6 - 1) - 2 : 0;
	}
	return g;
}

Test(guards, none_that_is_kept_follows_from_the_others)
{
	uint64_t r = must_number("LT_SEED", 1);
	int n_known = 0, n_needed = 0;
	for (int i = 0; i < 20000; i++) {
		const struct guards g = draw(&r);
		const bool known = asked(&g), needed = enumerated(&g);
		cr_assert(!known || needed, "case %d: a guard follows from the others, or they never hold", i);
		n_known += known;
		n_needed += needed;
	}
	cr_expect_gt(n_known, 1000, "%d known of %d", n_known, n_needed);
}

/* y + d - 1 and x + e - 1 in 0..13, y and x to 14, d and e to 3: what each padded convolution asks. */
Test(guards, those_of_a_window_are_known)
{
	struct guards g = { .extent = { 14, 14, 3, 3 }, .n = 4,
		.row = { -1, 1, 0, 1, 0, 14, -1, 0, -1, 0, -1, 0, 1, 0, 1, 14, 0, -1, 0, -1 } };
	cr_expect(asked(&g));
	g.row[0] = 0;
	cr_expect_not(asked(&g), "the first always holds");
	g.row[0] = -1;
	g.row[3] = 3;
	g.row[8] = -3;
	g.extent[0] = 2;
	cr_expect_not(asked(&g), "y + 3d steps over numbers");
}
