/* emit.h -- what the files that print LLVM IR share.
 *
 * A value of a kernel program is one of LLVM's: f32 float, f64 double, all others the integer of their width (f16, bf16
 * and bool too), a mask i1; with several lanes a vector of these.  In memory they are the same.
 */
#ifndef LT_LLVM_EMIT_H
#define LT_LLVM_EMIT_H
#include <stdbool.h>
#include <llvm-c/Core.h>
#include "lt/kernel.h"

/* What a printer asks of the processor.  vector_library: the version of glibc, 235 for 2.35, whose libmvec there is; 0:
 * none.  rounds: vectors to whole numbers; halves: f16 to f32 and back; scales: by a power of two;
 * dots: products of bytes, summed by four; vnni: of u8 and i8 in one step. */
struct lt_llvm_machine { uint32_t vector_bytes; int vector_library; bool rounds, halves, scales, dots, vnni; };

struct lt_llvm_emit {                           /* one module */
	LLVMContextRef c;
	LLVMModuleRef m;
	LLVMBuilderRef b;
	uint32_t vector_bytes;          /* of the machine's vectors: 64 for AVX-512 */
	bool vnni;                      /* it adds products of u8 and i8 by four */
};

/* type.c: types, constants, lanes. */
LLVMTypeRef lt_llvm_type(struct lt_llvm_emit *, uint32_t dtype, uint32_t lanes);        /* LT_LANE_MASK, too */
uint32_t lt_llvm_bytes(uint32_t dtype);
bool lt_llvm_has_no_sign(uint32_t dtype);                                       /* unsigned, bool, a mask */
bool lt_llvm_is_real(uint32_t dtype);                                           /* f32 or f64 */
LLVMValueRef lt_llvm_splat(struct lt_llvm_emit *, LLVMValueRef, uint32_t lanes);
/* Typed bits, and numbers, in all lanes. */
LLVMValueRef lt_llvm_immediate(struct lt_llvm_emit *, uint32_t dtype, uint64_t bits, uint32_t lanes);
LLVMValueRef lt_llvm_whole(struct lt_llvm_emit *, uint32_t dtype, int64_t, uint32_t lanes);
LLVMValueRef lt_llvm_i64(struct lt_llvm_emit *, int64_t);
LLVMValueRef lt_llvm_i32(struct lt_llvm_emit *, uint32_t);
/* Lane numbers of the vectors a and b, one behind the other; b NULL: a's only.  One lane is a scalar. */
LLVMValueRef lt_llvm_lanes(struct lt_llvm_emit *, LLVMValueRef a, LLVMValueRef b, const int64_t *number, uint32_t n);
/* The call of an intrinsic by its name without types ("llvm.sqrt"), and the types that its name varies in. */
LLVMValueRef lt_llvm_intrinsic(
	struct lt_llvm_emit *, const char *name, LLVMTypeRef const *types, unsigned n_type, LLVMValueRef const *in,
	unsigned n);
/* function.c: operators that this machine has beyond what each must have, as lt_llvm_operators says; `each` of those
 * that it has for one lane.  dtype: of the value. */
LLVMValueRef lt_llvm_function(
	struct lt_llvm_emit *, uint32_t opcode, uint32_t dtype, LLVMValueRef const *in, uint32_t lanes);
/* `n` lanes of a vector from lane `first` on; lanes of `part`, `n` of them, to those of r from `first` on. */
LLVMValueRef lt_llvm_cut(struct lt_llvm_emit *, LLVMValueRef, uint32_t lanes, uint32_t first, uint32_t n);
LLVMValueRef lt_llvm_paste(
	struct lt_llvm_emit *, LLVMValueRef r, LLVMValueRef part, uint32_t n, uint32_t first, uint32_t lanes);
/* dot.c: in[2] and, to each of its lanes, four products of bytes; dtype: theirs, i8 or u8. */
LLVMValueRef lt_llvm_dot(struct lt_llvm_emit *, uint32_t dtype, LLVMValueRef const in[3], uint32_t lanes);
LLVMValueRef lt_llvm_each(
	struct lt_llvm_emit *, uint32_t opcode, uint32_t dtype, LLVMValueRef const *in, uint32_t lanes);
/* Rows for lt_machine.operators; how many. */
enum { LT_LLVM_OPERATORS = 24 };
uint32_t lt_llvm_operators(const struct lt_llvm_machine *, struct lt_machine_operator rows[LT_LLVM_OPERATORS]);
#endif
