/* frontends.h -- what frontends share: files of other kinds, told by what they begin with. */
#ifndef LT_FRONTENDS_FRONTENDS_H
#define LT_FRONTENDS_FRONTENDS_H
#include <stdbool.h>
#include <stddef.h>

/* What a file that no frontend takes seems to be, and what to do with it, as the end of a sentence; NULL: that is not
 * known. */
const char *lt__foreign(const char *at, size_t n, char *out, size_t bytes);
/* Where it has a byte at its begin that no text has; NULL: it may be a text. */
const char *lt__foreign_bytes(const char *at, size_t n, char *out, size_t bytes);
/* A model of ONNX begins with its version, a small number, as field 1: a byte that is in no text. */
bool lt__foreign_is_onnx(const char *at, size_t n);
#endif
