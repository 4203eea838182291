/* diagnostic.c -- saying why a call fails. */
#include <stdarg.h>
#include <stdio.h>
#include "diagnostic.h"

lt_status lt_llvm_report(
	struct lt_diag *diag, lt_status code, int32_t loop, int32_t stmt, const char *remedy, const char *fmt, ...)
{
	char text[1024];
	va_list args;
	if (!diag || !diag->report)
		return code;
	va_start(args, fmt);
	(void)vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	const struct lt_diagnostic note = {
		.size = sizeof note, .code = code, .loop = loop, .stmt = stmt, .text = text, .remedy = remedy
	};
	diag->report(diag, &note);
	return code;
}
