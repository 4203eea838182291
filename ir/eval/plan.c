/* plan.c -- which nodes the oracle stores, and after which node each is dead.
 *
 * Stored is what a result or a state needs whole, what is read in an order of its own (through a view, a gather, an
 * update), what would be computed again and again, and what closes an expression that grew long.
 */
#include "ir/eval/parts.h"

/* Facts gathered from the readers of a node. */
struct use { lt_node reader; bool again, indexed; };

/* Elements that a node's leaf visits; a double, because a lazy node may be larger than any array. */
static double visits(const struct lt_graph *g, lt_node n, lt_var *loop)
{
	int32_t n_loop = lt__node_loops(g, n, loop);
	double elems = 1;

	for (int32_t i = 0; i < n_loop; i++)
		elems *= (double)g->var[loop[i]].extent;
	return elems;
}

static double elements(const struct lt_graph *g, lt_node n)
{
	double elems = 1;

	for (int32_t i = 0; i < g->node[n].n_dim; i++)
		elems *= (double)g->var[g->node[n].dim[i]].extent;
	return elems;
}

/* Not those of a node whose value is just given. */
static bool reads_operands(const struct lt_evaluation *e, lt_node n)
{
	return e->needed[n] && (e->wanted[n] || !e->options.given || !e->options.given[n]);
}

static void mark_operands(struct lt_evaluation *e, lt_node n, struct use *use, lt_var *loop)
{
	const struct lt_nodedef *d = &e->g->node[n];
	bool indexed = d->op == LT_OP_view || d->op == LT_OP_update;
	double size = visits(e->g, n, loop);

	for (int32_t i = 0; i < d->n_operand; i++) {
		lt_node x = d->operand[i];
		e->needed[x] = true;
		if (use[x].reader >= 0 && use[x].reader != n)
			use[x].again = true;
		use[x].reader = n;
		if (indexed || (d->op == LT_OP_gather && i == 0))
			use[x].indexed = true;
		else if (size > elements(e->g, x))
			use[x].again = true;
	}
}

static bool is_view_like(const struct lt_nodedef *d)
{
	return d->op == LT_OP_view || d->op == LT_OP_lit || d->op == LT_OP_index || lt__eval_is_source(d);
}

/* Number of nodes (for views: of views on the longest way) below and with n, if it is lazy. */
static int32_t lazy_size(const struct lt_evaluation *e, lt_node n, const int32_t *size)
{
	const struct lt_nodedef *d = &e->g->node[n];
	int32_t sum = 0, deepest = 0;

	for (int32_t i = 0; i < d->n_operand; i++) {
		lt_node x = d->operand[i];
		int32_t s = e->stored[x] ? 1 : size[x];
		if (e->g->node[x].op == LT_OP_view && d->op != LT_OP_view)
			s = 1;
		sum += s;
		deepest = s > deepest ? s : deepest;
	}
	return d->op == LT_OP_view ? 1 + deepest : 1 + sum;
}

static void choose_stored(struct lt_evaluation *e, const struct use *use)
{
	const struct lt_graph *g = e->g;
	int32_t *size = LT_NEW(e->arena, int32_t, g->n_node + 1);

	for (lt_node n = 0; n < g->n_node; n++) {
		const struct lt_nodedef *d = &g->node[n];
		if (!e->needed[n] || e->stored[n])
			continue;
		size[n] = d->op == LT_OP_lit || d->op == LT_OP_index || lt__eval_is_source(d) ? 1 : lazy_size(e, n, size);
		if (d->op == LT_OP_view)
			e->stored[n] = size[n] > LT_LAZY_VIEWS;
		else if (!is_view_like(d))
			e->stored[n] = d->reduce || d->op == LT_OP_gather || d->op == LT_OP_update || use[n].again
				|| use[n].indexed || size[n] > LT_LAZY_SIZE;
	}
}

/* A lazy node's operands live as long as what reads it, so one sweep from the end finds each last reader. */
static void find_deaths(struct lt_evaluation *e)
{
	const struct lt_graph *g = e->g;
	bool keep = !e->options.done;

	for (lt_node n = g->n_node - 1; n >= 0; n--) {
		const struct lt_nodedef *d = &g->node[n];
		if (!reads_operands(e, n))
			continue;
		lt_node until = e->stored[n] ? n : e->last[n];
		for (int32_t i = 0; i < d->n_operand; i++)
			if (e->last[d->operand[i]] < until)
				e->last[d->operand[i]] = until;
	}
	for (lt_node n = 0; n < g->n_node; n++) {
		if (keep && e->wanted[n])
			e->last[n] = g->n_node;
		if (!e->stored[n] || e->last[n] < 0 || e->last[n] == g->n_node)
			continue;
		e->dies_next[n] = e->dies[e->last[n]];
		e->dies[e->last[n]] = n;
	}
}

int64_t lt__eval_elems(const struct lt_evaluation *e, lt_node n)
{
	const struct lt_nodedef *d = &e->g->node[n], *x = d->reduce ? &e->g->node[d->operand[0]] : d;
	int64_t elems = 1;

	for (int32_t i = 0; i < x->n_dim; i++)
		elems = lt__mul_sat(elems, e->extent[x->dim[i]]);
	return elems;
}

double lt__eval_work(const struct lt_evaluation *e, lt_node n)
{
	const struct lt_nodedef *d = &e->g->node[n], *x = d->reduce ? &e->g->node[d->operand[0]] : d;
	double elems = x->op == LT_OP_mul && d->reduce ? 1 : 4;         /* products are fast */

	for (int32_t i = 0; i < x->n_dim; i++)
		elems *= (double)(e->extent[x->dim[i]] > 0 ? e->extent[x->dim[i]] : 1);
	return elems;
}

static void mark_wanted(struct lt_evaluation *e)
{
	const struct lt_eval_options *o = &e->options;

	for (int32_t i = 0; i < (o->want ? o->n_want : 0); i++)
		e->wanted[o->want[i]] = true;
	for (int32_t i = 0; i < (o->want ? 0 : e->n_result); i++)
		e->wanted[e->result[i]] = true;
	for (int32_t i = 0; i < (o->want ? 0 : e->n_set); i++)
		e->wanted[e->set[i]] = true;
	for (lt_node n = 0; n < e->n_node; n++) {
		e->needed[n] = e->wanted[n];
		e->stored[n] = e->wanted[n] || (o->given && o->given[n]);
	}
}

/* What is wanted is a value of its type. */
static void choose_roundings(struct lt_evaluation *e)
{
	const struct lt_eval_options *o = &e->options;

	if (!o->unrounded || o->want_error)
		return;
	e->left_out = LT_NEW(e->arena, bool, e->n_node + 1);
	for (lt_node n = 0; n < e->n_node; n++)
		e->left_out[n] = o->unrounded[n] && !e->wanted[n];
}

void lt__eval_plan(struct lt_evaluation *e)
{
	const struct lt_graph *g = e->g;
	struct use *use = LT_NEW(e->arena, struct use, g->n_node + 1);
	int32_t max = 1;

	for (lt_node n = 0; n < g->n_node; n++) {
		const struct lt_nodedef *d = &g->node[n];
		int32_t loops = d->n_dim + (d->n_operand > 0 ? g->node[d->operand[0]].n_dim : 0);
		max = loops > max ? loops : max;
		use[n].reader = -1;
		e->last[n] = e->dies[n] = e->dies_next[n] = -1;
	}
	mark_wanted(e);
	choose_roundings(e);
	lt_var *loop = LT_NEW(e->arena, lt_var, max);
	for (lt_node n = g->n_node - 1; n >= 0; n--) {
		if (!reads_operands(e, n))
			continue;
		mark_operands(e, n, use, loop);
		/* an update may take its operand's storage, so its block must not be read from there while it is written */
		if (g->node[n].op == LT_OP_update && !lt__eval_is_source(&g->node[g->node[n].operand[1]]))
			e->stored[g->node[n].operand[1]] = true;
	}
	choose_stored(e, use);
	for (lt_node n = 0; n < g->n_node; n++)
		e->computed[n] = e->stored[n] && reads_operands(e, n);
	find_deaths(e);
}
