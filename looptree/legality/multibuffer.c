/* multibuffer.c -- which copies may be made ahead: depth N of a staged copy keeps N buffers in turn, and iteration t of
 * the loop around it makes the copy of iteration t + N - 1 (freeze/multibuffer.c). */
#include "looptree/legality/legality.h"

/* Copies that are begun and waited for go from memory of all blocks to that of one. */
static lt_status async_check(struct lt_looptree *t, lt_tnode at, lt_tnode loop)
{
	const char *name = t->graph->node[t->node[at].leaf].name;
	for (lt_tnode up = t->node[loop].parent; up >= 0; up = t->node[up].parent)
		if (t->node[up].loop == LT_BLOCK)
			return lt__tree_fail(t, at, LT_EILLEGAL, "%%%s is copied async ahead of the loop %s, which is inside the block loop "
				"%s; all threads of a block wait for such copies together: leave async out", name,
				lt__loop_path(t, loop), lt__loop_path(t, up));
	return LT_OK;
}

static lt_status depth_check(struct lt_looptree *t, lt_tnode at)
{
	lt_node n = t->node[at].leaf;
	const char *name = t->graph->node[n].name;
	lt_tnode loop = t->scope[n].whole ? -1 : t->scope[n].owner, child = at;
	const struct lt_leaf *leaf;
	if (t->graph->node[n].op != LT_OP_copy || loop < 0)
		return lt__tree_fail(t, at, LT_EILLEGAL, "%%%s has depth %d, but only a copy that a loop makes for what is inside it "
			"has a depth; leave depth out",
			name, (int)t->node[at].depth);
	while (t->node[child].parent != loop)
		child = t->node[child].parent;
	const char *path = lt__loop_path(t, loop);
	if (lt__multibuffered_below(t, loop, child) != n)
		return lt__tree_fail(t, at, LT_EILLEGAL,
			"%%%s has depth %d, but shares its loops inside %s with other leaves; `fission` it first", name,
			(int)t->node[at].depth, path);
	if (t->node[loop].loop != LT_SERIAL || (t->node[loop].tail != LT_GUARD && t->node[loop].tail != LT_PAD))
		return lt__tree_fail(t, at, LT_EILLEGAL,
			"the loop %s, ahead of which %%%s is to be copied, is %s; it has to be serial, with tail guard or pad",
			path, name, lt__loop_is(t, loop));
	lt_tnode inner = loop;
	bool whole = !t->graph->var[t->node[loop].var].bounded;
	for (lt_tnode up; whole && inner >= 0; inner = up) {
		up = lt__loop_around(t, inner);
		whole = t->node[inner].tail == LT_PAD
			|| (up >= 0 ? t->node[up].step : t->graph->var[t->node[inner].var].extent) % t->node[inner].step == 0;
	}
	if (!whole)
		return lt__tree_fail(t, at, LT_EILLEGAL, "the loop %s, ahead of which %%%s is to be copied, has a partial last "
			"iteration; choose a step that divides, or tail pad", path, name);
	if (t->node[at].async)
		LT_TRY(async_check(t, at, loop));
	LT_TRY(lt__leaf(t, n, &leaf));
	for (int32_t k = 0; k < leaf->n_read; k++)
		for (int32_t p = 0; p < leaf->read[k].n_piece; p++) {
			lt_node base = leaf->read[k].piece[p].base;
			if (base >= 0 && t->leaf_of[base] >= 0 && lt__is_above(t, loop, t->leaf_of[base]))
				return lt__tree_fail(t, at, LT_EILLEGAL, "%%%s is copied ahead of the loop %s, but %%%s, which it copies, is "
					"written inside it; leave depth out", name, path, t->graph->node[base].name);
		}
	return LT_OK;
}

lt_status lt__check_depths(struct lt_looptree *t)
{
	for (lt_tnode at = lt_looptree_leaf_after(t, -1); at >= 0; at = lt_looptree_leaf_after(t, at))
		if (t->node[at].depth > 1)
			LT_TRY(depth_check(t, at));
		else if (t->node[at].async)
			return lt__tree_fail(t, at, LT_EILLEGAL, "%%%s is copied async into one buffer, so that nothing can be computed "
				"meanwhile; give it depth 2 or more, or leave async out", t->graph->node[t->node[at].leaf].name);
	return LT_OK;
}
