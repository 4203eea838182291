/* lowering.h -- a frozen tree becomes a kernel program: what the files of it share.
 *
 * mode.c           loops: teams, copies, vectors
 * lower.c          what is refused; the whole
 * nest.c     loops, by their mode
 * team.c     a team and its launch
 * count.c    how many iterations a loop has
 * report.c   what was decided, in words
 * space.c    buffers: where each lives
 * row.c      affine rows: as values, and what is known of them
 * known.c    instructions that are made once; blocks
 * stmt.c     statements, one element at a time
 * operator.c what operators give
 * element.c  elements, read and written
 *
 * In a vector loop:
 * guard.c    conditions of all lanes, masks
 * access.c   what an access names in the lanes, read and written
 * operand.c  operands
 * lane.c     statements, all lanes at once
 * fold.c     lanes that are combined with one element
 * dot.c      products of bytes that are added to one element
 * join.c     vectors of several copies, folded together
 * each.c     scalar code, lane by lane
 *
 * For a machine that runs grids: grid.h
 */
#ifndef LT_KERNEL_LOWER_LOWERING_H
#define LT_KERNEL_LOWER_LOWERING_H
#include "kernel/build/build.h"

struct lower_range { bool known; int64_t low, high; };
/* What is known of a column of the rows where instructions are being made.  In a vector loop everything is said of its
 * first lane; range alone is of all lanes. */
struct lower_column {
	struct lower_range range;
	bool fixed; int64_t number;             /* it is a number */
	bool irregular; int64_t stride;         /* how it moves from lane to lane; irregular: not by equal steps */
	int32_t value;                          /* of a loop; -1 */
};
/* How a loop is run. */
enum lower_mode {
	LOWER_LOOP,             /* one iteration after the other */
	LOWER_BLOCK,            /* its only iteration */
	LOWER_COPIES,           /* its body once for each iteration */
	LOWER_HINT,             /* a loop that is worth unrolling */
	LOWER_LANES,            /* vectors */
	LOWER_TEAM,             /* its iterations are points of a team */
	LOWER_COLLAPSED,        /* together with those of the loop around it */
	LOWER_BLOCKS,           /* its iterations are blocks of a grid */
	LOWER_THREAD            /* its iterations are threads of a block */
};
/* A vector loop that adds products of bytes: the statement that adds, the accesses of the bytes. */
struct lower_dot { int32_t stmt, access[2]; };
struct lower_loop {
	enum lower_mode mode;
	int32_t team;           /* the loop of mode LOWER_TEAM, or of a grid, that it is in or is; -1 */
	uint32_t lanes;         /* LOWER_LANES: of one vector */
	struct lower_dot *dot;  /* LOWER_LANES: lanes are bytes; NULL */
	bool straight;          /* LOWER_LANES: each vector has its own copy of the body */
	bool masked;            /* LOWER_LANES: iterations that are no whole vector may be one under a mask */
	bool bounded;           /* it may have fewer iterations than the most */
	bool parallel, vector;  /* there is such a loop in it, or it is one */
	int64_t cost;           /* statements that one iteration comes to, with copies */
	const char *reason;     /* why it is not run in a better way; NULL: it is */
};
enum { LOWER_WIDTHS = 7 };      /* 1, 2, 4 .. LT_MAX_LANES lanes */
/* Where a buffer of the tree is, for as many lanes as the vector has: a buffer or a variable of the program; -1: not
 * made yet.  It began last in the block that `opener` opened, of that region; -2: nowhere. */
struct lower_location { int32_t id, region, opener; };
/* Where a buffer of the tree went.  What is private to the lanes of a vector loop has an element for each lane, side by
 * side. */
struct lower_storage {
	struct lt_kernel_buffer made;   /* of one lane */
	bool is_variable;
	int32_t lanes_loop;             /* the loop in whose lanes it is private; -1 */
	int32_t scope;                  /* of an array or variable: the loop in whose iterations it begins; others -2 */
	int32_t team;                   /* of those, the team's loop that its scope is in, -1: the host's */
	struct lower_location location[LOWER_WIDTHS];
};
/* An instruction that needs not be made again while its block is open; next: an older one of the same hash. */
struct lower_known {
	uint16_t opcode; uint8_t dtype; uint32_t lanes; int32_t operand[3], what; int64_t number; int32_t value, next;
	uint32_t hash;
};
/* An array that holds lanes of a vector while scalar code runs. */
struct lower_scratch {
	uint32_t dtype, lanes; int32_t number; struct lower_location location; struct lower_scratch *next;
};
/* A COMBINE in a loop over vectors: these are combined in a variable, and its lanes behind the loop.  fresh: blocks
 * that were open when the variable got the identity, which is all that it holds; -1: it may hold more. */
struct lower_fold { int32_t stmt, variable, fresh; struct lower_fold *next; };

struct lowering {
	struct lt_kernel_builder b;
	const struct lt_tree *t;
	struct lt_machine machine;
	struct lt_kernel_report *report;        /* who hears of decisions (lt__decide), or NULL */
	struct lower_loop *loop;
	struct lower_storage *storage;          /* a buffer */
	struct lower_column *column;
	struct lower_known *known;
	int32_t n_known, first_known, cap_known;       /* those before first_known are of another region */
	int32_t *bucket;                        /* the newest of each hash; -1 */
	int32_t team;                           /* the loop whose team instructions go to, -1: the host's */
	struct lower_scratch *scratch;
	struct lower_fold *folds;
	struct lower_join *joins;
	uint32_t *reported;                     /* words that were said of each statement */
	bool *reported_access;
	/* On a machine that runs grids (grid.h), else NULL: */
	struct lower_part *part;                /* by loop */
	struct lower_grid *grid;                /* by loop that is a root */
	uint8_t *memory;                        /* by buffer: enum lower_memory */
	struct lower_tile **tile;               /* by loop: what a tile is; NULL: it is none */
	struct lower_spread **spread;           /* by buffer: how it is spread over threads; NULL: not */
	struct lower_combined *combined;        /* by statement that combines threads */
	int32_t written;                        /* barriers so far, and loops with barriers that were begun or ended */
	int32_t predicate;                      /* a mask: the statement in hand stores where it holds; -1 */
	uint8_t first_axes;                     /* bits: along these an `if` around says that the thread is the first */
	/* In a vector: */
	int32_t lane_loop;                      /* the loop; -1 */
	uint32_t lanes;                         /* 1 outside */
	int32_t mask;                           /* lanes that are on, -1: all */
	bool guarded;                           /* the mask has a guard in it, not only the loop's bound */
	int32_t on;                             /* how many lanes the loop's bound leaves, i64; -1: all */
	/* In scalar code of one lane: */
	int32_t lane;                           /* its number; -1 */
	const struct lower_spill *spill;
};

enum { LOWER_MAX_DEPTH = 64 };   /* loops around a loop */

/* Conditions: a mask of one lane, or one of these. */
enum { LOWER_YES = -1, LOWER_NO = -2 };

static inline const int64_t *lower_row_at(const struct lt_tree *t, int32_t row)
{
	return t->rows + (int64_t)row * t->n_column;
}
static inline int32_t lower_loop_column(const struct lt_tree *t, int32_t loop) { return 1 + t->n_param + loop; }
static inline int32_t lower_div_column(const struct lt_tree *t, int32_t div)
{
	return 1 + t->n_param + t->n_loop + div;
}
static inline const struct lt_loop *lower_loop_at(const struct lowering *l, int32_t i)
{
	return LT_AT(struct lt_loop, l->t->loops, i);
}
static inline const struct lt_stmt *lower_stmt_at(const struct lowering *l, int32_t s)
{
	return LT_AT(struct lt_stmt, l->t->stmts, s);
}
/* The operator of a statement. */
static inline const struct lt_op *lower_op_at(const struct lowering *l, int32_t stmt)
{
	return LT_AT(struct lt_op, l->t->ops, lower_stmt_at(l, stmt)->op);
}
static inline const struct lt_access *lower_access_at(const struct lowering *l, int32_t a)
{
	return LT_AT(struct lt_access, l->t->accesses, a);
}
static inline const struct lt_buffer *lower_buffer_at(const struct lowering *l, int32_t b)
{
	return LT_AT(struct lt_buffer, l->t->buffers, b);
}
static inline uint32_t lower_dtype_of(const struct lowering *l, int32_t buffer)
{
	return LT_AT(struct lt_type, l->t->types, lower_buffer_at(l, buffer)->type)->dtype;
}
/* A combine is a reduction whose lanes meet: where they come one after the other, there is no difference. */
static inline bool lower_reduces(const struct lt_stmt *s) { return s->kind == LT_REDUCE || s->kind == LT_COMBINE; }
static inline uint32_t lower_lanes_of(const struct lowering *l, int32_t value)
{
	return lt__build_at(&l->b, value)->lanes;
}

/* mode.c.  Needs: columns. */
void lt__lower_modes(struct lowering *);
/* Whether loop a is b or stands around it; -1 stands around all. */
static inline bool lt__lower_around(const struct lt_tree *t, int32_t a, int32_t b)
{
	while (b >= 0 && b != a)
		b = LT_AT(struct lt_loop, t->loops, b)->parent;
	return b == a;
}
/* The loop that is all there is in loop i, or -1. */
int32_t lt__lower_only_child(const struct lowering *, int32_t i);

/* report.c: a decision about a statement is reported once. */
enum lower_word { LOWER_SCATTERED, LOWER_ONE_ELEMENT, LOWER_TEXT, LOWER_DIFFERS, LOWER_MASKED, LOWER_VERSIONS,
	LOWER_LOOPED, LOWER_PIECES, LOWER_PIECES_MASKED, LOWER_WORDS };
void lt__lower_say(struct lowering *, int32_t stmt, enum lower_word);
void lt__lower_say_access(struct lowering *, int32_t stmt, int32_t access, bool gathered, int64_t stride);

/* nest.c: what is in loop i (-1: the region), statements s to below end. */
void lt__lower_body(struct lowering *, int32_t i, int32_t s, int32_t end);
/* count.c.  How many iterations: min(max_trip_count, bounds); it may be negative. */
int32_t lt__lower_trip_count(struct lowering *, int32_t loop);
/* count.c: the same of the bound rows that are the same in all threads (uniform), or of the others: -1: none. */
int32_t lt__lower_trip_count_of(struct lowering *, int32_t loop, bool uniform);
/* count.c: a condition: there are so many iterations, at most max_trip_count. */
int32_t lt__lower_reaches(struct lowering *, int32_t loop, int64_t number);
/* team.c.  body: lt__lower_body, which calls this. */
typedef void lower_loop_fn(struct lowering *, int32_t loop);
typedef void lower_body_fn(struct lowering *, int32_t i, int32_t s, int32_t end);
void lt__lower_team(struct lowering *, int32_t first, lower_body_fn *body);

/* space.c: buffers of the program; what begins in an iteration of the loop (-1: in the region) begins now. */
void lt__lower_spaces(struct lowering *);
void lt__lower_begin(struct lowering *, int32_t loop);
/* Where buffer b of the tree is, here. */
int32_t lt__lower_location(struct lowering *, int32_t b);
/* Whether each lane of the vector in hand has a b of its own. */
bool lt__lower_private(const struct lowering *, int32_t b);
/* An array for the lanes of a vector, undefined; number: of several at once. */
int32_t lt__lower_scratch(struct lowering *, uint32_t dtype, int32_t number);

/* row.c.  An iteration of a loop begins, or no more is known of it. */
void lt__lower_columns(struct lowering *);
void lt__lower_enter(struct lowering *, int32_t loop, struct lower_column);
void lt__lower_leave(struct lowering *, int32_t loop);
struct lower_column lt__lower_any_iteration(const struct lowering *, int32_t loop, int32_t value);
struct lower_column lt__lower_any_of(int64_t n, int32_t value);                 /* of n iterations */
struct lower_range lt__lower_range(const struct lowering *, int32_t row);
bool lt__lower_depends(const struct lt_tree *, int32_t row, int32_t loop);      /* through divs, too */
/* Iterations of the loop that follow one another are neighbours in what the row names, and it has no quotient that
 * changes with the loop. */
bool lt__lower_is_adjacent(const struct lowering *, int32_t row, int32_t loop);
/* How it moves from lane to lane; false: not by equal steps. */
bool lt__lower_stride(const struct lowering *, int32_t row, int64_t *stride);
int32_t lt__lower_i64(struct lowering *, int64_t);
/* The row's value (in the first lane) is that of what is returned, plus *number; -1: the number alone. */
int32_t lt__lower_address(struct lowering *, int32_t row, int64_t *number);
int32_t lt__lower_address_of(struct lowering *, const int64_t *row, int64_t *number);
int32_t lt__lower_row(struct lowering *, int32_t row);
int32_t lt__lower_row_of_lanes(struct lowering *, int32_t row);         /* a vector of i64 */
int32_t lt__lower_add(struct lowering *, int32_t x, int32_t y);         /* i64; either may be -1: 0 */
int32_t lt__lower_times(struct lowering *, int32_t x, int64_t by);
int32_t lt__lower_floor(struct lowering *, int32_t x, int64_t den);     /* x / den, den > 0 */
/* Whether row + add >= 0 (in the first lane): a condition. */
int32_t lt__lower_holds(struct lowering *, int32_t row, int64_t add);
int32_t lt__lower_both(struct lowering *, int32_t a, int32_t b);        /* conditions */
int32_t lt__lower_guards(struct lowering *, int32_t first, int32_t n);  /* a condition: all hold */
/* known.c: the instruction, or one that is known to give the same; of one lane, or of the vector in hand. */
int32_t lt__lower_pure(
	struct lowering *, int opcode, uint32_t dtype, int32_t x, int32_t y, int32_t what, int64_t number);
int32_t lt__lower_wide(struct lowering *, int opcode, uint32_t dtype, int32_t x, int32_t y, int64_t number);
int32_t lt__lower_spread(struct lowering *, int32_t value);             /* in all lanes */
/* A fragment of a matrix in shared memory, as the instruction says; source: a number of its buffer and strides.  It is
 * known as long as nobody may have written there: until `written` is another number. */
int32_t lt__lower_fragment(struct lowering *, struct lt_instruction, const struct lt_matrix_location *, int32_t source);
/* Blocks: what becomes known in one is forgotten at its end.  `if` gives the mark for the others. */
int32_t lt__lower_mark(const struct lowering *);
void lt__lower_forget(struct lowering *, int32_t mark);
int32_t lt__lower_if(struct lowering *, int32_t mask);
void lt__lower_else(struct lowering *, int32_t mark);
void lt__lower_end(struct lowering *, int32_t mark);

/* element.c */
int32_t lt__lower_as(struct lowering *, int32_t value, uint32_t dtype);
struct lower_address { int32_t value; int64_t number; };
/* Which element an access names (in the first lane).  An index that is out of range leaves a fault, and 0 is used. */
struct lower_address lt__lower_locate(struct lowering *, int32_t stmt, int32_t access);
int32_t lt__lower_read(struct lowering *, int32_t stmt, int32_t access);
/* The element there, or the variable, where `at` is not used; mask: of one lane, -1. */
int32_t lt__lower_read_at(struct lowering *, int32_t buffer, struct lower_address at, int32_t mask);
void lt__lower_write_at(struct lowering *, int32_t buffer, struct lower_address at, int32_t value);
/* The array that has the lanes of a variable in scalar code of one lane, or -1. */
int32_t lt__lower_spilled(const struct lowering *, int32_t buffer);
/* A load, a store, with the members that say where; stride 0: 1. */
int32_t lt__lower_build_load(struct lowering *, struct lt_instruction);
void lt__lower_build_store(struct lowering *, struct lt_instruction);

/* stmt.c */
void lt__lower_stmt(struct lowering *, int32_t stmt);
int32_t lt__lower_operand(struct lowering *, int32_t stmt, const struct lt_operand *);
/* dest = op(dest, value), of a statement that reduces. */
void lt__lower_reduce(struct lowering *, int32_t stmt, int32_t value);

/* operator.c */
uint32_t lt__lower_opcode_of(const struct lt_op *);
/* What the operator gives, of its type; in as many lanes as the widest operand. */
int32_t lt__lower_apply(struct lowering *, const struct lt_op *, int32_t *operand);

/* guard.c.  Conditions of the lanes of the vector in hand. */
struct lower_guards {
	int32_t shared;                 /* of guards that are the same in all lanes */
	bool differ;                    /* there are others: */
	int32_t all, some;              /* they hold in all lanes only if `all`; in any only if `some` */
	bool regular;                   /* their rows move by equal steps */
};
struct lower_guards lt__lower_lane_guards(struct lowering *, int32_t first, int32_t n);
/* The lanes in which the guards that differ hold, which is some of them. */
int32_t lt__lower_guard_mask(struct lowering *, int32_t first, int32_t n);
/* Both masks; a -1: b. */
int32_t lt__lower_mask_and(struct lowering *, int32_t a, int32_t b);
/* A condition: no quotient that the statement uses changes from lane to lane.  What is known then. */
int32_t lt__lower_invariant(struct lowering *, int32_t stmt);
/* Outside of a vector: whether that is sure of every vector of the loop that the statement is in. */
bool lt__lower_is_invariant(struct lowering *, int32_t stmt);
struct lower_column *lt__lower_invariant_columns(struct lowering *);

/* access.c */
struct lower_where {
	enum lower_where_kind {
		LOWER_ONE,              /* one element for all lanes */
		LOWER_PRIVATE,          /* each lane's own, at the same place */
		LOWER_STEPS,            /* equal steps apart */
		LOWER_ANYWHERE
	} kind;
	int64_t stride;
};
struct lower_where lt__lower_where(const struct lowering *, int32_t access);
/* Whether it can be read without a loop over the lanes. */
bool lt__lower_is_wide(const struct lowering *, int32_t access);
int32_t lt__lower_load(struct lowering *, int32_t stmt, int32_t access);
void lt__lower_store(struct lowering *, int32_t stmt, int32_t value);

/* operand.c: one value for all lanes, or one in each. */
int32_t lt__lower_lane_operand(struct lowering *, int32_t stmt, const struct lt_operand *);
bool lt__lower_operand_is_wide(struct lowering *, const struct lt_operand *);

/* lane.c */
void lt__lower_lane_stmt(struct lowering *, int32_t stmt);

/* fold.c: before and behind a loop over vectors; folds of loops outside are kept. */
void lt__lower_begin_folds(struct lowering *, int32_t loop);
void lt__lower_end_folds(struct lowering *, const struct lower_fold *outside);
bool lt__lower_can_fold(const struct lowering *, const struct lt_stmt *);
void lt__lower_fold(struct lowering *, int32_t stmt, int32_t value);

/* The value, of which the lanes are combined, goes to the element of the statement. */
void lt__lower_finish_fold(struct lowering *, int32_t stmt, int32_t value);

/* dot.c: whether the loop is one; whether the vector in hand is; the sum and its products.  fold.c: the
 * statement of such a vector, true: it is done. */
uint32_t lt__lower_dot_bytes(const struct lowering *);         /* of a vector */
bool lt__lower_find_dot(const struct lowering *, int32_t loop, struct lower_dot *);
bool lt__lower_is_dot(const struct lowering *);
int32_t lt__lower_dot(struct lowering *, int32_t sum);
bool lt__lower_dot_stmt(struct lowering *, int32_t stmt);

/* join.c: around the copies of a loop, before each of them, behind the last; whether a reset waits for that;
 * false: the value is not joined with others. */
void lt__lower_begin_joins(struct lowering *, int32_t loop);
void lt__lower_next_copy(struct lowering *, int32_t loop, int64_t copy);
void lt__lower_end_joins(struct lowering *, int32_t loop);
bool lt__lower_join_resets(const struct lowering *, int32_t stmt);
bool lt__lower_join_fold(struct lowering *, int32_t stmt, int32_t value);

/* each.c: scalar code for one lane after the other.  A variable of lanes is in an array meanwhile. */
struct lower_spill { int32_t buffer, variable, scratch; bool written; struct lower_spill *next; };
void lt__lower_one_by_one(struct lowering *, int32_t stmt);             /* the statement, its guards, too */
int32_t lt__lower_by_loop(struct lowering *, int32_t stmt, const struct lt_operand *);
#endif
