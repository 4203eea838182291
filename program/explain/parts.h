/* parts.h -- between the files of program/explain/. */
#ifndef LT_PROGRAM_EXPLAIN_PARTS_H
#define LT_PROGRAM_EXPLAIN_PARTS_H
#include "looptree/text/text.h"
#include "looptree/tree/tree.h"
#include "program/explain/explain.h"

/* locations.c: kernels, their grids, where each value lives, and barriers; nothing of nests without grids and block
 * loops. */
lt_status lt__find_locations(const struct lt_program *, struct lt_arena *, struct lt_treecomments *out);
/* explain.c: what a nest computes, each node once; their number. */
uint32_t lt__kernel_nodes(const struct lt_program *, struct lt_arena *, const struct lt_frozen *,
	const struct lt_kernel_node **out);
/* work.c: of one step; param: by param of the graph, or NULL where it has none. */
struct lt_counted;
void lt__count_step(const struct lt_program *, const struct lt_pstep *, const int64_t *param, struct lt_arena *,
	struct lt_counted *);
#endif
