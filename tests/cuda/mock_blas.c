/* mock_blas.c -- cublasLt that is not there: libcublasLt.so.13 for tests, on the driver that is not there.
 *
 * A product is done in double when somebody waits for its stream.  What the library would refuse or read astray is in
 * the driver's `wrong`: leading dimensions that are too small, matrices that are no memory of the device, addresses
 * that are less aligned than the algorithm was chosen for.
 */
#include <cublasLt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "kernel/form/form.h"
#include "tests/cuda/mock_state.h"

struct blas_matrix { uint64_t type, rows, columns; int64_t leading, batch, stride; };
struct blas_what { int32_t compute, scale, turned[2], after; const void *bias; };
struct blas_wish { uint64_t workspace; uint32_t align[4]; };
struct blas_algorithm { char magic[8]; uint32_t align[4]; uint64_t workspace; int64_t m, n; };
_Static_assert(sizeof(struct blas_matrix) <= sizeof(cublasLtMatrixLayoutOpaque_t), "it has room");
_Static_assert(sizeof(struct blas_what) <= sizeof(cublasLtMatmulDescOpaque_t), "it has room");
_Static_assert(sizeof(struct blas_wish) <= sizeof(cublasLtMatmulPreferenceOpaque_t), "it has room");
_Static_assert(sizeof(struct blas_algorithm) <= sizeof(cublasLtMatmulAlgo_t), "it has room");
static const char magic[8] = "chosen";

#define GET(type, x, from) \
	struct type x; \
	memcpy(&(x), from, sizeof(x))
#define PUT(x, to) memcpy(to, &(x), sizeof(x))

/* ---- elements ---- */

static uint32_t dtype_of(uint64_t type)
{
	return type == CUDA_R_64F ? LT_F64 : type == CUDA_R_32F ? LT_F32 : type == CUDA_R_16F ? LT_F16 : LT_BF16;
}
static size_t bytes_of(uint64_t type) { return lt__number_bytes(dtype_of(type)); }
static double load(const char *at, uint64_t type) { return lt__number_load(at, 0, dtype_of(type)).f; }
static void store(char *at, uint64_t type, double x)
{
	const union lt_number y = { .f = x };
	lt__number_store(at, 0, dtype_of(type), lt__number_round(y, dtype_of(type)));
}

/* ---- a product ---- */

struct blas_call {
	struct blas_what what;
	struct blas_matrix a, b, c, d;
	uint64_t at[4];
	double alpha, beta;
};

/* Where a matrix is on the host; NULL: not all of it is memory of the device. */
static char *matrix_at(const struct blas_matrix *m, uint64_t at, int device)
{
	uint64_t last = (m->columns - 1) * (uint64_t)m->leading + m->rows - 1 + (uint64_t)((m->batch - 1) * m->stride);
	return mock_range(at, (last + 1) * bytes_of(m->type), device);
}

static double element(const char *at, const struct blas_matrix *m, int64_t batch, int64_t row, int64_t column)
{
	return load(at + (size_t)(batch * m->stride + column * m->leading + row) * bytes_of(m->type), m->type);
}

/* Rows, or columns, one behind the other: each element is read once, and not for each product. */
static double *lines(const char *at, const struct blas_matrix *m, int64_t batch, bool columns, int64_t n, int64_t k)
{
	double *all = malloc(sizeof *all * (size_t)(n * k));
	if (!all)
		abort();
	for (int64_t i = 0; i < n; i++)
		for (int64_t p = 0; p < k; p++)
			all[i * k + p] = columns ? element(at, m, batch, p, i) : element(at, m, batch, i, p);
	return all;
}

static double sum_of(const double *a, const double *b, int64_t k)
{
	double sum = 0;
	for (int64_t p = 0; p < k; p++)
		sum += a[p] * b[p];
	return sum;
}

/* The library's epilogues are bits: a bias, and one of the activations. */
static double activated(int32_t after, double y)
{
	if ((after & CUBLASLT_EPILOGUE_RELU) == CUBLASLT_EPILOGUE_RELU)
		return y < 0 ? 0 : y;
	if ((after & CUBLASLT_EPILOGUE_GELU) == CUBLASLT_EPILOGUE_GELU)
		return y / 2 * (1 + tanh(sqrt(2 / M_PI) * (y + 0.044715 * y * y * y)));
	return y;
}

static bool is_epilogue(int32_t after)
{
	static const int32_t known[] = { 0, CUBLASLT_EPILOGUE_BIAS, CUBLASLT_EPILOGUE_RELU, CUBLASLT_EPILOGUE_RELU_BIAS,
		CUBLASLT_EPILOGUE_GELU, CUBLASLT_EPILOGUE_GELU_BIAS };
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (after == known[i])
			return true;
	return false;
}

static CUresult multiply(void *call, int device)
{
	const struct blas_call *x = call;
	char *at[4] = { matrix_at(&x->a, x->at[0], device), matrix_at(&x->b, x->at[1], device),
		matrix_at(&x->c, x->at[2], device), matrix_at(&x->d, x->at[3], device) };
	const int64_t m = (int64_t)x->d.rows, n = (int64_t)x->d.columns;
	const char *bias = x->what.after & CUBLASLT_EPILOGUE_BIAS
		? mock_range((uint64_t)(uintptr_t)x->what.bias, (size_t)m * bytes_of(x->d.type), device) : NULL;
	mock.calls++;
	const int64_t k = (int64_t)(x->what.turned[0] ? x->a.rows : x->a.columns);
	for (int64_t b = 0; at[0] && at[1] && at[2] && at[3] && b < x->d.batch; b++) {
		double *rows = lines(at[0], &x->a, b, x->what.turned[0], m, k);
		double *columns = lines(at[1], &x->b, b, !x->what.turned[1], n, k);
		for (int64_t j = 0; j < n; j++)
			for (int64_t i = 0; i < m; i++) {
				double y = x->alpha * sum_of(rows + i * k, columns + j * k, k);
				y += x->beta != 0 ? x->beta * element(at[2], &x->c, b, i, j) : 0;
				y += bias ? load(bias + (size_t)i * bytes_of(x->d.type), x->d.type) : 0;
				store(at[3] + (size_t)(b * x->d.stride + j * x->d.leading + i) * bytes_of(x->d.type), x->d.type,
					activated(x->what.after, y));
			}
		free(rows);
		free(columns);
	}
	return CUDA_SUCCESS;
}

/* ---- the library's functions ---- */

API cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle)
{
	LOCKED;
	if (mock_begin_call(__func__, 1))
		return CUBLAS_STATUS_NOT_INITIALIZED;
	*handle = calloc(1, 1);
	mock.handles++;
	return CUBLAS_STATUS_SUCCESS;
}
API cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle)
{
	LOCKED;
	free(handle);
	mock.handles--;
	return CUBLAS_STATUS_SUCCESS;
}
API size_t cublasLtGetVersion(void) { return 130000; }
API const char *cublasLtGetStatusName(cublasStatus_t r)
{
	return r == CUBLAS_STATUS_NOT_INITIALIZED ? "CUBLAS_STATUS_NOT_INITIALIZED"
		: r == CUBLAS_STATUS_EXECUTION_FAILED ? "CUBLAS_STATUS_EXECUTION_FAILED" : "CUBLAS_STATUS_UNKNOWN";
}
API cublasStatus_t cublasLtMatmulDescInit_internal(
	cublasLtMatmulDesc_t desc, size_t bytes, cublasComputeType_t compute, cudaDataType_t scale)
{
	const struct blas_what x = { .compute = (int32_t)compute, .scale = (int32_t)scale };
	memset(desc, 0, bytes);
	PUT(x, desc);
	return CUBLAS_STATUS_SUCCESS;
}
API cublasStatus_t cublasLtMatmulDescSetAttribute(
	cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t which, const void *from, size_t bytes)
{
	GET(blas_what, x, desc);
	void *to = which == CUBLASLT_MATMUL_DESC_TRANSA ? (void *)&x.turned[0]
		: which == CUBLASLT_MATMUL_DESC_TRANSB ? (void *)&x.turned[1]
		: which == CUBLASLT_MATMUL_DESC_EPILOGUE ? (void *)&x.after
		: which == CUBLASLT_MATMUL_DESC_BIAS_POINTER ? (void *)&x.bias : NULL;
	if (!to)
		return CUBLAS_STATUS_INVALID_VALUE;
	memcpy(to, from, bytes);
	PUT(x, desc);
	return CUBLAS_STATUS_SUCCESS;
}
API cublasStatus_t cublasLtMatrixLayoutInit_internal(
	cublasLtMatrixLayout_t layout, size_t bytes, cudaDataType type, uint64_t rows, uint64_t columns, int64_t leading)
{
	const struct blas_matrix x = { (uint64_t)type, rows, columns, leading, 1, 0 };
	if (!rows || !columns || leading < (int64_t)rows)
		mock_wrong("a leading dimension that is less than the rows");
	memset(layout, 0, bytes);
	PUT(x, layout);
	return CUBLAS_STATUS_SUCCESS;
}
API cublasStatus_t cublasLtMatrixLayoutSetAttribute(
	cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t which, const void *from, size_t bytes)
{
	int32_t batch;
	GET(blas_matrix, x, layout);
	if (which == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT && bytes == sizeof batch) {
		memcpy(&batch, from, bytes);
		x.batch = batch;
	} else if (which == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET && bytes == sizeof x.stride) {
		memcpy(&x.stride, from, bytes);
	} else {
		return CUBLAS_STATUS_INVALID_VALUE;
	}
	PUT(x, layout);
	return CUBLAS_STATUS_SUCCESS;
}
API cublasStatus_t cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t wish, size_t bytes)
{
	const struct blas_wish x = { 0, { 256, 256, 256, 256 } };
	memset(wish, 0, bytes);
	PUT(x, wish);
	return CUBLAS_STATUS_SUCCESS;
}
API cublasStatus_t cublasLtMatmulPreferenceSetAttribute(
	cublasLtMatmulPreference_t wish, cublasLtMatmulPreferenceAttributes_t which, const void *from, size_t bytes)
{
	GET(blas_wish, x, wish);
	if (which == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES)
		memcpy(&x.workspace, from, bytes);
	else if (which >= CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES && which <= CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES)
		memcpy(&x.align[which - CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES], from, bytes);
	else
		return CUBLAS_STATUS_INVALID_VALUE;
	PUT(x, wish);
	return CUBLAS_STATUS_SUCCESS;
}

API cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
	cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
	cublasLtMatmulPreference_t wish, int most, cublasLtMatmulHeuristicResult_t *out, int *n)
{
	LOCKED;
	CUresult begun = mock_begin_call(__func__, 1);
	GET(blas_matrix, y, d);
	GET(blas_wish, w, wish);
	struct blas_algorithm x = { .workspace = w.workspace < 4096 ? 0 : 4096, .m = (int64_t)y.rows,
		.n = (int64_t)y.columns };
	(void)handle, (void)desc, (void)a, (void)b, (void)c, (void)most;
	if (begun)
		return begun == CUDA_ERROR_NOT_SUPPORTED ? CUBLAS_STATUS_NOT_SUPPORTED : CUBLAS_STATUS_EXECUTION_FAILED;
	mock.choices++;
	memcpy(x.magic, magic, sizeof magic);
	memcpy(x.align, w.align, sizeof x.align);
	memset(out, 0, sizeof *out);
	PUT(x, &out->algo);
	out->workspaceSize = x.workspace;
	*n = 1;
	return CUBLAS_STATUS_SUCCESS;
}

static double factor(const void *at, int32_t scale)
{
	double d;
	float f;
	memcpy(&d, at, scale == CUDA_R_64F ? sizeof d : 0);
	memcpy(&f, at, scale == CUDA_R_64F ? 0 : sizeof f);
	return scale == CUDA_R_64F ? d : (double)f;
}

API cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void *alpha, const void *a,
	cublasLtMatrixLayout_t a_layout, const void *b, cublasLtMatrixLayout_t b_layout, const void *beta, const void *c,
	cublasLtMatrixLayout_t c_layout, void *d, cublasLtMatrixLayout_t d_layout, const cublasLtMatmulAlgo_t *algorithm,
	void *workspace, size_t bytes, cudaStream_t stream)
{
	LOCKED;
	struct blas_call x = { .at = { (uintptr_t)a, (uintptr_t)b, (uintptr_t)c, (uintptr_t)d } };
	GET(blas_algorithm, chosen, algorithm);
	memcpy(&x.what, desc, sizeof x.what);
	memcpy(&x.a, a_layout, sizeof x.a);
	memcpy(&x.b, b_layout, sizeof x.b);
	memcpy(&x.c, c_layout, sizeof x.c);
	memcpy(&x.d, d_layout, sizeof x.d);
	x.alpha = factor(alpha, x.what.scale);
	x.beta = factor(beta, x.what.scale);
	mock.compute = x.what.compute;
	if (!handle || memcmp(chosen.magic, magic, sizeof magic) != 0 || chosen.m != (int64_t)x.d.rows
		|| chosen.n != (int64_t)x.d.columns)
		mock_wrong("an algorithm that was chosen for something else");
	if (!is_epilogue(x.what.after))
		mock_wrong("an epilogue that the library does not have");
	if (bytes < chosen.workspace
		|| (chosen.workspace && !mock_range((CUdeviceptr)(uintptr_t)workspace, bytes, mock_device())))
		mock_wrong("less room than the algorithm needs");
	for (int i = 0; i < 4; i++)
		if (x.at[i] % chosen.align[i])
			mock_wrong("an address that is less aligned than the algorithm needs");
	return mock_work("cublasLtMatmul", stream, multiply, &x, sizeof x) ? CUBLAS_STATUS_EXECUTION_FAILED
		: CUBLAS_STATUS_SUCCESS;
}
