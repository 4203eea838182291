/* nearest.h -- the names that a word was probably meant to be: what is after "did you mean" in every message. */
#ifndef LT_BASE_NEAREST_H
#define LT_BASE_NEAREST_H
#include <stddef.h>
#include "lt/context.h"

enum { LT_NEAREST_MAX = 3 };
/* Names that are near, the nearest first; of equally near ones those that were added first.  Case counts less than any
 * letter. */
struct lt_nearest {
	const char *word; size_t bytes;
	/* mistakes (a letter in, out, changed, or two exchanged) that are too many; fewer may be set */
	size_t limit;
	int n;
	const char *name[LT_NEAREST_MAX];
	size_t cost[LT_NEAREST_MAX];
};
void lt__nearest_begin(struct lt_nearest *, const char *word, size_t bytes);
void lt__nearest_add(struct lt_nearest *, const char *name);    /* lives as long as the search */
/* "; did you mean 'split' or 'slip'?", each name between the two texts; "" where none is near.  In the context's
 * scratch. */
const char *lt__nearest_hint(struct lt_context *, const struct lt_nearest *, const char *before, const char *after);
/* A hint for the nearest of a list (NULL ends it). */
const char *lt__nearest_of(struct lt_context *, const char *word, size_t bytes, const char *const *list);
#endif
