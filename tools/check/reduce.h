/* reduce.h -- what the files of the reducer share: candidates that are a little smaller than a graph and
 * its schedule. */
#ifndef LT_TOOLS_CHECK_REDUCE_H
#define LT_TOOLS_CHECK_REDUCE_H
#include "ir/graph/graph.h"

/* reduce_text.c.  Texts are the caller's to free; NULL: there is none, or memory ran out. */
char *lt__reduce_text(const struct lt_graph *);
/* A kind of step: make NULL: what begins with a mark goes, up to what ends it. */
struct reduce_kind {
	const char *name;
	char *(*make)(const char *graph, int64_t k, bool *more);
	const char *mark, *ends;
};
extern const struct reduce_kind lt__reduce_kinds[];             /* reduce_graph.c; ends with a row of NULL */
/* The graph's text after the k-th change of this kind; *more: whether there is a k-th.  What comes of it may be no
 * graph. */
char *lt__reduce_by(const struct reduce_kind *, const char *graph, int64_t k, bool *more);
/* Nodes, vars and scalars that nothing uses go. */
void lt__reduce_drop_unused(char *graph);
/* Without its k-th step; NULL: it has none. */
char *lt__reduce_step(const char *schedule, int64_t k);
/* Where line k begins; NULL: there is none. */
const char *lt__reduce_line(const char *text, int64_t k);
/* n bytes at `at`, which is in the text, become `with`. */
char *lt__reduce_splice(const char *text, const char *at, size_t n, const char *with);
/* The length of the name of a node, a var or a scalar that begins here, with its %; 0: none does. */
size_t lt__reduce_name(const char *);
/* The name of n bytes, at `from` or after; strings have none. */
const char *lt__reduce_find(const char *from, const char *name, size_t n);

/* reduce_write.c.  What was found: texts (schedule NULL: the default tree), the set of data, and whether time or
 * tries ran out. */
struct reduced { const char *graph, *schedule; int set, n_tried; bool is_over; };
struct check_failure;
lt_status lt__reduce_write(const struct check_failure *, const struct reduced *, char *text, size_t bytes);
#endif
