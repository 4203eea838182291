/* window.h -- copies of what a view reads of its source in one iteration of a loop (window.c). */
#ifndef LT_LOOPTREE_DERIVE_WINDOW_H
#define LT_LOOPTREE_DERIVE_WINDOW_H
#include "looptree/derive/derived.h"

/* Whether the view is a window of its one source: plain sums of its dims, and nothing left out but what the source does
 * not have. */
lt_status lt__window_check(const struct lt_graph *, struct lt_arena *, lt_node view);
/* Whether the copy of a window depends on which iterations the loops over v are in. */
bool lt__window_moves(const struct lt_graph *, struct lt_arena *, lt_node view, lt_var v);
/* Adds the copy of step s (LT_DERIVED_WINDOW; `of`: its view in `in`; from: the view's source in `out`), and the view
 * of it that the reader is to read: *made. */
lt_status lt__window_add(const struct lt_graph *in, lt_node of, struct lt_graph *out, lt_node from, struct lt_arena *a,
	const struct lt_derived_step *s, lt_node *made);
#endif
