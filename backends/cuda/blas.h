/* blas.h -- products by cuBLAS: the library cublasLt, which is opened when the first call is compiled.
 *
 * blas.c        the library: where it is, opened, its functions; the routines that the target has
 * blas_shape.c  a call as products of matrices that lie column by column
 * blas_plan.c   algorithms: chosen once for each shape and alignment, kept with the object; a product enqueued
 */
#ifndef LT_CUDA_BLAS_H
#define LT_CUDA_BLAS_H
#include <cublasLt.h>
#include <pthread.h>
#include <stdbool.h>
#include "lt/kernel.h"
#include "lt/target.h"

#define LT_CUDA_BLAS_MAP(X) \
	X(create, cublasLtCreate, "cublasLtCreate") \
	X(destroy, cublasLtDestroy, "cublasLtDestroy") \
	X(version, cublasLtGetVersion, "cublasLtGetVersion") \
	X(error_name, cublasLtGetStatusName, "cublasLtGetStatusName") \
	X(product_init, cublasLtMatmulDescInit_internal, "cublasLtMatmulDescInit_internal") \
	X(product_set, cublasLtMatmulDescSetAttribute, "cublasLtMatmulDescSetAttribute") \
	X(matrix_init, cublasLtMatrixLayoutInit_internal, "cublasLtMatrixLayoutInit_internal") \
	X(matrix_set, cublasLtMatrixLayoutSetAttribute, "cublasLtMatrixLayoutSetAttribute") \
	X(wish_init, cublasLtMatmulPreferenceInit_internal, "cublasLtMatmulPreferenceInit_internal") \
	X(wish_set, cublasLtMatmulPreferenceSetAttribute, "cublasLtMatmulPreferenceSetAttribute") \
	X(choose, cublasLtMatmulAlgoGetHeuristic, "cublasLtMatmulAlgoGetHeuristic") \
	X(multiply, cublasLtMatmul, "cublasLtMatmul")

/* Of a session. */
struct lt_cuda_blas {
	char path[512];                 /* the library's file; "": there is none */
#define LT_CUDA_MEMBER(member, function, symbol) __typeof__(function) *member;
	LT_CUDA_BLAS_MAP(LT_CUDA_MEMBER)
#undef LT_CUDA_MEMBER
	pthread_mutex_t lock;           /* of the rest */
	cublasLtHandle_t handle;        /* NULL: not opened yet; any thread, several at once */
};

/* What a product may use beside its operands: bytes of each queue, and of each recorded run. */
enum { LT_CUDA_BLAS_BYTES = 32 << 20 };

/* A matrix as it lies, column by column; from a column to the next, from a batch to the next. */
struct lt_blas_matrix { int64_t rows, columns, leading, stride; };
struct lt_blas_loop { int64_t count, stride[LT_MAX_CALL_OPERANDS]; };
/* d (m x n) = a (m x k) times b (k x n), one for each batch, and again for each iteration of the loops. */
struct lt_blas_shape {
	int64_t m, n, k, batch;
	struct lt_blas_matrix matrix[LT_MAX_CALL_OPERANDS];     /* of each operand of the call; that of a bias is not used */
	int32_t a;                      /* the operand that is a: left or right; the other one is b */
	bool turned[2];                 /* a, b: it is transposed when it is read */
	int32_t n_loop;
	struct lt_blas_loop loop[LT_MAX_CALL_DIMS];
};

/* blas_shape.c.  NULL, or what of the call, with so many of each dim, no such product can be: a sentence in why. */
const char *lt__blas_shape(const struct lt_kernel *, const struct lt_kernel_call *, const int64_t *count,
	struct lt_blas_shape *, char *why, size_t bytes);
/* blas.c.  Where the library is: "" in path if nowhere.  nvrtc: a path beside which it may be, or NULL.  The routines
 * (struct lt_routine) that there are then; gelu: also those that compute GELU by tanh; exact:
 * none that leaves out roundings. */
void lt__cuda_blas_find(struct lt_cuda_blas *, const char *nvrtc);
struct lt_array lt__cuda_routines(bool gelu, bool exact);
/* Whether one of the routines takes the types and epilogues of a call. */
bool lt__cuda_blas_has(const struct lt_kernel *, const struct lt_kernel_call *);
#endif
