/* generate.c -- a text that goes on: the prompt, then token after token until the model ends it. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tools/common/common.h"
#include "tools/llama/llama.h"

lt_status llama_tokens_of(struct llama *l, const char *text, int32_t **out, int32_t *n)
{
	const size_t bytes = strlen(text);
	size_t count = 1;
	lt_status s = LT_OK;

	*n = 0;
	*out = bytes < INT32_MAX / 8 ? malloc((bytes + 3) * sizeof **out) : NULL;
	if (!*out)
		return lt_fail(l->ctx, LT_ENOMEM, "out of memory");
	(*out)[0] = LT_LLAMA_BEGIN;
	if (bytes > 0)
		s = lt__llama_encode(l->ctx, l->tokenizer, text, bytes, true, false, *out, &count);
	*n = (int32_t)count;
	return s;
}

/* Nothing is largest among NaN, and a probability over infinity is NaN: llama2.c takes the first or the last token. */
static lt_status refuse_logits(struct llama *l, int32_t n)
{
	const char *weights = lt__llama_not_finite(l->ctx, &l->model);
	const char *const why = weights ? lt__scratch(l->ctx, "%s has numbers that are not finite", weights)
		: l->cache == LT_F16 ? "a value on the way is too large, perhaps for --kv-dtype f16: bf16 and f32 have more"
		: "a value on the way is too large for float32";

	return lt_fail(l->ctx, LT_EINVAL, "%s: %d of %d logits behind position %d are not finite, so that no token is the "
		"likeliest: %s", l->model.file, n, l->model.vocab, l->position - 1, why);
}

lt_status llama_next(struct llama *l, float *logits, int32_t *out)
{
	int32_t n = 0;

	for (int32_t i = 0; i < l->model.vocab; i++)
		n += !(fabsf(logits[i]) <= FLT_MAX);
	*out = LT_LLAMA_BEGIN;
	if (n)
		return refuse_logits(l, n);
	*out = lt__llama_sample(&l->sampler, logits);
	return LT_OK;
}

/* What stands in the prompt comes out, too, like all that follows. */
static lt_status begin_text(struct llama *l, const int32_t *prompt, int32_t n, float **logits)
{
	const int32_t fed = n < l->steps ? n : l->steps;

	if (fed < n && !l->o.quiet)
		lt__say(stderr, "%s: of %d tokens of the prompt %d are read: %s\n", llama_tool.name, n, fed,
			l->steps < l->model.context ? "-n says so" : "the model's context has no more");
	LT_TRY(llama_feed(l, prompt, fed, logits));
	llama_prompt_end(l);
	for (int32_t i = 1; i < n && i <= l->position; i++)
		if (prompt[i] == LT_LLAMA_BEGIN)
			return LT_OK;
		else
			LT_TRY(llama_say(l, prompt[i - 1], prompt[i]));
	return LT_OK;
}

static lt_status make_text(struct llama *l, const int32_t *prompt, int32_t n)
{
	int32_t token = prompt[n - 1];
	float *logits;

	LT_TRY(begin_text(l, prompt, n, &logits));
	while (logits && n <= l->steps) {
		LT_TRY(llama_keep_logits(l, logits));
		int32_t next;

		LT_TRY(llama_next(l, logits, &next));

		if (next == LT_LLAMA_BEGIN)
			break;
		LT_TRY(llama_say(l, token, next));
		token = next;
		if (l->position >= l->steps || lt__interrupted(NULL))
			break;
		/* The first token is the prompt's. */
		LT_TRY(llama_feed_made(l, token, &logits));
	}
	return LT_OK;
}

lt_status llama_generate(struct llama *l)
{
	int32_t *prompt, n;
	lt_status s = llama_tokens_of(l, l->o.prompt ? l->o.prompt : "", &prompt, &n);

	if (!s)
		s = make_text(l, prompt, n);
	if (!s || l->out.any)
		llama_line_end(l);
	free(prompt);
	return s;
}
