/* operations.c -- operations that a graph asks for: each element of each node once, whatever order it is computed
 * in. */
#include "ir/graph/graph.h"

/* A dim that counts another one's iterations, as partial sums have, adds none. */
static int64_t operations_of(const struct lt_graph *g, lt_node n, const int64_t *extent, lt_var *loops)
{
	int32_t n_all = lt__node_loops(g, n, loops), n_loop = 0;
	int64_t count = 1;
	for (int32_t i = 0; i < n_all; i++)
		if (!g->var[loops[i]].unit)
			loops[n_loop++] = loops[i];
	for (int32_t i = 0; i < n_loop; i++)
		if (extent && extent[loops[i]] == 0)
			return 0;
	for (int32_t i = 0; i < n_loop; i++)
		if (lt__mul_overflow(count, extent ? extent[loops[i]] : g->var[loops[i]].extent, &count))
			return INT64_MAX;
	return count;
}

int64_t lt__graph_operations(const struct lt_graph *g, struct lt_arena *a, const bool *without, const int64_t *extent)
{
	int64_t sum = 0;
	lt_var *loops = LT_NEW(a, lt_var, 2 * LT_MAX_RANK + 1);
	for (lt_node n = 0; n < g->n_node; n++)
		if (lt__op_counts(g->node[n].op) && !(without && without[n])
			&& lt__add_overflow(sum, operations_of(g, n, extent, loops), &sum))
			return INT64_MAX;
	return sum;
}

int64_t lt__node_operations(const struct lt_graph *g, struct lt_arena *a, lt_node n, const int64_t *extent)
{
	return operations_of(g, n, extent, LT_NEW(a, lt_var, 2 * LT_MAX_RANK + 1));
}
