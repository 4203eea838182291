/* program.h -- making programs, for tests and tools: entries beside lt_compile (program.c). */
#ifndef LT_PROGRAM_PROGRAM_H
#define LT_PROGRAM_PROGRAM_H
#include "lt/program.h"

struct lt_looptree;

/* As lt_compile, with a finished tree over the lowered form (lt__materialize) of the graph; takes both, on failure
 * too. */
lt_status lt__compile_tree(struct lt_context *, const struct lt_graph *, struct lt_graph *lowered,
	struct lt_looptree *tree, const struct lt_options *, struct lt_program **out);
/* As lt_compile with plan_only, for a target instead of backends: each nest is taken, and nothing is compiled. */
lt_status lt__compile_for(struct lt_context *, const struct lt_graph *, const struct lt_target *,
	const struct lt_options *, struct lt_program **out);
/* Whether the options' schedule is one for the graph: everything up to the nests; nothing is compiled. */
lt_status lt__check_schedule(struct lt_context *, const struct lt_graph *, const struct lt_options *);
#endif
