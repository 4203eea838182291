/* shapes.c -- the shapes of cases: their dims in a graph, and inputs of them. */
#include "tools/check/parts.h"

/* Extents of a shape, outermost first. */
static const struct { int n; int64_t at[4];
} shapes[CHECK_N_SHAPE] = {
	[CHECK_ONE] = { 2, { 1, 1 } },
	[CHECK_PRIME] = { 2, { 7, 13 } },
	[CHECK_BELOW] = { 2, { 3, 31 } },
	[CHECK_POWER] = { 2, { 4, 32 } },
	[CHECK_ABOVE] = { 2, { 5, 33 } },
	[CHECK_ZERO] = { 2, { 3, 11 } },
	[CHECK_SCALAR] = { 0, { 0 } },
	[CHECK_DEEP] = { 4, { 2, 3, 5, 17 } },
};

struct check_dims lt__check_dims(struct lt_graph *g, int shape)
{
	static const char *const names[] = { "m", "n", "p", "q" };
	struct check_dims d = { .n = shapes[shape].n };
	if (shape != CHECK_ZERO) {
		for (int i = 0; i < d.n; i++)
			d.at[i] = lt_graph_var(g, names[i], shapes[shape].at[i]);
		return d;
	}
	lt_var two = lt_graph_var(g, "two", 2);
	lt_node extents = lt_graph_input(g, "extents", LT_I64, 1, &two);
	for (int i = 0; i < d.n; i++) {
		int64_t one = 1;
		lt_param p = lt_graph_param(g, extents, i, 0, shapes[shape].at[i]);
		d.at[i] = lt_graph_var_bounded(g, names[i], shapes[shape].at[i], 0, 1, &p, &one);
	}
	return d;
}

lt_node lt__check_input(struct lt_graph *g, const char *name, enum lt_dtype t, const struct check_dims *d)
{
	return lt_graph_input(g, name, t, d->n, d->at);
}
