/* prefetch.h -- what the files of step 'P' share: prefetches.c, and prefetch_ahead.c, which asks for what a
 * copy reads next. */
#ifndef LT_KERNEL_STEP_PREFETCH_H
#define LT_KERNEL_STEP_PREFETCH_H
#include "kernel/step/address.h"

enum { LT_PREFETCH_LINE = 64 };          /* bytes that memory hands over at once */

struct prefetch_ahead;
struct prefetches_step {
	struct lt_stepping *s;
	const struct lt_kernel *k;
	const struct lt_address_sum *values;
	const int32_t *block;
	struct prefetch *load;
	int32_t n_load;
	int64_t *jump;                  /* by instruction: elements to what it asks for; 0: nothing */
	const struct prefetch **shared; /* by instruction: what it asks a part of; NULL: nothing */
	bool *asked;                    /* by instruction: a load of a long body */
	const struct prefetch **body;   /* by instruction: loads of a body, whose lines are asked for here; NULL: none */
	int32_t *n_body;
	/* by instruction: the buffer of the program's own that its value is stored in; of a load from one, the load of the
	 * same buffer before it; by buffer: the last load; -1: none */
	int32_t *stored, *before, *last;
	struct prefetch_ahead **ahead;  /* by loop: what is asked for at the beginning of each iteration; NULL: nothing */
	int32_t n_ahead;
};

/* At most so many iterations; one that is not known is a long one. */
int64_t lt__prefetch_trip_count(const struct lt_kernel *, int32_t loop);
/* The first loop from a block outwards that runs more than once; -1: none. */
int32_t lt__prefetch_loop(const struct prefetches_step *, int32_t block);
/* How far a sum moves in an iteration of the loop; false: not always as far. */
bool lt__prefetch_moves_by(const struct prefetches_step *, const struct lt_address_sum *, int32_t loop, int64_t *by);
/* sum + times * value of b, i64; sum -1: 0. */
int32_t lt__prefetch_add(struct prefetches_step *, int32_t sum, int32_t value, int64_t times);

/* Once, before the first of these. */
void lt__prefetch_find_copies(struct prefetches_step *);
/* Whether the load is a copy's, and what it copies next is asked for elsewhere. */
bool lt__prefetch_find_ahead(struct prefetches_step *, int32_t load);
/* In an iteration of that loop. */
void lt__prefetch_add_ahead(struct prefetches_step *, int32_t loop);
#endif
