/* Freezing a loop with copies that are made ahead: the first of them before the loop, the others in it.
 *
 * Copies of depth N that are async are begun by each thread and go on while it computes.  Those of one iteration are a
 * group, and iteration t begins when all groups except the last N - 2 are done, of all threads:
 *
 *     copy of 0, commit; ... copy of N-2, commit
 *     for t
 *       wait for all except N - 2
 *       barrier                       # everybody has what was copied, and nobody reads the buffer of t-1 any more
 *       copy of t + N - 1, commit     # into that buffer
 *       compute with t
 */
#include "looptree/freeze/parts.h"

static bool has_threads(const struct lt_looptree *t, lt_tnode at)
{
	if (t->node[at].kind == LT_TLOOP && t->node[at].loop == LT_BLOCK && lt_looptree_trip_count(t, at) > 1)
		return true;
	for (lt_tnode c = t->node[at].child; c >= 0 && t->node[at].kind != LT_TLEAF; c = t->node[c].next)
		if (has_threads(t, c))
			return true;
	return false;
}

/* Whether the copies in `child` of loop `at` are async: in a block of threads, which share what is copied. */
static bool is_async(const struct lt_freezer *f, lt_tnode at, lt_tnode child)
{
	lt_node n = lt__multibuffered_below(f->t, at, child);
	bool blocks = false;
	for (int32_t k = 0; k < f->n_path; k++)
		blocks = blocks || f->t->node[f->path[k].at].loop == LT_GRID;
	return n >= 0 && f->t->node[f->t->leaf_of[n]].async && blocks && has_threads(f->t, child);
}

bool lt__freeze_is_async(const struct lt_freezer *f, lt_node n)
{
	lt_tnode at = f->t->scope[n].owner, child = f->t->leaf_of[n];
	if (!f->t->node[child].async || at < 0)
		return false;
	while (f->t->node[child].parent != at)
		child = f->t->node[child].parent;
	return is_async(f, at, child);
}

/* The least depth of the copies of loop `at` that are async, and the last of them; 0: there are none. */
static int32_t async_depth(const struct lt_freezer *f, lt_tnode at, lt_tnode *last)
{
	int32_t min = 0;
	for (lt_tnode c = f->t->node[at].child; c >= 0; c = f->t->node[c].next)
		if (is_async(f, at, c)) {
			int32_t depth = lt__copy_depth(f->t, lt__multibuffered_below(f->t, at, c));
			min = min && min < depth ? min : depth;
			*last = c;
		}
	return min;
}

static void add_sync(struct lt_freezer *f, int32_t kind, lt_node n, int32_t groups)
{
	struct lt_stmt *s = lt__freeze_stmt(f, kind, n);
	s->op = s->dest = -1;
	s->first_guard = f->n_guard;
	s->async = groups;
	f->needs |= LT_NEED_ASYNC;
}

lt_status lt__freeze_first(struct lt_freezer *f, lt_tnode at, int64_t step, lt_freeze_walk *walk)
{
	for (lt_tnode child = f->t->node[at].child; child >= 0; child = f->t->node[child].next) {
		lt_node n = lt__multibuffered_below(f->t, at, child);
		for (int64_t trip = 0; n >= 0 && trip < lt__copy_depth(f->t, n) - 1; trip++) {
			const struct lt_peeled one = { .peeled = true, .remainder = true, .first = trip, .cover = step };
			if (trip < lt_looptree_trip_count(f->t, at)) {
				LT_TRY(lt__freeze_open(f, at, f->t->node[at].var, lt__freeze_step(f, at), f->t->node[at].tail, &one));
				LT_TRY(walk(f, child));
				lt__freeze_close(f);
			}
			if (is_async(f, at, child))             /* a group for each, empty or not: they are counted */
				add_sync(f, LT_COMMIT, n, 0);
		}
	}
	return LT_OK;
}

lt_status lt__freeze_multibuffer(struct lt_freezer *f, lt_tnode at, lt_tnode child, lt_freeze_walk *walk)
{
	int32_t k = f->n_path - 1;
	lt_node n = lt__multibuffered_below(f->t, at, child);
	lt_tnode last = -1;
	int32_t async = async_depth(f, at, &last);
	int64_t ahead = n < 0 ? 0 : lt__copy_depth(f->t, n) - 1;
	struct lt_rows before = f->ahead;
	if (async && child == f->t->node[at].child) {
		lt_node of = lt__multibuffered_below(f->t, at, last);
		add_sync(f, LT_WAIT, of, async - 2);
		add_sync(f, LT_BARRIER, of, 0);
	}
	if (ahead > 0) {
		struct lt_row row = { .constant = lt_looptree_trip_count(f->t, at) - 1 - ahead };
		lt__row_term(f, &row, LT_TERM_LOOP, f->path[k].loop, -1);
		f->ahead = (struct lt_rows){ 0 };
		lt__rows_add(f, &f->ahead, &row);
	}
	f->path[k].first += ahead;
	LT_TRY(walk(f, child));
	f->path[k].first -= ahead;
	f->ahead = before;
	if (child == last)
		add_sync(f, LT_COMMIT, n, 0);
	return LT_OK;
}
