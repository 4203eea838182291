/* diagnostic.c -- what a loader or a compiler says, to be put into a reason. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <stdio.h>
#include "backends/backends.h"

const char *lt__load_error(const char *file)
{
	const char *text = dlerror();
	size_t n = strlen(file);
	if (!text)
		return "it does not say why";
	return strncmp(text, file, n) == 0 && strncmp(text + n, ": ", 2) == 0 ? text + n + 2 : text;
}

void lt__first_error(const char *log, char *out, size_t bytes)
{
	size_t n = 0;
	for (const char *line = log, *next; *line; line = next) {
		size_t length = strcspn(line, "\n");
		next = line + length + (line[length] == '\n');
		while (length && *line == ' ') {
			line++;
			length--;
		}
		if (!length)
			continue;
		const char *hit = strstr(line, "error");
		n = length;
		(void)snprintf(out, bytes, "%.*s", (int)(length < 600 ? length : 600), line);
		if (hit && hit < line + length)
			return;
	}
	if (!n)
		(void)snprintf(out, bytes, "it does not say why");
}
