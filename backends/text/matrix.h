/* matrix.h -- what the files of matrix instructions share. */
#ifndef LT_TEXT_MATRIX_H
#define LT_TEXT_MATRIX_H
#include "backends/text/part.h"
#include "kernel/form/form.h"

/* Registers that a thread's part of a or b is. */
static inline uint32_t text_matrix_words(const struct lt_kernel_matrix *m, int part)
{
	return (uint32_t)lt__matrix_lanes(m, part) * lt__text_element(m->part[part].dtype)->bytes / 4;
}
/* "%FIRST, %FIRST+1 ...", n of them. */
static inline void text_matrix_numbers(struct lt_out *o, uint32_t first, uint32_t n)
{
	for (uint32_t w = 0; w < n; w++)
		lt__outf(o, "%s%%%u", w ? ", " : "", (unsigned)(first + w));
}
/* matrix_load.c: fills the array `words` with a fragment from shared memory, and, if `further` is not 0, with the one
 * that is so many elements behind it. */
void lt__text_matrix_load(struct text *, const struct lt_kernel_matrix *, int part, int32_t address,
	const struct lt_matrix_location *, int64_t further, const char *words);
void lt__text_fragments_ahead(struct text *, int32_t product);
#endif
