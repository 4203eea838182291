/* profile.h -- lt-run --profile: samples of a run's kernels, the machine's limits, and what is made of both.
 *
 * samples.c keeps the samples that profile.c makes, limits.c finds the limits, bound.c compares;
 * profile_table.c and profile_json.c print it, trace.c writes the runs as a trace.
 */
#ifndef LT_TOOLS_RUN_PROFILE_H
#define LT_TOOLS_RUN_PROFILE_H
#include "lt/profile.h"
#include "tools/run/run.h"

/* What the machine, or the device, does at best with the threads that run; 0: not known. */
struct run_limits {
	int threads;
	bool device;
	double flops, read, copy;       /* FLOP/s of float32, bytes/s */
	char when[24];                  /* the day they were measured */
	char why[256];                  /* they are not known */
};
/* limits.c: from the cache's folder, or measured, and kept there.  What cannot be measured is no failure. */
lt_status run_limits_find(struct run *, bool device, bool again, struct run_limits *out);

enum run_bound { RUN_BOUND_NONE, RUN_BOUND_COMPUTE, RUN_BOUND_MEMORY, RUN_BOUND_LAUNCH, RUN_BOUND_THREADS,
	RUN_BOUND_LATENCY };
/* A step of the program, its samples and what they say. */
struct run_kernel {
	struct lt_profile_step step;    /* of the last run; its texts are the instance's */
	int64_t *ns, *busy;             /* by sample, sorted once all are there */
	int64_t first_ns;               /* of the first run */
	double median_ns, share, threads;       /* threads: that computed, on average; 0: of a device */
	double flops, bytes;            /* a second */
	double of_flops, of_bytes;      /* of the limits; 0: these are not known */
	double predicted_ns;            /* what the limits allow; 0: as before */
	enum run_bound bound;
};
/* A run of which the spans are kept, for the trace. */
struct run_traced { int64_t begin_ns, run_ns; struct lt_profile_span *span; uint32_t n_span; bool first; };
struct run_rank { double ns; int32_t at; };
struct run_profile {
	int32_t n_kernel;
	struct run_kernel *kernel;      /* in the order of the run */
	struct run_rank *order;         /* slowest first */
	int64_t n_sample, cap_sample;
	int64_t *run_ns;                /* by sample, and so on */
	int64_t *check_ns, *launch_ns, *wait_ns, *stamps;
	int64_t *copy_ns[LT_PROFILE_BETWEEN + 1];       /* of copies, by enum lt_profile_way */
	int64_t first_ns;
	int64_t stamp_ps, n_dropped;
	double lost;                    /* how often in a sample the system took a processor from a thread, on average */
	bool sampling;                  /* the runs that are made now are samples */
	bool device;                    /* some step is timed by a device */
	bool host_clock;                /* some step on a device is timed by the host's clock, which waits for it */
	struct run_limits limits;
	struct run_traced traced[9];    /* the first run, then samples */
	int n_traced;
	char **lane;
	uint32_t n_lane;
	struct lt_work work;
	struct lt_stats stats;
	struct run_crossing crossing;
	int64_t median_run, median_steps, median_kernels;       /* steps: with copies */
	int32_t threads;
};

/* A step that computes; else it is a copy. */
static inline bool run_computes(const struct run_kernel *k) { return k->step.kind < LT_PROFILE_COPY; }
/* bound.c */
void run_bound_find(struct run_profile *);
const char *run_bound_name(enum run_bound);
/* What can be done, a sentence; NULL: nothing is to be said. */
const char *run_bound_advice(enum run_bound);
int64_t run_median(int64_t *values, int64_t n);         /* sorts them; 0 of none */

/* profile_table.c */
lt_status run_profile_print(const struct run *);
/* The nodes of a kernel and where they are in the script: "conv_3 relu_4 (net.lt:12-14)". */
void run_nodes_text(const struct lt_profile_step *, char *out, size_t bytes);
/* profile_json.c */
json_t *run_profile_object(const struct run *);
/* view.c: the loop tree as a page. */
lt_status run_view_write(struct run *, const char *path);
/* trace.c: Chrome's trace event format. */
lt_status run_trace_write(struct run *, const char *path);
#endif
