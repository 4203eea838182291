/* oracle.h -- a graph under construction with the data of its inputs, and its evaluation by the oracle.
 *
 * Memory is counted; oracle_close fails where some of it leaks.  Failures of these steps fail the test.
 */
#ifndef TESTS_ORACLE_H
#define TESTS_ORACLE_H
#include "ir/eval/eval.h"

enum { ORACLE_DATA = 256 };             /* nodes that may have data are among the first */
struct oracle {
	struct lt_context *ctx;
	struct lt_graph *g;
	struct lt_evaluation *e;
	enum lt_dtype t;                /* of the tensors that a test makes */
	int64_t live, peak;             /* bytes from the context's allocator */
	void *data[ORACLE_DATA];        /* by node */
	const void **source;            /* what lt_eval is handed: data, and whatever a test puts there */
};
struct oracle *oracle_open(enum lt_dtype t);
void oracle_close(struct oracle *);
/* A new input; data NULL: zeros. */
lt_node oracle_input(struct oracle *, enum lt_dtype, int32_t n, const lt_var *dims, const void *data);
/* Its data, converted from doubles. */
void oracle_fill(struct oracle *, lt_node, const double *from);
/* A new input of whole numbers in -64..63, times unit. */
lt_node oracle_random(struct oracle *, enum lt_dtype, int32_t n, const lt_var *dims, uint64_t *seed, double unit);
/* A new input of type b->t: numbers of both signs, others for each seed.  TENSOR(b, 1, 4, 5): seed 1, of 4 x 5. */
lt_node oracle_tensor(struct oracle *b, int64_t seed, int32_t n, const int64_t *shape);
#define TENSOR(b, seed, ...) \
	oracle_tensor(b, seed, (int32_t)(sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t)), (int64_t[]){ __VA_ARGS__ })
uint64_t oracle_noise(uint64_t *seed);  /* 31 bits of a deterministic stream */
/* Adds result "y" and evaluates with errors; the values of y. */
const void *oracle_run(struct oracle *, lt_node y, const double **error);
double oracle_number(const void *data, int64_t i, enum lt_dtype);

/* An allocator that stops giving: user is a struct oracle_ration. */
struct oracle_ration { long left, live; };
void *oracle_rationed(void *user, void *at, size_t old_bytes, size_t bytes);

#define COUNT(a) ((int32_t)(sizeof(a) / sizeof *(a)))
#endif
