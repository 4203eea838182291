/* print.c -- the functions of a module: one for each region, and those that unpack what they are given.
 *
 *   lt_kernel(slots, workspace, fault, call, host, n_thread)    what run.c calls; it calls
 *   kernel(buffers ..., fault, own, call, host, n_thread)       the host region; none where that does no more than
 *                                                               launch: then lt_kernel is it
 *   bodyN(arg, first, last, thread)                             what host->parallel_for calls, on any thread; it calls
 *   teamN(buffers ..., params ..., arguments ..., fault, first, last)   region N
 *
 * Regions are functions of their own, because `noalias` is said of parameters.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "print.h"

static void function_word(struct printing *p, const char *key, const char *value)
{
	LLVMAddAttributeAtIndex(p->fn, (unsigned)LLVMAttributeFunctionIndex,
		LLVMCreateStringAttribute(p->e.c, key, (unsigned)strlen(key), value, (unsigned)strlen(value)));
}

static void begin_function(struct printing *p, const char *name, LLVMTypeRef *parameter, unsigned n)
{
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(p->e.c), parameter, n, 0);
	p->fn = LLVMAddFunction(p->e.m, name, type);
	LLVMSetLinkage(p->fn, LLVMInternalLinkage);
	lt_llvm_attribute(p, p->fn, 0, "nounwind", 0);
	lt_llvm_attribute(p, p->fn, 0, "noinline", 0);
	function_word(p, "prefer-vector-width", "512");
	function_word(p, "min-legal-vector-width", "512");
	LLVMPositionBuilderAtEnd(p->e.b, lt_llvm_block(p, "entry"));
	LLVMBasicBlockRef start = lt_llvm_block(p, "start");
	p->mark = LLVMBuildBr(p->e.b, start);
	LLVMPositionBuilderAtEnd(p->e.b, start);
	p->streams = false;
}

/* The function in hand is run once a launch, and only passes on what it was given: translating it as it stands takes a
 * third of the time, and what a launch takes is not that. */
static void leave_as_it_is(struct printing *p)
{
	lt_llvm_attribute(p, p->fn, 0, "optnone", 0);
}

/* What went past the caches is there for other threads only behind a fence: at the end, and before a launch. */
static void end_function(struct printing *p)
{
	if (p->streams)
		(void)LLVMBuildFence(p->e.b, LLVMAtomicOrderingSequentiallyConsistent, 0, "");
	LLVMBuildRetVoid(p->e.b);
}

static LLVMValueRef byte_offset(struct printing *p, LLVMValueRef at, LLVMValueRef bytes)
{
	return LLVMBuildGEP2(p->e.b, LLVMInt8TypeInContext(p->e.c), at, &bytes, 1, "");
}

/* Allocas of what lives in the region. */
static void begin_locals(struct printing *p, const struct lt_region *r)
{
	memset(p->variable, 0, p->k->n_variable * sizeof *p->variable);
	for (int32_t i = r->first; i < r->first + r->n; i++) {
		const struct lt_instruction *x = &p->k->instructions[i];
		if (x->opcode == LT_OPCODE_variable && !p->variable[x->what]) {
			const struct lt_variable *v = &p->k->variables[x->what];
			p->variable[x->what] = lt_llvm_local(p, lt_llvm_type(&p->e, v->dtype, v->lanes));
		} else if (x->opcode == LT_OPCODE_array && !p->base[x->what]) {
			const struct lt_kernel_buffer *b = &p->k->buffers[x->what];
			LLVMTypeRef type = LLVMArrayType(lt_llvm_type(&p->e, b->dtype, 1), (unsigned)b->elems);
			p->base[x->what] = lt_llvm_local(p, type);
			LLVMSetAlignment(p->base[x->what], (unsigned)b->align);
		}
	}
}

static void print_region(struct printing *p, int32_t region)
{
	const struct lt_region *r = &p->k->regions[region];
	begin_locals(p, r);
	lt_llvm_lines_region(p, region);
	p->n_open = 0;
	p->n_step = 0;
	for (int32_t i = r->first; i < r->first + r->n; i++) {
		lt_llvm_lines_at(p, i);
		lt_llvm_print_step(p, i);
	}
	end_function(p);
	lt_llvm_lines_leave(p);
}

static void take_parameters(struct printing *p, const char *name)
{
	begin_function(p, name, p->handed_type, p->n_handed);
	memset(p->base, 0, p->k->n_buffer * sizeof *p->base);
	for (unsigned i = 0; i < p->n_handed; i++) {
		LLVMValueRef v = *p->handed[i].to = LLVMGetParam(p->fn, i);
		if (p->handed[i].buffer < 0)
			continue;
		const struct lt_kernel_buffer *b = &p->k->buffers[p->handed[i].buffer];
		LLVMSetValueName2(v, b->name, strlen(b->name));
		lt_llvm_attribute(p, p->fn, i + 1, "align", (uint64_t)b->align);
		if (b->exclusive)
			lt_llvm_attribute(p, p->fn, i + 1, "noalias", 0);
	}
}

/* bodyN: takes what teamN needs out of arg, and finds the thread's part of the workspace. */
static void print_body(struct printing *p, int32_t region, LLVMValueRef inner, unsigned n_member, LLVMValueRef *in)
{
	LLVMContextRef c = p->e.c;
	LLVMBuilderRef b = p->e.b;
	LLVMTypeRef i32 = LLVMInt32TypeInContext(c), i64 = LLVMInt64TypeInContext(c), arg = p->team[region].arg,
		    type[4] = { LLVMPointerTypeInContext(c, 0), i64, i64, i32 };
	char name[32];
	(void)snprintf(name, sizeof name, "body%d", (int)region);
	begin_function(p, name, type, 4);
	leave_as_it_is(p);
	for (unsigned i = 0; i < n_member; i++)
		in[i] = LLVMBuildLoad2(b, p->handed_type[i], lt_llvm_member(p, arg, LLVMGetParam(p->fn, 0), i), "");
	LLVMValueRef thread = LLVMBuildZExt(b, LLVMGetParam(p->fn, 3), i64, "");
	LLVMValueRef own = byte_offset(p, in[n_member - 1],
		LLVMBuildMul(b, thread, lt_llvm_i64(&p->e, p->k->thread_bytes), ""));
	unsigned n = n_member;
	for (; n < p->n_handed - 2; n++)
		in[n] = byte_offset(p, own, lt_llvm_i64(&p->e, p->k->buffers[p->handed[n].buffer].offset));
	in[n++] = LLVMGetParam(p->fn, 1);
	in[n++] = LLVMGetParam(p->fn, 2);
	(void)LLVMBuildCall2(b, LLVMGlobalGetValueType(inner), inner, in, n, "");
	end_function(p);
	p->team[region].body = p->fn;
}

static void print_team(struct printing *p, int32_t region)
{
	LLVMTypeRef i64 = LLVMInt64TypeInContext(p->e.c);
	char name[32];
	lt_llvm_hand_members(p, region);
	unsigned n_member = p->n_handed;
	p->team[region].arg = LLVMStructTypeInContext(p->e.c, p->handed_type, n_member, 0);
	lt_llvm_hand_buffers(p, region, true);
	lt_llvm_hand(p, i64, &p->first, -1);
	lt_llvm_hand(p, i64, &p->last, -1);
	(void)snprintf(name, sizeof name, "team%d", (int)region);
	take_parameters(p, name);
	LLVMValueRef f = p->fn;
	print_region(p, region);
	print_body(p, region, f, n_member, p->in);
}

/* Run-time scalars are read once. */
static void print_params(struct printing *p)
{
	LLVMTypeRef i64 = LLVMInt64TypeInContext(p->e.c);
	for (uint32_t i = 0; i < p->k->n_param; i++) {
		const struct lt_kernel_param *x = &p->k->params[i];
		if (!uses_param(p, 0, i))
			continue;
		LLVMValueRef at = byte_offset(p, p->base[x->buffer], lt_llvm_i64(&p->e, 8 * x->element));
		p->param[i] = LLVMBuildLoad2(p->e.b, i64, at, x->name ? x->name : "");
	}
}

/* What the host's region is given. */
static void hand_host(struct printing *p)
{
	LLVMTypeRef ptr = LLVMPointerTypeInContext(p->e.c, 0);
	p->n_handed = 0;
	lt_llvm_hand_buffers(p, 0, false);
	lt_llvm_hand_fault(p);
	if (p->k->n_region > 1) {
		lt_llvm_hand(p, ptr, &p->own, -1);
		lt_llvm_hand(p, ptr, &p->call, -1);
		lt_llvm_hand(p, ptr, &p->host, -1);
		lt_llvm_hand(p, LLVMInt32TypeInContext(p->e.c), &p->n_thread, -1);
	}
}

static LLVMValueRef print_host(struct printing *p)
{
	hand_host(p);
	take_parameters(p, "kernel");
	LLVMValueRef f = p->fn;
	print_params(p);
	print_region(p, 0);
	return f;
}

/* Whether the host's region does nothing with memory but launch: then nobody asks what is `noalias` in it. */
static bool only_launches(const struct printing *p)
{
	const struct lt_region *host = &p->k->regions[0];
	for (int32_t i = host->first; i < host->first + host->n; i++)
		switch (p->k->instructions[i].opcode) {
		case LT_OPCODE_launch:
		case LT_OPCODE_param:
		case LT_OPCODE_const: break;
		default: return false;
		}
	return p->k->n_region > 1;
}

/* lt_kernel's parameters become what a region's function is given. */
static void unpack_parameters(struct printing *p)
{
	LLVMTypeRef ptr = LLVMPointerTypeInContext(p->e.c, 0);
	LLVMTypeRef six[6] = { ptr, ptr, ptr, ptr, ptr, LLVMInt32TypeInContext(p->e.c) };
	begin_function(p, "lt_kernel", six, 6);
	LLVMSetLinkage(p->fn, LLVMExternalLinkage);
	LLVMValueRef slots = LLVMGetParam(p->fn, 0), workspace = LLVMGetParam(p->fn, 1);
	memset(p->base, 0, p->k->n_buffer * sizeof *p->base);
	for (uint32_t i = 0; i < p->k->n_buffer; i++) {
		const struct lt_kernel_buffer *b = &p->k->buffers[i];
		if (!uses_buffer(p, 0, i))
			continue;
		p->base[i] = b->space == LT_SPACE_SLOT
			? LLVMBuildLoad2(p->e.b, ptr, byte_offset(p, slots, lt_llvm_i64(&p->e, 8 * (int64_t)b->slot)), "")
			: byte_offset(p, workspace, lt_llvm_i64(&p->e, b->offset));
	}
	p->fault = LLVMGetParam(p->fn, 2);
	if (p->k->n_region > 1)
		p->own = byte_offset(p, workspace, lt_llvm_i64(&p->e, p->k->workspace_bytes));
	p->call = LLVMGetParam(p->fn, 3);
	p->host = LLVMGetParam(p->fn, 4);
	p->n_thread = LLVMGetParam(p->fn, 5);
}

/* Hands over no more than what is needed: a small kernel takes less time than arguments in memory, and a call where a
 * jump would do. */
static void print_entry(struct printing *p, LLVMValueRef inner)
{
	unpack_parameters(p);
	hand_host(p);
	for (unsigned i = 0; i < p->n_handed; i++)
		p->in[i] = *p->handed[i].to;
	LLVMSetTailCall(LLVMBuildCall2(p->e.b, LLVMGlobalGetValueType(inner), inner, p->in, p->n_handed, ""), 1);
	end_function(p);
}

/* lt_kernel is the host's region itself where it can be: each function takes time to compile, however short it is.
 * With lines of its text the region has a function of its name. */
static void print_main(struct printing *p)
{
	if (p->lines || !only_launches(p)) {
		print_entry(p, print_host(p));
		return;
	}
	unpack_parameters(p);
	leave_as_it_is(p);
	print_params(p);
	print_region(p, 0);
}

/* Which buffers and params a region needs; the host's those of all teams, too; whether any has faults. */
static void find_uses(struct printing *p)
{
	const struct lt_kernel *k = p->k;
	for (int32_t r = (int32_t)k->n_region; r-- > 0; )
		for (int32_t i = k->regions[r].first; i < k->regions[r].first + k->regions[r].n; i++) {
			const struct lt_instruction *x = &k->instructions[i];
			if (x->opcode == LT_OPCODE_launch)
				p->team[x->what].launch = i;
			p->faults = p->faults || x->opcode == LT_OPCODE_fault;
			if (x->opcode == LT_OPCODE_param) {
				p->uses_param[(size_t)r * k->n_param + (uint32_t)x->what] = true;
				p->uses_param[x->what] = true;
				p->uses_buffer[k->params[x->what].buffer] = true;
			}
			if ((x->opcode == LT_OPCODE_load || x->opcode == LT_OPCODE_store || x->opcode == LT_OPCODE_prefetch)
				&& k->buffers[x->what].space != LT_SPACE_ARRAY) {
				p->uses_buffer[(size_t)r * k->n_buffer + (uint32_t)x->what] = true;
				p->uses_buffer[x->what] = p->uses_buffer[x->what] || k->buffers[x->what].space != LT_SPACE_THREAD;
			}
		}
}

static void find_loops(struct printing *p)
{
	const struct lt_kernel *k = p->k;
	int32_t open[LT_MAX_BLOCKS], n = 0;
	for (uint32_t i = 0; i < k->n_instruction; i++) {
		uint32_t opcode = k->instructions[i].opcode;
		for (int32_t o = n; opcode == LT_OPCODE_loop && o-- > 0; )
			p->has_loops[open[o]] = true;
		if (opcode == LT_OPCODE_loop || opcode == LT_OPCODE_if)
			open[n++] = (int32_t)i;
		n -= opcode == LT_OPCODE_end;
	}
}

LLVMModuleRef lt_llvm_module(
	const struct lt_kernel *k, const struct lt_llvm_machine *m, LLVMContextRef c, const char *symbols)
{
	struct printing p = { .k = k };
	if (!lt_llvm_reserve(&p))
		return NULL;
	p.e = (struct lt_llvm_emit){ .c = c, .m = LLVMModuleCreateWithNameInContext(k->name, c),
		.b = LLVMCreateBuilderInContext(c), .vector_bytes = m->vector_bytes, .vnni = m->vnni };
	lt_llvm_lines_begin(&p, symbols);
	find_uses(&p);
	find_loops(&p);
	for (uint32_t r = 1; r < k->n_region; r++)
		print_team(&p, (int32_t)r);
	print_main(&p);
	lt_llvm_lines_end(&p);
	LLVMDisposeBuilder(p.e.b);
	free(p.memory);
	return p.e.m;
}
