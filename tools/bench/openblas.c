/* openblas.c -- OpenBLAS, opened at run time: matrix products, and what is made of them.
 *
 * It picks its kernels by a core type when it is loaded; $OPENBLAS_CORETYPE gives another one.  So each core type is a
 * process of its own, a peer (vendors.c).
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include "tools/bench/bench.h"

enum { ROW_MAJOR = 101, PLAIN = 111, TRANSPOSED = 112 };
typedef void sgemm_fn(int order, int ta, int tb, int m, int n, int k, float alpha, const float *a, int lda,
	const float *b, int ldb, float beta, float *c, int ldc);
typedef void sgemv_fn(int order, int ta, int m, int n, float alpha, const float *a, int lda, const float *x, int incx,
	float beta, float *y, int incy);
typedef void threads_fn(int);
typedef const char *text_fn(void);

struct openblas_contestant {
	struct lt_context *ctx;
	void *library;
	sgemm_fn *sgemm;
	sgemv_fn *sgemv;
	threads_fn *set_threads;
	const struct bench_case *c;
	float *out, *hidden;
	bool vector;                    /* a single row by sgemv, which was faster */
};

static void openblas_find(void *library, const char *name, void *to, size_t bytes)
{
	void *at = dlsym(library, name);

	memcpy(to, &at, bytes);
}

static void product(
	const struct openblas_contestant *s, const float *a, const float *b, float *c, int64_t m, int64_t k, int64_t n)
{
	s->sgemm(ROW_MAJOR, PLAIN, PLAIN, (int)m, (int)n, (int)k, 1, a, (int)k, b, (int)n, 0, c, (int)n);
}

static void add_bias(float *c, const float *bias, int64_t m, int64_t n, bool relu)
{
	for (int64_t i = 0; i < m; i++)
		for (int64_t j = 0; j < n; j++) {
			float v = c[i * n + j] + bias[j];

			c[i * n + j] = relu && v < 0 ? 0 : v;
		}
}

static void once(const struct openblas_contestant *s, float *out)
{
	const struct bench_case *c = s->c;
	int64_t m = bench_case_get(c, "m"), k = bench_case_get(c, "k"), n = bench_case_get(c, "n");

	if (!strcmp(c->op, "gemm") && s->vector) {
		s->sgemv(ROW_MAJOR, TRANSPOSED, (int)k, (int)n, 1, c->in[1].data, (int)n, c->in[0].data, 1, 0, out, 1);
	} else if (!strcmp(c->op, "gemm")) {
		product(s, c->in[0].data, c->in[1].data, out, m, k, n);
	} else {
		m = bench_case_get(c, "batch");
		k = bench_case_get(c, "hidden");
		n = bench_case_get(c, "out");
		product(s, c->in[0].data, c->in[1].data, s->hidden, m, bench_case_get(c, "in"), k);
		add_bias(s->hidden, c->in[2].data, m, k, true);
		product(s, s->hidden, c->in[3].data, out, m, k, n);
		add_bias(out, c->in[4].data, m, n, false);
	}
}

static double time_once(const struct openblas_contestant *s)
{
	double best = 1e9;

	for (int i = 0; i < 5; i++) {
		double start = machine_now();

		once(s, s->out);
		start = machine_now() - start;
		best = start < best ? start : best;
	}
	return best;
}

static lt_status openblas_begin(struct bench_contestant *k, const struct bench_case *c, int threads)
{
	struct openblas_contestant *s = k->state;

	if (strcmp(c->op, "gemm") != 0 && strcmp(c->op, "mlp") != 0)
		return lt_fail(s->ctx, LT_EUNSUPPORTED, "OpenBLAS has no %s", c->op);
	s->c = c;
	s->set_threads(threads);
	s->out = machine_buffer(c->out.n);
	s->hidden = bench_case_get(c, "hidden") > 0
		? machine_buffer(bench_case_get(c, "batch") * bench_case_get(c, "hidden"))
		: NULL;
	s->vector = false;
	if (bench_case_get(c, "m") == 1) {
		double matrix = time_once(s);

		s->vector = true;
		s->vector = time_once(s) < matrix;
	}
	k->prepare = 0;
	return LT_OK;
}

static lt_status openblas_run(struct bench_contestant *k, int64_t n, double *seconds)
{
	struct openblas_contestant *s = k->state;
	double start = machine_now();

	for (int64_t i = 0; i < n; i++)
		once(s, s->out);
	*seconds = machine_now() - start;
	return LT_OK;
}

static lt_status openblas_result(struct bench_contestant *k, const struct bench_case *c, float *out)
{
	(void)c;
	once(k->state, out);
	return LT_OK;
}

static void openblas_end(struct bench_contestant *k)
{
	struct openblas_contestant *s = k->state;

	if (s->out)
		machine_buffer_free(s->out);
	if (s->hidden)
		machine_buffer_free(s->hidden);
	s->out = s->hidden = NULL;
}

static void openblas_close(struct bench_contestant *k)
{
	/* The library stays: its threads may still run in it. */
	free(k->state);
}

static const struct bench_ops ops = { openblas_begin, openblas_run, openblas_result, openblas_end, openblas_close };

lt_status bench_openblas_open(struct lt_context *ctx, struct bench_contestant *k)
{
	struct openblas_contestant *s = lt__must_alloc(sizeof *s);
	text_fn *config = NULL, *core = NULL;

	s->ctx = ctx;
	k->ops = &ops;
	k->state = s;
	s->library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
	if (!s->library)
		s->library = dlopen("libopenblas.so", RTLD_NOW | RTLD_LOCAL);
	if (!s->library)
		return lt_fail(ctx, LT_ELOAD, "OpenBLAS is not installed (libopenblas.so.0 is not found)");
	openblas_find(s->library, "cblas_sgemm", &s->sgemm, sizeof s->sgemm);
	openblas_find(s->library, "cblas_sgemv", &s->sgemv, sizeof s->sgemv);
	openblas_find(s->library, "openblas_set_num_threads", &s->set_threads, sizeof s->set_threads);
	openblas_find(s->library, "openblas_get_config", &config, sizeof config);
	openblas_find(s->library, "openblas_get_corename", &core, sizeof core);
	if (!s->sgemm || !s->sgemv || !s->set_threads || !config || !core)
		return lt_fail(ctx, LT_EABI, "libopenblas.so.0 lacks cblas_sgemm or its openblas_ functions");
	snprintf(k->about, sizeof k->about, "openblas:%s %s", core(), config());
	return LT_OK;
}
