/* known.c -- contents that are known while a model is read, found by the graph's evaluator. */
#include <stdlib.h>
#include <string.h>
#include "frontends/onnx/trace.h"
#include "ir/eval/eval.h"

enum { SHOWN_INPUTS = 4 };

/* Whether a node of the graph depends on contents and literals only. */
static bool node_known(const struct lt_onnx *m, lt_node x)
{
	const struct lt_nodedef *d = &m->graph->node[x];
	bool known = d->op != LT_OP_input && d->op != LT_OP_state && (d->op != LT_OP_constant || d->content);

	for (int32_t i = 0; known && i < d->n_operand; i++)
		known = m->known[d->operand[i]];
	for (int32_t i = 0; known && i < d->n_dim; i++)
		known = !m->graph->var[d->dim[i]].bounded && (!d->at || d->at[i] < 0);
	for (int32_t i = 0; known && i < d->n_piece; i++)
		known = d->piece[i].map.n_param == 0;
	return known;
}

static bool is_known(struct lt_onnx *m, lt_node x)
{
	for (; m->n_known <= x; m->n_known++) {
		LT_GROW(m->arena, m->known, m->n_known, m->cap_known);
		m->known[m->n_known] = node_known(m, m->n_known);
	}
	return m->known[x];
}

/* Room for the places of all nodes and vars in a part; none is in one. */
static void grow_places(struct lt_onnx *m)
{
	for (; m->n_node_place < m->graph->n_node; m->n_node_place++) {
		LT_GROW(m->arena, m->node_place, m->n_node_place, m->cap_node_place);
		m->node_place[m->n_node_place] = -1;
	}
	for (; m->n_var_place < m->graph->n_var; m->n_var_place++) {
		LT_GROW(m->arena, m->var_place, m->n_var_place, m->cap_var_place);
		m->var_place[m->n_var_place] = -1;
	}
}

static int compare_nodes(const void *a, const void *b)
{
	const lt_node x = *(const lt_node *)a, y = *(const lt_node *)b;
	return (x > y) - (x < y);
}

/* The node and all that it depends on, in the graph's order; their number. */
static int32_t list_part(struct lt_onnx *m, lt_node x, lt_node **out)
{
	const struct lt_graph *g = m->graph;
	lt_node *list = NULL;
	int32_t n = 0, cap = 0;

	LT_GROW(m->arena, list, n, cap);
	list[n++] = x;
	m->node_place[x] = 0;
	for (int32_t i = 0; i < n; i++)
		for (int32_t k = 0; k < g->node[list[i]].n_operand; k++) {
			const lt_node operand = g->node[list[i]].operand[k];
			if (m->node_place[operand] >= 0)
				continue;
			m->node_place[operand] = 0;
			LT_GROW(m->arena, list, n, cap);
			list[n++] = operand;
		}
	qsort(list, (size_t)n, sizeof *list, compare_nodes);
	*out = list;
	return n;
}

static lt_var var_in_part(struct lt_onnx *m, struct lt_graph *part, lt_var v)
{
	if (m->var_place[v] < 0) {
		LT_GROW(m->arena, part->var, part->n_var, part->cap_var);
		part->var[part->n_var] = m->graph->var[v];
		m->var_place[v] = part->n_var++;
	}
	return m->var_place[v];
}

/* Adds node x, whose operands are there. */
static void add_to_part(struct lt_onnx *m, struct lt_graph *part, lt_node x)
{
	const struct lt_nodedef *from = &m->graph->node[x];
	struct lt_nodedef *to = &part->node[part->n_node];

	*to = *from;
	to->operand = LT_NEW(m->arena, lt_node, from->n_operand + 1);
	to->dim = LT_NEW(m->arena, lt_var, from->n_dim + 1);
	for (int32_t i = 0; i < from->n_operand; i++)
		to->operand[i] = m->node_place[from->operand[i]];
	for (int32_t i = 0; i < from->n_dim; i++)
		to->dim[i] = var_in_part(m, part, from->dim[i]);
	if (from->op == LT_OP_index)
		to->var = var_in_part(m, part, from->var);
	m->node_place[x] = part->n_node++;
}

/* A node that is known and what it depends on, as a graph of its own, in which it comes last: the evaluator has tables
 * of all nodes and vars, and a model asks for as many values as it has shapes.  Nothing in it is a run-time scalar. */
static struct lt_graph part_of(struct lt_onnx *m, lt_node x)
{
	const struct lt_graph *g = m->graph;
	struct lt_graph part = { .ctx = g->ctx, .arena = m->arena, .file = g->file, .part = g->part, .n_part = g->n_part,
		.inside = g->inside };
	lt_node *list;

	grow_places(m);
	const int32_t n = list_part(m, x, &list);
	part.node = LT_NEW(m->arena, struct lt_nodedef, n);
	for (int32_t i = 0; i < n; i++)
		add_to_part(m, &part, list[i]);
	for (int32_t i = 0; i < n; i++) {
		const struct lt_nodedef *d = &g->node[list[i]];
		m->node_place[list[i]] = -1;
		for (int32_t k = 0; k < d->n_dim; k++)
			m->var_place[d->dim[k]] = -1;
		if (d->op == LT_OP_index)
			m->var_place[d->var] = -1;
	}
	return part;
}

/* The value of a node that is known; NULL with a sentence: a gather leaves its source. */
static const void *evaluate(struct lt_onnx *m, lt_node x, const struct lt_onnx_value *v)
{
	const struct lt_graph part = part_of(m, x);
	const lt_node last = part.n_node - 1;
	const void **source = LT_NEW(m->arena, const void *, part.n_node), *data = NULL;
	struct lt_evaluation *e;

	/* The evaluator's tables have entries for each node, which take longer than an element. */
	lt__spend(m->ctx, LT_BUDGET_ELEMENTS, 2 * (int64_t)part.n_node, NULL);
	for (lt_node i = 0; i < part.n_node; i++)
		source[i] = part.node[i].content;
	if (lt_eval_with(&part, source, &(struct lt_eval_options){ .want = &last, .n_want = 1 }, &e))
		return NULL;
	data = lt_eval_value(e, last, NULL);
	if (data) {
		void *own = lt__onnx_room(m, v->dtype, v->rank, v->shape);
		memcpy(own, data, (size_t)lt__onnx_elems(v) * lt__dtype_info(v->dtype)->bytes);
		data = own;
	}
	lt_eval_free(e);
	return data;
}

const void *lt__onnx_maybe(struct lt_onnx *m, struct lt_onnx_value *v)
{
	if (v->data || v->node < 0 || v->empty)
		return v->data;
	v->data = is_known(m, v->node) ? evaluate(m, v->node, v) : lt__onnx_traced(m, v);
	/* What reads it from here on reads the content. */
	if (v->data)
		v->node = LT_NONE;
	return v->data;
}

void lt__onnx_look(struct lt_onnx *m, struct lt_onnx_value *v)
{
	lt_node told;

	if (v->looked || v->node < 0 || v->part || v->empty || !lt__onnx_may_tell(v))
		return;
	v->looked = true;
	if (!is_known(m, v->node))
		return;
	struct lt_onnx_value content = *v;
	content.data = evaluate(m, v->node, v);
	told = content.data ? lt__onnx_told(m, &content) : LT_NONE;
	v->node = told < 0 ? v->node : told;
}

/* The run-time extent that an input of the graph is, no input of the model; -1: it is none. */
static int32_t symbol_of(const struct lt_onnx *m, lt_node x)
{
	for (int32_t i = 0; i < m->n_symbol; i++)
		if (m->graph->param[m->symbol[i].param].source == x)
			return i;
	return -1;
}

/* Marks the run-time extents that integers depend on, if they depend on nothing else; false: they do. */
static bool mark_extents(struct lt_onnx *m, const struct lt_onnx_value *v, bool *symbol)
{
	enum { MOST = 64 };
	const int64_t n = lt__onnx_elems(v);
	struct lt_onnx_poly poly;

	if (v->rank > 1 || n > MOST)
		return false;
	for (int64_t i = 0; i < n; i++) {
		if (!lt__onnx_trace(m, v, i, &poly))
			return false;
		lt__poly_symbols(m, 1, &poly, symbol);
	}
	return true;
}

/* "'a', 'b'": inputs that a value depends on, of which some may be run-time extents, which are marked. */
static const char *inputs_of(struct lt_onnx *m, const struct lt_onnx_value *v, bool *symbol, bool *others)
{
	const struct lt_graph *g = m->graph;
	bool *need = LT_NEW(m->arena, bool, g->n_node);
	struct lt_text t = { .arena = m->arena };
	int32_t n = 0;
	const bool extents = mark_extents(m, v, symbol);

	need[v->node] = true;
	for (lt_node i = v->node; i >= 0; i--) {
		for (int32_t k = 0; need[i] && k < g->node[i].n_operand; k++)
			need[g->node[i].operand[k]] = true;
		if (!need[i] || g->node[i].op != LT_OP_input)
			continue;
		const int32_t s = symbol_of(m, i);
		if (extents && (s < 0 || !symbol[s]))
			continue;               /* by its shape, or by elements that are left out */
		if (s >= 0)
			symbol[s] = true;
		else
			*others = true;
		if (n++ < SHOWN_INPUTS)
			lt__text_format(&t, "%s'%s'", n > 1 ? ", " : "", g->node[i].label);
	}
	if (n > SHOWN_INPUTS)
		lt__text_format(&t, " and %d more", n - SHOWN_INPUTS);
	return n ? t.at : NULL;
}

const void *lt__onnx_content(struct lt_onnx *m, struct lt_onnx_value *v, const char *what)
{
	static const char none[8];
	const void *data;

	if (v->lost)
		return NULL;
	if (v->empty)
		return none;
	data = lt__onnx_maybe(m, v);
	if (!data && !lt__onnx_failed(m)) {
		bool *symbol = LT_NEW(m->arena, bool, m->n_symbol + 1), others = false;
		int32_t n_dim;
		const char *inputs = inputs_of(m, v, symbol, &others), *dims = lt__poly_dims(m, symbol, &n_dim);

		lt__onnx_refuse(m, "%s ('%s') has to be known when the model is read%s%s%s%s%s%s", what, v->name ? v->name : "",
			inputs ? ": it depends on " : "", inputs ? inputs : "", others ? "; --fix NAME=FILE gives an input" : "",
			n_dim ? "; " : "", dims, n_dim > 1 ? " fix extents" : n_dim ? " fixes an extent" : "");
	}
	return data;
}
