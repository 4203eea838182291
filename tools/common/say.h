/* say.h -- what tools print: no control character of a file, a name or a backend reaches a terminal.
 *
 * What may not be shown (base/plain.h) is printed byte by byte as \x1b.  Lines and tabs stay in messages; a name is one
 * line.
 */
#ifndef LT_TOOLS_COMMON_SAY_H
#define LT_TOOLS_COMMON_SAY_H
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

/* As fprintf. */
void lt__say(FILE *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void lt__vsay(FILE *, const char *fmt, va_list) __attribute__((format(printf, 2, 0)));

/* A name between other words: lt__shown(name).text, to the end of the expression.  A long one loses its middle. */
struct lt_shown { char text[1024]; };
struct lt_shown lt__shown(const char *name);

/* A word as a shell reads it, quoted where it must be: lt__shell(word).text.  What may not be shown is \x1b within
 * $'...', as bash and zsh read it. */
struct lt_shown lt__shell(const char *word);

/* A text that comes in pieces, as an lt_write; lt__say_end after the last. */
struct lt_says { FILE *to; size_t n; char held[4]; };
void lt__say_piece(void *says, const char *text, size_t bytes);
void lt__say_end(struct lt_says *);
#endif
