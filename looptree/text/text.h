/* text.h -- the text of a tree (docs/tree.md): lt_looptree_print, _parse and _diff of lt/looptree.h are here. */
#ifndef LT_LOOPTREE_TEXT_TEXT_H
#define LT_LOOPTREE_TEXT_TEXT_H
#include "looptree/tree/tree.h"

/* Further facts of a tree's lines, by tree node; NULL: none, several with a newline between each two.  before: lines of
 * their own in front of it; on: behind its own. */
struct lt_treecomments { const char **before, **on; };
/* lt_looptree_print with these; NULL: none. */
lt_status lt__looptree_print(const struct lt_looptree *, const struct lt_treecomments *,
	void (*write)(void *, const char *, size_t), void *user);
#endif
