/* storage.h -- storage assignment: which piece of memory each whole value lives in, and which values may
 * share one.
 *
 * Example: a program of two kernels, where the first writes %h and the second reads it, has a storage for its input,
 * one for %h (WORKSPACE) and one for its result.  An update in place has the storage of what it updates; a value that
 * is a part of a result is written right there.
 */
#ifndef LT_PROGRAM_STORAGE_STORAGE_H
#define LT_PROGRAM_STORAGE_STORAGE_H
#include "ir/graph/graph.h"
#include "lt/program.h"
#include "looptree/freeze/freeze.h"

/* -- what a caller gives and gets: inputs, constants, states and results, in the order of the
 * graph. */
enum { LT_NBINDING = LT_BINDING_RESULT + 1 };
struct lt_binding_def {
	const char *name;
	enum lt_dtype dtype;
	int32_t rank;
	int64_t *extent;
	bool *open;                             /* by axis: a run-time scalar decides the extent */
	size_t bytes;
	bool needed;
	bool on_device;                         /* the caller gives it in the memory of the first device */
};
struct lt_bindings { int32_t n; struct lt_binding_def *at; struct lt_names *names; };

/* Those that lt_options.on_device names.  LT_EINVAL: one is none. */
lt_status lt__bindings_on_device(const struct lt_graph *, const char *on_device, struct lt_bindings *bindings);
/* What the nodes are that are numbered as an input, a constant or a state, in the order of the graph. */
enum lt_opcode lt__binding_op(int32_t kind);
/* bindings: one table for each enum lt_binding. */
lt_status lt__bindings_fill(const struct lt_graph *, struct lt_arena *, struct lt_bindings *bindings);
int32_t lt__binding_find(const struct lt_bindings *, const char *name);       /* -1: no such */
/* Who makes a constant, piece by piece; fill NULL: it lies somewhere. */
struct lt_filler { lt_fill *fill; void *user; };
/* LT_EMISSING, with names, unless all that are needed are given or made (filler NULL: none is); what: "input". */
lt_status lt__bindings_missing(struct lt_context *, const struct lt_bindings *, const void *const *given,
	const struct lt_filler *, const char *what);

/* -- the graph that a tree is made for: what has to be copied is a node of its own. */
lt_status lt__materialize(const struct lt_graph *in, struct lt_graph **out);            /* materialize.c */
/* wide.c: by node, views that views read through a copy */
bool *lt__wide_views(const struct lt_graph *, struct lt_arena *);

/* A piece of memory that outlives a kernel. */
enum lt_storage_space { LT_STORAGE_INPUT, LT_STORAGE_CONSTANT, LT_STORAGE_STATE, LT_STORAGE_RESULT,
	LT_STORAGE_WORKSPACE, LT_STORAGE_PREPARED, LT_STORAGE_PARAM };
struct lt_storage {
	enum lt_storage_space space;
	int32_t binding;                   /* number of the input, constant, state or result */
	enum lt_dtype dtype;
	int64_t elems;
};
struct lt_assigned {
	int32_t n_storage, cap_storage;
	struct lt_storage *storage;
	struct lt_location *location;   /* by node of the tree's graph; storage -1: not whole */
	int32_t param_storage;          /* int64 values of the graph's params, in order; -1: none */
	bool *early;                    /* by node: computed once, before the first instance */
};
/* bindings: by enum lt_binding. */
lt_status lt__assign_storage(struct lt_looptree *, const struct lt_bindings *bindings, struct lt_arena *,
	struct lt_assigned *out);
/* What the freezer needs to know of it. */
struct lt_fmemory lt__assigned_memory(const struct lt_assigned *, struct lt_arena *);
/* Storages of the program: constants and what is made of them; all others are an instance's. */
static inline bool lt__space_is_early(enum lt_storage_space s)
{
	return s == LT_STORAGE_CONSTANT || s == LT_STORAGE_PREPARED;
}
/* Those whose memory is never the caller's: it is aligned. */
static inline bool lt__space_is_ours(enum lt_storage_space s)
{
	return s == LT_STORAGE_WORKSPACE || s == LT_STORAGE_PREPARED || s == LT_STORAGE_STATE;
}
static inline size_t lt__storage_bytes(const struct lt_storage *s)
{
	return (size_t)s->elems * lt__dtype_info(s->dtype)->bytes;
}
#endif
