/* examples/plugin/llvm/machine.h -- the machine this runs on, as LLVM names it and as a default tree asks of it. */
#ifndef LT_LLVM_MACHINE_H
#define LT_LLVM_MACHINE_H
#include <llvm-c/TargetMachine.h>
#include "kernel.h"
#include "lt/target.h"

struct lt_llvm_host {
	char *triple, *cpu, *features;  /* of LLVM: LLVMDisposeMessage */
	char name[64];                  /* "llvm:znver4" */
	struct lt_target target;
	struct lt_llvm_machine machine;
};

/* false: LLVM cannot make code for this machine. */
bool lt_llvm_host_open(struct lt_llvm_host *);
void lt_llvm_host_close(struct lt_llvm_host *);
/* level 0..3.  Not shared by threads; LLVMDisposeTargetMachine. */
LLVMTargetMachineRef lt_llvm_target_machine(const struct lt_llvm_host *, int level);
uint32_t lt_llvm_cores(void);
#endif
