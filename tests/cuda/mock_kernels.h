/* mock_kernels.h -- kernels of the driver that is not there, and objects that launch them. */
#ifndef TESTS_CUDA_MOCK_KERNELS_H
#define TESTS_CUDA_MOCK_KERNELS_H
#include <math.h>
#include "tests/cuda/cuda_program.h"
#include "tests/cuda/cuda_session.h"

static struct mock_cuda *mock;

static inline float *mock_floats(uint64_t address) { return mock->host(address); }

/* axpy(x, y, n): y[i] += 2 x[i] */
static inline CUresult mock_axpy(const uint64_t *arg, const unsigned blocks[3], const unsigned threads[3])
{
	int64_t n = (int64_t)arg[2];
	if (blocks[0] * threads[0] < (uint64_t)n)
		return CUDA_ERROR_ILLEGAL_ADDRESS;
	for (int64_t i = 0; i < n; i++)
		mock_floats(arg[1])[i] += 2 * mock_floats(arg[0])[i];
	return CUDA_SUCCESS;
}

/* check(x, n, fault): what is above 100 is out of range */
static inline CUresult mock_check(const uint64_t *arg, const unsigned blocks[3], const unsigned threads[3])
{
	struct lt_fault *f = mock->host(arg[2]);
	(void)blocks, (void)threads;
	for (int64_t i = 0; i < (int64_t)arg[1]; i++)
		if (mock_floats(arg[0])[i] > 100 && f->n++ == 0)
			*f = (struct lt_fault){ f->n, 3, 5, llroundf(mock_floats(arg[0])[i]) };
	return CUDA_SUCCESS;
}

static inline CUresult mock_stray(const uint64_t *arg, const unsigned blocks[3], const unsigned threads[3])
{
	(void)arg, (void)blocks, (void)threads;
	return CUDA_ERROR_ILLEGAL_ADDRESS;
}

static const struct mock_kernel mock_kernels[] = { { "axpy", mock_axpy, 3, 32, 1024, 0 },
	{ "check", mock_check, 3, 32, 1024, 0 }, { "stray", mock_stray, 1, 32, 1024, 0 },
	{ "large", mock_axpy, 3, 255, 256, 1024 } };

static inline void mock_begin(void)
{
	mock = mock_load();
	mock->kernels(mock_kernels, (int)(sizeof mock_kernels / sizeof *mock_kernels));
	struct lt_cuda_nvrtc nvrtc;
	if (lt__cuda_nvrtc_load(&nvrtc, 13000, NULL))
		cr_skip_test("it needs NVRTC");
}

/* The object of a program, as if NVRTC had made `cubin` of its text. */
static inline struct lt_object *mock_object(
	struct lt_session *s, const struct lt_tree *t, const char *cubin, struct lt_kernel *k, struct lt_diag *diag)
{
	struct lt_cuda_code code;
	struct lt_object *o;
	cr_assert_eq(lt__cuda_code_print(k, &code, diag), LT_OK);
	code.cubin = strdup(cubin);
	code.cubin_bytes = strlen(cubin) + 1;
	lt_status status = lt__cuda_object(s, t, &code, &o, diag);
	cr_assert_eq(!o, status != LT_OK);
	return o;
}

/* One launch of axpy or check over n elements. */
static inline struct lt_object *mock_kernel_object(struct lt_session *s, const struct lt_tree *t, const char *function,
	int64_t n, struct lt_diag *diag)
{
	struct lt_kernel *k = cuda_program(function, (struct cuda_shape){ 4, 4, 128, n });
	return mock_object(s, t, "code", k, diag);
}

/* Nothing of a session is left, and nothing was done that the driver would not forgive. */
static inline void mock_end(struct lt_session *s)
{
	cuda_backend()->close(s);
	cr_assert_str_eq(mock->wrong, "");
	cr_assert(!mock->blocks && !mock->bytes && !mock->pinned && !mock->streams && !mock->events && !mock->modules
		&& !mock->contexts && !mock->graphs && !mock->graphs_made && !mock->handles,
		"%d blocks, %d pinned, %d streams, %d events, %d modules, %d contexts, %d and %d graphs are left", mock->blocks,
		mock->pinned, mock->streams, mock->events, mock->modules, mock->contexts, mock->graphs, mock->graphs_made);
}
#endif
