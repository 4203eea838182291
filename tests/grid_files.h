/* grid_files.h -- the kernel programs of tests/kernels, and random memory for them. */
#ifndef TESTS_GRID_FILES_H
#define TESTS_GRID_FILES_H
#include <stdbool.h>
#include <stddef.h>
#include "tests/random_kernel.h"

static const char *const grid_files[] = { "gather", "matrix", "narrow", "product", "softmax", "sum", "transpose",
	"tree_pointwise", "tree_product", "tree_softmax", "tree_transpose" };
enum { N_GRID_FILE = sizeof grid_files / sizeof *grid_files };

/* The whole file: to free.  NULL: it is not there. */
char *grid_file_text(const char *name, const char *ending);
struct lt_kernel *grid_file_kernel(const char *name);

/* Numbers from -1 to 1, integers from 0 to 9, params in their range; to drop by random_kernel_drop. */
void grid_fill(const struct lt_kernel *, uint64_t seed, struct random_kernel_memory *);
/* Whether floats are apart by no more than rounding of sums and functions allows, and all else is the same. */
bool grid_near(const struct lt_kernel *, const struct random_kernel_memory *, const struct random_kernel_memory *,
	char *said, size_t cap);
#endif
