/* lt/frontend.h -- a frontend turns text, or the bytes of a model file, into a graph.
 *
 * A frontend is one constant table that registers itself when it is linked in (LT_FRONTEND).
 * Errors carry file:line:column; the graph is built through lt/graph.h.
 * Threads.  The registry is used by any thread, and tables are kept for ever.  recognize, parse and
 * parse_with may be called by several threads at once, with contexts of their own: what they remember is in the graph.
 * Pointers.  No argument may be NULL unless it is said here.  recognize and parse are never handed NULL.
 */
#ifndef LT_FRONTEND_H
#define LT_FRONTEND_H
#include "lt/context.h"
#include "lt/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An input that is made a constant: what is known when the graph is built may decide shapes, axes and which part of a
 * model is run. */
struct lt_fixed {
	const char *name;
	enum lt_dtype dtype;
	int32_t rank;
	const int64_t *shape;
	const void *data;               /* dense, row-major; copied */
};
/* What a frontend is told besides the text; all of it is borrowed for the call. */
struct lt_parse_options {
	uint32_t size;                  /* sizeof (struct lt_parse_options) */
	/* "batch=8": the extent of a symbolic dimension; "batch=1..64": the least and the most it may be in a run */
	const char *const *dim;
	uint32_t n_dim;
	const struct lt_fixed *fixed;
	uint32_t n_fixed;
	const char *folder;             /* where files that the text names are; NULL: none may be named */
	/* Called with the path of each such file as it is read, more than once if parts of it are; NULL: nobody asks. */
	void (*reads)(void *user, const char *path);
	void *user;
	/* The extents that a run will give an input, where no dim says them; *rank -1: that is not known.  low, high: room for
	 * LT_MAX_RANK extents each, which differ where those of runs do.  A failure says that they are not known, and its
	 * sentence in the context why: it is told where no other input says the extent.  NULL: nothing is known. */
	lt_status (*shape)(void *user, const char *input, int32_t *rank, int64_t *low, int64_t *high);
	/* 1: the text is a file, mapped privately and to be read only, that stays mapped until the graph and the last
	 * program that is compiled of it are freed (lt_graph_hold): contents of constants may lie in it, and pages of it be
	 * given back to the system after they were read (MADV_DONTNEED).  0: it is borrowed for the call. */
	int mapped;
	/* A folder of operations of the user's own (docs/own-kernels.md): what a function of their names means may be done by
	 * their kernels, where lt_options.kernels names it, too.  NULL: there are none. */
	const char *kernels;
	/* 1: all runs have the same extents: one that the text leaves open, or that a dim says differs from run to run
	 * ("batch=1..64"), is refused, with the dim that fixes it. */
	int fixed_extents;
};

enum { LT_FRONTEND_ANY_TEXT = 1 };
struct lt_frontend {
	uint32_t size;
	const char *name, *summary;     /* [a-z][a-z0-9_]* */
	const char *suffix;             /* "lt": usual ending of its files; NULL: none */
	/* 0: not its text; LT_FRONTEND_ANY_TEXT: it may be, as any text may; larger: surer. */
	int (*recognize)(const char *text, size_t bytes);
	lt_status (*parse)(struct lt_context *, const char *text, size_t bytes, const char *file, struct lt_graph **out);
	/* The same with options; NULL: it has none. */
	lt_status (*parse_with)(struct lt_context *, const char *text, size_t bytes, const char *file,
		const struct lt_parse_options *, struct lt_graph **out);
};
/* LT_EINVAL: the table is not complete, LT_EEXIST: there is one of that name, LT_ENOMEM: there are too many. */
LT_API lt_status lt_frontend_register(const struct lt_frontend *);
LT_API const struct lt_frontend *lt_frontend_find(const char *name);    /* NULL: no such */
LT_API uint32_t lt_frontend_count(void);
LT_API const struct lt_frontend *lt_frontend_at(uint32_t i);            /* sorted by name; NULL: no such */
/* Text to graph by the frontend of that name, or (NULL) the one that recognizes it best, and of several the one whose
 * suffix the name of the file has.  file: for messages (NULL: "script").  text: may be NULL if bytes is 0. */
LT_API lt_status lt_parse(struct lt_context *, const char *text, size_t bytes, const char *file,
	const char *frontend, struct lt_graph **out);
/* options: NULL as lt_parse.  A frontend that has none refuses dims and fixed inputs. */
LT_API lt_status lt_parse_with(struct lt_context *, const char *text, size_t bytes, const char *file,
	const char *frontend, const struct lt_parse_options *, struct lt_graph **out);

#define LT_FRONTEND(table)                                                    \
	__attribute__((constructor)) static void lt_register_##table(void)    \
	{ (void)lt_frontend_register(&(table)); }

#ifdef __cplusplus
}
#endif
#endif
