/* schedule.h -- the tree that a program is run by: the default one, or what the user's schedule says. */
#ifndef LT_PROGRAM_NEST_SCHEDULE_H
#define LT_PROGRAM_NEST_SCHEDULE_H
#include "looptree/tree/tree.h"
#include "lt/program.h"

/* base: materialised.  Reads the members schedule, schedule_bytes, schedule_name and apply of the options. */
lt_status lt__first_tree(const struct lt_graph *base, const struct lt_target *, const struct lt_options *,
	struct lt_looptree **out);
#endif
