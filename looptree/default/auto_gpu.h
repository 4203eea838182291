/* auto_gpu.h -- what the parts of the default tree share that give plain nests to the blocks and threads of a
 * GPU.
 *
 *     auto_gpu.c        which tree a nest gets: the page to begin with
 *     auto_gpu_nests.c  all nests of a tree
 *     auto_gpu_share.c  what shares the loops of a nest, when the nests are made
 *     auto_gpu_look.c   what is asked of a nest: its rows, how it moves along memory
 *     auto_gpu_split.c  before that: long reductions by partial results
 *     auto_gpu_tile.c   before that: tiles between two orders of elements
 *     auto_gpu_bind.c   the loops: grid and block loops, vectors
 *     auto_gpu_bytes.c  products of bytes
 *     auto_gpu_reason.c what was chosen and why
 *     auto_gpu_fit.c    whether a block has the memory for it
 *
 * A nest is its `chain`, loops directly in each other whose iterations have elements of their own, and what is in the
 * innermost of them: the body.
 */
#ifndef LT_LOOPTREE_DEFAULT_AUTO_GPU_H
#define LT_LOOPTREE_DEFAULT_AUTO_GPU_H
#include "looptree/default/auto.h"
#include "looptree/schedule/schedule.h"

enum { LT_GPU_CHAIN = 24, LT_GPU_BLOCK = 256 };
enum lt_gpu_form {
	LT_GPU_NONE,            /* nothing of it is shared out: one thread                               */
	LT_GPU_POINTS,          /* a thread has some elements side by side of what the chain runs over   */
	LT_GPU_THREADS,         /* a thread runs the body by itself, its neighbour the next iteration of the chain */
	LT_GPU_COLUMNS,         /* the same, and a reduction in the body is shared out along block.y     */
	LT_GPU_ROWS             /* threads side by side share the body                                   */
};
struct lt_gpu_nest {
	lt_tnode top;                   /* its outermost loop                                            */
	int32_t n_chain;
	lt_tnode chain[LT_GPU_CHAIN];   /* outermost first                                               */
	lt_tnode body;                  /* what the chain has in it, the first of the siblings           */
	bool leaves;                    /* the body is nothing but leaves, and loops of one iteration around them */
	lt_node last;                   /* the last leaf, which names it                                 */
	int64_t rows, elems;            /* iterations of the chain; the most of one child of the body    */
	enum lt_gpu_form form;
	lt_tnode lane;                  /* the chain's loop whose iterations are side by side, -1: none   */
	int64_t wide;                   /* elements, or rows (THREADS), of a thread that are accessed together */
	int64_t threads;                /* that share a row (ROWS) or a column (COLUMNS)                  */
	int64_t side;                   /* rows or columns of a block                                     */
	int64_t deep;                   /* threads that share what is reduced for one element of a row: along block.y; of
	                                 * bytes side by side                                                      */
	/* transactions of memory if threads side by side go along the lane; along the body's loops; negative: they cannot */
	double lane_traffic, row_traffic;
};
struct lt_gpu {
	struct lt_looptree *t;
	const struct lt_target *target;
	const struct lt_fallback *fallback;       /* by node of the tree's graph, or NULL */
	struct lt_edit e;
};
/* Threads that a block has at most, in whole subgroups; those that it has where nothing asks for another number. */
static inline int64_t lt__gpu_max_block(const struct lt_target *t)
{
	int64_t n = t->max_block && t->max_block < 1024 ? (int64_t)t->max_block : 1024;
	return t->warp && n > (int64_t)t->warp ? n - n % (int64_t)t->warp : n;
}
static inline int64_t lt__gpu_threads(const struct lt_target *t)
{
	int64_t max = lt__gpu_max_block(t);
	return max < LT_GPU_BLOCK ? max : LT_GPU_BLOCK;
}

/* auto_gpu_share.c: when clusters are placed.  Whether the cluster in hand, of node n, may stand inside `at`; whether
 * the only reader of n has v in its result. */
bool lt__gpu_may_join(const struct lt_auto *, lt_node n, lt_tnode at);
bool lt__gpu_is_kept(const struct lt_auto *, lt_node n, lt_var v);
/* Whether one block goes through the cluster of n in the time of a launch; whether n is summed soon, so that both
 * begin a group that is one block's; the innermost loop of the last nest if the
 * cluster, which needs nothing of it, has its loops, so that both are one launch: -1: it has not, or either has work
 * enough for its own. */
bool lt__gpu_is_short(const struct lt_auto *, lt_node n);
bool lt__gpu_is_summed(const struct lt_auto *, lt_node n);
lt_tnode lt__gpu_horizontal_fusion(const struct lt_auto *, lt_node n);

/* auto_gpu.c: what is chosen for a nest; its loops are not changed.  row: for one that stands in a group that is one
 * block's. */
void lt__gpu_choose(struct lt_gpu *, lt_tnode top, struct lt_gpu_nest *out);
void lt__gpu_choose_row(struct lt_gpu *, lt_tnode top, struct lt_gpu_nest *out);

/* auto_gpu_nests.c: the nests of the tree that auto.c has placed; open: by tree node, roots that may be changed.
 * apart: by node of the base graph, marked for nests that a block has no room for, and counted: the tree has to be made
 * again then. */
lt_status lt__auto_gpu(
	struct lt_auto *, const struct lt_target *, const bool *open, bool *unfused, int32_t *n_unfused);

/* auto_gpu_look.c.  Scopes are known. */
/* Whether each iteration of the loop has elements of its own; sums: or reduces, in any order. */
bool lt__gpu_may_share(const struct lt_looptree *, lt_tnode loop, bool sums);
/* Fills top, chain, body, leaves, rows, elems. */
void lt__gpu_look(const struct lt_gpu *, lt_tnode top, struct lt_gpu_nest *out);
/* Transactions of memory, of all that is inside `at`, if the iterations of loops over v are side by side. */
double lt__gpu_traffic(const struct lt_gpu *, lt_tnode at, lt_var v);
/* Elements along v that are accessed at once: as many as 16 bytes have, or fewer where an access does not begin at a
 * multiple of that; 0: nothing lies along v. */
int64_t lt__gpu_wide(const struct lt_gpu *, lt_tnode at, lt_var v);
/* The same of the narrowest type: what is wider takes several accesses then. */
int64_t lt__gpu_widest(const struct lt_gpu *, lt_tnode at, lt_var v);
/* Iterations of all loops in one run of `at`, one inside the other: of the deepest nest. */
int64_t lt__gpu_elems(const struct lt_looptree *, lt_tnode at);
/* Whether a leaf in `at` reduces. */
bool lt__gpu_reduces(const struct lt_looptree *, lt_tnode at);
/* Whether nothing but sums is made of a row, such as the products of a matrix with one vector. */
bool lt__gpu_sums_only(const struct lt_gpu *, const struct lt_gpu_nest *);
/* The loop of a body's child that is shared out among threads, -1: none may be: that of the least traffic; that of the
 * most iterations. */
lt_tnode lt__gpu_lane_of(const struct lt_gpu *, lt_tnode child);
lt_tnode lt__gpu_longest(const struct lt_gpu *, lt_tnode child);
/* A long loop inside the one that threads share, over which something is reduced for each of its iterations; -1: none.
 * *across: memory lies along it, so that threads side by side go along it first. */
lt_tnode lt__gpu_inner_of(const struct lt_gpu *, lt_tnode child, lt_tnode lane, bool *across);

/* auto_gpu_bytes.c: products of bytes in groups.  The loop over a group's bytes, directly in the child, if what follows
 * it there is made of the groups' sums; -1: none.  Then threads have groups of their own, or a few share one, and
 * lt__gpu_bind_bytes makes vectors of these loops. */
lt_tnode lt__gpu_bytes_in(const struct lt_gpu *, lt_tnode child);
void lt__gpu_bind_bytes(struct lt_gpu *, lt_tnode child, bool shared);

/* auto_gpu_split.c, auto_gpu_tile.c: change the tree before loops are bound; open: of the first n_open tree nodes. */
lt_status lt__gpu_split(struct lt_gpu *, const bool *open);
lt_status lt__gpu_tile(struct lt_gpu *, const bool *open, int32_t n_open);
/* auto_gpu_bind.c */
void lt__gpu_bind(struct lt_gpu *, struct lt_gpu_nest *);
/* auto_gpu_reason.c: what was chosen and why, for people. */
void lt__gpu_reason(struct lt_gpu *, const struct lt_gpu_nest *);
/* auto_gpu_fit.c: whether a block has room for what the nest keeps. */
bool lt__gpu_fits(const struct lt_gpu *, lt_tnode top);
#endif
