/* Plans of memory: valid, never below the bound, never above first fit, as small as any up to eight buffers. */
#include <criterion/criterion.h>
#include <string.h>
#include "check/random/must.h"
#include "check/random/random.h"
#include "program/plan/plan.h"

enum { MOST = 60 };

static bool meet(const struct lt_fit *a, const struct lt_fit *b) { return !(a->last < b->first || b->last < a->first); }

static void expect_valid(const struct lt_fit *b, int n, struct lt_fit_size size)
{
	int64_t end = 0;
	for (int i = 0; i < n; i++) {
		cr_assert(b[i].at >= 0 && b[i].at % b[i].align == 0);
		end = b[i].at + b[i].bytes > end ? b[i].at + b[i].bytes : end;
		for (int k = 0; k < i; k++)
			cr_assert(!meet(&b[i], &b[k]) || b[i].at + b[i].bytes <= b[k].at || b[k].at + b[k].bytes <= b[i].at,
				"buffers %d and %d share bytes", i, k);
	}
	cr_assert_eq(end, size.bytes);
	cr_assert_geq(size.bytes, size.bound);
}

/* What is live in one step, by going through the steps. */
static int64_t most_live(const struct lt_fit *b, int n)
{
	int64_t most = 0;
	for (int32_t step = 0; step < 100; step++) {
		int64_t live = 0;
		for (int i = 0; i < n; i++)
			live += b[i].first <= step && step <= b[i].last ? b[i].bytes : 0;
		most = live > most ? live : most;
	}
	return most;
}

/* At the lowest offset, found by trying each. */
static int64_t place(struct lt_fit *b, const int *order, int n)
{
	int64_t end = 0;
	for (int k = 0; k < n; k++) {
		struct lt_fit *x = &b[order[k]];
		bool free = false;
		for (x->at = 0; !free; x->at += !free) {
			free = x->at % x->align == 0;
			for (int p = 0; p < k && free; p++) {
				const struct lt_fit *y = &b[order[p]];
				free = !meet(x, y) || x->at + x->bytes <= y->at || y->at + y->bytes <= x->at;
			}
		}
		end = x->at + x->bytes > end ? x->at + x->bytes : end;
	}
	return end;
}

/* In the order in which they begin. */
static int64_t first_fit(const struct lt_fit *given, int n)
{
	struct lt_fit b[MOST];
	int order[MOST], m = 0;
	memcpy(b, given, (size_t)n * sizeof *b);
	for (int32_t step = 0; step < 100; step++)
		for (int i = 0; i < n; i++)
			if (b[i].first == step)
				order[m++] = i;
	return place(b, order, n);
}

static int64_t best_of_all(struct lt_fit *b, int *order, int at, int n)
{
	int64_t best = INT64_MAX;
	if (at == n)
		return place(b, order, n);
	for (int i = at; i < n; i++) {
		int swap = order[at];
		order[at] = order[i];
		order[i] = swap;
		const int64_t one = best_of_all(b, order, at + 1, n);
		best = one < best ? one : best;
		order[i] = order[at];
		order[at] = swap;
	}
	return best;
}

static int draw(uint64_t *r, struct lt_fit *b, int most, int64_t bytes, int steps)
{
	const int n = 1 + (int)random_between(r, 0, most - 1);
	for (int i = 0; i < n; i++) {
		b[i] = (struct lt_fit){ .align = 1 << random_between(r, 0, 2), .first = (int32_t)random_between(r, 0, steps - 1) };
		b[i].bytes = b[i].align * (1 + random_between(r, 0, bytes - 1));
		b[i].last = b[i].first + (int32_t)random_between(r, 0, 4);
		b[i].like = (int32_t)random_between(r, 0, i);
	}
	return n;
}

static struct lt_arena *arena(struct lt_context **ctx)
{
	struct lt_arena *a = NULL;
	cr_assert_eq(lt_context_new(ctx), LT_OK);
	cr_assert_eq(lt__arena_new(*ctx, &a), LT_OK);
	return a;
}

Test(fit, as_small_as_any_of_a_few)
{
	struct lt_context *ctx;
	struct lt_arena *a = arena(&ctx);
	uint64_t r = 5;
	for (int round = 0, n_round = (int)must_draws("LT_FITS", 300); round < n_round; round++) {
		struct lt_fit b[8], all[8];
		int order[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };
		const int n = draw(&r, b, round % 30 ? 6 : 8, 6, 6);
		memcpy(all, b, sizeof all);
		const struct lt_fit_size size = lt__fit(b, n, NULL, 0, a);
		expect_valid(b, n, size);
		cr_assert(size.exact);
		cr_assert_eq(size.bytes, best_of_all(all, order, 0, n), "round %d", round);
	}
	lt__arena_free(a);
	lt_context_free(ctx);
}

/* -- buffers that may share bytes -- */

enum { FEW = 6 };

/* Whether both may be where they are: of a pair, the one ahead begins early enough. */
static bool apart(const struct lt_fit *b, int x, int y, const struct lt_fit_pair *pair, int n_pair)
{
	for (int p = 0; p < n_pair; p++)
		if (pair[p].ahead == x && pair[p].behind == y && b[y].at - b[x].at >= pair[p].bytes)
			return true;
	return b[x].at + b[x].bytes <= b[y].at;
}

/* The least size of any offsets, by trying them all. */
static int64_t best_of_offsets(
	struct lt_fit *b, int at, int n, const struct lt_fit_pair *pair, int n_pair, int64_t most)
{
	if (at == n)
		return 0;
	struct lt_fit *x = &b[at];
	for (x->at = 0; x->at + x->bytes < most; x->at += x->align) {
		bool free = true;
		for (int k = 0; k < at && free; k++)
			free = !meet(&b[at], &b[k]) || apart(b, at, k, pair, n_pair) || apart(b, k, at, pair, n_pair);
		if (!free)
			continue;
		const int64_t end = x->at + x->bytes, rest = best_of_offsets(b, at + 1, n, pair, n_pair, most);
		most = rest > end ? rest < most ? rest : most : end < most ? end : most;
	}
	return most;
}

static int draw_pairs(uint64_t *r, const struct lt_fit *b, int n, struct lt_fit_pair *pair)
{
	int n_pair = 0;
	for (int x = 0; x < n; x++)
		for (int y = 0; y < n; y++)
			if (b[x].first == b[y].last && b[y].first < b[x].first && random_between(r, 0, 3))
				pair[n_pair++] = (struct lt_fit_pair){ x, y, random_between(r, 0, 1)
					* random_between(r, 0, b[x].bytes + 1) };
	return n_pair;
}

static void expect_pairs(const struct lt_fit *b, int n, const struct lt_fit_pair *pair, int n_pair, int64_t bytes)
{
	int64_t end = 0;
	for (int i = 0; i < n; i++) {
		cr_assert(b[i].at >= 0 && b[i].at % b[i].align == 0);
		end = b[i].at + b[i].bytes > end ? b[i].at + b[i].bytes : end;
		for (int k = 0; k < i; k++)
			cr_assert(!meet(&b[i], &b[k]) || apart(b, i, k, pair, n_pair) || apart(b, k, i, pair, n_pair),
				"buffers %d and %d are in each other's way", i, k);
	}
	cr_assert_eq(end, bytes);
}

/* Lifetimes are chains, so that many pairs meet. */
static void draw_chain(uint64_t *r, struct lt_fit *b, int n)
{
	for (int i = 0; i < n; i++) {
		b[i] = (struct lt_fit){ .align = 1 << random_between(r, 0, 1), .first = (int32_t)random_between(r, 0, n / 2) };
		b[i].bytes = b[i].align * random_between(r, 1, 4);
		b[i].last = b[i].first + (int32_t)random_between(r, 0, 2);
	}
}

Test(fit, pairs_share_as_much_as_offsets_let_them)
{
	struct lt_context *ctx;
	struct lt_arena *a = arena(&ctx);
	uint64_t r = 9;
	int shared = 0, at_bound = 0;
	const int n_round = (int)must_draws("LT_FITS", 500);
	for (int round = 0; round < n_round; round++) {
		struct lt_fit b[FEW], all[FEW];
		struct lt_fit_pair pair[FEW * FEW];
		const int n = (int)random_between(&r, 2, FEW);
		draw_chain(&r, b, n);
		const int n_pair = draw_pairs(&r, b, n, pair);
		memcpy(all, b, sizeof all);
		const struct lt_fit_size alone = lt__fit(b, n, NULL, 0, a), size = lt__fit(b, n, pair, n_pair, a);
		expect_pairs(b, n, pair, n_pair, size.bytes);
		cr_assert(size.exact);
		cr_assert_leq(size.bytes, alone.bytes);
		cr_assert_geq(size.bytes, size.bound);
		const int64_t best = best_of_offsets(all, 0, n, pair, n_pair, alone.bytes + 1);
		cr_assert_eq(size.bytes, best, "round %d: %lld, and %lld is possible", round, (long long)size.bytes,
			(long long)best);
		shared += size.bytes < alone.bytes;
		at_bound += size.bytes == size.bound;
	}
	cr_log_info("%d of %d plans are smaller by pairs, %d at the bound", shared, n_round, at_bound);
	cr_expect_geq(5 * shared, n_round);
	lt__arena_free(a);
	lt_context_free(ctx);
}

Test(fit, many_pairs_are_valid)
{
	struct lt_context *ctx;
	struct lt_arena *a = arena(&ctx);
	uint64_t r = 10;
	for (int round = 0, n_round = (int)must_draws("LT_FITS", 60); round < n_round; round++) {
		struct lt_fit b[MOST];
		struct lt_fit_pair pair[MOST * MOST];
		draw_chain(&r, b, MOST);
		const int n_pair = draw_pairs(&r, b, MOST, pair);
		const struct lt_fit_size size = lt__fit(b, MOST, pair, n_pair, a);
		expect_pairs(b, MOST, pair, n_pair, size.bytes);
		cr_assert_geq(size.bytes, size.bound);
	}
	lt__arena_free(a);
	lt_context_free(ctx);
}

/* Rounds of a few buffers, drawn: told which buffer of the round before each is like, no plan is larger, and more of
 * them lie as two rounds before, which makes the rounds a loop. */
Test(fit, rounds_lie_alike)
{
	struct lt_context *ctx;
	struct lt_arena *a = arena(&ctx);
	uint64_t r = 8;
	int alike[2] = { 0, 0 }, loops[2] = { 0, 0 };
	for (int draws = 0, n_draw = (int)must_draws("LT_FITS", 100); draws < n_draw; draws++) {
		const int period = (int)random_between(&r, 2, 5), n = MOST / period * period;
		struct lt_fit round[5], b[2][MOST];
		struct lt_fit_size size[2];
		for (int i = 0; i < period; i++)
			round[i] = (struct lt_fit){ .bytes = 4 * random_between(&r, 1, 8), .align = 4,
				.last = (int32_t)random_between(&r, 1, period + 1) };
		for (int likely = 0; likely < 2; likely++) {
			int same = 0;
			for (int i = 0; i < n; i++) {
				struct lt_fit *x = &b[likely][i];
				*x = round[i % period];
				x->first = i;
				x->last += i;
				x->like = likely && i >= period ? 1 + i - period : 0;
			}
			size[likely] = lt__fit(b[likely], n, NULL, 0, a);
			expect_valid(b[likely], n, size[likely]);
			for (int i = n / 2; i < n; i++)
				same += b[likely][i].at == b[likely][i - 2 * period].at;
			alike[likely] += same;
			loops[likely] += same == n - n / 2;
		}
		cr_assert_leq(size[1].bytes, size[0].bytes);
	}
	cr_expect_gt(alike[1], alike[0]);
	cr_expect_gt(loops[1], loops[0]);
	lt__arena_free(a);
	lt_context_free(ctx);
}

Test(fit, between_the_bound_and_first_fit)
{
	struct lt_context *ctx;
	struct lt_arena *a = arena(&ctx);
	uint64_t r = 6;
	int above = 0, exact = 0, many = 0;
	double worst = 1, sum = 0;
	const int n_round = (int)must_draws("LT_FITS", 200);
	for (int round = 0; round < n_round; round++) {
		struct lt_fit b[MOST];
		const int n = draw(&r, b, round % 2 ? LT_FIT_EXACT : MOST, 40, 30);
		const struct lt_fit_size size = lt__fit(b, n, NULL, 0, a);
		expect_valid(b, n, size);
		cr_assert_eq(size.bound, most_live(b, n));
		cr_assert_leq(size.bytes, first_fit(b, n));
		above += size.bytes > size.bound;
		exact += size.exact;
		if (n <= LT_FIT_EXACT)
			continue;
		const double over = (double)size.bytes / (double)size.bound;
		worst = over > worst ? over : worst;
		sum += over;
		many++;
	}
	cr_log_info("%d of %d plans are above the bound, %d exact; of %d of more buffers, over the bound %.4f, at most %.4f",
		above, n_round, exact, many, sum / many, worst);
	cr_expect_leq(worst, 1.02);
	cr_expect_geq(20 * exact, 19 * n_round);
	cr_expect_eq(lt__fit(NULL, 0, NULL, 0, a).bytes, 0);
	lt__arena_free(a);
	lt_context_free(ctx);
}
