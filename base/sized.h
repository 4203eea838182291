/* sized.h -- structs of callers that begin with their size: filled as far as the caller's library knew them. */
#ifndef LT_BASE_SIZED_H
#define LT_BASE_SIZED_H
#include <stdint.h>
#include <string.h>

/* Copies the row, of `bytes`, to a caller's struct, of as many as its size says, which becomes how many these are. */
static inline void lt__sized_fill(void *to, const void *row, uint32_t bytes)
{
	uint32_t size;

	memcpy(&size, to, sizeof size);
	size = size < bytes ? size : bytes;
	memcpy(to, row, size);
	if (size >= sizeof size)
		memcpy(to, &size, sizeof size);
}
#endif
