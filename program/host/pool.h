/* pool.h -- the pool of threads, and what its files need of the system; within program/host/.
 *
 * pool.c publishes jobs; pool_worker.c has the threads that wait for them, and how they begin and stay away; both take
 * chunks by pool_work.c.
 */
#ifndef LT_PROGRAM_HOST_POOL_H
#define LT_PROGRAM_HOST_POOL_H
#include "program/host/host.h"

/* -- thread.c */
int32_t lt__thread_id(void);    /* the calling thread's, as the system counts them; never 0 */
int32_t lt__processor(void);    /* that the calling thread runs on; negative: unknown */
/* A set of processors, as the system writes it. */
struct processor_set { _Alignas(8) unsigned char bits[128]; };
/* A thread may not use that processor until it is let on again; left: those that it may use meanwhile.  False: nothing
 * has changed, because it did not use it before, has no other, or the system does not allow it. */
bool lt__processor_forbid(int32_t thread, int32_t processor, struct processor_set *left);
/* Does nothing if somebody has chosen others than `left` for it meanwhile. */
void lt__processor_allow(int32_t thread, int32_t processor, const struct processor_set *left);
void lt__relax(void);           /* once in a loop that waits busily */
void lt__yield(void);           /* in a longer one: a thread that waits for this processor may have it */
/* The system call: sleeps while *at is `while_`; wakes all those who sleep with one of these bits. */
void lt__futex_sleep(_Atomic uint32_t *at, uint32_t while_, uint32_t bits);
void lt__futex_wake(_Atomic uint32_t *at, uint32_t bits);

/* -- the pool */
/* WAKE_NS: what waking a thread costs the caller.  KNOWN: loops whose time is known. */
enum { POOL_WAKE_NS = 20000, POOL_KNOWN = 256 };

/* points: of a chunk.  anywhere: its threads wake where the system likes. */
struct pool_job { lt__pool_body *body; void *arg; int64_t n, points; bool anywhere; };
/* The chunks of a job that are a thread's own, and how it waits; a cache line of its own.
 * left: team << 48 | next << 24 | end: chunks next .. end-1 have not been taken; threads with a number below team may
 * take them. */
struct pool_share {
	_Alignas(64) _Atomic uint64_t left;
	atomic_bool asleep;             /* it has to be woken */
	_Atomic bool away;              /* it does not take part */
	int32_t id;                     /* the system's number of the thread */
};
/* A loop that was run, and how long one thread would have taken for it. */
struct pool_known { lt__pool_body *body; int64_t n, ns; };
/* Written by the thread that holds `held`, unless a comment says who else. */
struct thread_pool {
	_Alignas(64) atomic_bool held;
	bool prepared;
	uint32_t n_worker, max_worker;  /* threads that have been made; how many there may be */
	int64_t grow_ns;                /* the system gave no thread: it is not asked again before then */
	uint32_t n_processor;
	struct pool_job job;            /* read by those who have taken a chunk of it */
	/* When the last job ended; the time of those since the last pause that woke nobody. */
	int64_t end_ns, unwoken_ns;
	struct pool_known known[POOL_KNOWN];
	/* A job was published; idle threads wait for it to change.  crowded: the last team has more threads than there are
	 * processors, so nobody spins. */
	_Alignas(64) _Atomic uint32_t n_published;
	atomic_bool crowded;
	_Atomic uint32_t n_run;         /* runs that are under way, by lt__pool_run_begin */
	/* Chunks that workers have run, counted by them; the caller waits for it to change. */
	_Alignas(64) _Atomic uint32_t n_done;
	atomic_bool waiting;            /* the caller sleeps, since: */
	_Atomic int64_t since_ns, late_ns;      /* late_ns: a worker that it waits for longer was preempted */
	struct pool_share share[POOL_TEAM_MAX];
};
extern struct thread_pool lt__pool;

/* How long a thread, whose last chunks took chunk_ns, waits busily for another thread: its last chunk, and what comes
 * between two jobs; in a run, a kernel that is not shared.  Sleeping and being woken takes longer, and the system may
 * wake it on the other's processor.  But not for ever: the other one may have lost its processor. */
static inline int64_t lt__pool_spin_ns(const struct thread_pool *p, int64_t chunk_ns)
{
	enum { BETWEEN_NS = 50000, IN_RUN_NS = 200000, MAX_CHUNK_NS = 1000000 };
	if (atomic_load_explicit(&p->crowded, memory_order_relaxed))
		return 0;
	return (atomic_load_explicit(&p->n_run, memory_order_relaxed) ? IN_RUN_NS : BETWEEN_NS)
		+ (chunk_ns < MAX_CHUNK_NS ? chunk_ns : MAX_CHUNK_NS);
}

/* pool_work.c: thread t runs chunks until there are none; how many it ran. */
uint32_t lt__pool_work(uint32_t t);
/* pool_worker.c: makes workers until there are n, or as many as the system gives. */
void lt__pool_grow(uint32_t n);
#endif
