/* lt/timing.h -- how long runs take: samples, their median and spread, as lt-run --time and lt-bench take them.
 *
 *     struct lt_timing *t;
 *     if (lt_instance_time(r, &(struct lt_run){ sizeof (struct lt_run), NULL, in, out }, NULL, &t) == LT_OK)
 *             printf("%g us\n", t->median_ns / 1e3);
 *     lt_timing_free(t);
 *
 * Times are in nanoseconds of the host's clock, around whole runs: copies between memories are in them, unless inputs
 * and results are where the kernels run (lt_options.on_device).  What the devices' own clocks say is told besides, of a
 * program that was compiled with lt_options.device_time: of as many runs again, each sample's behind it, since to read
 * these clocks takes the host some microseconds of a run.
 */
#ifndef LT_TIMING_H
#define LT_TIMING_H
#include "lt/program.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All zero: the defaults; size must be sizeof (struct lt_time_options). */
struct lt_time_options {
	uint32_t size;
	uint32_t cold;                  /* 1: without the run before the first sample, which fetches pages and code */
	int64_t n_sample;               /* 0: as many as take enough_ns, and at least 3 */
	int64_t enough_ns;              /* 0: half a second */
	int64_t repeat;                 /* runs of one sample, whose mean it is; 0: 1 */
	/* 1: the runs of a sample are enqueued one behind the other (lt_instance_enqueue), and waited for at its end; 0: each
	 * is waited for */
	uint32_t enqueue;
	uint32_t reserved;              /* 0 */
	/* Called after each sample (with user), n_sample 0: of an estimate; it calls nothing of this library.  Not 0: it is
	 * enough, and the call fails with LT_ECANCELLED.  May be NULL. */
	int (*progress)(void *user, int64_t done, int64_t total);
	void *user;
};
struct lt_timing {
	uint32_t size;
	uint32_t reserved;
	int64_t n_sample;
	const double *sample_ns;        /* in the order in which they were taken, each the time of one run */
	double min_ns, median_ns, mean_ns;
	double lower_ns, upper_ns;      /* quartiles: the middle half of the samples is between them */
	/* Of the runs of all samples together, as in struct lt_stats: runs, of them with recorded parts; crossing between
	 * memories, in all, to devices and back; on devices (with lt_options.device_time of the runs that follow the samples,
	 * which are as many).  The last four have what other instances of the program do meanwhile, too. */
	int64_t n_run, n_replayed, move_ns, send_ns, bring_ns, device_ns;
};
/* Runs the instance on these inputs and results (lt_instance_run, or, with a stream or `enqueue`, lt_instance_enqueue);
 * its states go on changing.  Owned by the caller, and freed before the instance.  What fails is the instance's: a run,
 * LT_EINVAL of numbers below 0, LT_ENOMEM.  Threads: as lt_instance_run. */
LT_API lt_status lt_instance_time(
	struct lt_instance *, const struct lt_run *, const struct lt_time_options *, struct lt_timing **out);
LT_API void lt_timing_free(struct lt_timing *);                 /* NULL: nothing */

#ifdef __cplusplus
}
#endif
#endif
