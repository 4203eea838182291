/* frontends/script/print_match.c -- whether a node of the language would make a group of a graph's nodes: it is built,
 * in a graph of its own, by the script's builder, and compared.
 *
 * Values are compared by the positions of their axes: a view that only renames dims is passed over on both sides.
 */
#include <string.h>
#include "frontends/script/print.h"

static bool is_one(const struct lt_graph *g, lt_var v)
{
	return g->var[v].extent == 1 && !g->var[v].bounded;
}

/* Row `axis` of a map: the dim of that number and nothing else. */
static bool is_dim(const struct lt_map *m, int32_t axis)
{
	const int64_t *row = m->row + (int64_t)axis * lt__map_width(m);
	for (int32_t i = 0; i < lt__map_width(m); i++)
		if (row[i] != (i == 1 + m->n_param + axis))
			return false;
	return true;
}

/* Every element in its place: a view without conditions, or a cast to the same type.  An index along an axis of one
 * element is 0, however it is said. */
static bool is_same(const struct lt_graph *g, const struct lt_nodedef *d)
{
	bool view = d->op == LT_OP_view && d->n_piece == 1 && d->piece[0].source >= 0 && !d->piece[0].map.n_guard;
	if (!view && d->op != LT_OP_cast)
		return false;
	const struct lt_nodedef *x = &g->node[d->operand[view ? d->piece[0].source : 0]];
	if (x->n_dim != d->n_dim || x->dtype != d->dtype)
		return false;
	for (int32_t i = 0; i < d->n_dim; i++) {
		if (view && is_one(g, d->dim[i]) && is_one(g, x->dim[i]))
			continue;
		if (view ? !is_dim(&d->piece[0].map, i) || !lt__var_same_range(g, d->dim[i], x->dim[i]) : d->dim[i] != x->dim[i])
			return false;
	}
	return true;
}

lt_node *lt__script_same(const struct lt_graph *g, struct lt_arena *arena)
{
	lt_node *same = LT_NEW(arena, lt_node, g->n_node + 1);
	for (lt_node x = 0; x < g->n_node; x++) {
		const struct lt_nodedef *d = &g->node[x];
		same[x] = is_same(g, d) ? same[d->operand[d->op == LT_OP_view ? d->piece[0].source : 0]] : x;
	}
	return same;
}

int32_t lt__script_place(const struct lt_graph *g, const struct lt_nodedef *d, int32_t k, int32_t i)
{
	const lt_var v = g->node[d->operand[k]].dim[i];
	for (int32_t j = 0; j < d->n_dim; j++)
		if (d->dim[j] == v)
			return j;
	return -1;
}

/* A candidate: its graph, and what each of its nodes is in the other graph. */
struct lt_trial {
	struct lt_scripter *p;
	struct lt_form *form;
	struct lt_graph *g;
	lt_node x;
	lt_node first, value;           /* the operands' stand-ins begin there; what is made */
	lt_node *same, *real;
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

/* Statements $0 $1 .. are the operands; the form's text is parsed after them. */
static lt_node build_form(struct lt_trial *t)
{
	struct lt_scripter *p = t->p;
	struct lt_script s = { .ctx = t->g->ctx, .arena = t->g->arena, .graph = t->g, .file = "form", .type = p->type,
		.n_type = p->n_type, .ids = lt__names_new(t->g->arena), .id = "0", .id_bytes = 1,
		.chain = -1, .previous = -1, .scalar = -1,
		.cursor = { t->form->text.at, t->form->text.at + t->form->text.n, { 1, 1 } } };
	s.statement = LT_NEW(t->g->arena, struct lt_statement, t->form->n);
	s.sourced = LT_NEW(t->g->arena, bool, t->g->n_node + t->form->n);
	for (int32_t k = 0; k < t->form->n; k++) {
		char id[16];
		int32_t n = snprintf(id, sizeof id, "%d", k);
		lt__names_add(s.ids, id, (size_t)n, k);
		s.statement[s.n_statement++] = (struct lt_statement){ .id = lt__arena_string(t->g->arena, id), .id_bytes = n,
			.node = stand_in(t, k), .type = p->type, .chain = -1, .previous = -1, .scalar = -1 };
	}
	s.cap_statement = s.n_statement;
	const char *word;
	int32_t n = lt__lex_word(&s.cursor, &word);
	for (int32_t i = 0; i < p->n_type; i++)
		if ((int32_t)strlen(p->type[i].name) == n && !memcmp(p->type[i].name, word, (size_t)n))
			return lt__script_args(&s, &p->type[i]) ? -1 : p->type[i].build(&s, &p->type[i], s.arg, s.n_arg);
	return -1;
}

static bool same_range(const struct lt_graph *g, lt_var v, const struct lt_graph *h, lt_var w)
{
	const struct lt_vardef *a = &g->var[v], *b = &h->var[w];
	return a->extent == b->extent && a->bounded == b->bounded && (!a->bounded || lt__linear_equal(&a->limit, &b->limit));
}

/* Rows over the dims of d: what is times a position that is 0 says nothing. */
static bool same_rows(const struct lt_graph *g, const struct lt_nodedef *d, const struct lt_map *m, const int64_t *a,
	const int64_t *b, int32_t n, int32_t extra)
{
	int32_t width = lt__map_width(m);
	for (int32_t r = 0; r < n; r++, a += width + extra, b += width + extra)
		for (int32_t i = 0; i < width + extra; i++) {
			int32_t dim = i - extra - 1 - m->n_param;
			if (a[i] != b[i] && !(dim >= 0 && dim < m->n_dim && is_one(g, d->dim[dim])))
				return false;
		}
	return true;
}

static bool same_map(const struct lt_graph *g, const struct lt_nodedef *d, const struct lt_map *a, const struct lt_map *b)
{
	if (a->n_param != b->n_param || a->n_dim != b->n_dim || a->n_div != b->n_div || a->n_guard != b->n_guard
		|| a->n_row != b->n_row)
		return false;
	for (int32_t i = 0; i < a->n_param; i++)
		if (a->param[i] != b->param[i])
			return false;
	return same_rows(g, d, a, a->div, b->div, a->n_div, 1) && same_rows(g, d, a, a->guard, b->guard, a->n_guard, 0)
		&& same_rows(g, d, a, a->row, b->row, a->n_row, 0);
}

static bool same_view(const struct lt_graph *g, const struct lt_nodedef *d, const struct lt_nodedef *e)
{
	if (d->n_piece != e->n_piece || d->has_fill != e->has_fill || d->bits != e->bits)
		return false;
	for (int32_t i = 0; i < d->n_piece; i++) {
		const struct lt_graphpiece *a = &d->piece[i], *b = &e->piece[i];
		if (a->source != b->source || (a->source < 0 && a->bits != b->bits) || !same_map(g, d, &a->map, &b->map))
			return false;
	}
	return true;
}

static bool same_update(const struct lt_nodedef *d, const struct lt_nodedef *e)
{
	for (int32_t i = 0; i < d->n_dim; i++)
		if (d->offset[i] != e->offset[i] || d->at[i] != e->at[i])
			return false;
	return true;
}

/* Node d of the graph and e of the candidate, but for what their operands are. */
static bool same_node(const struct lt_trial *t, const struct lt_nodedef *d, const struct lt_nodedef *e)
{
	const struct lt_graph *g = t->p->g;
	bool by_axis = d->op == LT_OP_view || d->op == LT_OP_update;
	if (d->op != e->op || d->dtype != e->dtype || d->reduce != e->reduce || d->n_operand != e->n_operand
		|| d->n_dim != e->n_dim || d->label || e->label)
		return false;
	if ((d->op == LT_OP_lit && d->bits != e->bits) || (d->op == LT_OP_gather && d->axis != e->axis))
		return false;
	for (int32_t i = 0; i < d->n_dim; i++)
		if (!same_range(g, d->dim[i], t->g, e->dim[i]))
			return false;
	for (int32_t k = 0; k < d->n_operand; k++) {
		int32_t rank = g->node[d->operand[k]].n_dim;
		if (rank != t->g->node[e->operand[k]].n_dim)
			return false;
		for (int32_t i = 0; i < rank && !by_axis; i++)
			if (!(d->op == LT_OP_gather && k == 0 && i == d->axis)
				&& lt__script_place(g, d, k, i) != lt__script_place(t->g, e, k, i))
				return false;
	}
	return d->op == LT_OP_view ? same_view(g, d, e) : d->op == LT_OP_update ? same_update(d, e) : true;
}

/* From the value downwards: what each node of the candidate has to be. */
static bool compare_nodes(struct lt_trial *t, lt_node x)
{
	const lt_node *real_same = t->p->same;
	if (t->same[t->value] < t->first + t->form->n)
		return false;
	memset(t->real, -1, sizeof *t->real * (size_t)t->g->n_node);
	t->real[t->same[t->value]] = x;
	for (lt_node e = t->g->n_node - 1; e >= t->first; e--) {
		lt_node d = t->real[e];
		if (d < 0)
			continue;
		if (e < t->first + t->form->n) {
			if (d != real_same[t->form->operand[e - t->first]])
				return false;
			continue;
		}
		if (!same_node(t, &t->p->g->node[d], &t->g->node[e]))
			return false;
		for (int32_t k = 0; k < t->g->node[e].n_operand; k++) {
			lt_node from = t->same[t->g->node[e].operand[k]], to = real_same[t->p->g->node[d].operand[k]];
			if (t->real[from] >= 0 && t->real[from] != to)
				return false;
			t->real[from] = to;
		}
	}
	return true;
}

/* Numbers and positions are made where they are read. */
static bool is_free(const struct lt_nodedef *d)
{
	return d->op == LT_OP_lit || d->op == LT_OP_index;
}

/* What is inside is read inside alone: then it needs no statement.  Marks it. */
static bool closed(struct lt_trial *t, lt_node x)
{
	struct lt_scripter *p = t->p;
	const lt_node begin = t->first + t->form->n, end = t->g->n_node;
	for (lt_node e = begin; e < end; e++)
		if (t->real[e] >= 0)
			p->left[t->real[e]] = p->uses[t->real[e]];
	p->trial++;
	for (lt_node e = begin; e < end; e++) {
		lt_node d = t->real[e];
		if (d < 0 || p->tried[d] == p->trial)
			continue;
		p->tried[d] = p->trial;
		for (int32_t k = 0; k < p->g->node[d].n_operand; k++)
			p->left[p->same[p->g->node[d].operand[k]]]--;
	}
	for (lt_node e = begin; e < end; e++)
		if (t->real[e] >= 0 && t->real[e] != x && p->left[t->real[e]] > 0 && !is_free(&p->g->node[t->real[e]]))
			return false;
	for (int32_t k = 0; k < t->form->n; k++)
		if (p->tried[p->same[t->form->operand[k]]] == p->trial)
			return false;
	for (lt_node e = begin; e < end; e++) {
		lt_node d = t->real[e];
		if (d < 0 || d == x)
			continue;
		if (is_free(&p->g->node[d]))
			p->uses[d] = p->left[d];
		p->inside[d] = !is_free(&p->g->node[d]) || p->left[d] <= 0;
	}
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
	t->same = lt__script_same(t->g, t->g->arena);
	t->real = LT_NEW(t->g->arena, lt_node, t->g->n_node);
	t->matches = compare_nodes(t, t->x) && closed(t, t->x);
	return LT_OK;
}

/* Failures of the candidate are its own: it has a context of its own. */
bool lt__script_matches(struct lt_scripter *p, lt_node x, struct lt_form *form)
{
	struct lt_trial t = { .p = p, .form = form, .x = x };
	lt_status status = lt_graph_new(&p->own, &t.g);
	if (!status)
		status = lt__protect(&p->own, try_form, &t);
	lt_graph_free(t.g);
	if (status == LT_ENOMEM)
		lt__arena_refuse(p->arena, "a graph could not be made");
	return t.matches;
}
