/* tree_enum.h -- a loop tree run trip by trip on cells that remember which element they hold.
 *
 * The rules of lt/looptree.h and nothing else: no isl, no frozen tree.  A cell is poison until it is written, local
 * cells again at the beginning of each iteration of their owner; a read must find the element that it means, complete.
 */
#ifndef LT_TREE_ENUM_H
#define LT_TREE_ENUM_H
#include "looptree/tree/tree.h"

/* "" or the first thing that goes wrong with these values of the graph's params; static storage. */
const char *tree_enumerate(struct lt_looptree *, const int64_t *param);
/* A tree that is not finished: what the exact check says of the dependences, and whether running it finds one, for all
 * values of the params. */
enum tree_verdict {
	TREE_SHAPE,     /* another rule refuses it first */
	TREE_LEGAL,     /* both say so */
	TREE_ILLEGAL,   /* both say so */
	TREE_OPEN,      /* too large to run, or refused by a rule that looks at no reader */
	TREE_WRONG      /* they say different things: why */
};
enum tree_verdict tree_judge(struct lt_looptree *, char *why, size_t bytes);
#endif
