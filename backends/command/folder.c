/* folder.c -- temporary folders that do not outlive their process for long.
 *
 * A folder is locked (flock) by its owner: the lock goes when the process goes, however it ends, and no number of a
 * process is needed that another one may have by then.  Whoever makes a folder removes those of its user there that
 * are not locked.  A compiler that such an owner left running is found by its environment: it names the folder, by its
 * real path, however the owner was told of it.
 */
#define _GNU_SOURCE 1
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "backends/command/command.h"

#define NAME "looptree-tmp-"
enum { MAX_DEPTH = 16, OPEN_FOLDER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

/* All that is in the folder; links are removed, not followed.  Takes fd. */
static void empty(int fd, int depth)
{
	DIR *dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return;
	}
	for (const struct dirent *d; (d = readdir(dir)); ) {
		if (!strcmp(d->d_name, ".") || !strcmp(d->d_name, "..") || unlinkat(dirfd(dir), d->d_name, 0) == 0)
			continue;
		int inner = depth < MAX_DEPTH ? openat(dirfd(dir), d->d_name, OPEN_FOLDER) : -1;
		if (inner >= 0)
			empty(inner, depth + 1);
		(void)unlinkat(dirfd(dir), d->d_name, AT_REMOVEDIR);
	}
	closedir(dir);
}

/* Whether the environment that a process began with has `word`; process: its folder in /proc. */
static bool has_word(int process, const char *word)
{
	char part[4096];
	size_t n = strlen(word), at = 0;
	bool same = true, found = false;
	int fd = openat(process, "environ", O_RDONLY | O_CLOEXEC);
	for (ssize_t got; fd >= 0 && !found && (got = read(fd, part, sizeof part)) > 0; )
		for (ssize_t i = 0; i < got && !found; i++) {
			found = part[i] == '\0' && same && at == n;
			same = part[i] == '\0' || (same && at < n && part[i] == word[at]);
			at = part[i] == '\0' ? 0 : at + 1;
		}
	if (fd >= 0)
		close(fd);
	return found;
}

/* The signal goes to the process that was looked at, not to another one that has its number by now. */
static void end_process(int process, pid_t pid)
{
	if (syscall(SYS_pidfd_send_signal, process, SIGKILL, NULL, 0) != 0 && errno == ENOSYS)
		(void)kill(pid, SIGKILL);
}

void lt__folder_end_users(const char *path)
{
	enum { MAX_ROUNDS = 20 };      /* one that is looked at may start another one meanwhile */
	char word[sizeof ((struct lt_folder *)0)->path + 8];
	(void)snprintf(word, sizeof word, "TMPDIR=%s", path);
	for (int round = 0, n = 1; n > 0 && round < MAX_ROUNDS; round++) {
		DIR *proc = opendir("/proc");
		n = 0;
		for (const struct dirent *d; proc && (d = readdir(proc)); ) {
			pid_t pid = (pid_t)strtol(d->d_name, NULL, 10);
			int process = pid > 1 && pid != getpid() ? openat(dirfd(proc), d->d_name, OPEN_FOLDER) : -1;
			if (process >= 0 && has_word(process, word)) {
				end_process(process, pid);
				n++;
			}
			if (process >= 0)
				close(process);
		}
		if (proc)
			closedir(proc);
		if (n)
			(void)poll(NULL, 0, 2);
	}
}

/* Whether the folder is the user's alone; else it is none of ours. */
static bool is_ours(int fd)
{
	struct stat st;
	return fstat(fd, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() && (st.st_mode & 077) == 0;
}

/* The folders of processes that are gone. */
static void remove_old(const char *dir)
{
	DIR *all = opendir(dir);
	for (const struct dirent *d; all && (d = readdir(all)); ) {
		char path[sizeof ((struct lt_folder *)0)->path];
		if (strncmp(d->d_name, NAME, strlen(NAME)) != 0 || strlen(d->d_name) != strlen(NAME) + 6)
			continue;
		int fd = openat(dirfd(all), d->d_name, OPEN_FOLDER), n = snprintf(path, sizeof path, "%s/%s", dir, d->d_name);
		if (fd < 0)
			continue;
		if (!is_ours(fd) || n < 0 || (size_t)n >= sizeof path || flock(fd, LOCK_EX | LOCK_NB) != 0) {
			close(fd);
			continue;
		}
		lt__folder_end_users(path);
		empty(fd, 0);
		(void)unlinkat(dirfd(all), d->d_name, AT_REMOVEDIR);
	}
	if (all)
		closedir(all);
}

/* Whether the folder is still there under its name: another process may have found it before it was locked. */
static bool is_there(const struct lt_folder *f)
{
	struct stat here, there;
	return fstat(f->fd, &here) == 0 && lstat(f->path, &there) == 0 && here.st_dev == there.st_dev
		&& here.st_ino == there.st_ino;
}

/* false: another process took it for one that is left over. */
static bool lock(struct lt_folder *f, int *error)
{
	f->fd = open(f->path, OPEN_FOLDER);
	*error = f->fd >= 0 || errno == ENOENT ? 0 : errno;
	/* A file system without locks has none for others either. */
	if (f->fd >= 0 && (flock(f->fd, LOCK_EX | LOCK_NB) == 0 ? is_there(f) : errno != EWOULDBLOCK))
		return true;
	if (f->fd >= 0)
		close(f->fd);
	if (*error)
		(void)rmdir(f->path);
	return false;
}

int lt__folder_new(struct lt_folder *f, const char *dir)
{
	enum { MAX_TRIES = 20 };
	int error = 0;
	char *real = realpath(dir ? dir : "/tmp", NULL);
	f->path[0] = '\0';
	if (!real)
		return errno;
	remove_old(real);
	for (int i = 0; !error && i < MAX_TRIES; i++) {
		int n = snprintf(f->path, sizeof f->path, "%s/" NAME "XXXXXX", strcmp(real, "/") ? real : "");
		error = n < 0 || (size_t)n >= sizeof f->path ? ENAMETOOLONG : mkdtemp(f->path) ? 0 : errno;
		if (!error && lock(f, &error)) {
			free(real);
			return 0;
		}
	}
	free(real);
	f->path[0] = '\0';
	return error ? error : EBUSY;
}

void lt__folder_remove(struct lt_folder *f)
{
	if (!f->path[0])
		return;
	/* By its name last: until then it is locked. */
	int fd = open(f->path, OPEN_FOLDER);
	if (fd >= 0)
		empty(fd, 0);
	(void)rmdir(f->path);
	close(f->fd);
	f->path[0] = '\0';
}
