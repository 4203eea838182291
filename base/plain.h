/* plain.h -- which bytes of a text may be shown as they are: on a terminal, and in the strings of a graph's text.
 *
 * Not: control characters (C0, DEL, C1), characters that change the direction of a line or end it, and what is not
 * UTF-8.
 */
#ifndef LT_BASE_PLAIN_H
#define LT_BASE_PLAIN_H
#include <stdbool.h>
#include <stddef.h>

/* The bytes of the character that the text begins with, at least 1 of n > 0, and whether it may be shown.  One that n
 * cuts off is not UTF-8. */
size_t lt__plain_next(const char *text, size_t n, bool *plain);
#endif
