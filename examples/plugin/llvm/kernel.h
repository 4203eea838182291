/* examples/plugin/llvm/kernel.h -- a tree as a module of LLVM IR. */
#ifndef LT_LLVM_KERNEL_H
#define LT_LLVM_KERNEL_H
#include <stdbool.h>
#include <llvm-c/Core.h>
#include "lt/tree.h"

/* What code is made for. */
struct lt_llvm_machine { uint32_t vector_bytes; int vector_library; };
/* Workspace of the object and of each thread, in bytes; whether it has parallel loops, and vectors. */
struct lt_llvm_need { int64_t shared, own; bool parallel, vectors; };

struct lt_host;
typedef void lt_llvm_body_fn(void *arg, int64_t first, int64_t last, uint32_t thread);
typedef void lt_llvm_call_fn(const struct lt_host *, uint32_t n_thread, int64_t n, lt_llvm_body_fn *, void *arg);
struct lt_fault;
/* The function lt_kernel of the module; slot: the address of each. */
typedef void lt_llvm_kernel_fn(void *const *slot, void *workspace, struct lt_fault *, lt_llvm_call_fn *,
	const struct lt_host *, uint32_t n_thread);

/* NULL: no memory.  The module belongs to the context and the caller. */
LLVMModuleRef lt_llvm_module(
	const struct lt_tree *, const struct lt_llvm_machine *, LLVMContextRef, struct lt_llvm_need *);
#endif
