/* match.c -- whether a node of the language would make a group of a graph's nodes: it is built,
 * in a graph of its own, by the script's builder, and compared.
 *
 * Values are compared by their axes of more than one element, in order: views that only rename dims, or add and leave
 * out axes of one element, are passed over on both sides.
 */
#include <string.h>
#include "frontends/script/print/printer.h"
#include "ir/node/node.h"

/* A candidate: its graph, and what each of its nodes is in the other graph. */
struct lt_trial {
	struct lt_scripter *p;
	struct lt_script_form *form;
	lt_node x;
	struct lt_graph *g;
	lt_node first, value;           /* the operands' stand-ins begin there; what is made */
	struct lt_alias alias;
	lt_node *real;
	lt_node *inner; int32_t n_inner, cap_inner;     /* nodes of the other graph that the form says */
	bool matches;
};

/* The other graph's run-time scalars, by the same numbers. */
static void copy_params(struct lt_trial *t)
{
	const struct lt_graph *g = t->p->g;
	for (lt_param i = 0; i < g->n_param; i++) {
		lt_node source = lt_graph_input(t->g, lt__arena_format(t->g->arena, "p%d", i), LT_I64, 0, NULL);
		(void)lt_graph_param(t->g, source, 0, g->param[i].low, g->param[i].high);
	}
	for (int32_t i = 0; i < g->n_require; i++)
		lt__graph_require(t->g, g->require[i].equal, &g->require[i].value, "");
}

static lt_node stand_in(struct lt_trial *t, int32_t k)
{
	const struct lt_graph *g = t->p->g;
	const struct lt_nodedef *x = &g->node[t->form->operand[k]];
	lt_var dim[LT_MAX_RANK];
	for (int32_t i = 0; i < x->n_dim; i++) {
		const struct lt_vardef *v = &g->var[x->dim[i]];
		dim[i] = lt__var_add(t->g, NULL, v->extent, v->bounded ? &v->limit : NULL);
	}
	return lt_graph_input(t->g, lt__arena_format(t->g->arena, "x%d", k), x->dtype, x->n_dim, dim);
}

/* The operands' stand-ins are $0 $1 .. of the form's text. */
static lt_node build_form(struct lt_trial *t)
{
	const struct lt_text *text = &t->form->text;
	lt_node *operand = LT_NEW(t->g->arena, lt_node, t->form->n);
	for (int32_t k = 0; k < t->form->n; k++)
		operand[k] = stand_in(t, k);
	return lt__script_build(t->p->language, t->g, t->form->n, operand, text->at, text->n);
}

static bool same_range(const struct lt_graph *g, lt_var v, const struct lt_graph *h, lt_var w)
{
	const struct lt_vardef *a = &g->var[v], *b = &h->var[w];
	return a->extent == b->extent && a->bounded == b->bounded && (!a->bounded || lt__linear_equal(&a->limit, &b->limit));
}

/* A node of one of the two graphs: its axes of more than one element. */
struct solid { const struct lt_graph *g; const struct lt_nodedef *d; int32_t n, at[LT_MAX_RANK]; };

static void solid_of(struct solid *s, const struct lt_graph *g, const struct lt_nodedef *d)
{
	s->g = g;
	s->d = d;
	s->n = lt__script_solid(g, d->n_dim, d->dim, s->at);
}

static bool same_extents(const struct solid *a, const struct solid *b)
{
	bool same = a->n == b->n;
	for (int32_t i = 0; same && i < a->n; i++)
		same = same_range(a->g, a->d->dim[a->at[i]], b->g, b->d->dim[b->at[i]]);
	return same;
}

/* Where the var is among the axes; -1: nowhere. */
static int32_t solid_index(const struct solid *s, lt_var v)
{
	for (int32_t i = 0; i < s->n; i++)
		if (s->d->dim[s->at[i]] == v)
			return i;
	return -1;
}

/* Operand k: each axis is at the same place of both results.  but: an axis that is at none. */
static bool same_axes(const struct solid *a, const struct solid *b, int32_t k, int32_t but_a, int32_t but_b)
{
	struct solid x, y;
	solid_of(&x, a->g, &a->g->node[a->d->operand[k]]);
	solid_of(&y, b->g, &b->g->node[b->d->operand[k]]);
	if (x.n != y.n)
		return false;
	for (int32_t i = 0; i < x.n; i++) {
		if ((x.at[i] == but_a) != (y.at[i] == but_b))
			return false;
		if (x.at[i] != but_a && solid_index(a, x.d->dim[x.at[i]]) != solid_index(b, y.d->dim[y.at[i]]))
			return false;
	}
	return true;
}

/* One row each of two maps, over params, axes and divisions. */
static bool same_row(const struct solid *a, const struct solid *b, const struct lt_map *m, const struct lt_map *n,
	const int64_t *r, const int64_t *s)
{
	for (int32_t i = 0; i < 1 + m->n_param; i++)
		if (r[i] != s[i])
			return false;
	for (int32_t i = 0; i < a->n; i++)
		if (r[1 + m->n_param + a->at[i]] != s[1 + n->n_param + b->at[i]])
			return false;
	for (int32_t i = 0; i < m->n_div; i++)
		if (r[1 + m->n_param + m->n_dim + i] != s[1 + n->n_param + n->n_dim + i])
			return false;
	return true;
}

/* The maps of a piece that shows operand k (-1: an immediate). */
static bool same_map(
	const struct solid *a, const struct solid *b, const struct lt_map *m, const struct lt_map *n, int32_t k)
{
	const int32_t w = lt__map_width(m), v = lt__map_width(n);
	struct solid x = { .n = 0 }, y = { .n = 0 };
	if (m->n_param != n->n_param || m->n_div != n->n_div || m->n_guard != n->n_guard)
		return false;
	for (int32_t i = 0; i < m->n_param; i++)
		if (m->param[i] != n->param[i])
			return false;
	for (int32_t i = 0; i < m->n_div; i++) {
		const int64_t *r = m->div + (int64_t)i * (w + 1), *s = n->div + (int64_t)i * (v + 1);
		if (*r != *s || !same_row(a, b, m, n, r + 1, s + 1))
			return false;
	}
	for (int32_t i = 0; i < m->n_guard; i++)
		if (!same_row(a, b, m, n, m->guard + (int64_t)i * w, n->guard + (int64_t)i * v))
			return false;
	if (k >= 0) {
		solid_of(&x, a->g, &a->g->node[a->d->operand[k]]);
		solid_of(&y, b->g, &b->g->node[b->d->operand[k]]);
	}
	bool same = x.n == y.n;
	for (int32_t i = 0; same && i < x.n; i++)
		same = same_row(a, b, m, n, m->row + (int64_t)x.at[i] * w, n->row + (int64_t)y.at[i] * v);
	return same;
}

static bool same_view(const struct solid *a, const struct solid *b)
{
	const struct lt_nodedef *d = a->d, *e = b->d;
	if (d->n_piece != e->n_piece || d->has_fill != e->has_fill || d->bits != e->bits)
		return false;
	for (int32_t i = 0; i < d->n_piece; i++) {
		const struct lt_graphpiece *p = &d->piece[i], *q = &e->piece[i];
		if (p->source != q->source || (p->source < 0 && p->bits != q->bits)
			|| !same_map(a, b, &p->map, &q->map, p->source))
			return false;
	}
	return true;
}

static bool same_update(const struct lt_nodedef *d, const struct lt_nodedef *e)
{
	bool same = d->n_dim == e->n_dim;
	for (int32_t i = 0; same && i < d->n_dim; i++)
		same = d->offset[i] == e->offset[i] && d->at[i] == e->at[i];
	return same;
}

/* Node d of the graph and e of the candidate, but for what their operands are. */
static bool same_node(const struct lt_trial *t, const struct lt_nodedef *d, const struct lt_nodedef *e)
{
	struct solid a, b;
	solid_of(&a, t->p->g, d);
	solid_of(&b, t->g, e);
	if (d->op != e->op || d->dtype != e->dtype || d->reduce != e->reduce || d->n_operand != e->n_operand || d->label
		|| e->label || !same_extents(&a, &b))
		return false;
	if (d->op == LT_OP_lit || d->op == LT_OP_index)
		return d->bits == e->bits;
	if (d->op == LT_OP_view)
		return same_view(&a, &b);
	if (d->op == LT_OP_update)
		return same_update(d, e);
	for (int32_t k = 0; k < d->n_operand; k++) {
		bool along = d->op == LT_OP_gather && k == 0;
		if (!same_axes(&a, &b, k, along ? d->axis : -1, along ? e->axis : -1))
			return false;
	}
	return true;
}

/* The views between what a node reads and the value that it is are said, too. */
static void add_inner(struct lt_trial *t, lt_node x)
{
	const struct lt_alias *own = &t->p->alias;
	for (lt_node y = own->same[x]; y >= 0; y = own->up[y] < 0 ? -1 : own->same[own->up[y]]) {
		for (int32_t k = 0; k < t->form->n; k++)
			if (y == own->same[t->form->operand[k]])
				return;
		LT_GROW(t->g->arena, t->inner, t->n_inner, t->cap_inner);
		t->inner[t->n_inner++] = y;
	}
}

static bool same_dims(const struct lt_trial *t)
{
	const struct lt_nodedef *d = &t->p->g->node[t->x], *e = &t->g->node[t->value];
	bool same = d->n_dim == e->n_dim && d->dtype == e->dtype;
	for (int32_t i = 0; same && i < d->n_dim; i++)
		same = same_range(t->p->g, d->dim[i], t->g, e->dim[i]);
	return same;
}

/* From the value downwards: what each node of the candidate has to be. */
static bool compare_nodes(struct lt_trial *t)
{
	const struct lt_alias *own = &t->p->alias;
	const lt_node begin = t->first + t->form->n;
	if (t->alias.same[t->value] < begin || !same_dims(t))
		return false;
	memset(t->real, -1, sizeof *t->real * (size_t)t->g->n_node);
	t->real[t->alias.core[t->value]] = own->core[t->x];
	add_inner(t, t->x);
	for (lt_node e = t->g->n_node - 1; e >= t->first; e--) {
		lt_node d = t->real[e];
		if (d < 0)
			continue;
		if (e < begin) {
			if (d != own->core[t->form->operand[e - t->first]])
				return false;
			continue;
		}
		if (!same_node(t, &t->p->g->node[d], &t->g->node[e]))
			return false;
		for (int32_t k = 0; k < t->g->node[e].n_operand; k++) {
			lt_node from = t->alias.core[t->g->node[e].operand[k]], to = t->p->g->node[d].operand[k];
			if (t->real[from] >= 0 && t->real[from] != own->core[to])
				return false;
			t->real[from] = own->core[to];
			if (from >= begin)
				add_inner(t, to);
		}
	}
	return true;
}

/* What the form says is read inside alone: then it needs no statement of its own.  Numbers and positions are made
 * where they are read. */
static bool is_closed(struct lt_trial *t)
{
	struct lt_scripter *p = t->p;
	p->trial++;
	for (int32_t i = 0; i < t->n_inner; i++)
		p->left[t->inner[i]] = p->uses[t->inner[i]];
	for (int32_t i = 0; i < t->n_inner; i++) {
		const struct lt_nodedef *d = &p->g->node[t->inner[i]];
		if (p->tried[t->inner[i]] == p->trial)
			continue;
		p->tried[t->inner[i]] = p->trial;
		for (int32_t k = 0; k < d->n_operand; k++)
			p->left[p->alias.same[d->operand[k]]]--;
	}
	for (int32_t i = 0; i < t->n_inner; i++) {
		enum lt_opcode op = p->g->node[t->inner[i]].op;
		if (t->inner[i] != t->x && p->left[t->inner[i]] > 0 && op != LT_OP_lit && op != LT_OP_index)
			return false;
	}
	for (int32_t k = 0; k < t->form->n; k++)
		if (p->tried[p->alias.same[t->form->operand[k]]] == p->trial)
			return false;
	return true;
}

/* Everything is made in the candidate's own graph, which is freed whatever happens. */
static lt_status try_form(void *arg)
{
	struct lt_trial *t = arg;
	copy_params(t);
	t->first = t->g->n_node;
	t->value = build_form(t);
	if (t->value < 0)
		return LT_OK;
	t->alias = lt__script_alias(t->g, t->g->arena);
	t->real = LT_NEW(t->g->arena, lt_node, t->g->n_node);
	t->matches = compare_nodes(t) && is_closed(t);
	return LT_OK;
}

/* Failures of the candidate are its own: it has a context of its own. */
bool lt__script_matches(struct lt_scripter *p, lt_node x, struct lt_script_form *form)
{
	struct lt_trial t = { .p = p, .form = form, .x = x };
	p->own.code = LT_OK;
	lt_status status = lt_graph_new(&p->own, &t.g);
	if (!status)
		status = lt__protect(&p->own, try_form, &t);
	lt_graph_free(t.g);
	if (status == LT_ENOMEM)
		lt__arena_refuse(p->arena, "a graph could not be made");
	return !status && t.matches;
}
