/* llama_weights.c -- random weights: each is a function of the seed and its place, so that a file, a
 * device's memory and the reference have the same ones, in any order and in any piece.
 *
 * Matrices have the deviation at which values keep their size from layer to layer, those that are added to what goes
 * through a smaller one, as in a model that learned.  The row of the token that begins a text is a hundredth of others:
 * no text ends early.
 */
#include <math.h>
#include <string.h>
#include "program/host/host.h"
#include "ir/op/op.h"
#include "tools/bench/llama.h"

/* Steele, Lea and Flood's splitmix64. */
static uint64_t mixed(uint64_t x)
{
	x += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* Even numbers have the lower half of 64 bits, odd ones the upper; from -1 to 1. */
static float uniform(uint64_t base, int64_t i)
{
	const uint32_t bits = (uint32_t)(mixed(base + (uint64_t)(i / 2)) >> (i % 2 ? 32 : 0));

	return (float)(int32_t)(bits & ~UINT32_C(0xff)) * 0x1p-31f;
}

static float deviation(const struct lt_llama *m, enum lt_llama_kind kind)
{
	const float one = 1 / sqrtf((float)m->weights[kind].columns);

	return kind == LT_LLAMA_WO || kind == LT_LLAMA_W2 ? one / sqrtf(2 * (float)m->layers) : one;
}

void bench_llama_floats(const struct lt_llama *m, uint64_t seed, enum lt_llama_kind kind, int32_t layer, int64_t first,
	int64_t n, float *to)
{
	const uint64_t base = mixed(mixed(seed) + (uint64_t)kind * 4096 + (uint64_t)layer);
	const bool norm = lt__llama_is_vector(kind);
	const float scale = norm ? 0.1f : deviation(m, kind) * sqrtf(3);
	const int64_t columns = m->weights[kind].columns;

	for (int64_t i = 0; i < n; i++)
		to[i] = scale * uniform(base, first + i);
	for (int64_t i = 0; norm && i < n; i++)
		to[i] += 1;
	if (kind != LT_LLAMA_CLASSIFIER && kind != LT_LLAMA_EMBEDDING)
		return;
	for (int64_t i = first > columns ? first : columns; i < first + n && i < (LT_LLAMA_BEGIN + 1) * columns; i++)
		to[i - first] *= 0.01f;
}

enum { CHUNK = 4096 };

static void fill_halves(const struct bench_llama_source *s, enum lt_dtype type, int64_t first, int64_t n, uint16_t *to)
{
	float x[CHUNK];

	for (int64_t at = 0, some; at < n; at += some) {
		some = n - at < CHUNK ? n - at : CHUNK;
		bench_llama_floats(s->m, s->seed, s->kind, s->layer, first + at, some, x);
		for (int64_t i = 0; i < some; i++)
			to[at + i] = lt__half_store(x[i], type);
	}
}

/* Numbers of int8, or the scales of groups: each group as a whole, of which the first and the last may be in part. */
static void fill_groups(const struct bench_llama_source *s, int64_t first, int64_t n, void *to)
{
	const int32_t size = s->m->group;
	const int64_t begin = s->scale ? first : first / size, end = s->scale ? first + n : (first + n + size - 1) / size;
	float x[64], scale;
	int8_t q[64];

	for (int64_t g = begin; g < end; g++) {
		bench_llama_floats(s->m, s->seed, s->kind, s->layer, g * size, size, x);
		lt__llama_round_group(x, size, q, &scale);
		if (s->scale)
			((float *)to)[g - first] = scale;
		for (int32_t i = 0; !s->scale && i < size; i++)
			if (g * size + i >= first && g * size + i < first + n)
				((int8_t *)to)[g * size + i - first] = q[i];
	}
}

struct filling { const struct bench_llama_source *s; int64_t first, n; size_t unit; char *to; };

static void fill_part(void *arg, uint32_t part, uint32_t parts)
{
	const struct filling *f = arg;
	const struct bench_llama_source *s = f->s;
	const enum lt_dtype type = s->m->weights[s->kind].dtype;
	const int64_t from = f->n * part / parts, n = f->n * (part + 1) / parts - from;
	char *to = f->to + (size_t)from * f->unit;

	if (type == LT_I8)
		fill_groups(s, f->first + from, n, to);
	else if (type == LT_F32)
		bench_llama_floats(s->m, s->seed, s->kind, s->layer, f->first + from, n, (float *)(void *)to);
	else
		fill_halves(s, type, f->first + from, n, (uint16_t *)(void *)to);
}

lt_status bench_llama_fill(void *source, size_t offset, size_t bytes, void *to)
{
	const struct bench_llama_source *s = source;
	const size_t unit = s->scale ? sizeof (float) : lt_dtype_bytes(s->m->weights[s->kind].dtype);
	struct filling f = { s, (int64_t)(offset / unit), (int64_t)(bytes / unit), unit, to };

	lt__host_on_threads(NULL, bytes < 1 << 16 ? 1 : lt__processors(), fill_part, &f);
	return LT_OK;
}
