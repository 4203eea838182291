/* pool_work.c -- the pool, and how a thread takes chunks of a job and runs them.
 *
 * Orders.  The job is written before its shares are stored (release).  A thread reads the job only after it has taken a
 * chunk (acquire), which reads that store, or a change of a thread that took another chunk of it: these are one release
 * sequence.  It counts its chunks (release) when it finds no more; until then the job cannot end, because the caller
 * waits for the count (acquire) before it writes the next job.  A share that is read too late is empty, or has changed
 * when a chunk is to be taken; or it looks as before and is the next job's, and then so is the chunk, which is as good.
 * So no number of the job is needed in a share, only the team's size: a thread outside the team takes nothing.
 */
#include "program/host/pool.h"

/* The one pool of the process, whatever programs and contexts it has: more threads than processors would only be in
 * each other's way.  It is never freed: its threads may look at it until the process ends. */
struct thread_pool lt__pool;

static const uint64_t one_next = UINT64_C(1) << 24, one_end = 1, mask = (UINT64_C(1) << 24) - 1;

static uint32_t share_team(uint64_t left) { return (uint32_t)(left >> 48); }
static uint32_t share_next(uint64_t left) { return (uint32_t)(left >> 24 & mask); }
static uint32_t share_end(uint64_t left) { return (uint32_t)(left & mask); }

/* A chunk of that share, the first or the last; -1: there is none for thread t. */
static int64_t share_take(struct pool_share *s, uint32_t t, bool first)
{
	uint64_t left = atomic_load_explicit(&s->left, memory_order_relaxed);
	while (t < share_team(left) && share_next(left) < share_end(left))
		if (atomic_compare_exchange_weak_explicit(&s->left, &left, first ? left + one_next : left - one_end,
			    memory_order_acquire, memory_order_relaxed))
			return first ? share_next(left) : share_end(left) - 1;
	return -1;
}

static void chunk_run(const struct pool_job *j, int64_t chunk, uint32_t t)
{
	int64_t first = chunk * j->points, left = j->n - first;
	j->body(j->arg, first, first + (left < j->points ? left : j->points), t);
}

uint32_t lt__pool_work(uint32_t t)
{
	struct thread_pool *p = &lt__pool;
	uint32_t n = 0, team = share_team(atomic_load_explicit(&p->share[t].left, memory_order_relaxed));
	struct pool_job job;
	for (uint32_t i = 0; t < team && i < team; i++) {
		struct pool_share *s = &p->share[t + i < team ? t + i : t + i - team];
		for (int64_t chunk; (chunk = share_take(s, t, i == 0)) >= 0; n++) {
			if (n == 0)
				job = p->job;
			chunk_run(&job, chunk, t);
		}
	}
	return n;
}
