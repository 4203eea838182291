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
	/* 1 + the run-time scalar that a run has to have, `least` at least, for what it writes to be read; 0: in every run */
	int32_t needs;
	int64_t least;
};
/* Consecutive launches of one backend with the copies within its memory, or (opened -1) other steps. */
/* varies: some runs need not do all of it. */
struct lt_segment { int32_t opened, first, n; bool varies; };
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
/* needs.c: sets needs and least of the steps of runs in the host's memory. */
void lt__plan_needs(const struct lt_looptree *, const struct lt_nests *, struct lt_plan *, struct lt_arena *scratch);
/* plan.c: each storage's offsets, by liveness, alike in each round of a loop if that takes no more memory. */
lt_status lt__plan_offsets(const struct lt_nests *, const struct lt_plan *, const struct lt_kernels *,
	const struct lt_memories *, struct lt_arena *, struct lt_offsets *out);
/* memory.c: by memory, of kernels that are compiled. */
struct lt_scratch *lt__plan_scratch(const struct lt_kernels *, const struct lt_memories *, struct lt_arena *);

/* rounds.c: steps of a run that come again, each time as far on, are rounds of a loop: what an exported program and a
 * dump write once.
 *
 * A piece of memory that a step has to do with: bytes behind a base, which is a storage, or -1 - memory for the
 * workspace of a memory. */
struct lt_step_place { int32_t base; int64_t at, bytes; };
/* A step: what it does, as a number (a kernel; copies are all one), and with what; what < 0: it is none that comes
 * again; what it needs. */
struct lt_step_row { int32_t what, n, needs; int64_t least; struct lt_step_place *place; };
/* Steps first .. first + period * n - 1 are n rounds, 3 at least. */
struct lt_rounds { int32_t first, period, n; };
struct lt_rounds_list { int32_t n; struct lt_rounds *at; };     /* in the order of the steps */
/* By step of the run; memory: where storages begin in each. */
struct lt_step_row *lt__plan_rows(const struct lt_plan *, const struct lt_nests *, const struct lt_kernels *,
	const struct lt_memory_offsets *memory, struct lt_arena *);
/* By what steps do alone, before anything has an offset.  *like: by storage, the one that the round before has in its
 * place, -1: none; where the two lie alike, the rounds become those of a loop. */
struct lt_rounds_list lt__plan_rounds(const struct lt_plan *, const struct lt_nests *, const struct lt_kernels *,
	int32_t n_memory, struct lt_arena *, int32_t **like);
struct lt_rounds_list lt__find_rounds(const struct lt_step_row *, int32_t n, struct lt_arena *);
/* The rounds that a step is in; NULL: none. */
const struct lt_rounds *lt__rounds_at(const struct lt_rounds_list *, int32_t step);
/* By how much `least` of a step of the first round grows with each; rounds NULL: 0. */
int64_t lt__round_least(const struct lt_step_row *, const struct lt_rounds *, int32_t step);
/* How far a place of a step of the first round moves on with each; rounds NULL: 0. */
int64_t lt__round_bytes(const struct lt_step_row *, const struct lt_rounds *, int32_t step, int32_t place);

/* fit.c: buffers that live from one step to another get offsets in one piece of memory that is as small as can be
 * found: the plan of programs for microcontrollers, whose memory is counted in bytes.  Example: of 100, 200 and
 * 100 bytes, where the first and the last are never live at one time, memory has 300.
 *
 * bytes > 0, align >= 1, live in steps first .. last; `at` is found.  like: 1 + the number of a buffer before this one
 * where it lies best if no plan needs less memory; 0: anywhere. */
struct lt_fit { int64_t bytes, align, at; int32_t first, last, like; };
/* Two that share bytes though both live in the first step of `ahead`, the last one of `behind`: ahead may begin so many
 * bytes, 0 or more, before behind, or any more.  Example: y[i] = x[i] is written where x is read. */
struct lt_fit_pair { int32_t ahead, behind; int64_t bytes; };
/* bytes: of the memory; bound: the largest sum of what is live in one step, less what pairs may share: no plan is
 * smaller.  exact: none is smaller than this one, which is certain where bytes == bound, or where a search by branch
 * and bound came to its end: it is made for LT_FIT_EXACT buffers or fewer, and ends after so many placements.  Else it
 * is the best that was found. */
struct lt_fit_size { int64_t bytes, bound; bool exact; };
enum { LT_FIT_EXACT = 40 };
/* Sizes that add up to 63 bits or more are the caller's mistake. */
struct lt_fit_size lt__fit(struct lt_fit *, int32_t n, const struct lt_fit_pair *, int32_t n_pair,
	struct lt_arena *scratch);
#endif
