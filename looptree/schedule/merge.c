/* merge: loops over one var with nothing between them become one; what split has cut is whole again. */
#include "looptree/schedule/schedule.h"
#include "looptree/tree/tree.h"

/* Takes `outer` out; its one child, over the same var, covers its span from then on.  An annotation that only one of
 * them has stays. */
static lt_status take_out(struct lt_edit *e, lt_tnode outer, lt_tnode inner)
{
	struct lt_looptree *t = e->t;
	struct lt_tnodedef *o = &t->node[outer], *i = &t->node[inner];
	bool same = o->loop == i->loop && o->arg == i->arg && !o->call;
	if (!same && o->loop != LT_SERIAL && i->loop != LT_SERIAL)
		return lt_fail(t->ctx, LT_EILLEGAL,
			"the loop %s is %s and %s is %s, and one loop cannot be both; make one of them serial first",
			lt__loop_name(t, outer), lt__kind_word(o->loop, o->arg)->word, lt__loop_name(t, inner),
			lt__kind_word(i->loop, i->arg)->word);
	if (o->tail != i->tail && o->tail != LT_GUARD && i->tail != LT_GUARD)
		return lt_fail(t->ctx, LT_EILLEGAL,
			"the loops %s and %s have different tails; give one of them tail guard first",
			lt__loop_name(t, outer), lt__loop_name(t, inner));
	if (i->loop == LT_SERIAL) {
		i->loop = o->loop;
		i->arg = o->arg;
		i->call = o->call;
	}
	if (i->tail == LT_GUARD)
		i->tail = o->tail;
	lt__edit_detach(e, inner);
	lt__edit_replace(e, outer, inner);
	if (outer < e->from->n_node)
		e->into[outer] = inner;
	return LT_OK;
}

static bool are_adjacent(const struct lt_looptree *t, lt_tnode outer, lt_tnode inner)
{
	return outer >= 0 && inner >= 0 && t->node[outer].kind == LT_TLOOP && t->node[inner].kind == LT_TLOOP
		&& t->node[outer].var == t->node[inner].var && lt__edit_is_only(t, inner);
}

lt_status lt__primitive_merge(struct lt_edit *e, const struct lt_words *w)
{
	struct lt_looptree *t = e->t;
	lt_tnode loop;
	LT_TRY(lt__path_find(t, &w->word[0], -1, LT_PATH_AROUND, &loop));
	if (are_adjacent(t, t->node[loop].parent, loop))
		return take_out(e, t->node[loop].parent, loop);
	if (!are_adjacent(t, loop, t->node[loop].child)) {
		lt_tnode around = lt__loop_around(t, loop);
		if (around >= 0)
			return lt_fail(t->ctx, LT_EILLEGAL, "the loop %s is not alone directly inside %s; reorder or fission what is "
				"between or next to them first", lt__loop_path(t, loop), lt__loop_name(t, around));
		return lt_fail(t->ctx, LT_EILLEGAL, "directly inside the loop %s there is not just one loop over %s to merge it "
			"with", lt__loop_path(t, loop),
			t->graph->var[t->node[loop].var].name);
	}
	while (are_adjacent(t, loop, t->node[loop].child)) {
		lt_tnode inner = t->node[loop].child;
		LT_TRY(take_out(e, loop, inner));
		loop = inner;
	}
	return LT_OK;
}
