/* printing.c -- the state of a walk over a kernel program, and what all that print into the function in hand use: its
 * memory, blocks, attributes, tests of masks. */
#include <stdlib.h>
#include <string.h>
#include "print.h"

/* All that has a size of its own: parts of one piece of memory. */
bool lt_llvm_reserve(struct printing *p)
{
	const struct lt_kernel *k = p->k;
	size_t most = 0;
	for (uint32_t r = 0; r < k->n_region; r++)
		most = (size_t)k->regions[r].n_argument > most ? (size_t)k->regions[r].n_argument : most;
	size_t handed = k->n_buffer + k->n_param + most + 8;
	struct { void *to; size_t n, bytes; } parts[] = {
		{ &p->value, k->n_instruction, sizeof *p->value }, { &p->variable, k->n_variable, sizeof *p->variable },
		{ &p->base, k->n_buffer, sizeof *p->base }, { &p->param, k->n_param, sizeof *p->param },
		{ &p->argument, most, sizeof *p->argument }, { &p->in, handed, sizeof *p->in },
		{ &p->handed, handed, sizeof *p->handed }, { &p->handed_type, handed, sizeof *p->handed_type },
		{ &p->open, LT_MAX_BLOCKS, sizeof *p->open }, { &p->team, k->n_region, sizeof *p->team },
		{ &p->steps, k->n_instruction, sizeof *p->steps },
		{ &p->uses_buffer, (size_t)k->n_region * k->n_buffer, 1 },
		{ &p->uses_param, (size_t)k->n_region * k->n_param, 1 }, { &p->has_loops, k->n_instruction, 1 },
	};
	size_t n_part = sizeof parts / sizeof *parts, sum = 0;
	for (size_t i = 0; i < n_part; i++)
		sum += parts[i].n * parts[i].bytes;
	char *at = p->memory = calloc(sum + 1, 1);
	for (size_t i = 0; at && i < n_part; i++) {
		memcpy(parts[i].to, &at, sizeof at);
		at += parts[i].n * parts[i].bytes;
	}
	return p->memory;
}

LLVMBasicBlockRef lt_llvm_block(struct printing *p, const char *name)
{
	return LLVMAppendBasicBlockInContext(p->e.c, p->fn, name);
}

LLVMValueRef lt_llvm_local(struct printing *p, LLVMTypeRef type)
{
	LLVMBasicBlockRef here = LLVMGetInsertBlock(p->e.b);
	LLVMPositionBuilderBefore(p->e.b, p->mark);
	LLVMValueRef v = LLVMBuildAlloca(p->e.b, type, "");
	LLVMPositionBuilderAtEnd(p->e.b, here);
	return v;
}

/* parameter: from 1 on; 0: of the function itself. */
void lt_llvm_attribute(struct printing *p, LLVMValueRef f, unsigned parameter, const char *name, uint64_t number)
{
	unsigned at = parameter ? parameter : (unsigned)LLVMAttributeFunctionIndex;
	LLVMAddAttributeAtIndex(
		f, at, LLVMCreateEnumAttribute(p->e.c, LLVMGetEnumAttributeKindForName(name, strlen(name)), number));
}

/* Whether the lanes' bits, as one number, are `how` to none or all of them. */
static LLVMValueRef mask_is(struct printing *p, LLVMValueRef mask, uint32_t lanes, LLVMIntPredicate how,
	LLVMValueRef (*to)(LLVMTypeRef))
{
	if (lanes == 1)
		return mask;
	LLVMTypeRef bits = LLVMIntTypeInContext(p->e.c, lanes);
	return LLVMBuildICmp(p->e.b, how, LLVMBuildBitCast(p->e.b, mask, bits, ""), to(bits), "");
}

LLVMValueRef lt_llvm_any(struct printing *p, LLVMValueRef mask, uint32_t lanes)
{
	return mask_is(p, mask, lanes, LLVMIntNE, LLVMConstNull);
}

LLVMValueRef lt_llvm_all(struct printing *p, LLVMValueRef mask, uint32_t lanes)
{
	return mask_is(p, mask, lanes, LLVMIntEQ, LLVMConstAllOnes);
}
