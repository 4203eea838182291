/* tests/tree_enum.h -- a loop tree run trip by trip on cells that remember which element they hold.
 *
 * The rules of lt/looptree.h and nothing else: no isl, no frozen tree.  A cell is poison until it is written, local cells again
 * at the beginning of each trip of their owner; a read must find the element that it means, complete.
 */
#ifndef LT_TREE_ENUM_H
#define LT_TREE_ENUM_H
#include "looptree/looptree.h"

/* "" or the first thing that goes wrong with these values of the graph's params; static storage. */
const char *tree_enumerate(struct lt_looptree *, const int64_t *param);
#endif
