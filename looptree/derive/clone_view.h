/* clone_view.h -- a node that is computed at the points where a view reads it (clone_view.c). */
#ifndef LT_LOOPTREE_DERIVE_CLONE_VIEW_H
#define LT_LOOPTREE_DERIVE_CLONE_VIEW_H
#include "ir/pass/frame.h"

/* Whether the view may read a clone of `of` that is computed at its points; written: what results and states are made
 * by. */
lt_status lt__clone_view_check(const struct lt_graph *, lt_node of, lt_node view, const bool *written);
/* Adds the clone `made` of node `of` of f->in; d, the view (a node of f->in with its operands in f->out), reads it from
 * then on. */
lt_status lt__clone_view_add(
	struct lt_frame *f, lt_node of, lt_node view, struct lt_nodedef *d, const char *name, lt_node *made);
#endif
