/* backend_ops.h -- operators, casts, reductions and functions of a backend, one value at a time and in vectors,
 * beside the operator table: what test_cpu_ops.c and test_llvm_ops.c ask.
 *
 * A tree has as many statements as it may, since each one is compiled.
 */
#ifndef TESTS_BACKEND_OPS_H
#define TESTS_BACKEND_OPS_H
#include "tests/treerun.h"

struct ops_backend { const char *name, *config; };

/* Results y_c[w * n + i] = op_c(x[i], y[i]) of the widths w: `width` lanes in a loop over the others.  A condition is
 * true for every third i.  fixed: an operand that is the constant; -1: none. */
struct ops_case { enum lt_opcode code; enum lt_dtype to; int fixed; union lt_scalar constant; };
enum { OPS_MAX_CASE = 72, OPS_MAX_WIDTH = 6 };
struct ops_map {
	enum lt_dtype type;
	int64_t n;                      /* a multiple of each width */
	int n_case, n_width, width[OPS_MAX_WIDTH];
	struct ops_case cases[OPS_MAX_CASE];
};
struct tb *ops_tree(const struct ops_map *);
/* Compiled; runs leave m's block; `ops_result` is element i of a case in a width. */
void ops_open(const struct ops_backend *, const struct ops_map *, struct bench *, struct tb **);
void ops_run(const struct ops_map *, struct bench *, const void *x, const void *y);
union lt_scalar ops_result(const struct ops_map *, struct bench *, int c, int w, int64_t i);
void ops_close(struct bench *, struct tb *);

/* backend_ops.c: every operator of every type. */
void ops_all_types(const struct ops_backend *);
/* All halves and integers of 16 bits; special and random values of the others. */
void ops_casts_of_all_pairs(const struct ops_backend *);
/* Constants take shorter ways: no guard of a division, one instruction for a minimum. */
void ops_constants(const struct ops_backend *);
void ops_shifts(const struct ops_backend *);
/* Every operator of one operand on every f16 and every bf16. */
void ops_all_halves(const struct ops_backend *);

/* backend_folds.c: reductions of so many lanes, which are folded in the end. */
void ops_reductions(const struct ops_backend *);

/* backend_functions.c: errors of functions that are not exact, f32 or f64, at numbers of every exponent.  LT_DENSE=1
 * takes sixteen times as many, as the table of docs/accuracy.md was; LT_SHOW=1 shows what is found. */
void ops_functions(const struct ops_backend *, enum lt_dtype);

/* backend_values.c: special values, then random bits (integers, halves) or random floats of all sizes. */
void ops_values(void *at, enum lt_dtype, int64_t n, uint64_t seed);
#endif
