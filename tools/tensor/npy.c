/* npy.c -- NumPy's .npy, versions 1.0 to 3.0: read in any order and byte order, written in C order. */
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "ir/npy/npy.h"
#include "tools/common/common.h"
#include "tools/tensor/tensor.h"

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define NATIVE '<'
#else
#define NATIVE '>'
#endif

/* Fortran order (first index fastest) to C order: where the next element goes. */
struct scatter { int32_t rank; const int64_t *shape; size_t bytes; int64_t *at, *stride, offset; };

static void scatter_elements(struct scatter *s, unsigned char *to, const unsigned char *from, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		memcpy(to + s->offset, from + i * s->bytes, s->bytes);
		for (int32_t d = 0; d < s->rank; d++) {
			s->offset += s->stride[d];
			if (++s->at[d] < s->shape[d])
				break;
			s->offset -= s->stride[d] * s->shape[d];
			s->at[d] = 0;
		}
	}
}

/* A part at a time, so that the tensor is in memory once. */
static lt_status read_fortran(
	struct lt_context *ctx, const struct lt_npy *h, struct lt_stream *from, struct lt_tensor *t)
{
	enum { PART = 1 << 16 };
	const size_t rank = (size_t)h->rank, bytes = lt__dtype_info(h->dtype)->bytes;
	int64_t *places = calloc(2 * rank, sizeof *places);
	unsigned char *part = malloc(PART);
	struct scatter s = { .rank = h->rank, .shape = h->shape, .bytes = bytes, .at = places, .stride = places + rank };
	lt_status status = places && part ? LT_OK : lt_fail(ctx, LT_ENOMEM, "%s: out of memory", from->file);

	for (int32_t d = h->rank - 1; d >= 0 && !status; d--)
		s.stride[d] = d + 1 < h->rank ? s.stride[d + 1] * h->shape[d + 1] : (int64_t)bytes;
	for (size_t done = 0; done < t->bytes && !status; ) {
		const size_t n = t->bytes - done < PART ? t->bytes - done : PART;

		status = lt__stream_read(ctx, from, part, n);
		if (!status)
			scatter_elements(&s, t->data, part, n / bytes);
		done += n;
	}
	free(part);
	free(places);
	return status;
}

static lt_status read_data(
	struct lt_context *ctx, const struct lt_npy *h, struct lt_stream *from, struct lt_tensor *t)
{
	const size_t bytes = lt__dtype_info(h->dtype)->bytes;
	unsigned char *to = t->data;

	LT_TRY(h->fortran && h->rank > 1 && t->bytes > 0 ? read_fortran(ctx, h, from, t)
							 : lt__stream_read(ctx, from, to, t->bytes));
	for (size_t i = 0; h->swap && i < t->bytes; i += bytes)
		for (size_t j = 0; j < bytes / 2; j++) {
			unsigned char byte = to[i + j];

			to[i + j] = to[i + bytes - 1 - j];
			to[i + bytes - 1 - j] = byte;
		}
	for (size_t i = 0; h->dtype == LT_BOOL && i < t->bytes; i++)
		to[i] = to[i] != 0;
	return LT_OK;
}

/* The fixed part: magic, version, length of the header. */
static lt_status read_preamble(struct lt_context *ctx, struct lt_stream *from, size_t *length)
{
	const uint64_t bytes = from->left;
	unsigned char at[12] = { 0 };
	size_t begin = 0;

	if (bytes >= 10)
		LT_TRY(lt__stream_read(ctx, from, at, 10));
	LT_TRY(lt__npy_magic(ctx, from->file, at, bytes, &begin));
	if (begin > 10)
		LT_TRY(lt__stream_read(ctx, from, at + 10, begin - 10));
	return lt__npy_length(ctx, from->file, at, from->left, length);
}

/* Name, type and shape, which are compared with what is there, and then asked about. */
static lt_status read_body(struct lt_context *ctx, const struct lt_npy *h, const char *name, struct lt_stream *from,
	const struct lt_wanted *wanted, struct lt_tensor *out)
{
	size_t need = 0;
	char text[256];

	lt__shape_text(text, sizeof text, h->rank, h->shape);
	if (!lt__tensor_bytes(h->dtype, h->rank, h->shape, &need))
		return lt_fail(ctx, LT_EOVERFLOW, "%s: the size of shape %s exceeds 63 bits", from->file, text);
	if (need != from->left)
		return lt_fail(ctx, LT_EINVAL, "%s: %s: shape %s of %s takes %zu bytes, after the header are %llu", from->file,
			need > from->left ? "is truncated" : "is too long", text, lt__dtype_info(h->dtype)->script, need,
			(unsigned long long)from->left);
	LT_TRY(lt__tensor_head(ctx, from->file, name, h->dtype, h->rank, h->shape, out));
	if (!lt__tensor_is_wanted(wanted, out))
		return LT_OK;
	LT_TRY(lt__tensor_room(ctx, from->file, out));
	return read_data(ctx, h, from, out);
}

lt_status lt__npy_read(struct lt_context *ctx, const char *name, struct lt_stream *from, const struct lt_wanted *wanted,
	struct lt_tensor *out)
{
	struct lt_npy h = { 0 };
	size_t length = 0;
	char *header;

	memset(out, 0, sizeof *out);
	LT_TRY(read_preamble(ctx, from, &length));
	header = malloc(length + 1);
	if (!header)
		return lt_fail(ctx, LT_ENOMEM, "%s: out of memory", from->file);
	lt_status status = lt__stream_read(ctx, from, header, length);
	status = status ? status : lt__npy_said(ctx, from->file, header, length, &h);
	status = status ? status : read_body(ctx, &h, name, from, wanted, out);
	if (status)
		lt__tensor_free(out);
	free(h.shape);
	free(header);
	return status;
}

lt_status lt__npy_parse(struct lt_context *ctx, const char *file, const char *name, const void *at, size_t bytes,
	struct lt_tensor *out)
{
	struct lt_stream s;

	lt__stream_memory(&s, file, at, bytes);
	return lt__npy_read(ctx, name, &s, NULL, out);
}

lt_status lt__npy_header(struct lt_context *ctx, const char *file, const struct lt_tensor *t, char **out, size_t *bytes)
{
	const struct lt_dtypeinfo *info = lt__dtype_info(t->dtype);
	size_t cap = 128 + 32 * (size_t)t->rank, n, begin, total;
	char *h;

	*out = NULL;
	if (!*info->npy)
		return lt_fail(ctx, LT_EUNSUPPORTED, "%s: NumPy's format has no %s; write a .safetensors", file, info->script);
	h = calloc(1, cap + 64);
	if (!h)
		return lt_fail(ctx, LT_ENOMEM, "%s: out of memory", file);
	n = 12
		+ (size_t)sprintf(h + 12, "{'descr': '%c%s', 'fortran_order': False, 'shape': (",
			info->bytes > 1 ? NATIVE : '|', info->npy);
	for (int32_t i = 0; i < t->rank; i++)
		n += (size_t)sprintf(h + n, i + 1 < t->rank ? "%lld, " : t->rank == 1 ? "%lld," : "%lld", (long long)t->shape[i]);
	n += (size_t)sprintf(h + n, "), }");
	/* The text comes after 12 bytes; version 1.0 needs but 10. */
	begin = n - 12 + 10 + 64 < 65536 ? 10 : 12;
	memmove(h + begin, h + 12, n - 12);
	n = n - 12 + begin;
	total = (n + 1 + 63) / 64 * 64;
	memset(h + n, ' ', total - n - 1);
	h[total - 1] = '\n';
	memcpy(h, "\x93NUMPY", 6);
	h[6] = begin == 10 ? 1 : 2;
	h[7] = 0;
	for (size_t i = 8; i < begin; i++)
		h[i] = (char)((total - begin) >> 8 * (i - 8) & 255);
	*out = h;
	*bytes = total;
	return LT_OK;
}

lt_status lt__npy_write(struct lt_context *ctx, const char *path, const struct lt_tensor *t)
{
	struct lt_outfile o;
	char *header;
	size_t n;
	lt_status s;

	LT_TRY(lt__npy_header(ctx, path, t, &header, &n));
	s = lt__out_open(ctx, path, &o);
	if (!s) {
		fwrite(header, 1, n, o.file);
		if (t->bytes > 0)               /* no elements may be nowhere */
			fwrite(t->data, 1, t->bytes, o.file);
		s = lt__out_close(ctx, &o, true);
	}
	free(header);
	return s;
}
