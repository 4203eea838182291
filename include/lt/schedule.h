/* lt/schedule.h -- loop trees changed step by step: the primitives as a table, and what a step that is refused says.
 *
 * A step is the name of a primitive and its words: "split m 6", "fuse %5 %4/i"; docs/schedule.md describes each.
 *
 * A tree is a value: applying steps gives a new tree, and the one that it was made from stays as it is; either may be
 * freed first.  Both are of the same graph, which outlives them (lt/looptree.h), and of its context: one thread at a
 * time.
 */
#ifndef LT_SCHEDULE_H
#define LT_SCHEDULE_H
#include "lt/looptree.h"

#ifdef __cplusplus
extern "C" {
#endif

/* -- the primitives.  Rows are filled as those of lt/table.h: as far as `size` says; LT_EINVAL: there is no such row.
 * Texts are static; any thread, without a context. */
/* What a word of a step may be; values are pinned. */
enum lt_argument_kind {
	LT_ARGUMENT_LOOP = 1,   /* a loop by its path: "m'", "%c/m'" (of `serial` and `call` a group, too)   */
	LT_ARGUMENT_LINE,       /* a loop, a group or a leaf by its path: "m", "group", "%c"                  */
	LT_ARGUMENT_NODE,       /* a node that has a leaf: "%c"                                               */
	LT_ARGUMENT_VALUE,      /* any node: "%x"                                                             */
	LT_ARGUMENT_NUMBER,     /* a whole number of at least 1                                               */
	LT_ARGUMENT_CHOICE,     /* one of a few words                                                         */
	LT_ARGUMENT_NAME,       /* of a routine or an instruction: letters, digits, '_' and '.'               */
	LT_ARGUMENT_DIGIT,      /* a digit of a dim, "n" or "n/64"; or "pad", "swizzle" and a number behind it */
	LT_ARGUMENT_WORD        /* this very word; `repeated`: and what docs/schedule.md says may follow it   */
};
struct lt_primitive_row {
	uint32_t size;
	int32_t n_argument;
	const char *name;               /* "split"                                                     */
	const char *usage;              /* "split LOOP STEP"                                           */
	const char *help;               /* one line                                                    */
};
struct lt_argument_row {
	uint32_t size;
	int32_t kind;                   /* enum lt_argument_kind                                       */
	const char *name;               /* "STEP", "LOOP"; of a WORD the word                          */
	uint32_t optional;              /* 1: it may be left out, with all that are optional behind it */
	uint32_t repeated;              /* 1: more of them may follow                                  */
};
LT_API int32_t lt_primitive_count(void);
LT_API lt_status lt_primitive_at(int32_t i, struct lt_primitive_row *out);
/* Argument k of primitive i. */
LT_API lt_status lt_primitive_argument(int32_t i, int32_t k, struct lt_argument_row *out);
/* Of a CHOICE: word c of those that it may be; NULL: there are no more, or it is no CHOICE. */
LT_API const char *lt_primitive_choice(int32_t i, int32_t k, int32_t c);

/* -- what is refused. */
/* Values are pinned. */
enum lt_violation_kind {
	LT_VIOLATION_EARLY = 1,         /* the second reads an element before the first writes it       */
	LT_VIOLATION_OVERWRITTEN,       /* the second finds in memory what the first wrote, another element */
	LT_VIOLATION_CARRIED            /* iterations of a loop that run in any order use the same memory, and one writes */
};
/* The value of a loop's var, or of a run-time scalar.  Never grows. */
struct lt_coordinate { const char *name; int64_t at; };
/* What a leaf does in one iteration of the loops around it.  at: struct lt_coordinate, the vars of these loops where
 * they are; of the first of EARLY the dims of the value. */
struct lt_iteration {
	const char *node;               /* whose leaf it is, without %                                 */
	int32_t does, reserved;         /* enum lt_does                                                */
	struct lt_array at;
};
/* Two iterations that are in each other's way, found by isl: such as the proof needs, not the only ones. */
struct lt_violation {
	uint32_t size;
	int32_t kind;                   /* enum lt_violation_kind                                      */
	const char *value;              /* the node whose elements they use, without %                 */
	const char *loop;               /* CARRIED: the loop whose iterations they are; else NULL      */
	struct lt_array element;        /* int64_t a dim: the element that the second means; none where it is not known */
	struct lt_array found;          /* OVERWRITTEN: the element that it finds                      */
	struct lt_array params;         /* struct lt_coordinate: run-time scalars that it depends on   */
	struct lt_array pair;           /* struct lt_iteration: 2                                      */
};
/* Why a step is refused.  Everything in it is its own, and stays until lt_refused_step_free. */
struct lt_refused_step {
	uint32_t size;
	lt_status code;                 /* LT_ESYNTAX, LT_EILLEGAL, LT_EUNSUPPORTED ...                */
	const char *message;            /* all of it, as lt_context_message: "NAME:2:5: `step`: text; remedy" */
	const char *text;               /* what is wrong, without place and remedy                     */
	const char *remedy;             /* what would help, or what there is instead; NULL: nothing is known */
	const char *name;               /* of the text, as it was given                                */
	const char *step;               /* the step itself                                             */
	int32_t line, column;           /* of the step in the text, from 1                             */
	int32_t number;                 /* of the step, from 0: as many were applied before            */
	lt_tnode at;                    /* the loop, group or leaf that it is about, else the first that the step names, in
	                                 * the tree that was given; -1: none, or one that the steps made */
	const char *node;               /* the graph's node, without %; NULL: it is about none         */
	const char *loop;               /* the path of the loop, in the tree as the step left it; NULL */
	const struct lt_violation *violation;   /* NULL: a rule was broken, and no proof was asked     */
};

/* Applies steps: a text of them, one a line or with ';' between them, `#` begins a comment; its first line may be
 * "schedule 1".  No step at all gives the same tree again.  After each step the tree is checked, and proven legal.
 *
 * name      for messages; NULL: "schedule".
 * cursor    n_cursor nodes of the tree that is given (-1: none), which become what they are in the new one: a loop that
 *           was merged with another is that one; -1: it is gone.  On failure they mean nothing.  May be NULL, with 0.
 * out       the new tree, finished, the caller's to free; NULL on failure.
 * why       may be NULL.  NULL in it on success, and where no step is at fault (LT_ENOMEM, LT_ECANCELLED, LT_EBUDGET);
 *           else the first step that is refused, the caller's to free: before the context.
 *
 * Whatever fails is in the context, too.  LT_EINVAL: the tree is not finished. */
LT_API lt_status lt_looptree_apply(const struct lt_looptree *, const char *text, size_t bytes, const char *name,
	int32_t n_cursor, lt_tnode *cursor, struct lt_looptree **out, struct lt_refused_step **why);
/* The same of one step, by its words: word[0] is the primitive's name.  They are taken as they are. */
LT_API lt_status lt_looptree_apply_words(const struct lt_looptree *, int32_t n, const char *const *word,
	int32_t n_cursor, lt_tnode *cursor, struct lt_looptree **out, struct lt_refused_step **why);
LT_API void lt_refused_step_free(struct lt_refused_step *);     /* NULL: nothing */

#ifdef __cplusplus
}
#endif
#endif
