/* cublas.c -- cuBLAS called directly, on the device of the first backend, where that is one of CUDA's:
 * products of true float32, with as many sets of tensors in turn as our own contestants have.
 *
 * cuBLAS has matrices column by column: ours, row by row, are their transposes, and c^T = b^T a^T.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include "tools/bench/bench.h"

enum { PLAIN = 0 };
#define CUBLAS_MAP(X) \
	X(create, int (*)(void **), "cublasCreate_v2") \
	X(destroy, int (*)(void *), "cublasDestroy_v2") \
	X(version, int (*)(void *, int *), "cublasGetVersion_v2") \
	X(queue, int (*)(void *, void *stream), "cublasSetStream_v2") \
	X(sgemm, int (*)(void *, int ta, int tb, int m, int n, int k, const float *alpha, const float *a, int lda, \
		const float *b, int ldb, const float *beta, float *c, int ldc), "cublasSgemm_v2") \
	X(sgemv, int (*)(void *, int ta, int m, int n, const float *alpha, const float *a, int lda, const float *x, int incx, \
		const float *beta, float *y, int incy), "cublasSgemv_v2")
#define MEMBER(member, type, symbol) __typeof__(type) member;
struct cublas_contestant {
	struct lt_context *ctx;
	struct machine_device *device;
	const struct machine_cuda *cuda;
	CUBLAS_MAP(MEMBER)
	void *handle;
	int m, k, n, n_set;
	bool vector;                    /* a single row by sgemv, which was faster */
	struct { void *a, *b, *c; } set[MACHINE_SETS];
};
#undef MEMBER

static lt_status cublas_check(const struct cublas_contestant *s, int result, const char *what)
{
	return result ? lt_fail(s->ctx, LT_EDEVICE, "cuBLAS: %s: status %d", what, result) : LT_OK;
}

static int multiply(const struct cublas_contestant *s, int i)
{
	static const float one = 1, zero = 0;

	return s->vector
		? s->sgemv(s->handle, PLAIN, s->n, s->k, &one, s->set[i].b, s->n, s->set[i].a, 1, &zero, s->set[i].c, 1)
		: s->sgemm(s->handle, PLAIN, PLAIN, s->n, s->m, s->k, &one, s->set[i].b, s->n, s->set[i].a, s->k, &zero,
			s->set[i].c, s->n);
}

/* n products, one after the other; the host waits for the last. */
static lt_status cublas_run(struct bench_contestant *k, int64_t n, double *seconds)
{
	struct cublas_contestant *s = k->state;
	const double start = machine_now();
	int r = 0;

	LT_TRY(machine_cuda_enter(s->cuda));
	for (int64_t i = 0; i < n && !r; i++)
		r = multiply(s, (int)(i % s->n_set));
	lt_status status = cublas_check(s, r, "a product");
	status = machine_cuda_leave(s->cuda, status ? status : machine_cuda_wait(s->cuda));
	*seconds = machine_now() - start;
	return status;
}

/* The faster of two for a single row: the fewest seconds of some runs. */
static lt_status choose_way(struct bench_contestant *k)
{
	struct cublas_contestant *s = k->state;
	double best[2] = { 1e9, 1e9 }, seconds;

	for (int i = 0; i < 10; i++) {
		s->vector = i & 1;
		LT_TRY(cublas_run(k, 20, &seconds));
		best[i & 1] = seconds < best[i & 1] ? seconds : best[i & 1];
	}
	s->vector = best[1] < best[0];
	return LT_OK;
}

static lt_status tensor_new(struct cublas_contestant *s, const float *from, int64_t n, void **out)
{
	LT_TRY(machine_device_memory(s->device, 4 * n, out));
	return from ? machine_device_copy(s->device, *out, from, 4 * n, LT_COPY_TO_DEVICE) : LT_OK;
}

static lt_status cublas_begin(struct bench_contestant *k, const struct bench_case *c, int threads)
{
	struct cublas_contestant *s = k->state;

	(void)threads;
	if (strcmp(c->op, "gemm") != 0)
		return lt_fail(s->ctx, LT_EUNSUPPORTED, "cuBLAS has no %s", c->op);
	s->m = (int)bench_case_get(c, "m");
	s->k = (int)bench_case_get(c, "k");
	s->n = (int)bench_case_get(c, "n");
	s->n_set = bench_device_sets(s->device, c);
	for (int i = 0; i < s->n_set; i++) {
		LT_TRY(tensor_new(s, c->in[0].data, c->in[0].n, &s->set[i].a));
		LT_TRY(tensor_new(s, c->in[1].data, c->in[1].n, &s->set[i].b));
		LT_TRY(tensor_new(s, NULL, c->out.n, &s->set[i].c));
	}
	s->vector = false;
	k->prepare = 0;
	return s->m == 1 ? choose_way(k) : LT_OK;
}

/* Into memory that the caller's numbers have filled: an element left out is seen. */
static lt_status cublas_result(struct bench_contestant *k, const struct bench_case *c, float *to)
{
	struct cublas_contestant *s = k->state;
	double seconds;

	LT_TRY(machine_device_copy(s->device, s->set[0].c, to, 4 * c->out.n, LT_COPY_TO_DEVICE));
	LT_TRY(cublas_run(k, 1, &seconds));
	return machine_device_copy(s->device, to, s->set[0].c, 4 * c->out.n, LT_COPY_TO_HOST);
}

static void cublas_end(struct bench_contestant *k)
{
	struct cublas_contestant *s = k->state;

	for (int i = 0; i < s->n_set; i++) {
		machine_device_free(s->device, s->set[i].a);
		machine_device_free(s->device, s->set[i].b);
		machine_device_free(s->device, s->set[i].c);
	}
	memset(s->set, 0, sizeof s->set);
	s->n_set = 0;
}

static void cublas_close(struct bench_contestant *k)
{
	struct cublas_contestant *s = k->state;

	if (s->handle && !machine_cuda_enter(s->cuda)) {
		s->destroy(s->handle);
		machine_cuda_leave(s->cuda, LT_OK);
	}
	free(s);
}

static const struct bench_ops cublas_ops = { cublas_begin, cublas_run, cublas_result, cublas_end, cublas_close };

static lt_status cublas_load(struct cublas_contestant *s)
{
	static const char *const names[] = { "libcublas.so.13", "libcublas.so.12", "libcublas.so", NULL };
	static const struct { const char *name; size_t at; } symbols[] = {
#define ROW(member, type, symbol) { symbol, offsetof(struct cublas_contestant, member) },
		CUBLAS_MAP(ROW)
#undef ROW
	};
	void *library = machine_cuda_library(names);

	if (!library)
		return lt_fail(s->ctx, LT_EUNSUPPORTED, "libcublas.so.13 (or .12) is not where the loader looks");
	for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
		void *at = dlsym(library, symbols[i].name);

		if (!at)
			return lt_fail(s->ctx, LT_EUNSUPPORTED, "libcublas has no %s", symbols[i].name);
		memcpy((char *)s + symbols[i].at, &at, sizeof at);
	}
	return LT_OK;
}

static lt_status cublas_start(struct cublas_contestant *s, int *version)
{
	LT_TRY(cublas_check(s, s->create(&s->handle), "starting it"));
	LT_TRY(cublas_check(s, s->queue(s->handle, machine_cuda_queue(s->cuda)), "its queue"));
	return cublas_check(s, s->version(s->handle, version), "its version");
}

lt_status bench_cublas_open(struct lt_context *ctx, struct bench_contestant *k, struct machine_device *device)
{
	struct cublas_contestant *s = lt__must_alloc(sizeof *s);
	int version = 0;

	s->ctx = ctx;
	s->device = device;
	s->cuda = machine_device_cuda(device);
	k->ops = &cublas_ops;
	k->state = s;
	if (!s->cuda)
		return lt_fail(ctx, LT_EUNSUPPORTED, "the device is none of CUDA's");
	LT_TRY(cublas_load(s));
	LT_TRY(machine_cuda_enter(s->cuda));
	LT_TRY(machine_cuda_leave(s->cuda, cublas_start(s, &version)));
	snprintf(k->label, sizeof k->label, "cublas");
	snprintf(k->about, sizeof k->about, "%d.%d.%d", version / 10000, version / 100 % 100, version % 100);
	return LT_OK;
}
