/* form.h -- the form of kernel programs (lt/kernel.h): what each opcode is, types, numbers, names, and what is known of
 * a whole program. */
#ifndef LT_KERNEL_FORM_FORM_H
#define LT_KERNEL_FORM_FORM_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lt/kernel.h"
#include "lt/tree.h"
#include "lt/tile.h"
#include "kernel/pool/pool.h"

/* -- the facts of each opcode, once: how an instruction is written, its members, its types.
 *
 * print, parse, verify and the tests' generator go by these rows; docs/kernel.md shows them as a table.  A row speaks
 * of one type T: the type that is written after the opcode, or follows from a variable or a buffer.
 */
struct lt_value_type { uint32_t dtype, lanes; };        /* dtype 0: no value */

/* Where an instruction's T is found. */
enum lt_type_source {
	LT_TYPE_NONE,           /* it has none                                                  */
	LT_TYPE_OF_VALUE,       /* the type of its own value                                    */
	LT_TYPE_OF_OPERAND,     /* that of operand 0                                            */
	LT_TYPE_OF_VARIABLE,    /* that of the variable                                         */
	LT_TYPE_OF_STORED,      /* the buffer's elements, as many lanes as operand 3 has        */
	LT_TYPE_OF_PREFETCH,    /* the buffer's elements, as many lanes as index or mask has    */
	LT_TYPE_OF_COPY,        /* the buffer's elements, as many lanes as `stride` says        */
	LT_TYPE_OF_FAULT        /* i64, as many lanes as operand 0 has                          */
};
/* The type of a value or an operand, by T. */
enum lt_type_rule {
	LT_RULE_NONE,           /* there is none                                                */
	LT_RULE_SAME,           /* T                                                            */
	LT_RULE_ONE,            /* an element of T: one lane                                    */
	LT_RULE_LIST,           /* elements of T, as many as n_extra                            */
	LT_RULE_MASK,           /* a mask for T's lanes                                         */
	LT_RULE_TEST,           /* a mask of one lane                                           */
	LT_RULE_BOOL,           /* bool, T's lanes                                              */
	LT_RULE_INDEX,          /* i64, T's lanes                                               */
	LT_RULE_I64,            /* i64, one lane                                                */
	LT_RULE_FROM,           /* any element type, T's lanes; it is written, too              */
	LT_RULE_FOUR,           /* i8 or u8, all operands alike, four times T's lanes; the same */
	LT_RULE_ANY,            /* what the opcode's own rule says                              */
	LT_RULE_IN              /* what the operator's lt_op.in says, T's lanes                 */
};

/* How it is written behind its name: elements, with one blank between each two.  An element of several letters is a
 * word that is written as it is; of one letter:
 *   t  T                               l  T, if it has more than one lane
 *   0 1 2 3  an operand                i  operands, as many as the operator of `what` has
 *   e  an operator of one or two operands: `what`
 *   f  `from` and operand 0's type     d  the value that it makes (else it stands in front, with =)
 *   n  `what`, a number                v b  `what`, a variable or a buffer
 *   o u  an operator: `what`, `number` a  an address: NAME[operand 0 + number by stride], NAME[... at operand 1]
 *   m  `mask` and operand 2, if any    s  `stream`, if it has that flag
 *   k  numbers in brackets             h  values in brackets, constants with their type
 *   p  `step`, `unroll`, if any        w  `what`, one of its words
 *   c j  a number: `number`, `stride`  y  the address that is copied: NAME[operand 3 + number]
 *   g  `what`, a matrix description    z  variables in brackets, behind the places of a and b
 *   A B  a matrix: operand 0 or 1, or NAME[address by stride, stride swizzle BYTES]
 *   q  `async`, if it has that flag    r  `a` or `b`: `number`
 *   x  a matrix in shared memory: operand 0, as A has it
 * NULL: it is not written, but where its value is used. */
struct lt_opcode_facts {
	const char *name, *doc, *pattern;
	uint8_t source;                 /* enum lt_type_source */
	uint8_t value, operand[4];      /* enum lt_type_rule */
	uint8_t optional;               /* bit k: operand k may be -1 */
	uint64_t types;                 /* bit 1 << dtype: T may have these elements; 0: there is no T */
};

const struct lt_opcode_facts *lt__opcode(uint32_t opcode);              /* NULL: there is no such */
int32_t lt__opcode_find(const char *name, size_t bytes);                /* -1: there is none of that name */
const char *lt__opcode_near(const char *name, size_t bytes);            /* a name like that one; NULL: none is */
bool lt__opcode_launches(uint32_t opcode);      /* launch, launch_grid */
bool lt__opcode_hands_over(uint32_t opcode);    /* its extras are values: these, and call */
enum lt_opcode_names { LT_NAMES_NOTHING, LT_NAMES_BUFFER, LT_NAMES_VARIABLE };
enum lt_opcode_names lt__opcode_names(uint32_t opcode);         /* what `what` is the number of */
/* What number e of its extras is. */
enum lt_extra_kind { LT_EXTRA_NUMBER, LT_EXTRA_VALUE, LT_EXTRA_BUFFER, LT_EXTRA_VARIABLE };
enum lt_extra_kind lt__opcode_extra(uint32_t opcode, int32_t e);
/* What `what` may be, NULL behind the last; NULL: no word. */
const char *const *lt__opcode_words(uint32_t opcode);
/* k, h, x, y or z: what its extras are; 0: it has none. */
char lt__opcode_list(const struct lt_opcode_facts *);
static inline bool lt__opcode_tests(uint32_t opcode)             /* an operator that compares */
{
	return opcode >= LT_OPCODE_eq && opcode <= LT_OPCODE_greaterequal;
}
bool lt__opcode_commutes(uint32_t opcode);      /* an operator that gives, but for rounding, the same in every order */
bool lt__opcode_folded(uint32_t opcode);        /* one by which every machine folds lanes (lt_kernel_expand) */
bool lt__opcode_folds(uint32_t opcode);         /* an operator of two operands and a value of one type */
int lt__opcode_each(uint32_t opcode);           /* the operands of one that `each` may name: 1 or 2; 0: it is none */

/* What an operator asks of operands x and y besides their types.  The verifier asks it of integers that are constant,
 * step C before it computes and of constants that it makes, the simulator of each lane that runs. */
enum lt_contract {
	LT_CONTRACT_NONE,
	LT_CONTRACT_DIVISOR,    /* y is neither 0 nor -1                                        */
	LT_CONTRACT_SHIFT,      /* y is 0 to bits - 1                                           */
	LT_CONTRACT_SCALE       /* x is 1/4 to 4 in size, 0, infinite or NaN; y is whole and at most 250 in size (f64: 2000),
	                         * or NaN */
};
enum lt_contract lt__opcode_contract(uint32_t opcode, uint32_t dtype);
bool lt__contract_holds(enum lt_contract, uint32_t dtype, uint64_t x, uint64_t y);      /* of their bits */

/* type.c.  "f32", "mask"; NULL: no type.  bytes: of an element, 0 of a mask. */
const char *lt__kernel_element_name(uint32_t dtype);
uint32_t lt__kernel_element_bytes(uint32_t dtype);
uint32_t lt__kernel_element_find(const char *name, size_t bytes);              /* 0: none */

struct lt_shown_type { char text[24]; };
struct lt_shown_type lt__shown_type(struct lt_value_type);      /* "f32x8" */
/* T; lanes or dtype are 0 where operands are not there or have no value. */
struct lt_value_type lt__instruction_type(const struct lt_kernel *, const struct lt_instruction *);
/* op: of `text`, else NULL; k: of an operand; from: what is written behind `from`. */
struct lt_value_type lt__rule_type(enum lt_type_rule, struct lt_value_type t, const struct lt_op *op, int k);
/* The bits that a constant of that type has: those above are 0. */
uint64_t lt__constant_bits(uint32_t dtype, uint32_t lanes, uint64_t bits);
/* The value of a constant of type i32, i64, u32 or u64; false: it is none.  NULL is none. */
bool lt__constant_integer(const struct lt_instruction *, int64_t *out);
/* Words of a call's description: epilogues in the order of their bits, roles as enum lt_dim_role has them; to a
 * NULL. */
enum { LT_N_EPILOGUE = 6 };
extern const char *const lt__call_epilogues[LT_N_EPILOGUE + 1];
extern const char *const lt__call_roles[LT_DIM_OTHER + 2];
/* The epilogue that reads operand o of a call; 0: none, it is the product's. */
int32_t lt__call_reads(const struct lt_kernel_call *, int32_t o);
/* How many values the instruction of a call takes; how many places its ops read; operands that it writes. */
int32_t lt__call_n_value(const struct lt_kernel_call *);
int32_t lt__call_n_place(const struct lt_kernel_call *);
static inline int32_t lt__call_n_written(const struct lt_kernel_call *c) { return c->n_result ? c->n_result : 1; }
/* opcode.c.  Where operand a (0) or b (1) of a matrix instruction is: its extras. */
struct lt_matrix_location lt__matrix_location(const struct lt_kernel *, const struct lt_instruction *, int operand);
/* Where a byte is, with a swizzle of 32, 64 or 128 bytes, or 0 (struct lt_kernel_buffer). */
enum { LT_SWIZZLE_ROW = 128, LT_SWIZZLE_CHUNK = 16 };
static inline bool lt__is_swizzle(int64_t swizzle) { return swizzle == 32 || swizzle == 64 || swizzle == 128; }
static inline int64_t lt__swizzle_mask(int64_t swizzle) { return swizzle ? swizzle / LT_SWIZZLE_CHUNK - 1 : 0; }
static inline int64_t lt__swizzled_byte(int64_t byte, int64_t swizzle)
{
	return byte ^ (byte / LT_SWIZZLE_ROW & lt__swizzle_mask(swizzle)) * LT_SWIZZLE_CHUNK;
}
enum { LT_MATRIX_EXTENT = 256 };         /* at most, along m, n and k */
/* Rows and columns of a, b, c: axes of the description's extents. */
static inline int lt__matrix_row_axis(int part) { return part == LT_MATRIX_B ? 2 : 0; }
static inline int lt__matrix_column_axis(int part) { return part == LT_MATRIX_A ? 2 : 1; }
/* Elements of a thread's fragment. */
static inline int64_t lt__matrix_lanes(const struct lt_kernel_matrix *x, int part)
{
	return (int64_t)x->extent[lt__matrix_row_axis(part)] * x->extent[lt__matrix_column_axis(part)] / x->threads;
}

/* -- the matrix instructions of lt/tile.h, by name and by what they are. */
/* All names: of a machine that has every instruction (lt_machine.tiles). */
extern const char *const lt__tile_names[];
extern const uint32_t lt__n_tile_name;
/* NULL: there is none. */
const struct lt_tile_row *lt__tile_row(const char *name);
const struct lt_tile_row *lt__tile_row_of(const struct lt_kernel_matrix *);

/* -- element types as ref and the simulator hold them: floats in double, integers and bool in int64.
 *
 * Written for itself, and not shared with the graph evaluator: what is wrong in one of the two shows as a difference.
 */
union lt_number { double f; int64_t i; };       /* of u64 the bits, which above INT64_MAX look negative */

bool lt__number_is_float(uint32_t dtype);
/* Whether it is an integer type, and one that has negative numbers. */
bool lt__number_is_whole(uint32_t dtype);
bool lt__number_is_signed(uint32_t dtype);
uint32_t lt__number_bytes(uint32_t dtype);         /* 0: no such type */
/* The low bits of i as an integer of so many bits. */
int64_t lt__number_wrap(int64_t i, int bits, bool is_signed);
/* To the nearest value of the type, halves to even; integers wrap, bool is != 0.  x is of the type's kind already. */
union lt_number lt__number_round(union lt_number x, uint32_t dtype);
/* A cast: float to integer truncates and saturates, NaN gives 0; integer to float is rounded once. */
union lt_number lt__number_convert(union lt_number x, uint32_t from, uint32_t to);
union lt_number lt__number_of_bits(uint64_t bits, uint32_t dtype);
/* The other way: bits above those of the type are 0.  Rounded already, but for half types. */
uint64_t lt__number_bits(union lt_number, uint32_t dtype);
union lt_number lt__number_load(const void *base, int64_t i, uint32_t dtype);
void lt__number_store(void *base, int64_t i, uint32_t dtype, union lt_number x);       /* rounded already */

/* -- names.c: what a name is, and what names of a text stand for. */
enum { LT_MAX_NAME = 63 };
/* [a-zA-Z_][a-zA-Z0-9_.]*, of at most LT_MAX_NAME bytes. */
bool lt__kernel_is_name(const char *, size_t bytes);

/* What names stand for.  However they are chosen, a name costs no more than its length. */
struct lt_kernel_names {
	struct lt_pool *pool;
	struct lt_kernel_name { const char *at; size_t bytes; int32_t value; } *name;
	struct lt_name_fork { uint32_t bit; int32_t child[2]; } *fork;  /* child < 0: ~ a name */
	int32_t n, cap;
};
int32_t lt__kernel_name_find(const struct lt_kernel_names *, const char *, size_t bytes);      /* -1: not known */
/* A new one, of at most LT_MAX_NAME bytes and without a 0; it is not copied. */
void lt__kernel_name_add(struct lt_kernel_names *, const char *, size_t bytes, int32_t value);

/* -- which instructions have a part in what a caller sees. */
/* PREFETCHES: they are wanted.  MEMBERS: an instruction keeps all of them: both operands of a shuffle of one lane,
 * which chooses one, and what a launch hands over to a team that does not use it. */
enum lt_needed_flag { LT_NEEDED_PREFETCHES = 1, LT_NEEDED_MEMBERS = 2 };
/* By instruction, in the pool.  Of a program that holds the rules, in time that grows with its length. */
bool *lt__needed(const struct lt_kernel *, struct lt_pool *, unsigned flags);
/* Whether an instruction uses its operand k: it is there, and it is not one that a shuffle of one lane leaves out. */
bool lt__needs_operand(const struct lt_kernel *, const struct lt_instruction *, int k);
/* By instruction, in the pool: the loop, if or else whose block it stands in; -1: the region. */
int32_t *lt__kernel_blocks(const struct lt_kernel *, struct lt_pool *);

/* -- in which threads of a grid a value is the same. */
/* In one thread, in those of a subgroup, of the four subgroups that `subgroup 4` numbers, of a block, of a launch. */
enum lt_uniformity { LT_UNIFORM_THREAD, LT_UNIFORM_SUBGROUP, LT_UNIFORM_FOUR, LT_UNIFORM_BLOCK, LT_UNIFORM_LAUNCH };

/* By instruction: the value's; of a loop or if, who runs its block together; the loop or if that it stands in, -1:
 * none.  Outside of grids all counts as the same everywhere. */
struct lt_uniform { uint8_t *value, *control; int32_t *block; };

/* Of a program that keeps all other rules, in time that grows with its length; in the pool. */
struct lt_uniform lt__uniform(const struct lt_kernel *, struct lt_pool *);

/* -- whether a device has what the blocks of a kernel program ask for. */
/* threads: of a block, at most.  shared_bytes: of a block, at most; what threads are combined through counts, too.
 * LT_EUNSUPPORTED. */
lt_status lt__blocks_fit(const struct lt_kernel *, int64_t threads, int64_t shared_bytes, struct lt_diag *);

/* -- telling a diag one formatted reason, and a listener one decision. */
/* Returns code.  diag and remedy may be NULL; loop, stmt: index into the tree or -1. */
lt_status lt__report(struct lt_diag *diag, lt_status code, int32_t loop, int32_t stmt, const char *remedy,
	const char *fmt, ...) __attribute__((format(printf, 6, 7)));

/* One decision of step `letter`; report may be NULL.  loop, stmt, buffer: index into the tree or -1. */
void lt__decide(struct lt_kernel_report *report, char letter, int32_t loop, int32_t stmt, int32_t buffer,
	const char *fmt, ...) __attribute__((format(printf, 6, 7)));
/* LT_EUNSUPPORTED: the program has a grid. */
lt_status lt__report_grids(const struct lt_kernel *, struct lt_diag *);
#endif
