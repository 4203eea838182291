/* random_kernel.h -- random kernel programs that keep the rules and run without faults: addresses are in range,
 * what is read was written, points of a team touch nothing of each other's.
 *
 * The same seed and flags give the same program.  A slot's contents before a run come from random_kernel_memory.
 */
#ifndef LT_RANDOM_KERNEL_H
#define LT_RANDOM_KERNEL_H
#include "lt/kernel.h"

/* LANES: values of several lanes, with all that belongs to them.  TEXT: operators that are C text.  INEXACT: functions
 * that are not rounded exactly, and products of floats, which may be fused: without it every printer and the simulator
 * have the same results, but for the bits of a NaN.  STEPS: more of what the steps look for: arrays in parts of one
 * width at constant places, tiles that are read across, blocks that never run and have what no constant may be.  GRID:
 * grids in place of teams: one of one thread, then one with a part of the buffers for each thread of several blocks. */
enum random_kernel_flag { RANDOM_KERNEL_LANES = 1, RANDOM_KERNEL_TEXT = 2, RANDOM_KERNEL_INEXACT = 4,
	RANDOM_KERNEL_STEPS = 8, RANDOM_KERNEL_GRID = 16 };

/* To be freed by lt_kernel_free; NULL: no memory. */
struct lt_kernel *random_kernel(uint64_t seed, unsigned flags);

enum { RANDOM_KERNEL_SLOTS = 16 };
struct random_kernel_memory { void *at[RANDOM_KERNEL_SLOTS]; int64_t bytes[RANDOM_KERNEL_SLOTS]; };
/* Memory for all slots, aligned to 64 bytes: bools are 0 or 1, params in their range.  Freed by the other. */
void random_kernel_fill(const struct lt_kernel *, uint64_t seed, struct random_kernel_memory *);
void random_kernel_drop(struct random_kernel_memory *);
/* Whether elements are the same: the same bits, or both NaN. */
int random_kernel_same(uint32_t dtype, const void *, const void *, int64_t elems);
#endif
