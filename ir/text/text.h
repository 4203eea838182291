/* text.h -- the text of a graph (docs/graph.md): what other texts share with it. */
#ifndef LT_IR_TEXT_TEXT_H
#define LT_IR_TEXT_TEXT_H
#include "ir/graph/graph.h"

/* -- tokens of the graph's text: names, %nodes, numbers, strings, signs, ends of lines.
 *
 * A line ends a statement only outside brackets.  The text is borrowed and needs no end mark.  A lexer is a value:
 * a copy of it is a place to come back to.
 */
enum lt_token {
	LT_TOKEN_END, LT_TOKEN_LINE,
	LT_TOKEN_NAME,                  /* at, bytes */
	LT_TOKEN_NODE,                  /* the name after % */
	LT_TOKEN_NUMBER,                /* digits, perhaps with point and exponent; decimal or 0x */
	LT_TOKEN_STRING,                /* what is between the quotes, not yet unescaped */
	LT_TOKEN_SIGN,                  /* one of [ ] { } ( ) , ; = + - * / ~ @ : . or, as two bytes, >= == .. */
	LT_TOKEN_BAD                    /* a byte that begins no token, or an open string */
};
struct lt_lexer {
	const char *file, *next, *end, *line_at;
	int32_t line;                   /* of next; counts from 1 */
	int32_t depth;                  /* open brackets */
	enum lt_token kind;             /* of the token last read, */
	const char *at;                 /* its text */
	size_t bytes;
	int32_t token_line, token_column;
};

void lt__lex_begin(struct lt_lexer *, const char *file, const char *text, size_t bytes);
void lt__lex_next(struct lt_lexer *);
bool lt__lex_is(const struct lt_lexer *, const char *text);     /* a name or sign with that text */
/* "file:line:column: " and the sentence, about the token last read. */
lt_status lt__lex_fail(struct lt_context *, const struct lt_lexer *, lt_status, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* The token last read as it should be shown in a message. */
const char *lt__lex_text(struct lt_context *, const struct lt_lexer *);
/* Value of a number token: a whole number (false: none, or above 64 bits), or a float exactly or rounded once. */
bool lt__lex_whole(const struct lt_lexer *, uint64_t *out);
bool lt__lex_float(const struct lt_lexer *, double *out);
/* A string token's bytes in the arena, ended by 0; NULL: a bad escape or a 0 in it. */
char *lt__lex_string(const struct lt_lexer *, struct lt_arena *);

/* "n - m + 1", as a var's limit is written; in the arena. */
const char *lt__linear_text(const struct lt_graph *, const struct lt_linear *, struct lt_arena *);
#endif
