/* profile.h -- taking the time of a run's steps (lt/profile.h).
 *
 * Off, there is no profiler, and each place costs a test of a pointer.  On, the clock is read before and after each
 * step, and before and after each range of a parallel loop that a thread runs; a step on a device is between two of its
 * events, where it has them.  A profiler belongs to an instance; those of one program run one at a time, because the
 * threads find it in the host's services.
 */
#ifndef LT_PROGRAM_RUN_PROFILE_H
#define LT_PROGRAM_RUN_PROFILE_H
#include "lt/profile.h"
#include "program/host/pool.h"
#include "program/run/program.h"

/* What a thread did in the parallel loop that is under way; a cache line of its own. */
struct profiled_thread { _Alignas(64) int64_t begin_ns, end_ns, busy_ns, n_range; };
struct profiled_step {
	int64_t begin_ns, host_ns;              /* around the host's call */
	int64_t busy_ns, team_ns;               /* of all threads in parallel loops; of the caller's, waiting included */
	int32_t n_team;
	bool recorded;                          /* both events are */
	uint64_t threads[POOL_TEAM_MAX / 64];   /* that took part */
};
struct lt_profiler {
	int64_t begin_ns, ready_ns, launched_ns, end_ns, stamp_ps, n_stamp;
	struct profiled_step *step;             /* by step of the plan's run */
	struct lt_event **event;                /* two a step, of those in a memory with events; else NULL */
	int32_t at;                             /* the step under way; -1: none */
	bool in_team;                           /* a loop within a loop is its thread's own matter */
	struct profiled_thread *thread;         /* POOL_TEAM_MAX */
	struct lt_profile_span *span;
	int32_t n_host_span, n_span, cap_span;  /* spans of the host, then those of devices */
	int64_t n_dropped;
	struct lt_profile_step *fact;           /* made when first asked for; NULL: not yet */
	const char **lane;
	int32_t n_thread_lane;                  /* lanes of threads, then one for each memory of a device */
	struct lt_profile out;
	bool ran;
};

/* The memory of the device that does the step; 0: the host does it. */
static inline int32_t lt__profile_memory(const struct lt_pstep *s)
{
	return s->memory ? s->memory : s->kind == LT_STEP_MOVE ? s->from_memory : 0;
}
/* With lt_options.profile; else the instance's profiler stays NULL. */
lt_status lt__profiler_new(struct lt_instance *);
void lt__profiler_free(struct lt_instance *);
/* A run begins, and no other instance's; arguments are checked; all is enqueued; nothing is left to wait for.  Each
 * does nothing without a profiler.  launched ends what began. */
void lt__profile_run(struct lt_instance *);
void lt__profile_ready(struct lt_instance *);
void lt__profile_launched(struct lt_instance *);
void lt__profile_done(struct lt_instance *);
/* A step that is not the plan's, such as one that prepares constants, is none. */
void lt__profile_step_begin(struct lt_profiler *, const struct lt_program *, const struct lt_pstep *,
	const struct lt_addresses *);
void lt__profile_step_end(struct lt_profiler *, const struct lt_program *, const struct lt_pstep *,
	const struct lt_addresses *);
/* Whether a launch has to be waited for, because the device has no clock to ask. */
bool lt__profile_waits(const struct lt_profiler *, const struct lt_program *, const struct lt_pstep *);
/* lt_host.parallel_for of a program that is profiled: that of the pool, with the time of each range. */
void lt__profile_parallel_for(const struct lt_host *, uint32_t n_thread, int64_t n, lt__pool_body *, void *arg);
#endif
