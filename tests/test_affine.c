/* test_affine.c -- lt__map_simplify against enumeration, and the forms they must reach. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "check/random/must.h"
#include "check/random/random.h"
#include "ir/map/map.h"

static uint64_t seed_state;

static int64_t between(int64_t low, int64_t high) { return random_between(&seed_state, low, high); }

struct fixture {
	struct lt_context *ctx;
	struct lt_arena *arena;
	struct lt_paramdef param[2];
	struct lt_graph graph;
};

static void open_fixture(struct fixture *f)
{
	memset(f, 0, sizeof *f);
	cr_assert_eq(lt_context_new(&f->ctx), LT_OK);
	cr_assert_eq(lt__arena_new(f->ctx, &f->arena), LT_OK);
	f->param[0] = (struct lt_paramdef){ .name = "p", .low = 0, .high = 5 };
	f->param[1] = (struct lt_paramdef){ .name = "q", .low = -2, .high = 3 };
	f->graph = (struct lt_graph){ .ctx = f->ctx, .arena = f->arena, .param = f->param, .n_param = 2 };
}

static void close_fixture(struct fixture *f)
{
	lt__arena_free(f->arena);
	lt_context_free(f->ctx);
}

/* A map under construction: rows over the dims of a source of shape `shape`, as a view chain makes them. */
struct chain {
	struct lt_map map;              /* dims: `shape`, rows: indices into the first source */
	int32_t rank;
	int64_t shape[8];
};

static int64_t *rows_of(struct lt_arena *arena, int32_t n, int32_t width)
{
	return LT_NEW(arena, int64_t, (size_t)n * (size_t)width);
}

static void then(struct fixture *f, struct chain *c, const struct lt_map *outer, int32_t rank, const int64_t *shape)
{
	struct lt_map made;

	cr_assert_eq(lt__map_compose(f->ctx, f->arena, outer, &c->map, &made), LT_OK);
	c->map = made;
	c->rank = rank;
	memcpy(c->shape, shape, sizeof *shape * (size_t)rank);
}

/* Row-major flat index over `to`, cut into `from` by floor and mod: two divs a dim but the first. */
static void reshape(struct fixture *f, struct chain *c, int32_t rank, const int64_t *shape)
{
	int32_t n_div = c->rank ? c->rank - 1 : 0, width = 1 + rank + n_div;
	int64_t *div = rows_of(f->arena, n_div, width + 1), *row = rows_of(f->arena, c->rank, width), stride = 1;
	int64_t flat[16] = { 0 };
	struct lt_map m = { .n_dim = rank, .n_div = n_div, .n_row = c->rank, .div = div, .row = row };

	for (int32_t i = rank - 1; i >= 0; i--) {
		flat[1 + i] = stride;
		stride *= shape[i];
	}
	stride = 1;
	for (int32_t i = c->rank - 1; i >= 1; i--) {    /* div i-1: floor(flat / stride of dim i-1) */
		stride *= c->shape[i];
		div[(i - 1) * (width + 1)] = stride;
		memcpy(div + (i - 1) * (width + 1) + 1, flat, sizeof *flat * (size_t)(1 + rank));
	}
	for (int32_t i = 0; i < c->rank; i++) {
		if (i == c->rank - 1)
			memcpy(row + i * width, flat, sizeof *flat * (size_t)(1 + rank));
		else
			row[i * width + 1 + rank + i] = 1;
		if (i)
			row[i * width + 1 + rank + i - 1] = -c->shape[i];
	}
	then(f, c, &m, rank, shape);
}

static void permute(struct fixture *f, struct chain *c, const int32_t *perm)
{
	int32_t width = 1 + c->rank;
	int64_t *row = rows_of(f->arena, c->rank, width), shape[8];
	struct lt_map m = { .n_dim = c->rank, .n_row = c->rank, .row = row };

	for (int32_t i = 0; i < c->rank; i++) {
		shape[i] = c->shape[perm[i]];
		row[perm[i] * width + 1 + i] = 1;
	}
	then(f, c, &m, c->rank, shape);
}

/* index = begin + step * i on one axis; guarded when it leaves the source (a pad). */
static void slide(struct fixture *f, struct chain *c, int32_t axis, int64_t begin, int64_t step, int64_t count)
{
	int32_t width = 1 + c->rank;
	int64_t *row = rows_of(f->arena, c->rank, width), *guard = rows_of(f->arena, 2, width), shape[8];
	bool leaves = begin < 0 || begin + step * (count - 1) >= c->shape[axis];
	struct lt_map m = { .n_dim = c->rank, .n_row = c->rank, .row = row, .n_guard = leaves ? 2 : 0, .guard = guard };

	for (int32_t i = 0; i < c->rank; i++)
		row[i * width + 1 + i] = 1;
	row[axis * width + 1 + axis] = step;
	row[axis * width] = begin;
	memcpy(guard, row + axis * width, sizeof *row * (size_t)width);
	for (int32_t i = 0; i < width; i++)
		guard[width + i] = -row[axis * width + i];
	guard[width] += c->shape[axis] - 1;
	memcpy(shape, c->shape, sizeof shape);
	shape[axis] = count;
	then(f, c, &m, c->rank, shape);
}

static void start(struct fixture *f, struct chain *c, int32_t rank, const int64_t *shape)
{
	c->map = lt__map_identity(f->arena, rank);
	c->rank = rank;
	memcpy(c->shape, shape, sizeof *shape * (size_t)rank);
}

static bool step_point(int32_t n, const int64_t *extent, int64_t *at)
{
	for (int32_t i = n - 1; i >= 0; i--) {
		if (++at[i] < extent[i])
			return true;
		at[i] = 0;
	}
	return false;
}

static int64_t limit_at(const struct lt_linear *l, const int64_t *param)
{
	int64_t value = l->constant;

	for (int32_t i = 0; i < l->n; i++)
		value += l->coef[i] * param[l->param[i]];
	return value;
}

/* Values of a map's own param columns. */
static void columns(const struct lt_map *m, const int64_t *param, int64_t *out)
{
	for (int32_t i = 0; i < m->n_param; i++)
		out[i] = param[m->param[i]];
}

/* Both maps at every point of the box. */
static void check_equal(struct fixture *f, const struct lt_box *box, const struct lt_map *a, const struct lt_map *b,
	bool empty, const char *what)
{
	int64_t at[8] = { 0 }, p[2], pa[4], pb[4], ra[8], rb[8];
	bool some = false;

	for (p[0] = f->param[0].low; p[0] <= f->param[0].high; p[0]++)
		for (p[1] = f->param[1].low; p[1] <= f->param[1].high; p[1]++)
			do {
				bool inside = true, ga, gb;

				for (int32_t i = 0; i < box->n; i++)
					if (box->limit && box->limit[i] && at[i] >= limit_at(box->limit[i], p))
						inside = false;
				if (!inside)
					continue;
				columns(a, p, pa);
				columns(b, p, pb);
				ga = lt__map_apply(a, pa, at, ra);
				gb = !empty && lt__map_apply(b, pb, at, rb);
				cr_assert_eq(ga, gb, "%s: guards differ at %ld %ld %ld %ld, empty %d", what, at[0], at[1], at[2], at[3], empty);
				if (!ga)
					continue;
				for (int32_t r = 0; r < a->n_row; r++)
					cr_assert_eq(ra[r], rb[r], "%s: row %d differs at %ld %ld %ld %ld", what, r, at[0], at[1], at[2], at[3]);
				some = true;
			} while (step_point(box->n, box->extent, at));
	cr_assert(!some || !empty, "%s: not empty", what);
}

static struct lt_map simplify(struct fixture *f, const struct lt_box *box, const struct lt_map *m, bool *empty)
{
	struct lt_map made = *m;

	cr_assert_eq(lt__map_simplify(&f->graph, f->arena, box, &made, empty), LT_OK, "%s", lt_context_message(f->ctx));
	return made;
}

static int64_t size_of(const struct chain *c)
{
	int64_t n = 1;

	for (int32_t i = 0; i < c->rank; i++)
		n *= c->shape[i];
	return n;
}

/* A random shape of n elements. */
static int32_t random_shape(int64_t n, int64_t *shape)
{
	int32_t rank = 0;

	while (n > 1 && rank < 3) {
		int64_t d = between(2, n);

		while (n % d)
			d = between(2, n);
		shape[rank++] = d;
		n /= d;
	}
	if (n > 1 || !rank)
		shape[rank++] = n;
	return rank;
}

static void affine_step(struct fixture *f, struct chain *c)
{
	int64_t shape[8];
	int32_t perm[8], axis = (int32_t)between(0, c->rank - 1), rank;

	switch (between(0, 3)) {
	case 0:
	case 1:
		rank = random_shape(size_of(c), shape);
		reshape(f, c, rank, shape);
		break;
	case 2:
		for (int32_t i = 0; i < c->rank; i++)
			perm[i] = i;
		for (int32_t i = c->rank - 1; i > 0; i--) {
			int32_t j = (int32_t)between(0, i), keep = perm[i];

			perm[i] = perm[j];
			perm[j] = keep;
		}
		permute(f, c, perm);
		break;
	default:
		if (between(0, 1) && size_of(c) < 200)
			slide(f, c, axis, -between(0, 3), 1, c->shape[axis] + between(0, 3));
		else {
			int64_t begin = between(0, c->shape[axis] - 1), step = between(1, 3);

			slide(f, c, axis, begin, step, (c->shape[axis] - 1 - begin) / step + 1);
		}
	}
}

Test(affine, chains_of_views, .timeout = 120)
{
	uint64_t seed = must_number("LT_SEED", 20251121);
	int n = (int)must_draws("LT_CASES", 400);
	struct fixture f;

	for (int i = 0; i < n; i++) {
		struct chain c;
		int64_t shape[8];
		struct lt_map made;
		struct lt_box box;
		char what[64];
		bool empty;

		seed_state = seed + (uint64_t)i * 0x9e3779b97f4a7c15u;
		snprintf(what, sizeof what, "seed %llu case %d", (unsigned long long)seed, i);
		open_fixture(&f);
		f.param[0].low = f.param[0].high = 0;
		f.param[1].low = f.param[1].high = 0;
		start(&f, &c, random_shape(between(1, 60), shape), shape);
		for (int64_t depth = between(1, 6); depth; depth--)
			affine_step(&f, &c);
		box = (struct lt_box){ .n = c.rank, .extent = c.shape };
		made = simplify(&f, &box, &c.map, &empty);
		check_equal(&f, &box, &c.map, &made, empty, what);
		close_fixture(&f);
	}
}

Test(affine, random_maps, .timeout = 120)
{
	uint64_t seed = must_number("LT_SEED", 7);
	int n = (int)must_draws("LT_CASES", 400);
	struct fixture f;

	for (int i = 0; i < n; i++) {
		int64_t extent[3], coef[2] = { 1, -1 };
		lt_param ids[2] = { 0, 1 };
		struct lt_linear limit = { .constant = between(-1, 4), .n = 2, .param = ids, .coef = coef };
		const struct lt_linear *limits[3] = { between(0, 2) ? NULL : &limit, NULL, NULL };
		int32_t n_dim = (int32_t)between(1, 3), n_param = (int32_t)between(0, 2), n_div = (int32_t)between(0, 4);
		struct lt_map m = { .n_param = n_param, .n_dim = n_dim, .n_div = n_div, .n_guard = (int32_t)between(0, 4), .n_row = 2,
			.param = ids }, made;
		int32_t width = lt__map_width(&m);
		struct lt_box box = { .n = n_dim, .extent = extent, .limit = limits };
		int64_t *div, *guard, *row;
		char what[64];
		bool empty;

		seed_state = seed + (uint64_t)i * 0x9e3779b97f4a7c15u;
		snprintf(what, sizeof what, "seed %llu case %d", (unsigned long long)seed, i);
		open_fixture(&f);
		for (int32_t d = 0; d < 3; d++)
			extent[d] = between(1, 7);
		m.div = div = rows_of(f.arena, n_div, width + 1);
		m.guard = guard = rows_of(f.arena, m.n_guard, width);
		m.row = row = rows_of(f.arena, 2, width);
		for (int32_t k = 0; k < n_div; k++) {
			div[k * (width + 1)] = between(1, 6);
			for (int32_t j = 0; j < width - n_div + k; j++)
				div[k * (width + 1) + 1 + j] = between(0, 1) ? between(-7, 7) : 0;
		}
		for (int32_t j = 0; j < m.n_guard * width; j++)
			guard[j] = j % width ? (between(0, 1) ? between(-2, 2) : 0) : between(-2, 9);
		for (int32_t j = 0; j < 2 * width; j++)
			row[j] = between(0, 1) ? between(-4, 4) : 0;
		made = simplify(&f, &box, &m, &empty);
		check_equal(&f, &box, &m, &made, empty, what);
		close_fixture(&f);
	}
}

/* What ordinary chains must come out as: number of divs, of guards, and of terms in all rows. */
static void expect(struct fixture *f, struct chain *c, int32_t n_div, int32_t n_guard, int32_t n_term, const char *what)
{
	struct lt_box box = { .n = c->rank, .extent = c->shape };
	bool empty;
	struct lt_map m = simplify(f, &box, &c->map, &empty);
	int32_t terms = 0;

	for (int32_t i = 0; i < m.n_row * lt__map_width(&m); i++)
		terms += m.row[i] != 0;
	cr_expect(!empty && m.n_div == n_div && m.n_guard == n_guard && terms == n_term,
		"%s: %d divs, %d guards, %d terms; expected %d, %d, %d", what, m.n_div, m.n_guard, terms, n_div, n_guard, n_term);
}

#define SHAPE(...) (int32_t)(sizeof (int64_t[]){ __VA_ARGS__ } / sizeof(int64_t)), (int64_t[]){ __VA_ARGS__ }

Test(affine, minimal_forms)
{
	struct fixture f;
	struct chain c;

	open_fixture(&f);
	start(&f, &c, SHAPE(6, 4));
	reshape(&f, &c, SHAPE(24));
	reshape(&f, &c, SHAPE(6, 4));
	expect(&f, &c, 0, 0, 2, "there and back");

	start(&f, &c, SHAPE(2, 3, 4, 5));
	reshape(&f, &c, SHAPE(6, 20));
	reshape(&f, &c, SHAPE(120));
	reshape(&f, &c, SHAPE(2, 3, 20));
	reshape(&f, &c, SHAPE(24, 5));
	reshape(&f, &c, SHAPE(6, 4, 5));
	reshape(&f, &c, SHAPE(2, 3, 4, 5));
	expect(&f, &c, 0, 0, 4, "six reshapes");

	start(&f, &c, SHAPE(6, 4));
	reshape(&f, &c, SHAPE(3, 2, 4));
	expect(&f, &c, 0, 0, 3, "a dim split: 2a + b, c");

	start(&f, &c, SHAPE(6, 4));
	reshape(&f, &c, SHAPE(24));
	expect(&f, &c, 1, 0, 3, "dims merged: floor(i/4), i - 4 floor(i/4)");

	start(&f, &c, SHAPE(4, 6));
	permute(&f, &c, (int32_t[]){ 1, 0 });
	reshape(&f, &c, SHAPE(24));
	reshape(&f, &c, SHAPE(6, 4));
	permute(&f, &c, (int32_t[]){ 1, 0 });
	expect(&f, &c, 0, 0, 2, "transposed, flattened and back");

	start(&f, &c, SHAPE(8, 12));
	reshape(&f, &c, SHAPE(8, 3, 4));
	permute(&f, &c, (int32_t[]){ 1, 0, 2 });
	reshape(&f, &c, SHAPE(3, 32));
	reshape(&f, &c, SHAPE(3, 8, 4));
	permute(&f, &c, (int32_t[]){ 1, 0, 2 });
	reshape(&f, &c, SHAPE(8, 12));
	expect(&f, &c, 0, 0, 2, "heads split, moved, merged and back");

	start(&f, &c, SHAPE(5));
	slide(&f, &c, 0, -2, 1, 9);
	slide(&f, &c, 0, 2, 1, 5);
	expect(&f, &c, 0, 0, 1, "padded and cut to the middle");

	start(&f, &c, SHAPE(5));
	slide(&f, &c, 0, -1, 1, 7);
	slide(&f, &c, 0, -2, 1, 11);
	expect(&f, &c, 0, 2, 2, "two pads are one");

	start(&f, &c, SHAPE(6, 4));
	slide(&f, &c, 0, -2, 1, 10);
	reshape(&f, &c, SHAPE(40));
	reshape(&f, &c, SHAPE(5, 2, 4));
	expect(&f, &c, 0, 2, 4, "rows padded, then split");

	start(&f, &c, SHAPE(24));
	slide(&f, &c, 0, 0, 2, 12);
	slide(&f, &c, 0, 1, 3, 4);
	reshape(&f, &c, SHAPE(2, 2));
	expect(&f, &c, 0, 0, 3, "strides multiply: 12a + 6b + 2");

	start(&f, &c, SHAPE(6, 4));
	slide(&f, &c, 0, -2, 1, 8);
	reshape(&f, &c, SHAPE(32));
	slide(&f, &c, 0, 8, 1, 24);
	reshape(&f, &c, SHAPE(6, 4));
	expect(&f, &c, 0, 0, 2, "padding cut away through a reshape");
	close_fixture(&f);
}

/* ShuffleNetV2: half of the channels, with the other half after them, shuffled and halved again and again.  Each time
 * one more floor, one more guard, and nothing that isl is asked about. */
Test(affine, shuffles)
{
	enum { HALF = 116, TIMES = 9 };
	struct fixture f;
	struct chain c;

	open_fixture(&f);
	start(&f, &c, SHAPE(HALF));
	for (int i = 1; i <= TIMES; i++) {
		struct chain computed;
		struct lt_box box = { .n = 1, .extent = c.shape };
		struct lt_map m;
		bool empty;

		slide(&f, &c, 0, 0, 1, 2 * HALF);
		reshape(&f, &c, SHAPE(2, HALF));
		permute(&f, &c, (int32_t[]){ 1, 0 });
		reshape(&f, &c, SHAPE(2 * HALF));
		computed = c;
		slide(&f, &c, 0, 0, 1, HALF);
		slide(&f, &computed, 0, HALF, 1, HALF);
		m = simplify(&f, &box, &c.map, &empty);
		check_equal(&f, &box, &c.map, &m, empty, "what goes on");
		cr_expect(!empty && m.n_div <= i && m.n_guard <= i, "%d: %d divs, %d guards", i, m.n_div, m.n_guard);
		c.map = m;
		m = simplify(&f, &box, &computed.map, &empty);
		check_equal(&f, &box, &computed.map, &m, empty, "what is computed");
		cr_expect(empty || (m.n_div <= i && m.n_guard <= i), "%d: %d divs, %d guards", i, m.n_div, m.n_guard);
	}
	cr_expect_eq(f.ctx->labour.isl, 0);
	close_fixture(&f);
}

/* Whether guard i of the map holds; map: one that has a guard and nothing else. */
static bool guard_holds(const struct lt_map *m, int32_t i, const int64_t *at)
{
	struct lt_map one = *m;

	one.n_guard = 1;
	one.n_row = 0;
	one.guard = m->guard + (size_t)i * (size_t)lt__map_width(m);
	return lt__map_apply(&one, NULL, at, NULL);
}

/* Guards over floors of few dims: of those that stay, each fails somewhere where all others hold. */
Test(affine, no_guard_follows_from_others, .timeout = 120)
{
	struct fixture f;
	int64_t kept = 0, dropped = 0;

	open_fixture(&f);
	for (int i = 0; i < 3000; i++) {
		int64_t extent[2], at[2] = { 0 }, div[3 * 7] = { 0 }, guard[4 * 6] = { 0 };
		struct lt_map m = { .n_dim = 2, .n_div = 3, .n_guard = 4, .div = div, .guard = guard }, made;
		const struct lt_box box = { .n = 2, .extent = extent };
		bool empty, needed[4] = { false };

		seed_state = 77 + (uint64_t)i * 0x9e3779b97f4a7c15u;
		extent[0] = between(1, 40);
		extent[1] = between(1, 6);
		for (int k = 0; k < 3; k++) {
			div[k * 7] = (int64_t)1 << between(1, 4);
			div[k * 7 + 1] = between(0, 1) * between(-9, 9);
			div[k * 7 + 2] = between(0, 8) > 0;
			div[k * 7 + 3] = between(0, 5) == 0;
		}
		for (int g = 0; g < 4; g++) {
			const int over = (int)between(0, 2);

			guard[g * 6] = between(-3, 6);
			guard[g * 6 + 1] = between(0, 1) ? -1 : 1;
			guard[g * 6 + 2] = between(0, 4) == 0;
			guard[g * 6 + 3 + over] = -guard[g * 6 + 1] * div[over * 7];
		}
		made = simplify(&f, &box, &m, &empty);
		check_equal(&f, &box, &m, &made, empty, "guards");
		dropped += empty ? 4 : 4 - made.n_guard;
		do {
			int32_t fails = 0, last = 0;

			for (int32_t g = 0; g < made.n_guard && !empty; g++)
				if (!guard_holds(&made, g, at)) {
					fails++;
					last = g;
				}
			needed[last] |= fails == 1;
		} while (step_point(2, extent, at));
		for (int32_t g = 0; g < made.n_guard && !empty; g++) {
			cr_expect(needed[g], "case %d: guard %d of %d follows from the others", i, g, made.n_guard);
			kept++;
		}
	}
	cr_expect(kept > 1000 && dropped > 1000, "%lld kept, %lld dropped", (long long)kept, (long long)dropped);
	cr_expect_eq(f.ctx->labour.isl, 0);
	close_fixture(&f);
}

Test(affine, text_order_of_columns)
{
	/* rows: p1 + floor((d0 + p0) / 3), guard: floor(floor(d0 / 2) + d1 / 5): params 1, 0; divs 1, 0, 2 */
	int64_t div[3][9] = { { 2, 0, 0, 0, 1, 0 }, { 3, 0, 1, 0, 1, 0 }, { 5, 0, 0, 0, 0, 1, 1 } };
	int64_t row[8] = { 0, 0, 1, 0, 0, 0, 1, 0 }, guard[8] = { 0, 0, 0, 0, 0, 0, 0, 1 };
	lt_param ids[2] = { 4, 7 };
	struct lt_map m = { .n_param = 2,
		.n_dim = 2,
		.n_div = 3,
		.n_guard = 1,
		.n_row = 1,
		.param = ids,
		.div = div[0],
		.guard = guard,
		.row = row };
	int32_t param[2], divs[3], n_param, n_div, scratch[11];

	lt__map_appearance(&m, param, &n_param, divs, &n_div, scratch);
	cr_assert(n_param == 2 && param[0] == 1 && param[1] == 0);
	cr_assert(n_div == 3 && divs[0] == 1 && divs[1] == 0 && divs[2] == 2);
}

/* Numbers that do not fit leave the map as it is. */
Test(affine, overflow_keeps_the_map)
{
	int64_t extent[1] = { INT64_MAX }, div[4] = { 3, INT64_MAX, INT64_MAX - 1, 0 }, row[3] = { 0, 1, 5 };
	struct lt_map m = { .n_dim = 1, .n_div = 1, .n_row = 1, .div = div, .row = row }, made;
	struct lt_box box = { .n = 1, .extent = extent };
	struct fixture f;
	bool empty;

	open_fixture(&f);
	made = simplify(&f, &box, &m, &empty);
	cr_assert(!empty && lt__map_equal(&made, &m));
	close_fixture(&f);
}
