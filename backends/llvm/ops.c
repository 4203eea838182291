/* backends/llvm/ops.c -- the operators: a table from opcodes to what prints them.
 *
 * What an operator means stands in lt/tree.h ("Numbers") and in docs/script.md.  Integers wrap, x / 0 and x % 0 are 0,
 * division rounds towards minus infinity, min and max hand NaN on, -0 < +0.
 */
#include <math.h>
#include "emit.h"

struct operator {
	LLVMValueRef (*emit)(struct emit *, const struct shape *, const struct operator *, LLVMValueRef const *in);
	int real, whole;                /* the instruction's opcode or predicate, for floats and for the others */
	const char *function;           /* the intrinsic's or the function's name */
};

static bool is_real(const struct shape *s) { return lt_llvm_is_real(s->dtype); }
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

/* A product may be fused with the sum that it goes to: these two, and no others. */
static LLVMValueRef arithmetic(struct emit *e, const struct shape *s, const struct operator *op, LLVMValueRef const *in)
{
	LLVMValueRef r = LLVMBuildBinOp(e->b, (LLVMOpcode)(is_real(s) ? op->real : op->whole), in[0], in[1], "");

	if (is_real(s) && (op->real == LLVMFMul || op->real == LLVMFAdd) && LLVMIsAInstruction(r))
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
	(void)op;
	return s->dtype == LT_BOOL ? LLVMBuildXor(e->b, in[0], number(e, s, 1), "") : LLVMBuildNot(e->b, in[0], "");
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
	return lt_llvm_intrinsic(e, op->function, &s->type, 1, in, 1);
}

static LLVMValueRef inverse(struct emit *e, const struct shape *s, const struct operator *op, LLVMValueRef const *in)
{
	return LLVMBuildFDiv(e->b, number(e, s, 1), op->function ? intrinsic(e, s, op, in) : in[0], "");
}

static LLVMValueRef function(struct emit *e, const struct shape *s, const struct operator *op, LLVMValueRef const *in)
{
	return lt_llvm_function(e, s, op->function, in, op->function[0] == 'p' ? 2 : 1);
}

static const struct operator operators[LT_NOPERATOR_OPCODE] = {
	[LT_OPCODE_copy] = { same, 0, 0, NULL },
	[LT_OPCODE_select] = { choose, 0, 0, NULL },
	[LT_OPCODE_add] = { arithmetic, LLVMFAdd, LLVMAdd, NULL },
	[LT_OPCODE_sub] = { arithmetic, LLVMFSub, LLVMSub, NULL },
	[LT_OPCODE_mul] = { arithmetic, LLVMFMul, LLVMMul, NULL },
	[LT_OPCODE_div] = { divide, LLVMFDiv, LLVMSDiv, NULL },
	[LT_OPCODE_mod] = { modulo, 0, LLVMSRem, NULL },
	[LT_OPCODE_pow] = { function, 0, 0, "pow" },
	[LT_OPCODE_min] = { extreme, LLVMRealOLT, LLVMIntSLT, NULL },
	[LT_OPCODE_max] = { extreme, LLVMRealOGT, LLVMIntSGT, NULL },
	[LT_OPCODE_eq] = { compare, LLVMRealOEQ, LLVMIntEQ, NULL },
	[LT_OPCODE_ne] = { compare, LLVMRealUNE, LLVMIntNE, NULL },
	[LT_OPCODE_less] = { compare, LLVMRealOLT, LLVMIntSLT, NULL },
	[LT_OPCODE_lessequal] = { compare, LLVMRealOLE, LLVMIntSLE, NULL },
	[LT_OPCODE_greater] = { compare, LLVMRealOGT, LLVMIntSGT, NULL },
	[LT_OPCODE_greaterequal] = { compare, LLVMRealOGE, LLVMIntSGE, NULL },
	[LT_OPCODE_and] = { arithmetic, 0, LLVMAnd, NULL },
	[LT_OPCODE_or] = { arithmetic, 0, LLVMOr, NULL },
	[LT_OPCODE_xor] = { arithmetic, 0, LLVMXor, NULL },
	[LT_OPCODE_not] = { flip, 0, 0, NULL },
	[LT_OPCODE_neg] = { negate, 0, 0, NULL },
	[LT_OPCODE_abs] = { absolute, 0, 0, NULL },
	[LT_OPCODE_sign] = { sign, LLVMRealOGT, LLVMIntSGT, NULL },
	[LT_OPCODE_reciprocal] = { inverse, 0, 0, NULL },
	[LT_OPCODE_exp] = { function, 0, 0, "exp" },
	[LT_OPCODE_log] = { function, 0, 0, "log" },
	[LT_OPCODE_sqrt] = { intrinsic, 0, 0, "llvm.sqrt" },
	[LT_OPCODE_rsqrt] = { inverse, 0, 0, "llvm.sqrt" },
	[LT_OPCODE_tanh] = { function, 0, 0, "tanh" },
	[LT_OPCODE_sigmoid] = { function, 0, 0, "sigmoid" },
	[LT_OPCODE_erf] = { function, 0, 0, "erf" },
	[LT_OPCODE_sin] = { function, 0, 0, "sin" },
	[LT_OPCODE_cos] = { function, 0, 0, "cos" },
	[LT_OPCODE_floor] = { intrinsic, 0, 0, "llvm.floor" },
	[LT_OPCODE_ceil] = { intrinsic, 0, 0, "llvm.ceil" },
	[LT_OPCODE_round] = { intrinsic, 0, 0, "llvm.rint" },
};

LLVMValueRef lt_llvm_op(struct emit *e, uint32_t opcode, uint32_t dtype, LLVMValueRef const *in, uint32_t lanes)
{
	const struct shape shape = { dtype, lanes, lt_llvm_type(e, dtype, lanes) };

	return operators[opcode].emit(e, &shape, &operators[opcode], in);
}
