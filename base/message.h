/* message.h -- sentences: as printf makes them, but what is put in stays in its line.
 *
 * A name or a path may hold anything, a line of its own that looks like one of ours too.  So the bytes of a text
 * (%s, %c) that may not be shown (plain.h) become \x0a.  "%-s" puts in a text that is one sentence or several
 * already, such as a compiler's messages: its lines stay.  The width of a text is
 * ignored.
 */
#ifndef LT_BASE_MESSAGE_H
#define LT_BASE_MESSAGE_H
#include <stdarg.h>
#include <stddef.h>

/* At most bytes - 1 characters. */
void lt__message(char *out, size_t bytes, const char *fmt, va_list) __attribute__((format(printf, 3, 0)));
#endif
