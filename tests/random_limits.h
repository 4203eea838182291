/* random_limits.h -- random graphs in text form at the limits of their sources and of int64.
 *
 * Each is a view of a view, a gather of one, or an update, with run-time scalars, bounded dims, floors and guards.
 * What it means is computed once more here, point by point in 128 bits.  Text that is refused has to be wrong, by that;
 * text that is taken has to be right: in the oracle, on `ref`, and in compiled kernels, whose buffers lie
 * between pages without access: those of the backend `batch`, which trap on undefined behaviour, or those that `cpu`
 * makes with a compiler of the caller's.
 */
#ifndef LT_RANDOM_LIMITS_H
#define LT_RANDOM_LIMITS_H
#include <stdint.h>
#include <stdio.h>

struct limits_tally {
	/* required: of those taken, with requirements; open: not decided */
	int64_t graphs, taken, required, outside, large, open;
	int64_t runs, refused_runs, elements, failed;
};
/* Graphs of the seeds from `seed` on; what is wrong is reported on standard error with its seed.  cc: of cpu's kernels,
 * as lt_options has it; NULL: the kernels are those of batch. */
void limits_run(uint64_t seed, int n, const char *cc, struct limits_tally *);
void limits_tally_print(const struct limits_tally *, FILE *);  /* in a line */
/* The flags of batch_open under which kernels trap. */
extern const char limits_level[];
#endif
