/* Where values live: from the lowest common ancestor of a value's writer and its readers.
 *
 * A value whose loops are all shared is a scalar, one that shares some is a row or a tile, one that is read by
 * another root nest, or is a result or state, is whole.  A dim that another iteration reads is held whole, owned
 * outside its loops.  What a routine reads has no cells for padded loops: its kernels are slower where there are gaps.
 */
#include "looptree/tree/tree.h"

static void meet(const struct lt_looptree *t, lt_tnode *owner, lt_tnode reader)
{
	if (*owner >= 0)
		*owner = lt__common(t, *owner, reader);
}

/* A dim that is not read in place may be read from other trips: it is held whole, outside the writer's loops over
 * it. */
static void hold_whole(
	const struct lt_looptree *t, lt_tnode *owner, const struct lt_leaf *leaf, const struct lt_readpiece *p)
{
	const struct lt_nodedef *d = &t->graph->node[p->base];
	for (int32_t i = 0; i < d->n_dim; i++) {
		int32_t column = lt__leaf_column(leaf, d->dim[i]);
		lt_tnode outermost = -1;
		if (column >= 0 && lt__row_is(&p->map, i, column))
			continue;
		for (lt_tnode up = t->node[t->leaf_of[p->base]].parent; up >= 0; up = t->node[up].parent)
			if (t->node[up].kind == LT_TLOOP && lt__var_step(t->graph, d->dim[i], t->node[up].var, t->node[up].step))
				outermost = up;
		if (outermost >= 0)
			meet(t, owner, t->node[outermost].parent);
	}
}

/* Elements of dim v held in one iteration of `owner`: what the loops inside it cover; all of the step where it is
 * padded. */
static int64_t held(const struct lt_looptree *t, lt_tnode owner, lt_var v)
{
	int64_t extent = t->graph->var[v].extent, found = 0;
	for (lt_tnode at = owner; at >= 0; at = t->node[at].parent) {
		const struct lt_tnodedef *d = &t->node[at];
		int64_t step = d->kind == LT_TLOOP ? lt__var_step(t->graph, v, d->var, d->step) : 0;
		found = found ? found : step;
		if (step && d->var == v && d->tail == LT_PAD)
			return found;
	}
	return found && found < extent ? found : extent;
}

int64_t lt__pad_unit(const struct lt_looptree *t, lt_tnode owner, lt_tnode leaf, lt_var v)
{
	lt_tnode *loop = LT_NEW(t->arena, lt_tnode, lt__loops_above(t, leaf, NULL) + 1);
	int32_t n = lt__loops_above(t, leaf, loop);
	bool below = owner < 0, masked = false;
	int64_t step = 0;
	for (int32_t i = 0; i < n; i++) {
		const struct lt_tnodedef *d = &t->node[loop[i]];
		if (d->var == v && below) {
			/* Iterations that are off leave cells unwritten. */
			if ((masked && lt__is_constant_kind(d->loop)) || (step && step % d->step))
				return 0;
			if (d->tail == LT_PAD)
				return d->step;
			step = d->step;
		}
		if (d->var == v)
			masked = d->tail == LT_MASK || (masked && d->tail == LT_GUARD);
		below = below || loop[i] == owner;
	}
	return 0;
}

static bool is_in_call(const struct lt_looptree *t, lt_tnode at)
{
	for (; at >= 0; at = t->node[at].parent)
		if (t->node[at].loop == LT_CALL)
			return true;
	return false;
}

bool lt__is_private(const struct lt_looptree *t, lt_node n, lt_tnode loop)
{
	const struct lt_scope *s = &t->scope[n];
	return !s->whole && s->owner >= 0 && (s->owner == loop || lt__is_above(t, loop, s->owner));
}

lt_status lt__fill_scopes(struct lt_looptree *t)
{
	const struct lt_graph *g = t->graph;
	lt_tnode *owner = LT_NEW(t->arena, lt_tnode, g->n_node + 1);
	t->scope = LT_NEW(t->arena, struct lt_scope, g->n_node + 1);
	for (lt_node n = 0; n < g->n_node; n++)
		owner[n] = t->leaf_of[n] >= 0 ? t->node[t->leaf_of[n]].parent : -1;
	bool *whole = LT_NEW(t->arena, bool, g->n_node + 1), *dense = LT_NEW(t->arena, bool, g->n_node + 1);
	lt__mark_outside(g, whole);
	for (lt_node n = 0; n < g->n_node; n++) {
		if (t->leaf_of[n] < 0)
			continue;
		if (g->node[n].op == LT_OP_update)
			whole[n] = whole[g->node[n].operand[0]] = true;
		const struct lt_leaf *leaf;
		const bool called = is_in_call(t, t->leaf_of[n]);
		LT_TRY(lt__leaf(t, n, &leaf));
		for (int32_t k = 0; k < leaf->n_read; k++)
			for (int32_t p = 0; p < leaf->read[k].n_piece; p++) {
				lt_node base = leaf->read[k].piece[p].base;
				if (base < 0 || t->leaf_of[base] < 0)
					continue;
				dense[base] = dense[base] || called;
				meet(t, &owner[base], t->leaf_of[n]);
				hold_whole(t, &owner[base], leaf, &leaf->read[k].piece[p]);
			}
		lt_tnode reducing = lt__reducing_loop(t, n);
		if (reducing >= 0 && owner[n] >= 0)
			owner[n] = lt__common(t, owner[n], t->node[reducing].parent >= 0 ? t->node[reducing].parent : reducing);
		if (reducing >= 0 && t->node[reducing].parent < 0)
			owner[n] = -1;
	}
	for (lt_node n = 0; n < g->n_node; n++) {
		struct lt_scope *s = &t->scope[n];
		if (t->leaf_of[n] < 0)
			continue;
		lt_tnode at = owner[n];
		s->whole = whole[n];
		if (at < 0 && t->node[t->leaf_of[n]].parent >= 0)
			s->whole = true;        /* read by another root */
		if (t->node[t->leaf_of[n]].parent < 0)
			s->whole = true;        /* a leaf that is a root */
		while (at >= 0 && t->node[at].kind != LT_TLOOP)
			at = t->node[at].parent;
		s->owner = s->whole ? -1 : at;
		s->extent = LT_NEW(t->arena, int64_t, g->node[n].n_dim + 1);
		s->unit = LT_NEW(t->arena, int64_t, g->node[n].n_dim + 1);
		for (int32_t i = 0; i < g->node[n].n_dim; i++) {
			lt_var v = g->node[n].dim[i];
			s->unit[i] = whole[n] || dense[n] ? 0 : lt__pad_unit(t, s->owner, t->leaf_of[n], v);
			s->extent[i] = lt__round_up(s->whole ? g->var[v].extent : held(t, at, v), s->unit[i]);
		}
	}
	return LT_OK;
}
