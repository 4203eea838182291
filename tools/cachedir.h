/* tools/cachedir.h -- the folder in which lt-run and libhamkaas.so keep compiled code, from the environment.
 *
 * In a header, because libhamkaas.so is linked without the parts of lt-run.
 */
#ifndef LT_TOOLS_CACHEDIR_H
#define LT_TOOLS_CACHEDIR_H
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Makes the folder and those above it where they are missing; false if it cannot be written to. */
static inline bool lt__cachedir_make(char *path)
{
	for (char *at = path + 1; *at; at++)
		if (*at == '/') {
			*at = 0;
			mkdir(path, 0700);
			*at = '/';
		}
	mkdir(path, 0700);
	return access(path, W_OK | X_OK) == 0;
}

/* $XDG_CACHE_HOME/looptree or ~/.cache/looptree, malloc; NULL if the environment names neither. */
static inline char *lt__cachedir_default(void)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	bool has_xdg = xdg && *xdg == '/';
	const char *base = has_xdg ? xdg : home;
	char *path = base && *base == '/' ? malloc(strlen(base) + 32) : NULL;

	if (path)
		sprintf(path, "%s%s/looptree", base, has_xdg ? "" : "/.cache");
	return path;
}
#endif
