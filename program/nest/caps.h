/* caps.h -- comparing a tree with a backend's caps. */
#ifndef LT_PROGRAM_NEST_CAPS_H
#define LT_PROGRAM_NEST_CAPS_H
#include <stdbool.h>
#include "lt/backend.h"

/* caps_refuse.c: what a tree needs beyond what a backend says that it takes, reported as the backend would. */
lt_status lt__refuse_by_caps(const struct lt_tree *, const struct lt_caps *, struct lt_diag *);
/* caps.c */
uint64_t lt__known_needs(void);                                         /* all LT_NEED_* bits that there are */
const char *lt__need_words(uint64_t needs, char *out, size_t bytes);    /* "params, gather"; out */

/* Between the files that do so.  Piece `piece` of operand `operand` of a statement; NULL: it has no such. */
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
