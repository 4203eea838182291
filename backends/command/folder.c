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
#include <stdint.h>
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

/* Names in a folder, by calls that a signal's handler may make, as all that empties and ends here. */
struct folder_names { int fd; int64_t n, at; char text[2048]; };

/* NULL: there are no more. */
static const char *next_name(struct folder_names *d)
{
	for (;;) {
		if (d->at >= d->n) {
			d->at = 0;
			d->n = syscall(SYS_getdents64, d->fd, d->text, sizeof d->text);
			if (d->n <= 0)
				return NULL;
		}
		/* struct linux_dirent64: number, offset, length of the record, type, name */
		const char *entry = d->text + d->at;
		unsigned short bytes;
		memcpy(&bytes, entry + 16, sizeof bytes);
		d->at += bytes;
		const char *name = entry + 19;
		if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
			return name;
	}
}

/* All that is in the folder; links are removed, not followed.  Takes fd. */
static void empty(int fd, int depth)
{
	struct folder_names d = { .fd = fd };
	for (const char *name; (name = next_name(&d)); ) {
		if (unlinkat(fd, name, 0) == 0)
			continue;
		int inner = depth < MAX_DEPTH ? openat(fd, name, OPEN_FOLDER) : -1;
		if (inner >= 0)
			empty(inner, depth + 1);
		(void)unlinkat(fd, name, AT_REMOVEDIR);
	}
	close(fd);
}

/* Whether the environment that a process began with has `word`, a variable with a folder, or one in that; process: its
 * own folder, in /proc. */
static bool has_folder(int process, const char *word)
{
	char part[4096];
	size_t n = strlen(word), at = 0;
	bool same = true, found = false;
	int fd = openat(process, "environ", O_RDONLY | O_CLOEXEC);
	for (ssize_t got; fd >= 0 && !found && (got = read(fd, part, sizeof part)) > 0; )
		for (ssize_t i = 0; i < got && !found; i++) {
			found = (part[i] == '\0' || part[i] == '/') && same && at == n;
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
	char word[sizeof ((struct lt_folder *)0)->path + 8] = "TMPDIR=";
	strncat(word, path, sizeof word - 8);
	for (int round = 0, n = 1; n > 0 && round < MAX_ROUNDS; round++) {
		struct folder_names d = { .fd = open("/proc", OPEN_FOLDER) };
		n = 0;
		for (const char *name; d.fd >= 0 && (name = next_name(&d)); ) {
			pid_t pid = (pid_t)strtol(name, NULL, 10);
			int process = pid > 1 && pid != getpid() ? openat(d.fd, name, OPEN_FOLDER) : -1;
			if (process >= 0 && has_folder(process, word)) {
				end_process(process, pid);
				n++;
			}
			if (process >= 0)
				close(process);
		}
		if (d.fd >= 0)
			close(d.fd);
		if (n)
			(void)poll(NULL, 0, 2);
	}
}

/* The folder that a file of this process is, if it is one of these. */
static bool own_folder(int files, const char *name, struct lt_folder *f)
{
	ssize_t n = readlinkat(files, name, f->path, sizeof f->path - 1);
	f->path[n > 0 ? n : 0] = '\0';
	f->fd = -1;
	const char *slash = strrchr(f->path, '/');
	return slash && !strncmp(slash + 1, NAME, strlen(NAME)) && strlen(slash + 1) == strlen(NAME) + 6;
}

void lt__folder_leave_none(void)
{
	enum { MAX_ROUNDS = 50 };      /* in a folder that another thread still writes to */
	struct folder_names d = { .fd = open("/proc/self/fd", OPEN_FOLDER) };
	for (const char *name; d.fd >= 0 && (name = next_name(&d)); ) {
		struct lt_folder f;
		for (int round = 0; round < MAX_ROUNDS && own_folder(d.fd, name, &f) && access(f.path, F_OK) == 0; round++) {
			lt__folder_end_users(f.path);
			lt__folder_remove(&f);
		}
	}
	if (d.fd >= 0)
		close(d.fd);
}

void lt__folder_disown(void)
{
	struct folder_names d = { .fd = open("/proc/self/fd", OPEN_FOLDER) };
	for (const char *name; d.fd >= 0 && (name = next_name(&d)); ) {
		struct lt_folder f;
		if (own_folder(d.fd, name, &f))
			close((int)strtol(name, NULL, 10));
	}
	if (d.fd >= 0)
		close(d.fd);
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
	if (f->fd >= 0)
		close(f->fd);
	f->path[0] = '\0';
}
