/* say.c -- sentences about a program, with their places. */
#include <stdarg.h>
#include "frontends/seedot/seedot.h"

bool lt__sd_refuse(struct sd_program *p, struct sd_place at, const char *fmt, ...)
{
	char sentence[1024];
	va_list more;

	va_start(more, fmt);
	(void)vsnprintf(sentence, sizeof sentence, fmt, more);
	va_end(more);
	lt_fail(p->ctx, LT_EINVAL, "%s:%d:%d: %s", p->file, at.line, at.column, sentence);
	return false;
}
