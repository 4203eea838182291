/* cachedir.h -- the folder in which lt-run and libhamkaas.so keep compiled code, from the environment.
 *
 * In a header, because libhamkaas.so is linked without the parts of lt-run.
 */
#ifndef LT_TOOLS_COMMON_CACHEDIR_H
#define LT_TOOLS_COMMON_CACHEDIR_H
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/arena.h"

/* $XDG_CACHE_HOME/looptree or ~/.cache/looptree, malloc.  LT_EMISSING: the environment names neither, or it names
 * what belongs to another user, as with sudo: folders that are made there would be in that user's way. */
static inline lt_status lt__cachedir_default(struct lt_context *ctx, char **out)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	bool has_xdg = xdg && *xdg == '/';
	const char *base = has_xdg ? xdg : home, *variable = has_xdg ? "XDG_CACHE_HOME" : "HOME";
	struct stat st;

	*out = NULL;
	if (!base || *base != '/')
		return lt_fail(ctx, LT_EMISSING, "HOME %s", home && *home ? "is not an absolute path" : "is not set");
	bool there = stat(base, &st) == 0;
	if (!there && (!has_xdg || errno != ENOENT))
		return lt_fail(ctx, LT_EMISSING, "%s is '%s': %s", variable, base, strerror(errno));
	if (there && st.st_uid != geteuid())
		return lt_fail(ctx, LT_EMISSING, "%s is '%s', which belongs to another user (uid %lu)", variable, base,
			(unsigned long)st.st_uid);
	*out = malloc(strlen(base) + 32);
	if (!*out)
		return lt_fail(ctx, LT_ENOMEM, "out of memory");
	sprintf(*out, "%s%s/looptree", base, has_xdg ? "" : "/.cache");
	return LT_OK;
}
#endif
