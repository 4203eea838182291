/* infile.c -- opens what is read, and never waits for it: a named pipe may have nobody who writes, and a device
 * may have no end. */
#define _GNU_SOURCE 1           /* O_CLOEXEC, fstatfs */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "base/arena.h"
#include "tools/common/common.h"

/* A shell's <(COMMAND) and /dev/stdin are pipes without a name: who made them holds the other end. */
static bool pipe_has_name(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) != 0 || fs.f_type != PIPEFS_MAGIC;
}

static bool is_null(const struct stat *st)
{
	struct stat null;

	return stat("/dev/null", &null) == 0 && null.st_rdev == st->st_rdev;
}

/* What it is that cannot be read; NULL: it can. */
static const char *refusal(int fd, const struct stat *st)
{
	if (S_ISDIR(st->st_mode))
		return "is a folder, not a file";
	if (S_ISFIFO(st->st_mode) && pipe_has_name(fd))
		return "is a named pipe (FIFO), which may have nobody who writes: give a file";
	if (S_ISBLK(st->st_mode) || (S_ISCHR(st->st_mode) && !isatty(fd) && !is_null(st)))
		return "is a device, not a file";
	return NULL;
}

static lt_status in_check(struct lt_context *ctx, const char *path, const char *the, int fd, struct stat *st)
{
	const char *why;

	/* Only opening must not wait; a pipe's bytes come when they come. */
	if (fstat(fd, st) < 0 || fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK) < 0)
		return lt_fail(ctx, LT_EIO, "%s: %scannot be opened: %s", path, the, strerror(errno));
	why = refusal(fd, st);
	return why ? lt_fail(ctx, LT_EIO, "%s: %s%s", path, the, why) : LT_OK;
}

lt_status lt__in_open(struct lt_context *ctx, const char *path, const char *what, int *out, struct stat *st)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	const char *why = fd >= 0 ? NULL : strerror(errno);
	const char *the = what ? lt__scratch(ctx, "the %s ", what) : "";

	*out = -1;
	if (fd < 0 && stat(path, st) == 0 && S_ISSOCK(st->st_mode))
		return lt_fail(ctx, LT_EIO, "%s: %sis a socket, not a file", path, the);
	if (fd < 0)
		return lt_fail(ctx, LT_EIO, "%s: %scannot be opened: %s", path, the, why);
	lt_status s = in_check(ctx, path, the, fd, st);
	if (s)
		close(fd);
	else
		*out = fd;
	return s;
}
