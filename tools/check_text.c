/* tools/check_text.c -- bytes in memory that grow: what backends write. */
#include <stdlib.h>
#include <string.h>
#include "tools/check_parts.h"

void lt__check_text_add(void *text, const char *more, size_t bytes)
{
	struct check_text *t = text;
	char *at = realloc(t->at, t->n + bytes + 1);
	if (!at)
		return;
	memcpy(at + t->n, more, bytes);
	*t = (struct check_text){ at, t->n + bytes };
	t->at[t->n] = '\0';
}
