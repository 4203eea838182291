/* rfactor: a reduction by partial results, one for each iteration of one of its loops, which are then reduced. */
#include <string.h>
#include "base/names.h"
#include "looptree/schedule/schedule.h"
#include "looptree/derive/derive.h"

static lt_status rfactor_check(const struct lt_looptree *t, lt_node n, lt_tnode loop)
{
	lt_tnode called = lt__edit_called(t, t->leaf_of[n]);
	int32_t n_reducing = 0;
	if (called >= 0)
		return lt_fail(t->ctx, LT_EILLEGAL, "the loop %s is in a nest that is handed over by `%s`; make that serial first",
			lt__loop_path(t, loop),
			lt__loop_is(t, called));
	if (!lt__is_above(t, loop, t->leaf_of[n]))
		return lt_fail(t->ctx, LT_EILLEGAL, "%%%s is not inside the loop %s", lt__leaf_name(t, n), lt__loop_path(t, loop));
	if (!lt__loop_reduces(t, n, loop))
		return lt_fail(t->ctx, LT_EILLEGAL, "%%%s does not reduce over the loop %s", lt__leaf_name(t, n),
			lt__loop_path(t, loop));
	if (lt_looptree_trip_count(t, loop) < 2)
		return lt_fail(t->ctx, LT_EILLEGAL, "the loop %s has one iteration, so its only partial result would be the whole "
			"one", lt__loop_path(t, loop));
	for (lt_tnode up = t->node[t->leaf_of[n]].parent; up >= 0; up = t->node[up].parent)
		n_reducing += lt__loop_reduces(t, n, up);
	if (n_reducing < 2)
		return lt_fail(t->ctx, LT_EILLEGAL, "%s is the only loop that %%%s reduces over, so its partial results would just "
			"be its terms; `split %s` first",
			lt__loop_path(t, loop), lt__leaf_name(t, n), lt__loop_name(t, loop));
	return LT_OK;
}

/* Whether a loop that the nest of a sum shares counts its dim v as iterations of another var. */
static bool counts(const struct lt_looptree *t, lt_tnode at, lt_var v)
{
	for (; at >= 0; at = t->node[at].parent)
		if (t->node[at].kind == LT_TLOOP && t->node[at].var != v
			&& lt__var_step(t->graph, v, t->node[at].var, t->node[at].step))
			return true;
	return false;
}

/* A copy of a loop around the partial results that counts their dim v.  Where it was one over the reduced var, the
 * steps around it are not all copied: the dim is counted by its own name. */
static lt_tnode copy_loop(struct lt_edit *e, lt_tnode loop, lt_var v, lt_tnode around)
{
	struct lt_tnodedef d = e->t->node[loop];
	bool named = d.var != v && !counts(e->t, around, v);
	lt_tnode copy = lt__edit_new_loop(e, named ? v : d.var, named ? lt__var_step(e->t->graph, v, d.var, d.step) : d.step);
	e->t->node[copy].loop = d.loop;
	e->t->node[copy].arg = d.arg;
	e->t->node[copy].tail = named ? LT_GUARD : d.tail;
	return copy;
}

/* After the partial results' outermost reducing loop: the loops of their results, with kinds and tails, and the
 * reduction. */
static lt_status add_sum(struct lt_edit *e, lt_node part, lt_node sum)
{
	struct lt_looptree *t = e->t;
	const struct lt_leaf *leaf;
	LT_TRY(lt__leaf(t, part, &leaf));
	lt_tnode outermost = lt__reducing_loop(t, part), around = t->node[outermost].parent, last = around, after = outermost;
	int32_t n = lt__loops_above(t, t->leaf_of[part], NULL), i = 0;
	lt_tnode *above = LT_NEW(t->arena, lt_tnode, n + 1);
	lt__loops_above(t, t->leaf_of[part], above);
	while (above[i] != outermost)
		i++;
	for (; i < n; i++) {
		int32_t column = lt__loop_column(t, leaf, above[i]);
		if (lt__loop_reduces(t, part, above[i]) || column < 0)
			continue;
		lt_tnode copy = copy_loop(e, above[i], leaf->var[column], around);
		lt__edit_insert(e, last, after, copy);
		last = copy;
		after = -1;
	}
	lt_tnode at = lt__edit_new_leaf(e, sum);
	if (last < 0) {
		lt_tnode group = lt__edit_new_group(e);
		lt__edit_insert(e, -1, after, group);
		last = group;
		after = -1;
	}
	lt__edit_insert(e, last, after, at);
	return LT_OK;
}

lt_status lt__primitive_rfactor(struct lt_edit *e, const struct lt_words *w)
{
	struct lt_looptree *t = e->t;
	lt_node n;
	lt_tnode loop;
	const struct lt_leaf *leaf;
	LT_TRY(lt__path_leaf(t, &w->word[0], &n));
	LT_TRY(lt__path_find(t, &w->word[1], n, LT_PATH_AROUND, &loop));
	LT_TRY(lt__leaf(t, n, &leaf));
	LT_TRY(rfactor_check(t, n, loop));
	lt_tnode around = lt__loop_around(t, loop);
	lt_var v = t->node[loop].var;
	if (t->graph->var[v].bounded && around < 0)
		return lt_fail(t->ctx, LT_EILLEGAL, "the trip count of the loop %s depends on a run-time scalar, so its iterations "
			"are not a dim; `split` it and use the inner loop", lt__loop_path(t, loop));
	const char *var = t->graph->var[v].name;
	const struct lt_derived_step step = { .kind = LT_DERIVED_PARTIAL,
		.of = lt__leaf_name(t, n),
		.var = var,
		.made = lt__derived_name(t, lt__arena_format(t->arena, "%s.part", lt__leaf_name(t, n))),
		.dim = lt__derived_dim(t, var, t->node[loop].step),
		.step = t->node[loop].step,
		.span = around >= 0 ? t->node[around].step : 0 };
	lt_node *to = LT_NEW(t->arena, lt_node, t->graph->n_node + 1);
	LT_TRY(lt__tree_derive(t, &step, 1, to));
	lt_node part = lt__tree_node_named(t, step.made), sum = to[n];
	/* The partial results are made where the reduction was. */
	lt_tnode at = t->leaf_of[sum];
	t->node[at].leaf = part;
	t->leaf_of[part] = at;
	t->leaf_of[sum] = -1;
	return add_sum(e, part, sum);
}
