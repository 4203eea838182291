/* tools/trusted.h -- whether code that nobody named may be loaded from a path: only this user and root can change
 * it. */
#ifndef LT_TOOLS_TRUSTED_H
#define LT_TOOLS_TRUSTED_H
#include <stdbool.h>
#include <stddef.h>

/* path: a file or folder, without links in it (realpath).  It belongs to the effective user or root and nobody else may
 * write to it; nobody else can exchange a folder above it.  Else false, and why: "its group may write to it". */
bool lt__path_is_trusted(const char *path, char *why, size_t bytes);
#endif
