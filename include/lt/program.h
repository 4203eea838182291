/* lt/program.h -- compiling a graph and running it.
 *
 * lt_compile cuts a graph into kernels, plans memory, compiles; lt_program_bind gives the constants; an
 * instance runs.  What depends only on constants is computed once, before the first instance is made.
 * Inputs, constants, states and results are enumerated in the order of the graph: kind and number i.
 * Data is row-major; a dim that is bounded by a run-time scalar is laid out at its maximum.
 * A program belongs to its context, its instances to the program: free instances first.
 *
 * Threads.  A compiled program is shared: several threads may use instances of it at once, each instance by one
 * thread at a time.  They share code and what is computed from constants, which is done once.  lt_instance_new,
 * and what only asks a program (its count, names, types, sizes and stats), may be called by any thread, also
 * while instances run.  All other calls on a context or a program, such as lt_compile, lt_program_bind and
 * lt_program_dump, are made by one thread at a time, also while instances of its programs run; different
 * contexts are independent.  Backends that do not promise that their code may run on several threads
 * at once (LT_PROMISE_RUN_TOGETHER) run one kernel at a time: the threads take turns.
 * Failures.  What fails in an instance, lt_instance_new included, is reported by lt_instance_message, not by the
 * context: two threads never share a sentence.  All other calls report to the context.
 * Pointers.  No argument may be NULL unless its function says so.
 */
#ifndef LT_PROGRAM_H
#define LT_PROGRAM_H
#include "lt/backend.h"
#include "lt/context.h"
#include "lt/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

struct lt_program;
struct lt_instance;
struct lt_looptree;

/* One reason why a backend did not take a kernel. */
struct lt_refusal {
	uint32_t size;
	lt_status code;
	const char *backend;
	const char *node;               /* of the graph, without %; NULL: not known */
	const char *loop;               /* its var; NULL: not known */
	const char *file;               /* of the script, with the node's place; NULL, 0: not known */
	int32_t line, column;
	const char *text;               /* a sentence without a full stop */
	const char *remedy;             /* the nearest change that would make it work, or NULL */
};
/* A node that a kernel computes.  derived: the tree added it (packed copies, partial sums). */
struct lt_kernel_node {
	uint32_t size;
	const char *name, *op, *file;           /* without %; file NULL, line 0: unknown */
	const char *part;                       /* the node of the model that it is of, "/layer1/conv1"; NULL: it has lines */
	int32_t line, column;
	uint32_t derived;
};
/* What the backend decided of a kernel's loops and statements, and why it was not better; of one that says so. */
struct lt_decided {
	uint32_t size;
	const char *node, *loop, *file;         /* as in lt_refusal */
	int32_t line, column;
	const char *text;
};
/* Which backend takes a kernel, and why those before it refused. */
struct lt_explained {
	uint32_t size;
	const char *kernel;
	const char *backend;            /* NULL: none takes it */
	const char *same_as;            /* the kernel whose code it runs, NULL: its own */
	const struct lt_refusal *refusal;
	uint32_t n_refusal;
	int32_t n_block;                /* a copy of very many pieces, or of constants, that the program makes in this many
	                                 * blocks: backend is "host"; -1: a kernel */
	const struct lt_decided *decided;
	uint32_t n_decided;             /* 0 of a kernel that runs another one's code, and where nothing was compiled */
	uint32_t n_node;
	const struct lt_kernel_node *node;      /* that it computes, in order */
	int32_t root;                   /* of the nest in the tree (lt_program_tree): an lt_tnode */
};
/* As lt-run --explain prints it. */
LT_API void lt_explained_print(const struct lt_explained *, lt_write *, void *user);

/* All zero: the defaults; size must be sizeof (struct lt_options).  The functions in it must not call the library,
 * except what only asks a program, lt_explained_print and the functions of lt/status.h; log may also make an instance,
 * but not while constants are computed (LT_EINVAL). */
struct lt_options {
	uint32_t size;
	uint32_t n_thread;      /* for compiling and running; 0: as many as there are processors */
	/* "cpu", "ref", "mine:config,cpu"; NULL: "cpu".  The first that accepts a kernel takes it; a nest that one refuses
	 * gets new loops for the next, unless the tree is the user's. */
	const char *backends;
	uint32_t strict;        /* 1: a kernel that the first backend refuses is an error */
	uint32_t no_passes;     /* 1: the graph unchanged, except that unused nodes are left out */
	const char *cc;         /* C compiler; NULL: "cc" */
	/* A folder of the user's own for compiled code, made where it is missing; NULL: none.  One that others may
	 * write to, or that holds other files, is an error (cache_optional); a disk that is full or read-only is
	 * reported in log, and nothing is cached. */
	const char *cache_dir;
	/* Called as kernels are compiled, before that as plans of libraries are built: done of total.  May be NULL. */
	void (*progress)(void *user, int32_t done, int32_t total);
	void *user;
	/* The loop tree to run by, in its text form, or a list of primitives (docs/tree.md, docs/schedule.md); NULL:
	 * the default tree.  Never rebuilt: what does not fit the graph, or a backend, is an error.  Read during
	 * lt_compile only. */
	const char *schedule;
	size_t schedule_bytes;          /* 0: the text ends with a 0 */
	const char *schedule_name;      /* for messages; NULL: "schedule" */
	/* Primitives, without the line "schedule 1", that are applied to that tree: "split m 6; unroll m'"; NULL: none. */
	const char *apply;
	/* 1: no kernel is compiled: the program can be shown (not LT_SHOW_SOURCE, _ASM, _KERNEL, _STATS), not run */
	uint32_t plan_only;
	uint32_t no_capture;    /* 1: a run is never recorded to be run again by one call of the backend */
	/* 1: runs, and what crosses in them, are timed on the devices that can (lt_stats.device_ns, send_ns, bring_ns) */
	uint32_t device_time;
	/* Called (with user) for each kernel in order when all are compiled, and also when no backend takes one of them,
	 * before lt_compile fails.  What it is given is valid during the call.  May be NULL. */
	void (*explain)(void *user, const struct lt_explained *);
	/* What a backend reports besides errors (with user); level: enum lt_log.  Called by the thread that called the
	 * backend: where several run instances, by several at once with the same user.  May be NULL. */
	void (*log)(void *user, int level, const char *text);
	const char *temp_dir;   /* temporary files are made there (lt_host.temp_dir); NULL: the system's folder, /tmp */
	/* Asked (with user) a few times a second while something is compiled, by the thread that called.  If it is not 0,
	 * running compilers are ended, their files removed, and the call returns LT_ECANCELLED.  May be NULL. */
	int (*cancelled)(void *user);
	uint32_t cc_timeout_ms; /* a C compiler that takes longer for one kernel is ended, and has failed; 0: 60 s */
	/* 1: as plan_only, but with LT_SHOW_SOURCE and LT_SHOW_KERNEL: kernels are printed, and no compiler is needed */
	uint32_t source_only;
	uint32_t cache_optional;        /* 1: a cache_dir that cannot be used is reported in log and ignored */
	/* With source_only: the letter of the step after which LT_SHOW_KERNEL shows kernel programs (docs/kernel.md); 0:
	 * finished ones */
	uint32_t kernel_step;
	/* 1: runs never call sched_setaffinity, which they do for the library's own threads (docs/cpu.md): for processes
	 * that a filter of system calls ends for it */
	uint32_t no_affinity;
	/* Inputs, states and results whose data is in the memory of the device that runs the kernels which read and write
	 * them: names with commas between them; "*": all inputs that no run-time scalar is read from, and all results.  What
	 * is given for them are handles of that memory: what mem_new of the backend gave, for cuda any address of the device
	 * that is a multiple of 64 bytes (another one is LT_EINVAL).  The caller may write to it on the device whenever no run
	 * that was enqueued uses it; a run-time scalar of a state there is fetched, and waited for, when a run begins.
	 * NULL: none */
	const char *on_device;
	/* 1: each run takes the time of its kernels (lt/profile.h).  It is not recorded, and instances of the program run one
	 * at a time; results stay the same. */
	uint32_t profile;
	/* 1: constants take no more memory than the caller's: no default tree packs one before the first run, as it does
	 * else for products of many rows; these pack panels in each run.  What is computed from constants alone is still
	 * computed once. */
	uint32_t unpacked;
	/* A folder of operations of the user's own (docs/own-kernels.md): calls of those that have a kernel there are done by
	 * it, where a backend can.  NULL: what they mean is computed as everything else is */
	const char *kernels;
	/* Told (with user) which kernel of the folder a thread is about to run, and NULL when it has returned: for those who
	 * want to say in which one the process has crashed.  May be NULL. */
	void (*running)(void *user, const char *name);
};
enum lt_binding { LT_BINDING_INPUT, LT_BINDING_CONSTANT, LT_BINDING_STATE, LT_BINDING_RESULT };

/* The graph is read during the call only.  options: NULL for the defaults. */
LT_API lt_status lt_compile(
	struct lt_context *, const struct lt_graph *, const struct lt_options *, struct lt_program **out);
/* The same by a tree of the caller's (lt/looptree.h), finished, over what the passes make of this graph: the tree of
 * another program of it (lt_program_tree), changed or not.  Its text is read (docs/tree.md), so that it is borrowed for
 * the call only; it is never rebuilt.  Another schedule in the options is LT_EINVAL; apply is done to the tree. */
LT_API lt_status lt_compile_tree(struct lt_context *, const struct lt_graph *, const struct lt_looptree *,
	const struct lt_options *, struct lt_program **out);
LT_API void lt_program_free(struct lt_program *);               /* NULL: nothing */
/* What it was compiled by: the graph after the passes, and the tree over that, with what the tree adds to it.  They
 * live as long as the program. */
LT_API const struct lt_graph *lt_program_graph(const struct lt_program *);
LT_API const struct lt_looptree *lt_program_tree(const struct lt_program *);

/* Names live as long as the program.  Of an i or axis that is not there: NULL, 0 (lt_program_dtype: the number 0). */
LT_API int32_t lt_program_count(const struct lt_program *, enum lt_binding);
LT_API const char *lt_program_name(const struct lt_program *, enum lt_binding, int32_t i);
LT_API int32_t lt_program_find(const struct lt_program *, enum lt_binding, const char *name);      /* -1: no such */
LT_API enum lt_dtype lt_program_dtype(const struct lt_program *, enum lt_binding, int32_t i);
LT_API int32_t lt_program_rank(const struct lt_program *, enum lt_binding, int32_t i);
LT_API int64_t lt_program_extent(const struct lt_program *, enum lt_binding, int32_t i, int32_t axis);    /* maximum */
LT_API size_t lt_program_bytes(const struct lt_program *, enum lt_binding, int32_t i);
/* Whether the program reads it at all: inputs and constants that only unused nodes read need not be given. */
LT_API int lt_program_needs(const struct lt_program *, enum lt_binding, int32_t i);

/* Where the caller gives it: the name of the backend in whose memory it is (lt_options.on_device); NULL: the host's.
 * align: of that address, in bytes. */
LT_API const char *lt_program_device(const struct lt_program *, enum lt_binding, int32_t i);
LT_API size_t lt_program_align(const struct lt_program *, enum lt_binding, int32_t i);
/* 1: the extent of the axis differs from run to run, and lt_program_extent is its maximum. */
LT_API int lt_program_is_open(const struct lt_program *, enum lt_binding, int32_t i, int32_t axis);

/* Gives constant i; before the first instance.  copy 0: borrowed until the program is freed, with the alignment and
 * without the overlap that lt_instance_run asks for.  Else it is copied, and neither matters. */
LT_API lt_status lt_program_bind(struct lt_program *, int32_t i, const void *data, int copy);
/* Writes bytes [offset, offset + bytes) of a constant, dense and row-major, to `to`: whole elements, aligned to their
 * type.  What it answers but LT_OK is the code with which lt_instance_new, or the export, fails. */
typedef lt_status lt_fill(void *user, size_t offset, size_t bytes, void *to);
/* Gives constant i by a function, which the first lt_instance_new calls until all of it was asked for: of a constant
 * that only devices read the host then has one piece at a time, whatever its size (and where several devices read it,
 * each asks for all).  A program that is exported as C text (source_only) has no instance: there the export calls it,
 * for all of each constant that is so given.  The function is called by the thread that makes the instance, or exports,
 * and calls nothing of this program. */
LT_API lt_status lt_program_bind_fill(struct lt_program *, int32_t i, lt_fill *, void *user);
/* A new instance: its own states (zeros) and workspace.  LT_EMISSING names the constants not yet bound.  On failure,
 * too, *out is an instance: one that holds the sentence and its code, refuses all else with that code, and is to be
 * freed.  It is NULL only where there was no memory for it. */
LT_API lt_status lt_instance_new(struct lt_program *, struct lt_instance **out);
/* The same, but states that another instance, of this or another program, has by the same name are one memory: each run
 * of either finds what the last run of any of them left.  They have the same type and extents (LT_EINVAL), and
 * lt_options.on_device does not name them.  Those that share count as one instance: one thread at a time uses them, and
 * none of their runs is left enqueued when another one's begins.  They are freed in any order; the first one's context
 * outlives them.  Where a program keeps states in a device's memory, they cross when another instance than the last one
 * runs. */
LT_API lt_status lt_instance_new_sharing(struct lt_program *, struct lt_instance *with, struct lt_instance **out);
LT_API void lt_instance_free(struct lt_instance *);             /* NULL: nothing */
/* The sentence of the instance's last failure, "" if none, and its code; valid until the next call on it.  NULL, which
 * lt_instance_new left: "out of memory", LT_ENOMEM. */
LT_API const char *lt_instance_message(const struct lt_instance *);
LT_API lt_status lt_instance_code(const struct lt_instance *);
/* One run: input[i], result[i] in enumeration order.
 * Size.       lt_program_bytes each, even where a run-time extent leaves a part of it unused.
 * Alignment.  That of its element type is enough, for results and borrowed constants, too.
 * Overlap.    No input, result or borrowed constant (lt_program_bind) shares a byte with another one, or with a state
 *             (lt_instance_state): compiled code relies on it, and nothing is checked.  This holds for two results
 *             of one value and for two inputs of the same content, too.  They may touch.
 * NULL.       input[i] may be NULL where lt_program_needs says 0, `input` if there are no inputs.  No result may.
 * Contents.   Inputs are only read, results only written.  Both, and their addresses, may change from run to run.
 *             After a run that failed, results and states are undefined; a run that is refused changes nothing.
 * Allocates nothing after the first run, except what a backend needs to record the second with the same addresses
 * (lt_options.no_capture).  Refused before anything is changed if a run-time scalar is out of range. */
LT_API lt_status lt_instance_run(struct lt_instance *, const void *const *input, void *const *result);
struct lt_run {
	uint32_t size;
	/* The caller's queue on the device (CUstream, cl_command_queue): the run comes after what was enqueued there before.
	 * NULL: the instance's own.  Only of a program whose kernels all run on one device.  It lives until the caller has
	 * waited for the run.  Where it is another one than that of the run before, the host waits for that run, and what was
	 * recorded is recorded anew: for several streams make an instance for each */
	void *stream;
	const void *const *input;       /* as of lt_instance_run */
	void *const *result;
};
/* The same, but it returns when what the devices do is enqueued.  The host waits only where it needs a value: to run a
 * kernel itself, and for copies of the run before from and to its memory.  Inputs and results are lent until the next
 * call on the instance that waits: lt_instance_wait, which tells what went wrong on a device, too, lt_instance_run,
 * lt_instance_state.  With inputs and results on_device several runs may be enqueued, one behind the other. */
LT_API lt_status lt_instance_enqueue(struct lt_instance *, const struct lt_run *);
LT_API lt_status lt_instance_wait(struct lt_instance *);
/* Gives state i, which is on_device, the caller's memory, with the content that is there; before its first run, and
 * whenever nothing is enqueued. */
LT_API lt_status lt_instance_bind_state(struct lt_instance *, int32_t i, void *handle);
/* Of the last run; 0: there is no such result or axis. */
LT_API int64_t lt_instance_extent(const struct lt_instance *, int32_t result, int32_t axis);
/* The bytes of state i, to read or write until the next run.  A state in a device's memory is copied from there by this
 * call and back by the next run: call it again after each run.  NULL: there is no such state, or the device failed;
 * lt_instance_message says which. */
LT_API void *lt_instance_state(struct lt_instance *, int32_t i);
LT_API void lt_instance_reset(struct lt_instance *);                    /* states to zeros */
/* Asked (with user) at most fifty times a second between the kernels of a run, on the thread that runs; if it is not 0,
 * the run ends with LT_ECANCELLED, and results and states are undefined.  A kernel is not interrupted, nor what a
 * device does, nor the kernels of a run that a backend recorded (lt_options.no_capture), which on the host take below
 * 20 ms.  So another thread, or a signal's handler, sets what the function looks at.  NULL: nobody is asked. */
LT_API void lt_instance_cancel(struct lt_instance *, int (*cancelled)(void *user), void *user);

/* Facts. */
struct lt_stats {
	uint32_t size;                  /* set by the caller: sizeof (struct lt_stats) */
	/* distinct kernels; of them compiled, from the cache; launches a run */
	int32_t n_kernel, n_compiled, n_cached, n_launch;
	int64_t workspace_bytes, intermediate_bytes;            /* peak, and the sum of all intermediates */
	int64_t constant_bytes;                                 /* of what is computed from constants once */
	/* Of one run, with run-time extents at their maximum: useful operations (struct lt_work); bytes read and written, each
	 * element once per kernel. */
	int64_t flops, bytes;
	int64_t passes_ns, tree_ns, freeze_ns, compile_ns, bind_ns;
	/* Kernels with parallel loops; of them those whose backend cannot run these on several threads; the maximum number of
	 * threads of a run. */
	int32_t n_parallel, n_serialised, n_thread;
	int64_t kernel_bytes;           /* of the workspace of the kernel that needs the most */
	/* Crossing between memories: copies of a run, their bytes; of what a program keeps in device memory, constants
	 * and one instance. */
	int32_t n_move;
	int64_t move_bytes, device_bytes;
	/* Since the program was made, over all instances: runs, of them those with recorded parts, time of crossing,
	 * and (device_time) on devices. */
	int64_t n_run, n_replayed, move_ns, device_ns;
	/* of one run: operations that run, as in struct lt_work; run-time extents at their maximum */
	int64_t executed;
	int64_t accept_ns;              /* backends are asked what they take: those that print kernel programs make them */
	/* Of the copies of a run (n_move): from the host's memory to devices', and back; the rest is between devices.  once:
	 * of constants, before the first run.  The times are parts of move_ns: with device_time by the devices' clocks,
	 * else of the host's calls, which may only enqueue. */
	int32_t n_send, n_bring, n_once;
	int64_t send_bytes, bring_bytes, once_bytes;
	int64_t send_ns, bring_ns, once_ns;
	/* Plans of libraries, with a cache: built and kept there, read from there, since the program was made. */
	int32_t n_plan_kept, n_plan_read;
};
/* Fills as many bytes as size says, and sets size to how many these are. */
LT_API void lt_program_stats(const struct lt_program *, struct lt_stats *);

/* What one run does.  An operation is one value that an operator computes: arithmetic, a comparison, logic, a function.
 * Each counts one, whatever it costs: a multiply-add is two, max is one, exp is one, and a reduction has one for each
 * term.  What moves or chooses a value is not an operation: copy, cast, select, view, gather, update; nor are
 * addresses, guards and the start of a sum.  What depends only on constants is computed once, when they are bound,
 * and is no part of any run. */
struct lt_work {
	uint32_t size;                  /* as in struct lt_stats */
	int64_t useful;                 /* what the graph after the passes asks for: each element of each node, once */
	int64_t executed;               /* what the loops run: also padded iterations, values that are computed again, sums of
	                                 * partial results */
	/* read and written: of each tensor what a kernel accesses, once; copies of whole tensors */
	int64_t bytes;
};
/* Of the instance's last run, by the values of its run-time scalars; with run-time extents at their maximum before the
 * first one, and after a run that was refused.  Not cheap: it counts. */
LT_API lt_status lt_instance_work(const struct lt_instance *, struct lt_work *);
enum lt_dump_kind {
	LT_SHOW_GRAPH,
	LT_SHOW_TREE,
	LT_SHOW_ACCESS,
	LT_SHOW_FROZEN,
	LT_SHOW_SOURCE,
	LT_SHOW_PLAN,
	LT_SHOW_EXPLAIN,
	LT_SHOW_ASM,
	LT_SHOW_KERNEL,         /* kernel programs, of backends that make them of the trees */
	LT_SHOW_STATS,          /* numbers of each kernel's code, lines "NAME NUMBER" after one "kernel NAME" */
	/* a default tree as the primitives that make it of the plain one, which lt_options.schedule takes; LT_EUNSUPPORTED:
	 * it is not made so */
	LT_SHOW_SCHEDULE
};
/* Its kernels, in the order of the tree's nests: those of a run and those that compute what depends on constants only.
 * explained: what lt_options.explain is told of kernel i; lives as long as the program.  One thread at a time. */
LT_API int32_t lt_program_kernels(const struct lt_program *);
LT_API lt_status lt_program_explained(struct lt_program *, int32_t i, const struct lt_explained **out);
/* Of kernel i alone, LT_SHOW_ACCESS, FROZEN, SOURCE, ASM, KERNEL or STATS, whole: source has the definitions that it
 * uses.  The last four are, of one that runs another one's code (lt_explained.same_as), that one's.  LT_EINVAL,
 * LT_EUNSUPPORTED: as of lt_program_dump; LT_EINVAL: one that the program makes itself (n_block >= 0) has no code. */
LT_API lt_status lt_program_kernel_dump(
	const struct lt_program *, int32_t i, enum lt_dump_kind, lt_write *, void *user);
/* The program as text, in pieces: write(user, text, bytes).  SOURCE, ASM and STATS are what the backends print of each
 * kernel; LT_EINVAL: the program was compiled without it (plan_only, source_only), LT_EUNSUPPORTED: its backend has
 * none. */
LT_API lt_status lt_program_dump(const struct lt_program *, enum lt_dump_kind, lt_write *, void *user);

#ifdef __cplusplus
}
#endif
#endif
