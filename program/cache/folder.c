/* folder.c -- the folder of a cache: made, opened, and refused where others could put code in it.
 *
 * All that follows goes by the descriptor that was checked: exchanging the folder meanwhile changes nothing.
 */
#define _GNU_SOURCE 1
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/arena.h"
#include "base/owner.h"
#include "program/cache/cache.h"

static const char marker_text[] = "Signature: looptree-cache-1\n"
	"# In this folder Looptree keeps compiled code. Clear it with lt-run --cache=clear, or remove it.\n";

/* What is said of a folder. */
struct verdict { struct lt_context *ctx; const char *dir; };

__attribute__((format(printf, 3, 4)))
static lt_status verdict_fail(const struct verdict *v, lt_status status, const char *fmt, ...)
{
	char text[2048];
	va_list args;
	va_start(args, fmt);
	(void)vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	return lt_fail(v->ctx, status, "'%s' cannot hold compiled code: %s", v->dir, text);
}

/* Nobody's mistake: a disk that is full, or may only be read. */
static bool is_passing(int error) { return error == ENOSPC || error == EDQUOT || error == EROFS; }

static lt_status verdict_errno(const struct verdict *v, int error)
{
	if (error == ENOMEM)
		return verdict_fail(v, LT_ENOMEM, "out of memory");
	return is_passing(error)
		? verdict_fail(v, LT_EMISSING, "%s; free some space, or give another folder", strerror(error))
		: verdict_fail(v, LT_EIO, "%s; give another folder, or none", strerror(error));
}

/* 0, or the errno of the first folder that cannot be made: that of those in it would only say that it is not there. */
static int make_folders(char *path)
{
	int error = 0;
	for (char *at = path + 1, end = 1; end; at++) {
		end = *at;
		if (end && end != '/')
			continue;
		*at = '\0';
		if (mkdir(path, 0700) != 0 && !error && errno != EEXIST && errno != EISDIR)
			error = errno;
		*at = end;
	}
	return error;
}

/* One that is there is no link and no other thing.  *found: it is there. */
static lt_status find_marker(const struct verdict *v, int fd, bool *found)
{
	struct stat st;
	*found = fstatat(fd, LT_CACHE_MARKER, &st, AT_SYMLINK_NOFOLLOW) == 0;
	if (!*found)
		return errno == ENOENT ? LT_OK : verdict_errno(v, errno);
	if (!S_ISREG(st.st_mode))
		return verdict_fail(v, LT_EIO, "its marker '" LT_CACHE_MARKER "' is not a regular file; give another folder");
	if (lt__owner_alone(v->ctx, &st, false))
		return verdict_fail(v, LT_EIO, "of its marker '" LT_CACHE_MARKER "', %s; give another folder",
			lt_context_message(v->ctx));
	return LT_OK;
}

/* Without a marker, a folder is ours if it is empty, or has entries only, as caches of before markers do.  A marker
 * that is there by now is that of a process that was faster; `folder_mark` looks at it. */
static lt_status check_members(const struct verdict *v, int fd)
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy >= 0 ? fdopendir(copy) : NULL;
	lt_status st = dir ? LT_OK : verdict_errno(v, errno);
	if (!dir && copy >= 0)
		(void)close(copy);
	for (const struct dirent *d; dir && !st && (d = readdir(dir)); )
		if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0 && strcmp(d->d_name, LT_CACHE_MARKER) != 0
			&& !lt__cache_is_entry(d->d_name) && !lt__cache_is_temporary(d->d_name))
			st = verdict_fail(v, LT_EIO, "it is not a cache, because it has no file '" LT_CACHE_MARKER "' and holds "
				"others, such as '%.200s'; give an empty folder or a new one", d->d_name);
	if (dir)
		(void)closedir(dir);
	return st;
}

static lt_status folder_mark(const struct verdict *v, int fd)
{
	bool found;
	int file = openat(fd, LT_CACHE_MARKER, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	/* Another process may have been faster.  Its text is for people: none on a full disk is no harm. */
	if (file < 0 && errno != EEXIST)
		return verdict_errno(v, errno);
	if (file < 0) {
		LT_TRY(find_marker(v, fd, &found));
		return found ? LT_OK : verdict_errno(v, ENOENT);
	}
	ssize_t n = write(file, marker_text, sizeof marker_text - 1);
	(void)n;
	(void)close(file);
	return LT_OK;
}

static lt_status check_folder(const struct verdict *v, int fd, bool make)
{
	char where[512];
	struct stat st;
	bool marked;
	if (fstat(fd, &st) != 0)
		return verdict_errno(v, errno);
	if (lt__owner_alone(v->ctx, &st, false))
		return verdict_fail(v, LT_EIO, "%s, and what is in it would be run; give a folder of your own",
			lt_context_message(v->ctx));
	int above = lt__owner_open_above(fd, where, sizeof where);
	if (above < 0)
		return verdict_errno(v, errno);
	if (above > 0)
		return verdict_fail(v, LT_EIO,
			"everybody may replace it, because everybody may write to the folder '%s' above it, which has "
			"no sticky bit; give a folder elsewhere",
			where);
	LT_TRY(find_marker(v, fd, &marked));
	if (marked)
		return LT_OK;
	LT_TRY(check_members(v, fd));
	return make ? folder_mark(v, fd) : find_marker(v, fd, &marked);
}

lt_status lt__cache_open(struct lt_context *ctx, struct lt_cache *c, const char *dir, bool make)
{
	const struct verdict v = { ctx, dir };
	char path[4096];
	size_t n = strlen(dir);
	c->dir = dir;
	c->fd = -1;
	while (n > 1 && dir[n - 1] == '/')              /* a slash at the end would follow a link */
		n--;
	if (n >= sizeof path)
		return verdict_errno(&v, ENAMETOOLONG);
	memcpy(path, dir, n);
	path[n] = '\0';
	int made = make ? make_folders(path) : 0;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), error = errno;
	struct stat st;
	if (fd < 0 && lstat(path, &st) == 0)
		return S_ISLNK(st.st_mode) ? verdict_fail(&v, LT_EIO, "it is a link; give the folder itself")
			: !S_ISDIR(st.st_mode)
			? verdict_fail(&v, LT_EIO, "it is not a folder; give another name, or none")
			: verdict_errno(&v, error);
	if (fd < 0 && !make && error == ENOENT)
		return verdict_fail(&v, LT_EMISSING, "it is not there");
	if (fd < 0)
		return verdict_errno(&v, made ? made : error);
	lt_status status = check_folder(&v, fd, make);
	if (status)
		(void)close(fd);
	else
		c->fd = fd;
	return status;
}

void lt__cache_close(struct lt_cache *c)
{
	if (c->fd >= 0)
		(void)close(c->fd);
	c->fd = -1;
}

void lt__cache_warn(struct lt_cache *c, const char *fmt, ...)
{
	char text[8192];
	va_list args;
	if (!c->warn || atomic_exchange(&c->warned, true))
		return;
	va_start(args, fmt);
	(void)vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	c->warn(c->user, text);
}
