/* machine.h -- what the machine does at best: its multiply-adds, reading and copying memory; on the processor or on the
 * device of a backend.
 *
 * What fails answers a code and leaves a sentence in the context that it was given.  Numbers of time are seconds.
 */
#ifndef LT_TOOLS_MACHINE_MACHINE_H
#define LT_TOOLS_MACHINE_MACHINE_H
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include "lt/backend.h"
#include "lt/lt.h"

/* What limits a computation: arithmetic, reading memory, copying memory. */
enum machine_bound { MACHINE_FLOPS, MACHINE_READ, MACHINE_COPY };

/* facts.c: what the system tells. */
json_t *machine_facts(void);
int64_t machine_last_cache(void);                       /* bytes; 0: not known */

/* measure.c */
double machine_now(void);                               /* of a clock that only goes forward */
/* Repetitions that make a sample of `seconds`, as one took `one`. */
int64_t machine_repeat(double one, double seconds);
/* Page aligned, of huge pages where the system gives them, every page touched. */
float *machine_buffer(int64_t n);
void machine_buffer_free(float *);

/* peak.c: the peak and the bandwidth, by kernels that the C compiler makes for this machine; of the backend's device,
 * if it runs on one. */
struct machine_peak;
struct machine_device;
struct machine_by {
	const char *cc, *backend;       /* backend: "NAME[:CONFIG]" */
	uint32_t cc_timeout_ms;         /* 0: the library's default */
	bool quick;
};
/* *out is to be freed where it fails, too. */
lt_status machine_peak_new(struct lt_context *, const struct machine_by *, struct machine_peak **out);
void machine_peak_free(struct machine_peak *);
/* Measures for 1 .. threads; in FLOP/s or bytes/s; remembers the best way of doing it. */
double machine_peak_measure(struct machine_peak *, enum machine_bound, int threads);
double machine_peak_measure_one(struct machine_peak *, enum machine_bound, int threads);      /* for so many only */
double machine_peak_measure_again(struct machine_peak *, enum machine_bound, int threads);    /* what is measured too */
/* Of what was measured: how many of the threads do best, FLOP or bytes of one repetition by them; seconds of n by so
 * many as do best. */
int machine_peak_threads(const struct machine_peak *, enum machine_bound, int threads);
double machine_peak_unit(const struct machine_peak *, enum machine_bound, int threads);
double machine_peak_run(const struct machine_peak *, enum machine_bound, int best_threads, int64_t n);
json_t *machine_peak_json(const struct machine_peak *);
struct machine_device *machine_peak_device(const struct machine_peak *);     /* of which it is; NULL: the processor's */

/* device.c: the device of a backend.  *out is to be closed where it fails, too. */
struct machine_cuda;
lt_status machine_device_open(struct lt_context *, const char *backend, struct machine_device **out);
void machine_device_close(struct machine_device *);
bool machine_device_is(const struct machine_device *);     /* it has memory of its own */
lt_status machine_device_memory(struct machine_device *, int64_t bytes, void **out);
void machine_device_free(struct machine_device *, void *);
lt_status machine_device_copy(struct machine_device *, void *to, const void *from, int64_t bytes, enum lt_copy);
enum { MACHINE_SETS = 16 };
/* How many sets of so many bytes, in turn, its last cache does not hold. */
int machine_device_sets(const struct machine_device *, int64_t bytes);
/* What it does at best: made once; FLOP or bytes that one repetition is; seconds of n of them. */
lt_status machine_device_measures(struct machine_device *, const char *backend, bool quick);
double machine_device_unit(const struct machine_device *, enum machine_bound);
lt_status machine_device_run(struct machine_device *, enum machine_bound, int64_t n, double *seconds);
const struct machine_cuda *machine_device_cuda(const struct machine_device *);        /* NULL: it is none of CUDA's */

/* cuda.c: a device of CUDA's, by memory there; *out is to be closed where it fails, too.  A library by one of its
 * names, to a NULL; NULL: none is there. */
void *machine_cuda_library(const char *const *names);
lt_status machine_cuda_open(struct lt_context *, void *memory, struct machine_cuda **out);
void machine_cuda_close(struct machine_cuda *);
/* Calls of CUDA are between these; leaving answers s. */
lt_status machine_cuda_enter(const struct machine_cuda *);
lt_status machine_cuda_leave(const struct machine_cuda *, lt_status s);
void *machine_cuda_queue(const struct machine_cuda *);
lt_status machine_cuda_wait(const struct machine_cuda *);           /* for what is in that */
/* Its multiply-adds; the code of them for an architecture (sm_90), malloc. */
lt_status machine_cuda_peak_new(struct machine_cuda *, bool quick);
double machine_cuda_peak_unit(const struct machine_cuda *);
lt_status machine_cuda_peak_run(struct machine_cuda *, int64_t n, double *seconds);
lt_status machine_cuda_peak_code(struct lt_context *, const char *arch, char **code, size_t *bytes);
#endif
