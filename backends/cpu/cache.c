/* backends/cpu/cache.c -- compiled kernels on disk. */
#define _GNU_SOURCE 1
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include "backends/cpu/cpu.h"

struct head { char magic[8]; uint64_t key_bytes, code_bytes, checksum; };     /* then key, then code */
static const char magic[8] = "ltcode1";

static uint64_t checksum(const char *at, size_t bytes) { return XXH3_64bits(at, bytes); }

/* "dir/0123..ef.ltk", of what is no kernel .lti; false: too long. */
static bool entry_path(char *path, size_t room, const char *dir, const char *key, size_t bytes)
{
	XXH128_hash_t h = XXH3_128bits(key, bytes);
	bool fact = bytes > strlen(LT_CPU_FACT) && memcmp(key, LT_CPU_FACT, strlen(LT_CPU_FACT)) == 0;
	int n = snprintf(path, room, "%s/%016llx%016llx.%s", dir, (unsigned long long)h.high64, (unsigned long long)h.low64,
		fact ? "lti" : "ltk");
	return n > 0 && (size_t)n < room;
}

char *lt__cpu_read_file(const char *path, size_t *bytes)
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

/* The code of a sound entry for key, within file. */
static const char *check_entry(const char *file, size_t bytes, const char *key, size_t key_bytes, size_t *code_bytes)
{
	struct head head;
	if (!file || bytes < sizeof head)
		return NULL;
	memcpy(&head, file, sizeof head);
	if (memcmp(head.magic, magic, sizeof magic) != 0 || head.key_bytes != key_bytes || head.key_bytes > bytes - sizeof head
	    || head.code_bytes != bytes - sizeof head - head.key_bytes)
		return NULL;
	if (memcmp(file + sizeof head, key, key_bytes) != 0 || checksum(file + sizeof head, bytes - sizeof head) != head.checksum)
		return NULL;
	*code_bytes = (size_t)head.code_bytes;
	return file + sizeof head + key_bytes;
}

char *lt__cpu_cache_read(const char *dir, const char *key, size_t bytes, size_t *n)
{
	char path[4096];
	size_t file_bytes = 0;
	char *file = entry_path(path, sizeof path, dir, key, bytes) ? lt__cpu_read_file(path, &file_bytes) : NULL;
	const char *code = check_entry(file, file_bytes, key, bytes, n);
	if (code) {
		memmove(file, code, *n);
		file[*n] = '\0';
		return file;
	}
	free(file);
	return NULL;
}

bool lt__cpu_cache_get(const char *dir, const char *key, size_t bytes, const char *to)
{
	size_t n;
	char *code = lt__cpu_cache_read(dir, key, bytes, &n);
	int fd = code ? open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700) : -1;
	bool ok = fd >= 0 && write_all(fd, code, n);
	if (fd >= 0 && close(fd) != 0)
		ok = false;
	free(code);
	return ok;
}

void lt__cpu_cache_write(const char *dir, const char *key, size_t bytes, const char *code, size_t n)
{
	char path[4096], temp[4096];
	int length = snprintf(temp, sizeof temp, "%s/new-XXXXXX", dir);
	if (length < 0 || (size_t)length >= sizeof temp || !entry_path(path, sizeof path, dir, key, bytes))
		return;
	char *file = malloc(sizeof(struct head) + bytes + n);
	int fd = file ? mkostemp(temp, O_CLOEXEC) : -1;
	if (fd >= 0) {
		char *at = file + sizeof(struct head);
		memcpy(at, key, bytes);
		memcpy(at + bytes, code, n);
		struct head head = { .key_bytes = bytes, .code_bytes = n, .checksum = checksum(at, bytes + n) };
		memcpy(head.magic, magic, sizeof magic);
		memcpy(file, &head, sizeof head);
		bool ok = write_all(fd, file, sizeof head + bytes + n);
		if (close(fd) != 0 || !ok || rename(temp, path) != 0)
			(void)unlink(temp);
	}
	free(file);
}

void lt__cpu_cache_put(const char *dir, const char *key, size_t bytes, const char *from)
{
	size_t n;
	char *code = lt__cpu_read_file(from, &n);
	if (code)
		lt__cpu_cache_write(dir, key, bytes, code, n);
	free(code);
}

/* dir and the folders above it that are missing. */
lt_status lt__cpu_cache_make(const char *dir, struct lt_diag *diag)
{
	char path[4096];
	size_t n = strlen(dir);
	int error = n >= sizeof path ? ENAMETOOLONG : 0;
	for (size_t i = 1; !error && i <= n; i++)
		if (dir[i] == '/' || i == n) {
			memcpy(path, dir, i);
			path[i] = '\0';
			if (mkdir(path, 0700) != 0 && errno != EEXIST && errno != EISDIR && i == n)
				error = errno;
		}
	struct stat st;
	if (!error && (stat(dir, &st) != 0 || !S_ISDIR(st.st_mode)))
		error = ENOTDIR;
	return error ? lt__note(diag, LT_EIO, -1, -1, "give another folder, or none, for compiled code",
		"cpu: the cache folder '%s' cannot be made: %s", dir, strerror(error)) : LT_OK;
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
		bool ours = has_suffix(d->d_name, ".ltk") || has_suffix(d->d_name, ".lti") || strncmp(d->d_name, "new-", 4) == 0 || strncmp(d->d_name, "tmp-", 4) == 0;
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

lt_status lt__cpu_cache_stats(const char *dir, int64_t *n, int64_t *bytes)
{
	int64_t count[2] = { 0, 0 };
	lt_status status = walk(dir, add_entry, count);
	*n = count[0];
	*bytes = count[1];
	return status;
}

lt_status lt__cpu_cache_clear(const char *dir)
{
	return walk(dir, remove_entry, NULL);
}
