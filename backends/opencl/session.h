/* session.h -- what the files of the backend share: sessions, objects, records. */
#ifndef LT_OPENCL_SESSION_H
#define LT_OPENCL_SESSION_H
#include <pthread.h>
#include "backends/opencl/driver.h"
#include "backends/text/text.h"
#include "kernel/form/form.h"

struct lt_opencl_config {
	int platform, device;           /* platform -1: the first that has a device */
	bool plain;                     /* code is not optimised, and kernels are compiled together: as fast as can be */
};

/* What is known of a device. */
struct lt_opencl_facts {
	char platform[96], name[96], version[96], driver[96];
	char target_name[64];
	size_t max_threads, max_along[3], parameter_bytes;
	cl_ulong memory_bytes, largest_bytes;           /* largest: of one object */
	bool doubles, divides;          /* divides: f32 division and square root can be rounded correctly */
};

/* A fault record on the device, for one run at a time. */
struct lt_opencl_record {
	struct lt_opencl_record *next;
	cl_mem at;
	struct lt_fault landed;         /* where it is read to */
	struct lt_fault *fault;         /* the host's; NULL: the record is free */
	cl_command_queue queue;         /* that it was enqueued in */
};
/* A queue of the caller's or the host's with asynchronous runs that nobody has waited for. */
struct lt_opencl_stream { struct lt_opencl_stream *next; cl_command_queue queue; };

struct lt_session {
	struct lt_caps caps;
	struct lt_target target;
	struct lt_machine machine;      /* what trees are lowered for */
	struct lt_opencl_driver cl;
	struct lt_opencl_config config;
	struct lt_opencl_facts facts;
	const struct lt_host *host;
	cl_platform_id platform;
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;         /* in order: everything for which the host names no other one */
	pthread_mutex_t lock;           /* of what is below: several threads may run objects of one session */
	struct lt_opencl_record *records;
	struct lt_opencl_stream *streams;
};

struct lt_object {
	struct lt_session *s;
	const struct lt_tree *tree;
	struct lt_kernel *kernel;
	struct lt_text_grids *grids;
	cl_program program;             /* NULL: only printed */
	cl_kernel *function;            /* one a grid */
	pthread_mutex_t turn;           /* arguments are set one after the other, and then taken by a launch */
	bool recorded;                  /* the launches do not depend on run-time scalars */
	bool faults;                    /* a function takes the fault record */
	bool loaded;                    /* from the host's cache */
};

static inline const char *opencl_name(const struct lt_tree *t) { return t->name ? t->name : "?"; }

/* config.c: the items after "opencl:". */
extern const struct lt_array lt__opencl_options;        /* struct lt_option */
lt_status lt__opencl_config(const char *text, struct lt_opencl_config *, struct lt_diag *);
/* error.c: what a call of OpenCL gave, as a status: LT_ENOMEM, LT_EDEVICE with the sentence "WHAT: ERROR". */
lt_status lt__opencl_check(cl_int, struct lt_diag *, const char *what, ...) __attribute__((format(printf, 3, 4)));
/* device.c: platform, device, facts, machine, target and caps of a session whose driver is loaded. */
lt_status lt__opencl_device(struct lt_session *, struct lt_diag *);
void lt__opencl_describe(struct lt_session *, lt_write *, void *user);
/* memory.c: a handle is the memory object. */
lt_status lt__opencl_mem_new(struct lt_session *, size_t bytes, void **, struct lt_diag *);
void lt__opencl_mem_free(struct lt_session *, void *);
lt_status lt__opencl_mem_copy(struct lt_session *, const struct lt_slot *dst, const struct lt_slot *src, size_t bytes,
	enum lt_copy, void *stream, struct lt_diag *);
/* record.c
 * take: a record whose clearing is enqueued in the queue.  land: reading it is enqueued.  deliver: what was read is the
 * host's, and the record is free; that of all records in a queue, after everything in it is done. */
lt_status lt__opencl_record_take(
	struct lt_session *, cl_command_queue, struct lt_fault *, struct lt_opencl_record **, struct lt_diag *);
lt_status lt__opencl_record_land(struct lt_session *, struct lt_opencl_record *, struct lt_diag *);
void lt__opencl_record_deliver(struct lt_session *, struct lt_opencl_record *);
void lt__opencl_records_deliver(struct lt_session *, cl_command_queue);
void lt__opencl_records_free(struct lt_session *);
/* queue.c
 * wait: until all that is in it now is done.  remember: sync(NULL) waits for it, too.  forget: all that are not waited
 * for, when the session ends. */
lt_status lt__opencl_wait(struct lt_session *, cl_command_queue, struct lt_diag *, const char *kernel);
lt_status lt__opencl_remember(struct lt_session *, cl_command_queue, struct lt_diag *);
lt_status lt__opencl_sync(struct lt_session *, void *stream, struct lt_diag *);
void lt__opencl_forget(struct lt_session *);
/* context.c: the device's, which its sessions share. */
lt_status lt__opencl_context_take(struct lt_session *, struct lt_diag *);
void lt__opencl_context_give(struct lt_session *);
/* A queue in order; times of its commands can be asked for, where the driver has that. */
lt_status lt__opencl_stream_new(struct lt_session *, void **, struct lt_diag *);
void lt__opencl_stream_free(struct lt_session *, void *);
/* lower.c: the kernel program of a tree, and its text; LT_EUNSUPPORTED says what the device does not have. */
lt_status lt__opencl_lower(
	const struct lt_session *, const struct lt_tree *, struct lt_kernel **, struct lt_text_grids **, struct lt_diag *);
/* program.c
 * new: LT_ECOMPILE has the log's first error in its sentence, and the log goes to the host's.  load: of a binary;
 * LT_EINVAL: the driver does not take it.  binary: malloc's.  The flags are part of the cache's key. */
const char *lt__opencl_flags(const struct lt_session *);
lt_status lt__opencl_program_new(
	struct lt_session *, const char *name, const char *text, cl_program *, struct lt_diag *);
lt_status lt__opencl_program_load(
	struct lt_session *, const char *name, const void *binary, size_t bytes, cl_program *, struct lt_diag *);
lt_status lt__opencl_program_binary(
	struct lt_session *, const char *name, cl_program, unsigned char **, size_t *bytes, struct lt_diag *);
/* merge.c: the objects' texts as one, malloc's; NULL: two functions have one name, or there is no memory. */
char *lt__opencl_merge(struct lt_object *const *, uint32_t n);
/* compile.c */
lt_status lt__opencl_compile(struct lt_session *, const struct lt_tree *const *, uint32_t n, struct lt_object **,
	struct lt_diag *);
/* An object without a program; and with one, which is the object's in any case. */
lt_status lt__opencl_object_new(struct lt_session *, const struct lt_tree *, struct lt_object **, struct lt_diag *);
lt_status lt__opencl_object_take(struct lt_object *, cl_program, struct lt_diag *);
void lt__opencl_destroy(struct lt_object *);
/* run.c */
lt_status lt__opencl_run(struct lt_object *, const struct lt_args *, struct lt_diag *);
/* event.c */
lt_status lt__opencl_event_new(struct lt_session *, struct lt_event **, struct lt_diag *);
lt_status lt__opencl_event_record(struct lt_event *, void *stream, struct lt_diag *);
lt_status lt__opencl_event_ns(struct lt_event *from, struct lt_event *to, int64_t *ns, struct lt_diag *);
void lt__opencl_event_free(struct lt_event *);
/* save.c */
lt_status lt__opencl_identity(struct lt_session *, lt_write *, void *user, struct lt_diag *);
lt_status lt__opencl_save(const struct lt_object *, lt_write *, void *user, struct lt_diag *);
lt_status lt__opencl_load(struct lt_session *, const struct lt_tree *, const void *data, size_t bytes,
	struct lt_object **, struct lt_diag *);
/* dump.c */
lt_status lt__opencl_dump(const struct lt_object *, enum lt_dump, lt_write *, void *user);
#endif
