/* looptree/show.h -- a frozen tree as text for people. */
#ifndef LT_LOOPTREE_SHOW_H
#define LT_LOOPTREE_SHOW_H
#include "ir/arena.h"
#include "ir/op.h"
#include "lt/tree.h"

/* Its tables with names: loops, buffers, statements with their rows. */
void lt__show_frozen(struct lt_text *, const struct lt_tree *);
/* What each statement touches: rows, guards, strides along each loop, bytes touched by all trips of a loop and those inside. */
void lt__show_access(struct lt_text *, const struct lt_tree *);
#endif
