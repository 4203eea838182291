/* barrier.h -- between the files of freezing that know of threads: same_thread.c, barrier.c. */
#ifndef LT_LOOPTREE_FREEZE_BARRIER_H
#define LT_LOOPTREE_FREEZE_BARRIER_H
#include "looptree/freeze/parts.h"

/* An access that threads made since they last waited.  carried: in an earlier iteration of this loop; -1: in this. */
struct lt_touched { int32_t stmt, access, carried; bool write; int64_t time; };
/* A barrier in the body of a loop, before the statement or loop that begins with stmt. */
struct lt_fbarrier { int32_t loop, stmt; };
struct lt_barriers {
	struct lt_freezer *f;
	int64_t *stride;                /* by block loop: threads of its axis from an iteration to the next */
	int64_t time, *start;           /* by loop: when what is walked through in its body began */
	int64_t *begin;                 /* by loop: when its body began */
	bool *written;                  /* by buffer: in the grid in hand */
	struct lt_touched *touched; int32_t n_touched, cap_touched;
	struct lt_fbarrier *at; int32_t n, cap;
};

/* same_thread.c */
bool lt__is_thread_loop(const struct lt_freezer *, int32_t loop);
int32_t lt__loop_axis(const struct lt_freezer *, int32_t loop);
bool lt__row_depends(const struct lt_freezer *, const struct lt_row *, int32_t loop);   /* through quotients, too */
/* Whether all pairs of x and y that name one element are of one thread of a block; false: that is not known. */
bool lt__same_thread(const struct lt_barriers *, const struct lt_touched *x, const struct lt_touched *y);
/* Whether the access is made for all iterations of a block loop by the first of them: a combine. */
bool lt__is_led(const struct lt_barriers *, const struct lt_touched *, int32_t loop);
#endif
