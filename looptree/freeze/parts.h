/* parts.h -- what the files of freezing share: the nest while it is frozen.
 *
 * Freezing walks the nest once.  Rows are sparse while it is built, since params, loops and divs are still being
 * counted, and are written out dense at the end.
 */
#ifndef LT_LOOPTREE_FREEZE_PARTS_H
#define LT_LOOPTREE_FREEZE_PARTS_H
#include "ir/op/op.h"
#include "looptree/freeze/freeze.h"

enum { LT_TERM_PARAM, LT_TERM_LOOP, LT_TERM_DIV };
struct lt_term { int32_t kind, at; int64_t coef; };
struct lt_row { int64_t constant; int32_t n, cap; struct lt_term *term; };
struct lt_fdiv { struct lt_row row; int64_t den; int32_t loop; };
struct lt_floop {
	int32_t parent, first_stmt, n_stmt, first_bound, n_bound, primes;
	lt_tnode at;
	enum lt_loop_kind kind;
	enum lt_tail tail;              /* MASK: a vector or block loop whose bound rows say what is on; else GUARD */
	int64_t max_trip_count, base;        /* base: position of iteration 0, of a peeled remainder */
	struct lt_loopline line;
};
struct lt_fbuffer {
	lt_node node;                   /* local: its value; else, and of lanes, -1 */
	int32_t storage;                /* whole: its storage; local: -1 */
	enum lt_dtype dtype;
	int64_t elems, low, high;       /* low, high: hull of the accesses to a whole one */
	int64_t *extent;                /* local: elements held, one a dim */
	int32_t scope, slot;
	bool written, read;
	const char *name;
};
/* Of buffers in turn: number `first` after that of the loop's iteration, modulo depth; 0: there is one buffer. */
struct lt_inturn { int32_t loop; int64_t first, depth; };
struct lt_faccess {
	int32_t buffer;
	struct lt_row row;
	struct lt_inturn turn;
	int32_t index;
	int64_t index_extent, index_stride;
	int32_t first_bound, n_bound;
};
struct lt_fpiece { int32_t kind, access; struct lt_row row; int32_t first_guard, n_guard; uint64_t bits; };
/* A list of rows, each >= 0 where it holds. */
struct lt_rows { int32_t n, cap; struct lt_row *at; };
/* A loop on the way from the root to a leaf: var, step and the frozen loop. */
struct lt_step {
	lt_var var;
	int64_t step, first, cover;     /* first: iterations of the loop before its iteration 0 (a peeled remainder); cover:
	                                 * what one iteration covers at most */
	int64_t full;                   /* what one iteration covers where nothing further out ends it */
	int32_t loop;
	lt_tnode at;
	bool cut, pad;                  /* loops inside run over `cover` whatever is left outside: peeled, or padded */
	struct lt_rows on;              /* an unroll loop's iterations may be past the end: where these hold they are not */
};
/* place: of a digit of the var, else 1. */
struct lt_fcalldim { lt_var var; int32_t role; int64_t extent; int32_t first_bound, n_bound; int64_t place;
	int32_t again; };
struct lt_fcalloperand { int32_t buffer; struct lt_row row; int32_t first_stride; };
/* Of descriptions: a place, strides along each axis. */
struct lt_fplace { struct lt_row row; int32_t first_stride; };
struct lt_fcallread { int32_t buffer; struct lt_fplace at; int32_t first_guard, n_guard; uint64_t fill; };
struct lt_fcallvalue { int32_t kind; enum lt_dtype dtype; int32_t at; struct lt_fplace place; uint64_t bits; };
struct lt_fcallresult { int32_t op, buffer; struct lt_fplace at; };
struct lt_fcallanchor { struct lt_call_anchor is; struct lt_row offset; };
/* What the cells of a value hold past the end of a dim: nothing that is known, or always the same (pad.c). */
enum lt_fill_state { LT_FILL_NEVER, LT_FILL_SAME, LT_FILL_OPEN };
struct lt_fill { enum lt_fill_state state; uint64_t bits; };
/* A reduction over vector or block loops: their iterations have sums of their own around loop `begin`; -1: they meet in
 * the result. */
struct lt_lanes {
	lt_tnode begin;
	/* since `begin` was met: position in the path of the loop around it, -1: none; the sums */
	int32_t owner, buffer;
	int64_t *extent;                /* of the result's dims in one iteration of the owner */
};
struct lt_freezer {
	struct lt_looptree *t;
	const struct lt_graph *g;
	const struct lt_fmemory *memory;
	/* memory of what is needed for the nest in hand, for all nests, and of what the frozen trees have */
	struct lt_arena *a, *all, *keep;
	/* by tree node, kept over all roots */
	lt_node *first_reset, *next_reset;      /* by loop; by graph node: reductions that begin there */
	lt_node *first_lanes, *next_lanes;      /* by loop; by graph node: reductions whose lanes begin there */
	struct lt_lanes **lanes;                /* by graph node; NULL: no vector or block loop reduces */
	int32_t *param_of;                      /* by graph param: kernel param, -1 */
	int32_t *buffer_of_node, *buffer_of_storage;
	struct lt_fill **fill;                  /* by graph node: by dim, NULL: of none */
	/* of the kernel in hand */
	struct lt_step *path; int32_t n_path, cap_path;
	lt_param *param; int32_t n_param, cap_param;
	int32_t *param_buffer; int32_t cap_param_buffer;
	struct lt_floop *loop; int32_t n_loop, cap_loop;
	struct lt_fdiv *div; int32_t n_div, cap_div;
	struct lt_fbuffer *buffer; int32_t n_buffer, cap_buffer;
	struct lt_faccess *access; int32_t n_access, cap_access;
	struct lt_fpiece *piece; int32_t n_piece, cap_piece;
	struct lt_operand *operand; int32_t n_operand, cap_operand;
	struct lt_row *guard; int32_t n_guard, cap_guard;
	struct lt_row *bound; int32_t n_bound, cap_bound;
	struct lt_stmt *stmt; int32_t n_stmt, cap_stmt;
	lt_node *stmt_node; int32_t cap_stmt_node;
	struct lt_op *op; int32_t n_op, cap_op;
	struct lt_call *call; int32_t n_call, cap_call;
	struct lt_call_reason *call_report; int32_t cap_call_report;
	struct lt_fcalldim *call_dim; int32_t n_call_dim, cap_call_dim;
	struct lt_fcalloperand *call_operand; int32_t n_call_operand, cap_call_operand;
	int64_t *stride; int32_t n_stride, cap_stride;
	struct lt_fcallread *call_read; int32_t n_call_read, cap_call_read;
	struct lt_fcallvalue *call_value; int32_t n_call_value, cap_call_value;
	struct lt_call_op *call_op; int32_t n_call_op, cap_call_op;
	struct lt_fcallresult *call_result; int32_t n_call_result, cap_call_result;
	struct lt_fplace *call_guard; int32_t n_call_guard, cap_call_guard;
	struct lt_fcallanchor *call_anchor; int32_t n_call_anchor, cap_call_anchor;
	struct lt_call_window *call_window; int32_t n_call_window, cap_call_window;
	struct lt_rows ahead;                   /* what has to hold for the copy that is made ahead */
	uint64_t needs;
	bool overflow;                          /* a number of a row exceeded 63 bits: the nest is refused */
};
static inline bool lt__stmt_reduces(const struct lt_stmt *s) { return s->kind == LT_REDUCE || s->kind == LT_COMBINE; }

/* stmt.c: parts of a nest. */
int32_t lt__freeze_op(struct lt_freezer *, enum lt_opcode, enum lt_dtype out, int32_t n, const enum lt_dtype *in);
int64_t lt__freeze_step(const struct lt_freezer *, lt_tnode loop);
struct lt_peeled;
lt_status lt__freeze_open(struct lt_freezer *, lt_tnode, lt_var, int64_t step, enum lt_tail, const struct lt_peeled *);
void lt__freeze_close(struct lt_freezer *);
struct lt_stmt *lt__freeze_stmt(struct lt_freezer *, int32_t kind, lt_node);
/* What has to hold for a statement of node n: the iterations around it are there, and it writes to cells that are. */
void lt__freeze_guard(struct lt_freezer *, lt_node n, const struct lt_leaf *, struct lt_rows *guards);
/* Where a statement of node n writes, and when.  lane: to its lanes. */
lt_status lt__freeze_dest(
	struct lt_freezer *, lt_node n, const struct lt_leaf *, int32_t stmt, bool lane, const struct lt_rows *guards);

/* reset.c: what begins before a loop, and what ends after it. */
void lt__freeze_reductions(struct lt_freezer *);                /* once for a tree: the lists by loop */
lt_status lt__freeze_resets(struct lt_freezer *, lt_tnode loop);
lt_status lt__freeze_combines(struct lt_freezer *, lt_tnode loop);

/* lane.c: the lanes of a reduction over vector and block loops. */
bool lt__is_lanes(const struct lt_tnodedef *);
/* Most trips of a loop; with padded loops, which run past the end, as tail.c has them. */
int64_t lt__lane_trip_count(const struct lt_freezer *, lt_tnode loop);
/* Where the lanes of node n, which `reducing` reduces, begin, if it has any; the local that has them, in the loop that
 * they begin in. */
void lt__lanes_plan(struct lt_freezer *, lt_node n, lt_tnode reducing);
void lt__lanes_add(struct lt_freezer *, lt_node n);
/* An access of the lanes of n. */
int32_t lt__freeze_lane(struct lt_freezer *, lt_node n, const struct lt_leaf *, bool written);

/* row.c: rows.  What exceeds 63 bits is noted, and refused when the nest is written. */
void lt__row_term(struct lt_freezer *, struct lt_row *, int32_t kind, int32_t at, int64_t coef);
void lt__row_number(struct lt_freezer *, struct lt_row *, int64_t number, int64_t times);      /* adds their product */
void lt__row_plus(struct lt_freezer *, struct lt_row *to, const struct lt_row *, int64_t times);
void lt__row_linear(struct lt_freezer *, struct lt_row *to, const struct lt_linear *);
/* to += times * floor(row / den), without a division where the iterations of the loops show that there is none. */
void lt__row_floor(struct lt_freezer *, struct lt_row *to, const struct lt_row *, int64_t den, int64_t times);
/* Least and greatest value by intervals, saturating. */
void lt__row_range(const struct lt_freezer *, const struct lt_row *, int64_t *low, int64_t *high);
int64_t lt__row_gcd(int64_t, int64_t);                  /* of coefficients; not negative */
bool lt__row_same(const struct lt_row *, const struct lt_row *);
/* Appends a row that is not there yet. */
void lt__rows_add(struct lt_freezer *, struct lt_rows *, const struct lt_row *);
bool lt__rows_have(const struct lt_rows *, const struct lt_row *);
/* Row i of a map over a leaf's columns as a row over the loops of the path; loops up to path[below] are left out (-1:
 * none). */
void lt__freeze_row(struct lt_freezer *, const struct lt_leaf *, const struct lt_map *, const int64_t *row,
	int32_t below, struct lt_row *out);
/* Loops around it, and itself; 0 of -1. */
int32_t lt__loop_depth(const struct lt_freezer *, int32_t loop);
int32_t lt__freeze_param(struct lt_freezer *, lt_param);
/* A bound row: constant + sum of params. */
int32_t lt__freeze_limit(struct lt_freezer *, const struct lt_linear *);
int32_t lt__freeze_guards(struct lt_freezer *, const struct lt_rows *);          /* the first of them in f->guard */

/* multibuffer.c: copies of a loop that are made some iterations ahead, into buffers in turn. */
/* Whether what the leaf of a copy writes is waited for later: by threads that share it. */
bool lt__freeze_is_async(const struct lt_freezer *, lt_node);
/* Freezes a node of the tree. */
typedef lt_status lt_freeze_walk(struct lt_freezer *, lt_tnode);
/* Before the loop: the copies of its first trips. */
lt_status lt__freeze_first(struct lt_freezer *, lt_tnode loop, int64_t step, lt_freeze_walk *);
/* In the loop, the last of the path: the copy of a later trip, if there is one. */
lt_status lt__freeze_multibuffer(struct lt_freezer *, lt_tnode loop, lt_tnode child, lt_freeze_walk *);

/* tail.c: what a loop covers, and what its partial last iteration becomes. */
/* One loop that a loop of the tree becomes: all of its iterations, the whole ones of a peeled one, or one of its
 * remainders. */
/* counted: what is left of a step a run-time scalar says, so the loops inside count it, as with mask. */
struct lt_peeled { bool peeled, remainder, counted; int64_t first, cover; struct lt_rows when; };
/* The copies of a loop over v in steps of `step` inside the path, in order. */
void lt__freeze_copies(
	struct lt_freezer *, lt_var v, int64_t step, enum lt_tail, int32_t *n, struct lt_peeled **out);
/* Opens one of them: kind, bounds and iterations of the frozen loop, and what the path needs to know of it. */
void lt__freeze_trip_count(struct lt_freezer *, const struct lt_peeled *, struct lt_floop *, struct lt_step *);
/* What has to hold (rows >= 0) for an instance of v not to be past the end in a padded loop inside path[owner].  roomy:
 * spans that the owner's iteration is cut from do not count. */
bool lt__freeze_padded(const struct lt_freezer *, lt_var v);            /* whether there may be any */
void lt__freeze_padding(struct lt_freezer *, lt_var v, int32_t owner, bool roomy, struct lt_rows *);
/* What has to hold for the iterations of the unroll loops around to be there. */
void lt__freeze_on(struct lt_freezer *, struct lt_rows *);

/* access.c */
/* An access of `base` at the rows of the map; dest: written. */
lt_status lt__freeze_access(
	struct lt_freezer *, const struct lt_leaf *, lt_node base, const struct lt_map *, bool dest, int32_t *out);
/* Position in the path of the innermost loop that a value's owner is in or is; -1: it owns the whole nest, or more. */
int32_t lt__freeze_owner(const struct lt_freezer *, lt_node);
/* The node of the tree after `at` in its root nest; -1: that ends. */
lt_tnode lt__freeze_next(const struct lt_looptree *, lt_tnode at);
/* Elements of a var in one iteration of path[owner] and the loops around it; whether one of these counts it. */
int64_t lt__freeze_held(const struct lt_freezer *, int32_t owner, lt_var);
bool lt__freeze_covers(const struct lt_freezer *, int32_t owner, lt_var);
/* Forgets the locals of a loop that ends: another copy of it has its own. */
void lt__freeze_forget(struct lt_freezer *, int32_t loop);

/* pad.c: padded loops. */
/* Rows other than `already` without which the leaf of n must not touch base at the map. */
void lt__pad_rows(struct lt_freezer *, lt_node n, const struct lt_leaf *, lt_node base, const struct lt_map *,
	bool dest, const struct lt_rows *already, struct lt_rows *out);
/* What an operand of node n is where it is not read. */
uint64_t lt__pad_fallback(struct lt_freezer *, lt_node n, enum lt_dtype);
/* After the operands of a statement: what it leaves in cells past the end; whether a reduction's extra terms are its
 * identity.
 * guards: the rows of the statement; away: by operand, those that keep it from being read. */
lt_status lt__pad_fill(struct lt_freezer *, lt_node n, const struct lt_leaf *, int32_t stmt,
	const struct lt_rows *guards, const struct lt_rows *away);

/* call.c: what the nest of a loop or group, a call or a tile, computes that was frozen as `loop`, which is
 * closed; copy, step: of a loop, else NULL. */
lt_status lt__freeze_call(struct lt_freezer *, lt_tnode at, int32_t loop, const struct lt_peeled *copy, int64_t step);

/* anchor.c: what the description of a call is as a whole: call->anchor, and the roles of its axes. */
void lt__freeze_anchor(struct lt_freezer *, struct lt_call *);
/* own.c: the same where the group is a call of the user's own operation (*is).  *why: what is in the way of its
 * kernel. */
lt_status lt__freeze_own(
	struct lt_freezer *, lt_tnode at, int32_t loop, bool *is, struct lt_call *, const char **why);

/* barrier.c: of a nest that is walked to its end: barriers between the threads of its block loops. */
void lt__freeze_barriers(struct lt_freezer *);

/* write.c */
lt_status lt__freeze_write(struct lt_freezer *, lt_tnode root, int32_t number, struct lt_frozen *out);
#endif
