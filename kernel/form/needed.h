/* needed.h -- which instructions have a part in what a caller sees. */
#ifndef LT_KERNEL_FORM_NEEDED_H
#define LT_KERNEL_FORM_NEEDED_H
#include "kernel/form/pool.h"
#include "lt/kernel.h"

/* PREFETCHES: they are wanted.  MEMBERS: an instruction keeps all of them: both operands of a shuffle of one lane,
 * which chooses one, and what a launch hands over to a team that does not use it. */
enum lt_needed_flag { LT_NEEDED_PREFETCHES = 1, LT_NEEDED_MEMBERS = 2 };
/* By instruction, in the pool.  Of a program that holds the rules, in time that grows with its length. */
bool *lt__needed(const struct lt_kernel *, struct lt_pool *, unsigned flags);
/* Whether an instruction uses its operand k: it is there, and it is not one that a shuffle of one lane leaves out. */
bool lt__needs_operand(const struct lt_kernel *, const struct lt_instruction *, int k);
/* By instruction, in the pool: the loop, if or else whose block it stands in; -1: the region. */
int32_t *lt__kernel_blocks(const struct lt_kernel *, struct lt_pool *);
#endif
