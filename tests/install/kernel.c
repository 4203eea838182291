/* kernel.c -- reads a kernel program, prints it, and shows the first line of what was printed. */
#include <stdio.h>
#include <string.h>
#include "lt/kernel.h"

/* Of the library's own, too: the archive keeps its own to itself. */
int lt__pool_alloc(void);
int lt__pool_alloc(void) { return 1; }

static void show(void *user, const char *text, size_t bytes)
{
	char *to = user;
	size_t n = strlen(to), cap = 1023 - n;
	memcpy(to + n, text, bytes < cap ? bytes : cap);
}

int main(void)
{
	static const char text[] =
		"kernel 1\nname k\nworkspace 0 thread 0\nbuffer x f32[4] slot 0 align 4 exclusive written\nregion host\n"
		"\tloop %0 from 0 to 4\n\t\tstore x[%0] 1.5\n\tend\n";
	char printed[1024] = "";
	struct lt_kernel *k;
	if (lt_kernel_parse(text, sizeof text - 1, &k, NULL) || lt_kernel_verify(k, NULL))
		return 1;
	lt_kernel_print(k, show, printed);
	lt_kernel_free(k);
	printf("%.*s\n", (int)strcspn(printed, "\n"), printed);
	return lt__pool_alloc() == 1 && strcmp(printed, text) == 0 ? 0 : 2;
}
