/* known.c -- contents that are known while a model is read, found by the graph's evaluator. */
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
		m->known[m->n_known] = (signed char)node_known(m, m->n_known);
	}
	return m->known[x];
}

/* The value of a node that is known; NULL with a sentence: a gather leaves its source. */
static const void *evaluate(struct lt_onnx *m, lt_node x, const struct lt_onnx_value *v)
{
	const struct lt_graph *g = m->graph;
	const void **source = LT_NEW(m->arena, const void *, g->n_node), *data = NULL;
	struct lt_evaluation *e;

	/* The evaluator's tables have entries for each node, which take longer than an element. */
	lt__spend(m->ctx, LT_BUDGET_ELEMENTS, 2 * (int64_t)g->n_node, NULL);
	for (lt_node i = 0; i < g->n_node; i++)
		source[i] = g->node[i].content;
	if (lt_eval_with(g, source, &(struct lt_eval_options){ .want = &x, .n_want = 1 }, &e))
		return NULL;
	data = lt_eval_value(e, x, NULL);
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
