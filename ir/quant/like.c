/* like.c -- which nodes of a graph are the same of other rounds: a recurrent layer, or a repeat of a script, has nodes
 * of its own for each step.
 *
 * Example: of h1 = tanh(x[1] w + h0 u), h2 = tanh(x[2] w + h1 u), h3 = tanh(x[3] w + h2 u), each of p nodes one after
 * the other, node i + p computes what node i does, of operands that are p nodes further on, or the same: x, w, u.  That
 * has to hold for two rounds at least, and something has to be carried, as h is.  The first round need not be so: h0
 * may be a constant, or its product left out.  So what it shares with the second is found from what is carried, h0 and
 * h1, back through their operands as long as they are of a kind.
 */
#include <stdlib.h>
#include <string.h>
#include "ir/quant/parts.h"

struct rounds { const struct lt_quant *q; lt_node *like; };

static bool same_extents(const struct lt_graph *g, const struct lt_nodedef *a, const struct lt_nodedef *b)
{
	for (int32_t i = 0; i < a->n_dim && a->n_dim == b->n_dim; i++)
		if (g->var[a->dim[i]].extent != g->var[b->dim[i]].extent)
			return false;
	return a->n_dim == b->n_dim;
}

/* Whether two nodes do the same, whatever of. */
static bool same_kind(const struct lt_graph *g, lt_node a, lt_node b)
{
	const struct lt_nodedef *x = &g->node[a], *y = &g->node[b];
	return x->op == y->op && x->reduce == y->reduce && x->dtype == y->dtype && x->n_operand == y->n_operand
		&& x->n_piece == y->n_piece && x->op != LT_OP_constant && x->op != LT_OP_input && same_extents(g, x, y);
}

/* Whether node i + p goes on as node i. */
static bool goes_on(const struct lt_graph *g, lt_node i, int32_t p)
{
	if (!same_kind(g, i, i + p))
		return false;
	for (int32_t k = 0; k < g->node[i].n_operand; k++) {
		const lt_node a = g->node[i].operand[k], b = g->node[i + p].operand[k];
		if (a != b && a + p != b)
			return false;
	}
	return true;
}

/* The first of those that are like x. */
static lt_node first_of(const struct rounds *r, lt_node x)
{
	while (r->like[x] != x)
		x = r->like[x];
	return x;
}

static void join(struct rounds *r, lt_node a, lt_node b)
{
	a = first_of(r, a);
	b = first_of(r, b);
	r->like[a > b ? a : b] = a > b ? b : a;
}

/* a of the first round, b of the second one. */
static void join_first(struct rounds *r, lt_node a, lt_node b)
{
	const struct lt_graph *g = r->q->graph;
	if (first_of(r, a) == first_of(r, b) || !same_kind(g, a, b) || r->q->node[a].kind != QUANT_EXACT
		|| r->q->node[b].kind != QUANT_EXACT)
		return;
	join(r, a, b);
	for (int32_t k = 0; k < g->node[a].n_operand; k++)
		join_first(r, g->node[a].operand[k], g->node[b].operand[k]);
}

/* Joins rounds of p nodes, the nodes from `begin` to `end` of which go on as those p before do; false: nothing is
 * carried. */
static bool join_rounds(struct rounds *r, lt_node begin, lt_node end, int32_t p)
{
	const struct lt_graph *g = r->q->graph;
	bool carried = false;
	for (lt_node i = begin; i < begin + p; i++)
		for (int32_t k = 0; k < g->node[i].n_operand; k++)
			carried = carried || (g->node[i].operand[k] < begin && g->node[i].operand[k] + p == g->node[i + p].operand[k]);
	if (!carried)
		return false;
	for (lt_node i = begin; i < end; i++)
		join(r, i, i + p);
	for (lt_node i = begin; i < begin + p; i++)
		for (int32_t k = 0; k < g->node[i].n_operand; k++) {
			const lt_node of = g->node[i].operand[k];
			if (of < begin && of + p == g->node[i + p].operand[k])
				join_first(r, of, of + p);
		}
	return true;
}

/* Nodes from `begin` to `end` go on as those p before; the most nodes first, of as many the shortest rounds. */
struct quant_run { lt_node begin, end; int32_t p; };

static int by_nodes(const void *a, const void *b)
{
	const struct quant_run *x = a, *y = b;
	const int32_t n = x->end - x->begin + x->p, m = y->end - y->begin + y->p;
	return n != m ? (n < m) - (n > m) : x->p != y->p ? (x->p > y->p) - (x->p < y->p) : (x->begin > y->begin)
		- (x->begin < y->begin);
}

static struct quant_run *find_runs(const struct lt_graph *g, struct lt_arena *arena, int32_t *n)
{
	struct quant_run *run = NULL;
	int32_t cap = 0;
	*n = 0;
	for (int32_t p = 1; p <= LT_MAX_PERIOD && 2 * p < g->n_node; p++)
		for (lt_node begin = 0, end; begin + p < g->n_node; begin = end + 1) {
			for (end = begin; end + p < g->n_node && goes_on(g, end, p); end++)
				;
			if (end - begin < p)
				continue;
			LT_GROW(arena, run, *n, cap);
			run[(*n)++] = (struct quant_run){ begin, end, p };
		}
	if (*n)
		qsort(run, (size_t)*n, sizeof *run, by_nodes);
	return run;
}

lt_node *lt__quant_like(const struct lt_quant *q, struct lt_arena *arena)
{
	const struct lt_graph *g = q->graph;
	struct rounds r = { q, LT_NEW(arena, lt_node, g->n_node + 1) };
	bool *taken = LT_NEW(arena, bool, g->n_node + 1);
	int32_t n;
	const struct quant_run *run = find_runs(g, arena, &n);
	for (lt_node x = 0; x < g->n_node; x++)
		r.like[x] = x;
	for (int32_t i = 0; i < n; i++) {
		bool free = true;
		for (lt_node x = run[i].begin; x < run[i].end + run[i].p; x++)
			free = free && !taken[x];
		if (free && join_rounds(&r, run[i].begin, run[i].end, run[i].p))
			memset(taken + run[i].begin, true, sizeof *taken * (size_t)(run[i].end + run[i].p - run[i].begin));
	}
	for (lt_node x = 0; x < g->n_node; x++)
		r.like[x] = first_of(&r, x);
	return r.like;
}
