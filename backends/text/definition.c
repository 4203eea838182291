/* definition.c -- what comes before the kernel in a text, as separate definitions. */
#include <string.h>
#include "backends/text/text.h"

/* How deep in braces text ends that began at depth. */
static int depth_after(const char *line, size_t n, int depth)
{
	for (size_t i = 0; i < n; i++) {
		if (line[i] == '"' || line[i] == '\'')          /* a string or a character: to its end */
			for (char quote = line[i++]; i < n && line[i] != quote; i++)
				i += line[i] == '\\';
		else
			depth += (line[i] == '{') - (line[i] == '}');
	}
	return depth;
}

void lt__text_definitions(const char *text, size_t n, lt_write *write, void *user)
{
	int depth = 0, ifs = 0;
	for (size_t at = 0, bytes; at < n; at += bytes) {
		const char *line = text + at, *end = memchr(line, '\n', n - at);
		bytes = end ? (size_t)(end - line) + 1 : n - at;
		size_t ink = bytes;
		while (ink && (line[ink - 1] == '\n' || line[ink - 1] == ' ' || line[ink - 1] == '\t'))
			ink--;
		if (ink == 0 && depth == 0)
			continue;
		write(user, line, bytes);
		depth = depth_after(line, ink, depth);
		ifs += (strncmp(line, "#if", 3) == 0) - (strncmp(line, "#endif", 6) == 0);
		bool include = strncmp(line, "#include", 8) == 0 && strncmp(line + bytes, "#include", 8) == 0 && at + bytes < n;
		bool whole = ink && (line[0] == '#' ? line[ink - 1] != '\\' : line[ink - 1] == ';' || line[ink - 1] == '}');
		if (whole && depth == 0 && ifs == 0 && !include)
			write(user, "\n", 1);
	}
}
