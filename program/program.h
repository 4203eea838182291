/* program/program.h -- a compiled program: one table that the driver, dumps and captures read. */
#ifndef LT_PROGRAM_PROGRAM_H
#define LT_PROGRAM_PROGRAM_H
#include "ir/graph.h"
#include "looptree/freeze.h"
#include "lt/program.h"

/* Sentences of a backend, kept until they are told. */
struct lt_told { struct lt_diag diag; lt_status code; int32_t loop, stmt; size_t n; char text[1500]; };
void lt__told_init(struct lt_told *);
/* A backend's sentence without its own name in front, which has been said. */
const char *lt__told_text(const char *text, const char *backend);

/* One backend of the list that a program may use. */
struct lt_choice { const struct lt_backend *backend; const char *config; struct lt_session *session; bool used; };

/* One distinct kernel: a frozen tree and its object. */
struct lt_kernel {
	const struct lt_frozen *frozen;         /* the first nest that it was made of */
	int32_t choice;
	struct lt_object *object;
	size_t workspace_bytes, workspace_align;
	const char *refusals;                   /* of the backends before the chosen one; "" if none */
};
enum lt_step_kind { LT_STEP_RUN, LT_STEP_COPY };
/* One step of a run, or of preparing constants: a launch, or a copy of a whole storage. */
struct lt_pstep {
	enum lt_step_kind kind;
	int32_t nest;                           /* RUN: index into frozen */
	int32_t to, from;                       /* COPY: storages */
};
struct lt_portdef {
	const char *name;
	enum lt_dtype dtype;
	int32_t rank;
	int64_t *extent;
	size_t bytes;
	bool needed;
};
struct lt_ports { int32_t n; struct lt_portdef *at; };

struct lt_program {
	struct lt_context *ctx;
	struct lt_arena *arena;
	struct lt_graph *graph;                 /* behind the passes */
	struct lt_graph *base;                  /* materialised: what a tree is made for */
	const struct lt_graph *lowered;         /* what the tree stands over: base, or the tree's own graph */
	struct lt_looptree *tree;
	struct lt_options options;
	struct lt_host host;
	struct lt_ports ports[4];               /* by enum lt_port */
	lt_node *result_source;                 /* by result: its node in the lowered graph */
	struct lt_places places;
	bool *early;                            /* by node of the lowered graph: computed once, before the first instance */
	struct lt_frozen *frozen; int32_t n_frozen;
	int32_t *kernel_of;                     /* by frozen */
	struct lt_kernel *kernel; int32_t n_kernel;
	struct lt_choice *choice; int32_t n_choice;
	struct lt_pstep *prepare, *run;         /* what runs once, and in every run */
	int32_t n_prepare, n_run;
	const void **constant;                  /* by port: bound data */
	void **owned;                           /* by port: our copy, or NULL */
	void *prepared; size_t prepared_bytes;
	size_t workspace_bytes, scratch_bytes;  /* of an instance; of the largest object */
	bool ready;
	struct lt_stats stats;
};
/* Bytes that blocks are allocated larger, so that they can begin at a multiple of 64. */
enum { LT_ROOM = 64 };
struct lt_instance {
	struct lt_program *program;
	void **state, **state_block;            /* by port: aligned, and as allocated */
	void *workspace, *scratch;
	int64_t *param;
	bool *absent;                           /* by param: read by unused nodes only, and not checked */
	struct lt_slot *slot;                   /* of all steps, one after the other */
	int64_t *extent;                        /* by var of the program's graph: of the last run */
	struct lt_fault fault;
};

/* As lt_compile, with a finished tree over the lowered form (lt__materialize) of the graph; takes both, on failure too. */
lt_status lt__compile_tree(struct lt_context *, const struct lt_graph *, struct lt_graph *lowered, struct lt_looptree *tree,
	const struct lt_options *, struct lt_program **out);                            /* lower.c */

/* Whether the options' schedule is one for the graph: everything up to the tree; nothing is compiled. */
lt_status lt__check_schedule(struct lt_context *, const struct lt_graph *, const struct lt_options *);          /* lower.c */

/* The floors of lowering, in order; each fills its part of the program. */
lt_status lt__program_ports(struct lt_program *, const struct lt_graph *);              /* ports.c */
lt_status lt__materialize(const struct lt_graph *in, struct lt_graph **out);            /* leaves.c */
/* Whether the view can be written through; fills the place of each operand (storage left alone). */
bool lt__write_through(const struct lt_graph *, struct lt_arena *, lt_node view, struct lt_place *place);      /* through.c */
lt_status lt__program_tree(struct lt_program *);                                         /* schedule.c */
lt_status lt__program_places(struct lt_program *);                                      /* places.c */
lt_status lt__program_steps(struct lt_program *);                                       /* places.c */
lt_status lt__program_plan(struct lt_program *);                                        /* plan.c */
lt_status lt__program_open(struct lt_program *);                                        /* choose.c */
lt_status lt__program_compile(struct lt_program *);                                     /* choose.c */
void lt__program_close(struct lt_program *);                                            /* choose.c */
/* Runs steps with the storages' addresses; data: by storage; slot: room for all slots of the steps. */
struct lt_addresses { void *const *state; const void *const *input; const void *const *constant; void *const *result;
	void *workspace, *prepared, *scratch; int64_t *param; };
lt_status lt__program_steps_run(struct lt_program *, const struct lt_pstep *, int32_t n, const struct lt_addresses *,
	struct lt_slot *, struct lt_fault *);                                           /* steps.c */
/* "file:line:column: ", or "" where the place is unknown; in the context's scratch. */
const char *lt__place_text(const struct lt_program *, int32_t line, int32_t column);
int32_t lt__program_slots(const struct lt_program *, const struct lt_pstep *, int32_t n);        /* most slots of one step */
int64_t lt__now_ns(void);
#endif
