/* derive.h -- the nodes that a tree adds to its graph: copies, clones, partial sums, windows; and the graph that has
 * them. */
#ifndef LT_LOOPTREE_DERIVE_DERIVE_H
#define LT_LOOPTREE_DERIVE_DERIVE_H
#include "looptree/tree/tree.h"
#include "ir/pass/pass.h"

/* -- a tree's derived nodes: copies, clones and partial sums that primitives add to the graph of the
 * tree.
 *
 * A tree covers a graph.  What stage, materialize, inline and rfactor need in addition to the graph's nodes they add to
 * a graph of the tree's own, made from the other by a list of steps; the list is what the tree's text holds, so that
 * the graph is made again when the text is read.  The graph that the tree was made for never changes.
 */
enum lt_derived_kind {
	/* made = copy of; reader reads it in place of `of` */
	LT_DERIVED_COPY,
	/* made = copy of; of a result: the result is the copy; of another value: all readers read it */
	LT_DERIVED_MATERIALIZE,
	/* made = copy of what the view `of` reads of its source in one iteration of the loops that move it; reader reads it,
	 * through a view of the copy, in place of `of` */
	LT_DERIVED_WINDOW,
	/* made computes what `of` does, or is the same view; reader reads it in place of `of` */
	LT_DERIVED_CLONE,
	/* made computes what `of` does at the points where the view `reader` reads it; the view reads that in place */
	LT_DERIVED_CLONE_VIEW,
	/* made reduces what `of` reduces within one iteration of a loop over var in steps of `step`, inside one of `span`;
	 * that iteration is its last dim, `dim`, and all that `of` reduces */
	LT_DERIVED_PARTIAL
};
/* A loop over var in steps of `step` moves a window: the copy has the number of its iteration as dim `dim` (step 1: var
 * itself; NULL). */
struct lt_derived_move { const char *var, *dim; int64_t step; };
/* Names are without %.  of, reader and var are of the graph or made by an earlier step. */
struct lt_derived_step {
	enum lt_derived_kind kind;
	const char *made, *of;
	const char *reader;             /* COPY, WINDOW, CLONE, CLONE_VIEW */
	const char *var, *dim;          /* PARTIAL; dim is made */
	int64_t step, span;             /* PARTIAL; span 0: none around it */
	int32_t n_move;                 /* WINDOW */
	const struct lt_derived_move *move;
};

/* Adds nodes to the tree's graph and, with `to` (room for as many as the graph has nodes; may be NULL), says which node
 * each node became.  Leaves, layouts follow their nodes; the new nodes have no leaf yet.  Vars keep their numbers.  A
 * node whose last reader reads a clone of it is gone, and with it the views of it that are not read: -1; its leaf, that
 * of no node now, is the caller's to take out. Fails with a sentence. */
lt_status lt__tree_derive(struct lt_looptree *, const struct lt_derived_step *, int32_t n, lt_node *to);
/* The same; *failed: the step that a failure is about. */
lt_status lt__tree_derive_steps(
	struct lt_looptree *, const struct lt_derived_step *, int32_t n, lt_node *to, int32_t *failed);
/* The node of that name in a graph (derived_graph.c), in the tree's; -1: there is none, or no name. */
lt_node lt__node_named(const struct lt_graph *, const char *name);
lt_node lt__tree_node_named(const struct lt_looptree *, const char *name);
/* By node of the tree's graph the node of the base that it is; of the tree's own, and of views, that it is
 * made for: the value that a copy stores, else who reads it (the last of several).  -1: none. */
lt_node *lt__tree_bases(const struct lt_looptree *, struct lt_arena *);
/* A name that no node of the graph has, and none had that a step made: base, base2 ...; in the tree's arena. */
const char *lt__derived_name(const struct lt_looptree *, const char *base);
/* A name for the iterations of a loop over var that no var has: "k_16", "k_16_2" ..; in the tree's arena. */
const char *lt__derived_dim(const struct lt_looptree *, const char *var, int64_t step);
/* "copy %B for %p", as the text of a tree says it after "own %NAME = ". */
void lt__derived_text(struct lt_text *, const struct lt_derived_step *);

/* -- copies of what a view reads of its source in one iteration of a loop (window.c). */
/* Whether the view is a window of its one source: plain sums of its dims, and nothing left out but what the source does
 * not have. */
lt_status lt__window_check(const struct lt_graph *, struct lt_arena *, lt_node view);
/* Whether the copy of a window depends on which iterations the loops over v are in. */
bool lt__window_moves(const struct lt_graph *, struct lt_arena *, lt_node view, lt_var v);
/* Adds the copy of step s (LT_DERIVED_WINDOW; `of`: its view in `in`; from: the view's source in `out`), and the view
 * of it that the reader is to read: *made. */
lt_status lt__window_add(const struct lt_graph *in, lt_node of, struct lt_graph *out, lt_node from, struct lt_arena *a,
	const struct lt_derived_step *s, lt_node *made);

/* -- a node that is computed at the points where a view reads it (clone_view.c). */
/* Whether the view may read a clone of `of` that is computed at its points; written: what results and states are made
 * by. */
lt_status lt__clone_view_check(const struct lt_graph *, lt_node of, lt_node view, const bool *written);
/* Adds the clone `made` of node `of` of f->in; d, the view (a node of f->in with its operands in f->out), reads it from
 * then on. */
lt_status lt__clone_view_add(
	struct lt_frame *f, lt_node of, lt_node view, struct lt_nodedef *d, const char *name, lt_node *made);
#endif
