/* backends/cgen/vector.h -- operators over GNU vectors: their C texts, and the definitions that these use.
 *
 * Types.    A vector type is named after its C type and its lanes: lt_f32x16, lt_f64x8, lt_i8x32, lt_i16x4, lt_i32x8,
 *           lt_i64x8, lt_u8x16 (u8 and bool), lt_u16x16 (f16 and bf16).  Below, T stands for such a name.  Lanes are a
 *           power of two, 2 .. 64; a type has at most LT_VECTOR_BYTES.  T_u is T where it lies in memory, at any
 *           alignment, under any C type:  *(const lt_f32x16_u *)(p + i)  loads,  *(lt_f32x16_u *)(p + i) = v  stores.
 *           A lane is v[i].  bool lanes are 0 or 1, as in memory.
 * Operators. lt__vector_op gives a text over $0 $1 $2, each once at most and each an expression of the operand's vector
 *           type (lt__vector_type of lt_op.in); its value has the vector type of lt_op.out.  It computes what the
 *           scalar text of the operator computes, NaN, infinities, zeros and wrapping included; functions that are not
 *           exact stay within the ulps that docs/accuracy.md gives.  Nothing traps, and no lane's value depends on
 *           another lane, so lanes that are off may hold anything.
 * Helpers   that a kernel may name (E is the C type of a lane):
 *           lt_all_T(x)             every lane x, an E
 *           lt_lane_T()             0, 1, 2 ..: the lane's own number (T of integers)
 *           lt_load_T(p, n)         the first n lanes from const E *p, n <= 0: none; the others are 0, and are not read
 *           lt_store_T(p, v, n)     the first n lanes of v to E *p; the others are not written
 *           lt_blend_T(c, a, b)     a where the bool lane of c (lt_u8x<lanes>) is 1, else b
 *           lt_below_u8x<lanes>(n)  bool lanes: 1 in the first n (int64_t)
 *           Division by, comparison with and sums of affine rows are C's own operators on lt_i64x<lanes>.
 * Folds.    lt__vector_fold: the text of a reduction over the lanes of $0, an E: the upper half is folded onto the
 *           lower until one lane is left, whatever the lanes, the compiler and the processor.
 * Definitions. lt__vector_defs finds the names in a text and appends what defines them, in order and once each, no more
 *           than is used. Definitions use int64_t and the like, LT_FN, functions of the prelude and of math.h: the
 *           result is itself a text that lt__gen_chunks has to look through, and it stands behind what that prints.
 * libmvec.  `library` is what lt__vector_library gave, or 0 to go without.  glibc's libm.so names libmvec as needed, so
 *           -lm links it; the texts choose the width by the compiler's __AVX512F__, __AVX2__ .. and need no flag.
 */
#ifndef LT_CGEN_VECTOR_H
#define LT_CGEN_VECTOR_H
#include "kernel/pool.h"
#include "lt/tree.h"

enum { LT_VECTOR_BYTES = 64 };

/* Version of the running C library where it has vector functions (236 is 2.36); 0: none. */
int lt__vector_library(void);

/* Of an element in memory; 0 and "": no such type.  dtype: enum lt_dtype. */
uint32_t lt__element_bytes(uint32_t dtype);
const char *lt__element_ctype(uint32_t dtype);

/* NULL: no such type. */
const char *lt__vector_type(struct lt_pool *, uint32_t dtype, int lanes);

/* NULL: lane by lane; an operator that is not in the table by its name and source, or one of its vectors would have
 * more than LT_VECTOR_BYTES. */
const char *lt__vector_op(struct lt_pool *, const struct lt_op *, int lanes, int library);

/* The same beside a literal as operand k, where that is less; NULL: it is not. */
const char *lt__vector_beside(struct lt_pool *, const struct lt_op *, int lanes, int k, uint64_t bits);

/* NULL: not an associative operator of one type, or too wide. */
const char *lt__vector_fold(struct lt_pool *, const struct lt_op *, int lanes);

void lt__vector_defs(struct lt_pool *, const char *text, struct lt_out *defs);
#endif
