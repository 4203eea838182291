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
 * Lifetimes.  An array and a variable are undefined when their instruction (`array`, `variable`) runs, and end with the
 *             block that it stands in.
 * Regions.    Region 0 is the host: it runs once, by one thread, from beginning to end.  A team is run for the points
 *             0 .. n-1 of a launch, in ranges `first` to `last` that are disjoint and cover them, by any threads at
 *             once: what one point writes no other one reads or writes, faults and its own arrays, variables and
 *             parts of a thread aside.  When launch is done, all of them are.  Values go to a team as arguments.
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
	X(const, 128, CONST, "typed bits, the same in every lane; of a mask, a bit for each lane") \
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
	X(quotient, 143, BINARY, "of integers, towards zero; the divisor is neither 0 nor -1") \
	X(remainder, 144, BINARY, "with the sign of the dividend; of integers the divisor is neither 0 nor -1") \
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
	X(each, 167, EACH, "an operator of floats, of one lane after another, which the machine has for one lane")
enum lt_machine_opcode {
#define LT_MACHINE_ENUM(name, number, form, doc) LT_OPCODE_##name = number,
	LT_MACHINE_MAP(LT_MACHINE_ENUM)
#undef LT_MACHINE_ENUM
	LT_NOPCODE = 168
};

enum { LT_LANE_MASK = 32 };          /* beside enum lt_dtype */
enum { LT_MAX_LANES = 64 };
enum { LT_MAX_BLOCKS = 1000 };       /* loops and ifs around an instruction */

enum lt_region_kind { LT_REGION_HOST, LT_REGION_TEAM, LT_NREGION_KIND };
enum lt_space {
	LT_SPACE_SLOT,          /* bound by the host: lt_args.slot                                     */
	LT_SPACE_WORKSPACE,     /* part of lt_args.workspace: kept from the run's begin to its end     */
	LT_SPACE_THREAD,        /* the same, but each thread of a team has its own; undefined in every range */
	LT_SPACE_ARRAY,         /* of one block of one region: on a CPU's stack                        */
	LT_NSPACE
};
/* Bits of lt_instruction.flags.  UNROLL: of a loop, a hint: copies of its body are worth it, at most `stride` of them.
 * STREAM: of a store, a hint: what is written is not read again soon, and may go past the caches. */
enum lt_instruction_flag { LT_INSTRUCTION_UNROLL = 1, LT_INSTRUCTION_STREAM = 2 };

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
	 *   else             what an operator has: operands in order */
	int32_t operand[4];
	/* Of load, store, prefetch, array: the buffer.  Of get, set, update, variable: the variable.  Of param, argument:
	 * its number.  Of launch: the region.  Of text: the operator.  Of fold, each: the operator's opcode.  Of loop, if,
	 * else: the index of the matching end (of an if that has one: of its else).  Of end: the index of what it ends, a
	 * loop, if or else.  Of fault: the access.  Else -1. */
	int32_t what;
	/* The statement of the frozen tree that it comes from; of a loop, the loop; -1: none.  For messages, dumps, faults. */
	int32_t origin;
	int64_t number;                 /* const: typed bits; load, store, prefetch: added to the address; loop: the step, > 0;
	                                 * update: the operator's opcode */
	int64_t stride;                 /* load, store: elements from lane to lane, if they have no index; loop: see UNROLL */
	int32_t first_extra, n_extra;   /* into extras.  shuffle: lanes; launch: values handed over */
};

/* Names are unique among buffers and variables: [a-zA-Z_][a-zA-Z0-9_.]*, of at most 63 bytes. */
struct lt_variable { const char *name; uint32_t dtype, lanes; };        /* dtype: LT_LANE_MASK, too */
struct lt_kernel_buffer {
	const char *name;
	uint32_t dtype, space;          /* enum lt_dtype, lt_space                              */
	int64_t elems;                  /* that may be accessed, from the base                  */
	int64_t align;                  /* of the base, in bytes; a power of two, at least an element's bytes */
	int64_t offset;                 /* WORKSPACE: from its begin, THREAD: of a thread's part; in bytes */
	int32_t slot;                   /* SLOT: into lt_args.slot; else -1                     */
	uint8_t written;                /* 1: some instruction writes it                        */
	uint8_t exclusive;              /* 1: no other buffer reaches its elements (C's restrict) */
	int32_t origin;                 /* the buffer of the frozen tree; -1: none              */
};
/* A run-time scalar: element `element` of a buffer (i64), read before the kernel's first instruction. */
struct lt_kernel_param { const char *name; int32_t buffer; int64_t element, low, high; };
struct lt_region {
	uint32_t kind;                  /* enum lt_region_kind                                  */
	int32_t first, n;               /* instructions                                         */
	int32_t n_argument;
	int32_t origin;                 /* a team: the frozen tree's outermost parallel loop; -1: none */
};

struct lt_kernel {
	const char *name;                               /* a C identifier */
	uint32_t n_instruction, n_region, n_buffer, n_variable, n_param, n_op, n_extra, n_slot;
	const struct lt_instruction *instructions;
	const struct lt_region *regions;                /* region 0 is the host's */
	const struct lt_kernel_buffer *buffers;
	const struct lt_variable *variables;
	const struct lt_kernel_param *params;
	const struct lt_op *ops;                        /* third parties' operators, for `text` */
	const int64_t *extras;
	const char *prelude;                            /* C text that the ops' sources use; "": none */
	int64_t workspace_bytes, thread_bytes;          /* thread_bytes: for each thread of a run, behind the others; both
	                                                 * multiples of the alignments of the buffers in them */
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
	uint32_t vector_bytes;          /* of a vector that is computed with                                      */
	uint32_t memory_bytes;          /* of one that is only moved; 0: as many                                  */
	uint32_t masked;                /* 1: an access under a mask costs no more than one without               */
	uint32_t gathered;              /* 1: there are loads of lanes at an index of their own                   */
	int64_t unrolled;               /* most statements that the copies of a loop's body come to               */
	uint32_t n_operator;
	const struct lt_machine_operator *operators;
	/* What the steps ask for; where a number is 0, they leave that alone. */
	uint32_t max_variables;         /* that one array becomes, at most                                        */
	uint32_t tile_lanes;            /* the largest side of a square tile that is transposed in registers      */
	uint32_t stream_bytes;          /* sizes of the stores that can go past the caches, added up: 16, 32, 64  */
	int64_t cache_bytes;            /* a buffer of at least so many bytes does not stay in a cache: prefetches */
	int64_t page_bytes;             /* how far apart runs of addresses are that the processor takes for two   */
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

/* lt_kernel_new: the finished program of a tree; the caller's to free.  It copies what it needs.  LT_EUNSUPPORTED says
 *     which loop or statement it cannot express, LT_EINVAL which letter of the options there is not.  options may
 *     be NULL.
 * lt_kernel_optimize: the same of a program that step 'L' has made, or that was written by hand: all steps after it.
 * lt_kernel_explain: makes the program of a tree once more, and writes what was decided as LT_DUMP_DECISIONS has it,
 *     each sentence once: with whom it is about, loop, statement and buffer.  options->report is not used.
 * lt_kernel_step_at: the steps in order, from 0; NULL: there are no more.  Static.
 * lt_kernel_free: NULL is fine.
 * lt_kernel_verify: LT_EINVAL names the first rule of this header that the program breaks, with region and line of
 *     its text.  What the functions here make holds all of them.
 * lt_kernel_print: the text; deterministic.
 * lt_kernel_parse: the program of a text of `bytes` bytes, which it copies; verified.  LT_ESYNTAX, LT_EINVAL say line
 *     and column.
 * Any thread, several at once.  diag may be NULL. */
lt_status lt_kernel_new(const struct lt_tree *, const struct lt_machine *, const struct lt_kernel_options *,
	struct lt_kernel **, struct lt_diag *);
lt_status lt_kernel_optimize(const struct lt_kernel *, const struct lt_machine *, const struct lt_kernel_options *,
	struct lt_kernel **, struct lt_diag *);
lt_status lt_kernel_explain(const struct lt_tree *, const struct lt_machine *, const struct lt_kernel_options *,
	lt_write *, void *user);
const struct lt_kernel_step *lt_kernel_step_at(uint32_t i);
void lt_kernel_free(struct lt_kernel *);
lt_status lt_kernel_verify(const struct lt_kernel *, struct lt_diag *);
void lt_kernel_print(const struct lt_kernel *, lt_write *, void *user);
lt_status lt_kernel_parse(const char *text, size_t bytes, struct lt_kernel **, struct lt_diag *);

/* lt_kernel_expand: a program that does the same with the operators of machine->operators and those that every machine
 *     has, so that a printer needs one spelling for each.  The caller's to free; the first program stays.
 *     Needs:  the rules of this header.
 *     Keeps:  regions, buffers, variables, params, blocks, loads and stores, in their order; origins.  What is exact
 *             keeps its bits, NaN aside; functions are as exact as docs/accuracy.md says.
 *     Breaks: nothing of the rules.  `update` may become get and set, `fold` shuffles.
 *     What every machine has, and all that is left beside machine->operators:
 *       copy, select                  any elements; select of masks, too
 *       add, sub, mul                 f32, f64, i32, i64
 *       div, neg                      f32, f64
 *       comparisons                   f32, f64, i32, i64, bool
 *       and, or, xor                  bool, i32, i64, masks; `not` of masks
 *       lesser, larger                f32, f64, i32, i64
 *       quotient, remainder, shifts   i32, i64
 *       convert                       between integers, from bool to them; between i32 or i64 and f32 or f64; between
 *                                     f32 and f64.  Halves are i16 by `bits`
 *       fold, update                  add, mul, and, or, xor; what machine->operators has
 *       each                          what machine->operators has for one lane
 *       text, and all else that the machine does (128 to 161)
 *     LT_EUNSUPPORTED names an operator that is neither there nor can be expanded: sqrt, pow, sin and cos, `remainder`
 *     of floats, and the functions of f64 (of exp, log, tanh, erf) must be there for one lane at least.
 * lt_kernel_c99: what C99 and its mathematical library have for one lane: rows for lt_machine.operators; n: how many.
 *     Static. */
lt_status lt_kernel_expand(const struct lt_kernel *, const struct lt_machine *, struct lt_kernel **, struct lt_diag *);
const struct lt_machine_operator *lt_kernel_c99(uint32_t *n);

/* The name of an opcode ("add", "load"); NULL: there is no such.  Static text. */
const char *lt_opcode_name(uint32_t opcode);

#ifdef __cplusplus
}
#endif
#endif
