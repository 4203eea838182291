/* odd.h -- the backend "odd": a machine of odd numbers that has routines.
 *
 * It hands what a call computes to loops over the dims and strides of struct lt_call, without a look at the statements
 * below, and everything else to ref.  A nest of which the frozen tree does not say what it computes is refused.
 */
#ifndef LT_ODD_H
#define LT_ODD_H
#include <stdint.h>
#include "lt/target.h"

/* Registers it, and sets its target: vectors of three floats, tiny caches, three cores, the routine "dot_bias". */
struct lt_target *odd_open(void);
/* The routines of its target from now on. */
void odd_routines(const struct lt_routine *, uint32_t n);
/* From now on it accepts no calls, though its target has routines; odd_open ends that. */
void odd_refuse_calls(void);
/* The same of calls with one of these epilogues; ~0: of all. */
void odd_refuse_epilogues(uint32_t);
/* What has been compiled since odd_open: calls, and what each is: "dot_bias: row m 5, column n 6, deep k 12;
 * bias\n".  together: the most nests that it was asked for at once. */
struct odd_tally { int calls, others, together; char text[4000]; };
const struct odd_tally *odd_reported(void);
#endif
