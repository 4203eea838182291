/* tools/cachedir.h -- the folder in which lt-run and libhamkaas.so keep compiled code, from the environment.
 *
 * In a header, because libhamkaas.so is linked without the parts of lt-run.
 */
#ifndef LT_TOOLS_CACHEDIR_H
#define LT_TOOLS_CACHEDIR_H
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* $XDG_CACHE_HOME/looptree or ~/.cache/looptree, malloc.  NULL, and why not: the environment names neither, or it names
 * what belongs to another user, as with sudo: folders that are made there would be in that user's way. */
static inline char *lt__cachedir_default(char *why, size_t room)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	bool has_xdg = xdg && *xdg == '/';
	const char *base = has_xdg ? xdg : home, *variable = has_xdg ? "XDG_CACHE_HOME" : "HOME";
	struct stat st;
	char *path = NULL;

	if (!base || *base != '/')
		snprintf(why, room, "HOME %s", home && *home ? "is not an absolute path" : "is not set");
	else if (stat(base, &st) != 0 ? !has_xdg || errno != ENOENT : false)
		snprintf(why, room, "%s is '%s': %s", variable, base, strerror(errno));
	else if (stat(base, &st) == 0 && st.st_uid != geteuid())
		snprintf(why, room, "%s is '%s', which belongs to another user (uid %lu)", variable, base, (unsigned long)st.st_uid);
	else if (!(path = malloc(strlen(base) + 32)))
		snprintf(why, room, "out of memory");
	else
		sprintf(path, "%s%s/looptree", base, has_xdg ? "" : "/.cache");
	return path;
}
#endif
