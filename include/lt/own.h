/* lt/own.h -- a kernel of one's own: what NAME.c defines, and what it is given (docs/own-kernels.md).
 *
 *     #include "lt/own.h"
 *
 *     LT_KERNEL(hard_swish, f32, 0)
 *     {
 *             const float *x = LT_OPERAND(0, float);
 *             float *y = LT_RESULT(0, float);
 *             for (int64_t i = 0; i < own->result[0].elems; i++)
 *                     y[i] = ...
 *     }
 *
 * The function computes what NAME.lt means, of the same operands.  It reads operands, writes each element of each
 * result, and nothing else but its workspace; it keeps nothing from one call to the next, since several threads may
 * run it at once.  It is compiled for each call that a program has: extents are constants then, and loops over them
 * are what a compiler makes of constants.
 */
#ifndef LT_OWN_H
#define LT_OWN_H
#include <stddef.h>
#include <stdint.h>

/* Element types: what own->operand[k].dtype says.  Halves are their bits, in uint16_t; a bool is a byte, 0 or 1. */
enum lt_own_dtype { LT_OWN_F32 = 1, LT_OWN_F64, LT_OWN_F16, LT_OWN_BF16, LT_OWN_I8, LT_OWN_U8, LT_OWN_I16, LT_OWN_I32,
	LT_OWN_I64, LT_OWN_BOOL, LT_OWN_U16, LT_OWN_U32, LT_OWN_U64 };

/* Dense and row-major: element (i, j) is at i * stride[0] + j * stride[1], and stride[1] is 1.  No two tensors of a
 * call overlap, except that two operands may be one. */
struct lt_own_tensor {
	void *data;
	const int64_t *extent, *stride;         /* by axis; strides in elements */
	int64_t elems;
	int32_t rank;
	uint32_t dtype;
};

struct lt_host;
/* Calls body for ranges that do not overlap and together are 0 .. n-1, at once on several threads; thread: which one
 * of n_thread. */
typedef void lt_own_body(void *arg, int64_t first, int64_t last, uint32_t thread);
struct lt_own {
	uint32_t size;
	int32_t n_operand, n_result, n_number;
	const struct lt_own_tensor *operand, *result;   /* in the order of the parameters, of what the function gives */
	/* Parameters that are no tensors, in order; of a list, one after the other.  One with a default never is a tensor. */
	const double *number;
	uint32_t n_thread;              /* threads that may be used; at least 1 */
	void *workspace;                /* at 64 bytes' alignment; its contents are undefined */
	int64_t workspace_bytes;
	void (*parallel_for)(const struct lt_host *, uint32_t n_thread, int64_t n, lt_own_body *, void *arg);
	const struct lt_host *host;
};

/* Begins the definition of the kernel of NAME.c.
 *   types      of the operands and results that it takes: words such as f32 f64 f16 bf16 i8 u8 i16 i32 i64 bool u16 u32
 *              u64, with blanks between them, or any; of others, the meaning is computed
 *   workspace  bytes of memory that it needs: a sum, difference, product or quotient of whole numbers, of
 *              extent(K, AXIS) and elems(K) of operand K, and of threads, how many may be used */
#define LT_KERNEL(name, types, workspace) static void lt_own_##name(const struct lt_own *own)
/* LT_TAKES(product, rank(0) == 2 && extent(1, 1) % 16 == 0); stands before it, if it does not take all that its meaning
 * takes: of other ranks and extents the meaning is computed.  A condition of such numbers, of rank(K), and of % == != <
 * <= > >= && ||; an axis that is not there has the extent 0.  An operand that is not there, since the parameter got a
 * number, has the rank -1 and 0 elements. */
#define LT_TAKES(name, condition) struct lt_own
/* LT_ROUTINE(product); says that it also does what a model has without calling it by name, where that is what it means,
 * node by node: of one to four tensors, with one result. */
#define LT_ROUTINE(name) struct lt_own

#define LT_OPERAND(k, type) ((const type *)own->operand[k].data)
#define LT_RESULT(k, type) ((type *)own->result[k].data)

#endif
