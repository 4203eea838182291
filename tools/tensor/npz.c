/* npz.c -- NumPy's .npz: a zip of .npy entries, stored or deflated; by libzip. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>
#include "base/arena.h"
#include "ir/op/op.h"
#include "base/plain.h"
#include "tools/common/common.h"
#include "tools/tensor/tensor.h"

/* Deflate never makes more than this of a byte; an entry that claims more lies. */
#define MAX_OF_A_BYTE 1032
#define LONGEST_NAME 4000               /* with .npy and a folder before it, it is a path still */

static lt_status zip_says(struct lt_context *ctx, const char *file, const char *what, zip_error_t *e)
{
	return lt_fail(ctx, LT_EINVAL, "%s: %s: %s", file, what, zip_error_strerror(e));
}

/* Checks what the directory says of entry i, before anything is read or allocated; adds its packed size to *packed. */
static lt_status check_entry(
	struct lt_context *ctx, const char *file, const struct zip_stat *st, uint64_t bytes, uint64_t *packed)
{
	const uint64_t all = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
	size_t n;

	if ((st->valid & all) != all)
		return lt_fail(ctx, LT_EINVAL, "%s: an entry has no name or size", file);
	n = strlen(st->name);
	if (n < 5 || strcmp(st->name + n - 4, ".npy") != 0)
		return lt_fail(ctx, LT_EINVAL, "%s: the entry '%s' is not a .npy", file, st->name);
	if (st->encryption_method != ZIP_EM_NONE && (st->valid & ZIP_STAT_ENCRYPTION_METHOD))
		return lt_fail(ctx, LT_EUNSUPPORTED, "%s: the entry '%s' is encrypted", file, st->name);
	if (st->comp_method != ZIP_CM_STORE && st->comp_method != ZIP_CM_DEFLATE)
		return lt_fail(ctx, LT_EUNSUPPORTED,
			"%s: the entry '%s' is packed by method %d; stored and deflated ones are read", file, st->name,
			st->comp_method);
	/* Entries that share their bytes would let a small file justify any size. */
	if (st->comp_size > bytes || *packed > bytes - st->comp_size)
		return lt_fail(ctx, LT_EINVAL, "%s: the entry '%s' has %llu packed bytes, more than the file has left",
			file, st->name, (unsigned long long)st->comp_size);
	*packed += st->comp_size;
	if (st->comp_method == ZIP_CM_STORE ? st->size != st->comp_size : st->size / MAX_OF_A_BYTE > st->comp_size)
		return lt_fail(ctx, LT_EINVAL, "%s: the entry '%s' claims %llu bytes, which cannot be packed in %llu", file, st->name,
			(unsigned long long)st->size, (unsigned long long)st->comp_size);
	return LT_OK;
}

/* An entry that is unpacked while it is read. */
struct unpacking { zip_file_t *f; const struct zip_stat *st; const char *file; uint64_t done; };

static lt_status unpack(struct lt_context *ctx, struct lt_stream *s, void *to, size_t bytes)
{
	struct unpacking *u = s->user;

	for (size_t n = 0; n < bytes; ) {
		const zip_int64_t got = zip_fread(u->f, (char *)to + n, bytes - n);

		if (got < 0)
			return lt_fail(ctx, LT_EINVAL, "%s: the entry '%s' is damaged: %s", u->file, u->st->name,
				zip_file_strerror(u->f));
		if (got == 0)
			return lt_fail(ctx, LT_EINVAL, "%s: the entry '%s' is truncated: %llu of %llu bytes", u->file,
				u->st->name, (unsigned long long)u->done, (unsigned long long)u->st->size);
		n += (size_t)got;
		u->done += (uint64_t)got;
	}
	return LT_OK;
}

/* After its last byte; the read past the end makes libzip compare the checksum. */
static lt_status unpack_end(struct lt_context *ctx, struct unpacking *u)
{
	unsigned char beyond;

	if (zip_fread(u->f, &beyond, 1) > 0)
		return lt_fail(ctx, LT_EINVAL, "%s: the entry '%s' is longer than the %llu bytes that it claims", u->file,
			u->st->name, (unsigned long long)u->st->size);
	if (zip_error_code_zip(zip_file_get_error(u->f)) != ZIP_ER_OK)
		return lt_fail(ctx, LT_EINVAL, "%s: the entry '%s' is damaged: %s", u->file, u->st->name, zip_file_strerror(u->f));
	return LT_OK;
}

/* name: without .npy; what: the file and the entry. */
static lt_status npz_read_entry(struct lt_context *ctx, const char *what, const char *name, struct unpacking *u,
	const struct lt_wanted *wanted, struct lt_tensor *out)
{
	struct lt_stream s = { .file = what, .left = u->st->size, .read = unpack, .user = u };

	LT_TRY(lt__npy_read(ctx, name, &s, wanted, out));
	lt_status status = s.left == 0 ? unpack_end(ctx, u) : LT_OK;
	if (status)
		lt__tensor_free(out);
	return status;
}

static lt_status npz_open_entry(struct lt_context *ctx, const char *file, zip_t *z, zip_uint64_t i, uint64_t bytes,
	uint64_t *packed, const struct lt_wanted *wanted, struct lt_tensor *out)
{
	struct zip_stat st;
	struct unpacking u = { .st = &st, .file = file };
	lt_status s;

	zip_stat_init(&st);
	if (zip_stat_index(z, i, 0, &st) != 0)
		return lt_fail(ctx, LT_EINVAL, "%s: entry %llu: %s", file, (unsigned long long)i, zip_strerror(z));
	LT_TRY(check_entry(ctx, file, &st, bytes, packed));
	char *what = malloc(strlen(file) + strlen(st.name) + 3), *name = strndup(st.name, strlen(st.name) - 4);
	u.f = what && name ? zip_fopen_index(z, i, 0) : NULL;
	if (!what || !name) {
		s = lt_fail(ctx, LT_ENOMEM, "%s: out of memory", file);
	} else if (!u.f) {
		s = lt_fail(ctx, LT_EINVAL, "%s: the entry '%s' cannot be opened: %s", file, st.name, zip_strerror(z));
	} else {
		sprintf(what, "%s: %s", file, st.name);
		s = npz_read_entry(ctx, what, name, &u, wanted, out);
		zip_fclose(u.f);
	}
	free(what);
	free(name);
	return s;
}

/* libzip reads a file by itself, and closes it. */
static zip_source_t *npz_source(struct lt_stream *from, zip_error_t *e)
{
	if (!from->is_file)
		return zip_source_buffer_create(from->at, from->left, 0, e);
	FILE *f = fdopen(from->fd, "rb");
	zip_source_t *source = f ? zip_source_filep_create(f, 0, -1, e) : NULL;
	if (f)
		from->is_file = false;
	else
		zip_error_set(e, ZIP_ER_OPEN, errno);
	if (f && !source)
		fclose(f);
	return source;
}

static lt_status npz_entries(struct lt_context *ctx, const char *file, zip_t *z, uint64_t bytes,
	const struct lt_wanted *wanted, struct lt_tensors *out)
{
	const zip_int64_t n = zip_get_num_entries(z, 0);
	uint64_t packed = 0;
	lt_status s = LT_OK;
	const char *twice;

	out->at = n < INT32_MAX ? calloc((size_t)n + 1, sizeof *out->at) : NULL;
	if (!out->at)
		return lt_fail(ctx, LT_ENOMEM, "%s: out of memory: %lld entries", file, (long long)n);
	for (zip_int64_t i = 0; i < n && !s; i++) {
		s = npz_open_entry(ctx, file, z, (zip_uint64_t)i, bytes, &packed, wanted, &out->at[i]);
		out->n += !s;
	}
	LT_TRY(s);
	if (!lt__tensors_twice(out, &twice))
		return lt_fail(ctx, LT_ENOMEM, "%s: out of memory", file);
	return twice ? lt_fail(ctx, LT_EINVAL, "%s: the entry '%s.npy' is there twice", file, twice) : LT_OK;
}

lt_status lt__npz_read(
	struct lt_context *ctx, struct lt_stream *from, const struct lt_wanted *wanted, struct lt_tensors *out)
{
	const uint64_t bytes = from->left;
	zip_error_t e;
	zip_t *z = NULL;
	lt_status s;

	memset(out, 0, sizeof *out);
	/* libzip would take nothing for an archive without entries. */
	if (bytes < 22)
		return lt_fail(ctx, LT_EINVAL, "%s: is too short for a .npz (zip) file (%llu bytes)", from->file,
			(unsigned long long)bytes);
	zip_error_init(&e);
	zip_source_t *source = npz_source(from, &e);
	if (source)
		z = zip_open_from_source(source, ZIP_RDONLY, &e);
	if (z) {
		s = npz_entries(ctx, from->file, z, bytes, wanted, out);
		zip_discard(z);
	} else {
		s = zip_says(ctx, from->file, "is not a readable .npz (zip) file", &e);
		if (source)
			zip_source_free(source);
	}
	zip_error_fini(&e);
	if (s)
		lt__tensors_free(out);
	return s;
}

/* What a program that unpacks the archive could be led by, or a terminal that lists it. */
const char *lt__npz_name(const char *name)
{
	size_t n = strlen(name), bytes;
	bool plain = true;

	for (size_t at = 0; at < n && plain; at += bytes)
		bytes = lt__plain_next(name + at, n - at, &plain);
	if (!plain)
		return "it has a control character, or is not UTF-8";
	if (n > LONGEST_NAME)
		return "it is too long";
	if (strchr(name, '\\'))
		return "it has a backslash, which some programs take for a folder";
	/* Between slashes. */
	for (const char *at = name;; at++) {
		size_t part = strcspn(at, "/");

		if (part == 0)
			return n == 0 ? "it is empty" : *name == '/' ? "it begins with a slash" : "it has a folder without a name";
		if ((part == 1 && *at == '.') || (part == 2 && at[0] == '.' && at[1] == '.'))
			return "it has the folder . or ..";
		at += part;
		if (!*at)
			return NULL;
	}
}

/* Header and data of one entry as the two pieces that libzip reads when it closes the archive. */
static lt_status add_entry(struct lt_context *ctx, const char *path, zip_t *z, const struct lt_tensor *t, char **header)
{
	zip_buffer_fragment_t pieces[2];
	zip_source_t *source;
	zip_int64_t i;
	char *name;
	size_t n;

	const char *why = lt__npz_name(t->name);

	if (why)
		return lt_fail(ctx, LT_EINVAL,
			"%s: '%.200s' cannot be the name of an entry: %s; name it otherwise, or write a .safetensors",
			path, t->name, why);
	LT_TRY(lt__npy_header(ctx, path, t, header, &n));
	pieces[0] = (zip_buffer_fragment_t){ (zip_uint8_t *)*header, n };
	pieces[1] = (zip_buffer_fragment_t){ t->data, t->bytes };
	name = malloc(strlen(t->name) + 5);
	if (!name)
		return lt_fail(ctx, LT_ENOMEM, "%s: out of memory", path);
	sprintf(name, "%s.npy", t->name);
	source = zip_source_buffer_fragment(z, pieces, t->bytes > 0 ? 2 : 1, 0);
	i = source ? zip_file_add(z, name, source, ZIP_FL_ENC_UTF_8) : -1;
	free(name);
	if (i < 0) {
		if (source)
			zip_source_free(source);
		return lt_fail(ctx, LT_EINVAL, "%s: the entry '%s.npy' cannot be added: %s", path, t->name, zip_strerror(z));
	}
	/* Stored, as NumPy does; 1 January 1980, so that equal results are equal files. */
	if (zip_set_file_compression(z, (zip_uint64_t)i, ZIP_CM_STORE, 0) != 0 ||
		zip_file_set_dostime(z, (zip_uint64_t)i, 0, 1 << 5 | 1, 0) != 0)
		return lt_fail(ctx, LT_EIO, "%s: %s", path, zip_strerror(z));
	return LT_OK;
}

static int npz_cancelled(zip_t *z, void *user)
{
	(void)z;
	return lt__interrupted(user);
}

lt_status lt__npz_write(struct lt_context *ctx, const char *path, const struct lt_tensors *t)
{
	char **header = calloc((size_t)t->n + 1, sizeof(char *));
	const char *twice = NULL;
	zip_t *z = NULL;
	lt_status s = LT_OK;
	int code = 0;

	if (!header || !lt__tensors_twice(t, &twice))
		s = lt_fail(ctx, LT_ENOMEM, "%s: out of memory", path);
	else if (twice)
		s = lt_fail(ctx, LT_EINVAL, "%s: two tensors are named '%s'", path, twice);
	else if (!(z = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &code))) {
		zip_error_t e;

		zip_error_init_with_code(&e, code);
		s = lt_fail(ctx, LT_EIO, "%s: cannot be written: %s", path, zip_error_strerror(&e));
		zip_error_fini(&e);
	}
	for (int32_t i = 0; i < t->n && !s; i++)
		s = add_entry(ctx, path, z, &t->at[i], &header[i]);
	/* The archive is written, beside its name and then renamed, by the close. */
	lt__interrupt_catch(LT_INTERRUPT_MS);
	if (z)
		(void)zip_register_cancel_callback_with_state(z, npz_cancelled, NULL, NULL);
	if (z && !s && zip_close(z) != 0)
		s = lt_fail(ctx, LT_EIO, "%s: cannot be written: %s", path, zip_strerror(z));
	else if (!s)
		z = NULL;
	if (z)
		zip_discard(z);
	lt__interrupt_release();
	for (int32_t i = 0; header && i < t->n; i++)
		free(header[i]);
	free(header);
	return s;
}
