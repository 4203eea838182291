/* must.c -- memory for programs that end where there is none. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include "tools/common/common.h"

_Noreturn void lt__must_end(const char *text)
{
	fprintf(stderr, "%s: %s\n", program_invocation_short_name, text);
	exit(EXIT_FAILURE);
}

void *lt__must_alloc(size_t bytes)
{
	void *at = calloc(1, bytes ? bytes : 1);

	if (!at)
		lt__must_end("out of memory");
	return at;
}

void *lt__must_grow(void *at, int n, int *cap, size_t bytes)
{
	if (n < *cap)
		return at;
	*cap = *cap ? 2 * *cap : 64;
	at = realloc(at, (size_t)*cap * bytes);
	if (!at)
		lt__must_end("out of memory");
	return at;
}

char *lt__must_format(const char *fmt, ...)
{
	va_list args;
	char *text = NULL;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		lt__must_end("out of memory");
	va_end(args);
	return text;
}
