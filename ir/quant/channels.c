/* channels.c -- which constants of sums of products have channels: an axis of which each number is its own,
 * so that all that a sum adds up has one step, whatever the others have.
 *
 * Example: of y[i, n] = sum over k of x[i, k] w[k, n] the constant w has a channel for each n.  That is seen through
 * views, as a transposed constant or a kernel's group is one, but not through one that cuts channels off or adds some,
 * as then a sum has others than the constant.  Where several sums read a constant, all of them have to have its
 * channels; what else it is multiplied by, or rows of it that are gathered, need one step for all.
 */
#include <math.h>
#include "ir/quant/parts.h"

/* The axis of what y shows whose place is var v alone, or -1. */
static int32_t shown_axis(const struct lt_nodedef *y, lt_var v)
{
	const struct lt_map *m = &y->piece[0].map;
	const int32_t width = lt__map_width(m), at = 1 + m->n_param + lt__node_axis(y, v);
	for (int32_t r = 0; r < m->n_row; r++) {
		bool alone = true;
		for (int32_t i = 0; i < width && alone; i++)
			alone = m->row[r * width + i] == (i == at);
		if (alone)
			return r;
	}
	return -1;
}

/* The axis of the constant that operand y of a product shows, all of it and no more; -1: v is none of its own. */
static int32_t constant_axis(const struct lt_graph *g, lt_node y, lt_var v)
{
	const lt_node end = lt__quant_source(g, y);
	for (; y != end; y = g->node[y].operand[0]) {
		const int32_t axis = shown_axis(&g->node[y], v);
		const lt_var of = axis < 0 ? LT_NONE : g->node[g->node[y].operand[0]].dim[axis];
		if (axis < 0 || g->var[of].extent != g->var[v].extent)
			return -1;
		v = of;
	}
	return lt__node_axis(&g->node[end], v);
}

/* The channels of sum z by operand y of its product: the dim with most of them; LT_NONE: there are none. */
static lt_var channel_of(const struct lt_graph *g, lt_node z, lt_node y, int32_t *axis)
{
	lt_var best = LT_NONE;
	*axis = -1;
	for (int32_t i = 0; i < g->node[y].n_dim; i++) {
		const lt_var v = g->node[y].dim[i];
		const int32_t at = lt__node_has_dim(&g->node[z], v) ? constant_axis(g, y, v) : -1;
		if (at >= 0 && (best < 0 || g->var[v].extent > g->var[best].extent)) {
			best = v;
			*axis = at;
		}
	}
	return best;
}

/* The operand of product x that is a constant with a cell, -1: there is none. */
static int32_t weight_operand(const struct lt_quant *q, lt_node x)
{
	double number;
	for (int32_t i = 0; i < q->graph->node[x].n_operand; i++)
		if (lt__quant_is_factor(q, x, i) && !lt__quant_is_number(q, x, i, &number)
			&& q->node[lt__quant_source(q->graph, q->graph->node[x].operand[i])].weight >= 0)
			return i;
	return -1;
}

enum { AXIS_NONE = -1, AXIS_UNKNOWN = -2 };
struct channels { struct lt_quant *q; int32_t *axis, *operand; };       /* axis: by cell; operand: by node, as above */

static int32_t cell_of(const struct channels *c, lt_node product)
{
	const struct lt_graph *g = c->q->graph;
	return c->q->node[lt__quant_source(g, g->node[product].operand[c->operand[product]])].weight;
}

/* What reads product x: a sum with channels, or what needs one step for all. */
static void see_reader(struct channels *c, lt_node z, lt_node x)
{
	const struct lt_graph *g = c->q->graph;
	int32_t *axis = &c->axis[cell_of(c, x)], at = AXIS_NONE;
	if (g->node[z].reduce && g->node[z].op == LT_OP_add && c->q->node[x].summed)
		(void)channel_of(g, z, g->node[x].operand[c->operand[x]], &at);
	*axis = *axis == AXIS_UNKNOWN || *axis == at ? at : AXIS_NONE;
}

static void find_axes(struct channels *c)
{
	const struct lt_graph *g = c->q->graph;
	for (lt_node x = 0; x < g->n_node; x++)
		if (c->operand[x] >= 0 && !c->q->node[x].summed)
			c->axis[cell_of(c, x)] = AXIS_NONE;
	for (lt_node z = 0; z < g->n_node; z++)
		for (int32_t i = 0; i < g->node[z].n_operand; i++)
			if (c->operand[g->node[z].operand[i]] >= 0)
				see_reader(c, z, g->node[z].operand[i]);
	for (int32_t i = 0; i < g->n_result; i++)
		if (c->operand[g->result[i].node] >= 0)
			c->axis[cell_of(c, g->result[i].node)] = AXIS_NONE;
}

static void set_cell(struct lt_quant *q, struct lt_quant_cell *c, int32_t axis)
{
	const struct lt_nodedef *d = &q->graph->node[c->node];
	c->axis = axis;
	c->channels = q->graph->var[d->dim[axis]].extent;
	c->inner = 1;
	for (int32_t i = axis + 1; i < d->n_dim; i++)
		c->inner *= q->graph->var[d->dim[i]].extent;
}

/* Sum z of product x: which of its dims is the channel, and where that is among the numbers of `weigh`. */
static void set_sum(struct channels *c, lt_node z, lt_node x)
{
	const struct lt_graph *g = c->q->graph;
	struct lt_quant_node *n = &c->q->node[z];
	const struct lt_nodedef *y = &g->node[g->node[x].operand[c->operand[x]]];
	const int32_t cell = cell_of(c, x);
	int32_t axis;
	n->channel = channel_of(g, z, g->node[x].operand[c->operand[x]], &axis);
	n->by_channel = cell;
	n->unit = 1;
	for (int32_t i = lt__node_axis(y, n->channel) + 1; i < y->n_dim; i++)
		n->unit *= lt__node_has_dim(&g->node[z], y->dim[i]) ? g->var[y->dim[i]].extent : 1;
	for (int64_t i = 0; i < n->channels; i++)
		c->q->cell[cell].most = fmax(c->q->cell[cell].most, n->weigh[2 * i] + n->weigh[2 * i + 1]);
}

static struct channels axes_of(struct lt_quant *q)
{
	const struct lt_graph *g = q->graph;
	struct channels c = { q, LT_NEW(q->arena, int32_t, q->n_cell + 1), LT_NEW(q->arena, int32_t, g->n_node + 1) };
	for (int32_t i = 0; i < q->n_cell; i++)
		c.axis[i] = AXIS_UNKNOWN;
	for (lt_node x = 0; x < g->n_node; x++)
		c.operand[x] = weight_operand(q, x);
	find_axes(&c);
	return c;
}

/* Of a sum for each channel, a tile of some has pairs of them: which half a number is in is known when it is compiled.
 */
static lt_status find_pairs(void *user)
{
	struct lt_quant *q = user;
	const struct channels c = axes_of(q);
	for (int32_t i = 0; i < q->n_cell; i++) {
		struct lt_quant_cell *cell = &q->cell[i];
		const struct lt_nodedef *d = &q->graph->node[cell->node];
		if (cell->kind != LT_QUANT_WEIGHT || d->n_dim == 0 || d->n_dim == LT_MAX_RANK)
			continue;
		cell->pairs = c.axis[i] >= 0 ? c.axis[i] : d->n_dim - 1;
		const int64_t n = q->graph->var[d->dim[cell->pairs]].extent;
		cell->packed = n ? cell->elems / n * ((n + 1) / 2) : 0;
	}
	return LT_OK;
}

lt_status lt__quant_find_pairs(struct lt_quant *q) { return lt__protect(q->graph->ctx, find_pairs, q); }

static lt_status find_channels(void *user)
{
	struct lt_quant *q = user;
	const struct lt_graph *g = q->graph;
	struct channels c = axes_of(q);
	for (int32_t i = 0; i < q->n_cell; i++)
		if (c.axis[i] >= 0)
			set_cell(q, &q->cell[i], c.axis[i]);
	for (lt_node z = 0; z < g->n_node; z++)
		for (int32_t i = 0; i < g->node[z].n_operand; i++) {
			const lt_node x = g->node[z].operand[i];
			if (c.operand[x] >= 0 && c.axis[cell_of(&c, x)] >= 0)
				set_sum(&c, z, x);
		}
	return LT_OK;
}

lt_status lt__quant_find_channels(struct lt_quant *q) { return lt__protect(q->graph->ctx, find_channels, q); }

int32_t lt__quant_coarser(struct lt_quant_format f, int64_t channel)
{
	return f.channel ? ilogb(f.channel[channel]) : 0;
}

bool lt__quant_has_channels(const struct lt_quant_cell *c, struct lt_quant_format f)
{
	for (int64_t i = 0; f.channel && i < c->channels; i++)
		if (f.channel[i] > 1)
			return true;
	return false;
}

int32_t lt__quant_most_coarser(const struct lt_quant_cell *c, struct lt_quant_format f)
{
	int32_t most = 0;
	for (int64_t i = 0; f.channel && i < c->channels; i++)
		most = lt__quant_coarser(f, i) > most ? lt__quant_coarser(f, i) : most;
	return most;
}
