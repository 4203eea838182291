/* backends/cpu/cache.h -- compiled kernels on disk, found by their whole content; shared by processes.
 *
 * An entry is a file named by a hash of its key.  It holds the key, which is compared, and a checksum, so that a
 * damaged entry counts as missing.  Entries are written beside their place and renamed.
 */
#ifndef LT_CPU_CACHE_H
#define LT_CPU_CACHE_H
#include "lt/status.h"

/* Number of entries in a folder and their bytes together; a folder that is not there has none. */
lt_status lt__cpu_cache_stats(const char *dir, int64_t *n, int64_t *bytes);
/* Removes every entry, and what interrupted processes left behind more than an hour ago. */
lt_status lt__cpu_cache_clear(const char *dir);
#endif
