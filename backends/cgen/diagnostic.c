/* backends/cgen/diagnostic.c -- telling a diag one formatted reason; what the system's loader says, to be put into
 * one. */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "backends/cgen/diagnostic.h"

lt_status lt__report(
	struct lt_diag *diag, lt_status code, int32_t loop, int32_t stmt, const char *remedy, const char *fmt, ...)
{
	char text[2048];
	va_list ap;
	if (!diag)
		return code;
	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	diag->report(diag,
		&(struct lt_diagnostic){ .size = sizeof(struct lt_diagnostic),
			.code = code,
			.loop = loop,
			.stmt = stmt,
			.text = text,
			.remedy = remedy });
	return code;
}

const char *lt__load_error(const char *file)
{
	const char *text = dlerror();
	size_t n = strlen(file);
	if (!text)
		return "it does not say why";
	return strncmp(text, file, n) == 0 && strncmp(text + n, ": ", 2) == 0 ? text + n + 2 : text;
}
