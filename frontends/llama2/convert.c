/* convert.c -- the matrices of a model in another type: halves, or int8 with scales of groups. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "frontends/llama2/llama2.h"
#include "base/arena.h"
#include "ir/op/op.h"

/* Numbers with one scale, where a model of floats becomes one of int8: as export.py has it. */
enum { GROUP = 64 };

float lt__llama_weight(const struct lt_llama *m, enum lt_llama_kind kind, int32_t layer, int64_t i)
{
	const struct lt_llama_weights *w = &m->weights[kind];
	const unsigned char *at = w->at + layer * w->stride;
	uint16_t half;
	float x;

	if (w->scale) {
		memcpy(&x, w->scale + layer * w->stride + i / m->group * (int64_t)sizeof x, sizeof x);
		return x * (float)(int8_t)at[i];
	}
	if (w->dtype == LT_F32) {
		memcpy(&x, at + i * (int64_t)sizeof x, sizeof x);
		return x;
	}
	memcpy(&half, at + i * (int64_t)sizeof half, sizeof half);
	return lt__half_load(half, w->dtype);
}

const char *lt__llama_not_finite(struct lt_context *ctx, const struct lt_llama *m)
{
	for (int k = 0; k < LT_LLAMA_KINDS; k++) {
		const struct lt_llama_weights *w = &m->weights[k];
		const enum lt_llama_kind kind = (enum lt_llama_kind)k;

		for (int32_t layer = 0; w->at && layer < (lt__llama_layered(kind) ? m->layers : 1); layer++)
			for (int64_t i = 0; i < w->rows * w->columns; i++)
				if (!isfinite(lt__llama_weight(m, kind, layer, i)))
					return lt__llama_name(ctx, kind, layer);
	}
	return NULL;
}

int32_t lt__llama_group(int32_t dim, int32_t hidden)
{
	int32_t group = GROUP;

	/* the numbers of each row, in whole groups, in steps that keep scales aligned */
	while (group > 4 && (dim % group || hidden % group))
		group /= 2;
	return dim % group || hidden % group ? 0 : group;
}

void lt__llama_round_group(const float *x, int32_t n, int8_t *q, float *scale)
{
	float top = 0;

	for (int32_t i = 0; i < n; i++)
		top = fmaxf(top, fabsf(x[i]));
	*scale = top / 127;
	if (top > 0 && !(top / *scale < 127.5f))        /* a subnormal number that was rounded down, or to 0 */
		*scale = nextafterf(*scale, INFINITY);
	if (!isfinite(*scale * 127))                    /* of the largest floats, rounded up */
		*scale = nextafterf(*scale, 0);
	for (int32_t i = 0; i < n; i++)
		q[i] = top > 0 ? (int8_t)lrintf(x[i] / *scale) : 0;
}

struct conversion { struct lt_context *ctx; const struct lt_llama *from; struct lt_llama *to; enum lt_dtype dtype; };

/* Numbers that are not finite stay so; those that are do not become infinite. */
static lt_status convert_halves(const struct conversion *c, enum lt_llama_kind kind, int32_t layer, int64_t n,
	uint16_t *half)
{
	const bool bf16 = c->dtype == LT_BF16;

	for (int64_t i = 0; i < n; i++) {
		const float x = lt__llama_weight(c->from, kind, layer, i);

		half[i] = lt__half_store(x, c->dtype);
		if (isfinite(x) && !isfinite(lt__half_load(half[i], c->dtype)))
			return lt_fail(c->ctx, LT_EUNSUPPORTED, "%s: %s has the number %g, and the largest of %s is %g: --dtype %s has it",
				c->from->file, lt__llama_name(c->ctx, kind, layer), (double)x, bf16 ? "bf16" : "f16", bf16 ? 0x1.fep127 : 65504.0,
				bf16 || !isfinite(lt__half_load(lt__half_store(x, LT_BF16), LT_BF16)) ? "f32" : "bf16");
	}
	return LT_OK;
}

static lt_status convert_layer(const struct conversion *c, enum lt_llama_kind kind, int32_t layer, unsigned char *at)
{
	const struct lt_llama_weights *w = &c->from->weights[kind];
	const int64_t n = w->rows * w->columns;
	float group[GROUP];

	if (c->dtype != LT_I8)
		return convert_halves(c, kind, layer, n, (uint16_t *)(void *)at);
	for (int64_t g = 0; g < n / c->to->group; g++) {
		for (int32_t i = 0; i < c->to->group; i++) {
			group[i] = lt__llama_weight(c->from, kind, layer, g * c->to->group + i);
			if (!isfinite(group[i]))
				return lt_fail(c->ctx, LT_EUNSUPPORTED, "%s: %s has a number that is %s, which int8 has not: --dtype bf16 and "
					"f16 have it", c->from->file, lt__llama_name(c->ctx, kind, layer),
					isnan(group[i]) ? "not a number" : "infinite");
		}
		lt__llama_round_group(group, c->to->group, (int8_t *)at + g * c->to->group, (float *)(void *)(at + n) + g);
	}
	return LT_OK;
}

/* Bytes of a layer, its scales among them, aligned to floats. */
static int64_t layer_bytes(const struct lt_llama *m, const struct lt_llama_weights *w, enum lt_dtype dtype)
{
	const int64_t n = w->rows * w->columns;

	return dtype == LT_I8 ? n + n / m->group * (int64_t)sizeof (float) : (2 * n + 3) / 4 * 4;
}

lt_status lt__llama_convert(struct lt_context *ctx, const struct lt_llama *m, enum lt_dtype dtype, struct lt_llama *out,
	void **memory)
{
	struct conversion c = { .ctx = ctx, .from = m, .to = out, .dtype = dtype };
	int64_t bytes = 0;
	unsigned char *at;

	*out = *m;
	*memory = NULL;
	out->group = dtype == LT_I8 ? lt__llama_group(m->dim, m->hidden) : 0;
	if (dtype == LT_I8 && !out->group)
		return lt_fail(ctx, LT_EUNSUPPORTED, "%s: int8 needs rows that are whole groups of at least 4 numbers, and dim is "
			"%d, hidden_dim %d", m->file, m->dim, m->hidden);
	for (int k = 0; k < LT_LLAMA_KINDS; k++)
		if (m->weights[k].at && !lt__llama_is_vector((enum lt_llama_kind)k))
			bytes += layer_bytes(out, &m->weights[k], dtype) * (lt__llama_layered((enum lt_llama_kind)k) ? m->layers : 1);
	at = *memory = malloc((size_t)bytes);
	if (!at)
		return lt_fail(ctx, LT_ENOMEM, "%s: out of memory: its weights take %lld bytes", m->file, (long long)bytes);
	for (int k = 0; k < LT_LLAMA_KINDS; k++) {
		struct lt_llama_weights *w = &out->weights[k];
		const int32_t layers = lt__llama_layered((enum lt_llama_kind)k) ? m->layers : 1;

		if (!w->at || lt__llama_is_vector((enum lt_llama_kind)k))
			continue;
		w->dtype = dtype;
		w->at = at;
		w->stride = layer_bytes(out, w, dtype);
		w->scale = dtype == LT_I8 ? at + w->rows * w->columns : NULL;
		for (int32_t i = 0; i < layers; i++, at += w->stride)
			LT_TRY(convert_layer(&c, (enum lt_llama_kind)k, i, at));
	}
	return LT_OK;
}
