/* examples/plugin/llvm/guard.c -- guards: rows that are not negative.  Those that all lanes share become conditions,
 * others masks. */
#include "gen.h"

LLVMBasicBlockRef lt_llvm_block(struct gen *g, const char *name)
{
	return LLVMAppendBasicBlockInContext(g->e.c, g->fn, name);
}

LLVMValueRef lt_llvm_and(struct gen *g, LLVMValueRef a, LLVMValueRef b)
{
	return !a ? b : !b ? a : LLVMBuildAnd(g->e.b, a, b, "");
}

/* Whether a lane is on. */
LLVMValueRef lt_llvm_any(struct gen *g, LLVMValueRef mask)
{
	LLVMTypeRef bits = LLVMIntTypeInContext(g->e.c, g->lanes);
	LLVMValueRef all = LLVMBuildBitCast(g->e.b, mask, bits, "");
	return LLVMBuildICmp(g->e.b, LLVMIntNE, all, LLVMConstNull(bits), "");
}

static LLVMValueRef clamp(struct gen *g, LLVMValueRef n, int64_t low, int64_t high)
{
	LLVMBuilderRef b = g->e.b;
	LLVMValueRef least = lt_llvm_i64(g, low), most = lt_llvm_i64(g, high);
	n = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntSLT, n, most, ""), n, most, "");
	return LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntSGT, n, least, ""), n, least, "");
}

/* The number of each lane compared with n, which is clamped to low .. high: numbers as wide as one vector allows. */
static LLVMValueRef compare(struct gen *g, LLVMIntPredicate how, LLVMValueRef n, int64_t low, int64_t high)
{
	uint32_t bits = 8 * g->e.vector_bytes / g->lanes;
	LLVMTypeRef type = LLVMIntTypeInContext(g->e.c, bits < 8 ? 8 : bits > 64 ? 64 : bits);
	n = LLVMBuildTrunc(g->e.b, clamp(g, n, low, high), type, "");
	return LLVMBuildICmp(g->e.b, how, lt_llvm_lane_numbers(g, type), lt_llvm_splat(&g->e, n, g->lanes), "");
}

LLVMValueRef lt_llvm_below(struct gen *g, LLVMValueRef n) { return compare(g, LLVMIntSLT, n, 0, g->lanes); }

/* The lanes in which the row, which differs between them, is not negative. */
static LLVMValueRef lanes_of(struct gen *g, int32_t row)
{
	LLVMBuilderRef b = g->e.b;
	int64_t stride;
	bool regular = lt_llvm_stride(g, row, &stride);
	if (regular && stride == 1)
		return compare(g, LLVMIntSGE, LLVMBuildNeg(b, lt_llvm_row(g, row), ""), 0, g->lanes);
	if (regular && stride == -1)
		return compare(g, LLVMIntSLE, lt_llvm_row(g, row), -1, g->lanes);
	LLVMValueRef each = lt_llvm_row_lanes(g, row, 1);
	return LLVMBuildICmp(b, LLVMIntSGE, each, LLVMConstNull(LLVMTypeOf(each)), "");
}

struct guard lt_llvm_guards(struct gen *g, int32_t first, int32_t n)
{
	struct guard all = { ALWAYS, NULL, NULL };
	for (int32_t i = 0; i < n; i++) {
		struct range range = lt_llvm_range(g, g->t->guards[first + i]);
		if (range.known && range.high < 0)
			return (struct guard){ NEVER, NULL, NULL };
	}
	for (int32_t i = 0; i < n; i++) {
		int32_t row = g->t->guards[first + i];
		struct range range = lt_llvm_range(g, row);
		int64_t stride;
		if (range.known && range.low >= 0)
			continue;
		all.truth = SOMETIMES;
		if (!lt_llvm_stride(g, row, &stride) || stride != 0)
			all.lanes = lt_llvm_and(g, all.lanes, lanes_of(g, row));
		else
			all.all = lt_llvm_and(g, all.all, LLVMBuildICmp(g->e.b, LLVMIntSGE, lt_llvm_row(g, row), lt_llvm_i64(g, 0), ""));
	}
	return all;
}
