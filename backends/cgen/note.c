/* backends/cgen/note.c -- telling a diag one formatted reason. */
#include <stdarg.h>
#include <stdio.h>
#include "backends/cgen/note.h"

lt_status lt__note(struct lt_diag *diag, lt_status code, int32_t loop, int32_t stmt, const char *remedy, const char *fmt, ...)
{
	char text[2048];
	va_list ap;
	if (!diag)
		return code;
	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	diag->tell(diag, &(struct lt_note){ .size = sizeof(struct lt_note), .code = code, .loop = loop, .stmt = stmt,
		.text = text, .remedy = remedy });
	return code;
}
