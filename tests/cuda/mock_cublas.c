/* mock_cublas.c -- cuBLAS that is not there: libcublas.so.13 for tests, on the driver that is not there.
 *
 * It has what lt-bench calls; a product is done in double when somebody waits for its stream.
 */
#include <cublas_v2.h>
#include <stdlib.h>
#include "tests/cuda/mock_state.h"

struct cublasContext { CUstream stream; };
struct cublas_product { int m, n, k, lda, ldb, ldc; CUdeviceptr a, b, c; };

static const float *matrix(CUdeviceptr at, int rows, int columns, int leading, int device)
{
	if (leading < rows)
		mock_wrong("a leading dimension that is less than the rows");
	return (const float *)(void *)mock_range(at, sizeof(float) * ((size_t)(columns - 1) * (size_t)leading + (size_t)rows),
		device);
}

static CUresult multiply(void *arg, int device)
{
	const struct cublas_product *p = arg;
	const float *a = matrix(p->a, p->m, p->k, p->lda, device), *b = matrix(p->b, p->k, p->n, p->ldb, device);
	float *c = (float *)(uintptr_t)matrix(p->c, p->m, p->n, p->ldc, device);
	mock.calls++;
	for (int j = 0; a && b && c && j < p->n; j++)
		for (int i = 0; i < p->m; i++) {
			double sum = 0;
			for (int q = 0; q < p->k; q++)
				sum += (double)a[q * p->lda + i] * b[j * p->ldb + q];
			c[j * p->ldc + i] = (float)sum;
		}
	return CUDA_SUCCESS;
}

API cublasStatus_t cublasCreate_v2(cublasHandle_t *handle)
{
	LOCKED;
	if (mock_begin_call(__func__, 1))
		return CUBLAS_STATUS_NOT_INITIALIZED;
	*handle = calloc(1, sizeof **handle);
	mock.handles++;
	return CUBLAS_STATUS_SUCCESS;
}
API cublasStatus_t cublasDestroy_v2(cublasHandle_t handle)
{
	LOCKED;
	free(handle);
	mock.handles--;
	return CUBLAS_STATUS_SUCCESS;
}
API cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version)
{
	(void)handle;
	*version = 130102;
	return CUBLAS_STATUS_SUCCESS;
}
API cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream)
{
	handle->stream = stream;
	return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t enqueue(const char *name, cublasHandle_t handle, const struct cublas_product *p, float alpha,
	float beta)
{
	LOCKED;
	if (alpha != 1 || beta != 0)
		mock_wrong("factors other than 1 and 0");
	return mock_work(name, handle->stream, multiply, p, sizeof *p) ? CUBLAS_STATUS_EXECUTION_FAILED
		: CUBLAS_STATUS_SUCCESS;
}
API cublasStatus_t cublasSgemm_v2(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n,
	int k, const float *alpha, const float *a, int lda, const float *b, int ldb, const float *beta, float *c, int ldc)
{
	const struct cublas_product p = { m, n, k, lda, ldb, ldc, (uintptr_t)a, (uintptr_t)b, (uintptr_t)c };
	return ta != CUBLAS_OP_N || tb != CUBLAS_OP_N ? CUBLAS_STATUS_NOT_SUPPORTED
		: enqueue(__func__, handle, &p, *alpha, *beta);
}
API cublasStatus_t cublasSgemv_v2(cublasHandle_t handle, cublasOperation_t ta, int m, int n, const float *alpha,
	const float *a, int lda, const float *x, int incx, const float *beta, float *y, int incy)
{
	const struct cublas_product p = { m, 1, n, lda, n, m, (uintptr_t)a, (uintptr_t)x, (uintptr_t)y };
	return ta != CUBLAS_OP_N || incx != 1 || incy != 1 ? CUBLAS_STATUS_NOT_SUPPORTED
		: enqueue(__func__, handle, &p, *alpha, *beta);
}
