/* cache.c -- entries of a cache: read, checked, written; see cache.h. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include "base/arena.h"
#include "base/owner.h"
#include "program/cache/cache.h"

struct entry_head { char magic[8]; uint64_t key_bytes, data_bytes, checksum; };     /* then key, then data */
static const char magic[8] = "ltcode1";

enum { NAME_BYTES = 48, LARGEST = 1 << 30 };

static uint64_t checksum(const char *at, size_t bytes) { return XXH3_64bits(at, bytes); }

/* "0123..ef.ltk", of a plan .ltp, of another fact .lti */
static void entry_name(char name[NAME_BYTES], enum lt_entry kind, const void *key, size_t bytes)
{
	XXH128_hash_t h = XXH3_128bits(key, bytes);
	(void)snprintf(name, NAME_BYTES, "%016llx%016llx.%s", (unsigned long long)h.high64, (unsigned long long)h.low64,
		kind == LT_ENTRY_FACT ? "lti" : kind == LT_ENTRY_PLAN ? "ltp" : "ltk");
}

static bool read_all(int fd, char *at, size_t bytes)
{
	for (size_t n = 0; n < bytes; ) {
		ssize_t got = read(fd, at + n, bytes - n);
		if (got == 0 || (got < 0 && errno != EINTR))
			return false;
		n += got > 0 ? (size_t)got : 0;
	}
	return true;
}

static bool write_all(int fd, const void *at, size_t bytes)
{
	for (size_t n = 0; n < bytes; ) {
		ssize_t written = write(fd, (const char *)at + n, bytes - n);
		if (written < 0 && errno != EINTR)
			return false;
		n += written > 0 ? (size_t)written : 0;
	}
	return true;
}

/* The descriptor of an entry that only this user may have written.  LT_EMISSING: there is none; else the sentence says
 * what is wrong with it.  What is no regular file is not opened at all: that alone can have an effect. */
static lt_status open_entry(struct lt_context *ctx, int folder, const char *name, int *out, size_t *bytes)
{
	struct stat st;
	*out = -1;
	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? LT_EMISSING : lt_fail(ctx, LT_EIO, "%s", strerror(errno));
	if (!S_ISREG(st.st_mode))
		return lt_fail(ctx, LT_EIO, "it is not a regular file");
	int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? LT_EMISSING : lt_fail(ctx, LT_EIO, "%s", strerror(errno));
	lt_status status = fstat(fd, &st) != 0    ? lt_fail(ctx, LT_EIO, "%s", strerror(errno))
		: !S_ISREG(st.st_mode)            ? lt_fail(ctx, LT_EIO, "it is not a regular file")
		: st.st_size > LARGEST            ? lt_fail(ctx, LT_EIO, "it is too large")
						  : lt__owner_alone(ctx, &st, false);
	*bytes = (size_t)st.st_size;
	if (status)
		(void)close(fd);
	else
		*out = fd;
	return status;
}

/* The data of a sound entry for key, or NULL.  The head is compared before there is memory for the rest. */
static char *cache_read_entry(int fd, size_t file_bytes, const void *key, size_t key_bytes, size_t *data_bytes)
{
	struct entry_head head;
	if (file_bytes < sizeof head || !read_all(fd, (char *)&head, sizeof head))
		return NULL;
	size_t rest = file_bytes - sizeof head;
	if (memcmp(head.magic, magic, sizeof magic) != 0 || head.key_bytes != key_bytes || key_bytes > rest
		|| head.data_bytes != rest - key_bytes)
		return NULL;
	char *at = malloc(rest + 1);
	if (at && read_all(fd, at, rest) && memcmp(at, key, key_bytes) == 0 && checksum(at, rest) == head.checksum) {
		*data_bytes = rest - key_bytes;
		memmove(at, at + key_bytes, *data_bytes);
		at[*data_bytes] = '\0';
		return at;
	}
	free(at);
	return NULL;
}

char *lt__cache_read(struct lt_cache *c, enum lt_entry kind, const void *key, size_t key_bytes, size_t *bytes)
{
	char name[NAME_BYTES];
	struct lt_context ctx = { .code = LT_OK };      /* any thread may read: what is wrong goes through warn */
	size_t file_bytes;
	int fd;
	if (c->fd < 0)
		return NULL;
	entry_name(name, kind, key, key_bytes);
	lt_status status = open_entry(&ctx, c->fd, name, &fd, &file_bytes);
	errno = 0;
	char *data = fd >= 0 ? cache_read_entry(fd, file_bytes, key, key_bytes, bytes) : NULL;
	if (fd >= 0 && !data)
		status = errno == ENOMEM ? LT_ENOMEM : lt_fail(&ctx, LT_EIO, "it is damaged");
	if (fd >= 0)
		(void)close(fd);
	if (status == LT_EIO)
		lt__cache_warn(c, "'%s/%s' in the cache is ignored: %s", c->dir, name, lt_context_message(&ctx));
	errno = status == LT_ENOMEM ? ENOMEM : 0;
	return data;
}

/* A file under a name of its own; -1, errno. */
static int open_new(int folder, char name[NAME_BYTES])
{
	uint64_t random;
	for (int attempt = 0; attempt < 100; attempt++) {
		if (getrandom(&random, sizeof random, 0) != sizeof random)
			return -1;
		(void)snprintf(name, NAME_BYTES, "new-%016llx", (unsigned long long)random);
		int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd >= 0)
			(void)flock(fd, LOCK_EX | LOCK_NB);     /* sweep.c */
		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
	return -1;
}

/* What has the name and is no file is none of ours: it stays. */
static bool move_in_place(int folder, const char *from, const char *name)
{
	struct stat st;
	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(st.st_mode)) {
		errno = EEXIST;
		return false;
	}
	return renameat(folder, from, folder, name) == 0;
}

void lt__cache_write(
	struct lt_cache *c, enum lt_entry kind, const void *key, size_t key_bytes, const void *data, size_t bytes)
{
	char name[NAME_BYTES], temporary[NAME_BYTES];
	const size_t limit = LARGEST - sizeof(struct entry_head);
	const bool fits = key_bytes <= limit && bytes <= limit - key_bytes;
	char *file = c->fd >= 0 && fits ? malloc(sizeof(struct entry_head) + key_bytes + bytes) : NULL;
	if (!file)
		return;
	char *at = file + sizeof(struct entry_head);
	memcpy(at, key, key_bytes);
	if (bytes)
		memcpy(at + key_bytes, data, bytes);
	struct entry_head head = { .key_bytes = key_bytes, .data_bytes = bytes, .checksum = checksum(at, key_bytes + bytes) };
	memcpy(head.magic, magic, sizeof magic);
	memcpy(file, &head, sizeof head);
	entry_name(name, kind, key, key_bytes);
	lt__cache_sweep(c);
	int fd = open_new(c->fd, temporary);
	bool ok = fd >= 0 && write_all(fd, file, sizeof head + key_bytes + bytes);
	int error = errno;
	if (fd >= 0 && close(fd) != 0 && ok) {
		ok = false;
		error = errno;
	}
	if (ok && !move_in_place(c->fd, temporary, name)) {
		ok = false;
		error = errno;
	}
	if (fd >= 0 && !ok)
		(void)unlinkat(c->fd, temporary, 0);
	if (!ok)
		lt__cache_warn(c, "compiled code cannot be cached in '%s': %s", c->dir, strerror(error));
	free(file);
}
