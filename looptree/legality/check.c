/* The rules that a tree must keep: loops over one var, loops a leaf needs, and the order of its data.
 *
 * These are structural.  Where every read on a shared loop is in place they are sufficient (`plain`): whatever passes
 * computes what the graph says.  A read of another iteration's element (z[i-1] on a shared loop) is left to the exact
 * check (prove.c).
 */
#include "looptree/legality/legality.h"

/* Innermost loop over v above `at`, -1: none. */
static lt_tnode loop_over(const struct lt_looptree *t, lt_tnode at, lt_var v)
{
	for (at = t->node[at].parent; at >= 0; at = t->node[at].parent)
		if (t->node[at].kind == LT_TLOOP && lt__var_step(t->graph, v, t->node[at].var, t->node[at].step))
			return at;
	return -1;
}

static lt_status check_loop(const struct lt_looptree *t, lt_tnode loop)
{
	const struct lt_tnodedef *d = &t->node[loop];
	if (d->child < 0)
		return lt__tree_fail(t, loop, LT_EILLEGAL, "the loop over %s holds no leaf; remove it", lt__loop_var_name(t, loop));
	lt_tnode up = loop_over(t, loop, d->var);
	int64_t extent = up >= 0 ? t->node[up].step : t->graph->var[d->var].extent;
	if (up >= 0 && d->step > extent)
		return lt__tree_fail(t, loop, LT_EILLEGAL,
			"the inner loop over %s has step %lld, more than the %lld of the loop around it; steps must "
			"not grow inwards",
			lt__loop_var_name(t, loop), (long long)d->step, (long long)extent);
	return LT_OK;
}

/* A dim that counts the iterations of loops over another var is counted by those loops or by ones over its own name,
 * never by both; and where they count it, the loops are cut at the very elements where the dim is. */
static lt_status check_trip_count(const struct lt_looptree *t, lt_tnode at, const struct lt_leaf *leaf, int32_t column)
{
	lt_var v = leaf->var[column];
	const struct lt_vardef *d = &t->graph->var[v], *of = &t->graph->var[d->of];
	bool counted = lt__leaf_column(leaf, d->of) >= 0, unit = false, span = !d->span || d->span >= of->extent;
	lt_tnode named = -1, misfit = -1;
	for (lt_tnode up = t->node[at].parent; up >= 0; up = t->node[up].parent) {
		int64_t step = t->node[up].step;
		if (t->node[up].kind != LT_TLOOP)
			continue;
		if (t->node[up].var == v)
			named = up;
		if (t->node[up].var != d->of)
			continue;
		counted = counted || lt__var_step(t->graph, v, d->of, step);
		unit = unit || step == d->unit;
		span = span || step == d->span;
		if ((step > d->unit && step % d->unit) || (d->span && step > d->span && step % d->span))
			misfit = up;
	}
	if (counted && named >= 0)
		return lt__tree_fail(t, named, LT_EILLEGAL, "the loops over %s around %%%s count %s already; remove the loop over %s "
			"around it",
			of->name, lt__leaf_name(t, t->node[at].leaf), d->name, d->name);
	if (!counted || (unit && span && misfit < 0))
		return LT_OK;
	const char *needs = !d->span ? lt__scratch(t->ctx, "one of step %lld", (long long)d->unit)
		: lt__scratch(t->ctx, "one of step %lld and one of step %lld", (long long)d->span, (long long)d->unit);
	return lt__tree_fail(t, misfit >= 0 ? misfit : at, LT_EILLEGAL,
		"%s, a dim of %s%%%s, counts iterations of a loop "
		"over %s: the loops over %s around it need %s, and larger steps are multiples of those; %s",
		d->name, column < leaf->n_var ? "" : "what is read by ", lt__leaf_name(t, t->node[at].leaf), of->name,
		of->name, needs,
		misfit >= 0 ? lt__scratch(t->ctx, "one has step %lld", (long long)t->node[misfit].step)
			    : "add what is missing with `split`");
}

static lt_status check_leaf_loops(struct lt_looptree *t, lt_tnode at)
{
	lt_node n = t->node[at].leaf;
	const struct lt_leaf *leaf;
	LT_TRY(lt__leaf(t, n, &leaf));
	for (int32_t i = 0; i < leaf->n_var + leaf->n_trip; i++)
		if (t->graph->var[leaf->var[i]].unit)
			LT_TRY(check_trip_count(t, at, leaf, i));
	for (int32_t i = 0; i < leaf->n_var; i++) {
		lt_tnode loop = loop_over(t, at, leaf->var[i]);
		if (loop < 0)
			return lt__tree_fail(t, at, LT_EILLEGAL, "%%%s has var %s, but is inside no loop over %s; put it inside one",
				lt__leaf_name(t, n), t->graph->var[leaf->var[i]].name, t->graph->var[leaf->var[i]].name);
		if (lt__var_step(t->graph, leaf->var[i], t->node[loop].var, t->node[loop].step) != 1)
			return lt__tree_fail(t, loop, LT_EILLEGAL, "the innermost loop over %s around %%%s has step %lld; it must be 1: "
				"add a loop over %s with step 1 inside", lt__loop_var_name(t, loop), lt__leaf_name(t, n),
				(long long)t->node[loop].step, lt__loop_var_name(t, loop));
	}
	lt_tnode reducing = lt__reducing_loop(t, n);
	for (lt_tnode up = t->node[at].parent; reducing >= 0 && up != reducing; up = t->node[up].parent)
		if (t->node[up].kind == LT_TLOOP && lt__loop_column(t, leaf, up) < 0)
			return lt__tree_fail(t, up, LT_EILLEGAL,
				"the loop over %s repeats the reduction %%%s inside its reducing loop over %s; move it "
				"outside of that loop",
				lt__loop_var_name(t, up), lt__leaf_name(t, n), lt__loop_var_name(t, reducing));
	return LT_OK;
}

/* Leaf `at` reads u through the map (NULL: it updates u), element by element or not. */
static lt_status check_flow(
	struct lt_looptree *t, lt_tnode at, lt_node u, const struct lt_map *map, const struct lt_leaf *leaf)
{
	lt_node n = t->node[at].leaf;
	lt_tnode from = t->leaf_of[u];
	const struct lt_nodedef *d = &t->graph->node[u];
	lt_tnode reducing = lt__reducing_loop(t, u);
	if (reducing >= 0 && lt__is_above(t, reducing, at))
		return lt__tree_fail(t, at, LT_EILLEGAL, "%%%s reads %%%s inside its reducing loop over %s, before the reduction is "
			"complete; move %%%s after that loop", lt__leaf_name(t, n), d->name, lt__loop_var_name(t, reducing),
			lt__leaf_name(t, n));
	lt_tnode common = lt__common(t, from, at);
	for (lt_tnode up = common; up >= 0; up = t->node[up].parent) {
		if (t->node[up].kind != LT_TLOOP)
			continue;
		if (d->op == LT_OP_update || !map)
			return lt__tree_fail(t, at, LT_EILLEGAL,
				"%%%s and %%%s share the loop over %s, but an updated value is complete only when the "
				"whole loop has ended; give %%%s loops of its own",
				d->name, lt__leaf_name(t, n), lt__loop_var_name(t, up), lt__leaf_name(t, n));
		for (int32_t i = 0; i < d->n_dim; i++) {
			int32_t column = lt__leaf_column(leaf, d->dim[i]);
			if (lt__var_step(t->graph, d->dim[i], t->node[up].var, t->node[up].step)
				&& (column < 0 || !lt__row_is(map, i, column)))
				t->plain = false;
		}
	}
	if (common >= 0 && !map)
		return lt__tree_fail(t, at, LT_EILLEGAL,
			"%%%s updates %%%s within the root nest that writes it, but an update starts when its old "
			"value is complete; give %%%s a root nest of its own",
			lt__leaf_name(t, n), d->name, lt__leaf_name(t, n));
	return LT_OK;
}

static lt_status check_leaf_reads(struct lt_looptree *t, lt_tnode at, const int32_t *order)
{
	lt_node n = t->node[at].leaf;
	const struct lt_nodedef *d = &t->graph->node[n];
	const struct lt_leaf *leaf;
	LT_TRY(lt__leaf(t, n, &leaf));
	if (d->op == LT_OP_update) {
		lt_node x = d->operand[0];
		while (t->graph->node[x].op == LT_OP_view && t->graph->node[x].n_operand > 0)
			x = t->graph->node[x].operand[0];
		if (lt__has_leaf(t->graph, x) && t->leaf_of[x] >= 0) {
			if (order[t->leaf_of[x]] > order[at])
				return lt__tree_fail(t, at, LT_EILLEGAL, "%%%s updates %%%s, which is written after it; put the leaf of %%%s "
					"before it",
					d->name, lt__leaf_name(t, x), lt__leaf_name(t, x));
			LT_TRY(check_flow(t, at, x, NULL, leaf));
		}
	}
	for (int32_t k = 0; k < leaf->n_read; k++)
		for (int32_t p = 0; p < leaf->read[k].n_piece; p++) {
			const struct lt_readpiece *piece = &leaf->read[k].piece[p];
			if (piece->kind != LT_PIECE_READ || !lt__has_leaf(t->graph, piece->base))
				continue;
			lt_tnode from = t->leaf_of[piece->base];
			if (from < 0 || order[from] > order[at])
				return lt__tree_fail(t, at, LT_EILLEGAL, "%%%s reads %%%s, which %s; put the leaf of %%%s before it", d->name,
					lt__leaf_name(t, piece->base), from < 0 ? "has no leaf" : "is written after it", lt__leaf_name(t, piece->base));
			LT_TRY(check_flow(t, at, piece->base, &piece->map, leaf));
		}
	return LT_OK;
}

lt_status lt__check_tree(struct lt_looptree *t)
{
	t->plain = true;
	for (lt_node n = 0; n < t->graph->n_node; n++)
		if (lt__has_leaf(t->graph, n) && t->leaf_of[n] < 0)
			return lt_fail(t->ctx, LT_EILLEGAL, "%%%s has no leaf in the tree", lt__leaf_name(t, n));
	int32_t *order = LT_NEW(t->arena, int32_t, t->n_node + 1), *level = LT_NEW(t->arena, int32_t, t->n_node + 1), n = 0;
	for (lt_tnode at = lt_looptree_after(t, -1); at >= 0; at = lt_looptree_after(t, at)) {
		order[at] = n++;
		level[at] = t->node[at].parent >= 0 ? level[t->node[at].parent] + 1 : 0;
		if (level[at] >= LT_TREE_DEPTH)
			return lt__tree_fail(t, at, LT_EILLEGAL, "the tree has more than %d levels; remove groups, or `merge` loops",
				LT_TREE_DEPTH);
		if (t->node[at].kind == LT_TLOOP) {
			LT_TRY(check_loop(t, at));
			LT_TRY(lt__check_tail(t, at));
		} else if (t->node[at].kind == LT_TGROUP && t->node[at].child < 0) {
			return lt__tree_fail(t, at, LT_EILLEGAL, "the group holds no leaf; remove it");
		} else if (t->node[at].kind == LT_TLEAF) {
			LT_TRY(check_leaf_loops(t, at));
		}
	}
	for (lt_tnode at = lt_looptree_leaf_after(t, -1); at >= 0; at = lt_looptree_leaf_after(t, at))
		LT_TRY(check_leaf_reads(t, at, order));
	return LT_OK;
}
