/* safetensors.c -- .safetensors: 8 bytes of length, a JSON header, the data without holes; JSON by jansson. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "ir/op/op.h"
#include "tools/common/common.h"
#include "tools/tensor/tensor.h"

#define LONGEST_HEADER 100000000u       /* the format's own limit */

/* Where the data of one tensor is. */
struct byte_span { uint64_t begin, end; int32_t which; };

static int dtype_of(const char *name)
{
	for (int d = 1; d < LT_NDTYPE; d++) {
		const char *mine = lt__dtype_info((enum lt_dtype)d)->safetensors;

		if (*mine && !strcmp(mine, name))
			return d;
	}
	return 0;
}

/* From the file's byte order (little endian) to the machine's; bools to 0 and 1. */
static void tensor_settle(struct lt_tensor *t)
{
	unsigned char *b = t->data;

	for (size_t i = 0; t->dtype == LT_BOOL && i < t->bytes; i++)
		b[i] = b[i] != 0;
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
	size_t w = lt__dtype_info(t->dtype)->bytes;

	for (size_t i = 0; i < t->bytes; i += w)
		for (size_t j = 0; j < w / 2; j++) {
			unsigned char byte = b[i + j];

			b[i + j] = b[i + w - 1 - j];
			b[i + w - 1 - j] = byte;
		}
#endif
}

static lt_status read_shape(
	struct lt_context *ctx, const char *file, const char *name, const json_t *list, int64_t **shape)
{
	size_t n = json_array_size(list);

	if (!json_is_array(list) || n > INT32_MAX)
		return lt_fail(ctx, LT_EINVAL, "%s: the shape of '%s' is not a list", file, name);
	*shape = malloc(n * sizeof **shape + 1);
	if (!*shape)
		return lt_fail(ctx, LT_ENOMEM, "%s: out of memory", file);
	for (size_t i = 0; i < n; i++) {
		const json_t *extent = json_array_get(list, i);

		if (!json_is_integer(extent) || json_integer_value(extent) < 0)
			return lt_fail(ctx, LT_EINVAL, "%s: the shape of '%s' has an extent that is not a whole number", file, name);
		(*shape)[i] = json_integer_value(extent);
	}
	return LT_OK;
}

static lt_status read_offsets(struct lt_context *ctx, const char *file, const char *name, const json_t *list,
	size_t bytes, struct byte_span *out)
{
	const json_t *begin = json_array_get(list, 0), *end = json_array_get(list, 1);

	if (json_array_size(list) != 2 || !json_is_integer(begin) || !json_is_integer(end))
		return lt_fail(ctx, LT_EINVAL, "%s: data_offsets of '%s' is not a list of two whole numbers", file, name);
	if (json_integer_value(begin) < 0 || json_integer_value(begin) > json_integer_value(end) ||
		(uint64_t)json_integer_value(end) > bytes)
		return lt_fail(ctx, LT_EINVAL,
			"%s: the data of '%s' is said to be at %lld..%lld; the file has %zu bytes of data", file, name,
			(long long)json_integer_value(begin), (long long)json_integer_value(end), bytes);
	out->begin = (uint64_t)json_integer_value(begin);
	out->end = (uint64_t)json_integer_value(end);
	return LT_OK;
}

/* Checks one entry of the header; allocates and copies nothing but its shape. */
static lt_status safetensors_read_entry(struct lt_context *ctx, const char *file, const char *name, const json_t *entry,
	size_t bytes, struct lt_tensor *t, struct byte_span *span)
{
	const char *dtype = json_string_value(json_object_get(entry, "dtype"));
	const json_t *list = json_object_get(entry, "shape");
	char text[256];

	if (!json_is_object(entry) || !dtype)
		return lt_fail(ctx, LT_EINVAL, "%s: '%s' has no dtype", file, name);
	if (!dtype_of(dtype))
		return lt_fail(ctx, LT_EUNSUPPORTED, "%s: '%s' has elements of type %s, which Looptree does not have",
			file, name, dtype);
	t->dtype = (enum lt_dtype)dtype_of(dtype);
	LT_TRY(read_shape(ctx, file, name, list, &t->shape));
	t->rank = (int32_t)json_array_size(list);
	LT_TRY(read_offsets(ctx, file, name, json_object_get(entry, "data_offsets"), bytes, span));
	lt__shape_text(text, sizeof text, t->rank, t->shape);
	if (!lt__tensor_bytes(t->dtype, t->rank, t->shape, &t->bytes))
		return lt_fail(ctx, LT_EOVERFLOW, "%s: the size of '%s', shape %s, exceeds 63 bits", file, name, text);
	if (t->bytes != span->end - span->begin)
		return lt_fail(ctx, LT_EINVAL,
			"%s: '%s', shape %s of %s, takes %zu bytes, but data_offsets give it %llu", file, name, text,
			dtype, t->bytes, (unsigned long long)(span->end - span->begin));
	return LT_OK;
}

static int by_begin(const void *a, const void *b)
{
	const struct byte_span *x = a, *y = b;

	return x->begin != y->begin ? (x->begin < y->begin ? -1 : 1) : x->end != y->end ? (x->end < y->end ? -1 : 1) :
		x->which - y->which;
}

/* The format wants the data covered exactly once. */
static lt_status check_spans(struct lt_context *ctx, const char *file, const struct lt_tensor *t,
	struct byte_span *span, int32_t n, size_t bytes)
{
	uint64_t at = 0;

	qsort(span, (size_t)n, sizeof *span, by_begin);
	for (int32_t i = 0; i < n; i++) {
		if (span[i].begin < at)
			return lt_fail(ctx, LT_EINVAL, "%s: the data of '%s' and of '%s' overlap", file, t[span[i - 1].which].name,
				t[span[i].which].name);
		if (span[i].begin > at)
			return lt_fail(ctx, LT_EINVAL, "%s: the data has a hole before '%s': nothing is at %llu..%llu", file,
				t[span[i].which].name, (unsigned long long)at, (unsigned long long)span[i].begin);
		at = span[i].end;
	}
	if (at != bytes)
		return lt_fail(ctx, LT_EINVAL, "%s: is too long: its tensors take %llu bytes, it has %zu bytes of data", file,
			(unsigned long long)at, bytes);
	return LT_OK;
}

/* The data of what is wanted, in the order of the file, as one block. */
static lt_status read_data(struct lt_context *ctx, struct lt_stream *from, const struct lt_wanted *wanted,
	const struct byte_span *span, struct lt_tensors *out)
{
	enum { ALIGN = 64 };
	size_t bytes = 0, cap = 0, at = 0;
	lt_status s = LT_OK;

	/* Together they are no more than the file, and a rest for each. */
	for (int32_t i = 0; i < out->n; i++) {
		out->at[i].borrowed = lt__tensor_is_wanted(wanted, &out->at[i]);
		bytes += out->at[i].borrowed ? (out->at[i].bytes + ALIGN - 1) / ALIGN * ALIGN : 0;
	}
	unsigned char *heap = lt__bytes_new(bytes + ALIGN, &cap);
	if (!heap)
		return lt_fail(ctx, LT_ENOMEM, "%s: out of memory: its tensors take %zu bytes", from->file, bytes);
	out->file = (struct lt_bytes){ .at = heap, .n = cap, .heap = heap };
	at = (ALIGN - (uintptr_t)heap % ALIGN) % ALIGN;
	for (int32_t i = 0; i < out->n && !s; i++) {
		struct lt_tensor *t = &out->at[span[i].which];

		t->data = t->borrowed ? heap + at : NULL;
		s = lt__stream_read(ctx, from, t->data, t->bytes);
		if (s || !t->borrowed)
			continue;
		at += (t->bytes + ALIGN - 1) / ALIGN * ALIGN;
		tensor_settle(t);
	}
	return s;
}

static lt_status read_all(struct lt_context *ctx, struct lt_stream *from, json_t *root, const struct lt_wanted *wanted,
	struct lt_tensors *out)
{
	struct byte_span *span = calloc(json_object_size(root) + 1, sizeof *span);
	const char *name, *file = from->file;
	json_t *entry;
	lt_status s = LT_OK;

	out->at = calloc(json_object_size(root) + 1, sizeof *out->at);
	if (!out->at || !span)
		s = lt_fail(ctx, LT_ENOMEM, "%s: out of memory", file);
	if (!s)
		json_object_foreach(root, name, entry) {
			struct lt_tensor *t = &out->at[out->n];

			if (!strcmp(name, "__metadata__"))
				continue;
			span[out->n].which = out->n;
			t->name = strdup(name);
			s = t->name ? safetensors_read_entry(ctx, file, name, entry, from->left, t, &span[out->n]) :
				lt_fail(ctx, LT_ENOMEM, "%s: out of memory", file);
			out->n++;
			if (s)
				break;
		}
	s = s ? s : check_spans(ctx, file, out->at, span, out->n, from->left);
	s = s ? s : read_data(ctx, from, wanted, span, out);
	free(span);
	return s;
}

/* The length, and as many bytes of JSON. */
static lt_status read_header(struct lt_context *ctx, struct lt_stream *from, json_t **root)
{
	const char *file = from->file;
	unsigned char b[8];
	uint64_t length = 0;
	json_error_t e;

	*root = NULL;
	if (from->left < 8)
		return lt_fail(ctx, LT_EINVAL, "%s: is too short for a .safetensors file (%llu bytes)", file,
			(unsigned long long)from->left);
	LT_TRY(lt__stream_read(ctx, from, b, 8));
	for (int i = 0; i < 8; i++)
		length |= (uint64_t)b[i] << 8 * i;
	if (length > from->left || length > LONGEST_HEADER)
		return lt_fail(ctx, LT_EINVAL, "%s: its header is said to have %llu bytes, %s", file, (unsigned long long)length,
			length > from->left ? "more than the file has" : "more than the format allows");
	char *text = malloc((size_t)length + 1);
	if (!text)
		return lt_fail(ctx, LT_ENOMEM, "%s: out of memory", file);
	lt_status s = lt__stream_read(ctx, from, text, (size_t)length);
	if (!s && (length == 0 || text[0] != '{'))
		s = lt_fail(ctx, LT_EINVAL, "%s: is not a .safetensors file: its header does not begin with '{'", file);
	*root = s ? NULL : json_loadb(text, (size_t)length, JSON_REJECT_DUPLICATES, &e);
	free(text);
	if (!s && !json_is_object(*root))
		s = lt_fail(ctx, LT_EINVAL, "%s: the header is not JSON as the format wants it: %s (byte %d)", file, e.text,
			e.position);
	return s;
}

lt_status lt__safetensors_read(
	struct lt_context *ctx, struct lt_stream *from, const struct lt_wanted *wanted, struct lt_tensors *out)
{
	json_t *root;

	memset(out, 0, sizeof *out);
	lt_status s = read_header(ctx, from, &root);
	s = s ? s : read_all(ctx, from, root, wanted, out);
	json_decref(root);
	if (s)
		lt__tensors_free(out);
	return s;
}

static lt_status add_entry(
	struct lt_context *ctx, const char *path, json_t *root, const struct lt_tensor *t, uint64_t *at)
{
	json_t *entry, *shape = json_array();

	if (json_object_get(root, t->name) || !strcmp(t->name, "__metadata__")) {
		json_decref(shape);
		return lt_fail(ctx, LT_EINVAL, "%s: the name '%s' is taken", path, t->name);
	}
	for (int32_t i = 0; i < t->rank; i++)
		json_array_append_new(shape, json_integer(t->shape[i]));
	entry = json_pack("{s:s,s:o,s:[I,I]}", "dtype", lt__dtype_info(t->dtype)->safetensors, "shape", shape, "data_offsets",
		(json_int_t)*at, (json_int_t)(*at + t->bytes));
	*at += t->bytes;
	if (json_object_set_new(root, t->name, entry) != 0)
		return lt_fail(ctx, LT_EINVAL, "%s: the name '%s' cannot be written: it is not UTF-8", path, t->name);
	return LT_OK;
}

/* The widest elements first, as the format's own writer does, so that all are aligned. */
static lt_status arrange(
	struct lt_context *ctx, const char *path, const struct lt_tensors *t, json_t *root, int32_t *order)
{
	uint64_t at = 0;
	int32_t n = 0;

	for (uint32_t bytes = 8; bytes > 0; bytes /= 2)
		for (int32_t i = 0; i < t->n; i++)
			if (lt__dtype_info(t->at[i].dtype)->bytes == bytes) {
				LT_TRY(add_entry(ctx, path, root, &t->at[i], &at));
				order[n++] = i;
			}
	return LT_OK;
}

static void write_data(FILE *f, const struct lt_tensor *t)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	if (t->bytes > 0)                       /* no elements may be nowhere */
		fwrite(t->data, 1, t->bytes, f);
#else
	const unsigned char *b = t->data;
	size_t w = lt__dtype_info(t->dtype)->bytes;

	for (size_t i = 0; i < t->bytes; i += w)
		for (size_t j = w; j-- > 0;)
			fputc(b[i + j], f);
#endif
}

lt_status lt__safetensors_write(struct lt_context *ctx, const char *path, const struct lt_tensors *t)
{
	int32_t *order = malloc((size_t)t->n * sizeof *order + 1);
	json_t *root = json_object();
	char *text = NULL;
	struct lt_outfile o;
	lt_status s = order && root ? arrange(ctx, path, t, root, order) : lt_fail(ctx, LT_ENOMEM, "%s: out of memory", path);

	if (!s && !(text = json_dumps(root, JSON_COMPACT)))
		s = lt_fail(ctx, LT_ENOMEM, "%s: out of memory", path);
	if (!s)
		s = lt__out_open(ctx, path, &o);
	if (!s) {
		size_t n = strlen(text), padded = (n + 7) / 8 * 8;

		for (int i = 0; i < 8; i++)
			fputc((int)(padded >> 8 * i & 255), o.file);
		fprintf(o.file, "%-*s", (int)padded, text);
		for (int32_t i = 0; i < t->n; i++)
			write_data(o.file, &t->at[order[i]]);
		s = lt__out_close(ctx, &o, true);
	}
	free(text);
	json_decref(root);
	free(order);
	return s;
}
