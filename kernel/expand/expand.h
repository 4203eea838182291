/* expand.h -- operators that a machine does not have become primitives (lt_kernel_expand): what the files share.
 *
 * expand.c           the step: which operators are replaced; the program around them
 * make.c      instructions, each as the machine has it
 * function.c  functions of floats: exp, log, tanh, erf, sigmoid
 * exact.c     what is exact: minimum, rounding, division and others
 * cast.c      casts
 *
 * An expansion is the same for every number of lanes.  Its constants are made where they are used.  C does not say in
 * which order arguments are computed: at most one argument of a call makes instructions.
 */
#ifndef LT_KERNEL_EXPAND_EXPAND_H
#define LT_KERNEL_EXPAND_EXPAND_H
#include "kernel/build/build.h"

struct expansion;
/* One operator: its operands' values in, its value out.  y -1: it has one. */
typedef int32_t lt_expand_rule(struct expansion *, int32_t x, int32_t y);
/* types: bits 1 << element.  The last row of a table has no rule. */
struct lt_expand_row { uint16_t opcode, types; lt_expand_rule *rule; };
enum { EXPAND_F32 = 1 << LT_F32, EXPAND_FLOATS = 1 << LT_F32 | 1 << LT_F64, EXPAND_SIGNED = 1 << LT_I32 | 1 << LT_I64,
	EXPAND_UNSIGNED = 1 << LT_U32 | 1 << LT_U64, EXPAND_INTEGERS = EXPAND_SIGNED | EXPAND_UNSIGNED,
	EXPAND_BOOL = 1 << LT_BOOL };
extern const struct lt_expand_row lt__expand_functions[], lt__expand_exact[];

/* Rules make instructions, and instructions that the machine does not have take rules: those are known by pointers. */
struct expansion {
	struct lt_kernel_builder b;
	const struct lt_expand_row *rules[3];           /* the last one is NULL */
	int32_t (*cast)(struct expansion *, uint32_t to, int32_t x);
	const struct lt_kernel *k;
	const struct lt_machine *machine;
	struct lt_diag *diag;
	lt_status status;
	int32_t *now;                   /* by instruction of k: its value in the new program */
	int32_t at;                     /* the instruction of k that is replaced now */
};

/* make.c.  NULL: there is none for that type of element. */
lt_expand_rule *lt__expand_rule(const struct expansion *, uint32_t opcode, uint32_t dtype);
/* Whether the opcode at type T is left as it is; from: of a cast, the operand's elements. */
bool lt__expand_keeps(const struct lt_machine *, uint32_t opcode, uint32_t dtype, uint32_t lanes, uint32_t from);

/* An operator of x's type, or, where the machine has none, what it is expanded to; jumps, with a status,
 * where it cannot be. */
int32_t lt__expand_two(struct expansion *, int opcode, int32_t x, int32_t y);
static inline int32_t expand_one(struct expansion *e, int opcode, int32_t x)
{
	return lt__expand_two(e, opcode, x, -1);
}
/* The same of `cast`. */
int32_t lt__expand_cast(struct expansion *, uint32_t to, int32_t x);
int32_t lt__expand_bits(struct expansion *, uint32_t to, int32_t x);
/* A number, or bits, of x's type in each lane of a constant. */
int32_t lt__expand_number(struct expansion *, int32_t x, double number);
int32_t lt__expand_word(struct expansion *, int32_t x, uint64_t bits);
/* Whether x is the same known bits in every lane. */
bool lt__expand_known(const struct expansion *, int32_t x, uint64_t *bits);
int32_t lt__expand_lanes(struct expansion *, int32_t x, uint32_t first, uint32_t n);    /* some, side by side */
/* The integer type as wide as elements of x. */
uint32_t lt__expand_integer(const struct expansion *, int32_t x);
_Noreturn void lt__expand_lacks(struct expansion *, int opcode, uint32_t dtype, uint32_t lanes);

/* cast.c.  A cast that the machine does not have; `convert`, to another type. */
int32_t lt__expand_cast_rule(struct expansion *, uint32_t to, int32_t x);
int32_t lt__expand_convert(struct expansion *, uint32_t to, int32_t x);

static inline int32_t expand_add(struct expansion *e, int32_t x, int32_t y)
{
	return lt__expand_two(e, LT_OPCODE_add, x, y);
}
static inline int32_t expand_sub(struct expansion *e, int32_t x, int32_t y)
{
	return lt__expand_two(e, LT_OPCODE_sub, x, y);
}
static inline int32_t expand_mul(struct expansion *e, int32_t x, int32_t y)
{
	return lt__expand_two(e, LT_OPCODE_mul, x, y);
}
/* With a number beside it. */
static inline int32_t expand_with(struct expansion *e, int opcode, int32_t x, double number)
{
	return lt__expand_two(e, opcode, x, lt__expand_number(e, x, number));
}
static inline int32_t expand_with_word(struct expansion *e, int opcode, int32_t x, uint64_t bits)
{
	return lt__expand_two(e, opcode, x, lt__expand_word(e, x, bits));
}
static inline int32_t expand_test(struct expansion *e, int opcode, int32_t x, double number)
{
	return lt__build_test(&e->b, opcode, x, lt__expand_number(e, x, number));
}
static inline int32_t expand_bits_of(struct expansion *e, int32_t x)
{
	return lt__expand_bits(e, lt__expand_integer(e, x), x);
}
/* x where a comparison with a number holds, else y. */
static inline int32_t expand_where(struct expansion *e, int opcode, int32_t tested, double number, int32_t x, int32_t y)
{
	int32_t m = expand_test(e, opcode, tested, number);
	return lt__build_select(&e->b, m, x, y);
}
static inline uint32_t expand_dtype(const struct expansion *e, int32_t x) { return lt__build_at(&e->b, x)->dtype; }
static inline uint32_t expand_lanes_of(const struct expansion *e, int32_t x) { return lt__build_at(&e->b, x)->lanes; }
#endif
