/* reorder: the loops of a perfect nest in another order. */
#include "looptree/schedule/schedule.h"

struct reorder_nest { int32_t n; lt_tnode *loop; };

static bool is_listed(const struct reorder_nest *list, lt_tnode loop)
{
	for (int32_t i = 0; i < list->n; i++)
		if (list->loop[i] == loop)
			return true;
	return false;
}

static lt_status read_loops(struct lt_edit *e, const struct lt_words *w, struct reorder_nest *out)
{
	out->loop = LT_NEW(e->t->arena, lt_tnode, w->n);
	for (out->n = 0; out->n < w->n; out->n++) {
		lt_tnode loop;
		LT_TRY(lt__path_find(e->t, &w->word[out->n], -1, LT_PATH_AROUND, &loop));
		if (is_listed(out, loop))
			return lt_fail(e->t->ctx, LT_EILLEGAL, "the loop %s is named twice", lt__loop_path(e->t, loop));
		out->loop[out->n] = loop;
	}
	return LT_OK;
}

/* From the outermost of the listed loops to the innermost, each the only child of the one before. */
static lt_status find_nest(const struct lt_edit *e, const struct reorder_nest *list, struct reorder_nest *out)
{
	const struct lt_looptree *t = e->t;
	lt_tnode innermost = list->loop[0];
	int32_t left = list->n - 1, n = 1;
	for (int32_t i = 1; i < list->n; i++)
		if (lt__is_above(t, innermost, list->loop[i]))
			innermost = list->loop[i];
	for (int32_t i = 0; i < list->n; i++)
		if (list->loop[i] != innermost && !lt__is_above(t, list->loop[i], innermost))
			return lt_fail(t->ctx, LT_EILLEGAL, "the loops %s and %s are next to each other, not one inside the other; only "
				"loops of one nest can be swapped", lt__loop_path(t, list->loop[i]), lt__loop_path(t, innermost));
	for (lt_tnode at = innermost; left > 0; at = t->node[at].parent, n++) {
		lt_tnode up = t->node[at].parent;
		if (!lt__edit_is_only(t, at))
			return lt_fail(t->ctx, LT_EILLEGAL, "the nest is not perfect: the loop %s holds more than %s; fission what is next "
				"to it first",
				lt__loop_path(t, up), lt__loop_name(t, at));
		if (t->node[up].kind != LT_TLOOP)
			return lt_fail(t->ctx, LT_EILLEGAL, "the nest is not perfect: the loop %s is in a group", lt__loop_path(t, at));
		left -= is_listed(list, up);
	}
	out->n = n;
	out->loop = LT_NEW(t->arena, lt_tnode, n);
	for (lt_tnode at = innermost; n-- > 0; at = t->node[at].parent)
		out->loop[n] = at;
	return LT_OK;
}

lt_status lt__primitive_reorder(struct lt_edit *e, const struct lt_words *w)
{
	struct lt_looptree *t = e->t;
	struct reorder_nest list = { .n = 0 }, nest = { .n = 0 };
	LT_TRY(read_loops(e, w, &list));
	LT_TRY(find_nest(e, &list, &nest));
	/* The places of the listed loops are filled again; others keep theirs. */
	struct reorder_nest now = { nest.n, LT_NEW(t->arena, lt_tnode, nest.n) };
	for (int32_t i = 0, k = 0; i < nest.n; i++)
		now.loop[i] = is_listed(&list, nest.loop[i]) ? list.loop[k++] : nest.loop[i];
	for (int32_t i = 0; i < now.n; i++)
		for (int32_t k = i + 1; k < now.n; k++)
			if (lt__is_above(t, now.loop[k], now.loop[i]) && t->node[now.loop[k]].var == t->node[now.loop[i]].var)
				return lt_fail(t->ctx, LT_EILLEGAL,
					"the loop %s would come outside of %s, but loops over one var keep their order",
					lt__loop_path(t, now.loop[i]), lt__loop_name(t, now.loop[k]));
	lt_tnode parent = t->node[nest.loop[0]].parent, before = lt__edit_before(t, nest.loop[0]),
		 body = t->node[nest.loop[nest.n - 1]].child;
	lt__edit_detach(e, nest.loop[0]);
	for (int32_t i = 0; i < now.n; i++) {
		t->node[now.loop[i]].parent = i ? now.loop[i - 1] : -1;
		t->node[now.loop[i]].child = i + 1 < now.n ? now.loop[i + 1] : body;
		t->node[now.loop[i]].next = -1;
	}
	for (lt_tnode at = body; at >= 0; at = t->node[at].next)
		t->node[at].parent = now.loop[now.n - 1];
	lt__edit_insert(e, parent, before, now.loop[0]);
	return LT_OK;
}
