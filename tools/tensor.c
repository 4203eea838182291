/* tools/tensor.c -- tensors in memory, whole files as bytes, and which format a file is in. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "ir/arena.h"
#include "ir/op.h"
#include "tools/tensorfile.h"

bool lt__tensor_bytes(enum lt_dtype dtype, int32_t rank, const int64_t *shape, size_t *bytes)
{
	int64_t n = lt__dtype_info(dtype)->bytes;

	for (int32_t i = 0; i < rank; i++)
		if (shape[i] < 0 || lt__mul_overflow(n, shape[i], &n))
			return false;
	*bytes = (size_t)n;
	return true;
}

lt_status lt__tensor_new(struct lt_context *ctx, const char *file, const char *name, enum lt_dtype dtype, int32_t rank,
	const int64_t *shape, struct lt_tensor *out)
{
	struct lt_tensor t = { .dtype = dtype, .rank = rank };

	memset(out, 0, sizeof *out);
	if (!lt__tensor_bytes(dtype, rank, shape, &t.bytes) || t.bytes > SIZE_MAX - 128)
		return lt_fail(ctx, LT_EOVERFLOW, "%s: the size of '%s' exceeds 63 bits", file, name);
	t.name = strdup(name);
	t.shape = malloc((size_t)rank * sizeof *shape + 1);
	t.data = aligned_alloc(64, (t.bytes + 127) / 64 * 64);
	if (!t.name || !t.shape || !t.data) {
		lt__tensor_free(&t);
		return lt_fail(ctx, LT_ENOMEM, "%s: out of memory: '%s' takes %zu bytes", file, name, t.bytes);
	}
	if (rank > 0)
		memcpy(t.shape, shape, (size_t)rank * sizeof *shape);
	*out = t;
	return LT_OK;
}

void lt__tensor_free(struct lt_tensor *t)
{
	free(t->name);
	free(t->shape);
	free(t->data);
	t->name = NULL;
	t->shape = NULL;
	t->data = NULL;
}

void lt__tensors_free(struct lt_tensors *t)
{
	for (int32_t i = 0; i < t->n; i++)
		lt__tensor_free(&t->at[i]);
	free(t->at);
	t->at = NULL;
	t->n = 0;
}

const char *lt__shape_text(char *out, size_t bytes, int32_t rank, const int64_t *shape)
{
	size_t n = (size_t)snprintf(out, bytes, "(");

	for (int32_t i = 0; i < rank; i++) {
		if (n + 40 > bytes) {
			n += (size_t)snprintf(out + n, bytes - n, "...");
			break;
		}
		n += (size_t)snprintf(out + n, bytes - n, i ? ", %lld" : "%lld", (long long)shape[i]);
	}
	snprintf(out + n, bytes - n, rank == 1 ? ",)" : ")");
	return out;
}

static int by_name(const void *a, const void *b)
{
	return strcmp((*(const struct lt_tensor *const *)a)->name, (*(const struct lt_tensor *const *)b)->name);
}

bool lt__tensors_twice(const struct lt_tensors *t, const char **twice)
{
	const struct lt_tensor **sorted = malloc(((size_t)t->n + 1) * sizeof(struct lt_tensor *));

	*twice = NULL;
	if (!sorted)
		return false;
	for (int32_t i = 0; i < t->n; i++)
		sorted[i] = &t->at[i];
	qsort(sorted, (size_t)t->n, sizeof(struct lt_tensor *), by_name);
	for (int32_t i = 1; i < t->n && !*twice; i++)
		if (!strcmp(sorted[i]->name, sorted[i - 1]->name))
			*twice = sorted[i]->name;
	free(sorted);
	return true;
}

/* Reads what has no size in advance: a pipe, a terminal. */
static lt_status read_stream(struct lt_context *ctx, const char *path, int fd, struct lt_bytes *out)
{
	size_t cap = 0, n = 0;
	unsigned char *heap = NULL;

	for (;;) {
		ssize_t got;

		if (n == cap) {
			size_t larger = cap ? 2 * cap : 1 << 16;
			unsigned char *grown = realloc(heap, larger);

			if (!grown) {
				free(heap);
				return lt_fail(ctx, LT_ENOMEM, "%s: out of memory after %zu bytes", path, n);
			}
			heap = grown;
			cap = larger;
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
	*out = (struct lt_bytes){ .at = heap, .n = n, .heap = heap };
	return LT_OK;
}

lt_status lt__bytes_read(struct lt_context *ctx, const char *path, struct lt_bytes *out)
{
	bool standard = !strcmp(path, "-");
	struct stat st;
	lt_status s = LT_OK;
	int fd;

	memset(out, 0, sizeof *out);
	fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0) {
		s = lt_fail(ctx, LT_EIO, "%s: cannot be opened: %s", path, strerror(errno));
	} else if (S_ISDIR(st.st_mode)) {
		s = lt_fail(ctx, LT_EIO, "%s: is a folder, not a file", path);
	} else if (standard || !S_ISREG(st.st_mode) || st.st_size == 0) {
		s = read_stream(ctx, standard ? "standard input" : path, fd, out);
	} else {
		void *map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

		if (map == MAP_FAILED)
			s = read_stream(ctx, path, fd, out);
		else
			*out = (struct lt_bytes){ .at = map, .n = (size_t)st.st_size, .map = map };
	}
	if (fd >= 0 && !standard)
		close(fd);
	return s;
}

void lt__bytes_free(struct lt_bytes *b)
{
	if (b->map)
		munmap(b->map, b->n);
	free(b->heap);
	memset(b, 0, sizeof *b);
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
