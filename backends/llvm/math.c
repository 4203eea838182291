/* backends/llvm/math.c -- functions: own polynomials for vectors of f32, else the C library's.
 *
 * A scalar calls libm.  A vector of f32 computes exp, log, tanh, erf and sigmoid itself; the greatest errors found in a
 * sweep are 0.98, 1.09, 1.30, 1.09 and 2.22 units in the last place.
 * What is left calls libmvec, a register at a time, or libm, a lane at a time, where the library is not there.
 * The coefficients minimize the greatest relative error; each was rounded to f32 before the next was sought.
 */
#include <stdio.h>
#include <string.h>
#include "emit.h"

/* What libmvec has, since which version of glibc. */
static const struct { const char *name; int since; } vector_functions[] = {
	{ "exp", 222 }, { "log", 222 }, { "tanh", 235 }, { "erf", 235 }, { "sin", 222 }, { "cos", 222 },
	{ "pow", 222 },
};
enum { N_FUNCTION = sizeof vector_functions / sizeof *vector_functions };

/* A function without side effects. */
static LLVMValueRef declare(struct emit *e, const char *name, LLVMTypeRef type, unsigned n, LLVMTypeRef *function)
{
	static const char *const facts[] = { "nounwind", "willreturn", "memory" };
	LLVMTypeRef in[2] = { type, type };
	LLVMValueRef f = LLVMGetNamedFunction(e->m, name);

	*function = LLVMFunctionType(type, in, n, 0);
	if (f)
		return f;
	f = LLVMAddFunction(e->m, name, *function);
	for (unsigned i = 0; i < sizeof facts / sizeof *facts; i++) {
		unsigned kind = LLVMGetEnumAttributeKindForName(facts[i], strlen(facts[i]));
		LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(e->c, kind, 0));
	}
	return f;
}

static LLVMValueRef each_lane(
	struct emit *e, const struct shape *s, const char *name, LLVMValueRef const *in, unsigned n)
{
	LLVMTypeRef type, i32 = LLVMInt32TypeInContext(e->c);
	LLVMValueRef r = LLVMGetPoison(s->type), f = declare(e, name, lt_llvm_type(e, s->dtype, 1), n, &type);
	LLVMValueRef args[2] = { in[0], n > 1 ? in[1] : NULL };

	if (s->lanes == 1)
		return LLVMBuildCall2(e->b, type, f, args, n, "");
	for (uint32_t l = 0; l < s->lanes; l++) {
		LLVMValueRef at = LLVMConstInt(i32, l, 0);
		for (unsigned k = 0; k < n; k++)
			args[k] = LLVMBuildExtractElement(e->b, in[k], at, "");
		r = LLVMBuildInsertElement(e->b, r, LLVMBuildCall2(e->b, type, f, args, n, ""), at, "");
	}
	return r;
}

/* `n` lanes of a vector from lane `first` on; those beyond its end repeat its last, since what stands there by chance
 * may take longer. */
static LLVMValueRef cut(struct emit *e, LLVMValueRef v, uint32_t first, uint32_t n)
{
	uint32_t last = LLVMGetVectorSize(LLVMTypeOf(v)) - 1;
	LLVMValueRef at[64];

	for (uint32_t i = 0; i < n; i++)
		at[i] = LLVMConstInt(LLVMInt32TypeInContext(e->c), first + i < last ? first + i : last, 0);
	return LLVMBuildShuffleVector(e->b, v, LLVMGetPoison(LLVMTypeOf(v)), LLVMConstVector(at, n), "");
}

/* Lanes of `part` to those of r from `first` on. */
static LLVMValueRef paste(struct emit *e, LLVMValueRef r, LLVMValueRef part, uint32_t first, uint32_t lanes)
{
	uint32_t n = LLVMGetVectorSize(LLVMTypeOf(part));
	LLVMValueRef at[256], wide;
	LLVMTypeRef i32 = LLVMInt32TypeInContext(e->c);

	if (n == lanes)
		return part;
	for (uint32_t i = 0; i < lanes; i++)
		at[i] = i >= first && i < first + n ? LLVMConstInt(i32, i - first, 0) : LLVMGetPoison(i32);
	wide = LLVMBuildShuffleVector(e->b, part, LLVMGetPoison(LLVMTypeOf(part)), LLVMConstVector(at, lanes), "");
	for (uint32_t i = 0; i < lanes; i++)
		at[i] = LLVMConstInt(i32, i >= first && i < first + n ? lanes + i : i, 0);
	return first == 0 ? wide : LLVMBuildShuffleVector(e->b, r, wide, LLVMConstVector(at, lanes), "");
}

/* The names of a vector function tell its registers: b 16 bytes, d 32 (AVX2), e 64 (AVX-512). */
static LLVMValueRef by_registers(
	struct emit *e, const struct shape *s, const char *name, LLVMValueRef const *in, unsigned n)
{
	uint32_t size = lt_llvm_bytes(s->dtype), bytes = 16;
	LLVMValueRef r = LLVMGetPoison(s->type), args[2] = { NULL, NULL }, f;
	LLVMTypeRef type;
	char symbol[48];

	while (bytes < e->vector_bytes && bytes < 64 && bytes < s->lanes * size)
		bytes *= 2;
	(void)snprintf(symbol, sizeof symbol, "_ZGV%cN%u%s_%s",
		bytes == 64           ? 'e'
			: bytes == 32 ? 'd'
				      : 'b',
		bytes / size, n > 1 ? "vv" : "v", name);
	f = declare(e, symbol, lt_llvm_type(e, s->dtype, bytes / size), n, &type);
	for (uint32_t l = 0; l < s->lanes; l += bytes / size) {
		for (unsigned k = 0; k < n; k++)
			args[k] = cut(e, in[k], l, bytes / size);
		r = paste(e, r, LLVMBuildCall2(e->b, type, f, args, n, ""), l, s->lanes);
	}
	return r;
}

/* f32 vectors. */
struct own { struct emit *e; LLVMBuilderRef b; const struct shape *s; LLVMTypeRef words; };
#define C(x) lt_llvm_real(o->e, LT_F32, (x), o->s->lanes)
#define W(x) lt_llvm_whole(o->e, LT_I32, (int64_t)(x), o->s->lanes)
#define MUL(x, y) LLVMBuildFMul(o->b, (x), (y), "")
#define ADD(x, y) LLVMBuildFAdd(o->b, (x), (y), "")
#define SUB(x, y) LLVMBuildFSub(o->b, (x), (y), "")
#define DIV(x, y) LLVMBuildFDiv(o->b, (x), (y), "")
#define TEST(how, x, y) LLVMBuildFCmp(o->b, LLVMReal##how, (x), (y), "")
#define PICK(c, x, y) LLVMBuildSelect(o->b, (c), (x), (y), "")

static LLVMValueRef words(const struct own *o, LLVMValueRef x) { return LLVMBuildBitCast(o->b, x, o->words, ""); }
static LLVMValueRef reals(const struct own *o, LLVMValueRef x) { return LLVMBuildBitCast(o->b, x, o->s->type, ""); }
static LLVMValueRef call(const struct own *o, const char *name, LLVMValueRef x)
{
	return lt_llvm_intrinsic(o->e, name, &o->s->type, 1, &x, 1);
}

static LLVMValueRef mul_add(const struct own *o, LLVMValueRef x, LLVMValueRef y, LLVMValueRef z)
{
	return lt_llvm_intrinsic(o->e, "llvm.fmuladd", &o->s->type, 1, (LLVMValueRef[]){ x, y, z }, 3);
}

/* c[0] + c[1] x + ... */
static LLVMValueRef polynomial(const struct own *o, LLVMValueRef x, const float *c, int n)
{
	LLVMValueRef r = C((double)c[n - 1]);

	for (int i = n - 2; i >= 0; i--)
		r = mul_add(o, r, x, C((double)c[i]));
	return r;
}

static LLVMValueRef with_sign(const struct own *o, LLVMValueRef size, LLVMValueRef sign)
{
	return lt_llvm_intrinsic(o->e, "llvm.copysign", &o->s->type, 1, (LLVMValueRef[]){ size, sign }, 2);
}

/* p 2^n, n a whole number also as bits: in two steps, since the result may be subnormal, or next to the largest.
 * AVX-512 has an instruction for it. */
static LLVMValueRef scale(const struct own *o, LLVMValueRef p, LLVMValueRef n, LLVMValueRef bits)
{
#ifdef __x86_64__
	if (o->s->lanes % 16 == 0 && o->e->vector_bytes == 64) {
		static const char name[] = "llvm.x86.avx512.mask.scalef.ps.512";
		unsigned id = LLVMLookupIntrinsicID(name, sizeof name - 1);
		LLVMTypeRef type = LLVMIntrinsicGetType(o->e->c, id, NULL, 0);
		LLVMValueRef f = LLVMGetIntrinsicDeclaration(o->e->m, id, NULL, 0), r = NULL;
		LLVMValueRef all = LLVMConstAllOnes(LLVMInt16TypeInContext(o->e->c)),
			     mode = LLVMConstInt(LLVMInt32TypeInContext(o->e->c), 4, 0);
		for (uint32_t l = 0; l < o->s->lanes; l += 16) {
			LLVMValueRef from = cut(o->e, p, l, 16);
			r = paste(o->e, r,
				LLVMBuildCall2(o->b, type, f,
					(LLVMValueRef[]){ from, cut(o->e, n, l, 16), from, all, mode }, 5, ""),
				l, o->s->lanes);
		}
		return r;
	}
#endif
	LLVMValueRef half = LLVMBuildAShr(o->b, bits, W(1), ""), remainder = LLVMBuildSub(o->b, bits, half, "");
	half = reals(o, LLVMBuildShl(o->b, LLVMBuildAdd(o->b, half, W(127), ""), W(23), ""));
	remainder = reals(o, LLVMBuildShl(o->b, LLVMBuildAdd(o->b, remainder, W(127), ""), W(23), ""));
	return MUL(MUL(p, half), remainder);
}

/* Ends that an operand of exp may lie beyond. */
enum { BELOW = 1, ABOVE = 2 };

/* exp(x) = 2^n exp(r), n the whole number next to x / ln 2, ln 2 in two parts of which n times the first is exact;
 * exp(r) = 1 + r + r^2 q(r).  Added to 1.5 * 2^23 a number is rounded to a whole one, which stands in the lowest bits.
 * Beyond its ends the result is 0 or infinite.  A NaN fails all comparisons and stays. */
static LLVMValueRef exponential_within(const struct own *o, LLVMValueRef x, int beyond)
{
	static const float q[] = { 0x1.fffffcp-2f, 0x1.55548cp-3f, 0x1.555858p-5f, 0x1.123dep-7f, 0x1.6ac74cp-10f };
	LLVMValueRef low = C(-104.5), high = C(89), rounder = C(0x1.8p23), sum, n, r;

	if (beyond & BELOW)
		x = PICK(TEST(OLT, x, low), low, x);
	if (beyond & ABOVE)
		x = PICK(TEST(OGT, x, high), high, x);
	sum = mul_add(o, x, C(0x1.715476p+0), rounder);
	n = SUB(sum, rounder);
	r = mul_add(o, n, C(-0x1.63p-1), x);
	r = mul_add(o, n, C(0x1.bd0106p-13), r);
	x = ADD(mul_add(o, polynomial(o, r, q, 5), MUL(r, r), r), C(1));
	return scale(o, x, n, LLVMBuildSub(o->b, words(o, sum), W(0x4b400000), ""));
}

static LLVMValueRef exponential(const struct own *o, LLVMValueRef x) { return exponential_within(o, x, BELOW | ABOVE); }

static LLVMValueRef sigmoid(const struct own *o, LLVMValueRef x)
{
	return DIV(C(1), ADD(C(1), exponential(o, LLVMBuildFNeg(o->b, x, ""))));
}

/* x = 2^k (1 + f), 1 + f from sqrt(1/2) to sqrt(2); log(1 + f) = f - f^2 / 2 + f^3 q(f).  Subnormals are scaled
 * first. */
static LLVMValueRef logarithm(const struct own *o, LLVMValueRef x)
{
	static const float q[] = { 0x1.555554p-2f, -0x1.00022ap-2f, 0x1.99a03cp-3f, -0x1.547172p-3f, 0x1.22d472p-3f,
		-0x1.0d60a4p-3f, 0x1.04a98ap-3f, -0x1.36b372p-4f };
	LLVMValueRef small = TEST(OLT, x, C(0x1p-126)), root = W(0x3f3504f3), infinity = C(__builtin_inf()), zero = C(0);
	LLVMValueRef u = LLVMBuildSub(o->b, words(o, PICK(small, MUL(x, C(0x1p23)), x)), root, "");
	LLVMValueRef k = ADD(
		LLVMBuildSIToFP(o->b, LLVMBuildAShr(o->b, u, W(23), ""), o->s->type, ""), PICK(small, C(-23), zero));
	LLVMValueRef f = SUB(reals(o, LLVMBuildAdd(o->b, LLVMBuildAnd(o->b, u, W(0x7fffff), ""), root, "")), C(1)),
		     f2 = MUL(f, f);
	LLVMValueRef r = mul_add(o, polynomial(o, f, q, 8), MUL(f2, f), MUL(k, C(-0x1.bd0106p-13)));

	r = mul_add(o, f2, C(-0.5), r);
	r = mul_add(o, k, C(0x1.63p-1), ADD(f, r));
	r = PICK(TEST(OEQ, x, infinity), x, r);
	r = PICK(TEST(OEQ, x, zero), C(-__builtin_inf()), r);
	return PICK(TEST(UGE, x, zero), PICK(TEST(UNO, x, x), x, r), C(__builtin_nan("")));
}

/* Near 0 a + a^3 q(a^2), else 1 - 2 / (exp(2 a) + 1), a = |x|. */
static LLVMValueRef tangent(const struct own *o, LLVMValueRef x)
{
	static const float q[] = { -0x1.555532p-2f, 0x1.1106f6p-3f, -0x1.b835a4p-5f, 0x1.51f8cep-6f, -0x1.750ce2p-8f };
	LLVMValueRef a = call(o, "llvm.fabs", x), z = MUL(a, a), near = mul_add(o, polynomial(o, z, q, 5), MUL(z, a), a);
	LLVMValueRef far = SUB(C(1), DIV(C(2), ADD(exponential_within(o, ADD(a, a), ABOVE), C(1))));

	return with_sign(o, PICK(TEST(OLT, a, C(0.625)), near, far), x);
}

/* Near 0 a + a q(a^2), else 1 - exp(a p(a) - a), a = |x|; beyond 4, where p is not fitted, that falls on and the result
 * is 1. */
static LLVMValueRef error_function(const struct own *o, LLVMValueRef x)
{
	static const float q[] = { 0x1.06eba6p-3f, -0x1.8126e8p-2f, 0x1.ce1ab4p-4f, -0x1.b68e66p-6f, 0x1.474a0ep-8f,
		-0x1.3a48e2p-11f };
	static const float p[] = { -0x1.074624p-3f, -0x1.4570acp-1f, -0x1.af2806p-4f, 0x1.737ea6p-6f, -0x1.8011e6p-9f,
		0x1.a01ae2p-15f, 0x1.7e5c44p-15f, -0x1.4b6c34p-18f };
	LLVMValueRef a = call(o, "llvm.fabs", x), z = MUL(a, a), near = mul_add(o, polynomial(o, z, q, 6), a, a);
	LLVMValueRef power = mul_add(o, polynomial(o, a, p, 8), a, LLVMBuildFNeg(o->b, a, ""));
	LLVMValueRef far = SUB(C(1), exponential_within(o, power, BELOW));

	return with_sign(o, PICK(TEST(OLT, a, C(0.921875)), near, far), x);
}

static const struct { const char *name; LLVMValueRef (*emit)(const struct own *, LLVMValueRef); } owns[] = {
	{ "exp", exponential }, { "log", logarithm }, { "tanh", tangent }, { "sigmoid", sigmoid }, { "erf", error_function },
};
enum { N_DERIVED = sizeof owns / sizeof *owns };

LLVMValueRef lt_llvm_function(
	struct emit *e, const struct shape *s, const char *name, LLVMValueRef const *in, unsigned n)
{
	const struct own own = { e, e->b, s, lt_llvm_type(e, LT_I32, s->lanes) };
	char symbol[32];

	for (int i = 0; i < N_DERIVED && s->lanes > 1 && s->dtype == LT_F32; i++)
		if (strcmp(owns[i].name, name) == 0)
			return owns[i].emit(&own, in[0]);
	if (strcmp(name, "sigmoid") == 0) {
		LLVMValueRef minus = LLVMBuildFNeg(e->b, in[0], ""), one = lt_llvm_real(e, s->dtype, 1, s->lanes);
		return LLVMBuildFDiv(e->b, one, LLVMBuildFAdd(e->b, one, lt_llvm_function(e, s, "exp", &minus, 1), ""), "");
	}
	(void)snprintf(symbol, sizeof symbol, "%s%s", name, s->dtype == LT_F32 ? "f" : "");
	for (int i = 0; i < N_FUNCTION && s->lanes > 1; i++)
		if (strcmp(vector_functions[i].name, name) == 0 && e->vector_library >= vector_functions[i].since)
			return by_registers(e, s, symbol, in, n);
	return each_lane(e, s, symbol, in, n);
}
