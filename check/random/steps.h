/* steps.h -- random steps of a schedule, spelled right and often legal, from the table of primitives.
 *
 * What looptree/schedule/schedule.def lists is drawn: each word of a usage has a generator, and a word without one
 * ends the program. Apart from single steps there are idioms: a few steps that only make sense together.
 */
#ifndef LT_CHECK_RANDOM_STEPS_H
#define LT_CHECK_RANDOM_STEPS_H
#include "looptree/tree/tree.h"

enum { RANDOM_STEP_KINDS = 64 };
/* How many kinds of step there are, and the name of one. */
int random_step_count(void);
const char *random_step_name(int kind);
/* One step or several with ';' between them.  skip: names of primitives that are not drawn, with blanks; "" if none.
 * False: the tree has no place for the kind that was drawn. */
bool random_step(const struct lt_looptree *, uint64_t *rng, const char *skip, int *kind, char *out, size_t bytes);
/* Any loop, -1: there is none. */
lt_tnode random_loop(const struct lt_looptree *, uint64_t *rng);
#endif
