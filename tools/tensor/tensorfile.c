/* tensorfile.c -- which format a file of tensors is in. */
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "tools/tensor/tensor.h"

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

static lt_status read_npy(
	struct lt_context *ctx, struct lt_stream *s, const struct lt_wanted *wanted, struct lt_tensors *out)
{
	out->at = calloc(1, sizeof *out->at);
	if (!out->at)
		return lt_fail(ctx, LT_ENOMEM, "%s: out of memory", s->file);
	lt_status status = lt__npy_read(ctx, "", s, wanted, out->at);
	out->n = !status;
	return status;
}

static lt_status read_kind(struct lt_context *ctx, enum lt_tensorfile kind, struct lt_stream *s,
	const struct lt_wanted *wanted, struct lt_tensors *out)
{
	lt_status status = kind == LT_FILE_NPZ ? lt__npz_read(ctx, s, wanted, out)
		: kind == LT_FILE_NPY ? read_npy(ctx, s, wanted, out) : lt__safetensors_read(ctx, s, wanted, out);

	lt__stream_close(s);
	if (status)
		lt__tensors_free(out);
	return status;
}

lt_status lt__tensors_read_wanted(
	struct lt_context *ctx, const char *path, const struct lt_wanted *wanted, struct lt_tensors *out)
{
	enum lt_tensorfile kind = lt__tensorfile_kind(path);
	struct lt_stream s;

	memset(out, 0, sizeof *out);
	if (kind == LT_FILE_OTHER)
		return lt_fail(ctx, LT_EINVAL, "%s: tensors are read from files that end in .npy, .npz or .safetensors", path);
	LT_TRY(lt__stream_open(ctx, path, &s));
	return read_kind(ctx, kind, &s, wanted, out);
}

lt_status lt__tensors_parse(struct lt_context *ctx, enum lt_tensorfile kind, const char *file, const void *at,
	size_t bytes, struct lt_tensors *out)
{
	struct lt_stream s;

	memset(out, 0, sizeof *out);
	lt__stream_memory(&s, file, at, bytes);
	return read_kind(ctx, kind, &s, NULL, out);
}

lt_status lt__tensors_read(struct lt_context *ctx, const char *path, struct lt_tensors *out)
{
	return lt__tensors_read_wanted(ctx, path, NULL, out);
}

static bool is_none_wanted(void *user, const struct lt_tensor *t)
{
	(void)user;
	(void)t;
	return false;
}

lt_status lt__tensors_shapes(struct lt_context *ctx, const char *path, struct lt_tensors *out)
{
	const struct lt_wanted none = { is_none_wanted, NULL };
	return lt__tensors_read_wanted(ctx, path, &none, out);
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
