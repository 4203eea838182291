/* llama.c -- language models of llama2.c for js/llama.js: their tokens, and how the next one is drawn.
 *
 * The interface of C has a checkpoint as a model like every other; texts are lt-llama's there, and the page's here.
 */
#include <math.h>
#include <stdlib.h>
#include "frontends/llama2/llama2.h"
#include "base/arena.h"

#define EXPORT(name) __attribute__((export_name("looptree_" #name)))

/* 1: a checkpoint; 2: a tokenizer; 0: neither. */
EXPORT(llama_kind) int looptree_llama_kind(struct lt_context *ctx, const void *bytes, size_t n)
{
	if (lt__llama_is_tokenizer(bytes, n))
		return 2;
	return lt__llama_is_header(ctx, bytes, n) ? 1 : 0;
}

/* The vocabulary and the positions of a checkpoint. */
EXPORT(llama_sizes) lt_status looptree_llama_sizes(struct lt_context *ctx, const void *bytes, size_t n,
	const char *file, int32_t out[2])
{
	struct lt_llama m;

	LT_TRY(lt__llama_read(ctx, bytes, n, file, &m));
	out[0] = m.vocab;
	out[1] = m.context;
	return LT_OK;
}

/* The bytes and the file's name are borrowed. */
EXPORT(tokenizer_new) lt_status looptree_tokenizer_new(struct lt_context *ctx, const void *bytes, size_t n,
	const char *file, int32_t vocab, struct lt_llama_tokenizer **out)
{
	return lt__llama_tokenizer_read(ctx, bytes, n, file, vocab, out);
}

EXPORT(tokenizer_free) void looptree_tokenizer_free(struct lt_llama_tokenizer *t)
{
	lt__llama_tokenizer_free(t);
}

/* After the token that begins a text; room for n_text + 3. */
EXPORT(tokenizer_encode) lt_status looptree_tokenizer_encode(struct lt_context *ctx, const struct lt_llama_tokenizer *t,
	const char *text, size_t n_text, int32_t *out, size_t *n_out)
{
	return lt__llama_encode(ctx, t, text, n_text, true, false, out, n_out);
}

EXPORT(tokenizer_piece) void looptree_tokenizer_piece(const struct lt_llama_tokenizer *t, int32_t before, int32_t token,
	struct lt_llama_piece *out)
{
	*out = lt__llama_decode(t, before, token);
}

EXPORT(sampler_new) struct lt_llama_sampler *looptree_sampler_new(struct lt_context *ctx, int32_t vocab,
	float temperature, float top, uint64_t seed)
{
	struct lt_llama_sampler *s = malloc(sizeof *s);

	if (s && !lt__llama_sampler_new(ctx, vocab, temperature, top, seed, s))
		return s;
	free(s);
	return NULL;
}

EXPORT(sampler_free) void looptree_sampler_free(struct lt_llama_sampler *s)
{
	lt__llama_sampler_free(s);
	free(s);
}

/* Of as many logits as the vocabulary has, which may become probabilities; -1: one is not finite. */
EXPORT(sampler_next) int32_t looptree_sampler_next(struct lt_llama_sampler *s, float *logits)
{
	for (int32_t i = 0; i < s->vocab; i++)
		if (!isfinite(logits[i]))
			return -1;
	return lt__llama_sample(s, logits);
}
