/* print_forms.c -- candidates for what a node of the graph is in the language. */
#include "frontends/script/printer.h"

struct lt_script_form *lt__form_new(struct lt_scripter *p, int32_t n, const lt_node *operand)
{
	struct lt_script_form *f = LT_NEW(p->arena, struct lt_script_form, 1);
	f->n = n;
	f->operand = lt__arena_copy(p->arena, operand, sizeof *operand * (size_t)n);
	f->text.arena = p->arena;
	return f;
}

bool lt__form_try(struct lt_scripter *p, lt_node x, struct lt_script_form *f)
{
	for (int32_t k = 0; k < f->n; k++)
		if (f->operand[k] < 0)
			return false;
	if (!lt__script_matches(p, x, f))
		return false;
	p->form[x] = f;
	return true;
}

const struct lt_nodedef *lt__form_operand(const struct lt_scripter *p, const struct lt_nodedef *d, int32_t k)
{
	return &p->g->node[p->alias.core[d->operand[k]]];
}

lt_node lt__form_value(const struct lt_scripter *p, const struct lt_nodedef *d, int32_t k)
{
	return p->alias.same[d->operand[k]];
}
