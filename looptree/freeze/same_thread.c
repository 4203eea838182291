/* Which threads of a block touch an element: whether two accesses that meet in one are always the same thread's.
 *
 * Iterations of the block loops of an axis are digits of the thread's number along it.  Two accesses name the same
 * element where the difference of their rows is 0: a sum of multiples of the digits' differences and of other numbers
 * with known ranges.  From the largest multiple on, a difference has to be 0 where all smaller ones together do not
 * reach it.  Where that shows it of every digit, it is one thread.
 */
#include <stdlib.h>
#include "looptree/freeze/barrier.h"

bool lt__is_thread_loop(const struct lt_freezer *f, int32_t loop)
{
	return f->loop[loop].kind == LT_BLOCK && f->loop[loop].max_trip_count > 1;
}

int32_t lt__loop_axis(const struct lt_freezer *f, int32_t loop) { return f->t->node[f->loop[loop].at].arg; }

bool lt__row_depends(const struct lt_freezer *f, const struct lt_row *r, int32_t loop)
{
	for (int32_t i = 0; i < r->n; i++)
		if ((r->term[i].kind == LT_TERM_LOOP && r->term[i].at == loop && r->term[i].coef)
			|| (r->term[i].kind == LT_TERM_DIV && lt__row_depends(f, &f->div[r->term[i].at].row, loop)))
			return true;
	return false;
}

bool lt__is_led(const struct lt_barriers *w, const struct lt_touched *x, int32_t loop)
{
	const struct lt_stmt *s = &w->f->stmt[x->stmt];
	return s->kind == LT_COMBINE && x->access == s->dest && lt__is_thread_loop(w->f, loop)
		&& !lt__row_depends(w->f, &w->f->access[x->access].row, loop);
}

static int64_t coef_of(const struct lt_row *r, int32_t kind, int32_t at)
{
	int64_t sum = 0;
	for (int32_t i = 0; i < r->n; i++)
		if (r->term[i].kind == kind && r->term[i].at == at)
			sum += r->term[i].coef;
	return sum;
}

/* A multiple of a number between -low and high. */
struct same_thread_term { int64_t coef, low, high; bool thread; };
enum { MAX_TERMS = 64 };
struct same_thread_pair {
	const struct lt_barriers *w;
	const struct lt_touched *x, *y;
	int32_t n;
	struct same_thread_term term[MAX_TERMS];
};

static bool add_term(struct same_thread_pair *a, int64_t coef, int64_t low, int64_t high, bool thread)
{
	if (low == 0 && high == 0)
		return true;
	if (coef == 0)
		return !thread;
	if (coef < 0) {
		int64_t kept = low;
		coef = -coef;
		low = high;
		high = kept;
	}
	for (int32_t i = 0; i < a->n; i++)
		if (!thread && !a->term[i].thread && a->term[i].coef == coef) {
			a->term[i].low += low;
			a->term[i].high += high;
			return true;
		}
	if (a->n == MAX_TERMS || coef > INT64_MAX / 4 || low > INT32_MAX || high > INT32_MAX)
		return false;
	a->term[a->n++] = (struct same_thread_term){ coef, low, high, thread };
	return true;
}

static bool is_around(const struct lt_freezer *f, int32_t loop, int32_t inside)
{
	while (inside >= 0 && inside != loop)
		inside = f->loop[inside].parent;
	return inside == loop;
}

static int32_t loop_of(const struct same_thread_pair *a, const struct lt_touched *x)
{
	return a->w->f->stmt[x->stmt].loop;
}

static const struct lt_row *same_thread_row(const struct same_thread_pair *a, const struct lt_touched *x)
{
	return &a->w->f->access[x->access].row;
}

/* The loop in whose iteration the buffer lives: what is around it is the same for both. */
static int32_t same_thread_scope(const struct same_thread_pair *a)
{
	const struct lt_fbuffer *b = &a->w->f->buffer[a->w->f->access[a->x->access].buffer];
	return b->storage < 0 ? b->scope : -1;
}

/* Whether both are in the same iteration of a loop. */
static bool is_common(const struct same_thread_pair *a, int32_t loop)
{
	const struct lt_freezer *f = a->w->f;
	int32_t carried = a->x->carried;
	return is_around(f, loop, loop_of(a, a->x)) && is_around(f, loop, loop_of(a, a->y))
		&& (carried < 0 || (loop != carried && is_around(f, loop, carried)));
}

/* What moves an access: a loop around it, or (-1) a digit of a matrix instruction's fragment.  digit: of the thread's
 * number. */
struct same_thread_mover { int32_t loop, axis; int64_t coef, last, stride; bool digit; };
enum { MAX_MOVERS = 128 };

/* The loop's iteration is a digit of the thread that makes the access. */
static bool same_thread_is_digit(const struct same_thread_pair *a, const struct lt_touched *x, int32_t loop)
{
	return lt__is_thread_loop(a->w->f, loop) && !lt__is_led(a->w, x, loop);
}

/* Loops of a tile are the fragment's digits.  How many movers; -1: too many. */
static int32_t find_movers(const struct same_thread_pair *a, const struct lt_touched *x, struct same_thread_mover *out)
{
	const struct lt_freezer *f = a->w->f;
	struct lt_tile_run run[LT_TILE_RUNS];
	int32_t tile = lt__tile_of(f, x->stmt), n = 0, n_run = tile < 0 ? 0 : lt__tile_runs(f, tile, run);
	int32_t l = tile < 0 ? loop_of(a, x) : f->loop[tile].parent;
	for (int32_t i = 0; i < n_run; i++)
		out[n++] = (struct same_thread_mover){ -1, 0, run[i].coef, run[i].n - 1, run[i].stride, run[i].stride > 0 };
	for (; l >= 0 && l != same_thread_scope(a); l = f->loop[l].parent) {
		bool digit = same_thread_is_digit(a, x, l);
		if (n == MAX_MOVERS)
			return -1;
		out[n++] = (struct same_thread_mover){ l, digit ? lt__loop_axis(f, l) : -1,
			coef_of(same_thread_row(a, x), LT_TERM_LOOP, l),
			f->loop[l].max_trip_count - 1, digit ? a->w->stride[l] : 0, digit };
	}
	return n;
}

/* The mover whose digit of the thread's number is the same; NULL. */
static const struct same_thread_mover *matching(
	const struct same_thread_mover *of, int32_t n, const struct same_thread_mover *x)
{
	for (int32_t i = 0; i < n; i++)
		if (of[i].digit && of[i].axis == x->axis && of[i].stride == x->stride)
			return &of[i];
	return NULL;
}

static const struct same_thread_mover *same_loop(const struct same_thread_mover *of, int32_t n, int32_t loop)
{
	for (int32_t i = 0; i < n; i++)
		if (of[i].loop == loop)
			return &of[i];
	return NULL;
}

static bool add_movers(struct same_thread_pair *a, const struct same_thread_mover *x, int32_t n_x,
	const struct same_thread_mover *y,
	int32_t n_y, bool first)
{
	for (int32_t i = 0; i < n_x; i++) {
		const struct same_thread_mover *m = &x[i], *other = m->digit ? matching(y, n_y, m) : NULL;
		const struct same_thread_mover *same = m->loop >= 0 && is_common(a, m->loop) ? same_loop(y, n_y, m->loop) : NULL;
		if (same && m->digit == same->digit) {
			if (m->coef != same->coef)
				return false;
		} else if (other) {
			if (m->coef != other->coef || (first && !add_term(a, m->coef, other->last, m->last, true)))
				return false;
		} else if (!add_term(a, first ? m->coef : -m->coef, 0, m->last, m->digit)) {
			return false;
		}
	}
	return true;
}

/* Run-time scalars and quotients are the same in both, or nothing is known. */
static bool have_same_quotients(const struct same_thread_pair *a)
{
	const struct lt_freezer *f = a->w->f;
	for (int side = 0; side < 2; side++) {
		const struct lt_row *x = same_thread_row(a, side ? a->y : a->x), *y = same_thread_row(a, side ? a->x : a->y);
		for (int32_t i = 0; i < x->n; i++) {
			const struct lt_term *t = &x->term[i];
			if (t->kind == LT_TERM_LOOP || !t->coef)
				continue;
			if (coef_of(x, t->kind, t->at) != coef_of(y, t->kind, t->at))
				return false;
			for (int32_t l = loop_of(a, a->x); t->kind == LT_TERM_DIV && l >= 0; l = f->loop[l].parent)
				if (!is_common(a, l) && lt__row_depends(f, &f->div[t->at].row, l))
					return false;
			for (int32_t l = loop_of(a, a->y); t->kind == LT_TERM_DIV && l >= 0; l = f->loop[l].parent)
				if (!is_common(a, l) && lt__row_depends(f, &f->div[t->at].row, l))
					return false;
		}
	}
	return true;
}

static int by_coef(const void *a, const void *b)
{
	const struct same_thread_term *x = a, *y = b;
	return (x->coef < y->coef) - (x->coef > y->coef);
}

static int64_t term_max(const struct same_thread_term *t) { return t->low > t->high ? t->low : t->high; }
static int64_t reach(const struct same_thread_term *t) { return t->coef * term_max(t); }

/* Whether all of them together are within 63 bits. */
static bool are_small(const struct same_thread_pair *a, int64_t left)
{
	for (int32_t i = 0; i < a->n; i++)
		if (a->term[i].coef > INT64_MAX / (2 * MAX_TERMS) / (1 + term_max(&a->term[i])))
			return false;
	return left < INT64_MAX / 4;
}

/* The factors of a matrix instruction are read by all of its threads. */
static bool is_tile_factor(const struct same_thread_pair *a, const struct lt_touched *x)
{
	const struct lt_freezer *f = a->w->f;
	int32_t tile = lt__tile_of(f, x->stmt), scope = same_thread_scope(a);
	return tile >= 0 && !(scope >= 0 && is_around(f, tile, scope)) && x->access != f->stmt[x->stmt].dest;
}

/* Inside of a tile nothing is anybody else's. */
static bool is_within_tile(const struct same_thread_pair *a)
{
	int32_t tile = lt__tile_of(a->w->f, a->x->stmt), scope = same_thread_scope(a);
	return tile >= 0 && scope >= 0 && is_around(a->w->f, tile, scope);
}

bool lt__same_thread(const struct lt_barriers *w, const struct lt_touched *x, const struct lt_touched *y)
{
	struct same_thread_pair a = { .w = w, .x = x, .y = y };
	struct same_thread_mover of_x[MAX_MOVERS], of_y[MAX_MOVERS];
	const struct lt_faccess *p = &w->f->access[x->access], *q = &w->f->access[y->access];
	int64_t left;
	if (is_within_tile(&a))
		return true;
	int32_t n_x = find_movers(&a, x, of_x), n_y = find_movers(&a, y, of_y);
	if (__builtin_sub_overflow(p->row.constant, q->row.constant, &left) || left == INT64_MIN || p->index >= 0
		|| q->index >= 0 || n_x < 0 || n_y < 0 || is_tile_factor(&a, x) || is_tile_factor(&a, y)
		|| !have_same_quotients(&a) || !add_movers(&a, of_x, n_x, of_y, n_y, true)
		|| !add_movers(&a, of_y, n_y, of_x, n_x, false))
		return false;
	qsort(a.term, (size_t)a.n, sizeof *a.term, by_coef);
	left = left < 0 ? -left : left;
	if (!are_small(&a, left))
		return false;
	for (int32_t i = 0; i < a.n; i++)
		left += reach(&a.term[i]);
	for (int32_t i = 0; i < a.n; i++) {
		int64_t others = left - reach(&a.term[i]);
		if (others < a.term[i].coef)
			left = others;
		else if (a.term[i].thread)
			return false;
	}
	return true;
}
