/* test_map.c -- plain map arithmetic: applying, composing (against applying twice, by enumeration), comparing. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "ir/map/map.h"

static struct lt_context *ctx;
static struct lt_arena *arena;

static void open_arena(void)
{
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt__arena_new(ctx, &arena), LT_OK);
}

static void close_arena(void)
{
	lt__arena_free(arena);
	lt_context_free(ctx);
}

TestSuite(map, .init = open_arena, .fini = close_arena);

/* floor(a / b) without a remainder's sign: by searching */
static int64_t floor_slowly(int64_t a, int64_t b)
{
	int64_t q = 0;

	while (q * b > a)
		q--;
	while ((q + 1) * b <= a)
		q++;
	return q;
}

Test(map, apply)
{
	/* columns 1 p i j d e:  d = floor((i - 5) / 3), e = floor((d + 2j) / 2); guard p - i >= 0; rows j+1, d-e, 4i-p */
	static const lt_param param[] = { 7 };
	static const int64_t div[] = { 3, -5, 0, 1, 0, 0, 0,  2, 0, 0, 0, 2, 1, 0 };
	static const int64_t guard[] = { 0, 1, -1, 0, 0, 0 };
	static const int64_t row[] = { 1, 0, 0, 1, 0, 0,  0, 0, 0, 0, 1, -1,  0, -1, 4, 0, 0, 0 };
	const struct lt_map m = { .n_param = 1, .n_dim = 2, .n_div = 2, .n_guard = 1, .n_row = 3, .param = param, .div = div,
		.guard = guard, .row = row };

	for (int64_t p = 0; p < 6; p++)
		for (int64_t i = 0; i < 8; i++)
			for (int64_t j = 0; j < 4; j++) {
				int64_t out[3] = { 99, 99, 99 }, d = floor_slowly(i - 5, 3), e = floor_slowly(d + 2 * j, 2);
				bool inside = lt__map_apply(&m, &p, (const int64_t[]){ i, j }, out);

				cr_assert_eq(inside, i <= p);
				cr_assert_eq(out[0], inside ? j + 1 : 99);
				cr_assert_eq(out[1], inside ? d - e : 99);
				cr_assert_eq(out[2], inside ? 4 * i - p : 99);
			}
}

Test(map, identity_and_select)
{
	struct lt_map id = lt__map_identity(arena, 3), swap, moved;
	int64_t out[3];

	cr_expect(lt__map_apply(&id, NULL, (const int64_t[]){ 4, 5, 6 }, out));
	cr_expect(out[0] == 4 && out[1] == 5 && out[2] == 6);
	swap = lt__map_select(arena, 3, 2, (const int32_t[]){ 2, 0 }, NULL);
	cr_expect(lt__map_apply(&swap, NULL, (const int64_t[]){ 4, 5, 6 }, out));
	cr_expect(out[0] == 6 && out[1] == 4);
	moved = lt__map_select(arena, 3, 3, (const int32_t[]){ 0, 1, 2 }, (const int64_t[]){ 0, -7, 0 });
	cr_expect(lt__map_apply(&moved, NULL, (const int64_t[]){ 4, 5, 6 }, out) && out[1] == -2);
}

static int64_t draw(int64_t low, int64_t high)
{
	return low + rand() % (high - low + 1);
}

/* Params 0, 1 or 1, 2: two maps may share one. */
static struct lt_map random_map(int32_t n_dim, int32_t n_row)
{
	struct lt_map m = { .n_param = (int32_t)draw(0, 2),
		.n_dim = n_dim,
		.n_div = (int32_t)draw(0, 2),
		.n_guard = (int32_t)draw(0, 2),
		.n_row = n_row };
	int32_t width = lt__map_width(&m), first_div = width - m.n_div, first = (int32_t)draw(0, 1);
	lt_param *param = LT_NEW(arena, lt_param, m.n_param);
	int64_t *div = LT_NEW(arena, int64_t, m.n_div * (1 + width)), *guard = LT_NEW(arena, int64_t, m.n_guard * width);
	int64_t *row = LT_NEW(arena, int64_t, n_row * width);

	for (int32_t i = 0; i < m.n_param; i++)
		param[i] = first + i;
	for (int32_t d = 0; d < m.n_div; d++) {
		div[d * (1 + width)] = draw(1, 4);
		for (int32_t i = 0; i < first_div + d; i++)
			div[d * (1 + width) + 1 + i] = draw(-2, 3);
	}
	for (int32_t i = 0; i < m.n_guard * width; i++)
		guard[i] = i % width ? draw(-1, 2) : draw(0, 6);
	for (int32_t i = 0; i < n_row * width; i++)
		row[i] = draw(-2, 2);
	m.param = param, m.div = div, m.guard = guard, m.row = row;
	return m;
}

static void params_of(const struct lt_map *m, const int64_t *value, int64_t *out)
{
	for (int32_t i = 0; i < m->n_param; i++)
		out[i] = value[m->param[i]];
}

static int check_composition(const struct lt_map *outer, const struct lt_map *inner)
{
	struct lt_map both;
	int inside = 0;

	cr_assert_eq(lt__map_compose(ctx, arena, outer, inner, &both), LT_OK);
	cr_assert(both.n_dim == outer->n_dim && both.n_row == inner->n_row && both.n_guard == outer->n_guard + inner->n_guard);
	for (int32_t i = 0; i < both.n_param; i++)
		for (int32_t j = 0; j < i; j++)
			cr_assert_neq(both.param[i], both.param[j], "a shared param is one column");
	for (int point = 0; point < 3 * 4 * 4; point++) {
		const int64_t value[4] = { point % 3, 2 - point % 3, 1, 3 }, dim[2] = { point / 3 % 4, point / 12 };
		int64_t p[4], q[4], r[4], middle[8], once[8], twice[8];
		bool holds, holds_both;

		params_of(outer, value, p);
		params_of(inner, value, q);
		params_of(&both, value, r);
		holds = lt__map_apply(outer, p, dim, middle) && lt__map_apply(inner, q, middle, twice);
		holds_both = lt__map_apply(&both, r, dim, once);
		cr_assert_eq(holds, holds_both);
		cr_assert(!holds || !memcmp(once, twice, sizeof *once * (size_t)both.n_row));
		inside += holds;
	}
	return inside;
}

Test(map, composes_exactly)
{
	int inside = 0;

	srand(3);
	for (int trial = 0; trial < 2000; trial++) {
		int32_t middle = (int32_t)draw(0, 3);
		struct lt_map outer = random_map(2, middle), inner = random_map(middle, (int32_t)draw(0, 3));

		inside += check_composition(&outer, &inner);
	}
	cr_expect(inside > 20000, "the guards hold at %d points only", inside);
}

/* pad by one, then pad by two: [0 0 0 x0 x1 ..] with the outer guards first */
Test(map, composes_guards_outermost_first)
{
	static const int64_t row1[] = { -1, 1 }, guard1[] = { -1, 1, 3, -1 }, row2[] = { -2, 1 }, guard2[] = { -2, 1 };
	const struct lt_map inner = { .n_dim = 1, .n_row = 1, .n_guard = 2, .row = row1, .guard = guard1 };
	const struct lt_map outer = { .n_dim = 1, .n_row = 1, .n_guard = 1, .row = row2, .guard = guard2 };
	static const int64_t want_row[] = { -3, 1 }, want_guard[] = { -2, 1, -3, 1, 5, -1 };
	const struct lt_map want = { .n_dim = 1, .n_row = 1, .n_guard = 3, .row = want_row, .guard = want_guard };
	struct lt_map both, copied;

	cr_assert_eq(lt__map_compose(ctx, arena, &outer, &inner, &both), LT_OK);
	cr_expect(lt__map_equal(&both, &want));
	copied = lt__map_copy(arena, &both);
	cr_expect(lt__map_equal(&copied, &want) && copied.row != both.row && copied.guard != both.guard);
	cr_expect(!lt__map_equal(&both, &inner));
}

Test(map, composition_overflow_is_an_error)
{
	static const int64_t row1[] = { 0, INT64_MAX / 2 }, row2[] = { 3, 3 };
	const struct lt_map big = { .n_dim = 1, .n_row = 1, .row = row1 }, three = { .n_dim = 1, .n_row = 1, .row = row2 };
	struct lt_map both;

	cr_expect_eq(lt__map_compose(ctx, arena, &three, &big, &both), LT_EOVERFLOW);
	cr_expect(lt_context_message(ctx)[0]);
}
