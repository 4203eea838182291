/* lt/frontend.h -- a frontend turns text into a graph.
 *
 * A frontend is one constant table that registers itself when it is linked in (LT_FRONTEND).
 * Errors carry file:line:column; the graph is built through lt/graph.h.
 * Threads.  The registry is used by any thread, and tables are kept for ever.  recognize and parse may be called by
 * several threads at once, with contexts of their own: what they remember is in the graph.
 * Pointers.  No argument may be NULL unless it is said here.  recognize and parse are never handed NULL.
 */
#ifndef LT_FRONTEND_H
#define LT_FRONTEND_H
#include "lt/context.h"
#include "lt/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

struct lt_frontend {
	uint32_t size;
	const char *name, *summary;     /* [a-z][a-z0-9_]* */
	const char *suffix;             /* "lt": usual ending of its files; NULL: none */
	/* 0: not its text; larger: surer. */
	int (*recognize)(const char *text, size_t bytes);
	lt_status (*parse)(struct lt_context *, const char *text, size_t bytes, const char *file, struct lt_graph **out);
};
/* LT_EINVAL: the table is not complete, LT_EEXIST: there is one of that name, LT_ENOMEM: there are too many. */
LT_API lt_status lt_frontend_register(const struct lt_frontend *);
LT_API const struct lt_frontend *lt_frontend_find(const char *name);    /* NULL: no such */
LT_API uint32_t lt_frontend_count(void);
LT_API const struct lt_frontend *lt_frontend_at(uint32_t i);            /* sorted by name; NULL: no such */
/* Text to graph by the frontend of that name, or (NULL) the one that recognizes it best.  file: for messages (NULL:
 * "script").  text: may be NULL if bytes is 0. */
LT_API lt_status lt_parse(struct lt_context *, const char *text, size_t bytes, const char *file,
	const char *frontend, struct lt_graph **out);

#define LT_FRONTEND(table)                                                    \
	__attribute__((constructor)) static void lt_register_##table(void)    \
	{ (void)lt_frontend_register(&(table)); }

#ifdef __cplusplus
}
#endif
#endif
