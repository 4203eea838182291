/* trusted.c -- whether others can exchange what a path names. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/arena.h"
#include "base/owner.h"
#include "tools/common/common.h"

/* Names in a folder with a sticky bit are their owners' to exchange, and a group that root gave a folder to is the
 * administrator's choice, as Debian's staff for /usr/local; not where (own) the thing itself is. */
static lt_status check_folder_above(struct lt_context *ctx, const char *path, bool own)
{
	struct stat st;

	if (lstat(path, &st) != 0)
		return lt_fail(ctx, LT_EIO, "'%s', which it is in: %s", path, strerror(errno));
	if (S_ISLNK(st.st_mode))
		return lt_fail(ctx, LT_EIO, "'%s', which it is in, is a link", path);
	if (st.st_uid != 0 && st.st_uid != geteuid())
		return lt_fail(ctx, LT_EIO, "'%s', which it is in, belongs to another user (uid %lu)", path,
			(unsigned long)st.st_uid);
	if (lt__owner_is_open(&st))
		return lt_fail(ctx, LT_EIO, "'%s', which it is in, may be written to by everybody", path);
	if ((st.st_mode & S_IWGRP) && !(st.st_mode & S_ISVTX) && (own || st.st_uid != 0))
		return lt_fail(ctx, LT_EIO, "'%s', which it is in, may be written to by its group (chmod g-w fixes that)", path);
	return LT_OK;
}

static lt_status check_alone(struct lt_context *ctx, const char *path)
{
	struct stat st;

	if (lstat(path, &st) != 0)
		return lt_fail(ctx, LT_EIO, "%s", strerror(errno));
	if (S_ISLNK(st.st_mode))
		return lt_fail(ctx, LT_EIO, "it is a link");
	return lt__owner_alone(ctx, &st, true);
}

/* From the root on: where nobody else can exchange a folder's names, what the next one says holds still. */
lt_status lt__path_trusted(struct lt_context *ctx, const char *path)
{
	char *at = strdup(path);
	lt_status st = !at ? lt_fail(ctx, LT_ENOMEM, "out of memory")
		: *at == '/' ? LT_OK : lt_fail(ctx, LT_EIO, "it is not an absolute path");

	for (char *end = at; !st && end; end = strchr(end + 1, '/')) {
		char saved = end == at ? end[1] : *end, *cut = end == at ? end + 1 : end;

		*cut = '\0';
		st = check_folder_above(ctx, at, !strchr(path + (end - at) + 1, '/'));
		*cut = saved;
	}
	free(at);
	return st ? st : check_alone(ctx, path);
}
