/* fuse: a leaf moves under a loop of another nest and shares it. */
#include "looptree/schedule/schedule.h"

/* The outermost line, inside what leaf and loop have in common, that holds only the leaf. */
static lt_status find_leaf_loop(const struct lt_edit *e, lt_node n, lt_tnode common, lt_tnode *out)
{
	const struct lt_looptree *t = e->t;
	lt_tnode top = t->leaf_of[n];
	while (t->node[top].parent != common && lt__edit_is_only(t, top))
		top = t->node[top].parent;
	lt_tnode up = t->node[top].parent, outermost = -1;
	*out = top;
	if (up == common || (t->node[up].kind == LT_TGROUP && t->node[up].parent == common && lt__edit_called(t, up) < 0))
		return LT_OK;
	for (; up != common; up = t->node[up].parent)
		if (t->node[up].kind == LT_TLOOP)
			outermost = up;
	if (outermost < 0)
		return lt_fail(t->ctx, LT_EILLEGAL, "%%%s is in a group that is handed over whole, or in a group inside another",
			lt__leaf_name(t, n));
	return lt_fail(t->ctx, LT_EILLEGAL, "%%%s shares the loop %s with other leaves, and would have to leave it; `fission "
		"%%%s %s` first", lt__leaf_name(t, n),
		lt__loop_path(t, outermost), lt__leaf_name(t, n), lt__loop_name(t, outermost));
}

/* The loop of the nest, from `loop` up to `common`, that leaf_loop, one of the leaf's own, becomes; -1: it stays. */
static lt_status fuse_match(
	const struct lt_edit *e, lt_node n, lt_tnode leaf_loop, lt_tnode loop, lt_tnode common, lt_tnode *out)
{
	const struct lt_looptree *t = e->t;
	lt_tnode inner = -1;
	*out = -1;
	for (lt_tnode up = loop; up != common; up = t->node[up].parent) {
		if (t->node[up].kind != LT_TLOOP || t->node[up].var != t->node[leaf_loop].var)
			continue;
		inner = inner < 0 ? up : inner;
		if (t->node[up].step == t->node[leaf_loop].step)
			*out = up;
	}
	if (*out < 0 && inner >= 0 && t->node[inner].step < t->node[leaf_loop].step)
		return lt_fail(t->ctx, LT_EILLEGAL,
			"%%%s has a loop over %s in steps of %lld, which do not fit inside the steps of %lld of %s; "
			"split or merge until both nests have the same steps",
			lt__leaf_name(t, n), t->graph->var[t->node[leaf_loop].var].name, (long long)t->node[leaf_loop].step,
			(long long)t->node[inner].step, lt__loop_path(t, inner));
	if (*out >= 0 && !lt__same_annotations(t, *out, leaf_loop))
		return lt_fail(t->ctx, LT_EILLEGAL,
			"the loop %s of %%%s is %s, and %s, which it would share, is %s; make them the same first",
			lt__loop_name(t, leaf_loop), lt__leaf_name(t, n), lt__loop_is(t, leaf_loop), lt__loop_name(t, *out),
			lt__loop_is(t, *out));
	return LT_OK;
}

/* The first line in `loop` that reads value n; -1: there is none. */
static lt_status first_reader(struct lt_looptree *t, lt_node n, lt_tnode loop, lt_tnode *out)
{
	*out = -1;
	for (lt_tnode at = lt_looptree_leaf_after(t, -1); at >= 0 && *out < 0; at = lt_looptree_leaf_after(t, at)) {
		const struct lt_leaf *leaf;
		if (t->node[at].leaf < 0 || !lt__is_above(t, loop, at))
			continue;
		LT_TRY(lt__leaf(t, t->node[at].leaf, &leaf));
		for (int32_t k = 0; k < leaf->n_read && *out < 0; k++)
			for (int32_t p = 0; p < leaf->read[k].n_piece; p++)
				*out = leaf->read[k].piece[p].base == n ? at : *out;
	}
	while (*out >= 0 && t->node[*out].parent != loop)
		*out = t->node[*out].parent;
	return LT_OK;
}

lt_status lt__primitive_fuse(struct lt_edit *e, const struct lt_words *w)
{
	struct lt_looptree *t = e->t;
	lt_node n;
	lt_tnode loop, top, shared;
	LT_TRY(lt__path_leaf(t, &w->word[0], &n));
	LT_TRY(lt__path_find(t, &w->word[1], n, LT_PATH_APART, &loop));
	lt_tnode leaf = t->leaf_of[n], last = leaf;
	if (lt__is_above(t, loop, leaf))
		return lt_fail(t->ctx, LT_EILLEGAL, "%%%s is inside the loop %s already", lt__leaf_name(t, n),
			lt__loop_path(t, loop));
	if (lt__edit_called(t, loop) >= 0)
		return lt_fail(t->ctx, LT_EILLEGAL, "the loop %s is in a nest that is handed over by `%s`; make that serial first",
			lt__loop_path(t, loop),
			lt__loop_is(t, lt__edit_called(t, loop)));
	lt_tnode common = lt__common(t, leaf, loop);
	LT_TRY(find_leaf_loop(e, n, common, &top));
	bool after = lt__edit_precedes(t, loop, leaf);
	lt_tnode group = t->node[top].parent;
	for (lt_tnode at = top; at != leaf; at = t->node[at].child)
		if (t->node[at].kind == LT_TLOOP)
			LT_TRY(fuse_match(e, n, at, loop, common, &shared));
		else if (lt__edit_called(t, at) == at)
			return lt_fail(t->ctx, LT_EILLEGAL, "%%%s is in a group that is handed over by `%s`", lt__leaf_name(t, n),
				lt__loop_is(t, at));
	lt__edit_detach(e, top);
	if (group != common && t->node[group].child < 0)
		lt__edit_detach(e, group);
	/* From the leaf outwards, the loops that stay its own. */
	lt_tnode up = leaf == top ? -1 : t->node[leaf].parent;
	if (leaf != top)
		lt__edit_detach(e, leaf);
	while (up >= 0) {
		lt_tnode at = up;
		up = at == top ? -1 : t->node[at].parent;
		if (at != top)
			lt__edit_detach(e, at);
		shared = -1;
		if (t->node[at].kind == LT_TLOOP)
			LT_TRY(fuse_match(e, n, at, loop, common, &shared));
		if (shared >= 0 && at < e->from->n_node)
			e->into[at] = shared;
		if (shared >= 0 || t->node[at].kind != LT_TLOOP)
			continue;
		lt__edit_insert(e, at, -1, last);
		last = at;
	}
	lt_tnode before = -1;
	if (!after)
		LT_TRY(first_reader(t, n, loop, &before));
	lt__edit_insert(e, loop, after ? lt__edit_last(t, loop) : before < 0 ? -1 : lt__edit_before(t, before), last);
	return LT_OK;
}
