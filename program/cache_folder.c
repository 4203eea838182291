/* program/cache_folder.c -- the folder of a cache: made, opened, and refused where others could put code in it.
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
#include "ir/owner.h"
#include "program/cache.h"

static const char marker_text[] = "Signature: looptree-cache-1\n"
	"# In this folder Looptree keeps compiled code. Clear it with lt-run --cache=clear, or remove it.\n";

/* What is said of a folder. */
struct verdict { const char *dir; char *why; size_t room; };

__attribute__((format(printf, 3, 4)))
static enum lt_cache_state verdict_say(const struct verdict *v, enum lt_cache_state state, const char *fmt, ...)
{
	va_list args;
	int n = snprintf(v->why, v->room, "'%s' cannot hold compiled code: ", v->dir);
	va_start(args, fmt);
	if (n > 0 && (size_t)n < v->room)
		(void)vsnprintf(v->why + n, v->room - (size_t)n, fmt, args);
	va_end(args);
	return state;
}

/* Nobody's mistake: a disk that is full, or may only be read. */
static bool is_passing(int error) { return error == ENOSPC || error == EDQUOT || error == EROFS; }

static enum lt_cache_state say_error(const struct verdict *v, int error)
{
	if (error == ENOMEM)
		return verdict_say(v, LT_CACHE_NO_MEMORY, "out of memory");
	return is_passing(error)
		? verdict_say(v, LT_CACHE_WITHOUT, "%s; free some space, or give another folder", strerror(error))
		: verdict_say(v, LT_CACHE_REFUSED, "%s; give another folder, or none", strerror(error));
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

/* One that is there is no link and no other thing: 1, 0: it is not there, -1: why is said. */
static int find_marker(const struct verdict *v, int fd)
{
	char why[200];
	struct stat st;
	if (fstatat(fd, LT_CACHE_MARKER, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? 0 : (say_error(v, errno), -1);
	if (!S_ISREG(st.st_mode))
		(void)verdict_say(v, LT_CACHE_REFUSED, "its marker '" LT_CACHE_MARKER "' is not a regular file; give another folder");
	else if (!lt__owner_alone(&st, false, why, sizeof why))
		(void)verdict_say(v, LT_CACHE_REFUSED, "of its marker '" LT_CACHE_MARKER "', %s; give another folder", why);
	else
		return 1;
	return -1;
}

/* Without a marker, a folder is ours if it is empty, or has entries only, as caches of before markers do.  A marker
 * that is there by now is that of a process that was faster; `folder_mark` looks at it. */
static enum lt_cache_state check_members(const struct verdict *v, int fd)
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy >= 0 ? fdopendir(copy) : NULL;
	enum lt_cache_state state = dir ? LT_CACHE_READY : say_error(v, errno);
	if (!dir && copy >= 0)
		(void)close(copy);
	for (const struct dirent *d; dir && state == LT_CACHE_READY && (d = readdir(dir)); )
		if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0 && strcmp(d->d_name, LT_CACHE_MARKER) != 0
			&& !lt__cache_is_entry(d->d_name) && !lt__cache_is_temporary(d->d_name))
			state = verdict_say(v, LT_CACHE_REFUSED, "it is not a cache, because it has no file '" LT_CACHE_MARKER "' and holds "
				"others, such as '%.200s'; give an empty folder or a new one", d->d_name);
	if (dir)
		(void)closedir(dir);
	return state;
}

static enum lt_cache_state folder_mark(const struct verdict *v, int fd)
{
	int file = openat(fd, LT_CACHE_MARKER, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	/* Another process may have been faster.  Its text is for people: none on a full disk is no harm. */
	if (file < 0)
		return errno != EEXIST ? say_error(v, errno) : find_marker(v, fd) == 1 ? LT_CACHE_READY : LT_CACHE_REFUSED;
	ssize_t n = write(file, marker_text, sizeof marker_text - 1);
	(void)n;
	(void)close(file);
	return LT_CACHE_READY;
}

static enum lt_cache_state check_folder(const struct verdict *v, int fd, bool make)
{
	char why[512];
	struct stat st;
	if (fstat(fd, &st) != 0)
		return say_error(v, errno);
	if (!lt__owner_alone(&st, false, why, sizeof why))
		return verdict_say(v, LT_CACHE_REFUSED, "%s, and what is in it would be run; give a folder of your own", why);
	int above = lt__owner_open_above(fd, why, sizeof why);
	if (above < 0)
		return say_error(v, errno);
	if (above > 0)
		return verdict_say(v, LT_CACHE_REFUSED,
			"everybody may replace it, because everybody may write to the folder '%s' above it, which has "
			"no sticky bit; give a folder elsewhere",
			why);
	int marker = find_marker(v, fd);
	if (marker != 0)
		return marker > 0 ? LT_CACHE_READY : LT_CACHE_REFUSED;
	enum lt_cache_state state = check_members(v, fd);
	if (state != LT_CACHE_READY)
		return state;
	return make ? folder_mark(v, fd) : find_marker(v, fd) >= 0 ? LT_CACHE_READY : LT_CACHE_REFUSED;
}

enum lt_cache_state lt__cache_open(struct lt_cache *c, const char *dir, bool make, char *why, size_t room)
{
	const struct verdict v = { dir, why, room };
	char path[4096];
	size_t n = strlen(dir);
	c->dir = dir;
	c->fd = -1;
	why[0] = '\0';
	while (n > 1 && dir[n - 1] == '/')              /* a slash at the end would follow a link */
		n--;
	if (n >= sizeof path)
		return say_error(&v, ENAMETOOLONG);
	memcpy(path, dir, n);
	path[n] = '\0';
	int made = make ? make_folders(path) : 0;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), error = errno;
	struct stat st;
	if (fd < 0 && lstat(path, &st) == 0)
		return S_ISLNK(st.st_mode) ? verdict_say(&v, LT_CACHE_REFUSED, "it is a link; give the folder itself")
			: !S_ISDIR(st.st_mode)
			? verdict_say(&v, LT_CACHE_REFUSED, "it is not a folder; give another name, or none")
			: say_error(&v, error);
	if (fd < 0 && !make && error == ENOENT)
		return verdict_say(&v, LT_CACHE_WITHOUT, "it is not there");
	if (fd < 0)
		return say_error(&v, made ? made : error);
	enum lt_cache_state state = check_folder(&v, fd, make);
	if (state == LT_CACHE_READY)
		c->fd = fd;
	else
		(void)close(fd);
	return state;
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
