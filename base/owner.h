/* owner.h -- who else may change a file or a folder, by POSIX owner and mode.
 *
 * Where there are access control lists, the group's bits are their mask: what a list lets others write counts as
 * writable by the group.
 */
#ifndef LT_BASE_OWNER_H
#define LT_BASE_OWNER_H
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include "lt/context.h"

/* Whether it belongs to the effective user (root: or to root) and nobody else may write to it; else LT_EIO, "it
 * belongs to another user (uid 1001)". */
lt_status lt__owner_alone(struct lt_context *, const struct stat *, bool root);
/* Whether everybody may exchange what is in this folder: all may write to it, and it has no sticky bit. */
bool lt__owner_is_open(const struct stat *);
/* The first folder above `folder` that everybody may exchange things in: 1, and its path relative to folder ("../..")
 * in where; 0: none; -1: it cannot be determined, see errno. */
int lt__owner_open_above(int folder, char *where, size_t bytes);
#endif
