/* program/cache.h -- what is kept on disk between processes, found by its whole key: compiled objects, and facts that took long to find.
 *
 * An entry is a file named by a hash of its key.  It holds the key, which is compared, and a checksum, so that a damaged entry
 * counts as missing.  Entries are written beside their place and renamed: processes that race all succeed.
 */
#ifndef LT_PROGRAM_CACHE_H
#define LT_PROGRAM_CACHE_H
#include "lt/status.h"

enum lt_entry { LT_ENTRY_OBJECT, LT_ENTRY_FACT };        /* facts are not counted as kernels */

/* dir and the folders above it that are missing; 0, or the errno of what stands in the way. */
int lt__cache_make(const char *dir);
/* What was kept under key, with a 0 behind it, the caller's to free(); NULL: nothing, or damaged. */
char *lt__cache_read(const char *dir, enum lt_entry, const void *key, size_t key_bytes, size_t *bytes);
/* A cache that cannot be written to is no error. */
void lt__cache_write(const char *dir, enum lt_entry, const void *key, size_t key_bytes, const void *data, size_t bytes);
/* Number of kernels in a folder and their bytes together; a folder that is not there has none. */
lt_status lt__cache_stats(const char *dir, int64_t *n, int64_t *bytes);
/* Removes every entry, and what interrupted processes left behind more than an hour ago. */
lt_status lt__cache_clear(const char *dir);
#endif
