/* random_packed.h -- random graphs in which constants are read often: by products along each of their dims, and by what
 * stands before, between and behind these. */
#ifndef LT_TESTS_RANDOM_PACKED_H
#define LT_TESTS_RANDOM_PACKED_H
#include <stddef.h>
#include <stdint.h>

enum { RANDOM_PACKED_TEXT = 40100 };
/* The graph's text.  Weights are constants, or casts of constants of half their bytes; what products multiply them with
 * is of one or three rows, and a constant itself, or of each run. */
void random_packed(uint64_t seed, char text[RANDOM_PACKED_TEXT]);
#endif
