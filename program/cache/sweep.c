/* sweep.c -- files that a process left half written when it was killed.
 *
 * A file that is being written is locked (flock), and the lock goes with its process.  One without a lock that was not
 * written to for a minute has nobody any more: between its creation and its lock, and between its last byte and its
 * name, a process takes no time.
 */
#define _GNU_SOURCE 1
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "program/cache/cache.h"

enum { LEFT_AFTER_S = 60 };

static void sweep_one(int folder, const char *name)
{
	struct stat st;
	int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && time(NULL) - st.st_mtime > LEFT_AFTER_S
		&& flock(fd, LOCK_EX | LOCK_NB) == 0)
		(void)unlinkat(folder, name, 0);
	(void)close(fd);
}

void lt__cache_sweep(struct lt_cache *c)
{
	if (c->fd < 0 || atomic_exchange(&c->swept, true))
		return;
	int copy = openat(c->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy >= 0 ? fdopendir(copy) : NULL;
	if (!dir && copy >= 0)
		(void)close(copy);
	for (const struct dirent *d; dir && (d = readdir(dir)); )
		if (lt__cache_is_temporary(d->d_name))
			sweep_one(c->fd, d->d_name);
	if (dir)
		(void)closedir(dir);
}
