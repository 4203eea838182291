/* program.h -- a compiled program: what each stage of lowering (program/lower.c) made, which the driver, dumps
 * and captures read. */
#ifndef LT_PROGRAM_RUN_PROGRAM_H
#define LT_PROGRAM_RUN_PROGRAM_H
#include <stdatomic.h>
#include "program/nest/caps.h"
#include "program/storage/materialize.h"
#include "program/plan/plan.h"
#include "program/run/run.h"
#include "program/nest/diagnostics.h"

/* The part of lt_stats that changes while instances are made and run, by any thread. */
struct lt_tally { _Atomic int64_t n_run, n_replayed, move_ns, device_ns, bind_ns, device_bytes; };
struct lt_program {
	struct lt_context *ctx;
	struct lt_arena *arena;
	/* with copies of the texts; those that are read during the call only are NULL after it */
	struct lt_options options;
	struct lt_services services;            /* host.c */
	struct lt_bindings bindings[LT_NBINDING];   /* bindings.c, by enum lt_binding */
	struct lt_graph *graph;                 /* after the passes */
	struct lt_graph *base;                  /* materialised: what a tree is made for */
	struct lt_opened_backends backends;              /* choose.c */
	struct lt_looptree *tree;               /* its graph is base, or has nodes that the tree added to that */
	struct lt_nests nests;                  /* of the tree: storage/assign.c, blocks.c, freezing, offer.c */
	struct lt_kernels kernels;              /* compile.c */
	bool has_faults;                        /* some kernel gathers: it can have an index out of range */
	bool is_shared;                         /* the host's threads share a step: they are kept awake during a run */
	struct lt_plan plan;                    /* plan/steps.c and memory.c */
	struct lt_memories memories;            /* memory.c */
	struct lt_offsets offsets;              /* plan.c */
	struct lt_scratch *scratch;             /* by memory: memory.c */
	struct lt_constants constants;          /* constants.c */
	struct lt_stats stats;
	struct lt_tally tally;
	struct lt_turn turn;                    /* of constants, until they are ready */
	struct lt_turn profile_turn;            /* of the instance whose run is profiled */
	struct lt_instance *instance;           /* those that there are, by their `next` */
	struct lt_turn instance_turn;           /* of that list */
};

/* As lt_compile, with a finished tree over the lowered form (lt__materialize) of the graph; takes both, on failure
 * too. */
lt_status lt__compile_tree(struct lt_context *, const struct lt_graph *, struct lt_graph *lowered,
	struct lt_looptree *tree, const struct lt_options *, struct lt_program **out);   /* program.c */
/* As lt_compile with plan_only, for a target instead of backends: each nest is taken, and nothing is compiled. */
lt_status lt__compile_for(struct lt_context *, const struct lt_graph *, const struct lt_target *,
	const struct lt_options *, struct lt_program **out);   /* program.c */
/* Whether the options' schedule is one for the graph: everything up to the nests; nothing is compiled.  program.c */
lt_status lt__check_schedule(struct lt_context *, const struct lt_graph *, const struct lt_options *);

/* work.c.  enum lt_allow: what the options of the backends that have kernels let them do. */
uint32_t lt__program_allows(const struct lt_program *);
/* work.c: what a run does and needs, for the stats. */
lt_status lt__program_count(const struct lt_program *, struct lt_stats *);
/* Of one step; param: by param of the graph, or NULL where it has none. */
struct lt_counted;
void lt__count_step(const struct lt_program *, const struct lt_pstep *, const int64_t *param, struct lt_arena *,
	struct lt_counted *);
/* dump.c: the definitions at the head of a kernel's source, except those that the source of a kernel before had; where
 * the kernel begins. */
const char *lt__source_definitions(
	struct lt_names *written, const char *text, size_t bytes, lt_write *write, void *user);
/* explain.c */
void lt__explain_each(const struct lt_program *, struct lt_arena *, void (*)(void *, const struct lt_explained *),
	void *user);
/* text.c.  "input"; of a storage that has a binding "x"; "input 'x'", in the scratch */
const char *lt__space_word(enum lt_storage_space);
const char *lt__storage_name(const struct lt_program *, const struct lt_storage *);
const char *lt__storage_text(struct lt_context *, const struct lt_program *, int32_t storage);
/* "file:line:column: ", or "" where the place is unknown; in the scratch */
const char *lt__location_text(struct lt_context *, const struct lt_program *, int32_t line, int32_t column);
#endif
