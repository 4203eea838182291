/* npy.h -- headers of NumPy's .npy: what they say of the data after them. */
#ifndef LT_IR_NPY_H
#define LT_IR_NPY_H
#include <stdbool.h>
#include "base/arena.h"
#include "ir/op/op.h"

/* swap: the other byte order than this machine's; fortran: the first index is the fastest; shape: malloc, of a failure,
 * too. */
struct lt_npy { enum lt_dtype dtype; bool swap, fortran; int32_t rank; int64_t *shape; };
/* A file of `bytes` bytes that begins with `at`: where the text of its header begins, 10 or 12. */
lt_status lt__npy_magic(struct lt_context *, const char *file, const unsigned char at[10], uint64_t bytes,
	size_t *begin);
/* How long the text is; at[10], at[11]: 0 where it begins at 10; left: the bytes after its begin. */
lt_status lt__npy_length(struct lt_context *, const char *file, const unsigned char at[12], uint64_t left,
	size_t *length);
/* The text itself. */
lt_status lt__npy_said(struct lt_context *, const char *file, const char *at, size_t bytes, struct lt_npy *out);
#endif
