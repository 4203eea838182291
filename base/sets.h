/* sets.h -- small sets of indices (nodes, vars, loops) as arrays: who is a member. */
#ifndef LT_BASE_SETS_H
#define LT_BASE_SETS_H
#include <stdbool.h>
#include <stdint.h>

/* The first position of x among n members; -1: it is none. */
static inline int32_t lt__index_of(const int32_t *set, int32_t n, int32_t x)
{
	for (int32_t i = 0; i < n; i++)
		if (set[i] == x)
			return i;
	return -1;
}
static inline bool lt__has(const int32_t *set, int32_t n, int32_t x) { return lt__index_of(set, n, x) >= 0; }
#endif
