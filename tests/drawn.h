/* drawn.h -- tensors of drawn shapes and numbers for tests of scripts: their values as tests/script_run.h reads
 * them, and what NumPy says of axes, as loops. */
#ifndef TESTS_DRAWN_H
#define TESTS_DRAWN_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { DRAWN_RANK = 8, DRAWN_ELEMS = 4096 };
struct drawn { int32_t rank; int64_t shape[DRAWN_RANK], elems; double at[DRAWN_ELEMS]; };

uint64_t drawn_number(uint64_t *seed, uint64_t below);
/* An extent: 1, a prime or small. */
int64_t drawn_extent(uint64_t *seed);
/* Multiples of 1/4 from -4 to 4; odd: NaN, infinities and zeros of both signs among them. */
void drawn_fill(struct drawn *, uint64_t *seed, int32_t rank, const int64_t *shape, bool odd);
struct drawn drawn_zeros(int32_t rank, const int64_t *shape);
/* Position of an index; an axis of 1 is broadcast, and leading axes that x lacks are. */
int64_t drawn_offset(const struct drawn *x, int32_t rank, const int64_t *index);
/* The next index in row-major order; false after the last. */
bool drawn_next(int32_t rank, const int64_t *shape, int64_t *index);

/* A script and its values, line by line. */
struct drawn_script { FILE *script, *values; char *text[2]; size_t bytes[2]; };
void drawn_open(struct drawn_script *);
void drawn_input(struct drawn_script *, int32_t id, const char *name, const char *type, const struct drawn *);
void drawn_list(FILE *, const int64_t *, int32_t n);
void drawn_result(struct drawn_script *, const char *name, const struct drawn *);
/* Runs it: NULL if all is as it should be, else a sentence; frees the texts. */
const char *drawn_close(struct drawn_script *);
#endif
