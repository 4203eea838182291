/* hash.h -- FNV-1a, of 64 bits: by what equal bytes are found and damaged ones are seen; no defence against those who
 * want two texts to have the same.
 */
#ifndef LT_BASE_HASH_H
#define LT_BASE_HASH_H
#include <stddef.h>
#include <stdint.h>

#define LT_HASH_BEGIN UINT64_C(0xcbf29ce484222325)

/* Of the bytes that `hash` is of, and these behind them. */
static inline uint64_t lt__hash_more(uint64_t hash, const void *data, size_t bytes)
{
	const unsigned char *at = data;
	for (size_t i = 0; i < bytes; i++)
		hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
	return hash;
}
#endif
