/* examples/plugin/llvm/ops.c -- the operators: a table from names to what emits them.
 *
 * An operator is known by its name and by the types that it computes on; what it means stands in lt/graph.h ("Numbers")
 * and in docs/script.md.  Integers wrap, x / 0 and x % 0 are 0, division rounds towards minus infinity, min and max
 * hand NaN on, -0 < +0.
 */
#include <math.h>
#include <string.h>
#include "ops.h"

enum { FLOATS = 1, INTS = 2, BOOLS = 4, MOVES = 8 };            /* MOVES: any type, as it is */
struct operator {
	const char *name;
	int32_t arity;
	int takes;
	LLVMValueRef (*emit)(struct emit *, const struct shape *, const struct operator *, LLVMValueRef const *in);
	int real, whole;                /* the instruction's opcode or predicate, for floats and for the others */
	const char *function;           /* the intrinsic's or the function's name */
};

static bool is_real(const struct shape *s) { return s->dtype == LT_F32 || s->dtype == LT_F64; }
static LLVMValueRef zero(const struct shape *s) { return LLVMConstNull(s->type); }

static LLVMValueRef number(struct emit *e, const struct shape *s, int n)
{
	return is_real(s) ? lt_llvm_real(e, s->dtype, n, s->lanes) : lt_llvm_whole(e, s->dtype, n, s->lanes);
}

static LLVMValueRef same(struct emit *e, const struct shape *s, const struct operator *op, LLVMValueRef const *in)
{
	(void)e, (void)s, (void)op;
	return in[0];
}

static LLVMValueRef choose(struct emit *e, const struct shape *s, const struct operator *op, LLVMValueRef const *in)
{
	(void)s, (void)op;
	return LLVMBuildSelect(e->b, in[0], in[1], in[2], "");
}

/* A product may be contracted into the sum that it goes to. */
static LLVMValueRef arithmetic(struct emit *e, const struct shape *s, const struct operator *op, LLVMValueRef const *in)
{
	LLVMValueRef r = LLVMBuildBinOp(e->b, (LLVMOpcode)(is_real(s) ? op->real : op->whole), in[0], in[1], "");

	if (is_real(s) && op->real != LLVMFDiv && LLVMIsAInstruction(r) && LLVMCanValueUseFastMathFlags(r))
		LLVMSetFastMathFlags(r, LLVMFastMathAllowContract);
	return r;
}

static LLVMValueRef compare(struct emit *e, const struct shape *s, const struct operator *op, LLVMValueRef const *in)
{
	int from_unsigned = LLVMIntSGT - LLVMIntUGT;
	int whole = s->dtype == LT_BOOL && op->whole >= LLVMIntSGT ? op->whole - from_unsigned : op->whole;

	return is_real(s) ? LLVMBuildFCmp(e->b, (LLVMRealPredicate)op->real, in[0], in[1], "")
		: LLVMBuildICmp(e->b, (LLVMIntPredicate)whole, in[0], in[1], "");
}

/* Of all lanes: +0, -0; OTHER: neither NaN nor a zero in any lane; else VARIES. */
enum constant { VARIES, PLUS_ZERO, MINUS_ZERO, OTHER };

static enum constant constant_of(LLVMValueRef v)
{
	bool is_vector = LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind;
	unsigned n = is_vector ? LLVMGetVectorSize(LLVMTypeOf(v)) : 1;
	unsigned plus = 0, minus = 0;
	LLVMBool loses;

	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef one = !LLVMIsConstant(v) ? NULL : is_vector ? LLVMGetAggregateElement(v, i) : v;
		if (!one || !LLVMIsAConstantFP(one))
			return VARIES;
		double x = LLVMConstRealGetDouble(one, &loses);
		if (x != x)
			return VARIES;
		plus += x == 0 && !signbit(x);
		minus += x == 0 && signbit(x);
	}
	return !plus && !minus ? OTHER : plus == n ? PLUS_ZERO : minus == n ? MINUS_ZERO : VARIES;
}

/* The bits of two floats joined: of zeros the one that is wanted, -0 being the less; equal numbers stay. */
static LLVMValueRef joined(struct emit *e, const struct shape *s, LLVMOpcode how, LLVMValueRef const *in)
{
	LLVMTypeRef bits = lt_llvm_type(e, s->dtype == LT_F64 ? LT_I64 : LT_I32, s->lanes);
	LLVMValueRef x = LLVMBuildBitCast(e->b, in[0], bits, ""), y = LLVMBuildBitCast(e->b, in[1], bits, "");
	return LLVMBuildBitCast(e->b, LLVMBuildBinOp(e->b, how, x, y, ""), s->type, "");
}

/* Floats: a where a is NaN or compares with b, else b; of two zeros -0 is the less.  Beside a constant one comparison
 * is enough, which is false for a NaN: with equality where the constant is the zero that is taken of two. */
static LLVMValueRef extreme(struct emit *e, const struct shape *s, const struct operator *op, LLVMValueRef const *in)
{
	LLVMBuilderRef b = e->b;
	bool is_max = op->real == LLVMRealOGT;

	if (!is_real(s))
		return LLVMBuildSelect(b, compare(e, s, op, in), in[0], in[1], "");
	for (int k = 1; k >= 0; k--) {
		enum constant c = constant_of(in[k]);
		LLVMRealPredicate wins = is_max ? LLVMRealOGE : LLVMRealOLE, beats = is_max ? LLVMRealOGT : LLVMRealOLT;
		LLVMRealPredicate takes = c == (is_max ? PLUS_ZERO : MINUS_ZERO) ? wins : beats;
		if (c != VARIES)
			return LLVMBuildSelect(b, LLVMBuildFCmp(b, takes, in[k], in[1 - k], ""), in[k], in[1 - k], "");
	}
	LLVMValueRef nan = LLVMBuildFCmp(b, LLVMRealUNO, in[0], in[0], ""),
		     tie = LLVMBuildFCmp(b, LLVMRealOEQ, in[0], in[1], "");
	LLVMValueRef other = LLVMBuildSelect(b, tie, joined(e, s, is_max ? LLVMAnd : LLVMOr, in), in[1], "");
	return LLVMBuildSelect(b, LLVMBuildOr(b, nan, compare(e, s, op, in), ""), in[0], other, "");
}

/* a / b rounded towards 0, b neither 0 nor -1.  Vectors of i32 have no division: the quotient of two f64 cannot round
 * up to a whole number, since it is at least 2^-31 of itself away from one that it is not. */
static LLVMValueRef quotient(struct emit *e, const struct shape *s, LLVMValueRef a, LLVMValueRef b)
{
	if (s->dtype != LT_I32 || s->lanes == 1 || LLVMIsConstant(b))
		return LLVMBuildSDiv(e->b, a, b, "");
	LLVMTypeRef f64 = lt_llvm_type(e, LT_F64, s->lanes);
	LLVMValueRef x = LLVMBuildSIToFP(e->b, a, f64, ""), y = LLVMBuildSIToFP(e->b, b, f64, "");
	return LLVMBuildFPToSI(e->b, LLVMBuildFDiv(e->b, x, y, ""), s->type, "");
}

/* By 0 the quotient and the rest are 0, by -1 they are -a, which wraps, and 0: neither is left to the instruction. */
static LLVMValueRef whole_division(
	struct emit *e, const struct shape *s, const struct operator* op, LLVMValueRef const *in)
{
	LLVMBuilderRef b = e->b;
	LLVMValueRef none = zero(s), one = number(e, s, 1), minus = number(e, s, -1);
	LLVMValueRef by_0 = LLVMBuildICmp(b, LLVMIntEQ, in[1], none, ""),
		     by_minus = LLVMBuildICmp(b, LLVMIntEQ, in[1], minus, "");
	LLVMValueRef by = LLVMBuildSelect(b, LLVMBuildOr(b, by_0, by_minus, ""), one, in[1], "");
	LLVMValueRef q = quotient(e, s, in[0], by), remainder = LLVMBuildSub(b, in[0], LLVMBuildMul(b, q, by, ""), "");
	LLVMValueRef some = LLVMBuildICmp(b, LLVMIntNE, remainder, none, "");
	LLVMValueRef apart = LLVMBuildICmp(b, LLVMIntSLT, LLVMBuildXor(b, in[0], by, ""), none, "");
	LLVMValueRef below = LLVMBuildAnd(b, some, apart, "");

	if (op->whole == LLVMSRem)
		return LLVMBuildSelect(b, by_0, none, LLVMBuildAdd(b, remainder, LLVMBuildSelect(b, below, by, none, ""), ""), "");
	q = LLVMBuildAdd(b, q, LLVMBuildSExt(b, below, s->type, ""), "");
	q = LLVMBuildSelect(b, by_minus, LLVMBuildNeg(b, in[0], ""), q, "");
	return LLVMBuildSelect(b, by_0, none, q, "");
}

static LLVMValueRef divide(struct emit *e, const struct shape *s, const struct operator *op, LLVMValueRef const *in)
{
	return is_real(s) ? arithmetic(e, s, op, in) : whole_division(e, s, op, in);
}

/* The remainder has the sign of the divisor, and so has a zero. */
static LLVMValueRef modulo(struct emit *e, const struct shape *s, const struct operator *op, LLVMValueRef const *in)
{
	LLVMBuilderRef b = e->b;

	if (!is_real(s))
		return whole_division(e, s, op, in);
	LLVMValueRef remainder = lt_llvm_function(e, s, "fmod", in, 2), none = zero(s), signs[2] = { none, in[1] };
	LLVMValueRef apart = LLVMBuildXor(b, LLVMBuildFCmp(b, LLVMRealOLT, remainder, none, ""),
		LLVMBuildFCmp(b, LLVMRealOLT, in[1], none, ""), "");
	LLVMValueRef moved = LLVMBuildSelect(b, apart, LLVMBuildFAdd(b, remainder, in[1], ""), remainder, "");
	LLVMValueRef nothing = lt_llvm_intrinsic(e, "llvm.copysign", &s->type, 1, signs, 2);
	return LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOEQ, remainder, none, ""), nothing, moved, "");
}

static LLVMValueRef negate(struct emit *e, const struct shape *s, const struct operator *op, LLVMValueRef const *in)
{
	(void)op;
	return is_real(s) ? LLVMBuildFNeg(e->b, in[0], "") : LLVMBuildNeg(e->b, in[0], "");
}

static LLVMValueRef flip(struct emit *e, const struct shape *s, const struct operator *op, LLVMValueRef const *in)
{
	(void)s, (void)op;
	return LLVMBuildNot(e->b, in[0], "");
}

static LLVMValueRef absolute(struct emit *e, const struct shape *s, const struct operator *op, LLVMValueRef const *in)
{
	LLVMValueRef wraps[2] = { in[0], LLVMConstInt(LLVMInt1TypeInContext(e->c), 0, 0) };

	(void)op;
	return is_real(s) ? lt_llvm_intrinsic(e, "llvm.fabs", &s->type, 1, in, 1)
			  : lt_llvm_intrinsic(e, "llvm.abs", &s->type, 1, wraps, 2);
}

/* What is neither above nor below 0 is NaN or a zero, and a zero gives 0 whatever its sign: x + 0. */
static LLVMValueRef sign(struct emit *e, const struct shape *s, const struct operator *op, LLVMValueRef const *in)
{
	LLVMValueRef up[2] = { in[0], zero(s) }, down[2] = { zero(s), in[0] };
	LLVMValueRef remainder = is_real(s) ? LLVMBuildFAdd(e->b, in[0], zero(s), "") : zero(s);

	remainder = LLVMBuildSelect(e->b, compare(e, s, op, down), number(e, s, -1), remainder, "");
	return LLVMBuildSelect(e->b, compare(e, s, op, up), number(e, s, 1), remainder, "");
}

static LLVMValueRef intrinsic(struct emit *e, const struct shape *s, const struct operator *op, LLVMValueRef const *in)
{
	return lt_llvm_intrinsic(e, op->function, &s->type, 1, in, (unsigned)op->arity);
}

static LLVMValueRef inverse(struct emit *e, const struct shape *s, const struct operator *op, LLVMValueRef const *in)
{
	return LLVMBuildFDiv(e->b, number(e, s, 1), op->function ? intrinsic(e, s, op, in) : in[0], "");
}

static LLVMValueRef function(struct emit *e, const struct shape *s, const struct operator *op, LLVMValueRef const *in)
{
	return lt_llvm_function(e, s, op->name, in, (unsigned)op->arity);
}

static const struct operator operators[] = {
	{ "copy", 1, MOVES, same, 0, 0, NULL },
	{ "select", 3, MOVES, choose, 0, 0, NULL },
	{ "add", 2, FLOATS | INTS, arithmetic, LLVMFAdd, LLVMAdd, NULL },
	{ "sub", 2, FLOATS | INTS, arithmetic, LLVMFSub, LLVMSub, NULL },
	{ "mul", 2, FLOATS | INTS, arithmetic, LLVMFMul, LLVMMul, NULL },
	{ "div", 2, FLOATS | INTS, divide, LLVMFDiv, LLVMSDiv, NULL },
	{ "mod", 2, FLOATS | INTS, modulo, 0, LLVMSRem, NULL },
	{ "pow", 2, FLOATS, function, 0, 0, NULL },
	{ "min", 2, FLOATS | INTS | BOOLS, extreme, LLVMRealOLT, LLVMIntSLT, NULL },
	{ "max", 2, FLOATS | INTS | BOOLS, extreme, LLVMRealOGT, LLVMIntSGT, NULL },
	{ "eq", 2, FLOATS | INTS | BOOLS, compare, LLVMRealOEQ, LLVMIntEQ, NULL },
	{ "ne", 2, FLOATS | INTS | BOOLS, compare, LLVMRealUNE, LLVMIntNE, NULL },
	{ "less", 2, FLOATS | INTS | BOOLS, compare, LLVMRealOLT, LLVMIntSLT, NULL },
	{ "lessequal", 2, FLOATS | INTS | BOOLS, compare, LLVMRealOLE, LLVMIntSLE, NULL },
	{ "greater", 2, FLOATS | INTS | BOOLS, compare, LLVMRealOGT, LLVMIntSGT, NULL },
	{ "greaterequal", 2, FLOATS | INTS | BOOLS, compare, LLVMRealOGE, LLVMIntSGE, NULL },
	{ "and", 2, INTS | BOOLS, arithmetic, 0, LLVMAnd, NULL },
	{ "or", 2, INTS | BOOLS, arithmetic, 0, LLVMOr, NULL },
	{ "xor", 2, INTS | BOOLS, arithmetic, 0, LLVMXor, NULL },
	{ "not", 1, BOOLS, flip, 0, 0, NULL },
	{ "neg", 1, FLOATS | INTS, negate, 0, 0, NULL },
	{ "abs", 1, FLOATS | INTS, absolute, 0, 0, NULL },
	{ "sign", 1, FLOATS | INTS, sign, LLVMRealOGT, LLVMIntSGT, NULL },
	{ "reciprocal", 1, FLOATS, inverse, 0, 0, NULL },
	{ "exp", 1, FLOATS, function, 0, 0, NULL },
	{ "log", 1, FLOATS, function, 0, 0, NULL },
	{ "sqrt", 1, FLOATS, intrinsic, 0, 0, "llvm.sqrt" },
	{ "rsqrt", 1, FLOATS, inverse, 0, 0, "llvm.sqrt" },
	{ "tanh", 1, FLOATS, function, 0, 0, NULL },
	{ "sigmoid", 1, FLOATS, function, 0, 0, NULL },
	{ "erf", 1, FLOATS, function, 0, 0, NULL },
	{ "sin", 1, FLOATS, function, 0, 0, NULL },
	{ "cos", 1, FLOATS, function, 0, 0, NULL },
	{ "floor", 1, FLOATS, intrinsic, 0, 0, "llvm.floor" },
	{ "ceil", 1, FLOATS, intrinsic, 0, 0, "llvm.ceil" },
	{ "round", 1, FLOATS, intrinsic, 0, 0, "llvm.rint" },
};
enum { N_OPERATOR = sizeof operators / sizeof *operators };

static const struct operator *find(const char *name)
{
	for (int i = 0; i < N_OPERATOR; i++)
		if (strcmp(operators[i].name, name) == 0)
			return &operators[i];
	return NULL;
}

static int kind_of(uint32_t dtype)
{
	switch (dtype) {
	case LT_F32: case LT_F64: return FLOATS;
	case LT_I32: case LT_I64: return INTS;
	case LT_BOOL: return BOOLS;
	default: return 0;
	}
}

const char *lt_llvm_op_refuses(const struct lt_op *op)
{
	const struct operator *o = find(op->name);
	bool cast = strcmp(op->name, "cast") == 0, select = o && o->emit == choose;
	uint32_t result;

	if (!o && !cast)
		return "this backend does not know it";
	if (op->arity != (cast ? 1 : o->arity))
		return "this backend knows it with another number of operands";
	for (int32_t i = 0; i < op->arity; i++)
		if (op->in[i] < 1 || op->in[i] >= LT_NDTYPE || (i > select && op->in[i] != op->in[i - 1]))
			return "this backend does not know it with operands of these types";
	if (op->out < 1 || op->out >= LT_NDTYPE || (select && op->in[0] != LT_BOOL))
		return "this backend does not know it with operands of these types";
	if (cast)
		return NULL;
	if (o->takes != MOVES && !(o->takes & kind_of(op->in[0])))
		return "this backend does not know it on this type";
	result = o->emit == compare ? LT_BOOL : op->in[op->arity - 1];
	return op->out == result ? NULL : "this backend does not know it with a result of this type";
}

LLVMValueRef lt_llvm_op(struct emit *e, const struct lt_op *op, LLVMValueRef const *in, uint32_t lanes)
{
	uint32_t dtype = op->in[op->arity - 1];
	const struct shape shape = { dtype, lanes, lt_llvm_type(e, dtype, lanes) };
	const struct operator *o = find(op->name);

	return o ? o->emit(e, &shape, o, in) : lt_llvm_convert(e, op->in[0], op->out, in[0], lanes);
}

static LLVMValueRef part(struct emit *e, LLVMValueRef v, uint32_t first, uint32_t n)
{
	LLVMTypeRef i32 = LLVMInt32TypeInContext(e->c);
	LLVMValueRef at[256];

	if (n == 1)
		return LLVMBuildExtractElement(e->b, v, LLVMConstInt(i32, first, 0), "");
	for (uint32_t i = 0; i < n; i++)
		at[i] = LLVMConstInt(i32, first + i, 0);
	return LLVMBuildShuffleVector(e->b, v, LLVMGetPoison(LLVMTypeOf(v)), LLVMConstVector(at, n), "");
}

/* lanes: a power of two, as all vectors here have. */
LLVMValueRef lt_llvm_fold(struct emit *e, const struct lt_op *op, LLVMValueRef v, uint32_t lanes)
{
	for (uint32_t half = lanes / 2; half > 0; half /= 2) {
		LLVMValueRef pair[2] = { part(e, v, 0, half), part(e, v, half, half) };
		v = lt_llvm_op(e, op, pair, half);
	}
	return v;
}
