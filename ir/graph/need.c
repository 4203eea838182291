/* need.c -- which nodes a run needs: a sweep against the order of the nodes, again while run-time scalars bring new
 * needs. */
#include "ir/graph/graph.h"

/* Params that needed nodes use, and those that a requirement ties to one of them. */
static void find_params(const struct lt_graph *g, const bool *need, bool *used)
{
	for (lt_node n = 0; n < g->n_node; n++) {
		const struct lt_nodedef *d = &g->node[n];
		if (!need[n])
			continue;
		for (int32_t i = 0; d->at && i < d->n_dim; i++)
			if (d->at[i] >= 0)
				used[d->at[i]] = true;
		for (int32_t i = 0; i < d->n_piece; i++)
			for (int32_t k = 0; k < d->piece[i].map.n_param; k++)
				used[d->piece[i].map.param[k]] = true;
		for (int32_t i = 0; i < d->n_dim; i++)
			for (int32_t k = 0; g->var[d->dim[i]].bounded && k < g->var[d->dim[i]].limit.n; k++)
				used[g->var[d->dim[i]].limit.param[k]] = true;
	}
	for (int32_t i = 0; i < g->n_require; i++) {
		const struct lt_linear *tie = &g->require[i].value;
		bool any = false;
		for (int32_t k = 0; k < tie->n; k++)
			any = any || used[tie->param[k]];
		for (int32_t k = 0; any && k < tie->n; k++)
			used[tie->param[k]] = true;
	}
}

void lt__need_close(const struct lt_graph *g, bool *need, bool *used)
{
	for (bool more = true; more;) {
		more = false;
		for (lt_node n = g->n_node - 1; n >= 0; n--)
			for (int32_t i = 0; need[n] && i < g->node[n].n_operand; i++)
				need[g->node[n].operand[i]] = true;
		find_params(g, need, used);
		for (int32_t i = 0; i < g->n_param; i++)
			if (used[i] && !need[g->param[i].source])
				more = need[g->param[i].source] = true;
	}
}

bool *lt__needed_nodes(const struct lt_graph *g, struct lt_arena *a)
{
	bool *need = LT_NEW(a, bool, g->n_node + 1), *used = LT_NEW(a, bool, g->n_param + 1);
	for (int32_t i = 0; i < g->n_result; i++)
		need[g->result[i].node] = true;
	for (int32_t i = 0; i < g->n_set; i++)
		need[g->set[i].state] = need[g->set[i].value] = true;
	lt__need_close(g, need, used);
	return need;
}
