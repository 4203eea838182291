/* cuda.c -- the backend cuda: NVIDIA's GPUs, by the driver's interface and NVRTC.
 *
 * Both are opened with a session, and nothing is linked with them.  After "cuda:" stand items with '/' between them
 * ("cuda:device=1/tf32"):
 *   device=N    the N-th device, as the driver counts them (CUDA_VISIBLE_DEVICES); 0, if not said
 *   tf32        matrix products of float32 may be computed with TF32
 *   gelu        GELU by tanh may be computed with the library's formula
 *   generated   no routine of a library is called
 *   exact       what the graph rounds between two operators is no call
 *
 *   cuda.c      the table; sessions                  driver.c   the two libraries      config.c   the items
 *   device.c    the device, its target               context.c  errors                 pool.c, memory.c   memory
 *   queue.c     streams, fault records               lower.c    a tree's program       code.c     program and cubin
 *   nvrtc.c     a text to a cubin                    compile.c  trees become objects   object.c   one of them
 *   launches.c  what a run launches                  run.c      runs                   capture.c  CUDA graphs
 *   event.c     time                                 save.c     the host's cache       dump.c     texts and numbers
 *   blas*.c     products by cuBLAS (blas.h)
 *
 * A tree becomes a kernel program of grids (kernel/), that a text (backends/text/grid.c), and that a cubin.
 */
#include <stdlib.h>
#include <string.h>
#include "backends/cuda/cuda.h"

static const struct lt_host nobody = { .size = sizeof nobody };

/* The first two of what a session needs; a device is only counted.  For texts alone neither is
 * needed, unless they are those for a device that is named. */
static lt_status open_libraries(struct lt_session *s, const char *config, struct lt_diag *diag)
{
	lt_status status = lt__cuda_config(config, s->more != NULL, &s->config, diag);
	s->absent = !status && !s->config.device && LT_HAS(struct lt_host, s->host, text_only) && lt__cuda_driver_there(NULL);
	if (s->absent) {
		if (LT_HAS(struct lt_host, s->host, log))
			s->host->log(s->host, LT_LOG_WARNING, "there is no driver of NVIDIA's here: trees and texts are those for an H200");
		return LT_OK;
	}
	if (!status)
		status = lt__cuda_driver_load(&s->cuda, diag);
	if (!status)
		status = lt__cuda_nvrtc_load(&s->nvrtc, s->cuda.version, diag);
	if (!status && !s->config.generated)
		lt__cuda_blas_find(&s->blas, s->nvrtc.path);
	return status;
}

void lt__cuda_close(struct lt_session *s)
{
	if (s->context) {
		if (s->cuda.context_push(s->context) == CUDA_SUCCESS) {
			lt__cuda_queues_free(s);
			if (s->more)
				s->more->close(s);
			lt__cuda_blas_close(s);
			lt__cuda_pool_close(&s->pool, &s->cuda);
			lt__cuda_leave(s);
		}
		(void)s->cuda.context_release(s->device);
	} else if (s->absent && s->more) {
		s->more->close(s);
	}
	(void)pthread_cond_destroy(&s->freed);
	(void)pthread_mutex_destroy(&s->blas.lock);
	(void)pthread_mutex_destroy(&s->lock);
	free(s);
}

static struct lt_session *session_new(struct lt_diag *diag)
{
	struct lt_session *s = calloc(1, sizeof *s);
	if (s && pthread_mutex_init(&s->lock, NULL) == 0) {
		if (pthread_mutex_init(&s->blas.lock, NULL) == 0) {
			if (pthread_cond_init(&s->freed, NULL) == 0)
				return s;
			(void)pthread_mutex_destroy(&s->blas.lock);
		}
		(void)pthread_mutex_destroy(&s->lock);
	}
	free(s);
	(void)lt__report(diag, LT_ENOMEM, -1, -1, NULL, "no memory for a session");
	return NULL;
}

/* Starting the driver takes 100 ms and more, and lt-run asks every backend: whether there is a device, open says. */
lt_status lt__cuda_usable(const char *config, bool more, struct lt_diag *diag)
{
	struct lt_cuda_config c;
	lt_status status = lt__cuda_config(config, more, &c, diag);
	if (!status)
		status = lt__cuda_driver_there(diag);
	return status;
}
static int32_t cuda_score(const char *config, struct lt_diag *diag)
{
	return lt__cuda_usable(config, false, diag) ? 0 : LT_CUDA_SCORE;
}

lt_status lt__cuda_open_with(const struct lt_cuda_more *more, const struct lt_host *host, const char *config,
	struct lt_session **out, struct lt_diag *diag)
{
	*out = NULL;
	struct lt_session *s = session_new(diag);
	if (!s)
		return LT_ENOMEM;
	s->host = host ? host : &nobody;
	s->more = more;
	lt_status status = open_libraries(s, config, diag);
	if (!status)
		status = lt__cuda_device(s, diag);
	if (!status && !s->absent)
		status = lt__cuda_check(s, s->cuda.context_retain(&s->context, s->device), diag, "opening device %d",
			s->config.device);
	if (!status && more && s->absent) {
		status = more->open(s, diag);
	} else if (!status && more && !(status = lt__cuda_enter(s, diag))) {
		status = more->open(s, diag);
		lt__cuda_leave(s);
	}
	if (status)
		lt__cuda_close(s);
	else
		*out = s;
	return status;
}

static lt_status cuda_open(
	const struct lt_host *host, const char *config, struct lt_session **out, struct lt_diag *diag)
{
	return lt__cuda_open_with(NULL, host, config, out, diag);
}

const struct lt_caps *lt__cuda_caps(const struct lt_session *s) { return &s->caps; }

/* A plan that there is not is no reason to end the host's compilation: its described calls get theirs now. */
static lt_status try_calls(struct lt_session *s, const struct lt_tree *t, const struct lt_cuda_code *code,
	struct lt_diag *diag)
{
	struct lt_object o = { .s = s, .tree = t, .code = *code };
	size_t bytes;
	if (!s->more || LT_HAS(struct lt_host, s->host, text_only))
		return LT_OK;
	if (lt__cuda_launches(code, NULL, &o.launches, NULL))   /* run-time scalars say where operands are */
		return LT_OK;
	lt_status status = o.launches.n_call ? lt__cuda_enter(s, diag) : LT_OK;
	if (!status && o.launches.n_call) {
		status = lt__cuda_calls_prepare(&o, &o.launches, NULL, &bytes, diag);
		lt__cuda_leave(s);
	}
	lt__cuda_plans_free(&o);
	if (o.chosen)
		s->more->forget(&o);
	lt__cuda_launches_free(&o.launches);
	return status;
}

void lt__cuda_each_call(struct lt_session *s, const struct lt_tree *t, lt__cuda_called_fn *each, void *user)
{
	struct lt_cuda_code code;
	struct lt_object o = { .s = s, .tree = t };
	if (lt__cuda_lower(s, t, &code, NULL))
		return;
	o.code = code;
	if (lt__cuda_launches(&code, NULL, &o.launches, NULL) == LT_OK)
		lt__cuda_described(&o, &o.launches, each, user);
	lt__cuda_launches_free(&o.launches);
	lt__cuda_code_free(&code);
}

lt_status lt__cuda_accepts(struct lt_session *s, const struct lt_tree *t, struct lt_diag *diag)
{
	struct lt_cuda_code code;
	lt_status status = lt__cuda_lower(s, t, &code, diag);
	status = status ? status : try_calls(s, t, &code, diag);
	lt__cuda_code_free(&code);
	return status;
}

lt_status lt__cuda_compile_trees(struct lt_session *s, const struct lt_tree *const *tree, uint32_t n,
	struct lt_object **object, struct lt_diag *diag)
{
	struct lt_cuda_code *code = calloc(n + 1, sizeof *code);
	memset(object, 0, n * sizeof *object);
	lt_status status = code ? LT_OK
		: lt__report(diag, LT_ENOMEM, -1, -1, NULL, "no memory for %u kernels", (unsigned)n);
	for (uint32_t i = 0; !status && i < n; i++)
		status = lt__cuda_lower(s, tree[i], &code[i], diag);
	if (!status)
		status = lt__cuda_compile(s, tree, code, n, object, diag);
	for (uint32_t i = 0; code && i < n; i++)
		lt__cuda_code_free(&code[i]);
	free(code);
	return status;
}

void lt__cuda_need(const struct lt_object *o, uint32_t n_thread, size_t *bytes, size_t *align)
{
	(void)n_thread;
	*bytes = (size_t)o->code.kernel->workspace_bytes;
	*align = 256;
}

static const struct lt_backend cuda = {
	.size = sizeof cuda,
	.abi = LT_ABI,
	.build = LT_BUILD,
	.name = "cuda",
	.summary = "NVIDIA's GPUs: CUDA C by NVRTC",
	.version = "1",
	.score = cuda_score,
	.open = cuda_open,
	.accepts = lt__cuda_accepts,
	.describe = lt__cuda_describe,
	.options = &lt__cuda_options,
	LT_CUDA_MEMBERS
};
LT_BACKEND(cuda)
