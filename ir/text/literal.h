/* literal.h -- typed bits as text: readable where that is exact, bits where nothing else is. */
#ifndef LT_IR_TEXT_LITERAL_H
#define LT_IR_TEXT_LITERAL_H
#include "ir/text/text.h"
#include "ir/op/op.h"

enum { LT_LITERAL_BYTES = 64 };
/* Independent of locale and C library; lt__literal_parse gives the same bits. */
void lt__literal_text(uint64_t bits, enum lt_dtype, char text[LT_LITERAL_BYTES]);
/* Reads a value of that type from the token last read on, and moves after it.  LT_ESYNTAX with a sentence. */
lt_status lt__literal_parse(struct lt_context *, struct lt_lexer *, enum lt_dtype, uint64_t *bits);
#endif
