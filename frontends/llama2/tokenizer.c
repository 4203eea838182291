/* tokenizer.c -- tokenizer.bin: the bytes and the score of each token; tokens to text. */
#include <stdlib.h>
#include <string.h>
#include "frontends/llama2/tokenizer.h"
#include "base/arena.h"

/* The bytes before a token's own: its score and its length. */
enum { BEFORE_TOKEN = 8 };

static uint32_t word_at(const unsigned char *at)
{
	return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static float float_at(const unsigned char *at)
{
	const uint32_t bits = word_at(at);
	float x;

	memcpy(&x, &bits, sizeof x);
	return x;
}

/* All tokens, one after the other, and nothing behind them. */
static lt_status read_tokens(struct lt_context *ctx, const unsigned char *at, size_t n, struct lt_llama_tokenizer *t)
{
	const uint32_t longest = word_at(at);
	size_t used = 4;

	if (longest < 1 || longest > n)
		return lt_fail(ctx, LT_EINVAL, "%s: it is damaged, or no tokenizer: its longest token is said to have %d bytes, and "
			"the file has %zu", t->file, (int32_t)longest, n);
	for (int32_t i = 0; i < t->vocab; i++) {
		struct lt_llama_token *token = &t->token[i];

		if (n - used < BEFORE_TOKEN)
			return lt_fail(ctx, LT_EINVAL, "%s: it ends after %d tokens, and the model has %d: it is truncated, or the "
				"tokenizer of another vocabulary", t->file, i, t->vocab);
		const uint32_t length = word_at(at + used + 4);
		token->score = float_at(at + used);
		if (token->score != token->score)
			return lt_fail(ctx, LT_EINVAL, "%s: it is damaged, or no tokenizer: the score of token %d is not a number", t->file,
				i);
		used += BEFORE_TOKEN;
		if (length < 1 || length > longest || length > n - used)
			return lt_fail(ctx, LT_EINVAL, "%s: it is damaged, or no tokenizer: token %d has %u bytes, the longest is said to "
				"have %u, and %zu are left", t->file, i, length, longest, n - used);
		token->at = (const char *)at + used;
		token->n = (int32_t)length;
		t->longest = token->n > t->longest ? token->n : t->longest;
		used += length;
	}
	if (used != n)
		return lt_fail(ctx, LT_EINVAL, "%s: it goes on for %zu bytes after the %d tokens that the model has: it is the "
			"tokenizer of another vocabulary", t->file, n - used, t->vocab);
	return LT_OK;
}

bool lt__llama_is_tokenizer(const void *bytes, size_t n)
{
	const unsigned char *at = bytes;
	const uint32_t longest = n < 4 ? 0 : word_at(at);
	size_t used = 4, tokens = 0;

	if (longest < 1 || longest > n)
		return false;
	for (; n - used >= BEFORE_TOKEN; tokens++) {
		const uint32_t length = word_at(at + used + 4);
		used += BEFORE_TOKEN;
		if (length < 1 || length > longest || length > n - used)
			return false;
		used += length;
	}
	return used == n && tokens > LT_LLAMA_END;
}

static int compare_bytes(const char *a, size_t n_a, const char *b, size_t n_b)
{
	const int order = memcmp(a, b, n_a < n_b ? n_a : n_b);

	return order ? order : n_a < n_b ? -1 : n_a > n_b;
}

static int by_bytes(const void *a, const void *b)
{
	const struct lt_llama_sorted *x = a, *y = b;
	const int order = compare_bytes(x->at, (size_t)x->n, y->at, (size_t)y->n);

	return order ? order : x->token < y->token ? -1 : 1;
}

int32_t lt__llama_token_find(const struct lt_llama_tokenizer *t, const char *at, size_t n)
{
	int32_t low = 0, high = t->vocab;

	while (low < high) {
		const int32_t mid = low + (high - low) / 2;
		const struct lt_llama_sorted *s = &t->sorted[mid];

		if (compare_bytes(s->at, (size_t)s->n, at, n) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == t->vocab || compare_bytes(t->sorted[low].at, (size_t)t->sorted[low].n, at, n) != 0)
		return -1;
	return t->sorted[low].token;
}

lt_status lt__llama_tokenizer_read(struct lt_context *ctx, const void *bytes, size_t n, const char *file, int32_t vocab,
	struct lt_llama_tokenizer **out)
{
	struct lt_llama_tokenizer *t;

	lt_context_clear(ctx);
	*out = NULL;
	if (n < 4 || (n - 4) / (BEFORE_TOKEN + 1) < (size_t)vocab)
		return lt_fail(ctx, LT_EINVAL, "%s: %zu bytes cannot be the %d tokens that the model has: it is truncated, or the "
			"tokenizer of another vocabulary", file, n, vocab);
	t = calloc(1, sizeof *t);
	if (t)
		*t = (struct lt_llama_tokenizer){ .file = file, .vocab = vocab, .token = calloc((size_t)vocab, sizeof *t->token),
			.sorted = calloc((size_t)vocab, sizeof *t->sorted) };
	lt_status st = t && t->token && t->sorted ? read_tokens(ctx, bytes, n, t) : lt_fail(ctx, LT_ENOMEM, "out of memory");
	if (st) {
		lt__llama_tokenizer_free(t);
		return st;
	}
	for (int32_t i = 0; i < vocab; i++)
		t->sorted[i] = (struct lt_llama_sorted){ t->token[i].at, t->token[i].n, i };
	qsort(t->sorted, (size_t)vocab, sizeof *t->sorted, by_bytes);
	for (int i = 0; i < 256; i++) {
		t->bytes[i] = (char)i;
		t->byte[i] = (struct lt_llama_piece){ &t->bytes[i], 1 };
	}
	*out = t;
	return LT_OK;
}

void lt__llama_tokenizer_free(struct lt_llama_tokenizer *t)
{
	if (!t)
		return;
	free(t->token);
	free(t->sorted);
	free(t);
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The byte that "<0x0A>" stands for; -1: it stands for itself. */
static int byte_of(const struct lt_llama_piece *p)
{
	if (p->n != 6 || memcmp(p->at, "<0x", 3) != 0 || p->at[5] != '>' || hex_digit(p->at[3]) < 0 || hex_digit(p->at[4]) < 0)
		return -1;
	return 16 * hex_digit(p->at[3]) + hex_digit(p->at[4]);
}

struct lt_llama_piece lt__llama_decode(const struct lt_llama_tokenizer *t, int32_t before, int32_t token)
{
	struct lt_llama_piece p = { t->token[token].at, (size_t)t->token[token].n };

	if (before == LT_LLAMA_BEGIN && *p.at == ' ') {
		p.at++;
		p.n--;
	}
	return byte_of(&p) < 0 ? p : t->byte[byte_of(&p)];
}
