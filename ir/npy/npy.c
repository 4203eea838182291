/* npy.c -- headers of NumPy's .npy, versions 1.0 to 3.0. */
#include <stdlib.h>
#include <string.h>
#include "ir/npy/npy.h"

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define NATIVE '<'
#else
#define NATIVE '>'
#endif

/* NumPy itself takes no more than 10,000 bytes; what is packed could claim any number. */
#define LONGEST_HEADER (1 << 20)

/* What the header says so far. */
struct npy_header { struct lt_npy said; bool has_descr, has_order, has_shape; };
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
				h->said.dtype = (enum lt_dtype)d;
				h->said.swap = info->bytes > 1 && (order == '<' || order == '>') && order != NATIVE;
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

		if (h->said.rank > 0 && !scan_accept(s, ','))
			return broken(s, "',' or ')'");
		if (h->said.rank > 0 && scan_accept(s, ')'))
			break;
		skip_blanks(s);
		for (begin = s->at; s->at < s->end && *s->at >= '0' && *s->at <= '9'; s->at++)
			if (lt__mul_overflow(extent, 10, &extent) || lt__add_overflow(extent, *s->at - '0', &extent))
				return lt_fail(s->ctx, LT_EOVERFLOW, "%s: an extent of the shape exceeds 63 bits", s->file);
		if (s->at == begin)
			return broken(s, "an extent that is not negative");
		(void)scan_accept(s, 'L');
		if (h->said.rank == cap) {
			int64_t *grown = realloc(h->said.shape, (size_t)(cap = cap ? 2 * cap : 8) * sizeof *grown);

			if (!grown)
				return lt_fail(s->ctx, LT_ENOMEM, "%s: out of memory", s->file);
			h->said.shape = grown;
		}
		h->said.shape[h->said.rank++] = extent;
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
	h->said.fortran = take_word(s, "True");
	return h->said.fortran || take_word(s, "False") ? LT_OK : broken(s, "True or False");
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

lt_status lt__npy_said(struct lt_context *ctx, const char *file, const char *at, size_t bytes, struct lt_npy *out)
{
	struct scan s = { .ctx = ctx, .file = file, .at = at, .end = at + bytes };
	struct npy_header h = { 0 };
	const lt_status status = read_header(&s, &h);

	*out = h.said;
	return status;
}

lt_status lt__npy_length(struct lt_context *ctx, const char *file, const unsigned char at[12], uint64_t left,
	size_t *length)
{
	*length = at[8] | (size_t)at[9] << 8 | (size_t)at[10] << 16 | (size_t)at[11] << 24;
	if (*length > left)
		return lt_fail(ctx, LT_EINVAL, "%s: is truncated: its header is said to have %zu bytes, the file has %llu more", file,
			*length, (unsigned long long)left);
	if (*length > LONGEST_HEADER)
		return lt_fail(ctx, LT_EINVAL, "%s: its header is said to have %zu bytes; at most %d are read, and a shape of %d "
			"dims takes fewer", file, *length, LONGEST_HEADER, LONGEST_HEADER / 32);
	return LT_OK;
}

lt_status lt__npy_magic(struct lt_context *ctx, const char *file, const unsigned char at[10], uint64_t bytes,
	size_t *begin)
{
	if (bytes < 10)
		return lt_fail(ctx, LT_EINVAL, "%s: is too short for a .npy file (%llu bytes)", file, (unsigned long long)bytes);
	if (memcmp(at, "\x93NUMPY", 6) != 0)
		return lt_fail(ctx, LT_EINVAL, "%s: is not a .npy file: it does not begin with \\x93NUMPY", file);
	if (at[6] < 1 || at[6] > 3 || at[7] != 0)
		return lt_fail(ctx, LT_EUNSUPPORTED, "%s: is .npy version %d.%d; 1.0, 2.0 and 3.0 are read", file, at[6], at[7]);
	if (at[6] > 1 && bytes < 12)
		return lt_fail(ctx, LT_EINVAL, "%s: is truncated: it ends in the length of the header", file);
	*begin = at[6] > 1 ? 12 : 10;
	return LT_OK;
}
