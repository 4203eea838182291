/* owner.c -- see owner.h. */
#define _GNU_SOURCE 1           /* O_PATH */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/arena.h"
#include "base/owner.h"

lt_status lt__owner_alone(struct lt_context *ctx, const struct stat *st, bool root)
{
	if (st->st_uid != geteuid() && !(root && st->st_uid == 0))
		return lt_fail(ctx, LT_EIO, "it belongs to another user (uid %lu)", (unsigned long)st->st_uid);
	if (st->st_mode & S_IWOTH)              /* with a sticky bit it is meant so */
		return lt_fail(ctx, LT_EIO, "everybody may write to it%s", st->st_mode & S_ISVTX ? "" : " (chmod go-w fixes that)");
	if (st->st_mode & S_IWGRP)
		return lt_fail(ctx, LT_EIO, "its group may write to it (chmod go-w fixes that)");
	return LT_OK;
}

bool lt__owner_is_open(const struct stat *st)
{
	return (st->st_mode & S_IWOTH) && !(st->st_mode & S_ISVTX);
}

/* By "..", so that links and names that change meanwhile play no part. */
int lt__owner_open_above(int folder, char *where, size_t bytes)
{
	struct stat below, st;
	int at = folder, found = fstat(folder, &below) ? -1 : 0;
	where[0] = '\0';
	while (!found) {
		int up = openat(at, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (at != folder)
			(void)close(at);
		at = up;
		if (up < 0 || fstat(up, &st))
			found = -1;
		else if (st.st_dev == below.st_dev && st.st_ino == below.st_ino)
			break;
		size_t n = strlen(where);
		(void)snprintf(where + n, bytes - n, n ? "/.." : "..");
		if (!found)
			found = lt__owner_is_open(&st);
		below = st;
	}
	int error = errno;
	if (at >= 0 && at != folder)
		(void)close(at);
	errno = error;
	return found;
}
