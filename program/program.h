/* program/program.h -- a compiled program: one table that the driver, dumps and captures read. */
#ifndef LT_PROGRAM_PROGRAM_H
#define LT_PROGRAM_PROGRAM_H
#include "ir/graph.h"
#include "lt/program.h"
#include "program/assign_storage.h"
#include "program/cache.h"

/* Notes of a backend, kept until they are told: each of the first, and all of them as one text. */
enum { LT_MAX_DIAGNOSTICS = 8 };
struct lt_diagnostics {
	struct lt_diag diag;
	int32_t n_diagnostic;
	struct { lt_status code; int32_t loop, stmt; size_t text, remedy; } note[LT_MAX_DIAGNOSTICS];        /* places in kept; remedy 0: none */
	size_t n, n_kept;
	char text[1500], kept[3000];
};
void lt__diagnostics_init(struct lt_diagnostics *);
/* A backend's sentence without its own name in front, which has been said. */
const char *lt__diagnostic_text(const char *text, const char *backend);
/* That, or what the status means where it said nothing; call: the function that gave the status, which its author has to mend if there is no
 * such status. */
const char *lt__diagnostic_reason(struct lt_diagnostics *, lt_status, const char *backend, const char *call);

/* One backend of the list that a program may use. */
struct lt_opened {
	const struct lt_backend *backend;
	const char *config;
	struct lt_session *session;
	int32_t memory;                         /* that its slots lie in; 0: the host's */
	size_t scratch_bytes;                   /* of the workspace of its kernel that needs most */
	bool used;                              /* some kernel is its */
};
/* What one nest was refused for, by the backends before its own. */
struct lt_refusals { int32_t n, cap; const struct lt_refusal **at; };

/* One distinct kernel: a frozen tree and its object. */
struct lt_kernel {
	const struct lt_frozen *frozen;         /* the first nest that it was made of */
	int32_t opened;
	struct lt_object *object;
	size_t workspace_bytes, workspace_align;
};
enum lt_step_kind { LT_STEP_RUN, LT_STEP_COPY, LT_STEP_MOVE, LT_STEP_BLOCKS };
/* One step of a run, or of preparing constants: a launch, a copy of a whole storage, a part of one that crosses to another memory, or a nest
 * that is made block by block. */
struct lt_pstep {
	enum lt_step_kind kind;
	int32_t nest;                           /* RUN, BLOCKS: index into frozen */
	int32_t to, from;                       /* COPY: storages; MOVE: one storage, twice */
	int32_t memory, from_memory;            /* where it is done; MOVE: to and from, one of them the host's (0) */
	int64_t offset, elems;                  /* MOVE: of the storage */
};
/* Consecutive launches of one backend, or (choice -1) steps of the host's. */
struct lt_segment { int32_t opened, first, n, first_slot; };

/* A memory: 0 is the host's, and each device of the list has one. */
struct lt_pmemory {
	int32_t opened;                         /* whose it is; -1: the host's */
	int64_t *offset;                        /* by storage, in WORKSPACE and PREPARED; of the host: NULL, they stand in the storages */
	size_t workspace_bytes, prepared_bytes, scratch_bytes, scratch_align;
};
/* Device memory of a program (constants and what is made of them), or of an instance (the rest). */
struct lt_device_memory {
	void **block; int32_t n_block;          /* as mem_new gave them */
	struct lt_slot *where;                  /* by storage: where it begins; bytes 0: not there */
	void *scratch;
	int64_t bytes;                          /* of all blocks */
};
struct lt_binding_def {
	const char *name;
	enum lt_dtype dtype;
	int32_t rank;
	int64_t *extent;
	size_t bytes;
	bool needed;
};
struct lt_bindings { int32_t n; struct lt_binding_def *at; struct lt_names *names; };

struct lt_program {
	struct lt_context *ctx;
	struct lt_arena *arena;
	struct lt_graph *graph;                 /* behind the passes */
	struct lt_graph *base;                  /* materialised: what a tree is made for */
	const struct lt_graph *lowered;         /* what the tree stands over: base, or the tree's own graph */
	struct lt_looptree *tree;
	struct lt_options options;
	struct lt_host host;
	struct lt_cache cache;
	const char *cache_why;                  /* it is done without: why, NULL: it is open, or none was asked for */
	int32_t n_done;                         /* kernels that have their object, for progress */
	struct lt_bindings bindings[4];               /* by enum lt_binding */
	lt_node *result_source;                 /* by result: its node in the lowered graph */
	struct lt_assigned assigned;
	bool *early;                            /* by node of the lowered graph: computed once, before the first instance */
	bool fixed_tree;                        /* the user's: it is never rebuilt */
	const char *prelude;                    /* what the operators' C texts call: one text for all kernels */
	struct lt_arena *nests;                 /* of places, early and frozen, which go with the tree */
	struct lt_frozen *frozen; int32_t n_frozen;
	struct lt_refusals *refused;            /* by frozen */
	struct lt_blocks **blocks;              /* by frozen: how it is copied without a kernel, NULL: it has one */
	int32_t *opened_of, *kernel_of;         /* by frozen; kernel_of -1: it has none */
	struct lt_kernel *kernel; int32_t n_kernel;
	struct lt_opened *opened; int32_t n_opened;
	struct lt_pstep *prepare, *run;         /* what runs once, and in every run */
	int32_t n_prepare, n_run;
	struct lt_segment *segment; int32_t n_segment;          /* of run */
	struct lt_pmemory *memory; int32_t n_memory;
	uint64_t *in_memories;                         /* by storage: memories that it has room in; NULL: all live in the host's */
	uint64_t *state_memories;                   /* by port: memories where a state is whole between runs */
	struct lt_device_memory *room;                   /* by memory, 0 is empty: constants and what is made of them; NULL: not made yet */
	const void **constant;                  /* by port: bound data */
	void **owned;                           /* by port: our copy, or NULL */
	void *prepared; size_t prepared_bytes;
	size_t workspace_bytes, scratch_bytes;  /* of an instance; of the largest object */
	bool ready;
	struct lt_stats stats;
};
/* Bytes that blocks are allocated larger, so that they can begin at a multiple of 64. */
enum { LT_ALIGNMENT_SLACK = 64 };
struct lt_instance {
	struct lt_program *program;
	void **state, **state_block;            /* by port: aligned, and as allocated */
	void *workspace, *scratch;
	int64_t *param;
	bool *absent;                           /* by param: read by unused nodes only, and not checked */
	struct lt_slot *slot;                   /* of all steps, one after the other */
	int64_t *extent;                        /* by var of the program's graph: of the last run */
	bool ran;                               /* the params and extents are those of a run, which was not refused */
	struct lt_fault fault;
	struct lt_device_memory *room;                   /* by memory: the rest */
	bool *touched;                          /* by state: its bytes on the host are newer than those on devices */
	struct lt_recorder *recorder;           /* runs that repeat; NULL: no backend can */
	struct lt_event **event;                /* by choice: begin, end; NULL: runs are not timed */
};

/* As lt_compile, with a finished tree over the lowered form (lt__materialize) of the graph; takes both, on failure too. */
lt_status lt__compile_tree(struct lt_context *, const struct lt_graph *, struct lt_graph *lowered, struct lt_looptree *tree,
	const struct lt_options *, struct lt_program **out);                            /* lower.c */

/* Whether the options' schedule is one for the graph: everything up to the tree; nothing is compiled. */
lt_status lt__check_schedule(struct lt_context *, const struct lt_graph *, const struct lt_options *);          /* lower.c */

/* The floors of lowering, in order; each fills its part of the program. */
lt_status lt__program_bindings(struct lt_program *, const struct lt_graph *);              /* bindings.c */
lt_status lt__materialize(const struct lt_graph *in, struct lt_graph **out);            /* materialize.c */
/* Whether the view can be written through; fills the place of each operand (storage left alone). */
bool *lt__wide_views(const struct lt_graph *, struct lt_arena *);       /* wide.c: by node, views that views read through a copy */
bool lt__alias_result(const struct lt_graph *, struct lt_arena *, lt_node view, struct lt_location *place);      /* through.c */
lt_status lt__program_tree(struct lt_program *);                                         /* schedule.c */
lt_status lt__program_assign(struct lt_program *);                                      /* assign_storage.c */
lt_status lt__program_steps(struct lt_program *);                                       /* assign_storage.c */
lt_status lt__program_plan(struct lt_program *);                                        /* plan.c */
lt_status lt__program_count(struct lt_program *);                                       /* work.c */
lt_status lt__program_open(struct lt_program *);                                        /* choose.c */
/* A tree, frozen, each nest of which has a backend that takes it; tree_only: no kernels are made of it.  Explains. */
lt_status lt__program_nests(struct lt_program *, bool tree_only);                       /* assign.c */
/* Asks a backend whether it takes a nest; what it says is remembered by the nest's text. */
struct lt_asked;
struct lt_asked *lt__asked_new(struct lt_program *);                                    /* accept.c */
/* False also where accepts fails otherwise, which lt__asked_failed tells. */
bool lt__accepts(struct lt_program *, struct lt_asked *, int32_t nest, int32_t opened, struct lt_refusals *why);
lt_status lt__asked_failed(const struct lt_program *, const struct lt_asked *);
/* What a tree needs beyond what a backend says that it takes, told as the backend would. */
lt_status lt__refuse_by_caps(const struct lt_tree *, const struct lt_caps *, struct lt_diag *);        /* caps.c */
uint64_t lt__known_needs(void);                                         /* all LT_NEED_* bits that there are */
const char *lt__need_words(uint64_t needs, char *out, size_t bytes);    /* "params, gather"; out */
/* "a refuses it at %n (s.lt:1:1): because; b ..." */
const char *lt__refusals_text(struct lt_program *, const struct lt_refusals *);         /* explain.c */
void lt__explain_each(const struct lt_program *, struct lt_arena *, void (*)(void *, const struct lt_explained *), void *user);
void lt__program_kernels(struct lt_program *);                                          /* choose.c */
lt_status lt__program_compile(struct lt_program *);                                     /* compile.c */
void lt__program_close(struct lt_program *);                                            /* choose.c */
/* Runs steps with the storages' addresses; data: by storage; slot: room for all slots of the steps. */
struct lt_addresses { void *const *state; const void *const *input; const void *const *constant; void *const *result;
	void *workspace, *prepared, *scratch; int64_t *param; const struct lt_device_memory *room; };
lt_status lt__program_steps_run(struct lt_program *, const struct lt_pstep *, int32_t n, const struct lt_addresses *,
	struct lt_slot *, struct lt_fault *);                                           /* steps.c */
/* What every run does before its first step: checks what is given, reads and checks the parameters, finds the addresses.  run.c */
lt_status lt__instance_begin(struct lt_instance *, const void *const *input, void *const *result, struct lt_addresses *out);
/* Where a storage begins in the host's memory. */
void *lt__storage_address(const struct lt_storage *, const struct lt_addresses *);
/* The arguments of one launch, with its slots filled. */
struct lt_args lt__launch_args(const struct lt_program *, const struct lt_pstep *, const struct lt_addresses *, struct lt_slot *, struct lt_fault *);
lt_status lt__fault_report(struct lt_program *, const struct lt_pstep *, const struct lt_fault *, const int64_t *param);
/* Bytes of a storage from one memory to the other; offset in elements. */
lt_status lt__move(struct lt_program *, const struct lt_pstep *move, const struct lt_addresses *);
/* All bytes of a storage out of a device's memory; nothing is planned or remembered. */
lt_status lt__fetch(struct lt_program *, int32_t storage, int32_t memory, const struct lt_addresses *, void *out);

/* memory.c: which memories each storage lives in, and the moves between them, put into the steps; the segments of a run. */
lt_status lt__program_memory(struct lt_program *);
void lt__program_scratch(struct lt_program *);          /* what the kernels of each memory need beside their slots; they are compiled */
const char *lt__storage_text(const struct lt_program *, int32_t storage);               /* dump.c: "input 'x'"; in the context's scratch */
/* device_memory.c: device memory.  prepare: for the program; else for an instance, whose tables begin as copies of the program's. */
lt_status lt__device_memory_new(struct lt_program *, bool prepare, struct lt_device_memory **out);
void lt__device_memory_free(struct lt_program *, struct lt_device_memory *);
/* record.c: a whole run, in the order of its segments; replayed where it was recorded. */
lt_status lt__recorder_new(struct lt_instance *);
void lt__recorder_free(struct lt_instance *);
lt_status lt__instance_segments(struct lt_instance *, const struct lt_addresses *);
lt_status lt__events_new(struct lt_instance *);         /* those of the backends that can, into r->event where it is made */
void lt__events_free(struct lt_instance *);
lt_status lt__cancelled(struct lt_program *);   /* host.c: LT_ECANCELLED, with its sentence, if the caller wants no more of it */
lt_status lt__host_open(struct lt_program *);   /* host.c: fills p->host, makes the cache's folder */
uint32_t lt__host_threads(uint32_t n);          /* as many as were asked for, 0: as there are processors */
/* lt_host.parallel. */
void lt__host_parallel(const struct lt_host *, uint32_t n_thread, void (*body)(void *arg, uint32_t i, uint32_t n), void *arg);
/* "file:line:column: ", or "" where the place is unknown; in the context's scratch. */
const char *lt__location_text(const struct lt_program *, int32_t line, int32_t column);
int32_t lt__program_slots(const struct lt_program *, const struct lt_pstep *, int32_t n);        /* most slots of one step */
int64_t lt__now_ns(void);
/* Adds the time since *last to *to. */
static inline void lt__lap(int64_t *to, int64_t *last)
{
	int64_t now = lt__now_ns();
	*to += now - *last;
	*last = now;
}
#endif
