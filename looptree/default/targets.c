/* A tree for several targets: which one each node of a graph is for. */
#include "looptree/default/auto.h"
#include "looptree/derive/derive.h"

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
