/* encode.c -- a text as tokens: characters first, then the pair with the best score becomes one. */
#include <stdlib.h>
#include <string.h>
#include "frontends/llama2/tokenizer.h"
#include "base/arena.h"

/* pair[i]: the token that token i and the one after it become together, -1: none. */
struct encoding {
	struct lt_context *ctx;
	const struct lt_llama_tokenizer *t;
	int32_t *token, *pair;
	size_t n;
	char *joined;                   /* room for two tokens */
};

/* A pair that is no better than this one stays two tokens. */
static const float no_score = -1e10f;

static bool continues(char c)
{
	return ((unsigned char)c & 0xC0) == 0x80;
}

/* The bytes of a character that is no token. */
static lt_status add_bytes(struct encoding *e, const char *at, size_t n)
{
	if (e->t->vocab < LT_LLAMA_BYTE + 256)
		return lt_fail(e->ctx, LT_EINVAL, "%s: the text has a character that is none of the %d tokens, and there are no "
			"tokens for bytes", e->t->file, e->t->vocab);
	for (size_t i = 0; i < n; i++)
		e->token[e->n++] = LT_LLAMA_BYTE + (unsigned char)at[i];
	return LT_OK;
}

/* A byte and at most three that continue it, as UTF-8 has them. */
static lt_status add_characters(struct encoding *e, const char *text, size_t n_text)
{
	for (size_t at = 0, n; at < n_text; at += n) {
		for (n = 1; n < 4 && at + n < n_text && continues(text[at + n]);)
			n++;
		const int32_t token = lt__llama_token_find(e->t, text + at, n);
		if (token >= 0)
			e->token[e->n++] = token;
		else
			LT_TRY(add_bytes(e, text + at, n));
	}
	return LT_OK;
}

static int32_t find_pair(const struct encoding *e, size_t i)
{
	const struct lt_llama_token *a = &e->t->token[e->token[i]], *b = &e->t->token[e->token[i + 1]];

	if (a->n + b->n > e->t->longest)
		return -1;
	memcpy(e->joined, a->at, (size_t)a->n);
	memcpy(e->joined + a->n, b->at, (size_t)b->n);
	return lt__llama_token_find(e->t, e->joined, (size_t)(a->n + b->n));
}

/* The first of those with the best score; n: there is none. */
static size_t best_pair(const struct encoding *e)
{
	float best = no_score;
	size_t at = e->n;

	for (size_t i = 0; i + 1 < e->n; i++)
		if (e->pair[i] >= 0 && e->t->token[e->pair[i]].score > best) {
			best = e->t->token[e->pair[i]].score;
			at = i;
		}
	return at;
}

static void join_pairs(struct encoding *e)
{
	for (size_t i = 0; i + 1 < e->n; i++)
		e->pair[i] = find_pair(e, i);
	for (size_t at = best_pair(e); at < e->n; at = best_pair(e)) {
		e->token[at] = e->pair[at];
		memmove(e->token + at + 1, e->token + at + 2, (e->n - at - 2) * sizeof *e->token);
		memmove(e->pair + at, e->pair + at + 1, (e->n - at - 2) * sizeof *e->pair);
		e->n--;
		if (at + 1 < e->n)
			e->pair[at] = find_pair(e, at);
		if (at > 0)
			e->pair[at - 1] = find_pair(e, at - 1);
	}
}

static lt_status encode_text(struct encoding *e, const char *text, size_t n_text)
{
	const int32_t blank = lt__llama_token_find(e->t, " ", 1);

	if (blank < 0)
		return lt_fail(e->ctx, LT_EINVAL, "%s: it has no token for the blank, which is put before a text", e->t->file);
	e->token[e->n++] = blank;
	LT_TRY(add_characters(e, text, n_text));
	return LT_OK;
}

lt_status lt__llama_encode(struct lt_context *ctx, const struct lt_llama_tokenizer *t, const char *text, size_t n_text,
	bool begin, bool end, int32_t *out, size_t *n_out)
{
	struct encoding e = { .ctx = ctx, .t = t, .token = out, .pair = calloc(n_text + 3, sizeof *e.pair),
		.joined = malloc(2 * (size_t)t->longest) };
	lt_status st = e.pair && e.joined ? LT_OK : lt_fail(ctx, LT_ENOMEM, "out of memory");

	if (begin)
		e.token[e.n++] = LT_LLAMA_BEGIN;
	if (!st && n_text > 0)
		st = encode_text(&e, text, n_text);
	if (!st)
		join_pairs(&e);
	if (end)
		e.token[e.n++] = LT_LLAMA_END;
	free(e.pair);
	free(e.joined);
	*n_out = e.n;
	return st;
}
