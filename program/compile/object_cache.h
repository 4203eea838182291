/* object_cache.h -- compiled kernels from the cache on disk, for backends that can save and load theirs.
 *
 * The key of an object is all that it depends on: library and its build, backend, config, what the session says of
 * itself, the operators of the tree and its canonical text.
 */
#ifndef LT_PROGRAM_COMPILE_OBJECT_CACHE_H
#define LT_PROGRAM_COMPILE_OBJECT_CACHE_H
#include "program/nest/nest.h"
#include "program/host/host.h"

struct lt_growing { char *at; size_t n, cap; bool failed; };
struct lt_object_cache {
	const struct lt_backend *backend;
	struct lt_session *session;
	struct lt_cache *cache;
	bool on;                        /* else nothing is looked for and nothing kept */
	struct lt_growing start, key, saved;
};

/* lt__object_cache_close it, on failure too. */
lt_status lt__object_cache_open(struct lt_object_cache *, struct lt_services *, const struct lt_opened *);
void lt__object_cache_close(struct lt_object_cache *);
/* NULL: it has to be compiled */
lt_status lt__object_cache_load(struct lt_object_cache *, const struct lt_tree *, struct lt_object **out);
lt_status lt__object_cache_save(struct lt_object_cache *, const struct lt_tree *, const struct lt_object *);
/* What of a tree is in the key of its object. */
void lt__object_cache_tree(struct lt_growing *, const struct lt_tree *);
#endif
