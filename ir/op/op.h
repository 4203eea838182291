/* op.h -- the operator and element type tables (op.def, dtype.def) as code.
 *
 * Everything about an operator or a type is asked here; no other file switches on one.
 * All functions are pure and may be called from any thread.
 */
#ifndef LT_IR_OP_OP_H
#define LT_IR_OP_OP_H
#include <stdbool.h>
#include "lt/context.h"
#include "lt/tree.h"

enum lt_opcode {
#define OP(name, ...) LT_OP_##name,
#define DATA(name, arity, doc) LT_OP_##name,
#include "ir/op/op.def"
	LT_NOP
};
enum lt_class { LT_CLASS_FLOAT, LT_CLASS_INT, LT_CLASS_BOOL };
enum lt_trait { LT_TRAIT_CHEAP = 1, LT_TRAIT_LOSES_NAN = 2, LT_TRAIT_FLOAT_ERROR = 4 };
enum lt_identity { LT_ID_NONE, LT_ID_ZERO, LT_ID_ONE, LT_ID_LOWEST, LT_ID_HIGHEST };

struct lt_opinfo {
	const char *name;
	int arity;              /* -1: any number */
	bool data;              /* a DATA row: no value function */
	bool any;               /* takes every dtype as it is (copy, select) */
	unsigned classes;       /* bit set over enum lt_class, of the compute type */
	bool to_bool;           /* result is bool */
	enum lt_identity identity;
	bool ordered;
	unsigned traits;        /* bit set of enum lt_trait */
	int ulp;
	const char *csource_f, *csource_i, *doc;
};
struct lt_dtypeinfo {
	const char *name;
	enum lt_class cls;
	bool is_signed;
	uint32_t bytes;
	const char *ctype, *utype;
	enum lt_dtype compute;
	const char *npy, *safetensors, *script;
	double unit;            /* unit roundoff */
	double tiny;            /* smallest positive (subnormal) value; 0 for integers */
	double largest;         /* largest finite value; of i64, rounded up to 2^63 */
};

/* A value as the oracles hold it: f for floats, i for integers and bool; of u64 the bits, which above INT64_MAX look
 * negative. */
union lt_scalar { double f; int64_t i; };

const struct lt_opinfo *lt__op_info(enum lt_opcode);
int lt__op_find(const char *name);                      /* -1: no such */
const struct lt_dtypeinfo *lt__dtype_info(enum lt_dtype);
/* How far a is from b, floats of a type; an infinity counts as the largest number of the type and half a step more,
 * since what overflows on one side may have just not done so on the other.  Of a NaN, or two infinities that differ:
 * infinity. */
double lt__float_distance(double a, double b, enum lt_dtype);
int lt__dtype_find(const char *name);                   /* by name ("f32"); 0: no such */
int lt__dtype_find_script(const char *name, size_t bytes);      /* by script keyword; 0: no such */
/* After the name of no element type: the name of the nearest, the graph's or a script's ("; did you mean f32?"). */
const char *lt__nearest_dtype(struct lt_context *, bool script, const char *word, size_t bytes);

/* Whether a value of it is an operation for those who count them (lt/program.h): arithmetic, comparisons, logic and
 * functions are, whatever they cost; what moves or chooses a value (copy, select, cast, view, gather, update) is
 * none. */
static inline bool lt__op_counts(enum lt_opcode op) { return !lt__op_info(op)->data && !lt__op_info(op)->any; }

/* Whether `op` computes on operands of compute type `t` (or any, for copy and select). */
bool lt__op_takes(enum lt_opcode, enum lt_dtype t);

/* Value of `op` on operands of type t (for select, of all but x[0], the condition) before rounding. */
union lt_scalar lt__op_value(enum lt_opcode, enum lt_dtype t, const union lt_scalar *x);
/* Bound of the propagated error: operands x[i] give or take e[i], result r (floats and
 * comparisons of floats; integer operands have e = 0 or are uncertain by e). */
double lt__op_error(enum lt_opcode, const double *x, const double *e, double r);

/* Conversion between element types as the casts of the language define it, and rounding
 * of a result to its type.  Floats are held in double, so float to float is one rounding. */
union lt_scalar lt__convert(union lt_scalar, enum lt_dtype from, enum lt_dtype to);
union lt_scalar lt__round_to(union lt_scalar, enum lt_dtype);   /* class of dtype already */

/* Between floats and halves, f16 or bf16, as they are stored. */
float lt__half_load(uint16_t, enum lt_dtype);
uint16_t lt__half_store(float, enum lt_dtype);

/* A value of dtype as a number: of an integer that a double does not hold, the nearest. */
double lt__as_double(union lt_scalar, enum lt_dtype);
/* Of an integer or bool, in decimal. */
struct lt_whole_text { char text[24]; };
struct lt_whole_text lt__whole_text(union lt_scalar, enum lt_dtype);

/* Storage: element i of an array of dtype; typed bits as in lt_tree immediates. */
union lt_scalar lt__load(const void *base, int64_t i, enum lt_dtype);
void lt__store(void *base, int64_t i, enum lt_dtype, union lt_scalar);   /* exact: already rounded */
/* "%.9g", or a whole number. */
const char *lt__element_text(const void *data, int64_t i, enum lt_dtype, char *out, size_t bytes);
uint64_t lt__bits_of(union lt_scalar, enum lt_dtype);
union lt_scalar lt__scalar_of(uint64_t bits, enum lt_dtype);

/* Identity of reducing `op` in compute type t. */
union lt_scalar lt__op_identity(enum lt_opcode, enum lt_dtype t);

/* The C expression for `op` computed in type t (operand of a cast: from `t` to `to`), with
 * @-marks resolved and $0 $1 $2 left in; written to buf, which holds `bytes`. Returns its length. */
size_t lt__op_csource(enum lt_opcode, enum lt_dtype t, enum lt_dtype to, char *buf, size_t bytes);
/* What those texts call: prelude.h without its includes, so that int32_t .. and the libm functions must be there.
 * At most `bytes` with the final 0; returns its length, as snprintf. */
size_t lt__op_prelude(char *text, size_t bytes);
#endif
