/* unroll, vectorize, parallel, serial, bind, call, tile: the kind of a loop, or a group's call.  Whether the loop may
 * have it is proven afterwards. */
#include <string.h>
#include "looptree/schedule/schedule.h"
#include "looptree/tree/tree.h"

static lt_status set_kind(
	struct lt_edit *e, const struct lt_words *w, enum lt_loop_kind kind, int32_t arg, lt_tnode *out)
{
	struct lt_looptree *t = e->t;
	LT_TRY(kind == LT_SERIAL || kind == LT_CALL ? lt__path_find_any(t, &w->word[0], out)
						    : lt__path_find(t, &w->word[0], -1, LT_PATH_AROUND, out));
	struct lt_tnodedef *d = &t->node[*out];
	const char *what = d->kind == LT_TGROUP ? "" : "loop ";
	if (kind != LT_SERIAL && (d->loop == LT_CALL || d->loop == LT_TILE))
		return lt_fail(t->ctx, LT_EILLEGAL, "the %s%s is handed over by `%s`; make it serial first", what,
			lt__loop_path(t, *out), lt__loop_is(t, *out));
	d->loop = kind == LT_SERIAL && d->kind == LT_TGROUP ? LT_GROUP : kind;
	d->arg = arg;
	d->call = NULL;
	return LT_OK;
}

lt_status lt__primitive_unroll(struct lt_edit *e, const struct lt_words *w)
{
	lt_tnode loop;
	return set_kind(e, w, LT_UNROLL, 0, &loop);
}

lt_status lt__primitive_parallel(struct lt_edit *e, const struct lt_words *w)
{
	lt_tnode loop;
	return set_kind(e, w, LT_PARALLEL, 0, &loop);
}

lt_status lt__primitive_serial(struct lt_edit *e, const struct lt_words *w)
{
	lt_tnode loop;
	return set_kind(e, w, LT_SERIAL, 0, &loop);
}

/* A loop of more iterations than lanes is split first. */
lt_status lt__primitive_vectorize(struct lt_edit *e, const struct lt_words *w)
{
	struct lt_looptree *t = e->t;
	lt_tnode loop;
	int64_t lanes, step;
	LT_TRY(set_kind(e, w, LT_VECTOR, 0, &loop));
	if (w->n < 2)
		return LT_OK;
	LT_TRY(lt__word_number(t, &w->word[1], "LANES", &lanes));
	int64_t trip_count = lt_looptree_trip_count(t, loop);
	if (trip_count < lanes)
		return lt_fail(t->ctx, LT_EILLEGAL, "the loop %s has %lld iteration%s, fewer than %lld lanes; choose at most %lld",
			lt__loop_path(t, loop),
			(long long)trip_count, trip_count == 1 ? "" : "s", (long long)lanes, (long long)trip_count);
	if (trip_count == lanes)
		return LT_OK;
	if (lanes < 2)
		return lt_fail(t->ctx, LT_EILLEGAL,
			"a vector of one lane is a serial loop; choose at least 2 lanes for %s",
			lt__loop_path(t, loop));
	if (lt__mul_overflow(lanes, t->node[loop].step, &step))
		return lt_fail(t->ctx, LT_EILLEGAL, "%lld lanes of %lld overflow", (long long)lanes, (long long)t->node[loop].step);
	lt_tnode outer = lt__edit_new_loop(e, t->node[loop].var, step);
	t->node[outer].tail = t->node[loop].tail;       /* given for the loop before it was cut: for its partial iteration */
	t->node[loop].tail = LT_GUARD;
	lt__edit_replace(e, loop, outer);
	lt__edit_insert(e, outer, -1, loop);
	return LT_OK;
}

static lt_status hand_over(struct lt_edit *e, const struct lt_words *w, enum lt_loop_kind kind, const char *what)
{
	const struct lt_step_word *name = &w->word[1];
	lt_tnode loop;
	for (size_t i = 0; i < name->bytes; i++)
		if (!memchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.", name->at[i], 64))
			return lt_fail(e->t->ctx, LT_ESYNTAX, "the name of %s has letters, digits, '_' and '.', not '%.*s'", what,
				name->bytes < 60 ? (int)name->bytes : 60, name->at);
	LT_TRY(set_kind(e, w, kind, 0, &loop));
	const lt_tnode called = lt__edit_called(e->t, e->t->node[loop].parent);
	if (called >= 0)
		return lt_fail(e->t->ctx, LT_EILLEGAL, "%s is handed over by `%s` on %s; make that serial first",
			lt__loop_path(e->t, loop), lt__loop_is(e->t, called), lt__loop_path(e->t, called));
	char *copy = lt__arena_alloc(e->t->arena, name->bytes + 1);
	memcpy(copy, name->at, name->bytes);
	e->t->node[loop].call = copy;
	return LT_OK;
}

lt_status lt__primitive_call(struct lt_edit *e, const struct lt_words *w)
{
	return hand_over(e, w, LT_CALL, "a routine");
}

lt_status lt__primitive_tile(struct lt_edit *e, const struct lt_words *w)
{
	return hand_over(e, w, LT_TILE, "a matrix instruction");
}

lt_status lt__primitive_bind(struct lt_edit *e, const struct lt_words *w)
{
	const struct lt_kindword *k = lt__kind_find(w->word[1].at, w->word[1].bytes);
	lt_tnode loop;
	if (!k || (k->kind != LT_GRID && k->kind != LT_BLOCK))
		return lt_fail(e->t->ctx, LT_ESYNTAX,
			"there is no axis '%.*s'; there are grid.x, grid.y, grid.z, block.x, block.y and block.z",
			w->word[1].bytes < 60 ? (int)w->word[1].bytes : 60, w->word[1].at);
	return set_kind(e, w, k->kind, k->arg, &loop);
}

lt_status lt__primitive_tail(struct lt_edit *e, const struct lt_words *w)
{
	struct lt_looptree *t = e->t;
	lt_tnode loop;
	LT_TRY(lt__path_find(t, &w->word[0], -1, LT_PATH_AROUND, &loop));
	int tail = lt__tail_find(w->word[1].at, w->word[1].bytes);
	if (tail < 0)
		return lt_fail(t->ctx, LT_ESYNTAX, "there is no tail '%.*s'; there are guard, peel, mask and pad",
			w->word[1].bytes < 60 ? (int)w->word[1].bytes : 60, w->word[1].at);
	t->node[loop].tail = (enum lt_tail)tail;
	return LT_OK;
}

lt_status lt__primitive_layout(struct lt_edit *e, const struct lt_words *w)
{
	struct lt_looptree *t = e->t;
	lt_node n;
	struct lt_words digits = { w->n - 1, w->word + 1 };
	LT_TRY(lt__path_leaf(t, &w->word[0], &n));
	return lt__layout_read(t, n, &digits, &t->layout[n]);
}
