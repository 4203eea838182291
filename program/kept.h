/* program/kept.h -- compiled kernels from the cache on disk, for backends that can save and load theirs.
 *
 * The key of an object is all that it depends on: library and its build, backend, config, what the session says of itself, the
 * operators of the tree and its canonical text.
 */
#ifndef LT_PROGRAM_KEPT_H
#define LT_PROGRAM_KEPT_H
#include "program/program.h"

struct lt_growing { char *at; size_t n, room; bool failed; };
struct lt_kept {
	const struct lt_backend *backend;
	struct lt_session *session;
	struct lt_cache *cache;
	bool on;                        /* else nothing is looked for and nothing kept */
	struct lt_growing start, key, saved;
};

/* lt__kept_close it, on failure too. */
lt_status lt__kept_open(struct lt_kept *, struct lt_program *, const struct lt_choice *);
void lt__kept_close(struct lt_kept *);
lt_status lt__kept_load(struct lt_kept *, const struct lt_tree *, struct lt_object **out);      /* NULL: it has to be compiled */
lt_status lt__kept_save(struct lt_kept *, const struct lt_tree *, const struct lt_object *);
/* What of a tree is in the key of its object. */
void lt__kept_tree(struct lt_growing *, const struct lt_tree *);
#endif
