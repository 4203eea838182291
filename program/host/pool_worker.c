/* pool_worker.c -- the threads of the pool: how they begin, wait for jobs and stay away, and what a fork does
 * to them. */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>
#include "base/thread.h"
#include "program/host/pool.h"

/* AWAY: how long a thread that was preempted stays away.  If that happens again soon after, twice as long: somebody
 * else needs its processor.  LOOKS, OFFERS: an idle thread looks at the clock, and offers its processor, once in so
 * many turns (about 0.3 and 1 us). */
enum { MIN_AWAY_NS = 10000000, MAX_AWAY_NS = 160000000, LOOKS = 16, OFFERS = 64, GROW_AGAIN_NS = 1000000000 };

/* -- a worker -- */

/* chunk_ns: what a chunk of its last job took.  It was away for away_ns last, and came back at back_ns. */
struct pool_worker { uint32_t t; int64_t chunk_ns, away_ns, back_ns; };

/* A wake-up that comes to nothing is as good as any. */
static void worker_sleep(const struct pool_worker *w, uint32_t seen)
{
	struct thread_pool *p = &lt__pool;
	struct pool_share *own = &p->share[w->t];
	atomic_store(&own->asleep, true);               /* as in job_publish */
	while (atomic_load(&p->n_published) == seen)
		lt__futex_sleep(&p->n_published, seen, 1u << w->t % 32);
	atomic_store_explicit(&own->asleep, false, memory_order_relaxed);
}

/* Returns when more jobs have been published than were seen.  Between looks it offers its processor: if another process
 * computes there, that gets its time now, and the system does not take it away in the middle of the next chunk. */
static void worker_idle(struct pool_worker *w, uint32_t seen)
{
	struct thread_pool *p = &lt__pool;
	int64_t begin = lt__now_ns();
	for (int i = 0; ; i++) {
		if (atomic_load_explicit(&p->n_published, memory_order_relaxed) != seen)
			return;
		if (i % LOOKS == 0 && lt__now_ns() - begin >= lt__pool_spin_ns(p, w->chunk_ns))
			break;
		if (i % OFFERS == OFFERS - 1)
			lt__yield();
		else
			lt__relax();
	}
	worker_sleep(w, seen);
}

/* Chunks are counted, the caller woken.  True: it waited so long for them that this thread must have been preempted.
 * What it reads of the caller may be of a later job by now, which then does not seem late. */
static bool worker_count(struct thread_pool *p, uint32_t n)
{
	(void)atomic_fetch_add(&p->n_done, n);          /* as in pool_wait */
	if (!atomic_load(&p->waiting))
		return false;
	lt__futex_wake(&p->n_done, UINT32_MAX);
	return lt__now_ns() - atomic_load_explicit(&p->since_ns, memory_order_relaxed)
		> atomic_load_explicit(&p->late_ns, memory_order_relaxed);
}

static void worker_leave(struct pool_worker *w)
{
	struct thread_pool *p = &lt__pool;
	bool again = lt__now_ns() - w->back_ns < 4 * w->away_ns;
	w->away_ns = !again ? MIN_AWAY_NS : w->away_ns < MAX_AWAY_NS / 2 ? 2 * w->away_ns : MAX_AWAY_NS;
	const struct timespec t = { .tv_nsec = w->away_ns };
	atomic_store_explicit(&p->share[w->t].away, true, memory_order_relaxed);
	(void)nanosleep(&t, NULL);
	atomic_store_explicit(&p->share[w->t].away, false, memory_order_relaxed);
	w->back_ns = lt__now_ns();
}

static void *worker_main(void *arg)
{
	struct thread_pool *p = &lt__pool;
	struct pool_worker w = { .t = (uint32_t)(uintptr_t)arg };
	char name[16];
	p->share[w.t].id = lt__thread_id();
	(void)snprintf(name, sizeof name, "looptree-%u", (unsigned)w.t);
	(void)pthread_setname_np(pthread_self(), name);
	for (;;) {
		uint32_t seen = atomic_load_explicit(&p->n_published, memory_order_acquire);
		int64_t begin = lt__now_ns();
		uint32_t n = lt__pool_work(w.t);
		w.chunk_ns = n > 0 ? (lt__now_ns() - begin) / n : 0;
		if (n > 0 && worker_count(p, n))
			worker_leave(&w);
		worker_idle(&w, seen);
	}
	return NULL;
}

/* -- all of them -- */

/* In a child, where only the thread is left that forked: no workers, and no job of another thread.  One that was forked
 * from inside a range may only exec or exit: chunks of its job are in the hands of threads that it does not have. */
static void pool_after_fork(void)
{
	struct thread_pool *p = &lt__pool;
	p->n_worker = 0;
	atomic_store_explicit(&p->n_run, 0, memory_order_relaxed);
	atomic_store_explicit(&p->n_done, 0, memory_order_relaxed);
	atomic_store_explicit(&p->waiting, false, memory_order_relaxed);
	for (uint32_t t = 0; t < POOL_TEAM_MAX; t++) {
		atomic_store_explicit(&p->share[t].left, 0, memory_order_relaxed);
		atomic_store_explicit(&p->share[t].asleep, false, memory_order_relaxed);
		atomic_store_explicit(&p->share[t].away, false, memory_order_relaxed);
	}
	atomic_store_explicit(&p->held, false, memory_order_release);
}

/* A library that was opened by dlopen stays from now on: threads are in it. */
static void pool_stay(void)
{
	Dl_info info;
	void (*here)(void) = pool_stay;
	void *at;
	*(void (**)(void))&at = here;
	if (dladdr(at, &info) && info.dli_fname)
		(void)dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

void lt__pool_grow(uint32_t n)
{
	struct thread_pool *p = &lt__pool;
	if (!p->prepared) {
		p->n_processor = lt__processors();
		p->max_worker = pthread_atfork(NULL, NULL, pool_after_fork) ? 0 : POOL_TEAM_MAX - 1;
		pool_stay();
		p->prepared = true;
	}
	while (p->n_worker < n && p->n_worker < p->max_worker && lt__now_ns() >= p->grow_ns) {
		pthread_t thread;
		if (lt__thread_start(&thread, worker_main, (void *)(uintptr_t)(p->n_worker + 1))) {
			p->grow_ns = lt__now_ns() + GROW_AGAIN_NS;
			return;
		}
		(void)pthread_detach(thread);
		p->n_worker++;
	}
}
