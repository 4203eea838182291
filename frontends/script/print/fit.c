/* fit.c -- a graph whose nodes have the axes that a statement gives them: where a node has dims
 * that no operand has, or other orders of them, its operand becomes a view that has them.
 */
#include <string.h>
#include "frontends/script/print/printer.h"

/* Whether some dim is in no operand. */
static bool is_spread(const struct lt_graph *g, const struct lt_nodedef *d)
{
	for (int32_t i = 0; i < d->n_dim; i++) {
		bool has = false;
		for (int32_t k = 0; k < d->n_operand; k++)
			has = has || lt__node_has_dim(&g->node[d->operand[k]], d->dim[i]);
		if (!has)
			return true;
	}
	return false;
}

static bool is_cast_apart(const struct lt_graph *g, const struct lt_nodedef *d)
{
	const struct lt_nodedef *x = &g->node[d->operand[0]];
	return x->n_dim != d->n_dim || (d->n_dim && memcmp(x->dim, d->dim, sizeof *d->dim * (size_t)d->n_dim));
}

/* Whether the dims that a reduction keeps are in another order. */
static bool is_turned(const struct lt_graph *g, const struct lt_nodedef *d)
{
	int32_t last = -1;
	for (int32_t i = 0; i < g->node[d->operand[0]].n_dim; i++) {
		int32_t place = lt__script_find_axis(g, d, 0, i);
		if (place >= 0 && place < last)
			return true;
		last = place < 0 ? last : place;
	}
	return false;
}

/* Dims that operand 0 has to have; 0: its own. */
static int32_t wanted_dims(const struct lt_graph *g, const struct lt_nodedef *d, lt_var *dim)
{
	int32_t n = d->n_dim;
	const struct lt_nodedef *x = d->n_operand ? &g->node[d->operand[0]] : NULL;
	bool map = !d->reduce && !lt__op_info(d->op)->data && is_spread(g, d);
	if (!map && !(d->reduce && is_turned(g, d)) && !(d->op == LT_OP_cast && is_cast_apart(g, d)))
		return 0;
	memcpy(dim, d->dim, sizeof *dim * (size_t)n);
	for (int32_t i = 0; d->reduce && i < x->n_dim; i++)
		if (!lt__node_has_dim(d, x->dim[i]))
			dim[n++] = x->dim[i];
	return n;
}

/* Operand 0 of d with those dims, each where it has it. */
static struct lt_nodedef fitting_view(const struct lt_graph *g, struct lt_arena *arena, const struct lt_nodedef *d,
	int32_t n, const lt_var *dim)
{
	const struct lt_nodedef *x = &g->node[d->operand[0]];
	int32_t width = 1 + n;
	int64_t *row = LT_NEW(arena, int64_t, (int64_t)x->n_dim * width);
	struct lt_graphpiece *piece = LT_NEW(arena, struct lt_graphpiece, 1);
	piece->map = (struct lt_map){ .n_dim = n, .n_row = x->n_dim, .row = row };
	for (int32_t i = 0; i < x->n_dim; i++)
		for (int32_t j = 0; j < n; j++)
			row[(int64_t)i * width + 1 + j] = dim[j] == x->dim[i];
	return (struct lt_nodedef){ .op = LT_OP_view, .dtype = x->dtype, .n_operand = 1, .n_dim = n,
		.dim = lt__arena_copy(arena, dim, sizeof *dim * (size_t)n), .n_piece = 1, .piece = piece };
}

const struct lt_graph *lt__script_fitted(const struct lt_graph *g, struct lt_arena *arena)
{
	struct lt_graph *h = lt__arena_copy(arena, g, sizeof *g);
	lt_node *to = LT_NEW(arena, lt_node, g->n_node + 1);
	lt_var dim[LT_MAX_RANK];
	h->node = LT_NEW(arena, struct lt_nodedef, 2 * (int64_t)g->n_node + 1);
	h->param = lt__arena_copy(arena, g->param, sizeof *g->param * (size_t)g->n_param);
	h->result = lt__arena_copy(arena, g->result, sizeof *g->result * (size_t)g->n_result);
	h->set = lt__arena_copy(arena, g->set, sizeof *g->set * (size_t)g->n_set);
	h->n_node = 0;
	for (lt_node x = 0; x < g->n_node; x++) {
		struct lt_nodedef d = g->node[x];
		int32_t n = wanted_dims(g, &d, dim);
		lt_node *operand = LT_NEW(arena, lt_node, d.n_operand);
		for (int32_t k = 0; k < d.n_operand; k++)
			operand[k] = to[d.operand[k]];
		if (n) {
			struct lt_nodedef view = fitting_view(g, arena, &d, n, dim);
			view.operand = lt__arena_copy(arena, &operand[0], sizeof *operand);
			operand[0] = h->n_node;
			h->node[h->n_node++] = view;
		}
		d.operand = operand;
		to[x] = h->n_node;
		h->node[h->n_node++] = d;
	}
	for (int32_t i = 0; i < g->n_param; i++)
		h->param[i].source = to[g->param[i].source];
	for (int32_t i = 0; i < g->n_result; i++)
		h->result[i].node = to[g->result[i].node];
	for (int32_t i = 0; i < g->n_set; i++)
		h->set[i] = (struct lt_statedef){ to[g->set[i].state], to[g->set[i].value] };
	return h;
}
