/* gather.c -- elements at run-time positions: gather, and update of a block. */
#include <string.h>
#include "ir/node/node.h"
#include "ir/node/parts.h"

/* x's dims with the index's in the place of `axis`; one that both have is shared and is where x has it. */
static lt_node add_gather(struct lt_graph *g, lt_node x, lt_node index, int32_t axis)
{
	struct lt_nodedef def = { .op = LT_OP_gather, .line = g->line, .column = g->column };
	const struct lt_nodedef *from, *at;

	if (!lt__graph_has(g, index) || !lt__graph_has_axis(g, x, axis))
		return -1;
	from = &g->node[x];
	at = &g->node[index];
	def.dtype = from->dtype;
	def.axis = axis;
	def.n_operand = 2;
	def.operand = lt__arena_copy(g->arena, (const lt_node[]){ x, index }, 2 * sizeof x);
	def.dim = LT_NEW(g->arena, lt_var, from->n_dim + at->n_dim);
	for (int32_t i = 0; i < from->n_dim; i++) {
		if (i != axis) {
			def.dim[def.n_dim++] = from->dim[i];
			continue;
		}
		for (int32_t j = 0; j < at->n_dim; j++)
			if (at->dim[j] == from->dim[axis] || !lt__has(from->dim, from->n_dim, at->dim[j]))
				def.dim[def.n_dim++] = at->dim[j];
	}
	return lt__graph_adopt(g, &def);
}

lt_node lt_graph_gather(struct lt_graph *g, lt_node x, lt_node index, int32_t axis)
{
	lt_node y = -1;

	LT_GUARDED(g->ctx, y, add_gather(g, x, index, axis));
	return y;
}

/* The part with new vars where it shares one with x that it does not cover from 0 on. */
static lt_node fresh_dims(struct lt_graph *g, lt_node x, lt_node part, const int64_t *offset, const lt_param *at)
{
	const struct lt_nodedef *to = &g->node[x], *from = &g->node[part];
	lt_var *dims = LT_NEW(g->arena, lt_var, from->n_dim);

	for (int32_t i = 0; i < from->n_dim; i++) {
		lt_var v = from->dim[i];
		bool apart = lt__has(to->dim, to->n_dim, v) && (to->dim[i] != v || offset[i] != 0 || at[i] >= 0);

		dims[i] = !apart ? v : lt__var_like(g, v, g->var[v].extent, g->var[v].bounded ? &g->var[v].limit : NULL);
	}
	return lt__build_rename(g, part, from->n_dim, dims);
}

static lt_node add_update(struct lt_graph *g, lt_node x, lt_node part, const int64_t *offset, const lt_param *given)
{
	struct lt_nodedef def = { .op = LT_OP_update, .line = g->line, .column = g->column };
	lt_param *at;
	int32_t n;

	if (!lt__graph_has(g, x) || !lt__graph_has(g, part))
		return -1;
	n = g->node[x].n_dim;
	if (g->node[part].n_dim != n) {
		lt__graph_fail(g, LT_ETYPE, "the block '%.200s' (%s) must have the %d dims of '%.200s' (%s)", g->node[part].name,
			lt__node_shape_text(g, part), n, g->node[x].name, lt__node_shape_text(g, x));
		return -1;
	}
	at = LT_NEW(g->arena, lt_param, n);
	for (int32_t i = 0; i < n; i++)
		if (!lt__param_given(g, given ? given[i] : LT_OMIT, &at[i]))
			return -1;
	part = fresh_dims(g, x, part, offset, at);
	if (part < 0)
		return -1;
	def.dtype = g->node[x].dtype;
	def.n_operand = 2;
	def.operand = lt__arena_copy(g->arena, (const lt_node[]){ x, part }, 2 * sizeof x);
	def.n_dim = n;
	def.dim = g->node[x].dim;
	def.offset = lt__arena_copy(g->arena, offset, sizeof *offset * (size_t)n);
	def.at = at;
	return lt__graph_adopt(g, &def);
}

lt_node lt_graph_update(struct lt_graph *g, lt_node x, lt_node part, const int64_t *offset, const lt_param *at)
{
	lt_node y = -1;

	LT_GUARDED(g->ctx, y, add_update(g, x, part, offset, at));
	return y;
}
