/* compile.h -- kernels: what nests have in common, compiled once. */
#ifndef LT_PROGRAM_COMPILE_COMPILE_H
#define LT_PROGRAM_COMPILE_COMPILE_H
#include "program/nest/nest.h"

/* One distinct kernel: a frozen tree and its object. */
struct lt_built {
	const struct lt_frozen *frozen;         /* the first nest that it was made of */
	int32_t opened;
	struct lt_object *object;
	size_t workspace_bytes, workspace_align;
};
struct lt_kernels {
	int32_t n;
	struct lt_built *at;
	int32_t *of;                            /* by nest; -1: it has none.  NULL: kernels have not been looked for */
	bool *used;                             /* by opened backend: some kernel is its */
	/* Of them compiled, and from the cache; with parallel loops, and such that run these on one thread; the most
	 * threads of a run. */
	int32_t n_compiled, n_cached, n_parallel, n_serialised, n_thread;
};
/* Equal nests of one backend become one kernel: their canonical texts are equal. */
void lt__kernels_find(const struct lt_nests *, int32_t n_opened, struct lt_arena *, struct lt_kernels *out);
/* Their objects, compiled or from the cache, and what these need to run.  lt__kernels_destroy them, on failure too. */
lt_status lt__kernels_compile(
	struct lt_kernels *, const struct lt_opened_backends *, struct lt_services *, struct lt_arena *);
void lt__kernels_destroy(struct lt_kernels *, const struct lt_opened_backends *);
#endif
