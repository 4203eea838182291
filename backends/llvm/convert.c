/* backends/llvm/convert.c -- conversions between the element types.
 *
 * From a float to an integer: truncated and saturated, NaN is 0.  To a half type: rounded once, to nearest even.
 */
#include "emit.h"

static const struct { uint8_t bits; bool is_float, is_signed; } types[LT_NDTYPE] = {
	[LT_F32] = { 32, true, true }, [LT_F64] = { 64, true, true }, [LT_F16] = { 16, false, true },
	[LT_BF16] = { 16, false, true }, [LT_I8] = { 8, false, true }, [LT_U8] = { 8, false, false },
	[LT_I16] = { 16, false, true }, [LT_I32] = { 32, false, true }, [LT_I64] = { 64, false, true },
	[LT_BOOL] = { 8, false, false },
};

static LLVMTypeRef lanes_of(LLVMTypeRef t, uint32_t lanes) { return lanes > 1 ? LLVMVectorType(t, lanes) : t; }
static LLVMTypeRef integer(struct emit *e, unsigned bits, uint32_t lanes)
{
	return lanes_of(LLVMIntTypeInContext(e->c, bits), lanes);
}
static bool is_half(uint32_t dtype) { return dtype == LT_F16 || dtype == LT_BF16; }

/* Whether the machine converts f16 to f32 and back itself, as all 64-bit ARM do and, of x86, all for which machine.c
 * says vectors of 32 bytes: F16C stands beside AVX2 in its table. */
static bool converts_f16(const struct emit *e)
{
#ifdef __aarch64__
	(void)e;
	return true;
#else
	return e->vector_bytes >= 32;
#endif
}

/* Keeps LLVM from doing in halves what was asked for in f32: no machine here computes in them, and it would fall into
 * scalars. */
static LLVMValueRef fence(struct emit *e, LLVMValueRef x)
{
	LLVMTypeRef type = LLVMTypeOf(x);

	return lt_llvm_intrinsic(e, "llvm.arithmetic.fence", &type, 1, &x, 1);
}

/* Values of 32 bits, by their parts. */
struct word { struct emit *e; uint32_t lanes; LLVMTypeRef i32, f32; };
static LLVMValueRef num(const struct word *w, uint32_t x) { return lt_llvm_whole(w->e, LT_I32, x, w->lanes); }
static LLVMValueRef real(const struct word *w, double x) { return lt_llvm_real(w->e, LT_F32, x, w->lanes); }
static LLVMValueRef add(const struct word *w, LLVMValueRef a, uint32_t x)
{
	return LLVMBuildAdd(w->e->b, a, num(w, x), "");
}
static LLVMValueRef and (const struct word *w, LLVMValueRef a, uint32_t x)
{
	return LLVMBuildAnd(w->e->b, a, num(w, x), "");
}
static LLVMValueRef shl(const struct word *w, LLVMValueRef a, uint32_t x)
{
	return LLVMBuildShl(w->e->b, a, num(w, x), "");
}
static LLVMValueRef shr(const struct word *w, LLVMValueRef a, uint32_t x)
{
	return LLVMBuildLShr(w->e->b, a, num(w, x), "");
}
static LLVMValueRef or(const struct word *w, LLVMValueRef a, LLVMValueRef b) { return LLVMBuildOr(w->e->b, a, b, ""); }
static LLVMValueRef bits(const struct word *w, LLVMValueRef a) { return LLVMBuildBitCast(w->e->b, a, w->i32, ""); }
static LLVMValueRef as_real(const struct word *w, LLVMValueRef a) { return LLVMBuildBitCast(w->e->b, a, w->f32, ""); }
static LLVMValueRef above(const struct word *w, LLVMValueRef a, uint32_t x)
{
	return LLVMBuildICmp(w->e->b, LLVMIntUGT, a, num(w, x), "");
}
static LLVMValueRef pick(const struct word *w, LLVMValueRef c, LLVMValueRef a, LLVMValueRef b)
{
	return LLVMBuildSelect(w->e->b, c, a, b, "");
}

/* By bits: a normal half is an f32 with another bias; a subnormal one is its bits times 2^-24. */
static LLVMValueRef f16_to_f32(const struct word *w, LLVMValueRef h)
{
	struct emit *e = w->e;

	if (converts_f16(e)) {
		LLVMTypeRef half = lanes_of(LLVMHalfTypeInContext(e->c), w->lanes);
		return fence(e, LLVMBuildFPExt(e->b, LLVMBuildBitCast(e->b, h, half, ""), w->f32, ""));
	}
	LLVMValueRef wide = LLVMBuildZExt(e->b, h, w->i32, ""), size = and(w, wide, 0x7fff),
		     sign = shl(w, and(w, wide, 0x8000), 16);
	LLVMValueRef normal = add(w, shl(w, size, 13), 112u << 23);
	LLVMValueRef huge = pick(w, above(w, size, 0x7bff), add(w, normal, 112u << 23), normal);
	LLVMValueRef tiny = bits(w, LLVMBuildFMul(e->b, LLVMBuildUIToFP(e->b, size, w->f32, ""), real(w, 0x1p-24), ""));
	return as_real(w, or(w, pick(w, above(w, size, 0x3ff), huge, tiny), sign));
}

/* By bits: what is cut off is rounded by adding just less than half of it, and the bit above if that is odd.  Below the
 * normal halves the sum with 1/2 has the half's last place as its own. */
static LLVMValueRef f32_to_f16(const struct word *w, LLVMValueRef x)
{
	struct emit *e = w->e;

	if (converts_f16(e)) {
		LLVMTypeRef half = lanes_of(LLVMHalfTypeInContext(e->c), w->lanes);
		return LLVMBuildBitCast(e->b, LLVMBuildFPTrunc(e->b, fence(e, x), half, ""), integer(e, 16, w->lanes), "");
	}
	LLVMValueRef u = bits(w, x), size = and(w, u, 0x7fffffff), sign = shr(w, and(w, u, 0x80000000), 16);
	LLVMValueRef round = LLVMBuildAdd(e->b, add(w, size, 0xfff), and(w, shr(w, size, 13), 1), "");
	LLVMValueRef normal = add(w, shr(w, round, 13), 0u - (112u << 10));
	LLVMValueRef tiny = add(w, bits(w, LLVMBuildFAdd(e->b, as_real(w, size), real(w, 0.5), "")), 0u - 0x3f000000u);
	LLVMValueRef h = pick(w, above(w, size, 0x387fffff), normal, tiny);
	h = pick(w, above(w, size, 0x477fefff), num(w, 0x7c00), h);
	h = pick(w, above(w, size, 0x7f800000), num(w, 0x7e00), h);
	return LLVMBuildTrunc(e->b, or(w, h, sign), integer(e, 16, w->lanes), "");
}

static LLVMValueRef bf16_to_f32(const struct word *w, LLVMValueRef h)
{
	return as_real(w, shl(w, LLVMBuildZExt(w->e->b, h, w->i32, ""), 16));
}

/* The instruction of AVX-512 would take subnormals for zeros. */
static LLVMValueRef f32_to_bf16(const struct word *w, LLVMValueRef x)
{
	struct emit *e = w->e;
	LLVMValueRef u = bits(w, x), nan = above(w, and(w, u, 0x7fffffff), 0x7f800000);
	LLVMValueRef round = LLVMBuildAdd(e->b, add(w, u, 0x7fff), and(w, shr(w, u, 16), 1), "");

	return LLVMBuildTrunc(e->b, shr(w, pick(w, nan, or(w, u, num(w, 0x400000)), round), 16), integer(e, 16, w->lanes), "");
}

/* f64 to f32 by cutting off, with the last bit set where something was: rounding that to a half rounds once. */
static LLVMValueRef to_odd(const struct word *w, LLVMValueRef x)
{
	LLVMBuilderRef b = w->e->b;
	LLVMTypeRef f64 = lt_llvm_type(w->e, LT_F64, w->lanes);
	LLVMValueRef near = LLVMBuildFPTrunc(b, x, w->f32, ""), back = LLVMBuildFPExt(b, near, f64, "");
	LLVMValueRef size = lt_llvm_intrinsic(w->e, "llvm.fabs", &f64, 1, &x, 1),
		     back_size = lt_llvm_intrinsic(w->e, "llvm.fabs", &f64, 1, &back, 1);
	LLVMValueRef away = LLVMBuildZExt(b, LLVMBuildFCmp(b, LLVMRealOGT, back_size, size, ""), w->i32, "");
	LLVMValueRef other = LLVMBuildZExt(b, LLVMBuildFCmp(b, LLVMRealUNE, back, x, ""), w->i32, "");

	return as_real(w, or(w, LLVMBuildSub(b, bits(w, near), away, ""), other));
}

/* i64 to f64; of more than 53 bits the lowest that are lost are kept as one, so that only the next step rounds. */
static LLVMValueRef to_sticky(struct emit *e, LLVMValueRef x, uint32_t lanes)
{
	LLVMTypeRef i64 = integer(e, 64, lanes), f64 = lt_llvm_type(e, LT_F64, lanes);
	LLVMValueRef low = lt_llvm_whole(e, LT_I64, 2047, lanes), zero = LLVMConstNull(i64),
		     keep = lt_llvm_whole(e, LT_I64, -2048, lanes);
	LLVMValueRef lost = LLVMBuildICmp(e->b, LLVMIntNE, LLVMBuildAnd(e->b, x, low, ""), zero, "");
	LLVMValueRef bit = LLVMBuildSelect(e->b, lost, lt_llvm_whole(e, LT_I64, 2048, lanes), zero, "");
	LLVMValueRef cut = LLVMBuildOr(e->b, LLVMBuildAnd(e->b, x, keep, ""), bit, "");
	LLVMValueRef top = LLVMBuildAShr(e->b, x, lt_llvm_whole(e, LT_I64, 53, lanes), "");      /* 0 or -1: it fits */
	LLVMValueRef fits = LLVMBuildICmp(e->b, LLVMIntULT, LLVMBuildAdd(e->b, top, lt_llvm_whole(e, LT_I64, 1, lanes), ""),
		lt_llvm_whole(e, LT_I64, 2, lanes), "");

	return LLVMBuildSIToFP(e->b, LLVMBuildSelect(e->b, fits, x, cut, ""), f64, "");
}

static LLVMValueRef to_half(struct emit *e, uint32_t from, uint32_t to, LLVMValueRef v, uint32_t lanes)
{
	const struct word w = { e, lanes, integer(e, 32, lanes), lt_llvm_type(e, LT_F32, lanes) };

	if (from == LT_BOOL)
		return LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntNE, v, lt_llvm_whole(e, from, 0, lanes), ""),
			lt_llvm_immediate(e, to, to == LT_F16 ? 0x3c00 : 0x3f80, lanes),
			lt_llvm_immediate(e, to, 0, lanes), "");
	if (from == LT_I64)
		v = to_odd(&w, to_sticky(e, v, lanes));
	else if (from == LT_I32)
		v = to_odd(&w, lt_llvm_convert(e, from, LT_F64, v, lanes));
	else if (from == LT_F64)
		v = to_odd(&w, v);
	else
		v = lt_llvm_convert(e, from, LT_F32, v, lanes);
	return to == LT_F16 ? f32_to_f16(&w, v) : f32_to_bf16(&w, v);
}

static LLVMValueRef from_half(struct emit *e, uint32_t from, uint32_t to, LLVMValueRef v, uint32_t lanes)
{
	const struct word w = { e, lanes, integer(e, 32, lanes), lt_llvm_type(e, LT_F32, lanes) };

	return lt_llvm_convert(e, LT_F32, to, from == LT_F16 ? f16_to_f32(&w, v) : bf16_to_f32(&w, v), lanes);
}

static LLVMValueRef to_bool(struct emit *e, uint32_t from, LLVMValueRef v, uint32_t lanes)
{
	LLVMValueRef some;
	if (is_half(from))
		v = LLVMBuildAnd(e->b, v, lt_llvm_whole(e, from, 0x7fff, lanes), "");
	if (types[from].is_float)
		some = LLVMBuildFCmp(e->b, LLVMRealUNE, v, lt_llvm_real(e, from, 0, lanes), "");
	else
		some = LLVMBuildICmp(e->b, LLVMIntNE, v, lt_llvm_whole(e, from, 0, lanes), "");
	return LLVMBuildZExt(e->b, some, lt_llvm_type(e, LT_BOOL, lanes), "");
}

/* In vectors, of which LLVM's own conversion makes scalars: what fits is converted, to i32 where that holds the result;
 * 0 stands for what does not, and the greatest or the least is put in its place. */
static LLVMValueRef saturate(struct emit *e, uint32_t from, uint32_t to, LLVMValueRef v, uint32_t lanes)
{
	LLVMBuilderRef b = e->b;
	int bits = types[to].bits - types[to].is_signed;
	double end = bits == 63 ? 0x1p63 : (double)(INT64_C(1) << bits), begin = types[to].is_signed ? -end : 0;
	LLVMValueRef low = LLVMBuildFCmp(b, LLVMRealOLE, v, lt_llvm_real(e, from, begin, lanes), "");
	LLVMValueRef high = LLVMBuildFCmp(b, LLVMRealOGE, v, lt_llvm_real(e, from, end, lanes), "");
	LLVMValueRef nan = LLVMBuildFCmp(b, LLVMRealUNO, v, v, ""),
		     out = LLVMBuildOr(b, LLVMBuildOr(b, low, high, ""), nan, "");
	uint32_t wide = to == LT_I64 ? LT_I64 : LT_I32;
	LLVMValueRef r = LLVMBuildFPToSI(
		b, LLVMBuildSelect(b, out, lt_llvm_real(e, from, 0, lanes), v, ""), lt_llvm_type(e, wide, lanes), "");

	r = LLVMBuildSelect(b, high, lt_llvm_whole(e, wide, (int64_t)((UINT64_C(1) << bits) - 1), lanes), r, "");
	r = LLVMBuildSelect(b, low,
		lt_llvm_whole(e, wide, types[to].is_signed ? -(int64_t)((UINT64_C(1) << bits) - 1) - 1 : 0, lanes), r,
		"");
	return wide == to ? r : LLVMBuildTrunc(b, r, lt_llvm_type(e, to, lanes), "");
}

LLVMValueRef lt_llvm_convert(struct emit *e, uint32_t from, uint32_t to, LLVMValueRef v, uint32_t lanes)
{
	LLVMTypeRef pair[2] = { lt_llvm_type(e, to, lanes), lt_llvm_type(e, from, lanes) };

	if (from == to)
		return v;
	if (to == LT_BOOL)
		return to_bool(e, from, v, lanes);
	if (is_half(from))
		return from_half(e, from, to, v, lanes);
	if (is_half(to))
		return to_half(e, from, to, v, lanes);
	if (types[from].is_float && types[to].is_float)
		return from == LT_F32 ? LLVMBuildFPExt(e->b, v, pair[0], "") : LLVMBuildFPTrunc(e->b, v, pair[0], "");
	if (types[from].is_float && lanes > 1)
		return saturate(e, from, to, v, lanes);
	if (types[from].is_float)
		return lt_llvm_intrinsic(e, types[to].is_signed ? "llvm.fptosi.sat" : "llvm.fptoui.sat", pair, 2, &v, 1);
	if (types[to].is_float)
		return types[from].is_signed ? LLVMBuildSIToFP(e->b, v, pair[0], "") : LLVMBuildUIToFP(e->b, v, pair[0], "");
	if (types[to].bits <= types[from].bits)
		return LLVMBuildTrunc(e->b, v, pair[0], "");
	return types[from].is_signed ? LLVMBuildSExt(e->b, v, pair[0], "") : LLVMBuildZExt(e->b, v, pair[0], "");
}
