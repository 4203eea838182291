/* A tree for several targets: which one each node of a graph is for, the tree's own nodes included. */
#include <string.h>
#include "ir/intern.h"
#include "looptree/auto.h"

void lt__auto_classes(struct lt_auto *s)
{
	const struct lt_graph *g = s->g, *g_base = s->t->base;
	if (!s->base_class)
		return;
	s->class = LT_NEW(s->t->arena, int32_t, g->n_node + 1);
	for (lt_node n = 0; n < g->n_node; n++) {
		lt_node base = !lt__has_leaf(g, n) ? -1 : g == s->t->base ? n : lt__names_find(g_base->node_names, g->node[n].name, strlen(g->node[n].name));
		s->class[n] = base >= 0 ? s->base_class[base] : -1;
	}
	/* Views, and nodes that are the tree's own, are for whom they are read. */
	for (lt_node n = g->n_node - 1; n >= 0; n--)
		for (int32_t i = 0; i < g->node[n].n_operand && s->class[n] >= 0; i++)
			if (s->class[g->node[n].operand[i]] < 0)
				s->class[g->node[n].operand[i]] = s->class[n];
	for (lt_node n = 0; n < g->n_node; n++)
		s->class[n] = s->class[n] < 0 ? 0 : s->class[n];
}

void lt__auto_aim(struct lt_auto *s, lt_node n)
{
	if (!s->base_class)
		return;
	s->aim = s->class[n];
	s->target = s->targets[s->aim];
}
