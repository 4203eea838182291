/* bindings.h -- what a caller gives and gets: inputs, constants, states and results, in the order of the
 * graph. */
#ifndef LT_PROGRAM_STORAGE_BINDINGS_H
#define LT_PROGRAM_STORAGE_BINDINGS_H
#include "ir/graph/graph.h"
#include "lt/program.h"

enum { LT_NBINDING = LT_BINDING_RESULT + 1 };
struct lt_binding_def {
	const char *name;
	enum lt_dtype dtype;
	int32_t rank;
	int64_t *extent;
	size_t bytes;
	bool needed;
	bool on_device;                         /* the caller gives it in the memory of the first device */
};
struct lt_bindings { int32_t n; struct lt_binding_def *at; struct lt_names *names; };

/* Those that lt_options.on_device names.  LT_EINVAL: one is none. */
lt_status lt__bindings_on_device(const struct lt_graph *, const char *on_device, struct lt_bindings *bindings);
/* bindings: one table for each enum lt_binding. */
lt_status lt__bindings_fill(const struct lt_graph *, struct lt_arena *, struct lt_bindings *bindings);
int32_t lt__binding_find(const struct lt_bindings *, const char *name);       /* -1: no such */
/* Who makes a constant, piece by piece; fill NULL: it lies somewhere. */
struct lt_filler { lt_fill *fill; void *user; };
/* LT_EMISSING, with names, unless all that are needed are given or made (filler NULL: none is); what: "input". */
lt_status lt__bindings_missing(struct lt_context *, const struct lt_bindings *, const void *const *given,
	const struct lt_filler *, const char *what);
#endif
