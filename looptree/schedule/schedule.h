/* schedule.h -- lists of schedule primitives: docs/schedule.md.
 *
 * A list begins with "schedule 1"; then one step a line, or several with ';' between them; '#' begins a comment.
 */
#ifndef LT_LOOPTREE_SCHEDULE_SCHEDULE_H
#define LT_LOOPTREE_SCHEDULE_SCHEDULE_H
#include "looptree/tree/tree.h"

enum { LT_SCHEDULE_VERSION = 1 };
/* Gives a new tree, the caller's to free; `from`, which is finished, stays as it is.  After each step the tree is
 * proven legal; the first that is refused ends it, with "NAME:LINE:COLUMN: `step`: sentence". */
lt_status lt__schedule_apply(
	const struct lt_looptree *from, const char *text, size_t bytes, const char *name, struct lt_looptree **out);
/* The same without the first line.  cursor[i], a node of `from`, becomes what it is in the new tree: a loop that was
 * merged with another is that one, -1: it is gone. */
lt_status lt__schedule_steps(const struct lt_looptree *from, const char *text, size_t bytes, const char *name,
	int32_t n_cursor, lt_tnode *cursor, struct lt_looptree **out);

/* Whether there is no step in it: blanks, ';' and comments alone. */
bool lt__schedule_is_empty(const char *text, size_t bytes);

struct lt_primitive { const char *name, *usage, *doc; };
int32_t lt__primitive_count(void);
const struct lt_primitive *lt__primitive_at(int32_t i);        /* in the order of schedule.def */
#endif
