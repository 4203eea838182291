/* lt/backends.h -- which backends there are, what they run on, what stands after their names, and why one cannot be
 * used here: what lt-run --list-backends says.
 *
 *     for (uint32_t i = 0; i < lt_backend_count(); i++) {
 *             struct lt_backend_facts *f;
 *             if (lt_backend_ask(ctx, lt_backend_name(i), NULL, &f) == LT_OK)
 *                     printf("%s: %s\n", f->name, f->score > 0 ? f->summary : f->reason);
 *             lt_backend_facts_free(f);
 *     }
 *
 * The registry is the process's (lt/backend.h): what lt_backend_load_file loads is there for all contexts, and stays.
 * Failures are reported to the context.  Threads: the calls with a context are made by one thread at a time, the others
 * by any.
 */
#ifndef LT_BACKENDS_H
#define LT_BACKENDS_H
#include "lt/backend.h"
#include "lt/context.h"

#ifdef __cplusplus
extern "C" {
#endif

struct lt_options;
/* What may stand after "NAME:", with / between such words: "device=1/tf32". */
struct lt_backend_option {
	uint32_t size;
	uint32_t again;                 /* 1: it may be given more than once */
	const char *key;                /* "device" */
	const char *value;              /* what follows '=', for people: "N"; NULL: nothing may follow the key */
	const char *words;              /* "c c99": the value is one of these; NULL: any */
	int64_t low, high;              /* high > 0: the value is a whole number from low to high */
	const char *about;              /* what it does, a line; NULL: the backend does not say */
};
struct lt_backend_facts {
	uint32_t size;
	int32_t score;                  /* the larger is preferred where none is named; 0 or less: not usable here */
	const char *name, *summary, *version;
	const char *file;               /* that it was loaded from; NULL: linked in */
	const char *reason, *remedy;    /* why it cannot be used, a sentence without a full stop; NULL: it can; none */
	const char *target;             /* the machine that loops are made for, "cpu:avx512"; NULL: not known */
	const char *details;            /* what it found on this machine: lines "name value"; "": nothing */
	uint32_t device_memory;         /* 1: in memory of its own, where lt_options.on_device may have inputs and results */
	uint32_t any_values;            /* 1: what its runs are for does not depend on values, as of a trace */
	uint32_t run_together;          /* 1: several threads may run programs of it at once */
	uint32_t n_option, n_device;
	uint32_t dtypes;                /* bits 1 << enum lt_dtype: element types that it takes; 0: not known */
	lt_status code;                 /* of reason: LT_EINVAL, it is not for this machine, or the config is wrong; else it
	                                 * should work here and does not open; LT_OK: it can be used */
	uint32_t reserved;
	const struct lt_backend_option *option;         /* each is option->size bytes */
	const struct lt_device *device;                 /* each is device->size bytes; config opens it */
};
/* backend: a name, or one with a config, "cuda:device=1".  It is opened, and closed again, which may start a driver.
 * options: n_thread, cc, temp_dir and cc_timeout_ms are read; NULL: the defaults.  One that cannot be used is no
 * failure: LT_OK, and `reason`.  LT_EINVAL: there is no backend of that name.  *out is the caller's, NULL where it
 * fails. */
LT_API lt_status lt_backend_ask(
	struct lt_context *, const char *backend, const struct lt_options *, struct lt_backend_facts **out);
LT_API void lt_backend_facts_free(struct lt_backend_facts *);   /* NULL: nothing; before its context */
LT_API const char *lt_backend_name(uint32_t i);                 /* sorted; NULL: there are no more */
/* As lt_backend_load, with the sentence in the context. */
LT_API lt_status lt_backend_load_file(struct lt_context *, const char *path);

#ifdef __cplusplus
}
#endif
#endif
