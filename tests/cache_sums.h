/* cache_sums.h -- sums compiled with a cache in a folder of the test's own, and what is in that folder then. */
#ifndef TESTS_CACHE_SUMS_H
#define TESTS_CACHE_SUMS_H
#include <dirent.h>
#include <stdint.h>
#include <stddef.h>

/* The test's folder; the cache, two folders below it, made by the first build; the last build's message. */
extern char cache_above[200], cache_dir[220], cache_message[1024];
/* What the last builds reported of their progress, 100 * done + total; how often. */
extern int32_t cache_progress[16], cache_n_reported;
extern struct lt_context *cache_ctx;            /* what fails of a cache alone is reported here */
void cache_set_up(void);
void cache_tear_down(void);

/* Compiles sums of n different lengths and, on cpu, runs them; the number that came from the cache, or minus the
 * status. */
int cache_build(const char *backend, const char *cc, const char *folder, int n, uint32_t n_thread);

/* Compiled code; facts and the marker are kept beside it. */
int cache_is_ours(const struct dirent *);
int cache_files(const char *at);
int64_t cache_entries(void);
/* The path of the only entry. */
void cache_only_entry(char *file, size_t cap);
void cache_damage_bit(const char *file, int64_t at);
#endif
