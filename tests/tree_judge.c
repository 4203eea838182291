/* tree_judge.c -- the exact check of a tree against running it trip by trip. */
#include <stdio.h>
#include <string.h>
#include "looptree/legality/legality.h"
#include "tests/tree_enum.h"

enum { MAX_RUNS = 3000, MAX_VALUES = 40 };

struct check { struct lt_looptree *t; bool shape; lt_status proven; };
static lt_status check(void *arg)
{
	struct check *c = arg;
	c->shape = true;
	LT_TRY(lt__check_tree(c->t));
	LT_TRY(lt__fill_scopes(c->t));
	c->shape = false;
	c->proven = lt__prove_tree(c->t);
	return LT_OK;
}

/* How often leaves run, all together, at most; -1: more than is enumerated. */
static int64_t runs_of(const struct lt_looptree *t)
{
	int64_t sum = 0;
	for (lt_node n = 0; n < t->graph->n_node; n++) {
		int64_t runs = 1;
		for (lt_tnode up = t->leaf_of[n]; up >= 0 && runs <= MAX_RUNS; up = t->node[up].parent)
			runs *= t->node[up].kind == LT_TLOOP ? lt_looptree_trip_count(t, up) : 1;
		sum += t->leaf_of[n] >= 0 ? runs : 0;
		if (sum > MAX_RUNS)
			return -1;
	}
	return sum;
}

/* The next values of the params, as a counter counts; false: these were the last. */
static bool next_values(const struct lt_graph *g, int64_t *param)
{
	for (lt_param p = 0; p < g->n_param; p++) {
		if (++param[p] <= g->param[p].high)
			return true;
		param[p] = g->param[p].low;
	}
	return false;
}

static bool few_values(const struct lt_graph *g, int64_t *param, int32_t cap)
{
	int64_t n = 1;
	for (lt_param p = 0; p < g->n_param; p++) {
		if (p == cap || g->param[p].high - g->param[p].low >= MAX_VALUES)
			return false;
		param[p] = g->param[p].low;
		n *= g->param[p].high - g->param[p].low + 1;
		if (n > MAX_VALUES)
			return false;
	}
	return true;
}

enum tree_verdict tree_judge(struct lt_looptree *t, char *why, size_t bytes)
{
	struct check c = { .t = t };
	int64_t param[8];
	lt__protect(t->ctx, check, &c);
	const char *message = c.proven || c.shape ? lt_context_message(t->ctx) : "", *found;
	(void)snprintf(why, bytes, "%s", message);
	if (c.shape)
		return TREE_SHAPE;
	if (strstr(message, "may have no iterations") || strstr(message, "not proven") ||
		runs_of(t) < 0 || !few_values(t->graph,
		param, 8))
		return TREE_OPEN;
	do
		found = tree_enumerate(t, param);
	while (!*found && next_values(t->graph, param));
	if ((c.proven != LT_OK) == (*found != '\0'))
		return *found ? TREE_ILLEGAL : TREE_LEGAL;
	(void)snprintf(why, bytes, "the exact check says '%s', running it '%s'",
		c.proven ? lt_context_message(t->ctx) : "legal", *found ? found : "legal");
	return TREE_WRONG;
}
