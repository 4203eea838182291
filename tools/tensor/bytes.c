/* bytes.c -- the bytes of a file, all at once or one after the other. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/arena.h"
#include "tools/common/common.h"
#include "tools/tensor/tensor.h"

unsigned char *lt__bytes_new(size_t size, size_t *cap)
{
	const size_t page = (size_t)1 << 21;

	*cap = size > SIZE_MAX / 2 ? size : size < page ? size + 4096 : (size / page + 1) * page;
	if (size < page)
		return malloc(*cap);
	unsigned char *heap = aligned_alloc(page, *cap);
	if (heap)
		(void)madvise(heap, *cap, MADV_HUGEPAGE);
	return heap;
}

/* Reads to the end.  Nothing is mapped: what others write to the file afterwards, or cut off, changes nothing here.
 * size: that of a file, which may change meanwhile; 0: a pipe, a terminal. */
static lt_status bytes_read_all(struct lt_context *ctx, const char *path, int fd, size_t size, struct lt_bytes *out)
{
	size_t cap, n = 0;
	unsigned char *heap = lt__bytes_new(size, &cap);

	if (!heap)
		return lt_fail(ctx, LT_ENOMEM, "%s: out of memory: it takes %zu bytes", path, size);
	for (;;) {
		ssize_t got;

		if (n == cap) {
			unsigned char *grown = cap > SIZE_MAX / 2 ? NULL : realloc(heap, 2 * cap);

			if (!grown) {
				free(heap);
				return lt_fail(ctx, LT_ENOMEM, "%s: out of memory after %zu bytes", path, n);
			}
			heap = grown;
			cap *= 2;
		}
		got = read(fd, heap + n, cap - n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			free(heap);
			return lt_fail(ctx, LT_EIO, "%s: cannot be read: %s", path, strerror(errno));
		}
		if (got == 0)
			break;
		n += (size_t)got;
	}
	heap[n] = 0;
	*out = (struct lt_bytes){ .at = heap, .n = n, .heap = heap };
	return LT_OK;
}

enum { READ_BELOW = 1 << 20 };

/* map: a large file is mapped, if it can be. */
static lt_status bytes_get(struct lt_context *ctx, const char *path, bool map, struct lt_bytes *out)
{
	bool standard = !strcmp(path, "-");
	struct stat st;
	lt_status s;
	int fd = STDIN_FILENO;

	memset(out, 0, sizeof *out);
	if (!standard)
		LT_TRY(lt__in_open(ctx, path, NULL, &fd, &st));
	else if (fstat(fd, &st) < 0)
		return lt_fail(ctx, LT_EIO, "%s: cannot be opened: %s", path, strerror(errno));
	else if (S_ISDIR(st.st_mode))
		return lt_fail(ctx, LT_EIO, "%s: is a folder, not a file", path);
	if (map && S_ISREG(st.st_mode) && st.st_size >= READ_BELOW) {
		void *at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

		out->mapped = at != MAP_FAILED && lseek(fd, 0, SEEK_CUR) == 0;
		if (out->mapped) {
			out->at = at;
			out->n = (size_t)st.st_size;
		} else if (at != MAP_FAILED) {
			munmap(at, (size_t)st.st_size);
		}
	}
	s = out->mapped ? LT_OK : bytes_read_all(ctx, standard ? "standard input" : path, fd,
		S_ISREG(st.st_mode) ? (size_t)st.st_size : 0, out);
	if (!standard)
		close(fd);
	return s;
}

lt_status lt__bytes_read(struct lt_context *ctx, const char *path, struct lt_bytes *out)
{
	return bytes_get(ctx, path, false, out);
}

lt_status lt__bytes_map(struct lt_context *ctx, const char *path, struct lt_bytes *out)
{
	return bytes_get(ctx, path, true, out);
}

lt_status lt__stream_read(struct lt_context *ctx, struct lt_stream *s, void *to, size_t n)
{
	if (n > s->left)
		return lt_fail(ctx, LT_EINVAL, "%s: is truncated: %zu bytes more are expected, and it has %llu", s->file, n,
			(unsigned long long)s->left);
	LT_TRY(s->read(ctx, s, to, n));
	s->left -= n;
	return LT_OK;
}

static lt_status memory_read(struct lt_context *ctx, struct lt_stream *s, void *to, size_t n)
{
	(void)ctx;
	if (to && n > 0)
		memcpy(to, s->at, n);
	s->at += n;
	return LT_OK;
}

void lt__stream_memory(struct lt_stream *s, const char *file, const void *at, size_t bytes)
{
	*s = (struct lt_stream){ .file = file, .left = bytes, .read = memory_read, .at = at };
}

static lt_status file_read(struct lt_context *ctx, struct lt_stream *s, void *to, size_t n)
{
	if (!to)
		return lseek(s->fd, (off_t)n, SEEK_CUR) >= 0 ? LT_OK :
			lt_fail(ctx, LT_EIO, "%s: cannot be read: %s", s->file, strerror(errno));
	for (size_t at = 0; at < n; ) {
		const ssize_t got = read(s->fd, (char *)to + at, n - at);

		if (got == 0)
			return lt_fail(ctx, LT_EINVAL, "%s: is truncated: it was cut off while it was read", s->file);
		if (got < 0 && errno != EINTR)
			return lt_fail(ctx, LT_EIO, "%s: cannot be read: %s", s->file, strerror(errno));
		at += got > 0 ? (size_t)got : 0;
	}
	return LT_OK;
}

/* A file of which the system says how large it is; all else, such as a pipe, is read to its end first. */
lt_status lt__stream_open(struct lt_context *ctx, const char *path, struct lt_stream *s)
{
	struct stat st;
	struct lt_bytes b;
	int fd;

	LT_TRY(lt__in_open(ctx, path, NULL, &fd, &st));
	*s = (struct lt_stream){ .file = path, .left = (uint64_t)st.st_size, .read = file_read, .fd = fd, .is_file = true };
	if (S_ISREG(st.st_mode))
		return LT_OK;
	lt_status status = bytes_read_all(ctx, path, fd, 0, &b);
	close(fd);
	LT_TRY(status);
	lt__stream_memory(s, path, b.at, b.n);
	s->heap = b.heap;
	return LT_OK;
}

void lt__stream_close(struct lt_stream *s)
{
	if (s->is_file)
		close(s->fd);
	free(s->heap);
	*s = (struct lt_stream){ 0 };
}
