/* launch.c -- what a region's function is given, and a launch, which hands it over. */
#include "print.h"

void lt_llvm_hand(struct printing *p, LLVMTypeRef type, LLVMValueRef *to, int64_t buffer)
{
	p->handed_type[p->n_handed] = type;
	p->handed[p->n_handed++] = (struct lt_llvm_handed){ to, buffer };
}

void lt_llvm_hand_buffers(struct printing *p, int32_t region, bool threads)
{
	for (uint32_t b = 0; b < p->k->n_buffer; b++)
		if (uses_buffer(p, region, b) && (p->k->buffers[b].space == LT_SPACE_THREAD) == threads)
			lt_llvm_hand(p, LLVMPointerTypeInContext(p->e.c, 0), &p->base[b], b);
}

void lt_llvm_hand_fault(struct printing *p)
{
	if (p->faults)
		lt_llvm_hand(p, LLVMPointerTypeInContext(p->e.c, 0), &p->fault, -1);
}

void lt_llvm_hand_members(struct printing *p, int32_t region)
{
	const struct lt_instruction *launch = &p->k->instructions[p->team[region].launch];
	p->n_handed = 0;
	lt_llvm_hand_buffers(p, region, false);
	for (uint32_t i = 0; i < p->k->n_param; i++)
		if (uses_param(p, region, i))
			lt_llvm_hand(p, LLVMInt64TypeInContext(p->e.c), &p->param[i], -1);
	for (int32_t a = 0; a < launch->n_extra; a++) {
		const struct lt_instruction *x = &p->k->instructions[p->k->extras[launch->first_extra + a]];
		lt_llvm_hand(p, lt_llvm_type(&p->e, x->dtype, x->lanes), &p->argument[a], -1);
	}
	lt_llvm_hand_fault(p);
	lt_llvm_hand(p, LLVMPointerTypeInContext(p->e.c, 0), &p->own, -1);
}

LLVMValueRef lt_llvm_member(struct printing *p, LLVMTypeRef type, LLVMValueRef at, unsigned i)
{
	return LLVMBuildStructGEP2(p->e.b, type, at, i, "");
}

/* Whether the host's region has stores past the caches, maybe in an earlier iteration than a launch. */
static bool host_streams(const struct lt_kernel *k)
{
	for (int32_t i = k->regions[0].first; i < k->regions[0].first + k->regions[0].n; i++)
		if (k->instructions[i].opcode == LT_OPCODE_store && k->instructions[i].flags & LT_INSTRUCTION_STREAM)
			return true;
	return false;
}

void lt_llvm_print_launch(struct printing *p, const struct lt_instruction *x)
{
	if (host_streams(p->k))
		(void)LLVMBuildFence(p->e.b, LLVMAtomicOrderingSequentiallyConsistent, 0, "");
	LLVMContextRef c = p->e.c;
	LLVMBuilderRef b = p->e.b;
	LLVMTypeRef ptr = LLVMPointerTypeInContext(c, 0), arg = p->team[x->what].arg;
	for (int32_t a = 0; a < x->n_extra; a++)
		p->argument[a] = p->value[p->k->extras[x->first_extra + a]];
	lt_llvm_hand_members(p, x->what);
	LLVMValueRef at = lt_llvm_local(p, arg);
	for (unsigned i = 0; i < p->n_handed; i++)
		LLVMBuildStore(b, *p->handed[i].to, lt_llvm_member(p, arg, at, i));
	LLVMTypeRef type[5] = { ptr, LLVMInt32TypeInContext(c), LLVMInt64TypeInContext(c), ptr, ptr };
	LLVMValueRef in[5] = { p->host, p->n_thread, p->value[x->operand[0]], p->team[x->what].body, at };
	(void)LLVMBuildCall2(b, LLVMFunctionType(LLVMVoidTypeInContext(c), type, 5, 0), p->call, in, 5, "");
}
