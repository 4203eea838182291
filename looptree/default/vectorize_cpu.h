/* vectorize_cpu.h -- what the parts of the default tree share that turn plain nests into vectors and threads:
 * vectorize_cpu.c, inner.c. */
#ifndef LT_LOOPTREE_DEFAULT_VECTORIZE_CPU_H
#define LT_LOOPTREE_DEFAULT_VECTORIZE_CPU_H
#include "looptree/default/auto.h"
#include "looptree/schedule/schedule.h"

/* An innermost loop whose iterations may be lanes. */
struct lt_inner {
	lt_tnode loop;
	lt_var v;
	int64_t lanes, unroll;          /* of a vector of its widest type; vectors side by side */
	bool reduces, accumulates;      /* a leaf reduces over it; over a loop around it, not over it */
	bool bounded;                   /* its iterations depend on a run-time scalar */
	/* the loop around it along which what it reads lies in memory; -1: what it reads lies along it */
	lt_tnode with;
};
/* inner.c */
/* False: its iterations stay what they are. */
bool lt__inner_look(struct lt_looptree *, const struct lt_target *, lt_tnode loop, struct lt_inner *);
/* Elements that the loop covers in an iteration of the loops around it, at most and where these end. */
int32_t lt__inner_extents(const struct lt_looptree *, lt_tnode loop, int64_t *out, int32_t max);
/* The loop becomes one over vectors, `unroll` of them side by side, and one over their lanes; tails go where iterations
 * are partial. */
void lt__inner_cut(struct lt_edit *, const struct lt_inner *);
/* A loop in steps of `step` right around the loop. */
lt_tnode lt__inner_around(struct lt_edit *, lt_tnode loop, int64_t step);
/* The tiles of a copy between two orders of elements. */
void lt__inner_block(struct lt_edit *, const struct lt_inner *);
/* Iterations of all leaves inside. */
double lt__nest_work(const struct lt_looptree *, lt_tnode at);

/* rematerialize.c: gives readers of cheap nodes clones of them.  rows: those on both sides of a reduction, too. */
lt_status lt__auto_rematerialize(struct lt_auto *, bool rows);
/* vectorize_cpu.c: the tree that auto.c has placed; open: by tree node, roots that may be changed. */
lt_status lt__vectorize_cpu(struct lt_looptree *, const struct lt_target *, const bool *open);
#endif
