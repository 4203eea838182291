/* examples/plugin/llvm/emit.h -- what the files that emit LLVM IR share.
 *
 * Values.   A value of dtype D stands in registers as
 *             f32 float, f64 double, i8 u8 i16 i32 i64 as the integer of that width,
 *             f16 and bf16 as their bits, an i16: no operator but cast computes on them, and moves leave every bit as
 *             it is, bool as i1.
 *           With lanes > 1 it is a vector of `lanes` of these.  In memory bool is an i8, 0 or 1; all others are the
 *           same.
 * Builder.  Everything is emitted where e->b stands; ops may make blocks of their own and leave e->b in the last of
 * them. Failure.  Nothing here fails: accept.c has asked before whether all that a tree names is known.
 */
#ifndef LT_LLVM_EMIT_H
#define LT_LLVM_EMIT_H
#include <stdbool.h>
#include <llvm-c/Core.h>
#include "lt/tree.h"

struct emit {                           /* one module */
	LLVMContextRef c;
	LLVMModuleRef m;
	LLVMBuilderRef b;
	uint32_t vector_bytes;          /* of the machine's vectors: 64 for AVX-512 */
	/* glibc's version of libmvec, 235 for 2.35; 0: not there.  Its symbols are found when it is linked */
	int vector_library;
};

/* ops.c: operators, conversions, immediates.  lanes 1: scalars.
 * in[]: values of dtypes op->in[0 .. arity-1]; of a reduction in[0] is what has been reduced so far.  Gives a value of
 * op->out. */
LLVMValueRef lt_llvm_op(struct emit *, const struct lt_op *, LLVMValueRef const *in, uint32_t lanes);
/* Why lt_llvm_op does not know the operator (a sentence without a full stop, static text); NULL: it does. */
const char *lt_llvm_op_refuses(const struct lt_op *);
/* A value of another dtype, as the operator cast makes it. */
LLVMValueRef lt_llvm_convert(struct emit *, uint32_t from, uint32_t to, LLVMValueRef, uint32_t lanes);
/* Typed bits, as in struct lt_piece and the identity of struct lt_op, in all lanes. */
LLVMValueRef lt_llvm_immediate(struct emit *, uint32_t dtype, uint64_t bits, uint32_t lanes);
/* All lanes of a vector reduced to one scalar by op (op->arity 2, all of one dtype), in a tree: halves onto halves. */
LLVMValueRef lt_llvm_fold(struct emit *, const struct lt_op *, LLVMValueRef, uint32_t lanes);
/* convert.c: the call of an intrinsic by its name without types ("llvm.sqrt"), and the types that its name varies
 * in. */
LLVMValueRef lt_llvm_intrinsic(
	struct emit *, const char *name, LLVMTypeRef const *types, unsigned n_type, LLVMValueRef const *in, unsigned n);
/* What memory holds to a value and back; only bool changes. */
LLVMValueRef lt_llvm_from_storage(struct emit *, uint32_t dtype, LLVMValueRef, uint32_t lanes);
LLVMValueRef lt_llvm_to_storage(struct emit *, uint32_t dtype, LLVMValueRef, uint32_t lanes);
/* The types of a value, and of it in memory; bytes in memory. */
LLVMTypeRef lt_llvm_type(struct emit *, uint32_t dtype, uint32_t lanes);
LLVMTypeRef lt_llvm_storage_type(struct emit *, uint32_t dtype, uint32_t lanes);
uint32_t lt_llvm_bytes(uint32_t dtype);
/* The value in all lanes. */
LLVMValueRef lt_llvm_splat(struct emit *, LLVMValueRef, uint32_t lanes);
#endif
