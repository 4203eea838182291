/* sources.c -- which values the sources of a graph may have. */
#include <stdlib.h>
#include "tools/common/common.h"

static void source_narrow(struct lt_source_range *r, int64_t low, int64_t high)
{
	if (!r->given || low > r->low)
		r->low = low;
	if (!r->given || high < r->high)
		r->high = high;
	r->given = true;
	if (r->high < r->low)
		r->high = r->low;
}

static bool source_hands_on(const struct lt_nodedef *d)
{
	return d->op == LT_OP_view || d->op == LT_OP_cast || d->op == LT_OP_copy;
}

/* The node's first source that it only moves, itself included. */
static lt_node source_moved(const struct lt_graph *g, lt_node n)
{
	while (source_hands_on(&g->node[n]) && g->node[n].n_operand > 0)
		n = g->node[n].operand[0];
	return n;
}

/* Of an axis that run-time scalars bound: as few as there may be, but one. */
static int64_t source_min_extent(const struct lt_graph *g, const struct lt_vardef *v)
{
	int64_t min = v->bounded ? v->limit.constant : v->extent;
	for (int32_t i = 0; v->bounded && i < v->limit.n; i++) {
		const struct lt_paramdef *p = &g->param[v->limit.param[i]];
		min += v->limit.coef[i] * (v->limit.coef[i] < 0 ? p->high : p->low);
	}
	return min < 1 ? 1 : min > v->extent ? v->extent : min;
}

struct lt_source_range *lt__source_ranges(const struct lt_graph *g, bool scalars)
{
	struct lt_source_range *r = calloc((size_t)g->n_node + 1, sizeof *r);
	if (!r)
		return NULL;
	for (int32_t i = 0; i < g->n_param; i++)
		if (scalars || g->node[g->param[i].source].n_operand > 0)       /* through a view: which element is not asked */
			source_narrow(&r[source_moved(g, g->param[i].source)], g->param[i].low, g->param[i].high);
	for (lt_node n = g->n_node - 1; n >= 0; n--) {
		const struct lt_nodedef *d = &g->node[n];
		if (d->op == LT_OP_gather) {
			const struct lt_vardef *axis = &g->var[g->node[d->operand[0]].dim[d->axis]];
			source_narrow(&r[d->operand[1]], 0, source_min_extent(g, axis) - 1);
			r[d->operand[1]].bounded |= axis->bounded;
		}
		if (source_hands_on(d) && r[n].given)
			for (int32_t i = 0; i < d->n_operand; i++)
				source_narrow(&r[d->operand[i]], r[n].low, r[n].high);
	}
	return r;
}
