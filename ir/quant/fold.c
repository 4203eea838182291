/* fold.c -- values of constants alone, where floats are computed with: a state of zeros times a matrix, a sum of two
 * biases.  Computed in each run they need the floats of their constants beside the integers that other products read;
 * computed once they need their own numbers, or none.
 */
#include <string.h>
#include "ir/node/node.h"
#include "ir/quant/parts.h"

/* How many numbers constants have that x is computed of; under: room for a mark for each node. */
static int64_t elems_under(const struct lt_graph *g, lt_node x, bool *under)
{
	int64_t n = 0;
	memset(under, 0, sizeof *under * (size_t)(x + 1));
	under[x] = true;
	for (lt_node y = x; y >= 0; y--) {
		if (under[y] && g->node[y].op == LT_OP_constant)
			n += lt__node_elems(g, y);
		for (int32_t i = 0; under[y] && i < g->node[y].n_operand; i++)
			under[g->node[y].operand[i]] = true;
	}
	return n;
}

bool lt__quant_is_literal(const struct lt_quant *q, lt_node x)
{
	const struct lt_quant_node *n = &q->node[x];
	for (int64_t i = 1; i < n->elems; i++)
		if (memcmp(&n->content[i], &n->content[0], sizeof *n->content) != 0)
			return false;
	return true;
}

void lt__quant_fold(struct lt_quant *q)
{
	const struct lt_graph *g = q->graph;
	bool *under = LT_NEW(q->arena, bool, g->n_node + 1);
	for (lt_node x = 0; x < g->n_node; x++) {
		struct lt_quant_node *n = &q->node[x];
		const struct lt_nodedef *d = &g->node[x];
		if (n->kind != QUANT_CONST || !n->content || lt__dtype_info(d->dtype)->cls != LT_CLASS_FLOAT
			|| d->op == LT_OP_constant || d->op == LT_OP_view)
			continue;
		const int64_t before = elems_under(g, x, under);
		if (before == 0 || (before <= n->elems && !lt__quant_is_literal(q, x)))
			continue;
		void *to = lt__arena_alloc(q->arena, (size_t)n->elems * lt_dtype_bytes(d->dtype) + 1);
		for (int64_t i = 0; i < n->elems; i++)
			lt__store(to, i, d->dtype, (union lt_scalar){ .f = n->content[i] });
		n->folded = to;
	}
}

bool lt__quant_is_kept(const struct lt_quant *q, const void *content)
{
	for (lt_node x = 0; x < q->graph->n_node; x++)
		if (content && (q->source[x] == content || q->node[x].folded == content))
			return true;
	return false;
}
