/* run.h -- a compiled program and its instances: constants, runs step by step, the time that they take, the
 * values between kernels.
 *
 * Of program/, this folder uses all that is below it: plan/, compile/, nest/, storage/, host/.
 */
#ifndef LT_PROGRAM_RUN_RUN_H
#define LT_PROGRAM_RUN_RUN_H
#include <stdatomic.h>
#include "program/plan/plan.h"
#include "program/nest/nest.h"
#include "program/storage/storage.h"
#include "lt/profile.h"
#include "program/host/host.h"

/* What is bound, and what is computed from it once. */
struct lt_constants {
	struct lt_context ctx;                  /* of arena: the program's memory, failures of its own */
	struct lt_arena *arena;                 /* of prepared and room */
	const void **data;                      /* by binding */
	void **owned;                           /* by binding: our copy, in the program's arena, or NULL */
	struct lt_mapping *mapping;             /* where data may lie in files */
	struct lt_filler *filler;               /* by binding: data is NULL until it has been made, if ever */
	void *prepared;
	/* by memory, 0 is empty: constants and what is made of them; NULL: not made yet */
	struct lt_device_memory *device;
	bool ready;
};
/* Used by one thread at a time, whatever other instances do: what it reports and what it changes is its own. */
struct lt_instance {
	struct lt_context ctx;                  /* the program's memory, failures of its own */
	struct lt_program *program;
	bool ready;                             /* else it has only ctx, which holds why it could not be made */
	struct lt_arena *arena;                 /* of all that follows */
	void **state;                           /* by binding */
	void *workspace, *scratch;
	int64_t *param, *launch_param, *fetched;        /* by param; fetched: from devices */
	bool has_fetched;                       /* those of states, after the last run */
	void *own_stream;                       /* of queue 1 */
	void *pinned;                           /* memory of queue 1's backend: param and fetched */
	bool *absent;                           /* by param: read by unused nodes only, and not checked */
	struct lt_slot *slot;                   /* of all steps, one after the other */
	int64_t *extent;                        /* by var of the program's graph: of the last run */
	bool ran;                               /* the params and extents are those of a run, which was not refused */
	struct lt_fault *fault;                 /* by step of the plan's run */
	struct lt_run_queue *queue;             /* by memory; NULL: there is only the host's */
	struct lt_device_memory *device;                   /* by memory: the rest */
	bool *touched;                          /* by state: its bytes on the host are newer than those on devices */
	bool *shared;                           /* by state: other instances have it, too */
	struct lt_state_memory **state_memory;  /* by state: where it is; NULL: not given yet */
	struct lt_states *states;
	struct lt_recorder *recorder;           /* runs that repeat; NULL: no backend can */
	struct lt_event **event;                /* by opened backend: begin, end; NULL: runs are not timed */
	struct lt_profiler *profiler;           /* takes the time of each step; NULL: runs are not profiled */
	struct lt_crossing *crossing;           /* the same of what crosses; NULL: it is not timed on devices */
	bool unclocked;                         /* neither is, now: a run that the host's clock is read around */
	_Atomic int64_t n_run, n_replayed;      /* written by the thread that has the instance, read by all */
	struct lt_instance *next;               /* of the program's instances */
};

/* Where the storages of a run are; ctx: where it tells of its failures. */
struct lt_addresses {
	struct lt_context *ctx;
	void *const *state, *const *result;     /* by binding, as are input and constant */
	const void *const *input, *const *constant;
	const struct lt_mapping *mapping;       /* files that constants may lie in, which are only read now; NULL: none */
	void *workspace, *prepared, *scratch;
	int64_t *param;
	int64_t *launch_param;                  /* room for those of one launch; NULL: none is told */
	const struct lt_device_memory *device;             /* by memory */
	struct lt_run_queue *queue;             /* by memory; NULL: every step is waited for */
	struct lt_fault *fault;                 /* by step of the plan's run: of what is enqueued */
	struct lt_profiler *profiler;           /* NULL: no time is taken */
	struct lt_crossing *crossing;           /* NULL: the host's clock is */
	bool all_steps;                         /* also those whose values this run does not read */
};

/* -- a compiled program: what each stage of lowering (program/lower.c) made, which the driver, dumps and captures
 * read. */
/* The part of lt_stats that changes while instances are made and run, by any thread. */
struct lt_tally {
	_Atomic int64_t n_run, n_replayed, move_ns, send_ns, bring_ns, once_ns, device_ns, bind_ns, device_bytes;
};
struct lt_program {
	struct lt_context *ctx;
	struct lt_arena *arena;
	/* with copies of the texts; those that are read during the call only are NULL after it */
	struct lt_options options;
	struct lt_services services;            /* host/host.c */
	struct lt_bindings bindings[LT_NBINDING];   /* storage/bindings.c, by enum lt_binding */
	struct lt_graph *graph;                 /* after the passes */
	struct lt_graph *base;                  /* materialised: what a tree is made for */
	struct lt_opened_backends backends;       /* backend/open.c */
	const struct lt_target *const *target;  /* of each, or the one that it is compiled for without any */
	int32_t n_target;
	struct lt_looptree *tree;               /* its graph is base, or has nodes that the tree added to that */
	struct lt_nests nests;                  /* of the tree: storage/assign.c, copy/copy_plan.c, freezing, nest/offer.c */
	struct lt_kernels kernels;              /* compile/compile.c */
	bool has_faults;                        /* some kernel gathers: it can have an index out of range */
	bool is_shared;                         /* the host's threads share a step: they are kept awake during a run */
	struct lt_plan plan;                    /* plan/steps.c and plan/memory.c */
	struct lt_memories memories;            /* plan/memory.c */
	struct lt_offsets offsets;              /* plan/plan.c */
	struct lt_scratch *scratch;             /* by memory: plan/memory.c */
	struct lt_constants constants;          /* constants.c */
	struct lt_stats stats;
	struct lt_tally tally;
	struct lt_lock lock;                    /* of constants, until they are ready */
	struct lt_lock profile_lock;            /* of the instance whose run is profiled */
	struct lt_explained *explained;         /* by nest; NULL: nobody has asked yet */
	struct lt_arena *explained_arena;
	struct lt_instance *instance;           /* those that there are, by their `next` */
	struct lt_lock instance_lock;           /* of that list */
};

/* -- running steps, constants and instances. */
/* steps.c: runs steps, one after the other; slot: room for all slots of one. */
/* Whether what it writes is read in a run with these run-time scalars; steps that are not needed are left out. */
bool lt__step_needed(const struct lt_pstep *, const struct lt_addresses *);
lt_status lt__program_steps_run(struct lt_program *, const struct lt_pstep *, int32_t n, const struct lt_addresses *,
	struct lt_slot *, struct lt_fault *);
/* most slots of one step */
int32_t lt__program_slots(const struct lt_program *, const struct lt_pstep *, int32_t n);
/* Where a storage begins in the host's memory. */
void *lt__storage_address(const struct lt_program *, int32_t storage, const struct lt_addresses *);
/* The arguments of one launch, with its slots filled. */
struct lt_args lt__launch_args(const struct lt_program *, const struct lt_pstep *, const struct lt_addresses *,
	struct lt_slot *, struct lt_fault *);
lt_status lt__fault_report(const struct lt_program *, const struct lt_addresses *, const struct lt_pstep *,
	const struct lt_fault *);
/* device_memory.c: memory for what lt_options.on_device names, and copies that are waited for; freed before the
 * instance.  free: NULL is nothing. */
lt_status lt__given_new(struct lt_instance *, size_t bytes, void **out);
void lt__given_free(struct lt_instance *, void *);
lt_status lt__given_copy(struct lt_instance *, void *device, void *host, size_t bytes, enum lt_copy way);
/* fault.c.  clear: no index out of range yet. */
void lt__fault_clear(struct lt_fault *);
/* instance.c: runs of all instances since the program was made, of those too that are no more. */
void lt__count_runs(const struct lt_program *, int64_t *n_run, int64_t *n_replayed);
/* Whether its runs are timed on devices (lt_options.device_time), which can: some do. */
bool lt__instance_clocked(const struct lt_instance *);
/* params.c: whether it has a param that is absent, by param. */
bool lt__params_absent(const bool *absent, const struct lt_linear *);
/* constants.c */
void lt__constants_init(struct lt_constants *, int32_t n, struct lt_arena *);    /* n: bindings */
void lt__constants_free(struct lt_program *);
/* fill.c: all of what a function gives, or what is not aligned to its type, becomes a copy, which data then is. */
lt_status lt__constant_hold(struct lt_program *, struct lt_context *, int32_t i);
/* aligned.c: zeroed memory at a multiple of align, touched now, so that no run meets a fresh page; NULL: of no
 * bytes. */
void *lt__aligned_new(struct lt_arena *, size_t bytes, size_t align);
/* a kernel may want its workspace to begin at more than other blocks do */
void *lt__scratch_new(struct lt_arena *, const struct lt_scratch *);
/* text.c.  "input"; of a storage that has a binding "x"; "input 'x'", in the scratch */
const char *lt__space_word(enum lt_storage_space);
const char *lt__storage_name(const struct lt_program *, const struct lt_storage *);
const char *lt__storage_text(struct lt_context *, const struct lt_program *, int32_t storage);
/* "file:line:column: ", or "" where the place is unknown; in the scratch */
const char *lt__location_text(struct lt_context *, const struct lt_program *, int32_t line, int32_t column);

/* -- taking the time of a run's steps (lt/profile.h).
 *
 * Off, there is no profiler, and each place costs a test of a pointer.  On, the clock is read before and after each
 * step, and before and after each range of a parallel loop that a thread runs; a step on a device is between two of its
 * events, where it has them.  A profiler belongs to an instance; those of one program run one at a time, because the
 * threads find it in the host's services.
 */
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

/* The time between two events of a device; timed: "a kernel", for the sentence. */
lt_status lt__event_between(struct lt_context *, const struct lt_opened *, const char *timed, struct lt_event *from,
	struct lt_event *to, int64_t *ns);
/* The memory of the device that does the step; 0: the host does it. */
static inline int32_t lt__profile_memory(const struct lt_pstep *s)
{
	return s->memory ? s->memory : s->kind == LT_STEP_MOVE ? s->from_memory : 0;
}
/* lt_host.parallel_for of a program that is profiled: that of the pool, with the time of each range. */
void lt__profile_parallel_for(const struct lt_host *, uint32_t n_thread, int64_t n, lt__pool_body *, void *arg);

/* -- looking into a run: the values that are whole in memory between kernels.
 *
 * Example: a program of two kernels, where the first writes %h and the second reads it.  After the step that launches
 * the first, %h is seen: its elements can be read, and what the second kernel makes of them can be judged by itself.
 * Only nodes of the optimised graph (lt_program.base) are seen; what a schedule adds to it (packed copies, partial
 * sums) is not.
 */
struct lt_seen {
	lt_node base, lowered;          /* the node, in lt_program.base and in the tree's graph */
	int32_t step;                   /* complete after it: an index into prepare, or n_prepare + an index into run */
	int32_t storage;
	bool lasts;                     /* a prepared value that no later one overwrites */
	const char *kernel;             /* name of the kernel that writes it */
	/* Some reader computes it for itself instead: what that one has is the same up to rounding, not the same bits. */
	bool again;
	int64_t elems;                  /* with bounded dims at their maximum */
};
/* All of them, in the order of the steps; in the arena. */
void lt__seen_values(const struct lt_program *, struct lt_arena *, struct lt_seen **out, int32_t *n);
/* The node of the optimised graph that the tree's node of that name is, or is a copy or clone of; -1: none. */
lt_node lt__base_named(const struct lt_program *, const char *name);
/* By node of the optimised graph, in the arena: whether the schedule has a clone of it. */
bool *lt__computed_again(const struct lt_program *, struct lt_arena *);
/* The value out of its storage, which begins at `from`: row-major, in its dtype, bounded dims at their maximum.
 * LT_ENOMEM, without a sentence. */
lt_status lt__seen_read(const struct lt_program *, const struct lt_seen *, const void *from, void *out);

/* A run, one step at a time; what fails is reported in the instance.  seen: called once for each value, with its
 * elements as lt__seen_read gives them; they live during the call.  Constants' values that other values have
 * overwritten since they were prepared are left out.  A status other than LT_OK ends the run with it. */
typedef lt_status lt__seen_fn(void *user, const struct lt_seen *, const void *data);
lt_status lt__instance_observe(
	struct lt_instance *, const void *const *input, void *const *result, lt__seen_fn *seen, void *user);
#endif
