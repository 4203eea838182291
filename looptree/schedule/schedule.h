/* schedule.h -- lists of schedule primitives: docs/schedule.md.
 *
 * lt_looptree_apply of lt/schedule.h applies them.
 */
#ifndef LT_LOOPTREE_SCHEDULE_SCHEDULE_H
#define LT_LOOPTREE_SCHEDULE_SCHEDULE_H
#include "looptree/tree/tree.h"
#include "lt/schedule.h"

enum { LT_SCHEDULE_VERSION = 1 };
/* Whether there is no step in it: blanks, ';' and comments alone. */
bool lt__schedule_is_empty(const char *text, size_t bytes);

/* primitive.c: schedule.def as a table; what usages say of words: lt_primitive_argument. */
struct lt_primitive { const char *name, *usage, *doc; };
int32_t lt__primitive_count(void);
const struct lt_primitive *lt__primitive_at(int32_t i);        /* in the order of schedule.def */

/* -- what the schedule primitives share: a copy of a tree to change.
 *
 * A primitive is a function lt__primitive_NAME(edit, words) in a file of its own, and a row of schedule.def.  It
 * changes the copy; nodes keep their numbers meanwhile and what it takes out is dropped at the end, when the whole tree
 * is checked and proven. It refuses (LT_EILLEGAL, LT_ESYNTAX) with a sentence about the loop or leaf, the rule, and
 * what would fix it.
 */
struct lt_edit {
	const struct lt_looptree *from; /* never changed */
	struct lt_looptree *t;          /* the copy; `last`, last_root, n_root are set by lt__edit_close */
	lt_tnode *into;                 /* by node of `from`: the loop that took its place where it is gone, -1: none */
	lt_tnode *number;               /* by node of the copy before lt__edit_close numbered it: after; NULL: not yet */
};

/* edit.c: the copy's nodes. */
lt_status lt__edit_open(struct lt_edit *, const struct lt_looptree *from);
/* Numbers the nodes that are left in the order of the text; moved (by node of `from`; may be NULL): where each is now,
 * -1: gone. Then the tree is checked as lt_looptree_finish does, and held against the rule of constant extents. */
lt_status lt__edit_close(struct lt_edit *, lt_tnode *moved);
/* Only numbers them, of a tree that is being made: t and from are the same. */
lt_status lt__edit_number(struct lt_edit *);
/* A new loop that is not in the tree yet, serial. */
lt_tnode lt__edit_new_loop(struct lt_edit *, lt_var, int64_t step);
lt_tnode lt__edit_new_group(struct lt_edit *);
lt_tnode lt__edit_new_leaf(struct lt_edit *, lt_node);
/* A leaf for node n below parent (-1: a root) after its child `after`, in serial loops over those of its vars that the
 * loops around it leave open: in the order of its layout, then of its vars. */
lt_status lt__edit_nest(struct lt_edit *, lt_node n, lt_tnode parent, lt_tnode after);
void lt__edit_detach(struct lt_edit *, lt_tnode);
/* `at`, which is in no place, becomes a child of parent (-1: a root) after its child `after`; -1: the first. */
void lt__edit_insert(struct lt_edit *, lt_tnode parent, lt_tnode after, lt_tnode at);
/* `at`, which is in no place, takes the place of `old`, which then is in none; children stay with their loops. */
void lt__edit_replace(struct lt_edit *, lt_tnode old, lt_tnode at);
/* The last child (parent -1: root), and the child before `at`, -1: none. */
lt_tnode lt__edit_last(const struct lt_looptree *, lt_tnode parent);
lt_tnode lt__edit_before(const struct lt_looptree *, lt_tnode at);
bool lt__edit_is_only(const struct lt_looptree *, lt_tnode at);         /* child of its parent */
/* Whether a comes before b in the text. */
bool lt__edit_precedes(const struct lt_looptree *, lt_tnode a, lt_tnode b);
/* The loop or group around `at`, or `at` itself, that hands its nest to a routine; -1: none. */
lt_tnode lt__edit_called(const struct lt_looptree *, lt_tnode at);
/* Whether kind, argument, routine and tail are the same; nothing but serial and guard. */
bool lt__same_annotations(const struct lt_looptree *, lt_tnode, lt_tnode);

#define PRIMITIVE(name, usage, doc) lt_status lt__primitive_##name(struct lt_edit *, const struct lt_words *);
#include "looptree/schedule/schedule.def"
#endif
