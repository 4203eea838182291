/* tensorfile.c -- whole files as bytes, and which format a file of tensors is in. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/arena.h"
#include "tools/common/common.h"
#include "tools/tensor/tensor.h"

/* Large pages: 100 MB are read in half the time.  The place for one more byte finds a file's end without
 * growing.  To be freed and grown as malloc's. */
static unsigned char *bytes_new(size_t size, size_t *cap)
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
	unsigned char *heap = bytes_new(size, &cap);

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

lt_status lt__bytes_read(struct lt_context *ctx, const char *path, struct lt_bytes *out)
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
	s = bytes_read_all(ctx, standard ? "standard input" : path, fd, S_ISREG(st.st_mode) ? (size_t)st.st_size : 0, out);
	if (!standard)
		close(fd);
	return s;
}

static bool ends_in(const char *path, const char *suffix)
{
	size_t n = strlen(path), m = strlen(suffix);

	return n > m && !strcmp(path + n - m, suffix);
}

enum lt_tensorfile lt__tensorfile_kind(const char *path)
{
	return ends_in(path, ".npy") ? LT_FILE_NPY : ends_in(path, ".npz") ? LT_FILE_NPZ :
		ends_in(path, ".safetensors") ? LT_FILE_SAFETENSORS : LT_FILE_OTHER;
}

lt_status lt__tensors_read(struct lt_context *ctx, const char *path, struct lt_tensors *out)
{
	enum lt_tensorfile kind = lt__tensorfile_kind(path);
	struct lt_bytes b;
	lt_status s;

	memset(out, 0, sizeof *out);
	if (kind == LT_FILE_OTHER)
		return lt_fail(ctx, LT_EINVAL, "%s: tensors are read from files that end in .npy, .npz or .safetensors", path);
	LT_TRY(lt__bytes_read(ctx, path, &b));
	if (kind == LT_FILE_NPZ) {
		s = lt__npz_parse(ctx, path, b.at, b.n, out);
	} else if (kind == LT_FILE_SAFETENSORS) {
		s = lt__safetensors_parse(ctx, path, b.at, b.n, out);
		if (!s) {
			out->file = b;
			return s;
		}
	} else {
		out->at = calloc(1, sizeof *out->at);
		s = out->at ? lt__npy_parse(ctx, path, "", b.at, b.n, out->at) : lt_fail(ctx, LT_ENOMEM, "%s: out of memory", path);
		out->n = out->at && !s;
		if (s)
			lt__tensors_free(out);
	}
	lt__bytes_free(&b);
	return s;
}

static lt_status npy_begin(struct lt_context *ctx, const char *path, struct lt_tensors *out)
{
	unsigned char begin[LT_NPY_BEGIN];
	struct stat st;
	size_t n = 0;
	ssize_t got = 1;
	int fd;

	LT_TRY(lt__in_open(ctx, path, NULL, &fd, &st));
	while (n < sizeof begin && got > 0) {
		got = read(fd, begin + n, sizeof begin - n);
		n += got > 0 ? (size_t)got : 0;
		got = got < 0 && errno == EINTR ? 1 : got;
	}
	close(fd);
	if (got < 0)
		return lt_fail(ctx, LT_EIO, "%s: cannot be read: %s", path, strerror(errno));
	out->at = calloc(1, sizeof *out->at);
	lt_status s = out->at ? lt__npy_shape(ctx, path, "", begin, n, out->at) : lt_fail(ctx, LT_ENOMEM, "out of memory");
	out->n = !s;
	return s;
}

lt_status lt__tensors_shapes(struct lt_context *ctx, const char *path, struct lt_tensors *out)
{
	struct lt_bytes b;
	lt_status s;

	memset(out, 0, sizeof *out);
	switch (lt__tensorfile_kind(path)) {
	case LT_FILE_NPY:
		s = npy_begin(ctx, path, out);
		break;
	case LT_FILE_NPZ:
		LT_TRY(lt__bytes_read(ctx, path, &b));
		s = lt__npz_shapes(ctx, path, b.at, b.n, out);
		lt__bytes_free(&b);
		break;
	default:
		s = lt__tensors_read(ctx, path, out);
		for (int32_t i = 0; i < out->n; i++) {
			if (!out->at[i].borrowed)
				free(out->at[i].data);
			out->at[i].data = NULL;
		}
		lt__bytes_free(&out->file);
	}
	if (s)
		lt__tensors_free(out);
	return s;
}

lt_status lt__tensors_write(struct lt_context *ctx, const char *path, const struct lt_tensors *t)
{
	switch (lt__tensorfile_kind(path)) {
	case LT_FILE_NPY:
		if (t->n != 1)
			return lt_fail(ctx, LT_EINVAL, "%s: a .npy holds one tensor, not %d; use .npz or .safetensors", path, t->n);
		return lt__npy_write(ctx, path, t->at);
	case LT_FILE_NPZ:
		return lt__npz_write(ctx, path, t);
	case LT_FILE_SAFETENSORS:
		return lt__safetensors_write(ctx, path, t);
	default:
		return lt_fail(ctx, LT_EINVAL, "%s: tensors are written to files that end in .npy, .npz or .safetensors", path);
	}
}
