/* names.h -- a hash table from strings to a number; grows in its arena; order is never exposed. */
#ifndef LT_BASE_NAMES_H
#define LT_BASE_NAMES_H
#include "base/arena.h"

struct lt_names;
struct lt_names *lt__names_new(struct lt_arena *);
/* The number stored for name, or -1. */
int32_t lt__names_find(const struct lt_names *, const char *name, size_t bytes);
/* Adds or overwrites; the name is copied; returns the stored copy. */
const char *lt__names_add(struct lt_names *, const char *name, size_t bytes, int32_t value);
/* A name that is not in the table yet: `name`, or name2, name3 ... (a digit at the end of `name`: name_2); puts
 * it with `value`. */
const char *lt__names_unique(struct lt_names *, const char *name, int32_t value);
#endif
