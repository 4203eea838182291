/* Offsets for buffers with lifetimes: the best of several orders, then branch and bound.
 *
 * The search goes through placements from the lowest offset up.  In some plan of the smallest size no buffer can be
 * moved down, so each rests on the memory's begin or on one that it is live with; sorted by offset, a buffer is then
 * where those before it that it is live with leave it room.  So a plan is an order, and an order whose offsets
 * decrease somewhere is that of another plan that is looked at, too.
 *
 * How far above another one a buffer rests is its bytes, or less of a pair that may share bytes; 0 is possible of two,
 * of which the one ahead begins to live later: of two at one offset it comes first.
 */
#include <stdlib.h>
#include <string.h>
#include "base/checked.h"
#include "program/plan/plan.h"

enum { MAX_NODES = 400000 };    /* of a search: about a tenth of a second */
enum { MAX_TRIES = 4000 };      /* of orders that come from the best one */
enum { MAX_PLACED = 100000000 };        /* comparisons of two buffers in these */

/* Buffers and their pairs: first, by the one ahead, and next are lists. */
struct fit { struct lt_fit *b; int32_t n; const struct lt_fit_pair *pair; int32_t *first, *next; };

static bool fit_meets(const struct lt_fit *a, const struct lt_fit *b)
{
	return a->first <= b->last && b->first <= a->last;
}

static int64_t fit_up(int64_t at, int64_t align) { return (at + align - 1) / align * align; }

/* How far above `low` the other one begins at least, if it is not below it. */
static int64_t fit_gap(const struct fit *f, int32_t low, int32_t high)
{
	for (int32_t p = f->first[low]; p >= 0; p = f->next[p])
		if (f->pair[p].behind == high)
			return lt__min(f->pair[p].bytes, f->b[low].bytes);
	return f->b[low].bytes;
}

static bool fit_free(const struct fit *f, int32_t x, int64_t at, int32_t y)
{
	return !fit_meets(&f->b[x], &f->b[y]) || at >= f->b[y].at + fit_gap(f, y, x)
		|| at + fit_gap(f, x, y) <= f->b[y].at;
}

struct fit_rank { int64_t key, second; int32_t i; };

static int rank_compare(const void *a, const void *b)
{
	const struct fit_rank *x = a, *y = b;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->second != y->second)
		return x->second < y->second ? -1 : 1;
	return x->i - y->i;
}

/* Where the buffer that it is to lie like is, or the one that that one is to lie like, if it meets none there; -1. */
static int64_t place_like(const struct fit *f, int32_t x, const struct fit_rank *placed, int32_t n)
{
	int32_t like = x;
	for (int back = 0; back < 2 && f->b[like].like; back++) {
		bool free = true;
		like = f->b[like].like - 1;
		for (int32_t p = 0; p < n && free; p++)
			free = fit_free(f, x, f->b[like].at, placed[p].i);
		if (free && f->b[like].at % f->b[x].align == 0)
			return f->b[like].at;
	}
	return -1;
}

/* Each in turn at the lowest offset where it is free of those before, or (likely) where it is to lie; the size. */
static int64_t place_in_order(struct fit *f, const struct fit_rank *order, bool likely)
{
	int64_t end = 0;
	for (int32_t k = 0; k < f->n; k++) {
		const int32_t x = order[k].i;
		int64_t at = likely ? place_like(f, x, order, k) : -1;
		bool moved = at < 0;
		for (at = lt__max(at, 0); moved; ) {
			moved = false;
			for (int32_t p = 0; p < k; p++)
				if (!fit_free(f, x, at, order[p].i)) {
					at = fit_up(f->b[order[p].i].at + fit_gap(f, order[p].i, x), f->b[x].align);
					moved = true;
				}
		}
		f->b[x].at = at;
		end = lt__max(end, at + f->b[x].bytes);
	}
	return end;
}

/* The orders: as they come, the largest first, those that live longest first, by both; each first with what is to lie
 * like another. */
enum { ORDERS = 4 };

static struct fit_rank rank_of(const struct lt_fit *b, int32_t i, int order)
{
	const int64_t steps = b[i].last - b[i].first + 1;
	switch (order) {
	case 0: return (struct fit_rank){ b[i].first, 0, i };
	case 1: return (struct fit_rank){ -b[i].bytes, -steps, i };
	case 2: return (struct fit_rank){ -steps, -b[i].bytes, i };
	default: return (struct fit_rank){ b[i].bytes < INT64_MAX / steps ? -b[i].bytes * steps : INT64_MIN, b[i].first, i };
	}
}

/* The best plan so far: its size, and where each buffer is. */
struct fit_best { int64_t bytes, *at; };

static void fit_keep(const struct fit *f, int64_t bytes, struct fit_best *best)
{
	best->bytes = bytes;
	for (int32_t i = 0; i < f->n; i++)
		best->at[i] = f->b[i].at;
}

/* One goes to a drawn place: what ends highest, or, three times of four, a drawn one, as what ends highest may be held
 * up by others; what is no worse is gone on from. */
static void improve_order(struct fit *f, struct fit_rank *order, bool likely, int64_t bound, struct fit_best *best,
	struct lt_arena *a)
{
	struct fit_rank *next = LT_NEW(a, struct fit_rank, f->n + 1);
	uint64_t drawn = 1;
	int64_t here = place_in_order(f, order, likely), tries = MAX_PLACED / ((int64_t)f->n * f->n + 1);
	for (tries = lt__min(tries, MAX_TRIES); tries > 0 && best->bytes > bound; tries--) {
		int32_t at = 0;
		for (int32_t k = 0; k < f->n; k++)
			if (f->b[order[k].i].at + f->b[order[k].i].bytes > f->b[order[at].i].at + f->b[order[at].i].bytes)
				at = k;
		drawn = drawn * 6364136223846793005u + 1442695040888963407u;
		if (drawn >> 62)
			at = (int32_t)((drawn >> 12) % (uint64_t)f->n);
		const int32_t to = (int32_t)((drawn >> 33) % (uint64_t)f->n);
		memcpy(next, order, (size_t)f->n * sizeof *next);
		memmove(next + lt__min(to + 1, at), next + lt__min(to, at + 1), (size_t)(at > to ? at - to : to - at)
			* sizeof *next);
		next[to] = order[at];
		const int64_t end = place_in_order(f, next, likely);
		if (end < best->bytes)
			fit_keep(f, end, best);
		if (end <= here) {
			memcpy(order, next, (size_t)f->n * sizeof *next);
			here = end;
		} else {
			(void)place_in_order(f, order, likely);
		}
	}
}

struct fit_search {
	const struct fit *f;
	int32_t n_step, nodes;
	int64_t bound;
	struct fit_best *best;
	int32_t *rank;                  /* by buffer: of two at one offset, which comes first */
	int64_t *at, *low;              /* by buffer: of this placement, -1: none yet; how low what is placed lets it */
	int64_t *top, *left;            /* by step: where what is placed ends; bytes of what is not and is live there */
};

/* Below what height no plan with this beginning ends. */
static int64_t search_bound(const struct fit_search *s)
{
	int64_t most = 0;
	for (int32_t i = 0; i < s->n_step; i++)
		most = lt__max(most, s->top[i] + s->left[i]);
	return most;
}

static int64_t search_offset(const struct fit_search *s, int32_t i) { return fit_up(s->low[i], s->f->b[i].align); }

static bool search_place(struct fit_search *s, int32_t placed, int64_t lowest, int32_t last);

/* The rest, with i there. */
static bool search_with(struct fit_search *s, int32_t placed, int32_t i, int64_t at)
{
	const struct lt_fit *x = &s->f->b[i];
	int64_t top[s->n_step], low[s->f->n];
	memcpy(low, s->low, sizeof low);
	memcpy(top, s->top, sizeof top);
	for (int32_t k = x->first; k <= x->last; k++) {
		s->top[k] = lt__max(s->top[k], at + x->bytes);
		s->left[k] -= x->bytes;
	}
	for (int32_t k = 0; k < s->f->n; k++)
		if (s->at[k] < 0 && k != i && fit_meets(x, &s->f->b[k]))
			s->low[k] = lt__max(s->low[k], at + fit_gap(s->f, i, k));
	s->at[i] = at;
	const bool on = search_place(s, placed + 1, at, i);
	s->at[i] = -1;
	memcpy(s->low, low, sizeof low);
	memcpy(s->top, top, sizeof top);
	for (int32_t k = x->first; k <= x->last; k++)
		s->left[k] += x->bytes;
	return on;
}

/* false: all is known, or nothing more is looked at. */
static bool search_place(struct fit_search *s, int32_t placed, int64_t lowest, int32_t last)
{
	const struct fit *f = s->f;
	int64_t deepest = INT64_MAX, end = 0;
	if (placed == f->n) {
		for (int32_t i = 0; i < f->n; i++)
			end = lt__max(end, s->at[i] + f->b[i].bytes);
		s->best->bytes = end;
		memcpy(s->best->at, s->at, (size_t)f->n * sizeof *s->at);
		return end > s->bound;
	}
	if (++s->nodes > MAX_NODES)
		return false;
	if (search_bound(s) >= s->best->bytes)
		return true;
	/* What can go lowest, or something under its end, is next: else a hole stays that it would fill. */
	for (int32_t i = 0; i < f->n; i++)
		if (s->at[i] < 0)
			deepest = lt__min(deepest, search_offset(s, i) + f->b[i].bytes);
	for (int32_t i = 0; i < f->n; i++) {
		const int64_t at = s->at[i] < 0 ? search_offset(s, i) : -1;
		if (at < lowest || (at == lowest && last >= 0 && s->rank[i] < s->rank[last]) || at >= deepest
				|| at + f->b[i].bytes >= s->best->bytes)
			continue;
		if (!search_with(s, placed, i, at))
			return false;
	}
	return true;
}

/* Steps are numbered anew, those alone in which something begins: what is live is most in one of them. */
static int32_t pack_steps(struct lt_fit *b, int32_t n, struct lt_arena *a)
{
	struct fit_rank *begin = LT_NEW(a, struct fit_rank, n + 1);
	int32_t steps = 0;
	for (int32_t i = 0; i < n; i++)
		begin[i] = (struct fit_rank){ b[i].first, 0, i };
	qsort(begin, (size_t)n, sizeof *begin, rank_compare);
	for (int32_t i = 0; i < n; i++)
		if (i == 0 || begin[i].key != begin[steps - 1].key)
			begin[steps++] = begin[i];
	for (int32_t i = 0; i < n; i++) {
		int32_t first = 0, last = steps - 1;
		while (begin[first].key < b[i].first)
			first++;
		while (begin[last].key > b[i].last)
			last--;
		b[i].first = first;
		b[i].last = last;
	}
	return steps;
}

/* What pairs may share in a step: of one ahead, not more than it has. */
static void take_shares(const struct fit *f, int64_t *left)
{
	for (int32_t i = 0; i < f->n; i++) {
		int64_t shared = 0;
		for (int32_t p = f->first[i]; p >= 0; p = f->next[p]) {
			const struct lt_fit *behind = &f->b[f->pair[p].behind];
			shared += lt__min(f->b[i].bytes - fit_gap(f, i, f->pair[p].behind), behind->bytes);
		}
		left[f->b[i].first] -= lt__min(shared, f->b[i].bytes);
	}
}

/* Sets left: by step, bytes of what is live, less what pairs may share. */
static int64_t fit_bound(const struct fit *f, int32_t n_step, int64_t *left)
{
	int64_t bound = 0;
	for (int32_t i = 0; i < f->n; i++) {
		for (int32_t k = f->b[i].first; k <= f->b[i].last; k++)
			left[k] += f->b[i].bytes;
		bound = lt__max(bound, f->b[i].bytes);
	}
	take_shares(f, left);
	for (int32_t k = 0; k < n_step; k++)
		bound = lt__max(bound, left[k]);
	return bound;
}

/* By buffer: what begins to live later comes first. */
static int32_t *rank_late(const struct fit *f, struct fit_rank *order, struct lt_arena *a)
{
	int32_t *rank = LT_NEW(a, int32_t, f->n + 1);
	for (int32_t i = 0; i < f->n; i++)
		order[i] = (struct fit_rank){ -f->b[i].first, 0, i };
	qsort(order, (size_t)f->n, sizeof *order, rank_compare);
	for (int32_t i = 0; i < f->n; i++)
		rank[order[i].i] = i;
	return rank;
}

/* The best of the orders, with what is to lie like another where that is, and of those that come from it; then without:
 * what is alike stays, unless less memory does without it. */
static void try_orders(struct fit *f, int64_t bound, struct fit_best *best, struct lt_arena *a)
{
	struct fit_rank *order = LT_NEW(a, struct fit_rank, f->n + 1), *first = LT_NEW(a, struct fit_rank, f->n + 1);
	for (int likely = 1; likely >= 0; likely--) {
		int64_t least = INT64_MAX;
		for (int o = 0; o < ORDERS; o++) {
			for (int32_t i = 0; i < f->n; i++)
				order[i] = rank_of(f->b, i, o);
			qsort(order, (size_t)f->n, sizeof *order, rank_compare);
			const int64_t end = place_in_order(f, order, likely);
			if (end < best->bytes)
				fit_keep(f, end, best);
			if (end < least)
				memcpy(first, order, (size_t)f->n * sizeof *first);
			least = lt__min(least, end);
		}
		if (best->bytes > bound)
			improve_order(f, first, likely, bound, best, a);
	}
}

static void list_pairs(struct fit *f, int32_t n_pair)
{
	for (int32_t i = 0; i < f->n; i++)
		f->first[i] = -1;
	for (int32_t p = 0; p < n_pair; p++) {
		f->next[p] = f->first[f->pair[p].ahead];
		f->first[f->pair[p].ahead] = p;
	}
}

struct lt_fit_size lt__fit(struct lt_fit *given, int32_t n, const struct lt_fit_pair *pair, int32_t n_pair,
	struct lt_arena *a)
{
	struct fit f = { .b = lt__arena_copy(a, given, (size_t)n * sizeof *given), .n = n, .pair = pair,
		.first = LT_NEW(a, int32_t, n + 1), .next = LT_NEW(a, int32_t, n_pair + 1) };
	struct fit_best best = { INT64_MAX, LT_NEW(a, int64_t, n + 1) };
	struct fit_search s = { .f = &f, .best = &best, .at = LT_NEW(a, int64_t, n + 1), .low = LT_NEW(a, int64_t, n + 1) };
	if (!n)
		return (struct lt_fit_size){ 0, 0, true };
	s.n_step = pack_steps(f.b, n, a);
	s.top = LT_NEW(a, int64_t, s.n_step + 1);
	s.left = LT_NEW(a, int64_t, s.n_step + 1);
	list_pairs(&f, n_pair);
	s.bound = fit_bound(&f, s.n_step, s.left);
	s.rank = rank_late(&f, LT_NEW(a, struct fit_rank, n + 1), a);
	try_orders(&f, s.bound, &best, a);
	for (int32_t i = 0; i < n; i++)
		s.at[i] = -1;
	if (best.bytes > s.bound && n <= LT_FIT_EXACT)
		(void)search_place(&s, 0, 0, -1);
	for (int32_t i = 0; i < n; i++)
		given[i].at = best.at[i];
	return (struct lt_fit_size){ best.bytes, s.bound, best.bytes == s.bound
		|| (n <= LT_FIT_EXACT && s.nodes <= MAX_NODES) };
}
