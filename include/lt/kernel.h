/* lt/kernel.h -- kernel programs: what a frozen tree (lt/tree.h) does, spelled out once, so that a backend only has to
 * print it.
 *
 * A kernel program has every decision that a printer would otherwise take: which local is an array and which is a
 * variable, where an address is computed, how a guard is tested, which loop runs on several threads.  It is plain,
 * read-only arrays.  `lt-run --dump=kernel` shows one; docs/kernel.md explains the text, which parses back.
 *
 * This is a library (liblt-kernel.a), not a part of the binary interface between host and plug-in: a plug-in links the
 * version that it was built with.
 *
 * Instructions.  One list for all regions, in the order in which they run.  A `loop` and an `if` hold the instructions
 *             up to their `end`.  An instruction that has a value is named by its index; the value belongs to one
 *             thread and never changes.  It is used after it was made, in the block that it was made in or in one
 *             inside, and in the same region.
 * Types.      An element type and a number of lanes; a mask (LT_LANE_MASK) is one bit for each lane.  Half types and
 *             integers of 8 and 16 bits are only moved and cast.  Arithmetic is that of lt/tree.h: integers wrap,
 *             `div` and `mod` round towards minus infinity, x/0 and x%0 are 0, min and max hand NaN on and -0 < +0.
 *             A `mul` and an `add` of its value may be fused, where floats are concerned.
 * Variables.  What changes: `set`, `update`, `get`.  A value from `get` is not used behind a later `set` or `update`
 *             of that variable, in any order that the loops around may run in: a printer may print its name instead.
 * Memory.     A buffer is a space of elements of one type.  An address is an element: a value (i64) plus a constant,
 *             and for lanes: one behind the other, a constant stride apart, or each at an index of its own (i64, as
 *             many lanes).  Lanes that a mask turns off read nothing (the value there is 0) and write nothing.  Where
 *             two lanes of a store write one element, it is not said which of them stays.
 * Contracts.  What an opcode asks of a value that it gets (its row below) holds wherever it runs: of an address, a
 *             divisor, a shift, of what is scaled or converted.  Of constant addresses, divisors and shifts it is
 *             checked by lt_kernel_verify, also in code that never runs.  The end of a loop that runs is at least a
 *             step below the largest i64.
 * Lifetimes.  An array and a variable are undefined when their instruction (`array`, `variable`) runs, and end with the
 *             block that it stands in.
 * Calls.      What a routine of a library computes is a product of matrices: the sum over the deep dims of left *
 *             right, in the type `sum`, then what `epilogues` says, as struct lt_call has it (lt/tree.h), then a cast
 *             to the result's type.  A call overwrites its result, and reads none of these elements, but a residual
 *             where each lies on its own.  Launches and calls are done one after the other.
 *             Or it is described: operations over its dims, as lt/tree.h has them, in order; a call overwrites its
 *             results, and reads none of their elements but those that lie as the result does.
 * Regions.    Region 0 is the host: it runs once, by one thread, from beginning to end.  A team is run for the points
 *             0 .. n-1 of a launch, in ranges `first` to `last` that are disjoint and cover them, by any threads at
 *             once: what one point writes no other one reads or writes, faults and its own arrays, variables and
 *             parts of a thread aside.  When launch is done, all of them are.  Values go to a team as arguments.
 * Grids.      A grid is run for blocks of threads, as many as launch_grid says, in any order, several at once.  Each
 *             thread runs the region from its beginning to its end, with values, variables and arrays of its own.  A
 *             launch may have more blocks than that along each axis, up to the region's maximum (one that is recorded
 *             has always as many): those `leave` before they access anything.  What one block writes no other
 *             one reads or writes; in a block, what a thread writes another one accesses only behind a barrier that
 *             both wait at.  Lanes that lie side by side, off ones too, begin at a multiple of the largest power of two
 *             that divides their bytes, up to 16.
 * Uniformity. A value is the same in all threads of a launch, block, four subgroups or subgroup, or differs; that
 *             follows from the program (docs/kernel.md).  Barriers, exchanges, commits, waits and matrix instructions
 *             are run by all threads of their scope or by none: conditions and trips around them are the same there.
 * In flight.  From its copy_async until the thread has waited for its group, nobody accesses what is copied to, and
 *             nobody writes what is copied; the same holds for the accumulators and the shared operands of a matrix
 *             instruction with ASYNC.  Each group is waited for before the thread ends.
 * Threads.    A kernel program does not change: any number of threads may read one.
 */
#ifndef LT_KERNEL_H
#define LT_KERNEL_H
#include "lt/backend.h"
#include "lt/tree.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(name, number, form, doc): the opcodes of the machine.  Those of operators are in lt/tree.h (LT_OPCODE_add ...),
 * below 128; here a comparison gives a mask, `select` takes one, and and, or, xor, not work on masks, too.  `form` says
 * which members an instruction has, how it is written (docs/kernel.md), and what is checked.  Numbers are pinned. */
#define LT_MACHINE_MAP(X) \
	X(const, 128, CONST, "typed bits, the same in every lane, 0 above them; of a mask, a bit for each lane") \
	X(param, 129, NUMBERED, "the value of a run-time scalar, i64; the host has checked its range") \
	X(argument, 130, NUMBERED, "of the region: what launch handed over") \
	X(first, 131, LONE, "of a team: the first point of the range, i64") \
	X(last, 132, LONE, "of a team: the end of the range, i64: one past its last point") \
	X(splat, 133, UNARY, "one value in every lane") \
	X(lane, 134, LONE, "the numbers of the lanes: 0, 1, 2 ...") \
	X(below, 135, PREFIX, "the mask of the lanes whose number is less than an i64") \
	X(shuffle, 136, SHUFFLE, "lanes of two values by constant numbers; the second's follow the first's") \
	X(fold, 137, FOLD, "all lanes by an operator: the upper half onto the lower, until there is one") \
	X(any, 138, MASK, "whether a lane of a mask is on: a mask of one lane") \
	X(all, 139, MASK, "whether all lanes of a mask are on: a mask of one lane") \
	X(flag, 140, MASK, "a mask as bool: 1 or 0 in each lane") \
	X(test, 141, UNARY, "a bool as a mask: whether it is not 0") \
	X(bits, 142, CAST, "the same bits as another type of as many bytes") \
	X(quotient, 143, BINARY, "of integers, towards zero; the divisor is neither 0 nor, if it has a sign, -1") \
	X(remainder, 144, BINARY, \
		"with the sign of the dividend; of integers the divisor is neither 0 nor, if it has a sign, -1") \
	X(shift_left, 145, BINARY, "of integers, by 0 to bits - 1") \
	X(shift_right, 146, BINARY, "of integers as if they had no sign, by 0 to bits - 1") \
	X(text, 147, TEXT, "an operator that only a third party knows: its C text (lt_op.source)") \
	X(load, 148, LOAD, "lanes of a buffer: side by side, by a constant stride, or each at an index of its own") \
	X(store, 149, STORE, "the same, written") \
	X(prefetch, 150, PREFETCH, "a hint that an address will be read soon; it may be outside of the buffer") \
	X(fault, 151, FAULT, "where the mask holds a gather was out of range: the first writer leaves its record") \
	X(get, 152, GET, "what a variable holds") \
	X(set, 153, SET, "gives a variable a value") \
	X(update, 154, UPDATE, "variable = operator(variable, value)") \
	X(array, 155, NAMED, "an array begins: its elements are undefined") \
	X(variable, 156, NAMED, "a variable begins: undefined") \
	X(loop, 157, LOOP, "its value counts from operand 0 to below operand 1 by a constant step, i64") \
	X(if, 158, IF, "the block runs where the mask of one lane holds") \
	X(else, 159, ELSE, "the other block of an if") \
	X(end, 160, END, "of a loop or an if") \
	X(launch, 161, LAUNCH, \
		"in the host region: a team runs for the points 0 to below operand 0, none if that is negative") \
	X(lesser, 162, BINARY, "x if x < y, else y: of two zeros, and where one is NaN, the second") \
	X(larger, 163, BINARY, "x if x > y, else y: of two zeros, and where one is NaN, the second") \
	X(shift_signed, 164, BINARY, "of integers to the right, by 0 to bits - 1; what comes in is the sign") \
	X(scale, 165, BINARY, "x, which is about 1, times 2 to the power of y, a whole number; rounded once") \
	X(convert, 166, CAST, "a cast as C does it: to integers the value, cut, must fit; no half types, not to bool") \
	X(each, 167, EACH, "an operator of floats, of one lane after another, which the machine has for one lane") \
	X(dot, 168, DOT, \
		"operand 2 and, to each of its lanes, the products of four lanes of x and y each, all exact; it wraps") \
	X(block, 180, NUMBERED, "of a grid: the number of the block along axis 0, 1 or 2, i64") \
	X(thread, 181, NUMBERED, "of a grid: the number of the thread in its block along axis 0, 1 or 2, i64") \
	X(subgroup, 182, NUMBERED, "of a grid: the number in its block of the thread's 1 or 4 subgroups, i64") \
	X(member, 183, LONE, "of a grid: the number of the thread in its subgroup, i64") \
	X(leave, 184, LEAVE, "of a grid: the block ends here where the mask of one lane holds") \
	X(barrier, 185, BARRIER, "so many threads wait for each other, and see what the others wrote") \
	X(exchange, 186, EXCHANGE, "operand 0 of another thread of the subgroup, by a distance or a number, i64") \
	X(copy_async, 187, COPY, "begins a copy of 4, 8 or 16 bytes to shared memory; zeros where the mask does not hold") \
	X(commit, 188, COMMIT, "what the thread has begun since its last commit is a group") \
	X(wait, 189, WAIT, "until all but the last so many groups of the thread are done") \
	X(matrix, 190, MATRIX, "accumulators += matrix a times matrix b, by all threads of a subgroup or of four") \
	X(launch_grid, 191, LAUNCH_GRID, \
		"in the host region: a grid runs, of so many blocks along each axis; none if one is 0") \
	X(fragment, 192, FRAGMENT, "what the thread has of matrix a or b in shared memory, read by all threads of `matrix`") \
	X(call, 193, CALL, \
		"in the host region: a routine computes what its line says: where each operand begins, then how many of each dim, " \
		"where guards and places begin")
enum lt_machine_opcode {
#define LT_MACHINE_ENUM(name, number, form, doc) LT_OPCODE_##name = number,
	LT_MACHINE_MAP(LT_MACHINE_ENUM)
#undef LT_MACHINE_ENUM
	LT_NOPCODE = 194
};

enum { LT_LANE_MASK = 32 };          /* beside enum lt_dtype */
enum { LT_MAX_LANES = 64 };
enum { LT_MAX_BLOCKS = 1000 };       /* loops and ifs around an instruction */

enum { LT_MAX_ALIGN = 64 };          /* bytes: where the workspace begins, and so the most that a part of it asks for */

enum { LT_MAX_THREADS = 1024 };      /* of a block */
enum { LT_MAX_BARRIERS = 16 };       /* of a block, by number */
enum { LT_MAX_MATRICES = 16 };       /* of a program */

enum lt_region_kind { LT_REGION_HOST, LT_REGION_TEAM, LT_REGION_GRID, LT_NREGION_KIND };
enum lt_space {
	LT_SPACE_SLOT,          /* bound by the host: lt_args.slot                                     */
	LT_SPACE_WORKSPACE,     /* part of lt_args.workspace: kept from the run's begin to its end     */
	LT_SPACE_THREAD,        /* the same, but each thread of a team has its own; undefined in every range */
	LT_SPACE_ARRAY,         /* of one block of one region: on a CPU's stack; in a grid each thread's own */
	LT_SPACE_SHARED,        /* part of the shared memory of each block of one grid; undefined when it begins */
	LT_NSPACE
};
/* `what` of barrier, of exchange, and of commit and wait: where the threads are that wait; whose value it is; what was
 * begun. */
enum lt_exchange {
	LT_EXCHANGE_UP,         /* of the member whose number is smaller by the distance; its own, if there is none */
	LT_EXCHANGE_DOWN,       /* ... larger ... */
	LT_EXCHANGE_XOR,        /* of the member whose number is this one's xor the distance */
	LT_EXCHANGE_INDEX,      /* of the member with that number */
	LT_NEXCHANGE
};
enum lt_flight { LT_FLIGHT_COPIES, LT_FLIGHT_PRODUCTS, LT_NFLIGHT };
/* Bits of lt_instruction.flags.  UNROLL: of a loop, a hint: copies of its body are worth it, at most `stride` of them.
 * STREAM: of a store, a hint: what is written is not read again soon, and may go past the caches.  A printer that takes
 * it puts a fence before each launch and at the region's end: when launch is done, all points are.
 * ASYNC: of a matrix instruction: it is begun, and done when a wait for its group is. */
enum lt_instruction_flag { LT_INSTRUCTION_UNROLL = 1, LT_INSTRUCTION_STREAM = 2, LT_INSTRUCTION_ASYNC = 4 };

struct lt_instruction {
	uint16_t opcode;                /* enum lt_operator_opcode, lt_machine_opcode              */
	uint8_t dtype, flags;           /* dtype: enum lt_dtype or LT_LANE_MASK, of its value; 0: it has none */
	uint32_t lanes;                 /* of its value, 1 .. LT_MAX_LANES; 0: it has none */
	/* Values, by index of the instruction that makes them; -1: none.
	 *   load, prefetch   address, index, mask
	 *   store            address, index, mask, value
	 *   loop             from, to
	 *   if               a mask of one lane
	 *   fault            mask, index that was read (i64)
	 *   launch           points (i64)
	 *   launch_grid      blocks along each axis (i64)
	 *   leave            a mask of one lane
	 *   exchange         value, distance or number (i64; a distance is the same in the subgroup)
	 *   copy_async       address in shared memory, -1, mask of one lane, address of the source
	 *   matrix           of a and b: the fragment, or the address of the matrix in shared memory
	 *   fragment         the address of the matrix in shared memory
	 *   else             what an operator has: operands in order */
	int32_t operand[4];
	/* Of load, store, prefetch, array: the buffer.  Of get, set, update, variable: the variable.  Of param, argument:
	 * its number.  Of launch, launch_grid: the region.  Of call: its description.  Of text: the operator.  Of fold, each:
	 * the operator's opcode.
	 * Of loop, if, else: the index of the matching end (of an if that has one: of its else).  Of end: the index of what
	 * it ends, a loop, if or else.  Of fault: the access.  Of block, thread: the axis.  Of subgroup: of how many
	 * subgroups.  Of barrier, exchange, commit, wait: enum lt_barrier_scope, lt_exchange, lt_flight.  Of copy_async: the
	 * buffer that is written.  Of matrix, fragment: its description.  Else -1. */
	int32_t what;
	/* The statement of the frozen tree that it comes from; of a loop, the loop; -1: none.  For messages, dumps, faults. */
	int32_t origin;
	int64_t number;                 /* const: typed bits, and 0 above them; load, store, prefetch, copy_async: added to the
	                                 * address; loop: the step, > 0; update: the operator's opcode; barrier: its number;
	                                 * wait: how many; fragment: of a (0) or b (1) */
	int64_t stride;                 /* load, store: elements from lane to lane, if they have no index; loop: see UNROLL;
	                                 * barrier: how many threads; copy_async: how many elements */
	/* Into extras.  shuffle: lanes; launch, launch_grid: values handed over; call: of each operand the value that says
	 * which element of its buffer it begins at, then of each dim how many there are, then, of a described one, where each
	 * guard and each place that an op reads begins, in order, all i64; copy_async: the buffer
	 * that is read, what is added to its address; matrix: a struct lt_matrix_location for a, one for b, each member an
	 * extra, then the accumulators: variables whose lanes, together, are those of a fragment of c; fragment: a
	 * location. */
	int32_t first_extra, n_extra;
};
/* Where an operand of a matrix instruction is.  In shared memory element (row, column) is at address + number +
 * row * stride[0] + column * stride[1]; of that byte's number in the block's shared memory, with a swizzle of 32, 64 or
 * 128, bits 4 and up are xored with as many bits from 7 on: 1, 2 or 3.  Of a buffer that has a swizzle itself: 0. */
struct lt_matrix_location { int64_t buffer, number, stride[2], swizzle; };         /* buffer -1: in registers */
enum { LT_MATRIX_LOCATION = 5 };        /* extras of one */

/* Names are unique among buffers and variables: [a-zA-Z_][a-zA-Z0-9_.]*, of at most 63 bytes. */
struct lt_variable { const char *name; uint32_t dtype, lanes; };        /* dtype: LT_LANE_MASK, too */
struct lt_kernel_buffer {
	const char *name;
	uint32_t dtype, space;          /* enum lt_dtype, lt_space                              */
	int64_t elems;                  /* that may be accessed, from the base                  */
	int64_t align;                  /* of the base, in bytes; a power of two, at least an element's bytes; WORKSPACE and
	                                 * THREAD: at most LT_MAX_ALIGN */
	int64_t offset;                 /* WORKSPACE: from its begin, THREAD: of a thread's part; in bytes */
	int32_t slot;                   /* SLOT: into lt_args.slot; else -1                     */
	uint8_t written;                /* 1: some instruction writes it                        */
	uint8_t exclusive;              /* 1: no other buffer reaches its elements (C's restrict) */
	int32_t origin;                 /* the buffer of the frozen tree; -1: none              */
	/* SHARED: 32, 64 or 128: of the number of each byte from the base, bits 4 and up are xored with as many bits from 7
	 * on: 1, 2 or 3, so that 16 bytes stay together and rows of 128 bytes begin in different banks.  0: as it is.
	 * Addresses are those without it; lanes of an access lie side by side, in 1, 2, 4, 8 or 16 bytes; align is at least
	 * 8 times as many bytes. */
	int32_t swizzle;
};
/* A run-time scalar: element `element` of a buffer (i64), read before the kernel's first instruction. */
struct lt_kernel_param { const char *name; int32_t buffer; int64_t element, low, high; };
struct lt_region {
	uint32_t kind;                  /* enum lt_region_kind                                  */
	int32_t first, n;               /* instructions                                         */
	int32_t n_argument;
	int32_t origin;                 /* a team or grid: the frozen tree's outermost parallel loop; -1: none */
	/* Of a grid; of others all 0. */
	int64_t blocks[3];              /* no launch has more along an axis                     */
	int32_t threads[3];             /* of a block; threads are numbered by axis 0 first     */
	int32_t subgroup;               /* its threads, 1: there are none; a power of two that divides a block's threads */
	int32_t resident;               /* so many blocks should have room on one multiprocessor at a time; 0: not said */
	int64_t shared_bytes;           /* of a block                                           */
};

/* What a matrix instruction computes: c (m x n) += a (m x k) b (k x n), by 32 or 128 threads.  A thread has a fragment
 * of each, and element r of thread t is where the bits say that are set: of r those of `element`, of t those of
 * `thread`, the lowest first.  What is not kept in registers has no bits. */
struct lt_matrix_bit { uint8_t axis, power; };  /* axis 0, 1, 2: m, n, k; it adds 1 << power there */
enum { LT_MATRIX_BITS = 8 };
struct lt_matrix_part {
	uint32_t dtype;
	uint8_t n_element, n_thread;
	struct lt_matrix_bit element[LT_MATRIX_BITS], thread[LT_MATRIX_BITS];
};
enum lt_matrix_operand { LT_MATRIX_A, LT_MATRIX_B, LT_MATRIX_C, LT_NMATRIX };
struct lt_kernel_matrix { const char *name; int32_t extent[3], threads; struct lt_matrix_part part[LT_NMATRIX]; };

/* What a routine is called for.  extent: the most that there may be of a dim.  Operands, 3 to 5: the result, left,
 * right, what the epilogues read; element (i0, i1 ...) of one is at its begin + sum of stride * i, each of its strides
 * 0 along a dim that it does not have. */
struct lt_kernel_call_dim { const char *var; int32_t role; int64_t extent; };          /* enum lt_dim_role */
struct lt_kernel_call_operand {
	int32_t buffer;
	const int64_t *strides;
	/* Of a call that is described: a result's op; of what is read, guards of n_dim strides each: where one is negative
	 * nothing is read, and the value is `fill`. */
	int32_t op, n_guard;
	const int64_t *guards;
	uint64_t fill;
};
/* What an op reads, and an op: struct lt_call_value, lt_call_op.  Reads are operands, from the first that is no
 * result. */
struct lt_kernel_call_value { int32_t kind, at; uint32_t dtype; uint64_t bits; const int64_t *strides; };
struct lt_kernel_call_op {
	int32_t kind, may_skip;
	uint32_t opcode, dtype;         /* dtype: of its value */
	uint64_t dims, reduced;
	int32_t n_value;
	const struct lt_kernel_call_value *values;
};
enum { LT_MAX_CALL_DIMS = 64, LT_MAX_CALL_OPERANDS = 5, LT_MAX_CALL_PARTS = 4096, LT_MAX_CALL_GUARDS = 64 };
struct lt_kernel_call {
	const char *routine;
	uint32_t epilogues, sum;        /* LT_EPILOGUE_* bits; enum lt_dtype */
	int32_t n_dim, n_operand;
	const struct lt_kernel_call_dim *dims;
	const struct lt_kernel_call_operand *operands;
	int32_t origin;                 /* the loop of the frozen tree; -1: none */
	/* n_result 0: a product.  Else it is described, and the first operands are its results. */
	int32_t n_result, n_op;
	const struct lt_kernel_call_op *ops;
};

struct lt_kernel {
	const char *name;                               /* a C identifier */
	uint32_t n_instruction, n_region, n_buffer, n_variable, n_param, n_op, n_extra, n_slot, n_matrix, n_call;
	const struct lt_instruction *instructions;
	const struct lt_region *regions;                /* region 0 is the host's */
	const struct lt_kernel_buffer *buffers;
	const struct lt_variable *variables;
	const struct lt_kernel_param *params;
	const struct lt_op *ops;                        /* third parties' operators, for `text` */
	const struct lt_kernel_matrix *matrices;
	const struct lt_kernel_call *calls;
	const int64_t *extras;
	const char *prelude;                            /* C text that the ops' sources use; "": none */
	/* lt_args.workspace begins at a multiple of LT_MAX_ALIGN.  thread_bytes: for each thread of a run, behind the others;
	 * both are multiples of the alignments of the buffers in them. */
	int64_t workspace_bytes, thread_bytes;
};

/* What a machine, or the language that is printed, has by itself beyond what each one must have (lt_kernel_expand).
 * Types are bits 1 << enum lt_dtype: of the value (of `one`, where it is one lane, of `many`, where it is more), and of
 * the operand of a cast. */
struct lt_machine_operator { uint16_t opcode, one, many, from; };

/* A machine, as data: what lowering, steps and expansion decide by.  Numbers that do not apply are 0: then
 * loops are loops, and each value has one lane. */
struct lt_machine {
	int64_t array_bytes;            /* the largest local that becomes an array; others are in the workspace   */
	int64_t stack_bytes;            /* of all arrays of a region together                                     */
	uint32_t teams;                 /* 1: parallel loops become teams; 0: they are run by one thread          */
	uint32_t subgroup;              /* threads of a subgroup of a grid; 0: it runs no grids; 1: no subgroups  */
	uint32_t n_tile;
	const char *const *tiles;       /* matrix instructions of its grids, by their names in lt/tile.h          */
	int64_t shared_bytes;           /* that a block may have                                                  */
	int64_t registers;              /* of 32 bits, of a multiprocessor; 0: no region says what should be resident */
	uint32_t calls;                 /* 1, with grids: what is handed over is a call; 2: products are described, too;
	                                 * 0: its nest is run */
	uint32_t index_bits;            /* 32: addresses are 32 bits wide where that is proven; else 64           */
	uint32_t vector_bytes;          /* of a vector that is computed with                                      */
	uint32_t memory_bytes;          /* of one that is only moved; 0: as many                                  */
	uint32_t masked;                /* 1: an access under a mask costs no more than one without               */
	uint32_t gathered;              /* 1: there are loads of lanes at an index of their own                   */
	uint32_t dot_bytes;             /* bytes of the shortest vectors of which `dot` takes less than casts, products
	                                 * and sums of as many lanes; 0: of none.  Without vectors: of the only ones   */
	int64_t unrolled;               /* most statements that the copies of a loop's body come to               */
	int64_t copied;                 /* the same of a serial loop that computes something                        */
	uint32_t n_operator;
	const struct lt_machine_operator *operators;
	/* What the steps ask for; where a number is 0, they leave that alone. */
	uint32_t max_variables;         /* that one array becomes, at most                                        */
	uint32_t tile_lanes;            /* the largest side of a square tile that is transposed in registers      */
	uint32_t stream_bytes;          /* sizes of the stores that can go past the caches, added up: 16, 32, 64  */
	int64_t cache_bytes;            /* a buffer of at least so many bytes does not stay in a cache: prefetches */
	int64_t page_bytes;             /* how far apart runs of addresses are that the processor takes for two   */
	const char *described;          /* the routine whose products are described, too; NULL: as `calls` says    */
};

/* What was decided, for people: one sentence without a full stop, and why it was not better.  loop, stmt, buffer: of
 * the frozen tree, -1: none.  step: the letter.  Borrowed during the call. */
struct lt_kernel_decision { char step; int32_t loop, stmt, buffer; const char *text; };
struct lt_kernel_report {               /* a caller puts it in front of what it needs itself, as lt_diag */
	void (*report)(struct lt_kernel_report *, const struct lt_kernel_decision *);
};

/* A program is made in steps, in this order; each has a letter.  The first, 'L', makes it of the tree.  needs, keeps,
 * breaks: what must hold before a step, and what holds or need not hold after it, besides the rules above. */
struct lt_kernel_step { char letter; const char *name, *doc, *needs, *keeps, *breaks; };
struct lt_kernel_options {              /* all zero: every step, nothing said, nothing checked */
	char last;                      /* the letter of the last step that is made; 0: all     */
	const char *skip;               /* letters of steps that are left out; NULL: none       */
	uint32_t verify;                /* 1: the rules are checked after each step; slow       */
	struct lt_kernel_report *report;        /* who hears of decisions; NULL: nobody          */
};

/* Bits of lt_tree.needs that lt_kernel_new takes: those of lt_caps.understands of a backend that goes by it. */
enum { LT_KERNEL_NEEDS = LT_NEED_PARAMS | LT_NEED_DIVS | LT_NEED_GATHER | LT_NEED_PIECES | LT_NEED_GUARDED
	| LT_NEED_COMBINE | LT_NEED_TILE };
/* Those that it takes as well for a machine that runs grids. */
enum { LT_KERNEL_GRID_NEEDS = LT_NEED_BARRIER | LT_NEED_ASYNC };

/* lt_kernel_new: the finished program of a tree; the caller's to free.  It copies what it needs.  LT_EUNSUPPORTED says
 *     which loop or statement it cannot express, LT_EINVAL which letter of the options there is not.  options may
 *     be NULL.
 * lt_kernel_optimize: the same of a program that step 'L' has made, or that was written by hand: all steps after it.
 *     Needs:  the rules of this header, which it does not check (lt_kernel_verify does), and a machine: NULL is none.
 * lt_kernel_explain: makes the program of a tree once more, and writes what was decided as LT_DUMP_DECISIONS has it,
 *     each sentence once: with whom it is about, loop, statement and buffer.  options->report is not used.
 * lt_kernel_locations: writes where the grids and locals of a tree are in its finished program, as LT_DUMP_LOCATIONS
 *     has it.
 * lt_kernel_step_at: the steps in order, from 0; NULL: there are no more.  Static.
 * lt_kernel_free: NULL is fine.
 * lt_kernel_verify: LT_EINVAL names the first rule of this header that the program breaks, with region and line of
 *     its text; LT_ENOMEM: there was no memory to look.  What the functions here make holds all of them.
 * lt_kernel_print: the text; deterministic, and always whole: without memory it takes longer.  Regions lie one after
 *     the other in the instructions; of a program that breaks other rules the text has `?` for what is not there.
 * lt_kernel_line: the line of that text, from 1 on, that an instruction has, or, if it has none, that of the next one.
 * lt_kernel_parse: the program of a text of `bytes` bytes, which it copies; verified.  LT_ESYNTAX, LT_EINVAL say line
 *     and column.
 * Any thread, several at once.  diag may be NULL. */
lt_status lt_kernel_new(const struct lt_tree *, const struct lt_machine *, const struct lt_kernel_options *,
	struct lt_kernel **, struct lt_diag *);
lt_status lt_kernel_optimize(const struct lt_kernel *, const struct lt_machine *, const struct lt_kernel_options *,
	struct lt_kernel **, struct lt_diag *);
lt_status lt_kernel_explain(const struct lt_tree *, const struct lt_machine *, const struct lt_kernel_options *,
	lt_write *, void *user);
lt_status lt_kernel_locations(const struct lt_tree *, const struct lt_machine *, const struct lt_kernel *, lt_write *,
	void *user);
const struct lt_kernel_step *lt_kernel_step_at(uint32_t i);
void lt_kernel_free(struct lt_kernel *);
lt_status lt_kernel_verify(const struct lt_kernel *, struct lt_diag *);
void lt_kernel_print(const struct lt_kernel *, lt_write *, void *user);
int32_t lt_kernel_line(const struct lt_kernel *, int32_t instruction);
lt_status lt_kernel_parse(const char *text, size_t bytes, struct lt_kernel **, struct lt_diag *);

/* lt_kernel_expand: a program that does the same with the operators of machine->operators and those that every machine
 *     has, so that a printer needs one spelling for each.  The caller's to free; the first program stays.
 *     Needs:  the rules of this header, which it does not check; no grids (LT_EUNSUPPORTED): who prints them has a
 *             spelling for each operator.
 *     Keeps:  regions, buffers, variables, params, blocks, loads and stores, in their order; origins.  What is exact
 *             keeps its bits, NaN aside; functions are as exact as docs/accuracy.md says.
 *     Breaks: nothing of the rules.  `update` may become get and set, `fold` shuffles.
 *     What every machine has, and all that is left beside machine->operators:
 *       copy, select                  any elements; select of masks, too
 *       add, sub, mul                 f32, f64, integers (i32, i64, u32, u64)
 *       div, neg                      f32, f64
 *       comparisons                   f32, f64, integers, bool
 *       and, or, xor                  bool, integers, masks; `not` of masks
 *       lesser, larger                f32, f64, integers
 *       quotient, remainder, shifts   integers; shift_signed of i32 and i64
 *       convert                       between integers of any width, from bool to them; between those of 32 or 64
 *                                     bits and f32 or f64; between f32 and f64.  Halves are i16 by `bits`
 *       fold, update                  add, mul, and, or, xor; what machine->operators has
 *       each                          what machine->operators has for one lane
 *       text, and all else that the machine does (128 to 161)
 *     LT_EUNSUPPORTED names an operator that is neither there nor can be expanded: sqrt, pow, sin and cos, `remainder`
 *     of floats, and the functions of f64 (of exp, log, tanh, erf) must be there for one lane at least.
 * lt_kernel_cores, lt_kernel_vector_library: of the machine that this process runs on: the cores that it may use, never
 *     0; the version of glibc, 235 for 2.35, whose vector functions (libmvec) can be had, 0: none.
 * lt_kernel_c99: what C99 and its mathematical library have for one lane: rows for lt_machine.operators; n: how many.
 *     Static. */
lt_status lt_kernel_expand(const struct lt_kernel *, const struct lt_machine *, struct lt_kernel **, struct lt_diag *);
const struct lt_machine_operator *lt_kernel_c99(uint32_t *n);
uint32_t lt_kernel_cores(void);
int lt_kernel_vector_library(void);

/* Kernels of one's own (lt/own.h): C that computes a whole tree, which is one call (lt_call.source).  No kernel program
 * is made of such a tree; a backend compiles this text.
 * lt_kernel_own_name: what the kernel is called; NULL: it is no such tree, and the others are for those alone.
 * lt_kernel_own_need: how many tensors it has, those that it reads first; bytes of workspace, and of each thread behind
 *     that.
 * lt_kernel_own_slot: the slot of a tensor.
 * lt_kernel_own_definitions: the header and the user's text, two definitions as in LT_DUMP_SOURCE; lines: with those
 *     that say which line of which file follows.
 * lt_kernel_own_function: NAME_own(data, workspace, n_thread, parallel_for, host) of tree NAME: data has the address of
 *     each tensor; the rest is lt_own's. */
struct lt_kernel_own { int32_t n_tensor; int64_t shared, each; };
const char *lt_kernel_own_name(const struct lt_tree *);
struct lt_kernel_own lt_kernel_own_need(const struct lt_tree *);
int32_t lt_kernel_own_slot(const struct lt_tree *, int32_t tensor);
void lt_kernel_own_definitions(const struct lt_tree *, int lines, lt_write *, void *user);
void lt_kernel_own_function(const struct lt_tree *, lt_write *, void *user);

/* The name of an opcode ("add", "load"); NULL: there is no such.  Static text. */
const char *lt_opcode_name(uint32_t opcode);

#ifdef __cplusplus
}
#endif
#endif
