/* registry.h -- between the registry and the loader. */
#ifndef LT_REGISTRY_H
#define LT_REGISTRY_H
#include "lt/backend.h"

/* origin: the file that a plug-in was loaded from; NULL: linked in.  Copied when the table is kept. */
lt_status lt__backend_add(const struct lt_backend *, const char *origin, struct lt_diag *);
/* A table that may be kept: version, mandatory members, build, name, groups of members that are whole. */
lt_status lt__backend_check(const struct lt_backend *, const char *origin, struct lt_diag *);
/* As lt_backend_load; but where one of these has the name already, the new one is left out, and that is not a mistake.
 * real: what is loaded, where it is not path itself but what that resolves to, and has been checked; NULL: path. */
lt_status lt__backend_load_behind(
	const char *path, const char *real, const struct lt_backend *const *before, uint32_t n, struct lt_diag *);
/* Refuses what was not built as this library was: LT_BUILD bits. */
lt_status lt__backend_alike(uint32_t build, const char *origin, struct lt_diag *);
#endif
