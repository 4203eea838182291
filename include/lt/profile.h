/* lt/profile.h -- what the steps of a run took, of an instance whose program was compiled with lt_options.profile.
 *
 * Example: a program of two kernels gives two steps; step[0].ns is the time of the first in the last run, and
 * step[0].busy_ns the time that all threads together computed in it.  With two threads that were never idle it is twice
 * as long.
 */
#ifndef LT_PROFILE_H
#define LT_PROFILE_H
#include "lt/program.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A kernel; a copy of very many pieces that the program makes; a whole tensor within a memory; one (or a part of one)
 * that crosses to another memory. */
enum lt_profile_kind { LT_PROFILE_KERNEL, LT_PROFILE_BLOCKS, LT_PROFILE_COPY, LT_PROFILE_MOVE };
/* Whose clock `ns` was read from: the host's, around a call that returns when it is done; the device's own. */
enum lt_profile_clock { LT_PROFILE_HOST, LT_PROFILE_DEVICE };
/* Of a LT_PROFILE_MOVE: from the host to a device, back, from one device to another. */
enum lt_profile_way { LT_PROFILE_STAYS, LT_PROFILE_SENT, LT_PROFILE_BROUGHT, LT_PROFILE_BETWEEN };
struct lt_profile_step {
	uint32_t size;
	enum lt_profile_kind kind;
	/* The kernel, "k0_4"; of a copy what is copied, "result 'y'". */
	const char *name;
	const char *backend;                    /* "host": no backend's */
	const char *same_as;                    /* the kernel whose code it runs, NULL: its own */
	const struct lt_kernel_node *node;
	uint32_t n_node;
	/* As in struct lt_work, of this step alone, by the run's extents. */
	int64_t useful, executed, bytes;
	/* Of the last run. */
	int64_t ns;
	int64_t busy_ns;                        /* all threads of the host together; 0 of a device */
	int32_t n_thread;                       /* of the host, that took part; 0 of a device */
	int32_t n_team;                         /* parallel loops that were shared out to threads */
	enum lt_profile_clock clock;
	int32_t lane;                           /* that it is in */
	enum lt_profile_way way;
};
/* A stretch of time in which a thread, or a device, was at a step.  begin_ns: by a clock that only goes forward, common
 * to all runs of the process. */
struct lt_profile_span { int32_t step, lane; int64_t begin_ns, ns; };
struct lt_profile {
	uint32_t size;
	uint32_t n_step, n_span, n_lane;
	const struct lt_profile_step *step;     /* in the order of the run; the next one is step->size bytes after one */
	const struct lt_profile_span *span;     /* in the order of their ends, by lane */
	const char *const *lane;                /* "thread 0" is the caller's */
	int64_t n_dropped;                      /* spans for which there was no room; the steps' times have them */
	int64_t begin_ns, run_ns;               /* the whole run, until nothing is left to wait for */
	/* Of it outside of steps: checking arguments and run-time scalars and sending states, before the first; between
	 * them, which includes the calls that enqueue for a device; after the last, mostly waiting for devices. */
	int64_t check_ns, launch_ns, wait_ns;
	int64_t n_stamp, stamp_ps;              /* how often the clock was read, and how long that takes */
};
/* Of the instance's last run, which it waits for.  Valid until the next call on the instance.  LT_EINVAL: the program
 * was compiled without lt_options.profile, or nothing has run. */
LT_API lt_status lt_instance_profile(struct lt_instance *, const struct lt_profile **out);

#ifdef __cplusplus
}
#endif
#endif
