/* fission: a leaf stops sharing a loop and those inside; it gets loops of its own before or after it. */
#include "looptree/schedule/schedule.h"

static lt_node first_read(struct lt_looptree *t, lt_node n, lt_tnode loop, lt_node which, lt_status *st)
{
	const struct lt_leaf *leaf;
	const struct lt_nodedef *d = &t->graph->node[n];
	*st = lt__leaf(t, n, &leaf);
	for (int32_t k = 0; !*st && k < leaf->n_read; k++)
		for (int32_t p = 0; p < leaf->read[k].n_piece; p++) {
			lt_node base = leaf->read[k].piece[p].base;
			if (base >= 0 && t->leaf_of[base] >= 0 && lt__is_above(t, loop, t->leaf_of[base]) && (which < 0 || base == which))
				return base;
		}
	if (!*st && d->op == LT_OP_update && t->leaf_of[d->operand[0]] >= 0 && lt__is_above(t, loop, t->leaf_of[d->operand[0]])
	    && (which < 0 || which == d->operand[0]))
		return d->operand[0];
	return -1;
}

/* After the loop if the leaf reads what stays in it, before it if what stays reads the leaf; else as it is in the
 * text. */
static lt_status find_side(struct lt_edit *e, lt_node n, lt_tnode loop, bool *after)
{
	struct lt_looptree *t = e->t;
	lt_status st;
	lt_node reads = first_read(t, n, loop, -1, &st), reader = -1;
	LT_TRY(st);
	bool others = false, last = true;
	for (lt_tnode at = lt_looptree_leaf_after(t, loop); at >= 0 && lt__is_above(t, loop, at);
		at = lt_looptree_leaf_after(t, at)) {
		lt_node m = t->node[at].leaf;
		if (m == n)
			continue;
		others = true;
		last = last && lt__edit_precedes(t, at, t->leaf_of[n]);
		if (reader < 0 && first_read(t, m, loop, n, &st) >= 0)
			reader = m;
		LT_TRY(st);
	}
	if (!others)
		return lt_fail(t->ctx, LT_EILLEGAL, "%%%s shares the loop %s with no other leaf", lt__leaf_name(t, n),
			lt__loop_path(t, loop));
	if (reads >= 0 && reader >= 0)
		return lt_fail(t->ctx, LT_EILLEGAL, "%%%s reads %%%s and is read by %%%s in the loop %s, so it can go neither before "
			"nor after it; `fission %%%s %s` first", lt__leaf_name(t, n), lt__leaf_name(t, reads), lt__leaf_name(t, reader),
			lt__loop_path(t, loop), lt__leaf_name(t, reader),
			lt__loop_name(t, loop));
	*after = reads >= 0 || (reader < 0 && last);
	return LT_OK;
}

static lt_tnode copy_loop(struct lt_edit *e, lt_tnode loop)
{
	struct lt_tnodedef d = e->t->node[loop];
	lt_tnode at = lt__edit_new_loop(e, d.var, d.step);
	e->t->node[at].loop = d.loop;
	e->t->node[at].arg = d.arg;
	e->t->node[at].tail = d.tail;
	return at;
}

lt_status lt__primitive_fission(struct lt_edit *e, const struct lt_words *w)
{
	struct lt_looptree *t = e->t;
	const struct lt_leaf *accesses;
	lt_node n;
	lt_tnode loop;
	bool after = true;
	LT_TRY(lt__path_leaf(t, &w->word[0], &n));
	LT_TRY(lt__path_find(t, &w->word[1], n, LT_PATH_AROUND, &loop));
	lt_tnode leaf = t->leaf_of[n], top = leaf, called = lt__edit_called(t, t->node[leaf].parent);
	if (!lt__is_above(t, loop, leaf))
		return lt_fail(t->ctx, LT_EILLEGAL, "%%%s is not inside the loop %s", lt__leaf_name(t, n), lt__loop_path(t, loop));
	if (called >= 0)
		return lt_fail(t->ctx, LT_EILLEGAL, "%%%s is in a nest that is handed over by `%s`; make that serial first",
			lt__leaf_name(t, n), lt__loop_is(t, called));
	LT_TRY(find_side(e, n, loop, &after));
	LT_TRY(lt__leaf(t, n, &accesses));
	while (lt__edit_is_only(t, top))        /* loops that are its own already */
		top = t->node[top].parent;
	lt_tnode up = t->node[top].parent, head = top, outside = t->node[loop].parent;
	lt__edit_detach(e, top);
	for (bool more = true; more; up = t->node[up].parent) {
		more = up != loop;
		/* A loop over a var that the leaf does not have would only repeat it. */
		if (t->node[up].kind != LT_TLOOP || lt__loop_column(t, accesses, up) < 0)
			continue;
		lt_tnode copy = copy_loop(e, up);
		lt__edit_insert(e, copy, -1, head);
		head = copy;
	}
	if (head == leaf && outside < 0) {
		lt_tnode group = lt__edit_new_group(e);
		lt__edit_insert(e, group, -1, leaf);
		head = group;
	}
	lt__edit_insert(e, outside, after ? loop : lt__edit_before(t, loop), head);
	return LT_OK;
}
