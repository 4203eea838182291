/* examples/plugin/llvm/fault.c -- indices that were read from memory: checked, and 0 where they are out of range.
 *
 * The first one that is found is written into the run's fault cell, by whichever thread counts first.
 */
#include "gen.h"

/* void out_of_range(struct lt_fault *, i64 count, i32 stmt, i32 access, i64 value), made when it is first needed. */
static LLVMValueRef out_of_range(struct gen *g, LLVMTypeRef *type)
{
	LLVMContextRef c = g->e.c;
	LLVMTypeRef i32 = LLVMInt32TypeInContext(c), i64 = LLVMInt64TypeInContext(c), i8 = LLVMInt8TypeInContext(c);
	LLVMTypeRef parameters[5] = { LLVMPointerTypeInContext(c, 0), i64, i32, i32, i64 };
	*type = LLVMFunctionType(LLVMVoidTypeInContext(c), parameters, 5, 0);
	LLVMValueRef f = LLVMGetNamedFunction(g->e.m, "out_of_range");
	if (f)
		return f;
	f = LLVMAddFunction(g->e.m, "out_of_range", *type);
	LLVMSetLinkage(f, LLVMInternalLinkage);
	lt_llvm_attribute(g, f, 0, "noinline");
	lt_llvm_attribute(g, f, 0, "cold");
	LLVMBuilderRef b = LLVMCreateBuilderInContext(c);
	LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(c, f, "entry"),
			  first = LLVMAppendBasicBlockInContext(c, f, "first"),
			  end = LLVMAppendBasicBlockInContext(c, f, "end");
	LLVMPositionBuilderAtEnd(b, entry);
	LLVMValueRef before = LLVMBuildAtomicRMW(b, LLVMAtomicRMWBinOpAdd, LLVMGetParam(f, 0), LLVMGetParam(f, 1),
		LLVMAtomicOrderingMonotonic, 0);
	LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, before, LLVMConstNull(i64), ""), first, end);
	LLVMPositionBuilderAtEnd(b, first);
	static const size_t members[3] = { offsetof(struct lt_fault, stmt), offsetof(struct lt_fault, access),
		offsetof(struct lt_fault, value) };
	for (unsigned i = 0; i < 3; i++) {
		LLVMValueRef by = LLVMConstInt(i64, members[i], 0);
		LLVMBuildStore(b, LLVMGetParam(f, 2 + i), LLVMBuildGEP2(b, i8, LLVMGetParam(f, 0), &by, 1, ""));
	}
	LLVMBuildBr(b, end);
	LLVMPositionBuilderAtEnd(b, end);
	LLVMBuildRetVoid(b);
	LLVMDisposeBuilder(b);
	return f;
}

static void tell(struct gen *g, int32_t stmt, int32_t access, LLVMValueRef count, LLVMValueRef value)
{
	LLVMTypeRef type, i32 = LLVMInt32TypeInContext(g->e.c);
	LLVMValueRef f = out_of_range(g, &type);
	LLVMValueRef in[5] = { g->fault, count, LLVMConstInt(i32, (unsigned)stmt, 0),
		LLVMConstInt(i32, (unsigned)access, 0), value };
	(void)LLVMBuildCall2(g->e.b, type, f, in, 5, "");
}

/* The lanes that are bad, counted, and the value in the first of them. */
static void report_lanes(struct gen *g, int32_t stmt, int32_t access, LLVMValueRef bad, LLVMValueRef value)
{
	LLVMBuilderRef b = g->e.b;
	LLVMTypeRef bits = LLVMIntTypeInContext(g->e.c, g->lanes), i64 = LLVMInt64TypeInContext(g->e.c);
	LLVMValueRef all = LLVMBuildBitCast(b, bad, bits, "");
	all = g->lanes < 64 ? LLVMBuildZExt(b, all, i64, "") : all;
	LLVMValueRef in[2] = { all, LLVMConstInt(LLVMInt1TypeInContext(g->e.c), 0, 0) };
	LLVMValueRef first = lt_llvm_intrinsic(&g->e, "llvm.cttz", &i64, 1, in, 2);
	tell(g, stmt, access, lt_llvm_intrinsic(&g->e, "llvm.ctpop", &i64, 1, in, 1),
		LLVMBuildExtractElement(b, value, first, ""));
}

/* The rows of a bound, as a scalar or in all lanes, as the index is. */
static LLVMValueRef bound(struct gen *g, int32_t row, bool uniform)
{
	return uniform ? lt_llvm_row(g, row) : lt_llvm_row_lanes(g, row, 1);
}

struct value lt_llvm_check(struct gen *g, int32_t stmt, int32_t access, struct value index, LLVMValueRef mask)
{
	const struct lt_access *a = LT_AT(struct lt_access, g->t->accesses, access);
	LLVMBuilderRef b = g->e.b;
	LLVMValueRef extent = lt_llvm_i64(g, a->index_extent), bad;
	for (int32_t i = 0; i < a->n_bound; i++) {
		int64_t stride;
		if (!lt_llvm_stride(g, g->t->bounds[a->first_bound + i], &stride) || stride)
			index = (struct value){ lt_llvm_vector(g, index), g->lanes == 1 };
	}
	/* As unsigned numbers, the negative ones are above every extent. */
	bad = LLVMBuildICmp(b, LLVMIntUGE, index.v, index.uniform ? extent : lt_llvm_splat(&g->e, extent, g->lanes), "");
	for (int32_t i = 0; i < a->n_bound; i++) {
		LLVMValueRef above = LLVMBuildICmp(
			b, LLVMIntSGE, index.v, bound(g, g->t->bounds[a->first_bound + i], index.uniform), "");
		bad = LLVMBuildOr(b, bad, above, "");
	}
	LLVMValueRef said = index.uniform ? bad : lt_llvm_and(g, bad, mask);
	LLVMBasicBlockRef is_bad = lt_llvm_block(g, "outside"), go_on = lt_llvm_block(g, "inside");
	LLVMBuildCondBr(b, index.uniform ? said : lt_llvm_any(g, said), is_bad, go_on);
	LLVMPositionBuilderAtEnd(b, is_bad);
	if (index.uniform)
		tell(g, stmt, access, lt_llvm_i64(g, 1), index.v);
	else
		report_lanes(g, stmt, access, said, index.v);
	LLVMBuildBr(b, go_on);
	LLVMPositionBuilderAtEnd(b, go_on);
	return (struct value){ LLVMBuildSelect(b, bad, LLVMConstNull(LLVMTypeOf(index.v)), index.v, ""), index.uniform };
}
