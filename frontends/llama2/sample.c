/* sample.c -- the next token of logits: the largest, or one that is drawn, as llama2.c draws it. */
#include <math.h>
#include <stdlib.h>
#include "frontends/llama2/llama2.h"
#include "base/arena.h"

lt_status lt__llama_sampler_new(struct lt_context *ctx, int32_t vocab, float temperature, float top, uint64_t seed,
	struct lt_llama_sampler *out)
{
	*out = (struct lt_llama_sampler){ .vocab = vocab, .temperature = temperature, .top = top, .state = seed,
		.candidate = malloc(sizeof *out->candidate * (size_t)vocab) };
	return out->candidate ? LT_OK : lt_fail(ctx, LT_ENOMEM, "out of memory");
}

void lt__llama_sampler_free(struct lt_llama_sampler *s)
{
	free(s->candidate);
	s->candidate = NULL;
}

/* xorshift*, its upper 24 bits as a number from 0 to 1. */
static float draw(struct lt_llama_sampler *s)
{
	s->state ^= s->state >> 12;
	s->state ^= s->state << 25;
	s->state ^= s->state >> 27;
	return (float)((uint32_t)((s->state * UINT64_C(0x2545F4914F6CDD1D)) >> 32) >> 8) / 16777216.0f;
}

int32_t lt__llama_largest(const float *x, int32_t n)
{
	int32_t at = 0;

	for (int32_t i = 1; i < n; i++)
		at = x[i] > x[at] ? i : at;
	return at;
}

/* The order of these sums decides which token is drawn, so it is that of llama2.c: from the first to the last. */
static void make_probabilities(float *x, int32_t n, float temperature)
{
	float top, sum = 0;

	for (int32_t i = 0; i < n; i++)
		x[i] /= temperature;
	top = x[lt__llama_largest(x, n)];
	for (int32_t i = 0; i < n; i++)
		sum += x[i] = expf(x[i] - top);
	for (int32_t i = 0; i < n; i++)
		x[i] /= sum;
}

static int32_t from_all(const float *probability, int32_t n, float coin)
{
	float sum = 0;

	for (int32_t i = 0; i < n; i++) {
		sum += probability[i];
		if (coin < sum)
			return i;
	}
	return n - 1;
}

static int by_probability(const void *a, const void *b)
{
	const struct lt_llama_candidate *x = a, *y = b;

	if (x->probability != y->probability)
		return x->probability > y->probability ? -1 : 1;
	return x->token < y->token ? -1 : x->token > y->token;
}

/* Of the likeliest tokens that together have more than `top`. */
static int32_t from_likeliest(struct lt_llama_sampler *s, const float *probability, float coin)
{
	const float smallest = (1.0f - s->top) / (float)(s->vocab - 1);
	int32_t n = 0, last;
	float sum = 0, below = 0;

	for (int32_t i = 0; i < s->vocab; i++)
		if (probability[i] >= smallest)
			s->candidate[n++] = (struct lt_llama_candidate){ probability[i], i };
	/* logits that are no numbers */
	if (n == 0)
		return s->vocab - 1;
	qsort(s->candidate, (size_t)n, sizeof *s->candidate, by_probability);
	for (last = 0; last < n; last++) {
		sum += s->candidate[last].probability;
		if (sum > s->top)
			break;
	}
	last = last < n ? last : n - 1;
	for (int32_t i = 0; i < last; i++) {
		below += s->candidate[i].probability;
		if (coin * sum < below)
			return s->candidate[i].token;
	}
	return s->candidate[last].token;
}

void lt__llama_sample_skip(struct lt_llama_sampler *s)
{
	if (s->temperature != 0)
		(void)draw(s);
}

int32_t lt__llama_sample(struct lt_llama_sampler *s, float *logits)
{
	float coin;

	if (s->temperature == 0)
		return lt__llama_largest(logits, s->vocab);
	make_probabilities(logits, s->vocab, s->temperature);
	coin = draw(s);
	return s->top <= 0 || s->top >= 1 ? from_all(logits, s->vocab, coin) : from_likeliest(s, logits, coin);
}
