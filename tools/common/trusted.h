/* trusted.h -- whether code that nobody named may be loaded from a path: only this user and root can change
 * it. */
#ifndef LT_TOOLS_COMMON_TRUSTED_H
#define LT_TOOLS_COMMON_TRUSTED_H
#include "lt/context.h"

/* path: a file or folder, without links in it (realpath).  It belongs to the effective user or root and nobody else may
 * write to it; nobody else can exchange a folder above it.  Else LT_EIO, "its group may write to it". */
lt_status lt__path_trusted(struct lt_context *, const char *path);
#endif
