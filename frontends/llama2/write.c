/* write.c -- a model as a checkpoint: floats as version 0, int8 as version 2, halves in a version of
 * this project. */
#include <math.h>
#include "frontends/llama2/checkpoint.h"

static void int_into(unsigned char *at, int32_t x)
{
	for (int i = 0; i < 4; i++)
		at[i] = (unsigned char)((uint32_t)x >> 8 * i);
}

static void write_header(const struct lt_llama *m, int32_t version, enum lt_dtype dtype, FILE *to)
{
	const int32_t size[] = { m->dim, m->hidden, m->layers, m->heads, m->kv_heads,
		version || m->shared ? m->vocab : -m->vocab, m->context };
	unsigned char at[LT_LLAMA_HEADER] = { 0 };

	for (int i = 0; i < 7; i++)
		int_into(at + (version ? LT_LLAMA_SIZES_AT : 0) + 4 * i, size[i]);
	if (version) {
		int_into(at, LT_LLAMA_MAGIC);
		int_into(at + LT_LLAMA_VERSION_AT, version);
		at[LT_LLAMA_SHARED_AT] = m->shared;
		int_into(at + LT_LLAMA_GROUP_AT,
			version == 2 ? m->group : dtype == LT_BF16 ? LT_LLAMA_IS_BF16 : LT_LLAMA_IS_F16);
	}
	fwrite(at, 1, version ? LT_LLAMA_HEADER : LT_LLAMA_LEGACY_HEADER, to);
}

/* Cosines of all positions, then sines. */
static void write_rotations(const struct lt_llama *m, FILE *to)
{
	const int32_t head = lt__llama_head(m);

	for (int turn = 0; turn < 2; turn++)
		for (int32_t p = 0; p < m->context; p++)
			for (int32_t i = 0; i < head; i += 2) {
				const float angle = (float)p / powf(10000.0f, (float)i / (float)head);
				const float x = turn ? sinf(angle) : cosf(angle);

				fwrite(&x, sizeof x, 1, to);
			}
}

static void write_kind(const struct lt_llama *m, enum lt_llama_kind kind, bool floats, FILE *to)
{
	const struct lt_llama_weights *w = &m->weights[kind];
	const int64_t n = w->rows * w->columns;

	for (int32_t layer = 0; layer < (lt__llama_layered(kind) ? m->layers : 1); layer++) {
		const unsigned char *at = w->at + layer * w->stride;

		if (floats && w->dtype != LT_F32) {
			for (int64_t i = 0; i < n; i++) {
				const float x = lt__llama_weight(m, kind, layer, i);

				fwrite(&x, sizeof x, 1, to);
			}
			continue;
		}
		fwrite(at, lt_dtype_bytes(w->dtype), (size_t)n, to);
		if (w->scale)
			fwrite(w->scale + layer * w->stride, sizeof (float), (size_t)(n / m->group), to);
	}
}

void lt__llama_write(const struct lt_llama *m, bool floats, FILE *to)
{
	const enum lt_dtype dtype = floats ? LT_F32 : m->weights[LT_LLAMA_EMBEDDING].dtype;
	const int32_t version = dtype == LT_F32 ? 0 : dtype == LT_I8 ? 2 : LT_LLAMA_HALVES;
	const int *kind;
	const int n = lt__llama_order(m, version, &kind);

	write_header(m, version, dtype, to);
	for (int i = 0; i < n; i++)
		if (kind[i] == LT_LLAMA_ROTATIONS)
			write_rotations(m, to);
		else
			write_kind(m, (enum lt_llama_kind)kind[i], floats, to);
}
