/* lt/backend.h -- everything that a backend may use, and that the host may ask of it.
 *
 * A backend is one constant table, struct lt_backend.  It is handed plain data
 * (lt/tree.h: arrays of integers, no isl, nothing to free) and gives back an
 * opaque object to run.  The same source file serves linked in or as a plug-in.
 *
 * Versions.   This is 1.1.  Host and plug-in must have the same major; minors may differ
 *             in both directions: structs that begin with `size`, and elements of an
 *             lt_array, only grow at the end; all others (lt_slot, lt_fault, lt_array)
 *             never do.  Ask LT_HAS (LT_AT_HAS of an array's elements) before an optional
 *             member, or one that came later, is read, and fill `reserved` with 0.
 * Ownership.  What open() and compile() give, the host closes and destroys
 *             once: captures before their objects; objects, events, streams
 *             and memory before their session.  Everything else is borrowed for the call;
 *             what is enqueued borrows the memory that its slots name, and the
 *             fault record, until it is done.
 * Errors.     A call that fails returns a code, has reported the reason to diag in
 *             one or more diagnostics, and has left every out-parameter NULL.
 * Threads.    Tables are immutable and shared.  A session and its objects are
 *             used by one thread at a time, unless caps promise more
 *             (LT_PROMISE_RUN_TOGETHER); distinct sessions may run at once.
 *             Objects do not change after compile: two runs with different slots
 *             and workspaces do not interfere.
 *             A backend never calls the host except through diag, host and write.
 */
#ifndef LT_BACKEND_H
#define LT_BACKEND_H
#include "lt/status.h"
#include "lt/target.h"
#include "lt/tree.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LT_ABI_MAJOR 1u         /* a member moved, or changed type or meaning */
#define LT_ABI_MINOR 1u         /* a member was appended                      */
#define LT_ABI       (LT_ABI_MAJOR << 16 | LT_ABI_MINOR)
#define LT_ABI_FITS(other) ((other) >> 16 == LT_ABI_MAJOR)      /* whether what has that LT_ABI goes with this one */
#define LT_HAS(type, p, member) ((p)->size > offsetof(type, member) && (p)->member)

/* How a host or a plug-in was built; a mismatch is refused (bit 0: address sanitizer,
 * 1: thread, 2: memory). */
#if defined(__has_feature)
#define LT_FEATURE(feature) __has_feature(feature)
#else
#define LT_FEATURE(feature) 0
#endif
#ifdef __SANITIZE_ADDRESS__
#define LT_BUILD_ASAN 1u
#elif LT_FEATURE(address_sanitizer)
#define LT_BUILD_ASAN 1u
#else
#define LT_BUILD_ASAN 0u
#endif
#ifdef __SANITIZE_THREAD__
#define LT_BUILD_TSAN 2u
#elif LT_FEATURE(thread_sanitizer)
#define LT_BUILD_TSAN 2u
#else
#define LT_BUILD_TSAN 0u
#endif
#if LT_FEATURE(memory_sanitizer)
#define LT_BUILD_MSAN 4u
#else
#define LT_BUILD_MSAN 0u
#endif
#define LT_BUILD (LT_BUILD_ASAN | LT_BUILD_TSAN | LT_BUILD_MSAN)

struct lt_session;              /* a device and its state; the backend's own  */
struct lt_object;               /* one compiled tree; the backend's own       */
struct lt_capture;              /* a recorded sequence of runs; also its own  */
struct lt_event;                /* a moment in a device's queue; also its own */

typedef void lt_write(void *user, const char *text, size_t bytes);

/* One reason.  loop, stmt: index into the tree, or -1.  text: a sentence without a full stop, without the backend's
 * name. remedy: the nearest change of script, schedule or option that would make it work, or NULL.  The host itself
 * proposes other backends. */
struct lt_diagnostic { uint32_t size; lt_status code; int32_t loop, stmt; const char *text, *remedy; };
struct lt_diag {                /* where a failing call explains itself; may be NULL: no listener */
	uint32_t size;
	void (*report)(struct lt_diag *, const struct lt_diagnostic *);   /* the note is borrowed */
};
enum lt_log { LT_LOG_WARNING, LT_LOG_INFO, LT_LOG_DEBUG };

/* Services of the host; grows.  Lives until the session that it was given to is closed.  Every function may be NULL and
 * is called by the thread that called the backend; `host` is this struct. */
struct lt_host {
	uint32_t size;
	uint32_t n_thread;          /* threads that a run may use; 0: not limited */
	const char *cc;             /* C compiler command for backends that use one; NULL: "cc" */
	const char *temp_dir;       /* folder to make temporary files and folders in; NULL: the system's, /tmp */
	void *user;
	/* Called by compile as trees are done. */
	void (*progress)(void *user, int32_t done, int32_t total);
	void (*log)(const struct lt_host *, enum lt_log, const char *text);
	/* Calls body(arg, i, n) for all i < n at once, each on a thread of its own, n at most n_thread, and returns when all
	 * have ended.  Threads may be made for the call: for loops there is parallel_for.  n_thread 0 counts as 1.  A body
	 * must not call it; several threads may at once. NULL: call body(arg, 0, 1). */
	void (*parallel)(
		const struct lt_host *, uint32_t n_thread, void (*body)(void *arg, uint32_t i, uint32_t n), void *arg);
	/* The host's disk cache for facts that take long to find, under keys that begin with the backend's name.
	 * recall writes what was kept in one piece, or returns LT_EMISSING.  Compiled objects do not need it: the host caches
	 * those of a backend that has save, load and identity. */
	lt_status (*recall)(const struct lt_host *, const void *key, size_t key_bytes, lt_write *, void *user);
	void (*keep)(const struct lt_host *, const void *key, size_t key_bytes, const void *data, size_t bytes);
	/* Asked by a long call, such as compile, a few times a second.  If it is not 0, the call stops what it has
	 * begun, cleans up and returns LT_ECANCELLED.  NULL: never. */
	int (*cancelled)(const struct lt_host *);
	uint32_t cc_timeout_ms;     /* a C compiler that has not finished by then is ended, and has failed; 0: 60 s */
	uint32_t text_only;         /* 1: objects are dumped as LT_DUMP_SOURCE, KERNEL or LOCATIONS, never run: a backend that
	                             * prints text need not compile it */
	/* For a run: calls body(arg, first, last, thread) for ranges that do not overlap and together are 0 .. n-1, and
	 * returns when all have ended.  How many ranges there are, and which thread runs one, changes from call to call: it
	 * may not change what is computed, and a body may not wait for another one.  thread < n_thread; no two ranges that
	 * run at the same time have the same, so it can name a part of the workspace.  The calling thread takes part; nobody
	 * waits for a thread that has not begun.  Threads wait for the next call, and are shared by all kernels of the
	 * process.  n in points that take long enough, some thousand instructions: a range is at least one.  n_thread 0
	 * counts as 1; n <= 0: nothing is called.  Several threads may call it at once, and a body may: who finds the threads
	 * in use runs the whole range itself, as thread 0.  NULL: call body(arg, 0, n, 0). */
	void (*parallel_for)(const struct lt_host *, uint32_t n_thread, int64_t n,
		void (*body)(void *arg, int64_t first, int64_t last, uint32_t thread), void *arg);
	/* With text_only: the letter of the step after which a kernel program is dumped (lt_kernel_options.last); 0: the
	 * last. */
	uint32_t kernel_step;
	uint32_t reserved;
	/* Since 1.1.  A backend that runs kernels of one's own (LT_NEED_OWN) tells which one it is about to run, and NULL when
	 * that has returned, on the thread that runs it: so that somebody can say in which of them the process has ended. */
	void (*running)(const struct lt_host *, const char *name);
};
/* A device of this machine; its texts end with a 0. */
struct lt_device {
	uint32_t size;
	char name[128];             /* "NVIDIA H200" */
	char config[64];            /* what opens it: "device=1" */
	uint64_t bytes;             /* of its memory; 0: unknown */
};
struct lt_caps {                /* answers that hold for every tree           */
	uint32_t size;
	uint32_t device_memory;     /* 1: slots come from mem_new; 0: host memory */
	/* Bit sets 1<<enum lt_dtype, lt_loop_kind.  A tree with a buffer or an operator of another type, a loop of
	 * another kind or an unknown bit in `needs` is refused by the host, and accepts never sees it. */
	uint64_t dtypes, loops;
	uint64_t understands;       /* LT_NEED_* bits                             */
	const struct lt_target *target;         /* never NULL                     */
	uint32_t any_values;        /* 1: the purpose of its runs does not depend on values (a trace, a profile): tools give
	                             * random values to inputs and constants that the user left out, and say so */
	uint32_t reserved;
	uint64_t promises;          /* LT_PROMISE_* bits                          */
};
/* run, sync, mem_copy, and replay of captures that differ may be called by several threads at once, in streams of their
 * own, with workspaces and fault records of their own, and slots that overlap only where both read; and while another
 * call on the session is made.  A backend that does not promise it is called by one thread at a time: the host lets its
 * threads take turns. */
#define LT_PROMISE_RUN_TOGETHER (UINT64_C(1) << 0)
struct lt_slot { void *base; int64_t offset, bytes; };  /* byte offset from base; bytes usable from there */
/* The host clears it before a run.  A gather out of range adds to n (at least 1 if there was any) and leaves its
 * statement, access and value: those of one of them, if several ran at once. */
struct lt_fault {
	int64_t n; int32_t stmt, access; int64_t value;
};
struct lt_args {                /* one launch                                 */
	uint32_t size;
	uint32_t n_slot;            /* == tree->n_slot                            */
	const struct lt_slot *slot; /* those of one run do not overlap, unless the tree says so (alias_of) */
	void *workspace;            /* need() bytes at need() alignment, or NULL; its contents are undefined */
	uint32_t n_thread;          /* at most; 0: host's                         */
	uint32_t async;             /* 0: return when done; 1: it may return when enqueued, and sync waits */
	void *stream;               /* native queue (CUstream): the caller's, or of stream_new; NULL: the session's own */
	struct lt_fault *fault;     /* never NULL; host memory, set when the run, or sync, returns */
	/* The values of the tree's params, in their order, for what the host decides: how many blocks a launch has.  NULL:
	 * the host has no params, does not tell, or records runs, which are replayed with other values; the slots have them,
	 * always. */
	const int64_t *param;
};
/* SOURCE: first definitions that texts of other kernels may repeat, separated by empty lines; then the kernel's own
 * text, from a line on that begins a comment with the word kernel.  A text without such a line is entirely the kernel's
 * own.
 * STATS: lines "name number"; "parallel 1" says that the object has parallel loops, "serialised 1" that it cannot run
 * these on threads, "threads N" how many threads a run of it uses at most.
 * KERNEL: the text of the object's kernel program (docs/kernel.md), of a backend that makes one of the tree.
 * DECISIONS: what was decided when the object was made, and why it was not better, for people: lines of a loop, a
 * statement and a buffer of the tree (-1: none) and a sentence: "-1 3 2 array acc ...".
 * LOCATIONS: of a device that runs grids: where they and locals are, lines in the same form: of a loop (or of a
 * statement that is in none) the grid or call that it is, "0 -1 -1 a grid of 64 blocks of 128 threads"; of a local its
 * name in the tree and where it lives, "-1 -1 5 t shared memory, 4096 bytes"; of a statement how its threads are
 * combined.
 * A dump that fails may have written a sentence that says why; LT_EUNSUPPORTED: objects have no dump of that kind. */
enum lt_dump { LT_DUMP_SOURCE, LT_DUMP_ASM, LT_DUMP_STATS, LT_DUMP_KERNEL, LT_DUMP_DECISIONS,
	LT_DUMP_LOCATIONS };
enum lt_copy { LT_COPY_TO_DEVICE, LT_COPY_TO_HOST, LT_COPY_DEVICE };

struct lt_backend {
	uint32_t size, abi;         /* sizeof (struct lt_backend), LT_ABI         */
	uint32_t build;             /* LT_BUILD                                   */
	const char *name, *summary; /* [a-z][a-z0-9_]*; one line for --list-backends */
	const char *version;        /* of the code that it generates: part of every cache's key */
	/* > 0: usable on this machine, larger is preferred; 0 or less: not, diag says why.  config as for open.  Quick:
	 * no device is opened. */
	int32_t   (*score)(const char *config, struct lt_diag *);
	/* config: what the user wrote after NAME:, "" or NULL for nothing; an unknown word is LT_EINVAL. */
	lt_status (*open)(const struct lt_host *, const char *config, struct lt_session **, struct lt_diag *);
	void      (*close)(struct lt_session *);
	const struct lt_caps *(*caps)(const struct lt_session *);  /* lives until close */
	/* LT_OK promises that compile will not return LT_EUNSUPPORTED.  LT_EUNSUPPORTED says why, with the loop or statement
	 * in the way, a remedy, or both, and the host asks the next backend.  Any other error ends the host's compilation.
	 * May build a plan and keep it in the session. */
	lt_status (*accepts)(struct lt_session *, const struct lt_tree *, struct lt_diag *);
	/* n trees at once, so that they may compile in parallel; object[i] for tree[i].  The
	 * trees are borrowed until the object is destroyed.  All or nothing. */
	lt_status (*compile)(struct lt_session *, const struct lt_tree *const *tree, uint32_t n,
	                     struct lt_object **object, struct lt_diag *);
	/* LT_EINVAL, before anything is touched: n_slot is not the tree's, a slot has fewer bytes than its buffer's
	 * elems, or workspace is NULL where need says more than 0 bytes. */
	lt_status (*run)(struct lt_object *, const struct lt_args *, struct lt_diag *);
	/* Waits for all that was enqueued in the stream, or (NULL) in the session; sets its fault records. */
	lt_status (*sync)(struct lt_session *, void *stream, struct lt_diag *);
	void      (*destroy)(struct lt_object *);
	/* Optional from here on: may be NULL or beyond size.
	 * A group that has some of its members, but not all, is refused when the table is registered.
	 * need: the workspace of a run with n_thread in its lt_args; align a power of two, of 0 bytes, too. */
	void      (*need)(const struct lt_object *, uint32_t n_thread, size_t *bytes, size_t *align);
	lt_status (*dump)(const struct lt_object *, enum lt_dump, lt_write *, void *user);
	/* Facts that the session found, for people: lines "name value". */
	void      (*describe)(struct lt_session *, lt_write *, void *user);
	/* Memory of the device: all three or none.  mem_new: at least bytes (> 0) at 256 bytes' alignment, contents undefined;
	 * the handle is opaque, and is base in slots.  mem_copy: bytes from src to dst, by direction: TO_DEVICE src is host
	 * memory, TO_HOST dst is; after what was enqueued in that stream before, and done when it returns if stream is NULL
	 * (then after everything in the session's own).  mem_free: the host has waited for what uses the memory. */
	lt_status (*mem_new)(struct lt_session *, size_t bytes, void **, struct lt_diag *);
	void      (*mem_free)(struct lt_session *, void *);
	lt_status (*mem_copy)(struct lt_session *, const struct lt_slot *dst, const struct lt_slot *src,
	                      size_t bytes, enum lt_copy, void *stream, struct lt_diag *);
	/* Compiled objects kept on disk, by the host: all three or none.  identity: everything that an object depends on
	 * besides tree, config, name and version, as text: processor or device, compiler with its flags, driver;
	 * LT_EUNSUPPORTED: cache nothing of this session.  A text that begins with "config " says in that line what of the
	 * config an object depends on, and the config is then not in the key.  The number of threads belongs in it if code
	 * depends on that.  It changes with the backend's own code generator: code of an older build is used as long as
	 * identity and version stay the same.  save: the object's bytes, in any number of writes.  load: the object again, in
	 * another process; LT_EINVAL: these bytes are not the backend's, and the tree is compiled. */
	lt_status (*identity)(struct lt_session *, lt_write *, void *user, struct lt_diag *);
	lt_status (*save)(const struct lt_object *, lt_write *, void *user, struct lt_diag *);
	lt_status (*load)(struct lt_session *, const struct lt_tree *, const void *data, size_t bytes,
	                  struct lt_object **, struct lt_diag *);
	/* A sequence of n runs, recorded with copies of their args and slots, to be run again by one call; the order is
	 * kept, memory that the args name is used in place.  args: n structs, the next one args->size bytes after the
	 * last; stream and async are those of the first, and are replay's: it returns when all is done, with the fault
	 * records set, or (async) when it is enqueued.  An object NULL, only where device_memory is: a copy within it, of
	 * slot[0].bytes bytes to slot[0] from slot[1].  capture runs nothing.  Objects outlive captures.  capture:
	 * LT_EUNSUPPORTED has the host make these runs one by one; any other error ends its run.  All three or none. */
	lt_status (*capture)(struct lt_session *, struct lt_object *const *, const struct lt_args *,
	                     uint32_t n, struct lt_capture **, struct lt_diag *);
	lt_status (*replay)(struct lt_capture *, struct lt_diag *);
	void      (*capture_free)(struct lt_capture *);
	/* Time on the device: all four or none.  An event may be recorded again.  event_ns waits until both have happened. */
	lt_status (*event_new)(struct lt_session *, struct lt_event **, struct lt_diag *);
	lt_status (*event_record)(struct lt_event *, void *stream, struct lt_diag *);
	lt_status (*event_ns)(struct lt_event *from, struct lt_event *to, int64_t *ns, struct lt_diag *);
	void      (*event_free)(struct lt_event *);
	/* Queues that the host makes: both or none.  What is enqueued in one is done in its order, what is in two may be done
	 * at once.  stream_new: LT_EUNSUPPORTED has the host use the session's own.  stream_free: nothing is left in it. */
	lt_status (*stream_new)(struct lt_session *, void **stream, struct lt_diag *);
	void      (*stream_free)(struct lt_session *, void *stream);
	/* Order by events: both or none.  event_wait: the host waits until what was enqueued before event_record is done;
	 * fault records are set by sync only.  stream_wait: what is enqueued in the stream from now on begins after that; the
	 * event may be one of another session of this backend. */
	lt_status (*event_wait)(struct lt_event *, struct lt_diag *);
	lt_status (*stream_wait)(struct lt_session *, void *stream, struct lt_event *, struct lt_diag *);
	/* A copy from the memory of one session of this backend to that of another one, in a stream of the latter; as
	 * mem_copy. */
	lt_status (*mem_peer)(struct lt_session *to, const struct lt_slot *dst, struct lt_session *from,
	                      const struct lt_slot *src, size_t bytes, void *stream, struct lt_diag *);
	/* Memory of the host that the device copies from and to by itself, so that a copy in a stream holds nobody up: both or
	 * none.  The address is the host's, at 64 bytes' alignment. */
	lt_status (*host_new)(struct lt_session *, size_t bytes, void **, struct lt_diag *);
	void      (*host_free)(struct lt_session *, void *);
	/* The i-th device of this machine, from 0; LT_EMISSING: there are no more.  May start a driver, opens no session. */
	lt_status (*device)(uint32_t i, struct lt_device *, struct lt_diag *);
	/* accepts for n trees at once, so that plans which take long are built in parallel: verdict[i] is what accepts would
	 * answer for tree[i], diag[i] (may be NULL) hears why.  The trees may be gone after the call: what it keeps, it keeps
	 * in the session by their text.  Another answer than LT_OK is an error of the whole call, as LT_ECANCELLED is, and no
	 * verdict is read.  The host asks so where it has several nests; accepts is asked, too, at any time. */
	lt_status (*accepts_all)(struct lt_session *, const struct lt_tree *const *tree, uint32_t n, lt_status *verdict,
	                         struct lt_diag *const *diag);
	/* struct lt_option (lt/options.h): what `config` may hold, for those who list it; NULL: it does not say. */
	const struct lt_array *options;
};

/* The registry: any thread; tables are kept for ever, plug-ins never unloaded. */
LT_API lt_status lt_backend_register(const struct lt_backend *, struct lt_diag *);
LT_API lt_status lt_backend_load(const char *path, struct lt_diag *);
LT_API const struct lt_backend *lt_backend_find(const char *name);       /* NULL: no such */
LT_API uint32_t lt_backend_count(void);
LT_API const struct lt_backend *lt_backend_at(uint32_t i);               /* sorted by name */
/* The file that a plug-in was loaded from; NULL: linked in.  Lives as long as the process. */
LT_API const char *lt_backend_origin(const struct lt_backend *);
/* What registering two backends of one name, or a bad table, reported while constructors ran;
 * NULL: nothing.  The text does not change later. */
LT_API const char *lt_backend_complaint(void);

/* What LT_BACKEND leaves in a plug-in's file, so that a host knows how it was built before it loads it. */
#define LT_BACKEND_MARK "lt_backend built as"
/* The entry reads it, so that a linker that leaves out what nothing needs (--gc-sections) keeps it. */
struct lt_backend_mark { char text[20]; uint32_t build; };

#ifdef LT_PLUGIN                /* cc -shared -fPIC -fvisibility=hidden -DLT_PLUGIN mine.c */
LT_API const struct lt_backend *lt_backend_entry(uint32_t host_abi);
#define LT_BACKEND(table)                                                     \
	__attribute__((used)) static const struct lt_backend_mark lt_backend_mark = { LT_BACKEND_MARK, LT_BUILD }; \
	const struct lt_backend *lt_backend_entry(uint32_t host_abi)              \
	{ (void)*(const volatile char *)lt_backend_mark.text; return LT_ABI_FITS(host_abi) ? &(table) : NULL; }
#else                           /* linked in: name the .o itself, not an archive */
#define LT_BACKEND(table)                                                     \
	__attribute__((constructor)) static void lt_register_##table(void)        \
	{ (void)lt_backend_register(&(table), NULL); }
#endif

#ifdef __cplusplus
}
#endif
#endif
