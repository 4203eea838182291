/* uniform.h -- in which threads of a grid a value is the same. */
#ifndef LT_KERNEL_FORM_UNIFORM_H
#define LT_KERNEL_FORM_UNIFORM_H
#include "kernel/form/pool.h"
#include "lt/kernel.h"

/* In one thread, in those of a subgroup, of the four subgroups that `subgroup 4` numbers, of a block, of a launch. */
enum lt_uniformity { LT_UNIFORM_THREAD, LT_UNIFORM_SUBGROUP, LT_UNIFORM_FOUR, LT_UNIFORM_BLOCK, LT_UNIFORM_LAUNCH };

/* By instruction: the value's; of a loop or if, who runs its block together; the loop or if that it stands in, -1:
 * none.  Outside of grids all counts as the same everywhere. */
struct lt_uniform { uint8_t *value, *control; int32_t *block; };

/* Of a program that keeps all other rules, in time that grows with its length; in the pool. */
struct lt_uniform lt__uniform(const struct lt_kernel *, struct lt_pool *);
#endif
