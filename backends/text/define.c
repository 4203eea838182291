/* backends/text/define.c -- pieces of text, and definitions that are printed once. */
#include <stdarg.h>
#include <stdio.h>
#include "backends/text/part.h"

const char *lt__text_formatted(struct text *t, const char *fmt, ...)
{
	char some[256], *text = some;
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(some, sizeof some, fmt, ap);
	va_end(ap);
	if (n < 0)
		longjmp(t->pool.jump, 1);
	text = lt__pool_alloc(&t->pool, (size_t)n + 1, 1);
	va_start(ap, fmt);
	(void)vsnprintf(text, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return text;
}

void lt__text_define(struct text *t, const char *name, const char *text)
{
	if (lt__nameset_find(&t->defined, name))
		return;
	lt__nameset_add(&t->defined, name, 1);
	lt__out(&t->helpers, text);
}
