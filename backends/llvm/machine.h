/* machine.h -- the machine this runs on, as LLVM names it and as a default tree asks of it; code
 * for another one. */
#ifndef LT_LLVM_MACHINE_H
#define LT_LLVM_MACHINE_H
#include <stdbool.h>
#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>
#include "emit.h"
#include "lt/kernel.h"

/* What code is made for: a processor of LLVM's list, and what it has that the one before it in the table has not. */
struct lt_llvm_cpu { const char *name; uint32_t vector_bytes, vector_registers; const char *features[12]; };
struct lt_llvm_host {
	char *triple, *here, *has;      /* this machine, its processor and the features it has, of LLVM: LLVMDisposeMessage */
	const char *cpu, *features;     /* what code is made for */
	char name[64];                  /* "llvm:znver4" */
	struct lt_target target;
	struct lt_llvm_machine machine;
	struct lt_machine lowering;     /* what kernel programs are made for */
	struct lt_machine_operator operators[LT_LLVM_OPERATORS];
};

/* 0: this machine; from 1 on those of the table, each with all that is above it; NULL: no more. */
const struct lt_llvm_cpu *lt_llvm_cpu_at(uint32_t i);
/* The first feature of the cpu that this machine has not, NULL: it runs its code. */
const char *lt_llvm_lacks(const struct lt_llvm_host *, const struct lt_llvm_cpu *);
/* LT_EUNSUPPORTED: LLVM cannot make code for this machine, or it would not run. */
lt_status lt_llvm_host_open(struct lt_llvm_host *, const struct lt_llvm_cpu *, struct lt_diag *);
void lt_llvm_host_close(struct lt_llvm_host *);
/* level 0..3.  Not shared by threads; LLVMDisposeTargetMachine. */
LLVMTargetMachineRef lt_llvm_target_machine(const struct lt_llvm_host *, int level);
#endif
