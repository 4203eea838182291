/* backends/diagnostic.c -- what the system's loader says, to be put into a reason. */
#include <dlfcn.h>
#include <string.h>
#include "backends/diagnostic.h"

const char *lt__load_error(const char *file)
{
	const char *text = dlerror();
	size_t n = strlen(file);
	if (!text)
		return "it does not say why";
	return strncmp(text, file, n) == 0 && strncmp(text + n, ": ", 2) == 0 ? text + n + 2 : text;
}
