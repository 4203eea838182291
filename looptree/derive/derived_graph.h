/* derived_graph.h -- a tree's graph with the nodes that further steps add to it (derived_graph.c). */
#ifndef LT_LOOPTREE_DERIVE_DERIVED_GRAPH_H
#define LT_LOOPTREE_DERIVE_DERIVED_GRAPH_H
#include "looptree/derive/derive.h"

/* Steps in hand: those that only name nodes of the graph before them and leave each other alone.  They are hung on the
 * node that they are before (or, of a materialised value, after), in order. */
struct lt_derived_batch {
	const struct lt_graph *in;
	const struct lt_derived_step *step;
	int32_t n;
	int32_t *first, *next;          /* by node; by step: lists, -1 ends */
	bool *result, *written;         /* by node: a result or a state's content; what those are made by */
	bool *live;                     /* by node: somebody reads it; a view may have lost its readers */
	int32_t *left;                  /* by node: readers, and outside the graph, after the steps in hand */
	bool *gone;                     /* by node: its last reader reads a clone */
	lt_var *trip;                   /* by step: the dim that PARTIAL makes */
	lt_node *to;                    /* where each node went, for the caller */
	int32_t now;                    /* the step in hand */
};

/* Takes the steps from the first on that can be done in one go: b->n of them; b->now: the step that a failure is about.
 * The caller sets in, step and n; what the batch holds is in the arena. */
lt_status lt__derived_graph(struct lt_arena *, struct lt_derived_batch *b, struct lt_graph **out);
#endif
