/* pool.c -- lt_host.parallel_for: a loop's points become a job, which is cut into chunks, published and waited
 * for.
 *
 * A job is n points, cut into chunks of whole points: some for each thread, so that one which loses its processor keeps
 * only a small part.  Each thread of the team has a share of them.  It takes its own from the front; when they are
 * gone, it takes others' from the back.  So it meets the same points in each run, as long as nobody is disturbed, and
 * nobody needs a thread that is late.  Which thread runs a chunk changes nothing in it.
 */
#include "program/host/pool.h"

/* SHARE: chunks of each thread.  LATE: one that takes longer was preempted, however short chunks are.  ELSEWHERE:
 * threads of a team that wakes each where the caller is not.  PAUSE: jobs with more between them are apart. */
enum { SHARE = 8, MIN_LATE_NS = 200000, LATE_CHUNKS = 4, MAX_ELSEWHERE = 8, PAUSE_NS = 200000 };

/* Waits for `n` chunks of others, which are all in hand: first busily; then it sleeps, so that its processor is free
 * for one that has none.  A chunk of the caller's own took chunk_ns.
 * Sequentially consistent: either this sees the count or the one who counts sees `waiting`. */
static void pool_wait(struct thread_pool *p, uint32_t n, int64_t now_ns, int64_t chunk_ns)
{
	int64_t until = now_ns + lt__pool_spin_ns(p, chunk_ns);
	while (atomic_load_explicit(&p->n_done, memory_order_acquire) != n) {
		lt__relax();
		if (lt__now_ns() > until)
			break;
	}
	uint32_t done = atomic_load_explicit(&p->n_done, memory_order_acquire);
	if (done == n)
		return;
	int64_t late = chunk_ns > INT64_MAX / LATE_CHUNKS ? INT64_MAX : chunk_ns * LATE_CHUNKS;
	atomic_store_explicit(&p->since_ns, now_ns, memory_order_relaxed);
	atomic_store_explicit(&p->late_ns, late < MIN_LATE_NS ? MIN_LATE_NS : late, memory_order_relaxed);
	atomic_store(&p->waiting, true);
	while ((done = atomic_load(&p->n_done)) != n)
		lt__futex_sleep(&p->n_done, done, UINT32_MAX);
	atomic_store_explicit(&p->waiting, false, memory_order_relaxed);
}

/* The number of chunks, for the caller and the workers that are there; 0: there is nobody else. */
static uint32_t job_cut(struct thread_pool *p, uint32_t team, const struct pool_job *job, uint32_t *n_present)
{
	uint32_t present = 1;
	for (uint32_t t = 1; t < team; t++)
		present += !atomic_load_explicit(&p->share[t].away, memory_order_relaxed);
	*n_present = present;
	p->job = *job;
	p->job.points = job->n / ((int64_t)present * SHARE) + (job->n % ((int64_t)present * SHARE) != 0);
	return present > 1 ? (uint32_t)((job->n - 1) / p->job.points + 1) : 0;
}

/* Wakes a thread, but not on the caller's processor, which is in use. The system puts it there often (Linux 6.18 in a
 * virtual machine), although others are idle, and there it would wait for milliseconds. Where it wakes is settled when
 * the call returns, so then it may use all of them again: what somebody else chooses for it is not in our way for long.
 */
static void job_wake_elsewhere(struct thread_pool *p, uint32_t t, int32_t here)
{
	struct processor_set left;
	bool kept_off = lt__processor_forbid(p->share[t].id, here, &left);
	lt__futex_wake(&p->n_published, 1u << t % 32);
	if (kept_off)
		lt__processor_allow(p->share[t].id, here, &left);
}

/* Wakes those of the team who sleep.  In a small team each is kept off in turn, and begins while the caller wakes the
 * next one.  In a large one that would take the caller too long, and one that is late is a small part of the team.
 * Without enough processors a thread may wake where it likes. */
static void job_wake(struct thread_pool *p, uint32_t team)
{
	bool elsewhere = !p->job.anywhere && team <= MAX_ELSEWHERE && team <= p->n_processor;
	int32_t here = -1;
	uint32_t bits = 0;
	for (uint32_t t = 1; t < team; t++)
		if (atomic_load(&p->share[t].asleep)) {
			if (elsewhere && here < 0)
				here = lt__processor();
			if (elsewhere)
				job_wake_elsewhere(p, t, here);
			else
				bits |= 1u << t % 32;
		}
	if (bits)
		lt__futex_wake(&p->n_published, bits);
}

/* -- who is woken -- */

static struct pool_known *job_known(struct thread_pool *p, const struct pool_job *job)
{
	uint64_t key = (uint64_t)(uintptr_t)job->body * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)job->n;
	return &p->known[(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) % POOL_KNOWN];
}

/* Whether a job that begins now is worth waking threads: its time is not known, or it and those since the last pause
 * that woke nobody take as long as waking one does.  So what is lost is never much more than what waking would have
 * cost, whatever comes. */
static bool job_wakes(struct thread_pool *p, int64_t now_ns)
{
	const struct pool_known *k = job_known(p, &p->job);
	bool known = k->body == p->job.body && k->n == p->job.n;
	if (now_ns - p->end_ns > PAUSE_NS)
		p->unwoken_ns = 0;
	return !known || k->ns + p->unwoken_ns >= POOL_WAKE_NS;
}

/* A job of n_chunk chunks, `own` of them the caller's, was published at begin_ns; the caller ran out of chunks at
 * work_ns. */
static void job_remember(struct thread_pool *p, uint32_t n_chunk, uint32_t own, int64_t begin_ns, int64_t work_ns,
	bool woke)
{
	if (own > 0)
		*job_known(p, &p->job) = (struct pool_known){ p->job.body, p->job.n, (work_ns - begin_ns) / own * n_chunk };
	p->end_ns = work_ns;
	if (woke)
		p->unwoken_ns = 0;
	else
		p->unwoken_ns += work_ns - begin_ns;
}

/* Shares of nearly equal size, from the last thread's to the caller's, which gets what those would have had that have
 * gone meanwhile.
 * Sequentially consistent: either a worker sees that a job was published, or it is seen asleep. */
static void job_publish(struct thread_pool *p, uint32_t team, uint32_t n_chunk, uint32_t present)
{
	uint32_t end = n_chunk, left = present;
	atomic_store_explicit(&p->n_done, 0, memory_order_relaxed);
	atomic_store_explicit(&p->crowded, team > p->n_processor, memory_order_relaxed);
	for (uint32_t t = team; t-- > 0; ) {
		bool away = t > 0 && (left == 1 || atomic_load_explicit(&p->share[t].away, memory_order_relaxed));
		uint32_t next = away ? end : t == 0 ? 0 : end - end / left--;
		atomic_store_explicit(
			&p->share[t].left, (uint64_t)team << 48 | (uint64_t)next << 24 | end, memory_order_release);
		end = next;
	}
	atomic_fetch_add(&p->n_published, 1);
}

/* False: nothing was done, because there is nobody to share with. */
static bool pool_run(struct thread_pool *p, uint32_t team, const struct pool_job *job)
{
	uint32_t present;
	if (p->n_worker + 1 < team)
		lt__pool_grow(team - 1);
	team = team < p->n_worker + 1 ? team : p->n_worker + 1;
	uint32_t n_chunk = job_cut(p, team, job, &present);
	if (!n_chunk)
		return false;
	int64_t begin = lt__now_ns();
	bool wakes = job_wakes(p, begin);
	job_publish(p, team, n_chunk, present);
	if (wakes)
		job_wake(p, team);
	uint32_t own = lt__pool_work(0);
	int64_t now = lt__now_ns();
	if (atomic_load_explicit(&p->n_done, memory_order_acquire) != n_chunk - own)
		pool_wait(p, n_chunk - own, now, (now - begin) / (own ? own : 1));
	job_remember(p, n_chunk, own, begin, now, wakes);
	return true;
}

/* A call from a body finds the pool held, as does a call at the same time: they have no threads apart from their
 * own. */
static void pool_for(uint32_t n_thread, int64_t n, lt__pool_body *body, void *arg, bool anywhere)
{
	struct thread_pool *p = &lt__pool;
	const struct pool_job job = { .body = body, .arg = arg, .n = n, .anywhere = anywhere };
	uint32_t team = n_thread < POOL_TEAM_MAX ? n_thread : POOL_TEAM_MAX;
	bool done = false;
	if (n <= 0)
		return;
	team = (int64_t)team > n ? (uint32_t)n : team;
	if (team > 1 && !atomic_load_explicit(&p->held, memory_order_relaxed)
		&& !atomic_exchange_explicit(&p->held, true, memory_order_acquire)) {
		done = pool_run(p, team, &job);
		atomic_store_explicit(&p->held, false, memory_order_release);
	}
	if (!done)
		body(arg, 0, n, 0);
}

void lt__pool_run_begin(void) { atomic_fetch_add_explicit(&lt__pool.n_run, 1, memory_order_relaxed); }
void lt__pool_run_end(void) { atomic_fetch_sub_explicit(&lt__pool.n_run, 1, memory_order_relaxed); }

void lt__host_parallel_for(const struct lt_host *host, uint32_t n_thread, int64_t n, lt__pool_body *body, void *arg)
{
	(void)host;
	pool_for(n_thread, n, body, arg, false);
}

void lt__host_parallel_for_anywhere(
	const struct lt_host *host, uint32_t n_thread, int64_t n, lt__pool_body *body, void *arg)
{
	(void)host;
	pool_for(n_thread, n, body, arg, true);
}

struct ranks { void (*body)(void *arg, uint32_t i, uint32_t n); void *arg; uint32_t n; };

static void run_ranks(void *arg, int64_t first, int64_t last, uint32_t thread)
{
	const struct ranks *r = arg;
	(void)thread;
	for (int64_t i = first; i < last; i++)
		r->body(r->arg, (uint32_t)i, r->n);
}

void lt__host_on_threads(void *user, uint32_t n, void (*body)(void *arg, uint32_t i, uint32_t n), void *arg)
{
	struct ranks ranks = { body, arg, n };
	(void)user;
	lt__host_parallel_for(NULL, n, n, run_ranks, &ranks);
}
