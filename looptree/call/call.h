/* call.h -- what a nest that is handed to a routine computes.
 *
 * Found once, of leaves alone, so that the default tree (default/auto_call.c), the frozen tree (freeze/call.c) and
 * refusals agree.
 */
#ifndef LT_LOOPTREE_CALL_CALL_H
#define LT_LOOPTREE_CALL_CALL_H
#include "ir/op/op.h"
#include "looptree/tree/tree.h"
#include "lt/tile.h"
#include "lt/tree.h"

/* contraction.c */
/* Whether any piece of the read depends on a column. */
bool lt__read_depends(const struct lt_read *, int32_t x);
/* The roles (enum lt_dim_role) of the vars of mul's leaf, in their order: which of the factors have them, and whether
 * the sum keeps them. right: the read of mul that is the right factor.  Vars of one element fit anywhere.  -1, or the
 * position of the first that fits none. */
int32_t lt__product_roles(
	const struct lt_graph *, const struct lt_leaf *mul, const struct lt_leaf *sum, int32_t right, int32_t *role);

/* describe.c: what a group of leaves computes, whatever that is (lt/tree.h: the description of a call). */
/* An axis: a var, or the digit of one that counts `place`; extent: of the digit, the most.  again: so many axes before
 * it are the same digit, along which no op reads another.  whole: all of the var. */
struct lt_axis { lt_var var; int64_t place, extent; bool whole; int32_t again; };
/* A digit of a var of a leaf: `place` times the position along the axis. */
struct lt_axis_digit { int32_t column, axis; int64_t place; };
struct lt_described_value {
	int32_t kind, op;               /* enum lt_call_value_kind; OP: of the description's ops */
	enum lt_dtype dtype;
	const struct lt_readpiece *piece;       /* READ, PLACE */
	uint64_t bits;                  /* BITS; READ: where a guard does not hold */
};
struct lt_described_op {
	lt_node node;
	/* The node's own, or, of what is computed at the positions at which a reader needs it, one over the reader's vars. */
	const struct lt_leaf *leaf;
	int32_t kind;                   /* enum lt_call_op_kind */
	bool result;                    /* it is read outside */
	bool may_skip, dead;            /* dead: nothing reads it any more, and it is no result */
	int32_t moved, behind;          /* the casts that it was moved before, and whose rounding is behind it; -1: none */
	bool unrounded;                 /* may_skip; or, dead, what was moved before it goes to a cast that is */
	enum lt_dtype rounds_to;        /* a cast that the graph has not, of the op before it, the node's own; 0: none */
	enum lt_dtype may_round;        /* what its value may be rounded to, though the graph does not; 0: nothing */
	bool instance;                  /* of another leaf than the node's own */
	int32_t inside[3];              /* by operand: the op that makes it, -1: what is read is outside */
	int32_t n_digit, n_value;
	struct lt_axis_digit *digit;
	struct lt_described_value value[3];
};
struct lt_description { int32_t n_axis, n_op; struct lt_axis *axis; struct lt_described_op *op; };
/* The leaves `member`, in the order of the graph; result: by member, whether it is read outside.  NULL, or a sentence
 * about the node in the way; where: what they are in, "the group". */
const char *lt__describe(struct lt_looptree *, struct lt_arena *, const lt_node *member, int32_t n, const bool *result,
	const char *where, struct lt_description *out);

/* contraction.c */
enum { LT_CALL_RESULT, LT_CALL_LEFT, LT_CALL_RIGHT, LT_CALL_MAX = 5 };        /* operands of a call, in order */
/* Which value of which op of the description; value -1: what the op writes. */
struct lt_callread { int32_t op, value; };
struct lt_contraction {
	lt_node mul, sum, end;          /* end: what the call writes */
	uint32_t epilogues, type;       /* type: the widest that the sum and the epilogues are made in */
	int32_t n_rounding;             /* roundings between these that it does not have */
	lt_node rounded;                /* the cast that is the first of them */
	int32_t n_dim;
	int32_t axis[LT_MAX_RANK];      /* of the description: batches, rows, columns, deep ones */
	int32_t role[LT_MAX_RANK];
	int32_t n_operand;
	struct lt_callread operand[LT_CALL_MAX];
};
/* What is described as a contraction and what follows it.  NULL, or a sentence about the axis or operator in the way;
 * wide: roundings between the operators that may be left out are; where: what it is in, "the group". */
const char *lt__contraction_of(const struct lt_graph *, struct lt_arena *, const struct lt_description *, bool wide,
	const char *where, struct lt_contraction *out);

/* routine.c: the rows of a target's table, and what they take.  What a row is asked of a call: */
struct lt_callshape {
	uint32_t pattern, epilogues, sum;
	int32_t n_dim, n_operand, n_rounding;   /* n_rounding: between two operators, which a row leaves out that is wide */
	const char *rounded;            /* the first of them, and its type */
	uint32_t rounded_to;
	int32_t role[LT_MAX_RANK];
	int64_t extent[LT_MAX_RANK];
	uint32_t dtype[LT_CALL_MAX];
	const char *name[LT_CALL_MAX], *var[LT_MAX_RANK];
	bool bounded[LT_MAX_RANK];      /* the extent is the most that run-time scalars leave */
	int64_t stride[LT_CALL_MAX][LT_MAX_RANK];
};
/* Whether a row of a table can be named in a tree, and its sum is of a type. */
bool lt__routine_is_sound(const struct lt_routine *);
/* Whether it leaves out roundings between its operators. */
bool lt__routine_is_wide(const struct lt_target *, const struct lt_routine *);
/* Operations below which loops are faster than the routine. */
int64_t lt__routine_min_flops(const struct lt_target *, const struct lt_routine *, const struct lt_callshape *);
/* NULL: it does; else a sentence. */
const char *lt__routine_refuses(
	struct lt_arena *, const struct lt_target *, const struct lt_routine *, const struct lt_callshape *);
/* Twice the multiply-adds of a product, saturating. */
int64_t lt__call_flops(const struct lt_callshape *);
/* Whether all values of type a have room in b, of the same class. */
bool lt__dtype_as_wide(uint32_t a, uint32_t b);
/* "f32, f16": of a bit set; "nothing". */
const char *lt__dtype_list(struct lt_arena *, uint64_t set);
/* The rows of a target's table; 0: it has none. */
int32_t lt__routine_count(const struct lt_target *);
const struct lt_routine *lt__routine_at(const struct lt_target *, int32_t i);

/* The same where it has pattern LT_PATTERN_GRAPH, and this host may read what such a row says. */
bool lt__routine_is_graph(const struct lt_target *, int32_t i);

/* takes.c: rows of pattern LT_PATTERN_GRAPH. */
/* Whether a row of a frozen tree depends on run-time scalars, through divs, too. */
bool lt__row_has_params(const struct lt_tree *, int32_t row);
/* Where a row stopped, in the order in which it is asked: at what the call is as a whole, at its anchors, types,
 * operators, and so on; op: of types and operators, which one.  Of several rows the one that came farthest has the
 * sentence that says most. */
enum lt_take_step { LT_TAKE_WHOLE, LT_TAKE_ANCHOR, LT_TAKE_TYPE, LT_TAKE_OP, LT_TAKE_COUNT, LT_TAKE_LAYOUT,
	LT_TAKE_SHAPE, LT_TAKE_BACKEND };
struct lt_take_reach { int32_t step, op; };
bool lt__came_farther(struct lt_take_reach, struct lt_take_reach than);
/* NULL: the row computes what the call's description says; else a sentence about the op, read or axis in the way, and
 * what to do.  name: of each op and read; NULL: as in dumps, o3, r1. */
struct lt_call_names { const char *const *op, *const *read; };
const char *lt__routine_refuses_graph(struct lt_arena *, const struct lt_routine *, const struct lt_tree *,
	const struct lt_call *, const struct lt_call_names *name, struct lt_take_reach *reach);
/* NULL: a default tree may call it; else why that is not worth it. */
const char *lt__routine_avoids_graph(
	struct lt_arena *, const struct lt_routine *, const struct lt_tree *, const struct lt_call *);
/* Roundings between two ops of a call that may be left out, and that may be there where the graph has none. */
int32_t lt__call_roundings(const struct lt_tree *, const struct lt_call *);
int32_t lt__call_added_roundings(const struct lt_tree *, const struct lt_call *);
/* The most reductions that a call of the row consists of. */
int32_t lt__routine_reductions(const struct lt_routine *);

/* tile.c: matrix instructions (lt/tile.h) in trees: by name, and what nests they are. */
const struct lt_tile_row *lt__tile_find(const char *name);              /* NULL: there is none of that name */
/* NULL: the nest computes what the instruction does; else a sentence that names the nearest change.  bounded: by dim,
 * whether a run-time bound may leave fewer. */
const char *lt__tile_refuses(
	struct lt_arena *, const struct lt_tile_row *, const struct lt_callshape *, const bool *bounded);

/* Rows, columns: a dim of fewer makes no tile of a block (default/product_simt.c), since reading the larger factor
 * once is the bound then. */
enum { LT_MIN_TILE_SIDE = 16 };
#endif
