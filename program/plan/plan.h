/* plan.h -- the steps of a run, which memories their storages are in, and where there. */
#ifndef LT_PROGRAM_PLAN_PLAN_H
#define LT_PROGRAM_PLAN_PLAN_H
#include "program/storage/storage.h"
#include "program/compile/compile.h"
#include "program/nest/nest.h"

enum lt_step_kind { LT_STEP_RUN, LT_STEP_COPY, LT_STEP_MOVE, LT_STEP_BLOCKS };
/* One step of a run, or of preparing constants: a launch, a copy of a whole storage, a part of one that crosses to
 * another memory, or a nest that is made block by block. */
struct lt_pstep {
	enum lt_step_kind kind;
	int32_t nest;                           /* RUN, BLOCKS: index into frozen */
	int32_t to, from;                       /* COPY: storages; MOVE: one storage, twice */
	int32_t memory, from_memory;            /* where it is done; MOVE: to and from, one of them the host's (0) */
	int64_t offset, elems;                  /* MOVE: of the storage */
};
/* Consecutive launches of one backend with the copies within its memory, or (opened -1) other steps. */
struct lt_segment { int32_t opened, first, n; };
struct lt_plan {
	struct lt_pstep *prepare, *run;         /* what runs once, and in every run */
	int32_t n_prepare, n_run;
	struct lt_segment *segment; int32_t n_segment;          /* of run */
};

/* A memory: 0 is the host's, and each device of the list that runs a kernel has one. */
struct lt_pmemory {
	int32_t opened;                         /* whose it is; -1: the host's */
};
struct lt_memories {
	int32_t n;
	struct lt_pmemory *at;
	int32_t *of_opened;                     /* by opened backend: the memory that its slots lie in */
	/* by storage: memories that it has room in; NULL: all live in the host's */
	uint64_t *in_memories;
	/* by binding: memories where a state is whole between runs; NULL: the host's */
	uint64_t *state_memories;
};
struct lt_lifetime { int32_t first, last; };    /* steps that use a storage, those of prepare first; -1: none */
/* Where storages begin in one memory. */
struct lt_memory_offsets {
	int64_t *of;                            /* bytes, by storage, in WORKSPACE and PREPARED */
	size_t workspace_bytes, prepared_bytes;
};
struct lt_offsets {
	struct lt_memory_offsets *at;           /* by memory */
	struct lt_lifetime *lifetime;           /* by storage */
};
/* What the kernels of one memory need apart from their slots: the most that one of them does. */
struct lt_scratch { size_t bytes, align; };

/* steps.c: launches and copies, in order. */
void lt__plan_steps(const struct lt_graph *, const struct lt_nests *, struct lt_arena *, struct lt_plan *out);
/* The binding of a storage that has one; else NULL. */
const struct lt_binding_def *lt__storage_binding(const struct lt_bindings *, const struct lt_storage *);
/* memory.c: which memories each storage lives in, and the plan: these steps with the moves between memories, and the
 * segments of a run. */
lt_status lt__plan_moves(const struct lt_graph *, const struct lt_bindings *, const struct lt_nests *,
	const struct lt_opened_backends *, const struct lt_kernels *, const struct lt_plan *steps, struct lt_arena *,
	struct lt_plan *out, struct lt_memories *);
/* plan.c: each storage's offsets, by liveness. */
lt_status lt__plan_offsets(const struct lt_nests *, const struct lt_plan *, const struct lt_memories *,
	struct lt_arena *, struct lt_offsets *out);
/* memory.c: by memory, of kernels that are compiled. */
struct lt_scratch *lt__plan_scratch(const struct lt_kernels *, const struct lt_memories *, struct lt_arena *);
#endif
