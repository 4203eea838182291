/* type.c -- types, constants, and lanes of vectors. */
#include <string.h>
#include "emit.h"

static const struct { uint8_t bytes, bits; bool is_real;
} types[LT_LANE_MASK + 1] = {
	[LT_F32] = { 4, 32, true }, [LT_F64] = { 8, 64, true }, [LT_F16] = { 2, 16, false }, [LT_BF16] = { 2, 16, false },
	[LT_I8] = { 1, 8, false }, [LT_U8] = { 1, 8, false }, [LT_I16] = { 2, 16, false }, [LT_I32] = { 4, 32, false },
	[LT_I64] = { 8, 64, false }, [LT_BOOL] = { 1, 8, false }, [LT_U16] = { 2, 16, false }, [LT_U32] = { 4, 32, false },
	[LT_U64] = { 8, 64, false }, [LT_LANE_MASK] = { 0, 1, false },
};

static LLVMTypeRef element_type(struct lt_llvm_emit *e, uint32_t dtype)
{
	if (types[dtype].is_real)
		return dtype == LT_F32 ? LLVMFloatTypeInContext(e->c) : LLVMDoubleTypeInContext(e->c);
	return LLVMIntTypeInContext(e->c, types[dtype].bits);
}

uint32_t lt_llvm_bytes(uint32_t dtype) { return types[dtype].bytes; }
bool lt_llvm_is_real(uint32_t dtype) { return types[dtype].is_real; }

LLVMTypeRef lt_llvm_type(struct lt_llvm_emit *e, uint32_t dtype, uint32_t lanes)
{
	LLVMTypeRef one = element_type(e, dtype);
	return lanes > 1 ? LLVMVectorType(one, lanes) : one;
}

LLVMValueRef lt_llvm_splat(struct lt_llvm_emit *e, LLVMValueRef v, uint32_t lanes)
{
	LLVMTypeRef i32 = LLVMInt32TypeInContext(e->c);
	if (lanes <= 1)
		return v;
	if (LLVMIsConstant(v)) {
		LLVMValueRef all[LT_MAX_LANES];
		for (uint32_t i = 0; i < lanes; i++)
			all[i] = v;
		return LLVMConstVector(all, lanes);
	}
	LLVMValueRef none = LLVMGetPoison(LLVMVectorType(LLVMTypeOf(v), lanes));
	LLVMValueRef first = LLVMBuildInsertElement(e->b, none, v, LLVMConstInt(i32, 0, 0), "");
	return LLVMBuildShuffleVector(e->b, first, none, LLVMConstNull(LLVMVectorType(i32, lanes)), "");
}

LLVMValueRef lt_llvm_immediate(struct lt_llvm_emit *e, uint32_t dtype, uint64_t bits, uint32_t lanes)
{
	uint32_t n = types[dtype].bits;
	LLVMValueRef v = LLVMConstInt(LLVMIntTypeInContext(e->c, n), n == 64 ? bits : bits & ((UINT64_C(1) << n) - 1), 0);
	return lt_llvm_splat(e, types[dtype].is_real ? LLVMConstBitCast(v, element_type(e, dtype)) : v, lanes);
}

LLVMValueRef lt_llvm_whole(struct lt_llvm_emit *e, uint32_t dtype, int64_t x, uint32_t lanes)
{
	return lt_llvm_immediate(e, dtype, (uint64_t)x, lanes);
}

LLVMValueRef lt_llvm_i64(struct lt_llvm_emit *e, int64_t x) { return lt_llvm_whole(e, LT_I64, x, 1); }
LLVMValueRef lt_llvm_i32(struct lt_llvm_emit *e, uint32_t x) { return lt_llvm_whole(e, LT_I32, x, 1); }

static bool is_vector(LLVMValueRef v) { return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind; }

LLVMValueRef lt_llvm_lanes(struct lt_llvm_emit *e, LLVMValueRef a, LLVMValueRef b, const int64_t *number, uint32_t n)
{
	LLVMValueRef at[LT_MAX_LANES], one;
	int64_t size = is_vector(a) ? LLVMGetVectorSize(LLVMTypeOf(a)) : 1;
	if (size == 1) {                /* scalars are put together */
		LLVMValueRef v = n > 1 ? LLVMGetPoison(LLVMVectorType(LLVMTypeOf(a), n)) : NULL;
		for (uint32_t i = 0; i < n; i++) {
			one = number[i] ? b : a;
			v = n > 1 ? LLVMBuildInsertElement(e->b, v, one, lt_llvm_i32(e, i), "") : one;
		}
		return v;
	}
	if (n == 1)
		return LLVMBuildExtractElement(
			e->b, number[0] < size ? a : b, lt_llvm_i32(e, (uint32_t)(number[0] % size)), "");
	for (uint32_t i = 0; i < n; i++)
		at[i] = lt_llvm_i32(e, (uint32_t)number[i]);
	return LLVMBuildShuffleVector(e->b, a, b ? b : LLVMGetPoison(LLVMTypeOf(a)), LLVMConstVector(at, n), "");
}

LLVMValueRef lt_llvm_intrinsic(
	struct lt_llvm_emit *e, const char *name, LLVMTypeRef const *over, unsigned n_type, LLVMValueRef const *in, unsigned n)
{
	unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
	enum { MOST = 8 };                                      /* LLVM has none with more; it takes no const array */
	LLVMTypeRef t[MOST];
	LLVMValueRef args[MOST];

	for (unsigned i = 0; i < n_type && i < MOST; i++)
		t[i] = over[i];
	for (unsigned i = 0; i < n && i < MOST; i++)
		args[i] = in[i];
	return LLVMBuildCall2(e->b, LLVMIntrinsicGetType(e->c, id, t, n_type),
		LLVMGetIntrinsicDeclaration(e->m, id, t, n_type), args, n, "");
}
