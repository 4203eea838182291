/* call.h -- what a nest that is handed to a routine computes.
 *
 * Found once, of leaves alone, so that the default tree (auto_call.c), the frozen tree (freeze/call.c) and refusals
 * agree.
 */
#ifndef LT_LOOPTREE_CALL_CALL_H
#define LT_LOOPTREE_CALL_CALL_H
#include "looptree/freeze/freeze.h"
#include "lt/tile.h"

/* Whether any piece of the read depends on a column. */
bool lt__read_depends(const struct lt_read *, int32_t x);
/* A copy, or a cast to a type that has all values of the other. */
bool lt__keeps_value(const struct lt_graph *, lt_node);
/* The roles (enum lt_dim_role) of the vars of mul's leaf, in their order: which of the factors have them, and whether
 * the sum keeps them. right: the read of mul that is the right factor.  Vars of one element fit anywhere.  -1, or the
 * position of the first that fits none. */
int32_t lt__product_roles(
	const struct lt_graph *, const struct lt_leaf *mul, const struct lt_leaf *sum, int32_t right, int32_t *role);

/* Rows, columns: a dim of fewer makes no tile of a block (product_block.c), since reading the larger factor once is the
 * bound then. */
enum { LT_MIN_TILE_SIDE = 16 };
enum { LT_CALL_RESULT, LT_CALL_LEFT, LT_CALL_RIGHT, LT_CALL_MAX = 5 };        /* operands of a call, in order */
/* leaf: whose vars are the columns of the piece's map; piece NULL: what it writes. */
struct lt_callread { lt_node leaf; const struct lt_readpiece *piece; };
struct lt_callvar { lt_var var, as; };
struct lt_contraction {
	lt_node mul, sum, end;          /* end: what the call writes */
	uint32_t epilogues, type;       /* type: the widest that the sum and the epilogues are made in */
	int32_t n_dim;
	lt_var *dim;                    /* of the product: batches, rows, columns, deep ones */
	int32_t *role;
	struct lt_callvar *as; int32_t n_as, cap_as;    /* vars of the nest, and the dims that they are the same as */
	int32_t n_operand;
	struct lt_callread operand[LT_CALL_MAX];
};
/* The dim that a var is the same as in this nest; -1: none, it has one element. */
lt_var lt__call_as(const struct lt_contraction *, lt_var);
/* The leaves `member`, in the order of the graph, as a contraction whose end is read outside.  NULL, or a sentence
 * about the var or operator in the way; where: what they are in, "the group". */
const char *lt__contraction_find(struct lt_looptree *, struct lt_arena *, const lt_node *member, int32_t n, lt_node end,
	const char *where, struct lt_contraction *out);

/* search.c */
struct lt_callsearch {
	struct lt_looptree *t;
	struct lt_arena *a;
	const char *where;
	struct lt_contraction *c;
	const lt_node *member; int32_t n_member;
	bool *used, *dependent;         /* by member; dependent: on the sum */
	const char *why;
};
int32_t lt__call_member(const struct lt_callsearch *, lt_node);         /* its number; -1: it is none */
static inline bool lt__call_is_dependent(const struct lt_callsearch *s, lt_node n)
{
	int32_t i = lt__call_member(s, n);
	return i >= 0 && s->dependent[i];
}
static inline void lt__call_use(struct lt_callsearch *s, lt_node n) { s->used[lt__call_member(s, n)] = true; }
static inline const char *lt__call_name(const struct lt_callsearch *s, lt_node n) { return s->t->graph->node[n].name; }
static inline const char *lt__call_op_name(const struct lt_callsearch *s, lt_node n)
{
	return lt__op_info(s->t->graph->node[n].op)->name;
}
/* A var of one element counts nothing: it fits any dim. */
static inline bool lt__call_is_unit(const struct lt_graph *g, lt_var v)
{
	return g->var[v].extent == 1 && !g->var[v].bounded;
}
/* v is the dim `as` from here on, if none is known yet; as -1: nothing. */
void lt__call_set_as(struct lt_callsearch *, lt_var v, lt_var as);
/* Steps of the search: each false with a sentence in why. */
bool lt__call_fail(struct lt_callsearch *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* What leaf n reads as operand k, in one piece; NULL with a sentence. */
const struct lt_readpiece *lt__call_piece(struct lt_callsearch *, lt_node n, int32_t k);
/* Leaf n reads the piece's base element by element: the vars of both are the same dims from here on. */
bool lt__call_in_place(struct lt_callsearch *, lt_node n, const struct lt_readpiece *);
/* The value outside that operand k of leaf n is, through casts that keep it. */
bool lt__call_outside(struct lt_callsearch *, lt_node n, int32_t k, struct lt_callread *out);

/* epilogue.c: what stands between sum and end.  Marks what it has used. */
bool lt__epilogue_find(struct lt_callsearch *, lt_node end);

/* What a row of a routine table is asked of a call. */
struct lt_callshape {
	uint32_t pattern, epilogues, sum;
	int32_t n_dim, n_operand;
	int32_t role[LT_MAX_RANK];
	int64_t extent[LT_MAX_RANK];
	uint32_t dtype[LT_CALL_MAX];
	const char *name[LT_CALL_MAX], *var[LT_MAX_RANK];
	bool bounded[LT_MAX_RANK];      /* the extent is the most that run-time scalars leave */
	int64_t stride[LT_CALL_MAX][LT_MAX_RANK];
};
/* layout.c.  NULL: operands lie as a BLAS takes them; else a sentence. */
const char *lt__layout_refuses(struct lt_arena *, const struct lt_callshape *);

/* check.c */
/* Whether a row of a table can be named in a tree, and its sum is of a type. */
bool lt__routine_is_sound(const struct lt_routine *);
/* Operations below which loops are faster than the routine. */
int64_t lt__routine_min_flops(const struct lt_target *, const struct lt_routine *, const struct lt_callshape *);
/* NULL: it does; else a sentence. */
const char *lt__routine_refuses(struct lt_arena *, const struct lt_routine *, const struct lt_callshape *);
/* Twice the multiply-adds of a product, saturating. */
int64_t lt__call_flops(const struct lt_callshape *);
/* The rows of a target's table; 0: it has none. */
int32_t lt__routine_count(const struct lt_target *);
const struct lt_routine *lt__routine_at(const struct lt_target *, int32_t i);
/* LT_OK, or why a call or tile in the nest is none that the target's tables have.  A target without a table is not
 * asked. */
lt_status lt__check_calls(const struct lt_looptree *, const struct lt_frozen *, const struct lt_target *);

/* -- matrix instructions (lt/tile.h) in trees: by name, and what nests they are. */
/* tile.c */
const struct lt_tile_row *lt__tile_find(const char *name);              /* NULL: there is none of that name */
/* NULL: the nest computes what the instruction does; else a sentence that names the nearest change.  bounded: by dim,
 * whether a run-time bound may leave fewer. */
const char *lt__tile_refuses(
	struct lt_arena *, const struct lt_tile_row *, const struct lt_callshape *, const bool *bounded);
/* LT_OK, or why the target does not have the instruction.  A target that names none is not asked. */
lt_status lt__check_tile(const struct lt_looptree *, const struct lt_call_reason *, bool described,
	const struct lt_target *, struct lt_arena *);

/* freeze/tile.c.  The LT_TILE loop that a statement is in, if it is described or the reset of one that is; -1. */
int32_t lt__tile_of(const struct lt_freezer *, int32_t stmt);
/* Of that loop: its description, and the instruction. */
const struct lt_call *lt__tile_call(const struct lt_freezer *, int32_t loop);
int64_t lt__tile_threads(const struct lt_freezer *, int32_t loop);
/* How a fragment's elements lie: `n` of them are `coef` apart; the number's digit is the thread's from `stride` on, or
 * (stride 0) the same thread has all. */
struct lt_tile_run { int64_t coef, n, stride; };
enum { LT_TILE_RUNS = 2 * LT_MATRIX_BITS };
/* Of the result of the tile `loop`; how many. */
int32_t lt__tile_runs(const struct lt_freezer *, int32_t loop, struct lt_tile_run *);
#endif
