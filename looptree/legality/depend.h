/* depend.h -- what the exact check asks about one value of one root nest: who touches it, when and where.
 *
 * An instance of a touch is the iterations of the loops around it (its counters), so that a split var is the sum of its
 * counters times their steps and nothing here needs a division.  depend_nest.c describes, depend.c asks isl, in the
 * terms of depend_sets.c.
 */
#ifndef LT_LOOPTREE_LEGALITY_DEPEND_H
#define LT_LOOPTREE_LEGALITY_DEPEND_H
#include "looptree/tree/tree.h"

/* What a touch does.  A reduction's leaf writes its cell and, as LT_TOUCH_ADDS, reads what it adds to. */
enum lt_touch_kind { LT_TOUCH_WRITES, LT_TOUCH_RESETS, LT_TOUCH_ADDS, LT_TOUCH_READS };
/* One loop around a touch; loop -1: one of a reset's own nest. */
struct lt_counter { lt_tnode loop; lt_var var; int64_t step; };
/* One dimension of time: a counter, or (-1) a place in the text. */
struct lt_when { int32_t counter; int64_t position; };
struct lt_touch {
	enum lt_touch_kind kind;
	lt_node node;                   /* whose leaf, or reset, it is */
	const struct lt_leaf *leaf;
	struct lt_map map;              /* over the leaf's columns: the element of the value; its guards hold */
	int32_t n_before;               /* pieces that come before this one: none of them holds */
	const struct lt_readpiece *before;
	int32_t n_extra;                /* 1: a gather, whose axis is a free number after the counters */
	int64_t extra_extent;
	int32_t n_counter;
	struct lt_counter *counter;
	int32_t *column;                /* by dim of the value: the column that the row is, -1: another expression */
	int32_t n_owned;                /* counters of the loops in whose iteration the cells live: the value's owner and
	                                 * above */
	int32_t n_outer;                /* counters above the value's outermost reducing loop (not of READS) */
	int32_t n_when;
	struct lt_when *when;
};
struct lt_question {
	const struct lt_graph *g;
	lt_node value;
	int64_t budget;                 /* isl operations; 0: the usual number */
	int32_t n_touch, cap_touch;
	struct lt_touch *touch;         /* writes and reset first */
	int32_t n_write;
	int32_t n_param;                /* params that any of it depends on */
	lt_param *param;
	/* By dim of the value: where all touches have the same outermost steps in its loops, their counters are digits of
	 * the index and can be compared one by one; the inner ones, if there are any, are the rest. */
	int32_t *n_digit;
	bool *remainder;
	/* The part of the value that its leaf writes, by dim: [low + at, low + at + extent), and less than limit elements. */
	int64_t *low, *extent;
	lt_param *at;                   /* -1: nothing */
	const struct lt_linear **limit; /* NULL: none */
};

/* A point of one or two touches: counters, and the values of the question's params. */
enum lt_answer_kind {
	LT_ANSWER_LEGAL,
	LT_ANSWER_EARLY,
	LT_ANSWER_OTHER,
	LT_ANSWER_CARRIED,
	LT_ANSWER_OPEN,
	LT_ANSWER_MEMORY,
	LT_ANSWER_CANCELLED             /* the context has the sentence */
};
struct lt_answer {
	enum lt_answer_kind kind;       /* EARLY: read before written; OTHER: another element is there; OPEN: not proven */
	int32_t touch, other;           /* the later one; OTHER, CARRIED: the other side */
	int64_t *at, *other_at, *param; /* room for every counter of a touch; for every param */
};

/* depend_nest.c */
struct lt_order;        /* the places of a tree's nodes and resets in the text */
struct lt_order *lt__depend_order(const struct lt_looptree *, struct lt_arena *);
/* Everything about value n and the leaves of its root nest that read it; NULL: nothing to ask. */
lt_status lt__depend_question(
	struct lt_looptree *, const struct lt_order *, struct lt_arena *, lt_node n, struct lt_question *out);
/* depend.c: isl; answers have their room before.  Simple: LEGAL or OPEN, by comparing times of what shares a cell;
 * flow: exact. */
void lt__depend_simple(const struct lt_question *, int32_t touch, struct lt_answer *);
void lt__depend_flow(const struct lt_question *, int32_t touch, struct lt_answer *);
/* Whether two iterations of `loop`, which is around both touches, meet in a cell. */
void lt__depend_carried(const struct lt_question *, int32_t a, int32_t b, lt_tnode loop, struct lt_answer *);
#endif
