/* session.h -- what the files of the backend share: sessions, queues, objects. */
#ifndef LT_CUDA_SESSION_H
#define LT_CUDA_SESSION_H
#include <pthread.h>
#include "backends/cuda/blas.h"
#include "backends/cuda/code.h"
#include "backends/cuda/driver.h"
#include "backends/cuda/pool.h"
#include "kernel/form/form.h"

/* From only on: what only backends with a library more take (struct lt_cuda_more); workspace, tries 0: not said. */
struct lt_cuda_config { int device; bool tf32, gelu, generated, exact, only; int64_t workspace, tries; };

/* What is known of a device. */
struct lt_cuda_facts {
	char name[128], arch[16];       /* arch: "sm_90a" */
	int major, minor;
	int max_threads, shared_bytes, multiprocessor_shared_bytes, bus_bits, memory_khz;
	size_t memory_bytes;
};

/* Fault records of a recorded sequence that was enqueued: where they have landed, and whose they are. */
struct lt_cuda_landing {
	struct lt_cuda_landing *before; /* enqueued in that stream before it, and not waited for either */
	struct lt_fault *landed, **fault;
	uint32_t n;
	bool enqueued;
};

/* A stream, and the fault records of the runs that were enqueued in it since it was last waited for. */
enum { LT_CUDA_FAULTS = 64, LT_CUDA_STAGED = 256 << 10 };
struct lt_cuda_queue {
	struct lt_cuda_queue *next;
	CUstream stream;
	bool own, busy;                 /* own: the session's; busy: a call uses it */
	bool made;                      /* by lt__cuda_stream_new: it is there until lt__cuda_stream_free, as an own one is */
	bool running;                   /* asynchronous runs were enqueued, and nobody has waited for them */
	/* What another queue has to wait for.  Of a caller's stream: recorded behind each run, since the stream may be gone
	 * when somebody asks what became of it */
	CUevent order;
	CUdeviceptr device_fault;       /* LT_CUDA_FAULTS records, and where they are copied to: */
	struct lt_fault *landed;
	uint32_t n_fault;
	struct lt_fault *fault[LT_CUDA_FAULTS];
	struct lt_cuda_landing *replayed;       /* asynchronously, and not waited for */
	void *staged;                   /* pinned, LT_CUDA_STAGED bytes for what goes to pageable memory; NULL: none did yet */
	CUdeviceptr workspace;          /* of calls; 0: not asked for yet */
	size_t workspace_bytes;
	void *handle;                   /* of the library of lt_cuda_more; NULL: not asked for yet */
	char kernel[64];                /* of the last run, for what goes wrong in it */
};

struct lt_session {
	struct lt_caps caps;
	struct lt_target target;
	char target_name[32];
	struct lt_machine machine;      /* what trees are lowered for */
	struct lt_cuda_driver cuda;
	struct lt_cuda_nvrtc nvrtc;
	struct lt_cuda_blas blas;
	struct lt_cuda_config config;
	struct lt_cuda_facts facts;
	bool absent;                    /* no driver, and so no device: texts alone, as for the one in device.c */
	const struct lt_host *host;
	const struct lt_cuda_more *more;        /* NULL: the backend cuda itself */
	void *library;                  /* of `more` */
	CUdevice device;
	CUcontext context;
	struct lt_cuda_pool pool;
	/* Of what is below, and of the pool: several threads may run objects of one session. */
	pthread_mutex_t lock;
	pthread_cond_t freed;           /* a queue is no longer busy */
	struct lt_cuda_queue *queues;   /* the first is the session's own */
	CUresult lost;                  /* what the device failed of; nothing works in its context any more */
	char lost_text[200];
};

struct lt_object {
	struct lt_session *s;
	const struct lt_tree *tree;
	struct lt_cuda_code code;
	CUmodule module;
	CUfunction *function;           /* one a grid */
	/* Of each run, whatever the run-time scalars are; else they are asked for before each. */
	bool recorded;
	bool follows;                   /* some launch has fewer blocks, where they are known before the run */
	struct lt_cuda_launches launches;
	struct lt_cuda_plan *plans;     /* of its calls; under the lock of blas */
	void *chosen;                   /* the same of the library of lt_cuda_more */
	bool loaded;                    /* from the host's cache */
};

struct lt_cuda_where { CUstream stream; CUdeviceptr fault, workspace; void *handle; };  /* the latter: of calls */
/* A call of a run.  at: where each operand begins; room: how many bytes there are from there on; NULL:
 * there is no memory yet. */
struct lt_cuda_called { const struct lt_kernel_call *call; int32_t number; const uint64_t *at, *room; };
typedef void lt__cuda_called_fn(void *user, const struct lt_cuda_called *);
/* What another backend adds to this one's sessions: a library with a routine whose calls are described.
 *
 * All with the context current, except takes.  open: behind the device: what the target has more; the session is closed
 * if it fails.  close: of a session that it did not open, too.  takes: a call of a tree; LT_EUNSUPPORTED says why not.
 * ready: the queue gets its handle.  prepare: before anything is enqueued or recorded: the call has a plan, which needs
 * so many bytes.  call: enqueues it.  forget: the object is destroyed. */
struct lt_cuda_more {
	const char *routine;            /* its calls are described, products, too */
	lt_status (*open)(struct lt_session *, struct lt_diag *);
	void (*close)(struct lt_session *);
	lt_status (*takes)(struct lt_session *, const struct lt_tree *, const struct lt_kernel_call *, struct lt_diag *);
	lt_status (*ready)(struct lt_session *, struct lt_cuda_queue *, struct lt_diag *);
	void (*queue_free)(struct lt_session *, struct lt_cuda_queue *);
	lt_status (*prepare)(struct lt_object *, const struct lt_cuda_called *, size_t *bytes, struct lt_diag *);
	lt_status (*call)(struct lt_object *, const struct lt_cuda_called *, const struct lt_cuda_where *, struct lt_diag *);
	void (*forget)(struct lt_object *);
	/* Lines of LT_DUMP_DECISIONS about what the object's calls do beside the plan. */
	void (*explain)(const struct lt_object *, lt_write *, void *user);
};

static inline const char *cuda_name(const struct lt_tree *t) { return t->name ? t->name : "?"; }

/* config.c: the items after "cuda:"; more: those of lt_cuda_more, too. */
extern const struct lt_array lt__cuda_options, lt__cudnn_options;       /* struct lt_option */
lt_status lt__cuda_config(const char *text, bool more, struct lt_cuda_config *, struct lt_diag *);
/* device.c: device, facts, target and caps of a session whose driver and NVRTC are loaded, its context still NULL;
 * or that is `absent`. */
lt_status lt__cuda_device(struct lt_session *, struct lt_diag *);
/* Which devices there are; starts the driver. */
lt_status lt__cuda_list(uint32_t i, struct lt_device *, struct lt_diag *);
void lt__cuda_describe(struct lt_session *, lt_write *, void *user);
/* context.c
 * What a call of the driver gave, as a status: LT_ENOMEM, LT_EDEVICE with the sentence "WHAT: ERROR".  An error that
 * ends the context is kept, and every later call of the backend fails with it. */
lt_status lt__cuda_check(struct lt_session *, CUresult, struct lt_diag *, const char *what, ...)
	__attribute__((format(printf, 4, 5)));
/* Makes the session's context current in this thread, until lt__cuda_leave; LT_EDEVICE: the device is lost. */
lt_status lt__cuda_enter(struct lt_session *, struct lt_diag *);
void lt__cuda_leave(struct lt_session *);
/* memory.c */
lt_status lt__cuda_mem_new(struct lt_session *, size_t bytes, void **, struct lt_diag *);
void lt__cuda_mem_free(struct lt_session *, void *);
lt_status lt__cuda_mem_copy(struct lt_session *, const struct lt_slot *dst, const struct lt_slot *src, size_t bytes,
	enum lt_copy, void *stream, struct lt_diag *);
lt_status lt__cuda_mem_peer(struct lt_session *, const struct lt_slot *dst, struct lt_session *from,
	const struct lt_slot *src, size_t bytes, void *stream, struct lt_diag *);
lt_status lt__cuda_host_new(struct lt_session *, size_t bytes, void **, struct lt_diag *);
void lt__cuda_host_free(struct lt_session *, void *);
/* Where a buffer of a program is in a run. */
uint64_t lt__cuda_buffer_address(const struct lt_kernel_buffer *, const struct lt_args *);
/* queue.c: all with the context current.
 * take: a queue for a call: that of the caller's stream, or with NULL one of the session's own: the first, if `first`,
 * or if it is free; what was enqueued asynchronously before comes first in each of them.  give: the call is over.
 * wait: until all in it is done; sets the fault records. */
lt_status lt__cuda_queue_take(
	struct lt_session *, void *stream, bool first, struct lt_cuda_queue **, struct lt_diag *);
void lt__cuda_queue_give(struct lt_session *, struct lt_cuda_queue *);
lt_status lt__cuda_queue_wait(struct lt_session *, struct lt_cuda_queue *, struct lt_diag *);
/* Behind what an asynchronous call has enqueued: only a caller's stream needs it. */
lt_status lt__cuda_queue_end(struct lt_session *, struct lt_cuda_queue *, struct lt_diag *);
/* Its records land nowhere any more. */
void lt__cuda_landing_forget(struct lt_session *, const struct lt_cuda_landing *);
void lt__cuda_queue_running(struct lt_session *, struct lt_cuda_queue *, bool);
lt_status lt__cuda_sync(struct lt_session *, void *stream, struct lt_diag *);
void lt__cuda_queues_free(struct lt_session *);
lt_status lt__cuda_stream_new(struct lt_session *, void **stream, struct lt_diag *);
void lt__cuda_stream_free(struct lt_session *, void *stream);
/* lower.c: a tree's program and its text, or why there is none. */
lt_status lt__cuda_lower(struct lt_session *, const struct lt_tree *, struct lt_cuda_code *, struct lt_diag *);
/* object.c: the object of a code; it takes the code's memory, in any case.  Without a cubin it can only be dumped. */
lt_status lt__cuda_object(
	struct lt_session *, const struct lt_tree *, struct lt_cuda_code *, struct lt_object **, struct lt_diag *);
void lt__cuda_destroy(struct lt_object *);
/* compile.c: code[i], which has no cubin yet, becomes object[i] for tree[i]; all or nothing.  It takes the codes'
 * memory, in any case. */
lt_status lt__cuda_compile(struct lt_session *, const struct lt_tree *const *, struct lt_cuda_code *, uint32_t n,
	struct lt_object **, struct lt_diag *);
/* run.c
 * check: LT_EINVAL, before anything is touched.  enqueue: these launches, in a stream; fault: the record in the
 * device's memory, 0 if no launch takes one. */
lt_status lt__cuda_run_check(const struct lt_object *, const struct lt_args *, struct lt_diag *);
lt_status lt__cuda_enqueue(struct lt_object *, const struct lt_cuda_launches *, const struct lt_args *,
	const struct lt_cuda_where *, struct lt_diag *);
lt_status lt__cuda_run(struct lt_object *, const struct lt_args *, struct lt_diag *);
/* blas.c.  With the context current: opens the library once; LT_ELOAD, LT_EDEVICE.  check: what it returned, of a
 * kernel. */
lt_status lt__cuda_blas_open(struct lt_session *, const char *kernel, struct lt_diag *);
void lt__cuda_blas_close(struct lt_session *);
lt_status lt__cuda_blas_check(
	struct lt_session *, cublasStatus_t, struct lt_diag *, const char *kernel, const char *what);
/* blas_plan.c.  With the context current.
 * prepare: before anything is enqueued or recorded: each call has a plan; how much memory they need.  Without args: for
 * operands in memory of the pool.  call: launch i, which is one. */
lt_status lt__cuda_calls_prepare(
	struct lt_object *, const struct lt_cuda_launches *, const struct lt_args *, size_t *bytes, struct lt_diag *);
lt_status lt__cuda_call(struct lt_object *, const struct lt_cuda_launches *, uint32_t i, const struct lt_args *,
	const struct lt_cuda_where *, struct lt_diag *);
void lt__cuda_plans_free(struct lt_object *);
/* Each described call, with operands in memory of the pool. */
void lt__cuda_described(struct lt_object *, const struct lt_cuda_launches *, lt__cuda_called_fn *, void *user);
/* What was chosen so far, to be saved: malloc's, or NULL; LT_ENOMEM. */
lt_status lt__cuda_choices(const struct lt_object *, char **, size_t *bytes);
/* capture.c */
lt_status lt__cuda_capture(struct lt_session *, struct lt_object *const *, const struct lt_args *, uint32_t n,
	struct lt_capture **, struct lt_diag *);
lt_status lt__cuda_replay(struct lt_capture *, struct lt_diag *);
void lt__cuda_capture_free(struct lt_capture *);
/* event.c */
lt_status lt__cuda_event_new(struct lt_session *, struct lt_event **, struct lt_diag *);
lt_status lt__cuda_event_record(struct lt_event *, void *stream, struct lt_diag *);
lt_status lt__cuda_event_ns(struct lt_event *from, struct lt_event *to, int64_t *ns, struct lt_diag *);
void lt__cuda_event_free(struct lt_event *);
lt_status lt__cuda_event_wait(struct lt_event *, struct lt_diag *);
lt_status lt__cuda_stream_wait(struct lt_session *, void *stream, struct lt_event *, struct lt_diag *);
/* save.c */
lt_status lt__cuda_identity(struct lt_session *, lt_write *, void *user, struct lt_diag *);
lt_status lt__cuda_save(const struct lt_object *, lt_write *, void *user, struct lt_diag *);
lt_status lt__cuda_load(struct lt_session *, const struct lt_tree *, const void *data, size_t bytes,
	struct lt_object **, struct lt_diag *);
/* dump.c */
lt_status lt__cuda_dump(const struct lt_object *, enum lt_dump, lt_write *, void *user);
#endif
