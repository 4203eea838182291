/* backends/registry.h -- between the registry and the loader. */
#ifndef LT_REGISTRY_H
#define LT_REGISTRY_H
#include "lt/backend.h"

/* origin: the file that a plug-in was loaded from; NULL: linked in.  Copied when the table is kept. */
lt_status lt__backend_add(const struct lt_backend *, const char *origin, struct lt_diag *);
/* A table that may be kept: version, mandatory members, build, name. */
lt_status lt__backend_check(const struct lt_backend *, const char *origin, struct lt_diag *);
#endif
