/* param.c -- random run-time scalars: elements of vectors, and counters of runs. */
#include "check/random/must.h"
#include "check/random/maker.h"

/* A counter that lives across runs: 0, 1, 2 .. high. */
static lt_param count_runs(struct random_maker *m, int64_t high)
{
	lt_var one = lt_graph_var(m->g, NULL, 1);
	lt_node s = lt_graph_state(m->g, random_name(m, "s"), LT_I64, 1, &one);
	lt_node next = lt_graph_binary(m->g, "add", s, lt_graph_literal_int(m->g, LT_I64, 1));
	next = lt_graph_binary(m->g, "min", next, lt_graph_literal_int(m->g, LT_I64, high));
	must(lt_graph_set_state(m->g, s, next) == LT_OK, "%s", lt_context_message(m->g->ctx));
	return lt_graph_param(m->g, s, 0, 0, high);
}

lt_param random_param(struct random_maker *m, int64_t low, int64_t high)
{
	if (m->want->states && low == 0 && random_maybe(m, 15))
		return count_runs(m, high);
	/* An element of a vector, read directly or through a view; the others have ranges of their own. */
	int64_t n = random_pick_int(m, 1, 3), at = random_pick_int(m, 0, n - 1);
	int64_t lows[3] = { 0, 0, 0 }, highs[3] = { 3, 3, 3 };
	lows[at] = low;
	highs[at] = high;
	lt_var v = lt_graph_var(m->g, NULL, n);
	lt_node x = random_range_source(m, LT_I64, 1, &v, n, lows, highs);
	if (random_maybe(m, 25)) {
		x = lt_graph_slice(m->g, x, 0, at, 1, 1);
		at = 0;
	}
	lt_param p = lt_graph_param(m->g, x, at, low, high);
	must(p >= 0, "%s", lt_context_message(m->g->ctx));
	return p;
}
