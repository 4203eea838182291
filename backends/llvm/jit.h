/* jit.h -- from a module to a function that can be called. */
#ifndef LT_LLVM_JIT_H
#define LT_LLVM_JIT_H
#include <stdbool.h>
#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>
#include "lt/backend.h"

typedef void lt_llvm_body_fn(void *arg, int64_t first, int64_t last, uint32_t thread);
typedef void lt_llvm_call_fn(const struct lt_host *, uint32_t n_thread, int64_t n, lt_llvm_body_fn *, void *arg);
/* The function lt_kernel of a module; slot: the address of each. */
typedef void lt_llvm_kernel_fn(void *const *slot, void *workspace, struct lt_fault *, lt_llvm_call_fn *,
	const struct lt_host *, uint32_t n_thread);

struct lt_llvm_jit;                     /* what is linked in this process */
struct lt_llvm_code;                    /* one object file in it          */

lt_status lt_llvm_jit_open(struct lt_llvm_jit **, struct lt_diag *);
void lt_llvm_jit_close(struct lt_llvm_jit *);

/* The passes; the module is verified before them where `verify`.  only_scalars: vectors may be made of them.  why: a
 * message of LLVM's if it fails, LLVMDisposeMessage. */
bool lt_llvm_optimise(LLVMModuleRef, LLVMTargetMachineRef, bool only_scalars, bool verify, char **why);

/* Takes the object file's bytes, whatever happens; links them and finds lt_kernel. */
lt_status lt_llvm_link(struct lt_llvm_jit *, LLVMMemoryBufferRef, const char *name, struct lt_llvm_code **,
	lt_llvm_kernel_fn **, struct lt_diag *);
void lt_llvm_unlink(struct lt_llvm_code *);
#endif
