/* group: siblings get a group around them, so that a call may enclose them; the order of execution stays. */
#include "looptree/schedule/schedule.h"

static const char *name_of(const struct lt_looptree *t, lt_tnode at)
{
	return t->node[at].kind == LT_TLEAF ? lt__scratch(t->ctx, "%%%.180s", t->graph->node[t->node[at].leaf].name)
					    : lt__loop_path(t, at);
}

lt_status lt__primitive_group(struct lt_edit *e, const struct lt_words *w)
{
	struct lt_looptree *t = e->t;
	lt_tnode first, last;
	LT_TRY(lt__path_find_line(t, &w->word[0], &first));
	last = first;
	if (w->n > 1)
		LT_TRY(lt__path_find_line(t, &w->word[1], &last));
	lt_tnode called = lt__edit_called(t, t->node[first].parent);
	if (called >= 0)
		return lt_fail(t->ctx, LT_EILLEGAL, "%s is in a nest that is handed over by `%s`; make that serial first",
			name_of(t, first), lt__loop_is(t, called));
	if (t->node[first].parent != t->node[last].parent)
		return lt_fail(t->ctx, LT_EILLEGAL, "%s and %s are not neighbours; name two that are directly in the same loop or "
			"group", name_of(t, first),
			name_of(t, last));
	lt_tnode at = first;
	while (at >= 0 && at != last)
		at = t->node[at].next;
	if (at < 0)
		return lt_fail(t->ctx, LT_EILLEGAL, "%s comes after %s; name the earlier one first", name_of(t, first),
			name_of(t, last));
	lt_tnode group = lt__edit_new_group(e), next = t->node[first].next;
	lt__edit_replace(e, first, group);
	lt__edit_insert(e, group, -1, first);
	for (lt_tnode before = first; before != last; before = at) {
		at = next;
		next = t->node[at].next;
		lt__edit_detach(e, at);
		lt__edit_insert(e, group, before, at);
	}
	return LT_OK;
}
