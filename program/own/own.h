/* own.h -- kernels of the user's own: the C of NAME.c, and which calls of a graph are done by it.
 *
 * Of program/, this folder uses backend/, and what that uses.
 */
#ifndef LT_PROGRAM_OWN_OWN_H
#define LT_PROGRAM_OWN_OWN_H
#include "base/folder.h"
#include "ir/graph/graph.h"
#include "ir/node/node.h"
#include "lt/program.h"

/* text.c: a text with what it includes in quotes put in, which is beside it or below; the rest is the compiler's.
 * Everything that is compiled is in it, so it is a key. */
lt_status lt__own_text(struct lt_context *, struct lt_arena *, const char *path, const char **out);
/* head.c: what LT_KERNEL and LT_TAKES say in it. */
struct lt_ownhead {
	uint32_t types;                 /* bit set 1<<enum lt_dtype */
	const char *workspace;          /* the expression */
	size_t workspace_bytes;
	const char *takes;              /* the condition of LT_TAKES; NULL: there is none */
	size_t takes_bytes;
	int32_t line, takes_line;       /* of the file */
};
lt_status lt__own_head(struct lt_context *, const char *path, const char *text, const char *name, struct lt_ownhead *);
/* The workspace of a call: bytes, then for each thread. */
lt_status lt__own_workspace(struct lt_context *, const char *path, const struct lt_ownhead *, const struct lt_graph *,
	const struct lt_owncall *, int64_t out[2]);
/* Whether it takes the types and extents of a call. */
lt_status lt__own_takes(struct lt_context *, const char *path, const struct lt_ownhead *, const struct lt_graph *,
	const struct lt_owncall *, bool *takes);
/* own.c: the calls of a graph that a kernel in the folder does, with its text; why a call is none goes to log.  *out
 * shares all else with the graph, and lives in the arena. */
lt_status lt__own_find(const struct lt_graph *, struct lt_arena *, const struct lt_options *, struct lt_graph *out);
#endif
