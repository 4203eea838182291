/* tools/check_reduce_tidy.c -- what is left of a graph that was cut: only what its results need, in tables without gaps. */
#include <string.h>
#include "tools/check_reduce.h"

struct keep { struct lt_graph *g; bool *node, *var, *param; bool more; };

static void keep_node(struct keep *k, lt_node x) { k->more |= !k->node[x]; k->node[x] = true; }
static void keep_var(struct keep *k, lt_var v) { k->more |= !k->var[v]; k->var[v] = true; }
static void keep_param(struct keep *k, lt_param p)
{
	if (p >= 0) {
		k->more |= !k->param[p];
		k->param[p] = true;
	}
}
static void keep_linear(struct keep *k, const struct lt_linear *l)
{
	for (int32_t i = 0; i < l->n; i++)
		keep_param(k, l->param[i]);
}

static void keep_of_node(struct keep *k, const struct lt_nodedef *n)
{
	for (int32_t i = 0; i < n->n_operand; i++)
		keep_node(k, n->operand[i]);
	for (int32_t i = 0; i < n->n_dim; i++)
		keep_var(k, n->dim[i]);
	for (int32_t i = 0; i < n->n_piece; i++)
		for (int32_t j = 0; j < n->piece[i].map.n_param; j++)
			keep_param(k, n->piece[i].map.param[j]);
	for (int32_t i = 0; n->op == LT_OP_update && i < n->n_dim; i++)
		keep_param(k, n->at[i]);
}

static void tidy_mark(struct keep *k)
{
	const struct lt_graph *g = k->g;
	for (int32_t i = 0; i < g->n_result; i++)
		keep_node(k, g->result[i].node);
	for (int32_t i = 0; i < g->n_set; i++) {
		keep_node(k, g->set[i].state);
		keep_node(k, g->set[i].value);
	}
	for (int32_t i = 0; i < g->n_require; i++)
		keep_linear(k, &g->require[i].value);
	do {
		k->more = false;
		for (lt_node x = g->n_node - 1; x >= 0; x--)
			if (k->node[x])
				keep_of_node(k, &g->node[x]);
		for (lt_var v = 0; v < g->n_var; v++)
			if (k->var[v] && g->var[v].bounded)
				keep_linear(k, &g->var[v].limit);
		for (lt_param p = 0; p < g->n_param; p++)
			if (k->param[p])
				keep_node(k, g->param[p].source);
	} while (k->more);
}

static int64_t *without(struct lt_graph *g, const int64_t *from, int32_t n, int32_t width, int32_t c)
{
	int64_t *out = LT_NEW(g->arena, int64_t, (int64_t)n * width + 1);
	for (int32_t i = 0, at = 0; i < n * width; i++)
		if (i % width != c)
			out[at++] = from[i];
	return out;
}

void lt__reduce_drop_column(struct lt_graph *g, struct lt_map *m, int32_t c)
{
	int32_t width = lt__map_width(m), div = c - 1 - m->n_param - m->n_dim;
	int64_t *divs = without(g, m->div, m->n_div, 1 + width, 1 + c);
	m->guard = without(g, m->guard, m->n_guard, width, c);
	m->row = without(g, m->row, m->n_row, width, c);
	if (div >= 0) {         /* a record is `width` long now */
		memmove(divs + (int64_t)div * width, divs + (int64_t)(div + 1) * width, (size_t)(m->n_div - div - 1) * (size_t)width * sizeof *divs);
		m->n_div--;
	} else if (c - 1 >= m->n_param) {
		m->n_dim--;
	} else {
		lt_param *param = lt__arena_copy(g->arena, m->param, sizeof *param * (size_t)m->n_param);
		memmove(param + c - 1, param + c, sizeof *param * (size_t)(m->n_param - c));
		m->param = param;
		m->n_param--;
	}
	m->div = divs;
}

void lt__reduce_drop_row(struct lt_graph *g, struct lt_map *m, int32_t i)
{
	int32_t width = lt__map_width(m);
	int64_t *row = LT_NEW(g->arena, int64_t, (int64_t)m->n_row * width + 1);
	for (int32_t k = 0, at = 0; k < m->n_row * width; k++)
		if (k / width != i)
			row[at++] = m->row[k];
	m->row = row;
	m->n_row--;
}

static bool is_used(const struct lt_map *m, int32_t c)
{
	int32_t width = lt__map_width(m);
	for (int32_t i = 0; i < m->n_guard; i++)
		if (m->guard[(int64_t)i * width + c])
			return true;
	for (int32_t i = 0; i < m->n_row; i++)
		if (m->row[(int64_t)i * width + c])
			return true;
	for (int32_t i = 0; i < m->n_div; i++)
		if (m->div[(int64_t)i * (1 + width) + 1 + c])
			return true;
	return false;
}

/* Operands are the sources in the order of their first pieces; params and floors are those that a piece uses. */
static void tidy_view(struct lt_graph *g, struct lt_nodedef *n)
{
	lt_node *operand = LT_NEW(g->arena, lt_node, n->n_piece + 1);
	int32_t n_operand = 0;
	for (int32_t i = 0; i < n->n_piece; i++) {
		struct lt_graphpiece *p = &n->piece[i];
		for (int32_t c = lt__map_width(&p->map) - 1; c > 0; c--)
			if ((c <= p->map.n_param || c > p->map.n_param + p->map.n_dim) && !is_used(&p->map, c))
				lt__reduce_drop_column(g, &p->map, c);
		if (p->source < 0)
			continue;
		lt_node from = n->operand[p->source];
		int32_t at = 0;
		while (at < n_operand && operand[at] != from)
			at++;
		operand[at] = from;
		n_operand += at == n_operand;
		p->source = at;
	}
	n->operand = operand;
	n->n_operand = n_operand;
}

static int32_t *numbers(struct lt_graph *g, const bool *keep, int32_t n)
{
	int32_t *to = LT_NEW(g->arena, int32_t, n + 1), at = 0;
	for (int32_t i = 0; i < n; i++)
		to[i] = keep[i] ? at++ : -1;
	return to;
}

static void move_linear(struct lt_linear *l, const lt_param *to)
{
	for (int32_t i = 0; i < l->n; i++)
		l->param[i] = to[l->param[i]];
}

static void move_node(struct lt_graph *g, struct lt_nodedef *n, const lt_node *node, const lt_var *var, const lt_param *param)
{
	for (int32_t i = 0; i < n->n_operand; i++)
		n->operand[i] = node[n->operand[i]];
	for (int32_t i = 0; i < n->n_dim; i++)
		n->dim[i] = var[n->dim[i]];
	for (int32_t i = 0; n->op == LT_OP_update && i < n->n_dim; i++)
		n->at[i] = n->at[i] < 0 ? -1 : param[n->at[i]];
	for (int32_t i = 0; i < n->n_piece; i++) {
		struct lt_map *m = &n->piece[i].map;
		lt_param *moved = LT_NEW(g->arena, lt_param, m->n_param + 1);
		for (int32_t j = 0; j < m->n_param; j++)
			moved[j] = param[m->param[j]];
		m->param = moved;
	}
	n->var = n->op == LT_OP_index ? var[n->var] : n->var;
	n->line = n->column = 0;
}

void lt__reduce_tidy(struct lt_graph *g)
{
	for (lt_node x = 0; x < g->n_node; x++) {
		struct lt_nodedef *n = &g->node[x];     /* nodes of a graph may share arrays */
		n->operand = lt__arena_copy(g->arena, n->operand, sizeof *n->operand * (size_t)n->n_operand);
		n->dim = lt__arena_copy(g->arena, n->dim, sizeof *n->dim * (size_t)n->n_dim);
		if (n->op == LT_OP_view)
			tidy_view(g, n);
	}
	struct keep k = { .g = g, .node = LT_NEW(g->arena, bool, g->n_node + 1), .var = LT_NEW(g->arena, bool, g->n_var + 1),
		.param = LT_NEW(g->arena, bool, g->n_param + 1) };
	tidy_mark(&k);
	const int32_t *node = numbers(g, k.node, g->n_node), *var = numbers(g, k.var, g->n_var), *param = numbers(g, k.param, g->n_param);
	int32_t n = 0;
	for (lt_node x = 0; x < g->n_node; x++)
		if (k.node[x]) {
			move_node(g, &g->node[x], node, var, param);
			g->node[n++] = g->node[x];
		}
	g->n_node = n;
	n = 0;
	for (lt_var v = 0; v < g->n_var; v++)
		if (k.var[v]) {
			if (g->var[v].bounded)
				move_linear(&g->var[v].limit, param);
			g->var[n++] = g->var[v];
		}
	g->n_var = n;
	n = 0;
	for (lt_param p = 0; p < g->n_param; p++)
		if (k.param[p]) {
			g->param[p].source = node[g->param[p].source];
			g->param[n++] = g->param[p];
		}
	g->n_param = n;
	for (int32_t i = 0; i < g->n_require; i++)
		move_linear(&g->require[i].value, param);
	for (int32_t i = 0; i < g->n_result; i++)
		g->result[i].node = node[g->result[i].node];
	for (int32_t i = 0; i < g->n_set; i++)
		g->set[i] = (struct lt_statedef){ node[g->set[i].state], node[g->set[i].value] };
}
