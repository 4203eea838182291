/* barrier.c -- where the threads of a block wait for each other.
 *
 * Where a nest has block loops, its threads run all of it at once, and what another thread wrote is only read behind a
 * barrier, and only overwritten behind one.  The nest is walked in its order with the accesses that were made since the
 * last barrier.  Where one meets an access that it must not pass, and that may be another thread's (same_thread), a
 * barrier goes in between, as far out as it is between the two.  The body of a loop is walked twice: what the first
 * time left is what an iteration finds.
 *
 *     for k serial                            for k serial
 *       for n' block.x                          barrier                 # the last iteration's reads
 *         %t[n'] = copy %b                      for n' block.x
 *       for m' block.x                            %t[n'] = copy %b
 *         for n'                                barrier
 *           %s[m'] += %t[n']                    for m' block.x ...
 */
#include <stdlib.h>
#include <string.h>
#include "looptree/call/call.h"
#include "looptree/freeze/parts.h"

/* An access that threads made since they last waited.  carried: in an earlier iteration of this loop; -1: in this. */
struct lt_touched { int32_t stmt, access, carried; bool write; int64_t time; };
/* A barrier in the body of a loop, before the statement or loop that begins with stmt. */
struct lt_fbarrier { int32_t loop, stmt; };
struct lt_barriers {
	struct lt_freezer *f;
	int64_t *stride;                /* by block loop: threads of its axis from an iteration to the next */
	int64_t time, *start;           /* by loop: when what is walked through in its body began */
	int64_t *begin;                 /* by loop: when its body began */
	bool *written;                  /* by buffer: in the grid in hand */
	struct lt_touched *touched; int32_t n_touched, cap_touched;
	struct lt_fbarrier *at; int32_t n, cap;
};

/* -- Tiles of a frozen tree: which statements are a matrix instruction's, and which thread has which element of its
 * result.
 *
 * A tile's nest is described as a call's is (call.c).  Before it, the reset of its sum is a nest of the same
 * loops of the tree without the reduced one; it, too, is done by the threads that have the elements.
 */

/* How a fragment's elements lie: `n` of them are `coef` apart; the number's digit is the thread's from `stride` on, or
 * (stride 0) the same thread has all. */
struct lt_tile_run { int64_t coef, n, stride; };
enum { LT_TILE_RUNS = 2 * LT_MATRIX_BITS };

static const struct lt_call *tile_call(const struct lt_freezer *f, int32_t loop)
{
	for (int32_t i = 0; i < f->n_call; i++)
		if (f->call_report[i].at == f->loop[loop].at && f->call[i].pattern == LT_PATTERN_PRODUCT)
			return &f->call[i];
	return NULL;
}

/* The LT_TILE loop that a statement is in, if it is described or the reset of one that is; -1. */
static int32_t tile_of(const struct lt_freezer *f, int32_t stmt)
{
	for (int32_t l = f->stmt[stmt].loop; l >= 0; l = f->loop[l].parent)
		if (f->loop[l].kind == LT_TILE)
			return tile_call(f, l) ? l : -1;
	return -1;
}

static const struct lt_tile_row *row_of_tile(const struct lt_freezer *f, int32_t loop)
{
	return lt__tile_find(f->t->node[f->loop[loop].at].call);
}

static int64_t tile_threads(const struct lt_freezer *f, int32_t loop) { return row_of_tile(f, loop)->matrix.threads; }

/* Bits that follow one another along an axis are one digit. */
static int32_t add_runs(const struct lt_matrix_bit *bit, int n, bool thread, const int64_t *stride,
	struct lt_tile_run *out)
{
	int32_t n_run = 0;
	for (int b = 0, next; b < n; b = next) {
		for (next = b + 1; thread && next < n && bit[next].axis == bit[b].axis
			&& bit[next].power == bit[next - 1].power + 1; next++)
			;
		out[n_run++] = (struct lt_tile_run){ stride[bit[b].axis] << bit[b].power, INT64_C(1) << (next - b),
			thread ? INT64_C(1) << b : 0 };
	}
	return n_run;
}

static int32_t tile_runs(const struct lt_freezer *f, int32_t loop, struct lt_tile_run *out)
{
	const struct lt_call *c = tile_call(f, loop);
	const struct lt_matrix_part *p = &row_of_tile(f, loop)->matrix.part[LT_MATRIX_C];
	int64_t stride[3] = { 0, 0, 0 };
	for (int32_t d = 0; d < c->n_dim; d++) {
		int32_t role = f->call_dim[c->first_dim + d].role;
		if (f->call_dim[c->first_dim + d].extent > 1 && (role == LT_DIM_ROW || role == LT_DIM_COLUMN))
			stride[role == LT_DIM_COLUMN] = f->stride[f->call_operand[c->first_operand].first_stride + d];
	}
	int32_t n = add_runs(p->element, p->n_element, false, stride, out);
	return n + add_runs(p->thread, p->n_thread, true, stride, out + n);
}

/* -- Which threads of a block touch an element: whether two accesses that meet in one are always the same thread's.
 *
 * Iterations of the block loops of an axis are digits of the thread's number along it.  Two accesses name the same
 * element where the difference of their rows is 0: a sum of multiples of the digits' differences and of other numbers
 * with known ranges.  From the largest multiple on, a difference has to be 0 where all smaller ones together do not
 * reach it.  Where that shows it of every digit, it is one thread.
 */

static bool is_thread_loop(const struct lt_freezer *f, int32_t loop)
{
	return f->loop[loop].kind == LT_BLOCK && f->loop[loop].max_trip_count > 1;
}

static int32_t loop_axis(const struct lt_freezer *f, int32_t loop) { return f->t->node[f->loop[loop].at].arg; }

static bool row_depends(const struct lt_freezer *f, const struct lt_row *r, int32_t loop)
{
	for (int32_t i = 0; i < r->n; i++)
		if ((r->term[i].kind == LT_TERM_LOOP && r->term[i].at == loop && r->term[i].coef)
			|| (r->term[i].kind == LT_TERM_DIV && row_depends(f, &f->div[r->term[i].at].row, loop)))
			return true;
	return false;
}

static bool is_led(const struct lt_barriers *w, const struct lt_touched *x, int32_t loop)
{
	const struct lt_stmt *s = &w->f->stmt[x->stmt];
	return s->kind == LT_COMBINE && x->access == s->dest && is_thread_loop(w->f, loop)
		&& !row_depends(w->f, &w->f->access[x->access].row, loop);
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
	return is_thread_loop(a->w->f, loop) && !is_led(a->w, x, loop);
}

/* Loops of a tile are the fragment's digits.  How many movers; -1: too many. */
static int32_t find_movers(const struct same_thread_pair *a, const struct lt_touched *x, struct same_thread_mover *out)
{
	const struct lt_freezer *f = a->w->f;
	struct lt_tile_run run[LT_TILE_RUNS];
	int32_t tile = tile_of(f, x->stmt), n = 0, n_run = tile < 0 ? 0 : tile_runs(f, tile, run);
	int32_t l = tile < 0 ? loop_of(a, x) : f->loop[tile].parent;
	for (int32_t i = 0; i < n_run; i++)
		out[n++] = (struct same_thread_mover){ -1, 0, run[i].coef, run[i].n - 1, run[i].stride, run[i].stride > 0 };
	for (; l >= 0 && l != same_thread_scope(a); l = f->loop[l].parent) {
		bool digit = same_thread_is_digit(a, x, l);
		if (n == MAX_MOVERS)
			return -1;
		out[n++] = (struct same_thread_mover){ l, digit ? loop_axis(f, l) : -1,
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
				if (!is_common(a, l) && row_depends(f, &f->div[t->at].row, l))
					return false;
			for (int32_t l = loop_of(a, a->y); t->kind == LT_TERM_DIV && l >= 0; l = f->loop[l].parent)
				if (!is_common(a, l) && row_depends(f, &f->div[t->at].row, l))
					return false;
		}
	}
	return true;
}

/* The loops around the buffer are in the same iteration for both, and have to move both rows alike. */
static bool have_same_outer_loops(const struct same_thread_pair *a)
{
	for (int32_t l = same_thread_scope(a); l >= 0; l = a->w->f->loop[l].parent)
		if (coef_of(same_thread_row(a, a->x), LT_TERM_LOOP, l) != coef_of(same_thread_row(a, a->y), LT_TERM_LOOP, l))
			return false;
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
	int32_t tile = tile_of(f, x->stmt), scope = same_thread_scope(a);
	return tile >= 0 && !(scope >= 0 && is_around(f, tile, scope)) && x->access != f->stmt[x->stmt].dest;
}

/* Inside of a tile nothing is anybody else's. */
static bool is_within_tile(const struct same_thread_pair *a)
{
	int32_t tile = tile_of(a->w->f, a->x->stmt), scope = same_thread_scope(a);
	return tile >= 0 && scope >= 0 && is_around(a->w->f, tile, scope);
}

static bool same_thread(const struct lt_barriers *w, const struct lt_touched *x, const struct lt_touched *y)
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
		|| !have_same_quotients(&a) || !have_same_outer_loops(&a) || !add_movers(&a, of_x, n_x, of_y, n_y, true)
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

/* -- Walking the nest: where threads wait. */

static int32_t first_common(const struct lt_freezer *f, int32_t a, int32_t b)
{
	for (; a >= 0; a = f->loop[a].parent)
		for (int32_t up = b; up >= 0; up = f->loop[up].parent)
			if (up == a)
				return a;
	return -1;
}

/* The statement or loop directly in `loop` that a statement of it is in: where it begins. */
static int32_t child_start(const struct lt_freezer *f, int32_t loop, int32_t stmt)
{
	int32_t in = f->stmt[stmt].loop;
	if (in == loop)
		return stmt;
	while (f->loop[in].parent != loop)
		in = f->loop[in].parent;
	return f->loop[in].first_stmt;
}

/* Whether both mean different ones of buffers in turn, and are in the same iteration of the loop that counts them, or
 * both before it. */
static bool in_other_turn(const struct lt_freezer *f, const struct lt_touched *old, const struct lt_touched *now)
{
	const struct lt_inturn *a = &f->access[old->access].turn, *b = &f->access[now->access].turn;
	bool before = a->depth && f->loop[a->loop].max_trip_count == 1 && f->loop[b->loop].max_trip_count == 1;
	if (!a->depth || (a->first - b->first) % a->depth == 0 || (a->loop != b->loop && !before))
		return false;
	int32_t carried = old->carried;
	if (carried >= 0 && first_common(f, carried, f->stmt[now->stmt].loop) != carried)
		carried = -1;                           /* by a loop that has ended */
	return carried < 0 || (carried != a->loop && first_common(f, a->loop, carried) == a->loop);
}

static bool conflicts(const struct lt_barriers *w, const struct lt_touched *old, const struct lt_touched *now)
{
	const struct lt_freezer *f = w->f;
	return (old->write || now->write) && f->access[old->access].buffer == f->access[now->access].buffer
		&& !in_other_turn(f, old, now) && !same_thread(w, old, now);
}

static void forget_before(struct lt_barriers *w, int64_t time)
{
	int32_t n = 0;
	for (int32_t i = 0; i < w->n_touched; i++)
		if (w->touched[i].time >= time)
			w->touched[n++] = w->touched[i];
	w->n_touched = n;
}

static bool has_barrier(const struct lt_barriers *w, int32_t loop, int32_t stmt)
{
	for (int32_t i = 0; i < w->n; i++)
		if (w->at[i].loop == loop && w->at[i].stmt == stmt)
			return true;
	return false;
}

/* Buffers in turn were copied to before the loop that counts them, and before each iteration: its begin is for both. */
static int32_t turning_loop(const struct lt_freezer *f, const struct lt_touched *now, int32_t around)
{
	const struct lt_inturn *x = &f->access[now->access].turn;
	int32_t here = f->stmt[now->stmt].loop;
	return x->depth && x->loop != around && f->loop[x->loop].max_trip_count > 1
		&& first_common(f, x->loop, here) == x->loop && first_common(f, around, x->loop) == around
		&& !is_thread_loop(f, around) ? x->loop : -1;
}

/* The newest conflict is the innermost place: a barrier there is behind all older ones, too. */
static void meet(struct lt_barriers *w, const struct lt_touched *now)
{
	struct lt_freezer *f = w->f;
	const struct lt_touched *old = NULL;
	const lt_node n = f->stmt_node[now->stmt];
	lt__spend(f->t->ctx, LT_BUDGET_PAIRS, w->n_touched, n < 0 ? NULL : f->g->node[n].name);
	for (int32_t i = w->n_touched - 1; i >= 0; i--)
		if ((!old || w->touched[i].time > old->time) && conflicts(w, &w->touched[i], now))
			old = &w->touched[i];
	if (!old)
		return;
	int32_t here = f->stmt[now->stmt].loop, loop = old->carried;
	if (loop < 0 || first_common(f, loop, here) != loop)
		loop = first_common(f, f->stmt[old->stmt].loop, here);
	int32_t turning = turning_loop(f, now, loop);
	LT_GROW(f->a, w->at, w->n, w->cap);
	if (turning >= 0)
		w->at[w->n++] = (struct lt_fbarrier){ turning, f->loop[turning].first_stmt };
	else
		w->at[w->n++] = (struct lt_fbarrier){ loop, child_start(f, loop, now->stmt) };
	forget_before(w, turning >= 0 ? w->begin[turning] : w->start[loop]);
}

static void keep(struct lt_barriers *w, const struct lt_touched *now)
{
	for (int32_t i = 0; i < w->n_touched; i++)
		if (w->touched[i].stmt == now->stmt && w->touched[i].access == now->access
			&& w->touched[i].carried == now->carried) {
			w->touched[i].time = now->time;
			return;
		}
	LT_GROW(w->f->a, w->touched, w->n_touched, w->cap_touched);
	w->touched[w->n_touched++] = *now;
}

typedef void barrier_call(struct lt_barriers *, const struct lt_touched *);

static void each_access(struct lt_barriers *w, int32_t stmt, barrier_call *call)
{
	const struct lt_freezer *f = w->f;
	const struct lt_stmt *s = &f->stmt[stmt];
	struct lt_touched now = { stmt, s->dest, -1, true, w->time };
	for (int32_t o = s->first_operand; o < s->first_operand + s->n_operand; o++)
		for (int32_t p = f->operand[o].first_piece; p < f->operand[o].first_piece + f->operand[o].n_piece; p++)
			for (int32_t a = f->piece[p].kind == LT_READ ? f->piece[p].access : -1; a >= 0; a = f->access[a].index) {
				struct lt_touched read = { stmt, a, -1, false, w->time };
				if (w->written[f->access[a].buffer])
					call(w, &read);
			}
	for (int32_t a = s->dest < 0 ? -1 : f->access[s->dest].index; a >= 0; a = f->access[a].index) {
		struct lt_touched read = { stmt, a, -1, false, w->time };
		if (w->written[f->access[a].buffer])
			call(w, &read);
	}
	call(w, &now);
}

static void walk(struct lt_barriers *w, int32_t loop, int32_t s, int32_t end);

/* Threads that are off in a block loop still wait for the others in it. */
static bool may_be_empty(const struct lt_freezer *f, int32_t loop)
{
	const struct lt_floop *x = &f->loop[loop];
	for (int32_t b = x->first_bound; b < x->first_bound + x->n_bound && !is_thread_loop(f, loop); b++) {
		int64_t low, high;
		lt__row_range(f, &f->bound[b], &low, &high);
		if (low < 1)
			return true;
	}
	return false;
}

static void walk_loop(struct lt_barriers *w, int32_t in)
{
	struct lt_freezer *f = w->f;
	const struct lt_floop *x = &f->loop[in];
	int64_t begin = w->time;
	int32_t n_before = w->n_touched;
	struct lt_touched *before = LT_NEW(f->a, struct lt_touched, n_before + 1);
	if (n_before)
		memcpy(before, w->touched, (size_t)n_before * sizeof *before);
	walk(w, in, x->first_stmt, x->first_stmt + x->n_stmt);
	if (x->max_trip_count > 1 && x->kind != LT_GRID && !is_thread_loop(f, in)) {
		for (int32_t i = 0; i < w->n_touched; i++)
			if (w->touched[i].time >= begin)
				w->touched[i].carried = in;
		walk(w, in, x->first_stmt, x->first_stmt + x->n_stmt);
	}
	for (int32_t i = 0; may_be_empty(f, in) && i < n_before; i++)           /* and without its barriers then */
		keep(w, &before[i]);
}

static void walk(struct lt_barriers *w, int32_t loop, int32_t s, int32_t end)
{
	struct lt_freezer *f = w->f;
	w->begin[loop] = w->time + 1;
	while (s < end) {
		int32_t in = f->stmt[s].loop;
		w->start[loop] = ++w->time;
		if (has_barrier(w, loop, s) || (in == loop && f->stmt[s].kind == LT_BARRIER))
			forget_before(w, w->time);
		if (in == loop && f->stmt[s].kind >= LT_BARRIER) {
			s++;
			continue;
		}
		if (in == loop) {
			each_access(w, s, meet);
			each_access(w, s, keep);
			s++;
			continue;
		}
		while (f->loop[in].parent != loop)
			in = f->loop[in].parent;
		walk_loop(w, in);
		s = f->loop[in].first_stmt + f->loop[in].n_stmt;
	}
}

/* -- grids -- */

static void find_strides(struct lt_barriers *w)
{
	struct lt_freezer *f = w->f;
	int64_t (*inner)[3] = (int64_t (*)[3])(void *)LT_NEW(f->a, int64_t, 3 * (int64_t)(f->n_loop + 1));
	for (int32_t i = f->n_loop - 1; i >= 0; i--) {
		int32_t up = f->loop[i].parent, axis = is_thread_loop(f, i) ? loop_axis(f, i) : -1;
		for (int32_t a = 0; a < 3; a++) {
			int64_t n = inner[i][a] ? inner[i][a] : 1;
			if (a == 0 && f->loop[i].kind == LT_TILE && tile_call(f, i) && n < tile_threads(f, i))
				n = tile_threads(f, i);
			if (a == axis) {
				w->stride[i] = n;
				n = n > INT32_MAX || f->loop[i].max_trip_count > INT32_MAX ? INT32_MAX : n * f->loop[i].max_trip_count;
			}
			if (up >= 0 && n > inner[up][a])
				inner[up][a] = n;
		}
	}
}

/* What runs as one grid: the outermost grid loop, or a nest without one. */
static bool is_root(const struct lt_freezer *f, int32_t loop)
{
	for (int32_t up = f->loop[loop].parent; up >= 0; up = f->loop[up].parent) {
		bool grids = f->loop[up].kind == LT_GRID;
		if (grids)
			return false;
		for (int32_t i = up + 1; i < f->n_loop && !grids; i++)
			grids = f->loop[i].kind == LT_GRID && first_common(f, i, up) == up;
		if (!grids)
			return false;
	}
	if (f->loop[loop].kind == LT_GRID)
		return true;
	for (int32_t i = loop + 1; i < f->n_loop; i++)
		if (f->loop[i].kind == LT_GRID && first_common(f, i, loop) == loop)
			return false;
	return true;
}

static void walk_root(struct lt_barriers *w, int32_t root)
{
	struct lt_freezer *f = w->f;
	const struct lt_floop *x = &f->loop[root];
	w->n_touched = 0;
	memset(w->written, 0, (size_t)f->n_buffer * sizeof *w->written);
	for (int32_t s = x->first_stmt; s < x->first_stmt + x->n_stmt; s++)
		if (f->stmt[s].dest >= 0)
			w->written[f->access[f->stmt[s].dest].buffer] = true;
	walk_loop(w, root);
}

/* -- writing them -- */

/* In the order of the text: by statement, the outer one first. */
static void sort_barriers(struct lt_barriers *w)
{
	for (int32_t i = 1; i < w->n; i++)
		for (int32_t k = i; k > 0; k--) {
			struct lt_fbarrier *a = &w->at[k - 1], *b = &w->at[k], kept = *a;
			if (a->stmt < b->stmt || (a->stmt == b->stmt && lt__loop_depth(w->f, a->loop) <= lt__loop_depth(w->f, b->loop)))
				break;
			*a = *b;
			*b = kept;
		}
}

/* How many barriers are in front of a statement: those that are inside of the loop are not, where it begins with it. */
static int32_t barriers_before(const struct lt_barriers *w, int32_t stmt, int32_t loop)
{
	int32_t n = 0;
	for (int32_t i = 0; i < w->n; i++)
		n += w->at[i].stmt < stmt
			|| (w->at[i].stmt == stmt && (loop < 0 || first_common(w->f, w->at[i].loop, loop) != loop));
	return n;
}

static void insert_barriers(struct lt_barriers *w)
{
	struct lt_freezer *f = w->f;
	int32_t n = f->n_stmt + w->n, to = 0, next = 0;
	struct lt_stmt *stmt = LT_NEW(f->a, struct lt_stmt, n + 1);
	lt_node *node = LT_NEW(f->a, lt_node, n + 1);
	for (int32_t i = 0; i < f->n_loop; i++) {
		struct lt_floop *x = &f->loop[i];
		int32_t end = x->first_stmt + x->n_stmt, first = x->first_stmt + barriers_before(w, x->first_stmt, i);
		int32_t last = end;
		for (int32_t k = 0; k < w->n; k++)
			last += w->at[k].stmt < end;
		x->first_stmt = first;
		x->n_stmt = last - first;
	}
	for (int32_t i = 0; i < f->n_call; i++)
		f->call[i].stmt += f->call[i].stmt < 0 ? 0 : barriers_before(w, f->call[i].stmt, -1);
	for (int32_t s = 0; s < f->n_stmt; s++) {
		for (; next < w->n && w->at[next].stmt == s; next++, to++) {
			node[to] = f->stmt_node[s];
			stmt[to] = (struct lt_stmt){ .kind = LT_BARRIER, .op = -1, .dest = -1, .loop = w->at[next].loop,
				.first_operand = f->stmt[s].first_operand, .first_guard = f->stmt[s].first_guard, .reducing = -1,
				.name = f->stmt[s].name, .line = f->stmt[s].line, .column = f->stmt[s].column };
		}
		node[to] = f->stmt_node[s];
		stmt[to++] = f->stmt[s];
	}
	f->stmt = stmt;
	f->stmt_node = node;
	f->n_stmt = f->cap_stmt = f->cap_stmt_node = n;
}

void lt__freeze_barriers(struct lt_freezer *f)
{
	bool threads = false;
	for (int32_t i = 0; i < f->n_loop; i++)
		threads = threads || is_thread_loop(f, i) || (f->loop[i].kind == LT_TILE && tile_call(f, i));
	if (!threads)
		return;
	struct lt_barriers w = { .f = f, .stride = LT_NEW(f->a, int64_t, f->n_loop + 1),
		.start = LT_NEW(f->a, int64_t, f->n_loop + 1), .begin = LT_NEW(f->a, int64_t, f->n_loop + 1),
		.written = LT_NEW(f->a, bool, f->n_buffer + 1) };
	f->needs |= LT_NEED_BARRIER;
	find_strides(&w);
	for (int32_t i = 0; i < f->n_loop; i++)
		if (is_root(f, i))
			walk_root(&w, i);
	sort_barriers(&w);
	if (w.n > 0)
		insert_barriers(&w);
}
