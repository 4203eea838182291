/* program/cache.c -- see cache.h. */
#define _GNU_SOURCE 1
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include "program/cache.h"

struct head { char magic[8]; uint64_t key_bytes, data_bytes, checksum; };     /* then key, then data */
static const char magic[8] = "ltcode1";

static uint64_t checksum(const char *at, size_t bytes) { return XXH3_64bits(at, bytes); }

/* "dir/0123..ef.ltk", of a fact .lti; false: too long. */
static bool entry_path(char *path, size_t room, const char *dir, enum lt_entry kind, const void *key, size_t bytes)
{
	XXH128_hash_t h = XXH3_128bits(key, bytes);
	int n = snprintf(path, room, "%s/%016llx%016llx.%s", dir, (unsigned long long)h.high64, (unsigned long long)h.low64,
		kind == LT_ENTRY_FACT ? "lti" : "ltk");
	return n > 0 && (size_t)n < room;
}

static char *read_file(const char *path, size_t *bytes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	char *at = NULL;
	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (at = malloc((size_t)st.st_size + 1))) {
		size_t n = 0;
		for (ssize_t got; n < (size_t)st.st_size && (got = read(fd, at + n, (size_t)st.st_size - n)) != 0; ) {
			if (got < 0 && errno != EINTR)
				break;
			n += got > 0 ? (size_t)got : 0;
		}
		at[n] = '\0';
		*bytes = n;
	}
	close(fd);
	return at;
}

static bool write_all(int fd, const void *at, size_t bytes)
{
	for (size_t n = 0; n < bytes; ) {
		ssize_t put = write(fd, (const char *)at + n, bytes - n);
		if (put < 0 && errno != EINTR)
			return false;
		n += put > 0 ? (size_t)put : 0;
	}
	return true;
}

/* The data of a sound entry for key, within file. */
static const char *check_entry(const char *file, size_t bytes, const void *key, size_t key_bytes, size_t *data_bytes)
{
	struct head head;
	if (!file || bytes < sizeof head)
		return NULL;
	memcpy(&head, file, sizeof head);
	if (memcmp(head.magic, magic, sizeof magic) != 0 || head.key_bytes != key_bytes || head.key_bytes > bytes - sizeof head
	    || head.data_bytes != bytes - sizeof head - head.key_bytes)
		return NULL;
	if (memcmp(file + sizeof head, key, key_bytes) != 0 || checksum(file + sizeof head, bytes - sizeof head) != head.checksum)
		return NULL;
	*data_bytes = (size_t)head.data_bytes;
	return file + sizeof head + key_bytes;
}

char *lt__cache_read(const char *dir, enum lt_entry kind, const void *key, size_t key_bytes, size_t *bytes)
{
	char path[4096];
	size_t file_bytes = 0;
	char *file = entry_path(path, sizeof path, dir, kind, key, key_bytes) ? read_file(path, &file_bytes) : NULL;
	const char *data = check_entry(file, file_bytes, key, key_bytes, bytes);
	if (data) {
		memmove(file, data, *bytes);
		file[*bytes] = '\0';
		return file;
	}
	free(file);
	return NULL;
}

void lt__cache_write(const char *dir, enum lt_entry kind, const void *key, size_t key_bytes, const void *data, size_t bytes)
{
	char path[4096], temp[4096];
	int length = snprintf(temp, sizeof temp, "%s/new-XXXXXX", dir);
	if (length < 0 || (size_t)length >= sizeof temp || !entry_path(path, sizeof path, dir, kind, key, key_bytes))
		return;
	char *file = malloc(sizeof(struct head) + key_bytes + bytes);
	int fd = file ? mkostemp(temp, O_CLOEXEC) : -1;
	if (fd >= 0) {
		char *at = file + sizeof(struct head);
		memcpy(at, key, key_bytes);
		memcpy(at + key_bytes, data, bytes);
		struct head head = { .key_bytes = key_bytes, .data_bytes = bytes, .checksum = checksum(at, key_bytes + bytes) };
		memcpy(head.magic, magic, sizeof magic);
		memcpy(file, &head, sizeof head);
		bool ok = write_all(fd, file, sizeof head + key_bytes + bytes);
		if (close(fd) != 0 || !ok || rename(temp, path) != 0)
			(void)unlink(temp);
	}
	free(file);
}

/* The first folder that cannot be made says why; those behind it only that it is not there. */
int lt__cache_make(const char *dir)
{
	char path[4096];
	size_t n = strlen(dir);
	int error = 0;
	struct stat st;
	if (n >= sizeof path)
		return ENAMETOOLONG;
	for (size_t i = 1; i <= n; i++)
		if (dir[i] == '/' || i == n) {
			memcpy(path, dir, i);
			path[i] = '\0';
			if (mkdir(path, 0700) != 0 && !error && errno != EEXIST && errno != EISDIR)
				error = errno;
		}
	if (stat(dir, &st) == 0 && S_ISDIR(st.st_mode))
		return 0;
	return error ? error : ENOTDIR;
}

static bool has_suffix(const char *name, const char *suffix)
{
	size_t n = strlen(name), s = strlen(suffix);
	return n > s && strcmp(name + n - s, suffix) == 0;
}

/* Calls each(fd of dir, name) for the folder's members that are ours. */
static lt_status walk(const char *path, void (*each)(int dir, const char *name, const struct stat *, int64_t *), int64_t *count)
{
	DIR *dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? LT_OK : LT_EIO;
	for (const struct dirent *d; (d = readdir(dir)); ) {
		struct stat st;
		bool ours = has_suffix(d->d_name, ".ltk") || has_suffix(d->d_name, ".lti") || strncmp(d->d_name, "new-", 4) == 0
			|| strncmp(d->d_name, "tmp-", 4) == 0;
		if (ours && fstatat(dirfd(dir), d->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0)
			each(dirfd(dir), d->d_name, &st, count);
	}
	closedir(dir);
	return LT_OK;
}

static void add_entry(int dir, const char *name, const struct stat *st, int64_t *count)
{
	(void)dir;
	if (S_ISREG(st->st_mode) && has_suffix(name, ".ltk")) {
		count[0]++;
		count[1] += st->st_size;
	}
}

static void remove_entry(int dir, const char *name, const struct stat *st, int64_t *count)
{
	bool old = st->st_mtime < time(NULL) - 3600;
	(void)count;
	if (S_ISREG(st->st_mode) && (old || has_suffix(name, ".ltk") || has_suffix(name, ".lti")))
		(void)unlinkat(dir, name, 0);
	if (!S_ISDIR(st->st_mode) || !old)
		return;
	int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *inner = fd >= 0 ? fdopendir(fd) : NULL;
	for (const struct dirent *d; inner && (d = readdir(inner)); )
		(void)unlinkat(dirfd(inner), d->d_name, 0);
	if (inner)
		closedir(inner);
	else if (fd >= 0)
		close(fd);
	(void)unlinkat(dir, name, AT_REMOVEDIR);
}

lt_status lt__cache_stats(const char *dir, int64_t *n, int64_t *bytes)
{
	int64_t count[2] = { 0, 0 };
	lt_status status = walk(dir, add_entry, count);
	*n = count[0];
	*bytes = count[1];
	return status;
}

lt_status lt__cache_clear(const char *dir)
{
	return walk(dir, remove_entry, NULL);
}
