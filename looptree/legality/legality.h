/* legality.h -- whether a tree is legal: the rules of its shape, of tails and depths, and the exact check of what its
 * leaves read.
 *
 * lt_looptree_finish asks all of them, in this order: check.c, multibuffer.c, prove.c.
 */
#ifndef LT_LOOPTREE_LEGALITY_LEGALITY_H
#define LT_LOOPTREE_LEGALITY_LEGALITY_H
#include "looptree/tree/tree.h"

/* check.c: the rules of a tree's shape and of data flow between its leaves.  Sets `plain`: reads of other iterations'
 * elements are not refused here but left to the exact check. */
lt_status lt__check_tree(struct lt_looptree *);

/* tail.c: LT_OK, or what is wrong with the tail of a loop or the extent of an unroll, vector or block loop. */
lt_status lt__check_tail(const struct lt_looptree *, lt_tnode loop);
/* LT_OK, or what makes the extent of an unroll, vector or block loop vary. */
lt_status lt__check_extent(const struct lt_looptree *, lt_tnode loop);

/* multibuffer.c: whether each copy that is made ahead may be. */
lt_status lt__check_depths(struct lt_looptree *);

/* prove.c: whether a tree that passed the rules and has scopes is legal.  lt__prove_tree always asks isl,
 * lt__verify_tree only where the structure does not show it. */
lt_status lt__verify_tree(struct lt_looptree *);
lt_status lt__prove_tree(struct lt_looptree *);
#endif
