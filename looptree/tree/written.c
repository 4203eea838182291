/* What a graph writes to its results and states, and what it computes before the first run. */
#include "looptree/tree/tree.h"

void lt__mark_written(const struct lt_graph *g, lt_node n, bool *mark)
{
	mark[n] = true;
	if (g->node[n].op == LT_OP_view)        /* written through: its sources are slices of the result */
		for (int32_t k = 0; k < g->node[n].n_operand; k++)
			mark[g->node[n].operand[k]] = true;
}

void lt__mark_outside(const struct lt_graph *g, bool *mark)
{
	for (int32_t i = 0; i < g->n_result; i++)
		lt__mark_written(g, g->result[i].node, mark);
	for (int32_t i = 0; i < g->n_set; i++)
		lt__mark_written(g, g->set[i].value, mark);
	for (int32_t i = 0; i < g->n_own; i++) {
		for (int32_t k = 0; k < g->own[i].n_operand; k++)
			mark[g->own[i].operand[k]] = mark[g->own[i].operand[k]] || lt__has_leaf(g, g->own[i].operand[k]);
		for (int32_t k = 0; k < g->own[i].n_result; k++)
			mark[g->own[i].result[k]] = true;
	}
}

/* Whether a cast makes its elements larger, and one product alone reads them, each once: then converting them there
 * saves bytes in every run, and converting them before would save no work. */
static bool cast_in_product(const struct lt_graph *g, lt_node n, lt_node reader)
{
	const struct lt_nodedef *d = &g->node[n];

	return d->op == LT_OP_cast && g->node[reader].op == LT_OP_mul && !g->node[reader].reduce
		&& lt__dtype_info(g->node[d->operand[0]].dtype)->bytes < lt__dtype_info(d->dtype)->bytes
		&& lt__node_elems(g, reader) == lt__node_elems(g, n);
}

static void leave_casts(const struct lt_graph *g, struct lt_arena *a, bool *constant)
{
	int32_t *n_reader = LT_NEW(a, int32_t, g->n_node + 1);
	lt_node *reader = LT_NEW(a, lt_node, g->n_node + 1);

	for (int32_t i = 0; i < g->n_node; i++)
		for (int32_t k = 0; k < g->node[i].n_operand; k++) {
			n_reader[g->node[i].operand[k]]++;
			reader[g->node[i].operand[k]] = i;
		}
	for (int32_t i = 0; i < g->n_node; i++)
		if (constant[i] && n_reader[i] == 1 && !constant[reader[i]] && cast_in_product(g, i, reader[i]))
			constant[i] = false;
}

bool *lt__constant_nodes(const struct lt_graph *g, struct lt_arena *a)
{
	bool *constant = LT_NEW(a, bool, g->n_node + 1), *varies = LT_NEW(a, bool, g->n_node + 1);
	/* What is written to a result or a state is written in each run. */
	for (int32_t i = 0; i < g->n_result; i++)
		lt__mark_written(g, g->result[i].node, varies);
	for (int32_t i = 0; i < g->n_set; i++)
		lt__mark_written(g, g->set[i].value, varies);
	for (int32_t i = 0; i < g->n_node; i++) {
		const struct lt_nodedef *d = &g->node[i];
		constant[i] = d->op == LT_OP_constant;
		varies[i] = varies[i] || d->op == LT_OP_input || d->op == LT_OP_state || d->op == LT_OP_update;
		for (int32_t k = 0; k < d->n_operand; k++) {
			constant[i] = constant[i] || constant[d->operand[k]];
			varies[i] = varies[i] || varies[d->operand[k]];
		}
		for (int32_t k = 0; k < d->n_piece; k++)
			varies[i] = varies[i] || d->piece[k].map.n_param > 0;
		for (int32_t k = 0; k < d->n_dim; k++)
			varies[i] = varies[i] || g->var[d->dim[k]].bounded;
	}
	for (int32_t i = 0; i < g->n_node; i++)
		constant[i] = constant[i] && !varies[i];
	/* What is made of literals and positions alone is computed where it is read: for a constant, before the first run. */
	for (int32_t i = g->n_node - 1; i >= 0; i--)
		for (int32_t k = 0; constant[i] && k < g->node[i].n_operand; k++)
			constant[g->node[i].operand[k]] = true;
	leave_casts(g, a, constant);
	return constant;
}
