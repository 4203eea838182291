/* backends/llvm/emit.h -- what the files that print LLVM IR share.
 *
 * A value of a kernel program is one of LLVM's: f32 float, f64 double, all others the integer of their width (f16, bf16
 * and bool too), a mask i1; with several lanes a vector of these.  In memory they are the same.
 */
#ifndef LT_LLVM_EMIT_H
#define LT_LLVM_EMIT_H
#include <stdbool.h>
#include <llvm-c/Core.h>
#include "lt/kernel.h"

struct emit {                           /* one module */
	LLVMContextRef c;
	LLVMModuleRef m;
	LLVMBuilderRef b;
	uint32_t vector_bytes;          /* of the machine's vectors: 64 for AVX-512 */
	/* glibc's version of libmvec, 235 for 2.35; 0: not there.  Its symbols are found when it is linked */
	int vector_library;
};
/* The type of the operands of one operator. */
struct shape { uint32_t dtype, lanes; LLVMTypeRef type; };

/* type.c: types, constants, lanes. */
LLVMTypeRef lt_llvm_type(struct emit *, uint32_t dtype, uint32_t lanes);        /* LT_LANE_MASK, too */
uint32_t lt_llvm_bytes(uint32_t dtype);
bool lt_llvm_is_real(uint32_t dtype);                                           /* f32 or f64 */
LLVMValueRef lt_llvm_splat(struct emit *, LLVMValueRef, uint32_t lanes);
/* Typed bits, and numbers, in all lanes. */
LLVMValueRef lt_llvm_immediate(struct emit *, uint32_t dtype, uint64_t bits, uint32_t lanes);
LLVMValueRef lt_llvm_real(struct emit *, uint32_t dtype, double, uint32_t lanes);
LLVMValueRef lt_llvm_whole(struct emit *, uint32_t dtype, int64_t, uint32_t lanes);
LLVMValueRef lt_llvm_i64(struct emit *, int64_t);
LLVMValueRef lt_llvm_i32(struct emit *, uint32_t);
/* Lane numbers of the vectors a and b, one behind the other; b NULL: a's only.  One lane is a scalar. */
LLVMValueRef lt_llvm_lanes(struct emit *, LLVMValueRef a, LLVMValueRef b, const int64_t *number, uint32_t n);
/* The call of an intrinsic by its name without types ("llvm.sqrt"), and the types that its name varies in. */
LLVMValueRef lt_llvm_intrinsic(
	struct emit *, const char *name, LLVMTypeRef const *types, unsigned n_type, LLVMValueRef const *in, unsigned n);
/* convert.c: a value of another dtype, as the operator cast makes it. */
LLVMValueRef lt_llvm_convert(struct emit *, uint32_t from, uint32_t to, LLVMValueRef, uint32_t lanes);
/* ops.c: an operator; dtype: of its last operand. */
LLVMValueRef lt_llvm_op(struct emit *, uint32_t opcode, uint32_t dtype, LLVMValueRef const *in, uint32_t lanes);
/* math.c: a function of the C library ("exp", "fmod"; without the f), or "sigmoid". */
LLVMValueRef lt_llvm_function(
	struct emit *, const struct shape *, const char *name, LLVMValueRef const *in, unsigned n);
#endif
