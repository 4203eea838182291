/* define.c -- pieces of text, and definitions that are printed once. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
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
	if ((size_t)n < sizeof some)
		return memcpy(text, some, (size_t)n);
	va_start(ap, fmt);
	(void)vsnprintf(text, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return text;
}

/* Headers would cost a tenth of the time that a kernel takes to compile. */
void lt__text_math(struct text *t, struct lt_out *o, bool single)
{
	static const char *const pairs[] = { "fmod", "pow", "copysign" };
	const char *end = o->at + o->n, *at = end, *name, *type = single ? "float" : "double";
	bool two = false;
	while (at > o->at && at[-1] >= 'a' && at[-1] <= 'z')
		at--;
	t->math = true;
	name = lt__text_formatted(t, "%.*s%s", (int)(end - at), at, single ? "f" : "");
	for (int i = 0; i < 3; i++)
		two = two || strncmp(at, pairs[i], (size_t)(end - at)) == 0;
	if (single && !(t->d->device && t->d->device->overloads))
		lt__out(o, "f");
	if (t->d->headers || t->d->device)
		return;
	lt__text_define(t, name, lt__text_formatted(t, "%s %s(%s%s%s);\n", type, name, type, two ? ", " : "",
		two ? type : ""));
}

void lt__text_define(struct text *t, const char *name, const char *text)
{
	if (lt__nameset_find(&t->defined, name))
		return;
	lt__nameset_add(&t->defined, name, 1);
	lt__out(&t->helpers, text);
}
