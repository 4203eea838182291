/* access.h -- where an element of a value lies in the memory that a tree gives it; accesses as rows over loops are made
 * of it (lt/access.h). */
#ifndef LT_LOOPTREE_ACCESS_ACCESS_H
#define LT_LOOPTREE_ACCESS_ACCESS_H
#include "looptree/tree/tree.h"
#include "lt/access.h"

/* allocation.c: by dim, what is held of a value; elements of one of its buffers. */
lt_status lt__access_held(
	const struct lt_looptree *, struct lt_arena *, lt_node, const int64_t **extent, int64_t *elements);
/* place.c: over [index of each dim of the value | trips of `loop`, outermost first]: the index itself, then the
 * element's number in memory. */
lt_status lt__access_place(const struct lt_looptree *, struct lt_arena *, lt_node value, int32_t n_loop,
	const lt_tnode *loop, struct lt_map *out);
/* text.c: "%c reads %A[m, k] at 8*m + k"; the rows are there. */
const char *lt__access_text(
	const struct lt_looptree *, struct lt_arena *, const struct lt_accesses *, const struct lt_leaf_access *);
#endif
