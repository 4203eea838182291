/* host.h -- the services of the host that backends are given (struct lt_host), and what they need of a
 * program. */
#ifndef LT_PROGRAM_HOST_HOST_H
#define LT_PROGRAM_HOST_HOST_H
#include "base/arena.h"
#include "lt/program.h"
#include "program/cache/cache.h"
#include "program/host/thread.h"

struct lt_profiler;
struct lt_services {
	struct lt_context *ctx;
	const struct lt_options *options;
	struct lt_host host;
	struct lt_cache cache;
	const char *cache_why;          /* it is done without: why, NULL: it is open, or none was asked for */
	int32_t n_done, n_kernel;       /* kernels that have their object, of how many, for progress */
	/* of a program that is profiled: the pool's parallel_for, and whose run is under way (program/run/profile.h) */
	void (*parallel_for)(const struct lt_host *, uint32_t n_thread, int64_t n,
		void (*body)(void *arg, int64_t first, int64_t last, uint32_t thread), void *arg);
	struct lt_profiler *profiler;
};
/* Opens the cache's folder, or makes it.  Both live as long as the program: what backends are given points to them. */
lt_status lt__host_open(struct lt_services *, struct lt_context *, const struct lt_options *, struct lt_arena *);
/* LT_ECANCELLED, with its sentence, if the caller wants no more of it */
lt_status lt__cancelled(const struct lt_services *);
uint32_t lt__host_threads(uint32_t n);          /* as many as were asked for, 0: as there are processors */
/* lt_host.parallel; lt_host.parallel_for is in pool.h. */
void lt__host_parallel(const struct lt_host *, uint32_t n_thread, void (*body)(void *arg, uint32_t i, uint32_t n),
	void *arg);

/* Adds the time since *last to *to. */
static inline void lt__lap(int64_t *to, int64_t *last)
{
	int64_t now = lt__now_ns();
	*to += now - *last;
	*last = now;
}
#endif
