/* cache.h -- what is kept on disk between processes, found by its whole key: compiled objects, and facts that
 * took long to find.
 *
 * A cache is a folder of the effective user's own that nobody else may write to: what is read from it becomes code of
 * this process.  In it are a marker (LT_CACHE_MARKER) and entries: files named by a hash of their key in 32 hexadecimal
 * digits, with .ltk after it, .ltp for a library's plan, .lti for another fact; and, while one is written, new- with 16
 * such digits.  Nothing else in it is looked at, followed or removed.
 *
 * An entry holds its key, which is compared, and a checksum: a damaged one counts as missing.  So does one that is no
 * regular file, belongs to another user or may be written to by others.  Entries are written next to their place and
 * renamed: processes that race all succeed.
 */
#ifndef LT_PROGRAM_CACHE_CACHE_H
#define LT_PROGRAM_CACHE_CACHE_H
#include <stdatomic.h>
#include <stdbool.h>
#include "lt/context.h"

#define LT_CACHE_MARKER "looptree-cache"

enum lt_entry { LT_ENTRY_OBJECT, LT_ENTRY_PLAN, LT_ENTRY_FACT };         /* facts are not counted */
/* An open cache.  It speaks once, through warn, of what it ignores or cannot write. */
struct lt_cache {
	int fd;                         /* of the folder, -1: none */
	const char *dir;                /* for messages; the caller's */
	void (*warn)(void *user, const char *text);
	void *user;
	atomic_bool warned, swept;
};
/* make: the folder, those above it and the marker are made where they are missing.  Sets fd.  LT_EMISSING: it is done
 * without, as the disk is full or read-only, or there is no such folder (make false); LT_EIO: it is not a folder for
 * it, or not to be trusted; LT_ENOMEM.  The sentence has a way out. */
lt_status lt__cache_open(struct lt_context *, struct lt_cache *, const char *dir, bool make);
void lt__cache_close(struct lt_cache *);
void lt__cache_warn(struct lt_cache *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* What was kept under key, with a 0 after it, the caller's to free(); NULL: nothing, or nothing that can be used (errno
 * ENOMEM: no memory). */
char *lt__cache_read(struct lt_cache *, enum lt_entry, const void *key, size_t key_bytes, size_t *bytes);
/* A cache that cannot be written to is no error. */
void lt__cache_write(
	struct lt_cache *, enum lt_entry, const void *key, size_t key_bytes, const void *data, size_t bytes);

/* clear.c: kernels and plans of libraries in a folder, and their bytes together.  LT_EMISSING, of lt__cache_clear too:
 * the folder is not there. */
struct lt_cache_sums { int64_t kernels, kernel_bytes, plans, plan_bytes; };
lt_status lt__cache_stats(struct lt_context *, const char *dir, struct lt_cache_sums *);
/* Removes entries, and what interrupted processes left of them. */
lt_status lt__cache_clear(struct lt_context *, const char *dir);
/* sweep.c: removes what killed processes left half written; once for an open cache. */
void lt__cache_sweep(struct lt_cache *);
/* name.c: whether it is the name of an entry; of one that holds a kernel, a plan; of one that is being written. */
bool lt__cache_is_entry(const char *name);
bool lt__cache_is_kernel(const char *name);
bool lt__cache_is_plan(const char *name);
bool lt__cache_is_temporary(const char *name);
#endif
