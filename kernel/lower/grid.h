/* grid.h -- trees for a machine that runs grids: what the files grid*.c share.
 *
 * plan.c     which nests are a grid each; blocks, threads, memory; what is refused
 * part.c     what the plan says; what a statement touches
 * spread.c   locals that are spread over the threads
 * grid.c     a launch and its region
 * call.c     what is handed to a routine
 * thread.c   block loops: numbers of threads, and conditions
 * threads.c  which threads run what is in a loop
 * tile.c     matrix instructions
 * combine.c  threads that are combined with one element; barriers
 * terms.c    the values of the threads, by exchanges and shared memory
 * async.c    copies that are begun and waited for
 *
 * On such a machine the host's region launches, calls routines, and does nothing else.  What it would do by itself is a
 * grid of one block: each nest without a grid loop, with the block loops in it as its threads, and each statement
 * beside one.
 */
#ifndef LT_KERNEL_LOWER_GRID_H
#define LT_KERNEL_LOWER_GRID_H
#include "kernel/lower/lowering.h"

enum { LOWER_AXES = 3 };
/* Of each loop of the tree. */
struct lower_part {
	int32_t root;                   /* the outermost loop of the grid that it is in or is; -1: the host's */
	int64_t stride;                 /* of a block loop: threads of its axis from an iteration to the next; else 0 */
	int64_t inner[LOWER_AXES];      /* threads along each axis of the block loops in it: at least 1 */
	uint8_t axes;                   /* bits: axes of the block loops that it is or has in it */
	bool grids;                     /* a grid loop is in it, or it is one */
	bool waits;                     /* all threads of the block run it: there is a barrier in it, or a combine */
	bool called;                    /* it is, or is in, what a routine computes: no grid is made of it */
	bool held;                      /* while instructions are made: an `if` around says that its iteration is on */
};
struct lower_grid {                     /* by root */
	int32_t chain[LOWER_MAX_DEPTH], n_chain;        /* its grid loops, the outermost first */
	int64_t threads[LOWER_AXES], blocks[LOWER_AXES];
	int64_t shared_bytes;           /* of its locals and combines: at most */
	int64_t shared_used;            /* so far */
};

/* A local that each thread has a part of: by multiple in its rows, that in the part's; 0: it says the thread. */
struct lower_spread_term { int64_t coef, own; };
struct lower_spread { int64_t elems; int n; struct lower_spread_term *term; };

/* A loop that is a matrix instruction, or (resets) the reset of the result of one.  Of a, b and c: the buffer, the row
 * of its first element, and how far elements are apart along m, n and k. */
struct lt_tile_row;
struct lower_tile {
	const struct lt_tile_row *row;
	bool resets;
	int32_t buffer[3];
	const int64_t *at[3];
	int64_t stride[3][3];
};

/* A statement that combines threads.  Inside `loop` each thread combines what it has by itself, in `variable`; behind
 * it the threads are combined.  loop -1: where the statement stands. */
struct lower_combined {
	int32_t loop;
	int32_t variable;               /* -1: not in that loop now */
	int32_t scratch;                /* the buffer for what is left to add, -1: none yet */
};

static inline bool lower_has_grids(const struct lowering *l) { return l->part != NULL; }

/* plan.c.  Before anything else, on a machine that runs grids; LT_EUNSUPPORTED says which loop is in the way. */
lt_status lt__lower_plan(struct lowering *, struct lt_diag *);
/* After modes: the modes of grid and block loops. */
void lt__lower_grid_modes(struct lowering *);

/* part.c */
/* Whether it is a block loop whose iterations are threads. */
bool lt__lower_is_thread(const struct lowering *, int32_t loop);
/* Whether a local belongs to what a routine computes: nobody sees it. */
bool lt__lower_is_called(const struct lowering *, int32_t buffer);
/* Where a local of the tree lives; copies: one for each iteration of the block loops around it that it is shared in. */
enum lower_memory { LOWER_PART, LOWER_SHARED, LOWER_GLOBAL };
enum lower_memory lt__lower_memory(const struct lowering *, int32_t buffer);
int64_t lt__lower_copies(const struct lowering *, int32_t buffer);
/* What is added to the address of a shared local: its copy. */
int32_t lt__lower_copy_offset(struct lowering *, int32_t buffer);
/* The swizzle of a buffer of the tree, which it has where it is shared; 0. */
int32_t lt__lower_swizzle(const struct lowering *, int32_t buffer);
/* Where so many bytes of shared memory begin that nothing else has; align: at least LOWER_SHARED_ALIGN. */
enum { LOWER_SHARED_ALIGN = 16 };
int64_t lt__lower_share(struct lowering *, int32_t root, int64_t bytes, int64_t align);
/* Whether a statement reads or writes a buffer of the tree. */
bool lt__lower_touches(const struct lowering *, int32_t stmt, int32_t buffer);
/* Whether threads share the element of a combine; along which loops; the loop inside which they are. */
bool lt__lower_combines(const struct lowering *, const struct lt_stmt *);
bool lt__lower_is_combined(const struct lowering *, const struct lt_stmt *, int32_t loop);
int32_t lt__lower_combine_scope(const struct lowering *, const struct lt_stmt *);
/* The outermost loop around the statement all of whose iterations give to the same element, which nobody else touches
 * meanwhile; -1: there is none. */
int32_t lt__lower_combine_loop(const struct lowering *, int32_t stmt);
/* The tile that a loop is or is in; -1. */
int32_t lt__lower_tile_around(const struct lowering *, int32_t loop);

/* spread.c.  NULL: no more is known than that several threads may need an element. */
struct lower_spread *lt__lower_find_spread(struct lowering *, int32_t buffer);
/* An access of such a local: its row in the thread's part. */
const int64_t *lt__lower_spread_row(struct lowering *, int32_t access);

/* The same of any row over a spread local; of a multiple in its rows. */
const int64_t *lt__lower_own_row(struct lowering *, int32_t buffer, const int64_t *row);
int64_t lt__lower_own(const struct lowering *, int32_t buffer, int64_t coef);

/* grid.c.  Statements s to below end: those of loop `root` of the host's, or (-1) one that is in no loop but the
 * host's. */
void lt__lower_grid(struct lowering *, int32_t root, int32_t s, int32_t end, lower_body_fn *, lower_loop_fn *);

/* call.c.  Before the plan: which loops routines compute; LT_EUNSUPPORTED.  Then, in the place of loop `loop`:
 * the call; false: it is none, and the nest is run. */
lt_status lt__lower_find_calls(struct lowering *, struct lt_diag *);
bool lt__lower_call(struct lowering *, int32_t loop);

/* thread.c */
/* Enters a block loop: its iteration is a number of the thread. */
struct lower_column lt__lower_thread_column(struct lowering *, int32_t loop);
/* A condition: the thread runs what is in the loop now, whatever is around it. */
int32_t lt__lower_on(struct lowering *, int32_t loop);
/* A condition: the thread is the first of those that differ along the axes (bits) in the iterations of the block loops
 * around `loop`, which it is in or (-1) in none. */
int32_t lt__lower_is_first(struct lowering *, int32_t loop, uint8_t axes);
/* A condition: what no `if` around says yet of the thread, in loop `loop`: its iterations are there, and it is the
 * first along these axes. */
int32_t lt__lower_open(struct lowering *, int32_t loop, uint8_t axes);

/* How many threads of an axis a loop that is a tile may have. */
int64_t lt__lower_threads_of(const struct lowering *, int32_t loop, int axis);

/* tile.c.  Which loops are matrix instructions; what is refused of them, first and when memory is planned. */
lt_status lt__lower_find_tiles(struct lowering *, struct lt_diag *);
lt_status lt__lower_plan_tiles(struct lowering *, struct lt_diag *);
void lt__lower_tile(struct lowering *, int32_t loop);

/* threads.c: what is in loop `loop`, statements s to below end. */
void lt__lower_threads_body(struct lowering *, int32_t loop, int32_t s, int32_t end, lower_loop_fn *);

/* async.c.  Begins the copies of a statement, of all iterations of a loop; false: they are loaded and stored. */
bool lt__lower_async(struct lowering *, int32_t stmt);
bool lt__lower_async_loop(struct lowering *, int32_t loop);
/* A commit or a wait. */
void lt__lower_flight(struct lowering *, int32_t stmt);

/* combine.c */
void lt__lower_barrier(struct lowering *);
/* Combines threads where the statement stands. */
void lt__lower_combine(struct lowering *, int32_t stmt);
/* In front of a loop and behind it: what is combined in it (struct lower_combined); behind loops beside each other in
 * `outer`, of statements `first` to below `end`, all together.  needs: whether the loop touches what those before it
 * combine. */
bool lt__lower_has_combines(const struct lowering *, int32_t loop);
void lt__lower_begin_combines(struct lowering *, int32_t loop);
void lt__lower_end_combines(struct lowering *, int32_t outer, int32_t first, int32_t end);
bool lt__lower_needs_combined(const struct lowering *, int32_t loop, int32_t first, int32_t end);

/* terms.c: how threads are combined. */
struct lower_terms {
	int32_t loop[LOWER_MAX_DEPTH], n_loop;  /* block loops that are combined, innermost first */
	int64_t stride[LOWER_MAX_DEPTH];        /* threads of the block, by their number, from an iteration to the next */
	int64_t group;                          /* threads side by side that exchange; 1: none */
	int64_t n;                              /* that are left for the first thread */
	bool all;                               /* all threads of the block share the element */
};
struct lower_terms lt__lower_terms(const struct lowering *, int32_t stmt);
/* The operator of two values of its result's type. */
int32_t lt__lower_join(struct lowering *, int32_t stmt, int32_t a, int32_t b);
/* In a loop inside which threads combine by themselves (struct lower_combined): the thread's own value gets one more;
 * false: the statement is none of these. */
bool lt__lower_combine_own(struct lowering *, int32_t stmt, int32_t value);
/* The value of all in the thread's group. */
int32_t lt__lower_exchange(struct lowering *, int32_t stmt, const struct lower_terms *, int32_t value);
/* Leaves the values in shared memory, between barriers that are the caller's; then the first thread adds them. */
void lt__lower_share_value(struct lowering *, int32_t stmt, const struct lower_terms *, int32_t value);
int32_t lt__lower_sum_terms(struct lowering *, int32_t stmt, const struct lower_terms *);
#endif
