/* program/host.c -- the services of the host (struct lt_host): threads through OpenMP, progress, messages, facts on
 * disk. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef _OPENMP
#include <omp.h>
#endif
#include "program/host.h"

/* The threads wait for the next call as OpenMP's do (OMP_WAIT_POLICY), and are those that compiled kernels use, too.
 * More than a system gives end the process: a backend may hand on any number that it was given. */
void lt__host_parallel(
	const struct lt_host *host, uint32_t n_thread, void (*body)(void *arg, uint32_t i, uint32_t n), void *arg)
{
	(void)host;
#ifdef _OPENMP
	enum { MOST = 256 };
	int most = omp_get_num_procs() > MOST ? omp_get_num_procs() : MOST;
	if (n_thread > 1) {
#pragma omp parallel num_threads(n_thread < (uint32_t)most ? (int)n_thread : most)
		body(arg, (uint32_t)omp_get_thread_num(), (uint32_t)omp_get_num_threads());
		return;
	}
#endif
	(void)n_thread;
	body(arg, 0, 1);
}

uint32_t lt__host_threads(uint32_t n)
{
#ifdef _OPENMP
	return n ? n : (uint32_t)omp_get_num_procs();
#else
	return n ? n : 1;
#endif
}

/* A backend counts the trees that it was given; the program's kernels are those of all backends, and those from the
 * cache. */
static void progress(void *user, int32_t done, int32_t total)
{
	const struct lt_services *s = user;
	(void)total;
	s->options->progress(s->options->user, s->n_done + done, s->n_kernel);
}

static void log_(const struct lt_host *host, enum lt_log level, const char *text)
{
	const struct lt_services *s = host->user;
	s->options->log(s->options->user, (int)level, text);
}

static lt_status recall(const struct lt_host *host, const void *key, size_t key_bytes, lt_write *write, void *user)
{
	struct lt_services *s = host->user;
	size_t bytes;
	errno = 0;
	char *data = lt__cache_read(&s->cache, LT_ENTRY_FACT, key, key_bytes, &bytes);
	if (!data)
		return errno == ENOMEM ? LT_ENOMEM : LT_EMISSING;
	write(user, data, bytes);
	free(data);
	return LT_OK;
}

static void host_keep(const struct lt_host *host, const void *key, size_t key_bytes, const void *data, size_t bytes)
{
	struct lt_services *s = host->user;
	lt__cache_write(&s->cache, LT_ENTRY_FACT, key, key_bytes, data, bytes);
}

static void warn(void *user, const char *text)
{
	const struct lt_services *s = user;
	if (s->options->log)
		s->options->log(s->options->user, LT_LOG_WARNING, text);
}

/* A folder that was named by mistake, or that others may put code in, is an error, unless the caller can do without. */
static lt_status open_cache(struct lt_services *s, struct lt_arena *a)
{
	const char *dir = s->options->cache_dir;
	s->cache.warn = warn;
	s->cache.user = s;
	if (!dir || s->options->plan_only)
		return LT_OK;
	lt_status status = lt__cache_open(s->ctx, &s->cache, dir, true);
	if (status == LT_EIO && !s->options->cache_optional)
		return lt_fail(s->ctx, LT_EIO, "the cache folder %s", lt_context_message(s->ctx));
	if (status == LT_ENOMEM)
		return status;
	if (status) {
		s->cache_why = lt__arena_string(a, lt_context_message(s->ctx));
		lt_context_clear(s->ctx);
	}
	return LT_OK;
}

static int cancelled(const struct lt_host *host)
{
	const struct lt_services *s = host->user;
	return s->options->cancelled(s->options->user);
}

lt_status lt__cancelled(const struct lt_services *s)
{
	return s->options->cancelled && s->options->cancelled(s->options->user)
		? lt_fail(s->ctx, LT_ECANCELLED, "compiling was cancelled")
		: LT_OK;
}

lt_status lt__host_open(struct lt_services *s, struct lt_context *ctx, const struct lt_options *o, struct lt_arena *a)
{
	s->ctx = ctx;
	s->options = o;
	LT_TRY(open_cache(s, a));
	const bool cache = s->cache.fd >= 0;
	s->host = (struct lt_host){ .size = sizeof s->host,
		.n_thread = o->n_thread,
		.cc = o->cc,
		.temp_dir = o->temp_dir,
		.user = s,
		.progress = o->progress ? progress : NULL,
		.log = o->log ? log_ : NULL,
		.parallel = lt__host_parallel,
		.recall = cache ? recall : NULL,
		.keep = cache ? host_keep : NULL,
		.cancelled = o->cancelled ? cancelled : NULL,
		.cc_timeout_ms = o->cc_timeout_ms,
		.text_only = o->source_only };
	return LT_OK;
}

int64_t lt__now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}
