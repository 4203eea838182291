/* prelude.c -- prelude.h as text. */
#include <stdio.h>
#include <string.h>
#include "ir/op/op.h"

/* One string a line, made when the library is built. */
static const char *const lines[] = {
#include "ir/op/prelude_text.h"
};

size_t lt__op_prelude(char *text, size_t bytes)
{
	size_t n = 0;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		if (strncmp(lines[i], "#include", 8) != 0) {
			int more = snprintf(n < bytes ? text + n : NULL, n < bytes ? bytes - n : 0, "%s\n", lines[i]);
			n += more > 0 ? (size_t)more : 0;
		}
	return n;
}
