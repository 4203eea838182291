/* stored.c -- the types of stored.def, and their elements in a file: see stored.h. */
#include "frontends/onnx/stored.h"

static const struct lt_onnx_stored stored_types[] = {
#define ONNX_STORED(code, held, bits, kind, mantissa, bias, max, over, nan) \
	{ code, held, bits, LT_ONNX_STORED_##kind, mantissa, bias, max, over, nan },
#include "frontends/onnx/stored.def"
};

const struct lt_onnx_stored *lt__onnx_stored(int64_t type)
{
	for (size_t i = 0; i < sizeof stored_types / sizeof *stored_types; i++)
		if (stored_types[i].code == type)
			return &stored_types[i];
	return NULL;
}

const void *lt__onnx_unpack(struct lt_onnx *m, const struct lt_onnx_stored *s, const void *packed, size_t n)
{
	const unsigned char *from = packed;
	unsigned char *out = lt__arena_alloc(m->kept, n + 1);
	const size_t each = 8 / (size_t)s->bits;
	const int half = 1 << (s->bits - 1), mask = 2 * half - 1;
	for (size_t i = 0; i < n; i++) {
		int x = from[i / each] >> (i % each * (size_t)s->bits) & mask;
		out[i] = (unsigned char)(s->held == LT_I8 ? (x ^ half) - half : x);
	}
	return out;
}
