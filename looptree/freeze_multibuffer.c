/* Freezing a loop with copies that are made ahead: the first of them before the loop, the others in it. */
#include "looptree/freeze.h"

lt_status lt__freeze_first(struct lt_freezer *f, lt_tnode at, int64_t step, lt_freeze_walk *walk)
{
	for (lt_tnode child = f->t->node[at].child; child >= 0; child = f->t->node[child].next) {
		lt_node n = lt__multibuffered_below(f->t, at, child);
		for (int64_t trip = 0;
			n >= 0 && trip < lt__freeze_depth(f->t, n) - 1 && trip < lt_looptree_trip_count(f->t, at);
			trip++) {
			const struct lt_peeled one = { .peeled = true, .remainder = true, .first = trip, .cover = step };
			LT_TRY(lt__freeze_open(f, at, f->t->node[at].var, lt__freeze_step(f, at), LT_GUARD, &one));
			LT_TRY(walk(f, child));
			lt__freeze_close(f);
		}
	}
	return LT_OK;
}

lt_status lt__freeze_multibuffer(struct lt_freezer *f, lt_tnode at, lt_tnode child, lt_freeze_walk *walk)
{
	int32_t k = f->n_path - 1;
	lt_node n = lt__multibuffered_below(f->t, at, child);
	int64_t ahead = n < 0 ? 0 : lt__freeze_depth(f->t, n) - 1;
	struct lt_rows before = f->ahead;
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
	return LT_OK;
}
