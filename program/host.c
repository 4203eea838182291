/* program/host.c -- the services of the host (struct lt_host): threads through OpenMP, progress, messages, facts on disk. */
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif
#include "program/cache.h"
#include "program/program.h"

/* The threads wait for the next call as OpenMP's do (OMP_WAIT_POLICY), and are those that compiled kernels use, too.  More than a system gives
 * end the process: a backend may hand on any number that it was given. */
void lt__host_parallel(const struct lt_host *host, uint32_t n_thread, void (*body)(void *arg, uint32_t i, uint32_t n), void *arg)
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

/* A backend counts the trees that it was given; the program's kernels are those of all backends, and those from the cache. */
static void progress(void *user, int32_t done, int32_t total)
{
	const struct lt_program *p = user;
	(void)total;
	p->options.progress(p->options.user, p->n_done + done, p->n_kernel);
}

static void log_(const struct lt_host *host, enum lt_log level, const char *text)
{
	const struct lt_program *p = host->user;
	p->options.log(p->options.user, (int)level, text);
}

static lt_status recall(const struct lt_host *host, const void *key, size_t key_bytes, lt_write *write, void *user)
{
	const struct lt_program *p = host->user;
	size_t bytes;
	char *data = lt__cache_read(p->options.cache_dir, LT_ENTRY_FACT, key, key_bytes, &bytes);
	if (!data)
		return LT_EMISSING;
	write(user, data, bytes);
	free(data);
	return LT_OK;
}

static void keep(const struct lt_host *host, const void *key, size_t key_bytes, const void *data, size_t bytes)
{
	const struct lt_program *p = host->user;
	lt__cache_write(p->options.cache_dir, LT_ENTRY_FACT, key, key_bytes, data, bytes);
}

lt_status lt__host_open(struct lt_program *p)
{
	const char *dir = p->options.cache_dir;
	int error = dir && !p->options.plan_only ? lt__cache_make(dir) : 0;
	if (error)
		return lt_fail(p->ctx, LT_EIO, "the cache folder '%s' cannot be made: %s; give another folder, or none, for compiled code", dir,
			strerror(error));
	p->host = (struct lt_host){ .size = sizeof p->host, .n_thread = p->options.n_thread, .cc = p->options.cc, .temp_dir = dir, .user = p,
		.progress = p->options.progress ? progress : NULL, .log = p->options.log ? log_ : NULL, .parallel = lt__host_parallel,
		.recall = dir ? recall : NULL, .keep = dir ? keep : NULL };
	return LT_OK;
}
