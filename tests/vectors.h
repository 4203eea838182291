/* tests/vectors.h -- vector operators as loaded functions beside the scalar ones, through the real texts and a C
 * compiler. */
#ifndef LT_TEST_VECTORS_H
#define LT_TEST_VECTORS_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "backends/cgen/vector.h"
#include "ir/op.h"

/* r[i] = op(a[i], b[i], c[i]) for i < n, n a multiple of 64. */
typedef void vector_fn(const void *a, const void *b, const void *c, void *r, int64_t n);

enum { MAX_VECTOR = 2048 };
struct vector_case { struct lt_op op; int lanes; bool fold; vector_fn *run, *scalar; char source[256]; };
struct vector_set { int n; struct vector_case *at; void *handle; };

/* What to build: for each operator and type that `wanted` lets through, all its lanes (or only those of
 * `only_lanes`). */
typedef bool vector_wanted(const struct lt_op *);
void vector_set_fill(struct vector_set *, vector_wanted *, int only_lanes);
/* command: compiler and flags; false: there is no such compiler. */
bool vector_set_build(struct vector_set *, const char *command, int library);
void vector_set_free(struct vector_set *);

/* The file that `text` writes, compiled and loaded; NULL: there is no such compiler. */
void *vector_build(const char *command, void (*text)(struct lt_pool *, FILE *));

/* The compilers and targets that texts are made for; a processor may lack `feature`. */
struct vector_target { const char *command, *feature; };
extern const struct vector_target vector_targets[];
enum { N_VECTOR_TARGET = 5 };
bool vector_runs(const struct vector_target *);

/* Whether an operator's result is the correctly rounded one, so that only one is right. */
bool vector_exact(const struct lt_op *);

/* Elements of a type: special values, then random bits (integers, halves) or random floats of all sizes. */
void vector_values(void *at, enum lt_dtype, int64_t n, uint64_t seed);
#endif
