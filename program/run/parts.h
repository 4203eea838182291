/* parts.h -- between the files of program/run/. */
#ifndef LT_PROGRAM_RUN_PARTS_H
#define LT_PROGRAM_RUN_PARTS_H
#include "program/run/run.h"

/* Bytes that blocks are allocated larger, so that they can begin at a multiple of 64. */
enum { LT_ALIGNMENT_SLACK = 64 };
/* Device memory of a program (constants and what is made of them), or of an instance (the rest). */
struct lt_device_memory {
	void **block; int32_t n_block;          /* as mem_new gave them */
	struct lt_slot *where;                  /* by storage: where it begins; bytes 0: not there */
	void *scratch;
	int64_t bytes;                          /* of all blocks */
};
/* What an instance has enqueued in one memory, and nobody has waited for. */
struct lt_run_queue {
	void *stream;                           /* NULL: the session's own */
	bool own;                               /* made by the instance */
	bool busy, sends, brings;               /* something is enqueued; copies from the host's memory are; copies to it */
	struct lt_event *order;                 /* what others wait for; NULL: they wait for all of it */
	bool ends;                              /* it stands behind the last run, and no kernel can have a fault */
};
/* The memory on the host of the states that one instance has brought, as long as an instance has one of them. */
struct lt_state_memory {
	struct lt_arena *arena;                 /* of this, too */
	int64_t n_use;                          /* states in it, counted for each instance that has them */
};
/* What all instances that share states have in common. */
struct lt_states {
	struct lt_context *memory;              /* that it is from */
	struct lt_context ctx;                  /* of their memory: the same, failures of its own; of a lost device */
	int32_t n_user;
	struct lt_instance *newest;             /* the one that ran last: its devices have the newest bytes; NULL: none */
};
/* Adds to a count that one thread writes. */
static inline void lt__count_up(_Atomic int64_t *count, int64_t n)
{
	atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + n, memory_order_relaxed);
}

/* -- steps.c */
/* LT_ECANCELLED, with its sentence, where the instance's caller wants no more of the run (lt_instance_cancel), who is
 * asked once in so many ns. */
enum { LT_ASK_NS = 20000000 };
lt_status lt__run_unwanted(struct lt_context *);
/* A copy within a memory, as a launch of no object: to, from. */
struct lt_args lt__copy_args(
	const struct lt_program *, const struct lt_pstep *, const struct lt_addresses *, struct lt_slot *);
/* The record that a step's launch gets: with queues the step's own, else `one`. */
struct lt_fault *lt__step_fault(
	const struct lt_program *, const struct lt_pstep *, const struct lt_addresses *, struct lt_fault *one);
/* Bytes of a storage from one memory to the other; offset in elements. */
lt_status lt__move(struct lt_program *, const struct lt_pstep *move, const struct lt_addresses *);
/* One int64 of a storage, enqueued. */
lt_status lt__fetch_element(const struct lt_program *, int32_t storage, int32_t memory, int64_t element,
	const struct lt_addresses *, int64_t *out);
/* All bytes of a storage out of a device's memory; nothing is planned or remembered. */
lt_status lt__fetch(const struct lt_program *, int32_t storage, int32_t memory, const struct lt_addresses *, void *out);

/* queue.c: the instance's queues, and waiting for them.
 * wait: until all in that memory is done; LT_EFAULT: a kernel of it had an index out of range.  wait_all: in each, also
 * where one has failed; the first failure.  before_host: the host's memory is about to be read, or also written: waits
 * for the copies that are in the way, in all queues but that of memory `own` (0: in all). */
lt_status lt__queues_new(struct lt_instance *);
void lt__queues_free(struct lt_instance *);
lt_status lt__queue_wait(struct lt_program *, const struct lt_addresses *, int32_t memory);
/* What is enqueued in memory `to` from now on comes after what is in `from`. */
lt_status lt__queue_follow(struct lt_program *, const struct lt_addresses *, int32_t to, int32_t from);
/* A run of all kernels has been enqueued in memory 1's queue. */
lt_status lt__queue_end(struct lt_program *, const struct lt_addresses *);
/* Waits, and reports nothing: of memory, or (0) of all. */
void lt__queue_settle(struct lt_instance *, int32_t memory);
lt_status lt__queue_wait_all(struct lt_program *, const struct lt_addresses *);
lt_status lt__queue_before_host(struct lt_program *, const struct lt_addresses *, int32_t own, bool writes);

/* states.c.  new: the instance's states; those that `with` (NULL: none) has by the same names are that one's.  free: of
 * r alone. */
lt_status lt__states_new(struct lt_instance *r, struct lt_instance *with);
void lt__states_free(struct lt_instance *r);
/* run.c.  to_host: waits; the host has the newest bytes of state i.  bring: the same of all that others have, too.
 * take: what another one left in them is r's. */
lt_status lt__state_to_host(struct lt_instance *, int32_t i);
lt_status lt__states_bring(struct lt_instance *from);
lt_status lt__states_take(struct lt_instance *r);

/* run.c: what every run does before its first step: checks what is given, reads and checks the parameters, finds the
 * addresses. */
lt_status lt__instance_begin(struct lt_instance *, const void *const *input, void *const *result,
	struct lt_addresses *out);
/* params.c.  read: and checks them, before anything is enqueued.  fetch: those of states on devices, for the next run;
 * enqueued. */
lt_status lt__params_read(struct lt_instance *, const struct lt_addresses *);
lt_status lt__params_fetch(struct lt_instance *, const struct lt_addresses *);
/* Where the host reads param i in a run; NULL: it is on a device, or nothing that is used has it. */
const int64_t *lt__param_address(const struct lt_instance *, int32_t i, const struct lt_addresses *);
/* constants.c.  Runs what depends on constants only, once, whichever thread is first.  What fails is reported in ctx,
 * the caller's own. */
lt_status lt__constants_prepare(struct lt_program *, struct lt_context *ctx);
/* fill.c.  own: memory for a copy of constant i; bound again, it is used again.  fill: holds (run.h) what
 * the host reads.  send: hands pieces of it to
 * `send`. */
lt_status lt__constant_own(struct lt_program *, struct lt_context *, int32_t i);
lt_status lt__constants_fill(struct lt_program *, struct lt_context *);
/* aligned.c: as lt__aligned_new, of what is written before it is read. */
void *lt__aligned_unset(struct lt_arena *, size_t bytes, size_t align);
/* Copies of what kernels of the host read, and which is not aligned to its type. */
lt_status lt__constants_align(struct lt_program *, struct lt_context *);
typedef lt_status lt_piece(void *user, size_t at, size_t bytes, const void *piece);
lt_status lt__constant_send(struct lt_program *, struct lt_context *, int32_t i, size_t offset, size_t bytes,
	lt_piece *, void *user);
/* device_memory.c: device memory, its tables in the arena.  prepare: for the program; else for an instance, whose
 * tables begin as copies of the program's.  On failure, too, *out is to be freed, before the arena is. */
lt_status lt__device_memory_new(
	struct lt_context *, struct lt_program *, bool prepare, struct lt_arena *, struct lt_device_memory **out);
void lt__device_memory_free(const struct lt_program *, struct lt_device_memory *);      /* NULL: nothing */
/* record.c: a whole run, in the order of its segments; replayed where it was recorded. */
void lt__recorder_new(struct lt_instance *);           /* sets r->recorder, in the arena */
void lt__recorder_free(struct lt_instance *);
void lt__recorder_forget(struct lt_instance *);         /* what was recorded is void */
lt_status lt__instance_segments(struct lt_instance *, const struct lt_addresses *);
/* Whether a run with these inputs and results repeats recorded launches and does nothing else; whether its parameters,
 * too, are those of the run before, which was not refused; that run, when they are read. */
bool lt__recorder_repeats(const struct lt_instance *, const void *const *input, void *const *result);
bool lt__recorder_same_params(const struct lt_instance *);
lt_status lt__recorder_repeat(struct lt_instance *, const struct lt_addresses *);
/* those of the backends that can, into r->event where it is made */
lt_status lt__events_new(struct lt_instance *);
void lt__events_free(struct lt_instance *);

/* -- event.c.  new: LT_OK with NULL where the backend has none; times: "runs", for the sentence.  free: NULL is
 * nothing.  record: whether it is; of NULL it never is. */
lt_status lt__event_new(struct lt_context *, const struct lt_opened *, const char *times, struct lt_event **out);
void lt__event_free(const struct lt_opened *, struct lt_event *);
bool lt__event_record(const struct lt_opened *, struct lt_event *, void *stream);

/* -- crossing.c */
struct lt_crossing {
	struct lt_event **event;                /* two a step of the plan's run that moves; NULL: its backend has none */
	bool *recorded;                         /* by step: both are, and not yet read */
};
/* With lt_options.device_time; else the instance's crossing stays NULL. */
lt_status lt__crossing_new(struct lt_instance *);
void lt__crossing_free(struct lt_instance *);
/* Around a move. */
lt_status lt__crossing_begin(struct lt_program *, const struct lt_pstep *, const struct lt_addresses *,
	int64_t *begin_ns);
lt_status lt__crossing_end(struct lt_program *, const struct lt_pstep *, const struct lt_addresses *, int64_t begin_ns);
/* What was recorded is counted, or left: of a run that failed. */
lt_status lt__crossing_read(struct lt_instance *);
void lt__crossing_forget(struct lt_instance *);

/* -- profile.c */
/* Which step of the plan's run it is; -1: another one. */
int32_t lt__run_step(const struct lt_program *, const struct lt_pstep *);
/* What a thread did in the parallel loop that is under way; a cache line of its own. */
struct profiled_thread { _Alignas(64) int64_t begin_ns, end_ns, busy_ns, n_range; };
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
#endif
