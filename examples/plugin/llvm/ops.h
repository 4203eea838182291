/* examples/plugin/llvm/ops.h -- what the files that emit operators share: ops.c, convert.c, math.c. */
#ifndef LT_LLVM_OPS_H
#define LT_LLVM_OPS_H
#include "emit.h"

/* The type of the operands of one operator. */
struct shape { uint32_t dtype, lanes; LLVMTypeRef type; };

/* convert.c: constants in all lanes, by value. */
LLVMValueRef lt_llvm_real(struct emit *, uint32_t dtype, double, uint32_t lanes);
LLVMValueRef lt_llvm_whole(struct emit *, uint32_t dtype, int64_t, uint32_t lanes);

/* math.c: a function of the C library ("exp", "fmod"; without the f), or "sigmoid". */
LLVMValueRef lt_llvm_function(
	struct emit *, const struct shape *, const char *name, LLVMValueRef const *in, unsigned n);
#endif
