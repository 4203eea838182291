/* lt/tree.h -- a frozen loop tree: plain, read-only arrays; nothing to free.
 *
 * One frozen tree is one kernel: a nest of loops over statements that read and
 * write buffers.  Everything is resolved: loop bounds, tails, resets, guards and
 * offsets.  Operators and types are given by description, so a backend can emit an
 * operator that it does not know.
 *
 * Rows.     An affine value is a row of `n_column` int64 coefficients over the
 *           columns  [1 | params | loops | divs]:
 *             value = row[0] + sum row[1+p]*param(p) + sum row[1+n_param+l]*trip(l)
 *                   + sum row[1+n_param+n_loop+d]*div(d)
 *           trip(l), the number of the iteration of loop l, counts 0, 1, 2 ...; a loop's
 *           step is already multiplied in.  Only loops around the use of the row have a
 *           non-zero coefficient.  A row is named by its index into `rows`; row r begins at
 *           rows[r * n_column].
 * Divs.     div(d) = floor(row / den), den > 0, the row using earlier divs only.
 *           lt_div.loop is the innermost loop that it depends on (-1: none).
 * Params.   A run-time scalar is an element of an int64 buffer of this kernel,
 *           read when the kernel starts; the host has checked low <= p <= high.
 * Order.    Loops come parents first.  Statements are in execution order; those
 *           inside one loop are contiguous (first_stmt, n_stmt), and two statements
 *           in the same loop run in the same iterations of it.  To run loop l: walk
 *           its statements; one whose .loop is l runs itself; else run the child
 *           of l that holds it, as a whole, and continue after it.
 * Bounds.   The trip count of loop l is max(0, min(max_trip_count, the bound rows)); max_trip_count is static, >= 1.
 * Lanes.    The iterations of a vector or block loop are lanes: each statement in it may run
 *           in all of them before the next.  It may hold other loops, vector loops too,
 *           and their trip counts may differ from lane to lane.  A local whose scope is the
 *           loop, or a loop in it, is private to each lane; any other is shared by all.  A
 *           lane that a bound, a mask or a guard turns off reads and writes nothing.
 *           No two lanes of a REDUCE have the same dest in one run of the loop (a local that
 *           is private to the lane is a different one in each).  The lanes of a COMBINE do:
 *           along those vector and block loops around it along which dest does not move
 *           (coefficient 0; there is one), all of them are combined with dest, in any order;
 *           along the others it is like a REDUCE.
 *           A loop has ended before what comes after it begins.  A backend that runs the
 *           iterations of a block loop as threads ensures that, except in a tree with
 *           LT_NEED_BARRIER: there LT_BARRIER statements are wherever threads need each other.
 * Blocks.   The iterations of the block loops of an axis are the threads of a block along it, the innermost loop's side
 *           by side; loops beside each other begin at the same thread.  What is in no block loop of an axis is run by
 *           the first thread along it.  A local whose scope is around block loops is one for all their threads.  All
 *           threads of the block run an LT_BARRIER (its dest and op are -1) in each iteration of the other loops
 *           around it, also where a mask turns them off.  Any tree with block loops of several iterations has
 *           LT_NEED_BARRIER.  A backend that runs the iterations one after the other passes barriers by.
 * Copies.   With LT_NEED_ASYNC there are statements with `async` (MAP, op copy): each thread may begin its copies and
 *           go on.  Those that it began since its last LT_COMMIT are a group then; LT_WAIT waits until all except its
 *           last `async` groups are done.  Until then, and until a barrier has followed, nobody reads or writes what
 *           they write.  Both are run as barriers are, by all threads of the block.  A backend that copies at once
 *           passes them by.
 * Operands. A list of pieces; the first whose guards all hold (row >= 0) is the
 *           value.  The last piece has no guards.
 * Numbers.  Every statement computes in the types of its op, then its result has
 *           the type of the destination buffer, which is that of the op except for copies.
 *           Integers wrap, those without a sign at 0, and divide towards minus infinity; a remainder has the sign of
 *           the divisor, of floats too; an integer divided by 0, and its remainder, is 0;
 *           round goes to the even one of two that are equally near.  The source of an op
 *           defines it: a C expression over $0, $1 ...; functions it names are in
 *           lt_tree.prelude (C text, static inline, C and CUDA).
 */
#ifndef LT_TREE_H
#define LT_TREE_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct lt_array { const void *at; uint32_t n, stride; };    /* elements may grow */
#define LT_AT(type, a, i) \
	((const type *)(const void *)((const char *)(a).at + (size_t)(i) * (a).stride))
#define LT_AT_HAS(type, a, member) ((a).stride > offsetof(type, member))

/* All enum values below are pinned. */
enum lt_dtype { LT_F32 = 1, LT_F64, LT_F16, LT_BF16, LT_I8, LT_U8, LT_I16, LT_I32, LT_I64, LT_BOOL,
	LT_U16, LT_U32, LT_U64,
	LT_NDTYPE };
enum lt_loop_kind { LT_SERIAL, LT_PARALLEL, LT_VECTOR, LT_UNROLL, LT_GRID, LT_BLOCK, LT_GROUP,
	LT_CALL, LT_TILE, LT_RANK, LT_NLOOP_KIND };
enum lt_tail { LT_GUARD, LT_PEEL, LT_MASK, LT_PAD };
enum lt_role {
	LT_INPUT, LT_OUTPUT, LT_CONSTANT, LT_STATE,     /* bound whole, by the host      */
	LT_WORKSPACE,                                   /* bound: kept across kernels    */
	LT_LOCAL                                        /* local to one iteration of `scope` */
};
enum lt_stmt_kind {
	LT_MAP,         /* dest = op(operands)                                          */
	LT_RESET,       /* dest = the identity of `op` (operand 0 is that immediate)    */
	LT_REDUCE,      /* dest = op(dest, operand 0); see Lanes                         */
	/* A host uses these two only with LT_NEED_COMBINE, LT_NEED_BARRIER. */
	LT_COMBINE,     /* the same, of lanes that share dest: dest = op(dest, operand 0 of each) */
	LT_BARRIER,     /* all threads of the block have come so far, and see what the others wrote */
	LT_COMMIT, LT_WAIT      /* with LT_NEED_ASYNC; see Copies.  From LT_BARRIER on, dest and op are -1 */
};
/* Who waits for each other at an LT_BARRIER.  Hosts make those of blocks; a backend refuses one that it does not
 * know. */
enum lt_barrier_scope { LT_BARRIER_BLOCK, LT_BARRIER_SUBGROUP, LT_NBARRIER };
enum lt_piece_kind {
	LT_READ,        /* element of a buffer                                          */
	LT_IMMEDIATE,   /* typed bits                                                   */
	LT_AFFINE       /* the value of a row, as int64                                 */
};
/* Bits of lt_tree.needs and lt_caps.understands: features that change meaning.  A tree whose bits a backend does not
 * understand is refused by the host.  PARAMS: rows with params; DIVS: with divs; GATHER: accesses with an index;
 * PIECES: operands of several pieces, or an affine one; GUARDED: statements with guards, or masked vector loops;
 * COMBINE: statements of that kind; BARRIER: block loops of several iterations, with such statements where they are
 * needed; TILE: LT_TILE loops that are described (lt_call); ASYNC: copies that are begun and waited for; OWN: the tree
 * is one call of a kernel of one's own (lt_call.source), whose loops say what it means.
 * The bits 32, 64 and 128 are not used. */
enum lt_need { LT_NEED_PARAMS = 1, LT_NEED_DIVS = 2, LT_NEED_GATHER = 4, LT_NEED_PIECES = 8,
	LT_NEED_GUARDED = 16, LT_NEED_COMBINE = 256, LT_NEED_BARRIER = 512, LT_NEED_TILE = 1024,
	LT_NEED_ASYNC = 2048, LT_NEED_OWN = 4096 };

/* What a nest that is handed to a routine computes (lt_call). */
enum lt_pattern {
	LT_PATTERN_NONE,        /* anything: the statements in the loop say what             */
	LT_PATTERN_PRODUCT,     /* result = sum over the deep dims of left * right           */
	LT_PATTERN_GRAPH        /* of lt_routine alone (1.1): it is asked of a call's description, never of its pattern */
};
/* What follows a pattern in the same call, in this order, element by element. */
enum lt_epilogue {
	LT_EPILOGUE_BIAS = 1,           /* + a value with column dims only: all, some or none   */
	LT_EPILOGUE_RESIDUAL = 2,       /* + a value with all dims of the result             */
	LT_EPILOGUE_RELU = 4,           /* max(x, 0)                                         */
	LT_EPILOGUE_GELU = 8,           /* GELU by erf                                       */
	LT_EPILOGUE_GELU_TANH = 16,     /* GELU by tanh                                      */
	LT_EPILOGUE_SILU = 32           /* x * sigmoid(x)                                    */
};
enum lt_dim_role { LT_DIM_BATCH, LT_DIM_ROW, LT_DIM_COLUMN, LT_DIM_DEEP,
	LT_DIM_OTHER            /* of an axis of a description: it is none of its anchor's    */
};

/* X(name, number, operands, types): operators that a backend may know by number, so that none has to compare texts.
 * Numbers are pinned, rows are only added at the end.  TEXT: a third party's operator: its name and source say what
 * it is.  types, of operands and result:
 *   SAME     any one element type; half types and integers of 8 and 16 bits for copy and select only
 *   FLOAT    f32 or f64             BITS    bool, i32, i64, u32 or u64
 *   TEST     any one element type, the result is bool
 *   CAST     any to any             CHOOSE  operand 0 is bool, the others and the result have one type
 *   WHOLE    i32, i64, u32 or u64
 * shl, shr (1.1): the count, operand 1, may be any number: below 0 it is 0 and operand 0, from the bits of the type on
 * 0, and of a negative operand 0 of shr -1. */
#define LT_OPERATOR_MAP(X) \
	X(copy, 1, 1, SAME) X(select, 2, 3, CHOOSE) X(add, 3, 2, SAME) X(sub, 4, 2, SAME) X(mul, 5, 2, SAME) \
	X(div, 6, 2, SAME) X(mod, 7, 2, SAME) X(pow, 8, 2, FLOAT) X(min, 9, 2, SAME) X(max, 10, 2, SAME) \
	X(eq, 11, 2, TEST) X(ne, 12, 2, TEST) X(less, 13, 2, TEST) X(lessequal, 14, 2, TEST) \
	X(greater, 15, 2, TEST) X(greaterequal, 16, 2, TEST) X(and, 17, 2, BITS) X(or, 18, 2, BITS) \
	X(xor, 19, 2, BITS) X(not, 20, 1, BITS) X(neg, 21, 1, SAME) X(abs, 22, 1, SAME) X(sign, 23, 1, SAME) \
	X(reciprocal, 24, 1, FLOAT) X(exp, 25, 1, FLOAT) X(log, 26, 1, FLOAT) X(sqrt, 27, 1, FLOAT) \
	X(rsqrt, 28, 1, FLOAT) X(tanh, 29, 1, FLOAT) X(sigmoid, 30, 1, FLOAT) X(erf, 31, 1, FLOAT) \
	X(sin, 32, 1, FLOAT) X(cos, 33, 1, FLOAT) X(floor, 34, 1, FLOAT) X(ceil, 35, 1, FLOAT) \
	X(round, 36, 1, FLOAT) X(cast, 37, 1, CAST) X(shl, 38, 2, WHOLE) X(shr, 39, 2, WHOLE)
enum lt_operator_opcode {
	LT_OPCODE_TEXT = 0,
#define LT_OPERATOR_ENUM(name, number, operands, types) LT_OPCODE_##name = number,
	LT_OPERATOR_MAP(LT_OPERATOR_ENUM)
#undef LT_OPERATOR_ENUM
	LT_NOPERATOR_OPCODE
};

/* dtype: enum lt_dtype; ctype: its C storage type ("float", "uint16_t" for f16). */
struct lt_type   { const char *name, *ctype; uint32_t dtype, bytes; };
/* One operator at one set of types.  `name` is the row of the operator table ("add", "cast").
 * `in` are dtypes of the operands, `out` of the result; identity: typed bits, for LT_RESET; opcode:
 * enum lt_operator_opcode. */
struct lt_op     { const char *name, *source; int32_t arity; uint32_t out, in[3]; uint64_t identity;
	uint32_t opcode, reserved; };
struct lt_tparam { const char *name; int32_t buffer; int64_t element, low, high; };
struct lt_div    { int32_t row, loop; int64_t den; };
struct lt_loop   {
	int32_t parent;                 /* -1: outermost                                */
	int32_t kind, kind_arg, tail;   /* kind_arg: lanes of a vector loop (max_trip_count), axis of a grid or
	                                 * block loop, else 0; tail: LT_MASK: the bound rows say which lanes of
	                                 * a vector or block loop are on; else it is resolved, and for dumps */
	const char *var;                /* "m", "m'" ...: for dumps and comments         */
	int64_t step, max_trip_count;        /* step: of the var, for dumps                   */
	int32_t first_bound, n_bound;   /* rows: trip count <= row                       */
	int32_t first_stmt, n_stmt;
	const char *call;               /* routine of LT_CALL, instruction of LT_TILE    */
	int64_t base;                   /* position of iteration 0 in its span, of a peeled remainder: for dumps */
};
struct lt_buffer {
	const char *name;
	int32_t type;                   /* index into types                              */
	int32_t role, scope;            /* scope: loop whose iteration owns a local; -1: kernel */
	int64_t elems;                  /* elements that may be accessed, from the base   */
	int64_t align;                  /* bytes, of the base                            */
	int32_t slot;                   /* index into lt_args.slot; -1 for a local        */
	int32_t written;                /* 1: some statement writes it                    */
	int32_t alias_of;               /* -1, or an earlier buffer with the same slot; never of a local    */
	int32_t depth;                  /* a local is this many buffers in turn; 0, 1: one.  Rows and elems include
	                                 * that: code that runs the rows may ignore it.  A hint, and for dumps */
	int32_t swizzle;                /* of a local: 32, 64 or 128: in memory that threads of a block share, runs of 16
	                                 * bytes may change places within as many bytes, by the bits of the byte's number
	                                 * from 7 on: struct lt_kernel_buffer in lt/kernel.h; 0: not.  A hint: rows say
	                                 * which element is meant, not where its bank is */
	int32_t reserved;
};
/* Element `row` of `buffer`.  index >= 0: a gather; the value of operand-like access
 * `index` (an integer element) is checked 0 <= v < index_extent, and v < each of the
 * bound rows (what run-time scalars leave of the axis); v*index_stride is
 * added; out of range: 0 is used and the fault record is set. */
struct lt_access { int32_t buffer, row; int32_t index; int64_t index_extent, index_stride;
	int32_t first_bound, n_bound; };        /* n_bound 0: none */
struct lt_piece  { int32_t kind, access, row; int32_t first_guard, n_guard; uint64_t bits; };
struct lt_operand{ int32_t first_piece, n_piece; uint32_t dtype; };
struct lt_stmt   {
	int32_t kind, op, loop;         /* loop: innermost around it, -1: none           */
	int32_t dest;                   /* an access                                     */
	int32_t first_operand, n_operand;
	int32_t first_guard, n_guard;   /* rows >= 0, or the statement does nothing       */
	int32_t reducing;               /* REDUCE, COMBINE: outermost reducing loop; else -1 */
	const char *name;               /* graph node: names a local in dumps            */
	int32_t line, column;           /* of the script; 0: unknown                      */
	int32_t stream;                 /* 1: what it writes is not read again in this kernel and too large for a
	                                 * cache: whole vectors may go to memory past the caches.  A hint */
	int32_t async;                  /* of a copy: 1: it may be done later, see Copies; of LT_WAIT: how many groups   */
	int32_t scope;                  /* of LT_BARRIER: enum lt_barrier_scope                               */
	int32_t reserved;
};

/* The nest below an LT_CALL loop, classified: it says what is computed, not in which order; its statements may be run
 * as loops instead.  Dims are the vars of the nest, however its loops cut them.  Operands: 0 is what the call writes in
 * the end, 1 left, 2 right, then what its epilogues read, in the order of their bits.  Element (i0, i1 ...) of operand
 * o is at row + sum strides[first_stride + d] * i_d of its buffer; the stride is 0 along a dim that the operand does
 * not have, so a bias is repeated along it.  A call overwrites its result: an LT_RESET of it before the loop is
 * ignored.  Roundings between the product and its epilogues (may_skip, below) are in no epilogue: a routine takes such
 * a call where its row is `wide` (target.h). */
/* The nest below an LT_TILE loop is described in the same way, where it is what the instruction in lt_loop.call
 * computes (lt/tile.h): one row, one column and one deep dim of its extents, no epilogue, and the product is added to
 * what the result holds.  The other LT_TILE loops are resets of such results.  Both may be run as the loops that they
 * are where block loops are run one iteration after the other; else the instruction's threads run it together, along
 * axis 0 of the block, and LT_BARRIER statements stand where its fragments ask for them. */
struct lt_call {
	int32_t loop, pattern;
	uint32_t epilogues;             /* LT_EPILOGUE_* bits                              */
	uint32_t sum;                   /* enum lt_dtype that the graph adds in, epilogues too */
	int32_t stmt;                   /* the statement that sums the product (LT_REDUCE or LT_COMBINE), -1: no pattern */
	int32_t first_dim, n_dim, first_operand, n_operand;
	/* Since 1.1: the description, below.  n_result 0: there is none, and `undescribed` is a sentence that says why. */
	int32_t first_axis, n_axis, first_read, n_read, first_op, n_op, first_result, n_result;
	int32_t anchor;                 /* index into call_anchors of the first; -1: nothing is known of it as a whole */
	const char *undescribed;        /* for messages; NULL: it is described               */
	/* Of a kernel of one's own (lt/own.h, LT_NEED_OWN), which computes the whole tree: its C, whose function is called
	 * lt_own_NAME, NAME what is behind the last '.' of lt_loop.call; what else it is given; bytes of workspace, and of
	 * each thread.  NULL: it is a routine's call. */
	const char *source;
	const double *number;
	int64_t workspace, workspace_each;
	int32_t n_number;
	int32_t n_anchor;               /* its anchors, from `anchor` on: 0, 1, or those that stand side by side, below */
};
/* bounds: as a loop's */
struct lt_call_dim { const char *var; int32_t role; int64_t extent; int32_t first_bound, n_bound; };
struct lt_call_operand { int32_t buffer, row, first_stride; };  /* row: over params and the loops outside the call */

/* The description of a call (1.1): what its nest computes, as operations in data order, whatever its pattern is.  Its
 * statements may be run as loops instead, and compute the same.
 *
 * Axes.     What it counts along: `n_axis` elements of call_dims, which are not those of the product.  An axis is a
 *           var of the nest, or a digit of one that views cut (c = 16*g + o).  An op has a value for each position
 *           along its axes; along an axis that an operand of it does not have, that is repeated.
 * Places.   An affine value at a position is row + sum strides[first_stride + a] * position along axis a; the row is
 *           over params and the loops outside the call.
 * Reads.    The elements of buffers that the call reads, each with the place of one.  Where a guard is negative
 *           nothing is read, and the value is `fill`, typed bits.  Guards are places, too, of positions that no axis
 *           of the buffer may have: the rows of an image whose plane is one axis.  Two reads may be of one buffer.
 * Ops.      MAP: the operator of its values.  REDUCE: its one value, by the operator, along the axes in `reduced`,
 *           which are among its `axes`, as a bit set; its own values have the others.  The identity where there is
 *           nothing to reduce.  CAST: its value in another type; `may_skip`: what reads it in the call may get the
 *           value from before it, unrounded, at each position or at none.  A result is never skipped.
 *           2: the graph does not round there, but a routine may: probabilities that multiply halves.
 * Values.   What an op reads: an earlier op of the call, at the same position; a read; typed bits; a place, as int64.
 * Results.  What is written: an op, and the place of each element.  Everything that is read is read before anything is
 *           written, except that a result may be written over a read of the same places.
 *           op -1: the call of an operator that the tree does not describe: its reads and results are dense, in the
 *           order of its operands, and n_op is 0. */
enum lt_call_op_kind { LT_CALL_MAP, LT_CALL_REDUCE, LT_CALL_CAST };
enum lt_call_value_kind { LT_VALUE_OP, LT_VALUE_READ, LT_VALUE_BITS, LT_VALUE_PLACE };
struct lt_call_guard { int32_t row, first_stride; };
struct lt_call_read {
	int32_t buffer, row, first_stride;
	int32_t first_guard, n_guard, reserved;
	uint64_t fill;
};
struct lt_call_value {
	int32_t kind;                   /* enum lt_call_value_kind                         */
	uint32_t dtype;
	int32_t at;                     /* OP: of the call's ops; READ: of its reads; from 0; else -1 */
	int32_t row, first_stride;      /* PLACE; else -1                                   */
	int32_t reserved;
	uint64_t bits;                  /* BITS                                            */
};
struct lt_call_op {
	int32_t kind;                   /* enum lt_call_op_kind                            */
	int32_t op;                     /* into ops: the operator, its opcode and types      */
	int32_t may_skip, reserved;     /* of CAST                                         */
	uint64_t axes, reduced;         /* bit a: the call's axis a                        */
	int32_t first_value, n_value;   /* into call_values                                */
};
struct lt_call_result { int32_t op, buffer, row, first_stride; };

/* What a description is as a whole, for a backend that has a form for it; it says nothing that the ops do not say.
 *
 * PRODUCT      op[0] sums op[1] = read[0] * read[1], casts left out, along the DEEP axes.  Axes have the roles of a
 *              product's dims.
 * CONVOLUTION  the same, where read[0] is read by windows: each has an entry in call_windows.  Axes of windows are
 *              DEEP, those along which they move ROW (BATCH, where the other factor has them, too); groups are a
 *              BATCH.  Windows that share no element and have no borders are a PRODUCT's axes, unless two of them lie
 *              one in the other beside channels, as those of an image's patches do.
 * ATTENTION    op[0] sums op[1], scores of read[0] (queries) and read[1] (keys); op[2] is their largest along the keys,
 *              op[3] sums exponentials, op[4] sums their products with read[2], values.  ROW: queries, COLUMN: what
 *              the values have alone, DEEP: what queries and keys have; the keys themselves are `reduced` in op[2].
 * NORM         op[0] is the sum whose mean is subtracted (-1: none, as in RMS norm), op[1] the sum of squares, both of
 *              read[0], along the DEEP axes (-1: of what the call computes before).
 * What is not there is -1.
 *
 * Side by side: a call whose only REDUCEs are several PRODUCTs and CONVOLUTIONs, none of which is made of another, has
 * an anchor of each, in the order of the ops (SwiGLU's silu(x w1) * (x w3)).  They may share reads and axes; an axis
 * has one role in all that have it.  What follows one of them, or several, is behind. */
enum lt_anchor { LT_ANCHOR_PRODUCT = 1, LT_ANCHOR_CONVOLUTION, LT_ANCHOR_ATTENTION, LT_ANCHOR_NORM };
/* What the scores of ATTENTION are multiplied by a number at. */
enum lt_call_scale { LT_SCALE_NONE, LT_SCALE_SCORES, LT_SCALE_QUERIES, LT_SCALE_KEYS,
	LT_SCALE_SEVERAL        /* at more than one of them */
};
/* Which scores count: all; keys up to query + `offset`, a place without axes; those that something else selects; as op
 * `mask` says, which selects them or adds to them what the call computes for that, of reads and places alone.
 *
 * LENGTHS: op `mask` leaves keys that are less than read `length`, or up to it; it is an int32 or int64 of each batch,
 * or one for all, and the others' scores are -inf.  CAUSAL_LENGTHS: and that are causal, with an `offset` of 0 or more,
 * so that a query has a key where its batch has one. */
enum lt_call_scores { LT_SCORES_ALL, LT_SCORES_CAUSAL, LT_SCORES_MASKED, LT_SCORES_COMPUTED, LT_SCORES_LENGTHS,
	LT_SCORES_CAUSAL_LENGTHS };
struct lt_call_anchor {
	int32_t kind;                   /* enum lt_anchor                                  */
	int32_t op[5], read[3];         /* of the call's ops and reads, from 0               */
	int32_t first_window, n_window; /* CONVOLUTION                                     */
	int32_t scale, scores;          /* ATTENTION: enum lt_call_scale, lt_call_scores     */
	int32_t offset_row;             /* of what is causal; else -1                        */
	int32_t mask;                   /* COMPUTED and of lengths; else -1                  */
	int32_t length, up_to;          /* of lengths, of a COMPUTED mask, too; else -1; 1: keys up to it, 0: less than it */
};
/* Window w at output o of an axis reads number stride*o + dilation*w - before of it; `before` and `after` are how many
 * borders there are beside its `extent`, which lie `step` elements apart (0: there is one).  What no window reads,
 * behind the last number that is read or before the first, need not count.  -1: there is one output, or one window. */
struct lt_call_window { int32_t out, window; int64_t stride, dilation, before, after, extent, step; };

struct lt_tree {
	uint32_t size;
	const char *name;                       /* a C identifier                        */
	uint64_t needs;                         /* LT_NEED_* bits                        */
	int32_t n_param, n_loop, n_div, n_column, n_row, n_slot;
	const int64_t *rows;
	const int32_t *guards;                  /* row indices; pieces and stmts point in */
	const int32_t *bounds;                  /* row indices; loops and accesses point in */
	struct lt_array types, ops, params, divs, loops, buffers, accesses, pieces, operands, stmts;
	const char *prelude;                    /* C text that the ops' sources use       */
	/* canonical, without names and lines: with the ops' sources and the prelude, the key of every cache */
	const char *text;
	struct lt_array calls, call_dims, call_operands;
	const int64_t *strides;                 /* of call operands, and of descriptions   */
	/* Since 1.1: of descriptions. */
	struct lt_array call_reads, call_values, call_ops, call_results, call_guards, call_anchors, call_windows;
};

#ifdef __cplusplus
}
#endif
#endif
