/* materialize.h -- the graph that a tree is made for: what has to be copied is a node of its own. */
#ifndef LT_PROGRAM_STORAGE_MATERIALIZE_H
#define LT_PROGRAM_STORAGE_MATERIALIZE_H
#include "looptree/freeze/freeze.h"

lt_status lt__materialize(const struct lt_graph *in, struct lt_graph **out);            /* materialize.c */
/* wide.c: by node, views that views read through a copy */
bool *lt__wide_views(const struct lt_graph *, struct lt_arena *);
/* Whether the view can be written through; fills the location of each operand (storage left alone). */
/* alias_result.c */
bool lt__alias_result(const struct lt_graph *, struct lt_arena *, lt_node view, struct lt_location *);
#endif
