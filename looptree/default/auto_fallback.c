/* Default trees that are made again, where a nest was refused: without its call, or plainer, on a GPU.
 *
 * That a default tree is refused is never the user's mistake.  Then the nodes of the nest are marked, and the tree is
 * made again; what was refused is noted for the nest that it becomes (`lt-run --explain`).
 */
#include "looptree/default/auto.h"
#include "looptree/derive/derive.h"

static const struct lt_fallback as_usual = { 0, NULL, NULL };

bool lt__raise_fallback(struct lt_fallback *x, const char *why)
{
	if (x->level >= LT_MAX_FALLBACK)
		return false;
	x->level++;
	x->why = why;
	return true;
}

bool lt__fallback_nest(const struct lt_looptree *t, const lt_node *base, lt_tnode root, bool plainer, const char *why,
	struct lt_fallback *list)
{
	const bool called = t->node[root].loop == LT_CALL;
	bool any = false;
	for (lt_node n = 0; (called || plainer) && n < t->graph->n_node; n++) {
		if (t->leaf_of[n] < 0 || lt__root_of(t, t->leaf_of[n]) != root || base[n] < 0)
			continue;
		if (!called) {
			any = lt__raise_fallback(&list[base[n]], why) || any;
		} else if (!list[base[n]].uncalled) {
			list[base[n]].uncalled = why;
			any = true;
		}
	}
	return any;
}

const struct lt_fallback *lt__auto_fallback(const struct lt_looptree *t, const struct lt_fallback *base)
{
	if (!base)
		return NULL;
	const lt_node *of = lt__tree_bases(t, t->arena);
	struct lt_fallback *list = LT_NEW(t->arena, struct lt_fallback, t->graph->n_node + 1);
	for (lt_node n = 0; n < t->graph->n_node; n++)
		list[n] = of[n] < 0 ? as_usual : base[of[n]];
	return list;
}

const struct lt_fallback *lt__auto_fallback_in(
	const struct lt_looptree *t, const struct lt_fallback *list, lt_tnode top)
{
	const struct lt_fallback *most = &as_usual;
	if (!list)
		return most;
	if (t->node[top].kind == LT_TLEAF)
		return &list[t->node[top].leaf];
	for (lt_tnode c = t->node[top].child; c >= 0; c = t->node[c].next) {
		const struct lt_fallback *x = lt__auto_fallback_in(t, list, c);
		most = x->level > most->level ? x : most;
	}
	return most;
}
