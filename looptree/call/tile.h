/* tile.h -- matrix instructions (lt/tile.h) in trees: by name, and what nests they are. */
#ifndef LT_LOOPTREE_CALL_TILE_H
#define LT_LOOPTREE_CALL_TILE_H
#include "looptree/call/call.h"
#include "lt/tile.h"

/* tile.c */
const struct lt_tile_row *lt__tile_find(const char *name);              /* NULL: there is none of that name */
/* NULL: the nest computes what the instruction does; else a sentence that names the nearest change.  bounded: by dim,
 * whether a run-time bound may leave fewer. */
const char *lt__tile_refuses(
	struct lt_arena *, const struct lt_tile_row *, const struct lt_callshape *, const bool *bounded);
/* LT_OK, or why the target does not have the instruction.  A target that names none is not asked. */
lt_status lt__check_tile(const struct lt_looptree *, const struct lt_call_reason *, bool described,
	const struct lt_target *, struct lt_arena *);

/* freeze/tile.c.  The LT_TILE loop that a statement is in, if it is described or the reset of one that is; -1. */
int32_t lt__tile_of(const struct lt_freezer *, int32_t stmt);
/* Of that loop: its description, and the instruction. */
const struct lt_call *lt__tile_call(const struct lt_freezer *, int32_t loop);
int64_t lt__tile_threads(const struct lt_freezer *, int32_t loop);
/* How a fragment's elements lie: `n` of them are `coef` apart; the number's digit is the thread's from `stride` on, or
 * (stride 0) the same thread has all. */
struct lt_tile_run { int64_t coef, n, stride; };
enum { LT_TILE_RUNS = 2 * LT_MATRIX_BITS };
/* Of the result of the tile `loop`; how many. */
int32_t lt__tile_runs(const struct lt_freezer *, int32_t loop, struct lt_tile_run *);
#endif
