/* copy.h -- copies of very many pieces, made block by block by the program, without a kernel: found in a tree,
 * and run.
 *
 * Of program/, this folder uses host/ and storage/.
 */
#ifndef LT_PROGRAM_COPY_COPY_H
#define LT_PROGRAM_COPY_COPY_H
#include "program/host/host.h"
#include "program/storage/storage.h"

/* A run of elements that are `to` and `from` apart, outermost first.  limit: the dim ends where a run-time scalar says,
 * the run begins at `low`. */
struct lt_blockdim { int64_t size, to, from, low; const struct lt_linear *limit; };
struct lt_blockterm { lt_param param; int64_t coef; };
struct lt_block {
	int32_t from;                   /* storage; -1: every element is `bits` */
	int32_t n_dim, first_dim, n_term, first_term;
	int64_t to_at, from_at;         /* elements; terms: what run-time scalars add to from_at */
	uint64_t bits;
};
struct lt_blocks {
	int32_t to;                     /* storage */
	uint32_t unit;                  /* bytes of an element */
	int32_t n, cap; struct lt_block *at;
	int32_t n_dim, cap_dim; struct lt_blockdim *dim;
	int32_t n_term, cap_term; struct lt_blockterm *term;
	int64_t elems, read;            /* of all blocks; of them copied */
	bool runs;                      /* each block is one run of neighbours in both, no more: a device can copy it */
};

/* copy_plan.c.  Finds the nests that are such copies: *out by root, NULL: it is none.  Sources that nobody else reads
 * become parts of the copy, which their leaves write then: their locations change. */
lt_status lt__find_blocks(struct lt_looptree *, struct lt_assigned *, struct lt_arena *, struct lt_blocks ***out);
/* copy_run.c.  n blocks of one of them from the first on, in the host's memory; at: by storage. */
typedef struct lt_slot lt_slot_find(const void *user, int32_t storage);
void lt__blocks_run(const struct lt_host *, uint32_t n_thread, const struct lt_blocks *, int32_t first, int32_t n,
	const int64_t *param, lt_slot_find *, const void *user);
#endif
