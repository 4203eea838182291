/* backends/cgen/vector_part.h -- what the files of the vector operators share: element types and the marks of
 * templates. */
#ifndef LT_CGEN_VECTOR_PART_H
#define LT_CGEN_VECTOR_PART_H
#include "backends/cgen/vector.h"

/* An element type by name: of a dtype ("f16", "bool") or of a C type only ("u16").  type: name that its vector type
 * has; mask: that of the signed integers as wide; kind: letter of vector_fn.def. */
struct lt_velement { const char *name, *type, *ctype, *mask, *word; uint32_t dtype, bits; char kind; };

const struct lt_velement *lt__velement_of(uint32_t dtype);                      /* NULL: none */
const struct lt_velement *lt__velement_named(const char *name, size_t bytes);   /* NULL: none */

/* Whether the letters `on` of a row have e's kind. */
bool lt__velement_fits(const char *on, const struct lt_velement *);

/* The template with its marks replaced.  from: the operand's type of a cast, else NULL. */
void lt__vector_expand(
	struct lt_out *, const char *text, const struct lt_velement *, const struct lt_velement *from, int lanes);

/* The template of the conversion. */
const char *lt__vector_cast(const struct lt_velement *from, const struct lt_velement *to);
#endif
