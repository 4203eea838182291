/* examples/plugin/llvm/gen.h -- one emission: a tree becomes a module.  What the files that walk the tree share.
 *
 * Scopes.   The function that is being emitted, and each trip of a loop that is counted in it, is a scope: a block, its
 *           head, that dominates all of it.  Affine values are computed in the head of the innermost scope that they
 *           depend on, once.
 * Columns.  The rows of a tree are over columns (tree.h).  For each, struct column says what is known of it at the
 *           place where code is being emitted: a number in an unrolled loop, a range, an LLVM value, and how it moves
 *           from lane to lane.
 * Lanes.    A vector loop emits its statements once for several trips; lanes are those trips.  A local that lives in
 *           one trip has a copy for each lane, and these lie side by side: element e of lane l is at e * lanes + l.
 */
#ifndef LT_LLVM_GEN_H
#define LT_LLVM_GEN_H
#include <setjmp.h>
#include "emit.h"
#include "lt/backend.h"

struct range { bool known; int64_t low, high; };
struct column {
	struct range range;             /* of all lanes */
	bool fixed; int64_t value;      /* in lane 0: fixed: the number; else that is added to v */
	LLVMValueRef v;
	/* of a loop: the trips that are emitted one behind the other, value counting them; 0: this is none */
	int64_t copies;
	int32_t scope;                  /* where v is computed */
	bool irregular; int64_t stride; /* from lane to lane; irregular: not by equal steps */
};
struct known { struct known *next; LLVMValueRef base, value; int64_t *row; };   /* an affine value of a scope */
struct scope { LLVMValueRef mark; struct known *known; };      /* mark: heads are filled before this instruction */

enum { LT_LLVM_COLLAPSED = 8 };
enum mode {
	MODE_COUNTED,                   /* a loop                               */
	MODE_ONCE,                      /* a group                              */
	MODE_COPIES,                    /* the body once for each trip          */
	MODE_LANES,                     /* vectors                              */
	MODE_REGION,                    /* shared out to threads                */
	MODE_COLLAPSED                  /* shared out together with its parent  */
};
struct plan {                           /* of a loop                            */
	enum mode mode;
	int64_t cost;                   /* statements emitted for one trip      */
	int32_t n_collapsed;            /* MODE_REGION: loops shared out in one, itself included; at most LT_LLVM_COLLAPSED */
	uint32_t lanes;                 /* MODE_LANES: of a vector              */
	bool straight;                  /* MODE_LANES: each vector has its own copy of the body */
	bool bounded;                   /* there may be fewer trips than the most */
	bool parallel, vector;          /* there is such a loop in it, or it is one */
};
enum home { HOME_SLOT, HOME_SHARED, HOME_OWN, HOME_STACK };
struct place {                          /* of a buffer                          */
	enum home home;
	int32_t root;                   /* the buffer whose memory this is      */
	bool exclusive;                 /* of a root: no other root is the same memory, or nobody writes it */
	int64_t bytes, offset;          /* of a local; HOME_SHARED, HOME_OWN: in the workspace */
	int32_t region;                 /* of a local: the parallel loop that it is in, or -1 */
	LLVMValueRef base;              /* of a root: its address in the function in hand, or NULL */
};
/* A reduction of a vector loop that is added up in a vector, and folded behind the loop. */
struct sum { int32_t stmt; uint32_t lanes; LLVMValueRef vector; struct sum *next; };

struct gen {
	struct emit e;
	const struct lt_tree *t;
	jmp_buf jump;                   /* no memory */
	struct chunk *chunks;
	struct column *column;
	struct plan *plan;
	struct place *place;
	struct scope *scope;            /* those around, those of a region's caller too */
	int32_t n_scope, first_scope;   /* first: of the function in hand */
	int32_t *first_div, *next_div;  /* lists by loop + 1 */
	LLVMValueRef fn, entry_mark;    /* the function; its allocas stand before the mark */
	LLVMValueRef fault, own, call, host, n_thread;
	int32_t lane_loop;              /* the vector loop, or -1 */
	uint32_t lanes;                 /* 1 outside */
	LLVMValueRef active;            /* mask of lanes that are on; NULL: all */
	struct sum *sums;
	int32_t n_region, region;       /* the parallel loop in hand, or -1 */
	struct tile *tiles;             /* of the loops of copies around */
	struct asked *asked;            /* what has been prefetched */
	bool streams;                   /* the function has stores past the caches */
	int64_t shared_bytes, own_bytes;/* of workspace */
};

static inline const int64_t *row_at(const struct lt_tree *t, int32_t row)
{
	return t->rows + (int64_t)row * t->n_column;
}
static inline const struct lt_loop *loop_at(const struct gen *g, int32_t l)
{
	return LT_AT(struct lt_loop, g->t->loops, l);
}
static inline int32_t loop_column(const struct lt_tree *t, int32_t l) { return 1 + t->n_param + l; }
static inline int32_t div_column(const struct lt_tree *t, int32_t d) { return 1 + t->n_param + t->n_loop + d; }
static inline uint32_t buffer_dtype(const struct lt_tree *t, int32_t b)
{
	return LT_AT(struct lt_type, t->types, LT_AT(struct lt_buffer, t->buffers, b)->type)->dtype;
}
/* Whether loop b is a or stands in it; a -1: always. */
static inline bool is_around(const struct lt_tree *t, int32_t a, int32_t b)
{
	while (b >= 0 && b != a)
		b = LT_AT(struct lt_loop, t->loops, b)->parent;
	return b == a;
}

/* kernel.c: zeroed memory until the emission ends; jumps when there is none. */
void *lt_llvm_alloc(struct gen *, size_t n, size_t size);
/* plan.c */
void lt_llvm_plan(struct gen *);
/* storage.c */
void lt_llvm_assign_storage(struct gen *);
bool lt_llvm_is_private(const struct gen *, int32_t buffer);     /* each lane has its own */
/* its elements, or an index of it, lie in the buffer */
bool lt_llvm_is_of(const struct gen *, int32_t access, int32_t root);
bool lt_llvm_reads(const struct gen *, const struct lt_stmt *, int32_t root);
/* column.c */
void lt_llvm_columns(struct gen *);                              /* all as they are anywhere: ranges, no values */
/* those that depend on the loop: it has another trip */
void lt_llvm_set_divs(struct gen *, int32_t loop);
/* row.c: affine values; row is an index into the tree's rows. */
struct range lt_llvm_range(const struct gen *, int32_t row);
/* from lane to lane; false: not by equal steps */
bool lt_llvm_stride(const struct gen *, int32_t row, int64_t *stride);
/* The row times scale, columns that are numbers added to its constant.  regular: irregular columns left out. */
int64_t *lt_llvm_dense(struct gen *, int32_t row, int64_t scale, bool regular);
LLVMValueRef lt_llvm_column(struct gen *, int32_t column);       /* one that is no number, in lane 0 */
LLVMValueRef lt_llvm_row(struct gen *, int32_t row);             /* i64, in lane 0 */
LLVMValueRef lt_llvm_row_lanes(struct gen *, int32_t row, int64_t scale);       /* times scale: a vector of i64 */
LLVMValueRef lt_llvm_address(struct gen *, LLVMValueRef base, int32_t row, int64_t scale, int64_t *constant);
uint32_t lt_llvm_row_align(const struct gen *, int32_t row, int64_t scale, uint32_t base);
LLVMValueRef lt_llvm_i64(struct gen *, int64_t);
LLVMValueRef lt_llvm_lane_numbers(struct gen *, LLVMTypeRef scalar);     /* 0, 1, 2 ... */
void lt_llvm_push_scope(struct gen *);                           /* a new head at the end of the block in hand */
void lt_llvm_pop_scope(struct gen *);
/* guard.c: conditions. */
enum truth { NEVER, SOMETIMES, ALWAYS };
/* SOMETIMES: all (i1) if not NULL, and lanes (mask) if not NULL */
struct guard { enum truth truth; LLVMValueRef all, lanes; };
struct guard lt_llvm_guards(struct gen *, int32_t first, int32_t n);
LLVMValueRef lt_llvm_below(struct gen *, LLVMValueRef n);        /* mask of lanes < n, an i64 */
LLVMValueRef lt_llvm_and(struct gen *, LLVMValueRef a, LLVMValueRef b); /* either may be NULL: all on */
LLVMValueRef lt_llvm_any(struct gen *, LLVMValueRef mask);
LLVMBasicBlockRef lt_llvm_block(struct gen *, const char *name); /* at the end of the function */
/* access.c: memory. */
struct value { LLVMValueRef v; bool uniform; };                 /* uniform: a scalar, the same in all lanes */
struct where {
	int32_t stmt, access;
	uint32_t dtype, align;
	LLVMValueRef at;                /* of lane 0; else NULL, and */
	LLVMValueRef each;              /* a vector of addresses */
	LLVMValueRef base; int64_t constant;    /* at, in two parts */
	int64_t stride;                 /* of lanes, in elements */
	bool whole;                     /* the elements of all lanes exist, whatever the mask */
	bool own;                       /* and no other thread writes them: they may be written back as they were */
	bool private;                   /* each lane has its own */
};
struct where lt_llvm_find(struct gen *, int32_t stmt, int32_t access, LLVMValueRef mask);
struct value lt_llvm_read(struct gen *, const struct where *, LLVMValueRef mask);
void lt_llvm_write(struct gen *, const struct where *, struct value, LLVMValueRef mask, bool stream);
LLVMValueRef lt_llvm_vector(struct gen *, struct value);         /* in all lanes; of one lane the scalar */
/* tile.c: vectors across the rows of a square; NULL, false: this access makes none with its other copies. */
LLVMValueRef lt_llvm_read_tile(struct gen *, const struct where *);
bool lt_llvm_write_tile(struct gen *, const struct where *, LLVMValueRef);
void lt_llvm_end_tiles(struct gen *, int32_t loop);              /* behind the copies of a loop */
/* of a counted loop, how many tiles want as copies; 1: none do */
uint32_t lt_llvm_tile_trip_count(const struct gen *, int32_t loop);
/* prefetch.c */
void lt_llvm_prefetch(struct gen *, int32_t stmt, const struct where *);
/* fault.c: an index that was gathered, checked. */
struct value lt_llvm_check(struct gen *, int32_t stmt, int32_t access, struct value index, LLVMValueRef mask);
/* stmt.c */
void lt_llvm_stmt(struct gen *, int32_t stmt);
void lt_llvm_reduce(struct gen *, int32_t stmt, struct value);  /* one value onto the destination of a reduction */
/* sum.c */
void lt_llvm_begin_sums(struct gen *, int32_t loop);
void lt_llvm_end_sums(struct gen *, struct sum *outside);        /* those that are not outside's */
/* nest.c */
void lt_llvm_body(struct gen *, int32_t loop, int32_t first_stmt, int32_t end);
LLVMValueRef lt_llvm_trip_count(struct gen *, int32_t loop, int64_t *least);
struct count { LLVMValueRef i, to; int64_t step; LLVMBasicBlockRef head, none; };
struct count lt_llvm_begin_count(struct gen *, LLVMValueRef from, LLVMValueRef to, int64_t step, bool at_least_once);
void lt_llvm_end_count(struct gen *, const struct count *);
/* function.c: functions, their variables, and what lives where in them. */
LLVMValueRef lt_llvm_local(struct gen *, LLVMTypeRef);           /* a variable of the function in hand */
LLVMValueRef lt_llvm_begin_function(struct gen *, const char *name, LLVMTypeRef *parameter, unsigned n);
void lt_llvm_end_function(struct gen *);
void lt_llvm_bind_locals(struct gen *, int32_t region);          /* those in the region: their bases */
void lt_llvm_attribute(struct gen *, LLVMValueRef f, unsigned parameter, const char *name);
/* region.c */
void lt_llvm_region(struct gen *, int32_t loop);
#endif
