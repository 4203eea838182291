/* npy.c -- NumPy's .npy, versions 1.0 to 3.0: read in any order and byte order, written in C order. */
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "ir/op/op.h"
#include "tools/common/common.h"
#include "tools/tensor/tensor.h"

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define NATIVE '<'
#else
#define NATIVE '>'
#endif

/* NumPy itself takes no more than 10,000 bytes; what is packed could claim any number. */
#define LONGEST_HEADER (1 << 20)

/* What the header says. */
struct npy_header {
	enum lt_dtype dtype;
	bool swap, fortran;
	int32_t rank;
	int64_t *shape;
	bool has_descr, has_order, has_shape;
};
/* The text of the header, a literal of Python: a dict of strings, bools and a tuple of ints. */
struct scan {
	struct lt_context *ctx;
	const char *file, *at, *end;
};

static void skip_blanks(struct scan *s)
{
	while (s->at < s->end && strchr(" \t\r\n\f", *s->at) && *s->at)
		s->at++;
}

static bool scan_accept(struct scan *s, char c)
{
	skip_blanks(s);
	if (s->at == s->end || *s->at != c)
		return false;
	s->at++;
	return true;
}

static bool take_word(struct scan *s, const char *word)
{
	size_t n = strlen(word);

	skip_blanks(s);
	if ((size_t)(s->end - s->at) < n || memcmp(s->at, word, n) != 0)
		return false;
	s->at += n;
	return true;
}

static lt_status broken(const struct scan *s, const char *wanted)
{
	int n = s->end - s->at > 20 ? 20 : (int)(s->end - s->at);

	while (n > 0 && s->at[n - 1] == '\n')
		n--;
	return lt_fail(s->ctx, LT_EINVAL, "%s: the .npy header is damaged: expected %s before '%.*s'", s->file, wanted,
		n, s->at);
}

/* A quoted string without escapes. */
static bool take_string(struct scan *s, const char **text, int *n)
{
	const char *close;

	skip_blanks(s);
	if (s->at == s->end || (*s->at != '\'' && *s->at != '"'))
		return false;
	close = memchr(s->at + 1, *s->at, (size_t)(s->end - s->at - 1));
	if (!close)
		return false;
	*text = s->at + 1;
	*n = (int)(close - s->at - 1);
	s->at = close + 1;
	return true;
}

static lt_status read_descr(struct scan *s, struct npy_header *h)
{
	const char *text;
	int n;
	char order;

	skip_blanks(s);
	if (s->at < s->end && *s->at == '[')
		return lt_fail(s->ctx, LT_EUNSUPPORTED,
			"%s: is a structured array (several fields an element); save each field by itself", s->file);
	if (!take_string(s, &text, &n))
		return broken(s, "the element type in quotes");
	order = n > 0 ? text[0] : 0;
	if (order == '<' || order == '>' || order == '|' || order == '=') {
		for (int d = 1; d < LT_NDTYPE; d++) {
			const struct lt_dtypeinfo *info = lt__dtype_info((enum lt_dtype)d);

			if (*info->npy && (size_t)n == strlen(info->npy) + 1 && !memcmp(text + 1, info->npy, (size_t)n - 1)) {
				h->dtype = (enum lt_dtype)d;
				h->swap = info->bytes > 1 && (order == '<' || order == '>') && order != NATIVE;
				return LT_OK;
			}
		}
	}
	return lt_fail(s->ctx, LT_EUNSUPPORTED,
		"%s: holds elements of type '%.*s', which Looptree does not have (it reads f2 f4 f8 i1 i2 i4 i8 u1 "
		"b1%s)",
		s->file, n, text, n == 3 && !memcmp(text + 1, "V2", 2) ? "; bfloat16 comes from .safetensors" : "");
}

static lt_status read_shape(struct scan *s, struct npy_header *h)
{
	int32_t cap = 0;

	if (!scan_accept(s, '('))
		return broken(s, "the shape in parentheses");
	while (!scan_accept(s, ')')) {
		int64_t extent = 0;
		const char *begin;

		if (h->rank > 0 && !scan_accept(s, ','))
			return broken(s, "',' or ')'");
		if (h->rank > 0 && scan_accept(s, ')'))
			break;
		skip_blanks(s);
		for (begin = s->at; s->at < s->end && *s->at >= '0' && *s->at <= '9'; s->at++)
			if (lt__mul_overflow(extent, 10, &extent) || lt__add_overflow(extent, *s->at - '0', &extent))
				return lt_fail(s->ctx, LT_EOVERFLOW, "%s: an extent of the shape exceeds 63 bits", s->file);
		if (s->at == begin)
			return broken(s, "an extent that is not negative");
		(void)scan_accept(s, 'L');
		if (h->rank == cap) {
			int64_t *grown = realloc(h->shape, (size_t)(cap = cap ? 2 * cap : 8) * sizeof *grown);

			if (!grown)
				return lt_fail(s->ctx, LT_ENOMEM, "%s: out of memory", s->file);
			h->shape = grown;
		}
		h->shape[h->rank++] = extent;
	}
	return LT_OK;
}

static lt_status npy_read_entry(struct scan *s, struct npy_header *h)
{
	static const char *const keys[] = { "descr", "fortran_order", "shape" };
	bool *const had[] = { &h->has_descr, &h->has_order, &h->has_shape };
	const char *key;
	int n, which;

	if (!take_string(s, &key, &n))
		return broken(s, "a key in quotes");
	for (which = 0; which < 3; which++)
		if ((size_t)n == strlen(keys[which]) && !memcmp(key, keys[which], (size_t)n))
			break;
	if (which == 3)
		return lt_fail(s->ctx, LT_EINVAL, "%s: the .npy header has an unknown key '%.*s'", s->file, n, key);
	if (*had[which])
		return lt_fail(s->ctx, LT_EINVAL, "%s: the .npy header has the key '%.*s' twice", s->file, n, key);
	*had[which] = true;
	if (!scan_accept(s, ':'))
		return broken(s, "':'");
	if (which == 0)
		return read_descr(s, h);
	if (which == 2)
		return read_shape(s, h);
	h->fortran = take_word(s, "True");
	return h->fortran || take_word(s, "False") ? LT_OK : broken(s, "True or False");
}

static lt_status read_header(struct scan *s, struct npy_header *h)
{
	bool first = true;

	if (!scan_accept(s, '{'))
		return broken(s, "'{'");
	while (!scan_accept(s, '}')) {
		if (!first && !scan_accept(s, ','))
			return broken(s, "',' or '}'");
		if (!first && scan_accept(s, '}'))
			break;
		LT_TRY(npy_read_entry(s, h));
		first = false;
	}
	skip_blanks(s);
	if (s->at != s->end)
		return broken(s, "the end of the header");
	if (!h->has_descr || !h->has_order || !h->has_shape)
		return lt_fail(s->ctx, LT_EINVAL, "%s: the .npy header lacks the key '%s'", s->file,
			!h->has_descr ? "descr" : !h->has_order ? "fortran_order" : "shape");
	return LT_OK;
}

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
	struct lt_context *ctx, const struct npy_header *h, struct lt_stream *from, struct lt_tensor *t)
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
	struct lt_context *ctx, const struct npy_header *h, struct lt_stream *from, struct lt_tensor *t)
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
	const char *file = from->file;

	if (bytes < 10)
		return lt_fail(ctx, LT_EINVAL, "%s: is too short for a .npy file (%llu bytes)", file, (unsigned long long)bytes);
	LT_TRY(lt__stream_read(ctx, from, at, 10));
	if (memcmp(at, "\x93NUMPY", 6) != 0)
		return lt_fail(ctx, LT_EINVAL, "%s: is not a .npy file: it does not begin with \\x93NUMPY", file);
	if (at[6] < 1 || at[6] > 3 || at[7] != 0)
		return lt_fail(ctx, LT_EUNSUPPORTED, "%s: is .npy version %d.%d; 1.0, 2.0 and 3.0 are read", file, at[6], at[7]);
	if (at[6] > 1 && bytes < 12)
		return lt_fail(ctx, LT_EINVAL, "%s: is truncated: it ends in the length of the header", file);
	if (at[6] > 1)
		LT_TRY(lt__stream_read(ctx, from, at + 10, 2));
	*length = at[8] | (size_t)at[9] << 8 | (size_t)at[10] << 16 | (size_t)at[11] << 24;
	if (*length > from->left)
		return lt_fail(ctx, LT_EINVAL, "%s: is truncated: its header is said to have %zu bytes, the file has %llu more", file,
			*length, (unsigned long long)from->left);
	if (*length > LONGEST_HEADER)
		return lt_fail(ctx, LT_EINVAL, "%s: its header is said to have %zu bytes; at most %d are read, and a shape of %d "
			"dims takes fewer", file, *length, LONGEST_HEADER, LONGEST_HEADER / 32);
	return LT_OK;
}

/* Name, type and shape, which are compared with what is there, and then asked about. */
static lt_status read_body(struct lt_context *ctx, const struct npy_header *h, const char *name, struct lt_stream *from,
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
	struct npy_header h = { 0 };
	struct scan s = { .ctx = ctx, .file = from->file };
	size_t length = 0;
	char *header;

	memset(out, 0, sizeof *out);
	LT_TRY(read_preamble(ctx, from, &length));
	header = malloc(length + 1);
	if (!header)
		return lt_fail(ctx, LT_ENOMEM, "%s: out of memory", from->file);
	lt_status status = lt__stream_read(ctx, from, header, length);
	s.at = header;
	s.end = header + length;
	status = status ? status : read_header(&s, &h);
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
