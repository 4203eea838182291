/* nearest.c -- the nodes and vars of a graph that a word was probably meant to be. */
#include <stdio.h>
#include "base/nearest.h"
#include "ir/graph/graph.h"

const char *lt__nearest_node(const struct lt_graph *g, const bool *only, const char *word, size_t bytes)
{
	enum { SOME = 8 };
	struct lt_nearest x;
	char text[200] = "";
	int n = 0, shown = 0;
	lt__nearest_begin(&x, word, bytes);
	for (lt_node i = 0; i < g->n_node; i++)
		if (!only || only[i])
			lt__nearest_add(&x, g->node[i].name);
	if (x.n > 0)
		return lt__nearest_hint(g->ctx, &x, "%", "");
	for (lt_node i = 0; i < g->n_node && shown <= SOME && n < (int)sizeof text - 30; i++)
		if (!only || only[i])
			n += shown++ == SOME ? snprintf(text + n, sizeof text - (size_t)n, " ...")
					     : snprintf(text + n, sizeof text - (size_t)n, "%s%%%.20s",
						     shown > 1 ? ", " : "", g->node[i].name);
	return n ? lt__scratch(g->ctx, "; there %s %s", shown > 1 ? "are" : "is", text) : "";
}

const char *lt__nearest_var(const struct lt_graph *g, const char *word, size_t bytes)
{
	struct lt_nearest x;
	lt__nearest_begin(&x, word, bytes);
	for (lt_var v = 0; v < g->n_var; v++)
		lt__nearest_add(&x, g->var[v].name);
	return lt__nearest_hint(g->ctx, &x, "'", "'");
}
