/* caps.h -- between the files that compare a tree with a backend's caps (caps*.c). */
#ifndef LT_PROGRAM_BACKEND_CAPS_H
#define LT_PROGRAM_BACKEND_CAPS_H
#include "program/backend/backend.h"

/* caps.c.  Piece `piece` of operand `operand` of a statement; NULL: it has no such. */
const struct lt_piece *lt__caps_piece(const struct lt_tree *, const struct lt_stmt *, int32_t operand, int32_t piece);
/* What a statement writes; NULL: nothing. */
const struct lt_buffer *lt__caps_dest(const struct lt_tree *, const struct lt_stmt *);
/* The first statement that uses a feature; -1: none. */
int32_t lt__caps_stmt(const struct lt_tree *, uint64_t need);
void lt__caps_report(struct lt_diag *, int32_t loop, int32_t stmt, const char *text, const char *remedy);
/* Features that the backend does not understand. */
bool lt__refuse_features(const struct lt_tree *, uint64_t understands, struct lt_diag *);
/* caps_types.c: types that are not in `dtypes`. */
bool lt__refuse_types(const struct lt_tree *, uint64_t dtypes, struct lt_diag *);
#endif
