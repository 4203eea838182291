/* tests/vectors.h -- operands for tests of operators. */
#ifndef LT_TEST_VECTORS_H
#define LT_TEST_VECTORS_H
#include <stdint.h>
#include "ir/op.h"

/* Elements of a type: special values, then random bits (integers, halves) or random floats of all sizes. */
void vector_values(void *at, enum lt_dtype, int64_t n, uint64_t seed);
#endif
