/* A tree for several targets: which one each node of a graph is for, the tree's derived nodes included. */
#include "looptree/default/auto.h"
#include "looptree/derive/derive.h"

lt_node *lt__tree_bases(const struct lt_looptree *t, struct lt_arena *a)
{
	const struct lt_graph *g = t->graph;
	lt_node *base = LT_NEW(a, lt_node, g->n_node + 1);
	for (lt_node n = 0; n < g->n_node; n++)
		base[n] = !lt__has_leaf(g, n) ? -1 : g == t->base ? n : lt__node_named(t->base, g->node[n].name);
	for (int32_t i = 0; t->derived && i < t->derived->n_step; i++) {
		const struct lt_derived_step *s = &t->derived->step[i];
		lt_node n = s->kind == LT_DERIVED_MATERIALIZE ? lt__node_named(g, s->made) : -1;
		if (n >= 0)
			base[n] = lt__node_named(t->base, s->of);
	}
	for (lt_node n = g->n_node - 1; n >= 0; n--)
		for (int32_t i = 0; base[n] >= 0 && i < g->node[n].n_operand; i++)
			if (base[g->node[n].operand[i]] < 0)
				base[g->node[n].operand[i]] = base[n];
	return base;
}

void lt__auto_classes(struct lt_auto *s)
{
	if (!s->base_class)
		return;
	const lt_node *base = lt__tree_bases(s->t, s->t->arena);
	s->class = LT_NEW(s->t->arena, int32_t, s->g->n_node + 1);
	for (lt_node n = 0; n < s->g->n_node; n++)
		s->class[n] = base[n] < 0 ? 0 : s->base_class[base[n]];
}

bool *lt__auto_marked(const struct lt_auto *s, const bool *base)
{
	const lt_node *of = lt__tree_bases(s->t, s->t->arena);
	bool *mark = LT_NEW(s->t->arena, bool, s->g->n_node + 1);
	for (lt_node n = 0; n < s->g->n_node; n++)
		mark[n] = of[n] >= 0 && base[of[n]];
	return mark;
}

void lt__auto_aim(struct lt_auto *s, lt_node n)
{
	if (!s->base_class)
		return;
	s->aim = s->class[n];
	s->target = s->targets[s->aim];
}
