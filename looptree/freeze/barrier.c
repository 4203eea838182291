/* Barriers: where the threads of a block wait for each other.
 *
 * Where a nest has block loops, its threads run all of it at once, and what another thread wrote is only read behind a
 * barrier, and only overwritten behind one.  The nest is walked in its order with the accesses that were made since the
 * last barrier.  Where one meets an access that it must not pass, and that may be another thread's (same_thread.c), a
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
#include <string.h>
#include "looptree/freeze/barrier.h"

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
		&& !in_other_turn(f, old, now) && !lt__same_thread(w, old, now);
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
		&& !lt__is_thread_loop(f, around) ? x->loop : -1;
}

/* The newest conflict is the innermost place: a barrier there is behind all older ones, too. */
static void meet(struct lt_barriers *w, const struct lt_touched *now)
{
	struct lt_freezer *f = w->f;
	const struct lt_touched *old = NULL;
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
	for (int32_t b = x->first_bound; b < x->first_bound + x->n_bound && !lt__is_thread_loop(f, loop); b++) {
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
	if (x->max_trip_count > 1 && x->kind != LT_GRID && !lt__is_thread_loop(f, in)) {
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
		int32_t up = f->loop[i].parent, axis = lt__is_thread_loop(f, i) ? lt__loop_axis(f, i) : -1;
		for (int32_t a = 0; a < 3; a++) {
			int64_t n = inner[i][a] ? inner[i][a] : 1;
			if (a == 0 && f->loop[i].kind == LT_TILE && lt__tile_call(f, i) && n < lt__tile_threads(f, i))
				n = lt__tile_threads(f, i);
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
		threads = threads || lt__is_thread_loop(f, i) || (f->loop[i].kind == LT_TILE && lt__tile_call(f, i));
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
