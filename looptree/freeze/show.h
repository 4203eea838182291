/* show.h -- a frozen tree as text: for people, and as a key. */
#ifndef LT_LOOPTREE_FREEZE_SHOW_H
#define LT_LOOPTREE_FREEZE_SHOW_H
#include "base/arena.h"
#include "ir/op/op.h"
#include "lt/tree.h"

/* Its tables with names: loops, buffers, statements with their rows. */
void lt__show_frozen(struct lt_text *, const struct lt_tree *);
/* What each statement touches: rows, guards, strides along each loop, bytes touched by all iterations of a loop and
 * those inside. */
void lt__show_access(struct lt_text *, const struct lt_tree *);
/* canonical.c: lt_tree.text, of all else in it. */
void lt__tree_canonical(struct lt_text *, const struct lt_tree *);
#endif
