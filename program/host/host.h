/* host.h -- the services of the host that backends are given (struct lt_host): threads, a clock, locks, progress,
 * messages, facts on disk; of the program, they know its options alone.
 *
 * Of program/, this folder uses cache/ alone.
 */
#ifndef LT_PROGRAM_HOST_HOST_H
#define LT_PROGRAM_HOST_HOST_H
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "lt/backend.h"
#include "base/arena.h"
#include "lt/program.h"
#include "program/cache/cache.h"

/* -- what the system gives for threads: thread.c. */
/* Processors that this process may use; never 0. */
uint32_t lt__processors(void);
/* Of a clock that only goes forward. */
int64_t lt__now_ns(void);

/* -- what one thread may use at a time: the others wait. */
/* Made once and not moved. */
struct lt_lock { pthread_mutex_t mutex; bool made; };

/* again: a thread may take a lock that it has, and gives it back as often; else lt__lock_take answers false then. */
static inline bool lt__lock_init(struct lt_lock *l, bool again)
{
	pthread_mutexattr_t kind;
	if (pthread_mutexattr_init(&kind))
		return false;
	l->made = !pthread_mutexattr_settype(&kind, again ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_ERRORCHECK)
		&& !pthread_mutex_init(&l->mutex, &kind);
	(void)pthread_mutexattr_destroy(&kind);
	return l->made;
}
static inline void lt__lock_free(struct lt_lock *l)
{
	if (l->made)
		(void)pthread_mutex_destroy(&l->mutex);
	l->made = false;
}
static inline bool lt__lock_take(struct lt_lock *l) { return pthread_mutex_lock(&l->mutex) == 0; }
static inline void lt__lock_give(struct lt_lock *l) { (void)pthread_mutex_unlock(&l->mutex); }

/* -- the process's pool of threads: lt_host.parallel_for.
 *
 * The rule: nobody waits for a thread that has not begun.  The calling thread publishes a job, takes part in it, runs
 * what others leave, and in the end waits only for chunks that are in somebody's hands.
 */
enum { POOL_TEAM_MAX = 256 };           /* threads of a job */
typedef void lt__pool_body(void *arg, int64_t first, int64_t last, uint32_t thread);

/* lt_host.parallel_for; the host may be NULL. */
void lt__host_parallel_for(const struct lt_host *, uint32_t n_thread, int64_t n, lt__pool_body *, void *arg);

/* The same, and never asks the system to choose processors for a thread. */
void lt__host_parallel_for_anywhere(const struct lt_host *, uint32_t n_thread, int64_t n, lt__pool_body *, void *arg);

/* body(arg, i, n) for each i < n, by the pool's threads, which are there already, and wake on processors of their own:
 * a new thread often begins on that of its maker, and waits there for longer than there is work for it. */
void lt__host_on_threads(void *user, uint32_t n, void (*body)(void *arg, uint32_t i, uint32_t n), void *arg);

/* Between them the pool's threads stay awake longer.  They are counted: several runs may be under way. */
void lt__pool_run_begin(void);
void lt__pool_run_end(void);

/* -- host.c: what a program gives its backends. */
struct lt_profiler;
struct lt_services {
	struct lt_context *ctx;
	const struct lt_options *options;
	struct lt_host host;
	struct lt_cache cache;
	const char *cache_why;          /* it is done without: why, NULL: it is open, or none was asked for */
	atomic_int n_plan_read, n_plan_kept;    /* plans of libraries that backends have recalled, and kept */
	int32_t n_done, n_kernel;       /* kernels that have their object, of how many, for progress */
	/* the pool's parallel_for, which that of a profiled program calls (program/run/profile.c), and whose run is under
	 * way */
	void (*parallel_for)(const struct lt_host *, uint32_t n_thread, int64_t n,
		void (*body)(void *arg, int64_t first, int64_t last, uint32_t thread), void *arg);
	struct lt_profiler *profiler;
};
/* Opens the cache's folder, or makes it.  Both live as long as the program: what backends are given points to them. */
lt_status lt__host_open(struct lt_services *, struct lt_context *, const struct lt_options *, struct lt_arena *);
/* LT_ECANCELLED, with its sentence, if the caller wants no more of it */
lt_status lt__cancelled(const struct lt_services *);
uint32_t lt__host_threads(uint32_t n);          /* as many as were asked for, 0: as there are processors */
/* lt_host.parallel */
void lt__host_parallel(const struct lt_host *, uint32_t n_thread, void (*body)(void *arg, uint32_t i, uint32_t n),
	void *arg);
#endif
