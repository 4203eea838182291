/* print.h -- a kernel program as a module of LLVM IR: what the files of one walk share.
 *
 *   print.c     the module, a function for each region: uses
 *   step.c      one instruction: blocks, variables, values; it uses
 *   launch.c    what functions are given; launches
 *   memory.c    loads, stores, prefetches, faults
 *   address.c   where they go
 *   symbols.c   lines of the program's text
 *   printing.c  the state that all of them share
 */
#ifndef LT_LLVM_PRINT_H
#define LT_LLVM_PRINT_H
#include "emit.h"
#include "machine.h"
#include "lt/backend.h"

/* A loop, an if or an else that has not ended. */
struct opened { int32_t at; LLVMBasicBlockRef before, head, next; LLVMValueRef number; };

/* from + bytes * the value of an instruction is `to`. */
struct lt_llvm_step { LLVMValueRef from, to; int32_t value; int64_t bytes; };

struct printing {
	struct lt_llvm_emit e;
	const struct lt_kernel *k;
	LLVMValueRef *value;            /* by instruction */
	LLVMValueRef *variable;         /* allocas of the function in hand */
	LLVMValueRef *base;             /* by buffer: its address there, or NULL */
	LLVMValueRef *param;
	bool *uses_buffer, *uses_param; /* by region, then by number */
	bool *has_loops;                /* by instruction: a loop with loops in it */
	struct lt_llvm_step *steps;     /* of addresses in the function in hand: address.c */
	uint32_t n_step;
	struct opened *open;
	int32_t n_open;
	LLVMValueRef *argument;         /* those that the team in hand was given */
	LLVMValueRef fn, mark;          /* the function; its allocas stand before the mark */
	LLVMValueRef fault, own, call, host, n_thread, first, last;
	bool faults;                    /* any region has */
	bool streams;                   /* the function has stores past the caches */
	/* by region: function(arg, first, last, thread), the type of arg; an instruction that launches it */
	struct printed_team { LLVMValueRef body; LLVMTypeRef arg; int32_t launch; } *team;
	/* what is handed to a function: its types, where its values are kept; values of a call */
	struct lt_llvm_handed { LLVMValueRef *to; int64_t buffer; } *handed;
	LLVMTypeRef *handed_type;
	LLVMValueRef *in;
	unsigned n_handed;
	void *memory;
	struct lt_llvm_lines *lines;    /* NULL: instructions have none */
};

static inline bool uses_buffer(const struct printing *p, int32_t region, uint32_t b)
{
	return p->uses_buffer[(size_t)region * p->k->n_buffer + b];
}
static inline bool uses_param(const struct printing *p, int32_t region, uint32_t i)
{
	return p->uses_param[(size_t)region * p->k->n_param + i];
}

/* NULL: it has none of that number. */
static inline LLVMValueRef printing_operand(const struct printing *p, const struct lt_instruction *x, int i)
{
	return x->operand[i] < 0 ? NULL : p->value[x->operand[i]];
}

/* printing.c: the state; memory of the function in hand, a block of it, an attribute (parameter: from 1 on; 0: of the
 * function itself); whether a lane of a mask is on, whether all are. */
bool lt_llvm_reserve(struct printing *);                        /* all that has a size of its own; false: no memory */
LLVMValueRef lt_llvm_local(struct printing *, LLVMTypeRef);
LLVMBasicBlockRef lt_llvm_block(struct printing *, const char *name);
void lt_llvm_attribute(struct printing *, LLVMValueRef f, unsigned parameter, const char *name, uint64_t number);
LLVMValueRef lt_llvm_any(struct printing *, LLVMValueRef mask, uint32_t lanes);
LLVMValueRef lt_llvm_all(struct printing *, LLVMValueRef mask, uint32_t lanes);
/* symbols.c: lines of the program's text for what is printed; each does nothing where there are none. */
void lt_llvm_lines_begin(struct printing *, const char *folder);
void lt_llvm_lines_region(struct printing *, int32_t region);   /* of the function in hand */
void lt_llvm_lines_at(struct printing *, int32_t instruction);
void lt_llvm_lines_leave(struct printing *);                    /* the region has ended */
void lt_llvm_lines_end(struct printing *);
/* address.c: base + bytes * (index + number); index: an instruction, -1: none. */
LLVMValueRef lt_llvm_address(struct printing *, LLVMValueRef base, int32_t index, int64_t number, uint32_t bytes);
void lt_llvm_addresses_end(struct printing *, const struct opened *);
/* memory.c */
LLVMValueRef lt_llvm_print_load(struct printing *, const struct lt_instruction *);
void lt_llvm_print_store(struct printing *, const struct lt_instruction *);
void lt_llvm_print_prefetch(struct printing *, const struct lt_instruction *);
void lt_llvm_print_fault(struct printing *, const struct lt_instruction *);
/* launch.c: what a function is given is listed in `handed`: a value (buffer -1: it is no buffer), the buffers that a
 * region uses (threads: those of a thread's part, or all others), the fault; all that a launch hands to a team. */
void lt_llvm_hand(struct printing *, LLVMTypeRef, LLVMValueRef *to, int64_t buffer);
void lt_llvm_hand_buffers(struct printing *, int32_t region, bool threads);
void lt_llvm_hand_fault(struct printing *);
void lt_llvm_hand_members(struct printing *, int32_t region);
LLVMValueRef lt_llvm_member(struct printing *, LLVMTypeRef, LLVMValueRef at, unsigned i);      /* its address */
void lt_llvm_print_launch(struct printing *, const struct lt_instruction *);
/* step.c */
void lt_llvm_print_step(struct printing *, int32_t instruction);
/* print.c: NULL: no memory.  The module belongs to the context and the caller.  symbols: the folder where the program's
 * text is, whose lines instructions get; NULL: they get none. */
LLVMModuleRef lt_llvm_module(
	const struct lt_kernel *, const struct lt_llvm_machine *, LLVMContextRef, const char *symbols);
#endif
