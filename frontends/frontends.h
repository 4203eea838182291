/* frontends.h -- what frontends share: files of other kinds, told by what they begin with; what options say. */
#ifndef LT_FRONTENDS_FRONTENDS_H
#define LT_FRONTENDS_FRONTENDS_H
#include <stdbool.h>
#include <stddef.h>
#include "base/arena.h"
#include "lt/frontend.h"

/* What a file that no frontend takes seems to be, and what to do with it, as the end of a sentence; NULL: that is not
 * known. */
const char *lt__foreign(const char *at, size_t n, char *out, size_t bytes);
/* Where it has a byte at its begin that no text has; NULL: it may be a text. */
const char *lt__foreign_bytes(const char *at, size_t n, char *out, size_t bytes);
/* A model of ONNX begins with its version, a small number, as field 1: a byte that is in no text. */
bool lt__foreign_is_onnx(const char *at, size_t n);
/* registry.c: LT_EINVAL where options set what the text of such a frontend says itself. */
lt_status lt__parse_fixes_nothing(
	struct lt_context *, const char *file, const char *frontend, const struct lt_parse_options *);
/* A text becomes a graph: body(user) is called under lt__protect.  While it runs there are *arena, *graph and, kept
 * not NULL, *kept, an arena that the graph holds; body may put another graph into *graph, which is in *out if all is
 * well. */
lt_status lt__parse_run(struct lt_context *, struct lt_arena **arena, struct lt_arena **kept, struct lt_graph **graph,
	lt_status (*body)(void *), void *user, struct lt_graph **out);
/* The folder of the user's own operations that options name; NULL: none. */
const char *lt__parse_kernels(const struct lt_parse_options *);
#endif
