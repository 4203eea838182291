/* decimal.h -- a number's text, whatever the decimal point of the host's locale is. */
#ifndef LT_BASE_DECIMAL_H
#define LT_BASE_DECIMAL_H

/* As strtod in the locale "C"; end may be NULL.  Where no memory is left for that locale: NaN, *end is the text. */
double lt__decimal(const char *text, char **end);
#endif
