/* The search for a contraction: which dims are the same, what is read in place, and why it went no further. */
#include <stdarg.h>
#include <stdio.h>
#include "looptree/call/call.h"

bool lt__read_depends(const struct lt_read *r, int32_t x)
{
	for (int32_t i = 0; i < r->n_piece; i++) {
		const struct lt_map *m = &r->piece[i].map;
		int32_t width = lt__map_width(m), c = 1 + m->n_param + x;
		for (int32_t k = 0; k < m->n_row; k++)
			if (m->row[(int64_t)k * width + c])
				return true;
		for (int32_t k = 0; k < m->n_guard; k++)
			if (m->guard[(int64_t)k * width + c])
				return true;
		for (int32_t k = 0; k < m->n_div; k++)
			if (m->div[(int64_t)k * (width + 1) + 1 + c])
				return true;
	}
	return false;
}

int32_t lt__call_member(const struct lt_callsearch *s, lt_node n)
{
	int32_t low = 0, high = s->n_member;
	while (low < high) {
		int32_t mid = low + (high - low) / 2;
		low = s->member[mid] < n ? mid + 1 : low;
		high = s->member[mid] < n ? high : mid;
	}
	return low < s->n_member && s->member[low] == n ? low : -1;
}

lt_var lt__call_as(const struct lt_contraction *c, lt_var v)
{
	for (int32_t i = 0; i < c->n_as; i++)
		if (c->as[i].var == v)
			return c->as[i].as;
	return -1;
}

void lt__call_set_as(struct lt_callsearch *s, lt_var v, lt_var as)
{
	struct lt_contraction *c = s->c;
	if (as < 0 || lt__call_as(c, v) >= 0)
		return;
	LT_GROW(s->a, c->as, c->n_as, c->cap_as);
	c->as[c->n_as++] = (struct lt_callvar){ v, as };
}

bool lt__call_fail(struct lt_callsearch *s, const char *fmt, ...)
{
	char text[512];
	va_list args;
	va_start(args, fmt);
	(void)vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	s->why = s->why ? s->why : lt__arena_string(s->a, text);
	return false;
}

const struct lt_readpiece *lt__call_piece(struct lt_callsearch *s, lt_node n, int32_t k)
{
	const struct lt_leaf *leaf = s->t->leaf[n];
	const struct lt_read *r = &leaf->read[k];
	const struct lt_readpiece *p = &r->piece[0];
	if (r->n_piece == 1 && p->map.n_guard == 0 && !leaf->gather && leaf->n_trip == 0)
		return p;
	lt__call_fail(s, "%%%s reads %%%s %s; materialize that outside of %s", lt__call_name(s, n),
		lt__call_name(s, s->t->graph->node[n].operand[k]),
		leaf->gather ? "at an index from memory" : "through a view with a border or several pieces", s->where);
	return NULL;
}

/* a and b count the same dim. */
static bool unify(struct lt_callsearch *s, lt_node n, lt_var a, lt_var b)
{
	const struct lt_graph *g = s->t->graph;
	lt_var as_a = lt__call_as(s->c, a), as_b = lt__call_as(s->c, b);
	if (lt__call_is_unit(g, a) && lt__call_is_unit(g, b))
		return true;
	if (!lt__var_same_range(g, a, b) || (as_a >= 0 && as_b >= 0 && as_a != as_b))
		return lt__call_fail(s, "%%%s reads along %s what is indexed by %s; materialize the view outside of %s",
			lt__call_name(s, n), g->var[b].name, g->var[a].name, s->where);
	lt__call_set_as(s, a, as_b);
	lt__call_set_as(s, b, as_a);
	return true;
}

bool lt__call_in_place(struct lt_callsearch *s, lt_node n, const struct lt_readpiece *p)
{
	const struct lt_graph *g = s->t->graph;
	const struct lt_leaf *leaf = s->t->leaf[n];
	const struct lt_nodedef *d = &g->node[p->base];
	for (int32_t i = 0; i < d->n_dim; i++) {
		int32_t x = 0;
		while (x < leaf->n_var && !lt__row_is(&p->map, i, x))
			x++;
		if (x == leaf->n_var && !lt__call_is_unit(g, d->dim[i]))
			return lt__call_fail(s, "%%%s reads %%%s at other positions than its own; move it out of %s",
				lt__call_name(s, n), lt__call_name(s, p->base), s->where);
		if (x < leaf->n_var && !unify(s, n, d->dim[i], leaf->var[x]))
			return false;
	}
	return true;
}

bool lt__keeps_value(const struct lt_graph *g, lt_node n)
{
	const struct lt_nodedef *d = &g->node[n];
	if (d->reduce || d->n_operand != 1 || (d->op != LT_OP_cast && d->op != LT_OP_copy))
		return false;
	const struct lt_dtypeinfo *from = lt__dtype_info(g->node[d->operand[0]].dtype), *to = lt__dtype_info(d->dtype);
	if (d->op == LT_OP_copy || g->node[d->operand[0]].dtype == d->dtype)
		return true;
	if (from->cls == LT_CLASS_FLOAT)
		return to->cls == LT_CLASS_FLOAT && to->bytes > from->bytes;
	return from->cls == LT_CLASS_INT && to->bytes > from->bytes
		&& (to->cls == LT_CLASS_FLOAT || (to->cls == LT_CLASS_INT && (to->is_signed || !from->is_signed)));
}

bool lt__call_outside(struct lt_callsearch *s, lt_node n, int32_t k, struct lt_callread *out)
{
	for (;; k = 0) {
		const struct lt_readpiece *p = lt__call_piece(s, n, k);
		if (!p)
			return false;
		if (p->kind != LT_PIECE_READ)
			return lt__call_fail(s,
				"%%%s (%s) takes a number, where a routine reads a value; move it out of %s",
				lt__call_name(s, n), lt__call_op_name(s, n), s->where);
		*out = (struct lt_callread){ n, p };
		if (lt__call_member(s, p->base) < 0)
			return true;
		if (lt__call_is_dependent(s, p->base))
			return lt__call_fail(s, "%%%s (%s) uses the product twice; move it out of %s",
				lt__call_name(s, n), lt__call_op_name(s, n), s->where);
		if (!lt__keeps_value(s->t->graph, p->base))
			return lt__call_fail(s,
				"%%%s %s comes before %%%s, which a routine does not do; move it out of %s",
				lt__call_name(s, p->base), lt__call_op_name(s, p->base), lt__call_name(s, n), s->where);
		if (!lt__call_in_place(s, n, p))
			return false;
		lt__call_use(s, p->base);
		n = p->base;
	}
}
