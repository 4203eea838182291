/* examples/plugin/llvm/function.c -- functions of a module: their beginning and end, their variables, what lives in
 * them. */
#include <string.h>
#include "gen.h"

/* parameter: from 1 on; 0: of the function itself. */
void lt_llvm_attribute(struct gen *g, LLVMValueRef f, unsigned parameter, const char *name)
{
	unsigned at = parameter ? parameter : (unsigned)LLVMAttributeFunctionIndex;
	LLVMAddAttributeAtIndex(
		f, at, LLVMCreateEnumAttribute(g->e.c, LLVMGetEnumAttributeKindForName(name, strlen(name)), 0));
}

static void say(struct gen *g, LLVMValueRef f, const char *key, const char *value)
{
	LLVMAddAttributeAtIndex(f, (unsigned)LLVMAttributeFunctionIndex,
		LLVMCreateStringAttribute(g->e.c, key, (unsigned)strlen(key), value, (unsigned)strlen(value)));
}

LLVMValueRef lt_llvm_local(struct gen *g, LLVMTypeRef type)
{
	LLVMBasicBlockRef here = LLVMGetInsertBlock(g->e.b);
	LLVMPositionBuilderBefore(g->e.b, g->entry_mark);
	LLVMValueRef v = LLVMBuildAlloca(g->e.b, type, "");
	LLVMPositionBuilderAtEnd(g->e.b, here);
	return v;
}

/* Leaves the builder where code may follow, in a scope of its own. */
LLVMValueRef lt_llvm_begin_function(struct gen *g, const char *name, LLVMTypeRef *parameter, unsigned n)
{
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(g->e.c), parameter, n, 0);
	g->fn = LLVMAddFunction(g->e.m, name, type);
	LLVMSetLinkage(g->fn, LLVMInternalLinkage);
	lt_llvm_attribute(g, g->fn, 0, "nounwind");
	say(g, g->fn, "prefer-vector-width", "512");
	say(g, g->fn, "min-legal-vector-width", "512");
	LLVMPositionBuilderAtEnd(g->e.b, lt_llvm_block(g, "entry"));
	LLVMBasicBlockRef start = lt_llvm_block(g, "start");
	g->entry_mark = LLVMBuildBr(g->e.b, start);
	LLVMPositionBuilderAtEnd(g->e.b, start);
	g->streams = false;
	g->first_scope = g->n_scope;
	lt_llvm_push_scope(g);
	return g->fn;
}

/* What went past the caches is there for other threads only behind a fence. */
void lt_llvm_end_function(struct gen *g)
{
	if (g->streams)
		(void)LLVMBuildFence(g->e.b, LLVMAtomicOrderingSequentiallyConsistent, 0, "");
	LLVMBuildRetVoid(g->e.b);
	lt_llvm_pop_scope(g);
}

/* The locals of the region, or of no region: -1. */
void lt_llvm_bind_locals(struct gen *g, int32_t region)
{
	LLVMTypeRef i8 = LLVMInt8TypeInContext(g->e.c);
	for (int32_t b = 0; b < (int32_t)g->t->buffers.n; b++) {
		struct place *p = &g->place[b];
		if (p->root != b || LT_AT(struct lt_buffer, g->t->buffers, b)->role != LT_LOCAL || p->region != region
			|| p->home == HOME_SHARED)
			continue;
		if (p->home == HOME_STACK) {
			p->base = lt_llvm_local(g, LLVMArrayType(i8, (unsigned)p->bytes));
			LLVMSetAlignment(p->base, 64);
		} else {
			LLVMValueRef by = lt_llvm_i64(g, p->offset);
			p->base = LLVMBuildGEP2(g->e.b, i8, g->own, &by, 1, "");
		}
	}
}
