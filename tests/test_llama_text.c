/* Texts as tokens and back, and tokens that are drawn. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "frontends/llama2/llama2.h"
#include "lt/lt.h"

static struct lt_context *ctx;
static void set_up(void) { cr_assert(!lt_context_new(&ctx)); }
static void tear_down(void) { lt_context_free(ctx); }
TestSuite(llama_text, .init = set_up, .fini = tear_down);

struct vocabulary { unsigned char *at; size_t n; int32_t count; char piece[600][16]; float score[600]; };

static void add_piece(struct vocabulary *v, float score, const char *piece)
{
	const uint32_t n = (uint32_t)strlen(piece);

	memcpy(v->at + v->n, &score, 4);
	memcpy(v->at + v->n + 4, &n, 4);
	memcpy(v->at + v->n + 8, piece, n);
	v->n += 8 + n;
	strcpy(v->piece[v->count], piece);
	v->score[v->count++] = score;
}

/* Special tokens, bytes, letters, then pairs and more of few letters with scores that do not follow their order. */
static struct vocabulary *make_vocabulary(void)
{
	struct vocabulary *v = calloc(1, sizeof *v);
	char piece[16];

	v->at = malloc(16384);
	memcpy(v->at, &(uint32_t){ 12 }, 4);
	v->n = 4;
	add_piece(v, 0, "<unk>");
	add_piece(v, 0, "\n<s>\n");
	add_piece(v, 0, "\n</s>\n");
	for (int i = 0; i < 256; i++) {
		sprintf(piece, "<0x%02X>", i);
		add_piece(v, 0, piece);
	}
	for (const char *c = " abcxyz"; *c; c++)
		add_piece(v, -1e9f, (char[]){ *c, 0 });
	add_piece(v, -1e9f, "\xc3\xa9");
	for (int i = 0; i < 27; i++) {
		sprintf(piece, "%c%c", " ab"[i % 3], "abc"[i / 3 % 3]);
		if (i < 9)
			add_piece(v, (float)(-(i * 7 % 9)), piece);
		sprintf(piece, "%c%c%c", " ab"[i % 3], "abc"[i / 3 % 3], "abc"[i / 9]);
		add_piece(v, (float)(-3 - i * 11 % 27), piece);
	}
	add_piece(v, -2e10f, "xy");             /* worse than any pair may be */
	add_piece(v, 5, "z\xc3\xa9");
	return v;
}

static struct lt_llama_tokenizer *read_back(const struct vocabulary *v)
{
	struct lt_llama_tokenizer *t;

	cr_assert(!lt__llama_tokenizer_read(ctx, v->at, v->n, "tokenizer.bin", v->count, &t), "%s", lt_context_message(ctx));
	return t;
}

static int find(const struct vocabulary *v, const char *piece)
{
	for (int i = 0; i < v->count; i++)
		if (!strcmp(v->piece[i], piece))
			return i;
	return -1;
}

/* By the definition: all pairs are looked at for each token that two become. */
static int encode_slowly(const struct vocabulary *v, const char *text, int32_t *out)
{
	int n = 0;

	out[n++] = 1;
	if (*text)
		out[n++] = find(v, " ");
	for (size_t i = 0; text[i];) {
		char character[8] = { text[i++] };

		for (int k = 1; k < 4 && ((unsigned char)text[i] & 0xC0) == 0x80; k++)
			character[k] = text[i++];
		if (find(v, character) >= 0)
			out[n++] = find(v, character);
		else
			for (int k = 0; character[k]; k++)
				out[n++] = 3 + (unsigned char)character[k];
	}
	for (;;) {
		float best = -1e10f;
		int at = -1, token = -1;

		for (int i = 0; i + 1 < n; i++) {
			char both[64];

			strcat(strcpy(both, v->piece[out[i]]), v->piece[out[i + 1]]);
			if (find(v, both) >= 0 && v->score[find(v, both)] > best) {
				token = find(v, both);
				best = v->score[token];
				at = i;
			}
		}
		if (at < 0)
			return n;
		out[at] = token;
		n--;
		for (int i = at + 1; i < n; i++)
			out[i] = out[i + 1];
	}
}

static void expect_tokens(const struct lt_llama_tokenizer *t, const char *text, const int32_t *want, int n_want)
{
	int32_t *got = malloc((strlen(text) + 3) * sizeof *got);
	size_t n;

	cr_assert(!lt__llama_encode(ctx, t, text, strlen(text), true, false, got, &n), "%s", lt_context_message(ctx));
	cr_assert_eq((int)n, n_want, "'%s' is %zu tokens, not %d", text, n, n_want);
	for (int i = 0; i < n_want; i++)
		cr_assert_eq(got[i], want[i], "'%s': token %d is %d, not %d", text, i, got[i], want[i]);
	free(got);
}

Test(llama_text, pairs_are_joined_as_by_the_definition)
{
	struct vocabulary *v = make_vocabulary();
	struct lt_llama_tokenizer *t = read_back(v);
	uint32_t seed = 1;

	for (int i = 0; i < 3000; i++) {
		char text[64];
		int32_t want[128];
		int n = i % 40;

		for (int k = 0; k < n; k++) {
			seed = seed * 1664525 + 1013904223;
			/* few letters that make pairs, then others, then any byte but 0 */
			const uint32_t kind = seed >> 28;
			text[k] = kind < 10 ? "abc "[seed >> 20 & 3] : kind < 14 ? "xyz\xc3\xa9\x80\xf0w"[seed >> 20 & 7] :
				(char)((seed >> 16 & 0xff) | 1);
		}
		text[n] = 0;
		expect_tokens(t, text, want, encode_slowly(v, text, want));
	}
	lt__llama_tokenizer_free(t);
	free(v->at);
	free(v);
}

Test(llama_text, tokens_are_text_again)
{
	struct vocabulary *v = make_vocabulary();
	struct lt_llama_tokenizer *t = read_back(v);

	for (int before = 0; before < 3; before++)
		for (int i = 0; i < v->count; i++) {
			const struct lt_llama_piece p = lt__llama_decode(t, before, i);
			char want[16];
			size_t n;

			strcpy(want, v->piece[i] + (before == 1 && v->piece[i][0] == ' '));
			n = strlen(want);
			if (i >= 3 && i < 259) {
				want[0] = (char)(i - 3);
				n = 1;
			}
			cr_assert_eq(p.n, n, "token %d after %d", i, before);
			cr_assert_arr_eq(p.at, want, n, "token %d after %d", i, before);
		}
	lt__llama_tokenizer_free(t);
	free(v->at);
	free(v);
}

Test(llama_text, the_end_is_a_token_when_asked_for)
{
	struct vocabulary *v = make_vocabulary();
	struct lt_llama_tokenizer *t = read_back(v);
	int32_t got[8];
	size_t n;

	cr_assert(!lt__llama_encode(ctx, t, "x", 1, false, true, got, &n));
	cr_assert(n == 3 && got[0] == find(v, " ") && got[1] == find(v, "x") && got[2] == 2);
	cr_assert(!lt__llama_encode(ctx, t, "", 0, true, true, got, &n));
	cr_assert(n == 2 && got[0] == 1 && got[1] == 2);
	lt__llama_tokenizer_free(t);
	free(v->at);
	free(v);
}

/* Without tokens for a blank, or for bytes, a text that needs them is refused. */
Test(llama_text, a_vocabulary_without_bytes)
{
	struct vocabulary *v = calloc(1, sizeof *v);
	struct lt_llama_tokenizer *t;
	int32_t got[8];
	size_t n;

	v->at = malloc(1024);
	memcpy(v->at, &(uint32_t){ 12 }, 4);
	v->n = 4;
	add_piece(v, 0, "<unk>");
	add_piece(v, 0, "<s>");
	add_piece(v, 0, "</s>");
	add_piece(v, 0, "a");
	t = read_back(v);
	cr_assert_eq(lt__llama_encode(ctx, t, "a", 1, true, false, got, &n), LT_EINVAL);
	cr_assert(strstr(lt_context_message(ctx), "no token for the blank"));
	lt__llama_tokenizer_free(t);
	add_piece(v, 0, " ");
	t = read_back(v);
	cr_assert(!lt__llama_encode(ctx, t, "a", 1, true, false, got, &n));
	cr_assert_eq(lt__llama_encode(ctx, t, "b", 1, true, false, got, &n), LT_EINVAL);
	cr_assert(strstr(lt_context_message(ctx), "no tokens for bytes"), "%s", lt_context_message(ctx));
	lt__llama_tokenizer_free(t);
	free(v->at);
	free(v);
}

/* llama2.c's own vectors, by its tokenizer. */
Test(llama_text, known_good_tokens)
{
	static const struct { const char *text; int32_t n, token[40]; } known[] = {
		{ "", 1, { 1 } },
		{ "I believe the meaning of life is", 8, { 1, 306, 4658, 278, 6593, 310, 2834, 338 } },
		{ "Simply put, the theory of relativity states that ", 13,
			{ 1, 3439, 17632, 1925, 29892, 278, 6368, 310, 14215, 537, 5922, 393, 29871 } },
		/* of ours, with letters, signs and a picture that take one to four bytes */
		{ "F\xc3\xbc\xc3\x9f" "e, na\xc3\xafve caf\xc3\xa9: \xe6\x9d\xb1\xe4\xba\xac \xf0\x9f\x99\x82\n  two  blanks\ttab",
			27, { 1, 383, 29993, 5831, 29892, 1055, 30085, 345, 274, 28059, 29901, 29871, 30591, 30675, 29871, 243, 162, 156,
				133, 13, 29871, 1023, 29871, 1999, 1331, 12, 3891 } },
	};
	static const char path[] = "../shared/data/llama/tokenizer.bin";
	FILE *f = fopen(path, "rb");
	unsigned char *bytes = malloc(1 << 20);
	struct lt_llama_tokenizer *t;
	size_t n;

	if (!f) {
		free(bytes);
		cr_skip_test("%s is not here", path);
	}
	n = fread(bytes, 1, 1 << 20, f);
	fclose(f);
	cr_assert(!lt__llama_tokenizer_read(ctx, bytes, n, path, 32000, &t), "%s", lt_context_message(ctx));
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		expect_tokens(t, known[i].text, known[i].token, known[i].n);
	lt__llama_tokenizer_free(t);
	free(bytes);
}

/* ---- drawing ---- */

static int32_t drawn(float temperature, float top, uint64_t seed, int which)
{
	static const float logits[] = { 1, 3, 3, -2, 0.5f, 2.5f, -INFINITY, 1.5f };
	struct lt_llama_sampler s;
	float x[8];
	int32_t token = 0;

	cr_assert(!lt__llama_sampler_new(ctx, 8, temperature, top, seed, &s));
	for (int i = 0; i <= which; i++) {
		memcpy(x, logits, sizeof x);
		token = lt__llama_sample(&s, x);
	}
	lt__llama_sampler_free(&s);
	return token;
}

/* The numbers that xorshift* gives from a seed, by its definition in whole numbers, and where they fall among the
 * probabilities, in double. */
static int32_t by_hand(double temperature, double top, uint64_t seed, int which)
{
	static const double logits[] = { 1, 3, 3, -2, 0.5, 2.5, -INFINITY, 1.5 };
	double p[8], sum = 0, coin, whole = 1;
	int order[8], n = 8;

	for (int i = 0; i <= which; i++) {
		seed ^= seed >> 12;
		seed ^= seed << 25;
		seed ^= seed >> 27;
	}
	coin = (double)((seed * UINT64_C(0x2545F4914F6CDD1D)) >> 40) / 16777216.0;
	for (int i = 0; i < 8; i++)
		sum += p[i] = exp((logits[i] - 3) / temperature);
	for (int i = 0; i < 8; i++) {
		p[i] /= sum;
		order[i] = i;
	}
	if (top > 0 && top < 1) {
		/* from the likeliest, of equals the first, until they are more than `top` */
		for (int i = 1; i < 8; i++)
			for (int k = i; k > 0 && p[order[k]] > p[order[k - 1]]; k--) {
				const int swap = order[k];

				order[k] = order[k - 1];
				order[k - 1] = swap;
			}
		for (n = 0, whole = 0; n < 8 && whole <= top; n++)
			whole += p[order[n]];
	}
	coin *= whole;
	for (int i = 0; i < n - 1; i++)
		if ((coin -= p[order[i]]) < 0)
			return order[i];
	return order[n - 1];
}

Test(llama_text, tokens_are_drawn_by_the_table)
{
	static const float tops[] = { 0, 0.3f, 0.5f, 0.9f, 1 };
	int seen[8] = { 0 };

	/* the first of the largest */
	cr_assert_eq(drawn(0, 0.9f, 1, 0), 1);
	for (int k = 0; k < 5; k++)
		for (uint64_t seed = 1; seed < 60; seed++)
			for (int which = 0; which < 4; which++) {
				const float temperature = seed % 2 ? 1 : 0.7f;
				const int32_t want = by_hand(temperature, tops[k], seed * 12345, which);

				cr_assert_eq(drawn(temperature, tops[k], seed * 12345, which), want, "top %g, seed %d, draw %d", (double)tops[k],
					(int)seed, which);
				seen[want]++;
			}
	cr_assert(seen[0] && seen[1] && seen[2] && seen[5] && seen[7] && !seen[6], "the draws do not tell");
	/* of tops so small that one token is more, that one */
	for (uint64_t seed = 1; seed < 60; seed++)
		cr_assert_eq(drawn(0.01f, 0.01f, seed, 1), by_hand(0.01, 0.01, seed, 1));
}

/* What is skipped is not drawn, and only if something would be. */
Test(llama_text, skipping_is_drawing)
{
	struct lt_llama_sampler a, b;
	float x[3] = { 1, 2, 3 }, y[3] = { 1, 2, 3 };

	cr_assert(!lt__llama_sampler_new(ctx, 3, 1, 0, 77, &a) && !lt__llama_sampler_new(ctx, 3, 1, 0, 77, &b));
	lt__llama_sample(&a, x);
	lt__llama_sample_skip(&b);
	cr_assert_eq(a.state, b.state);
	b.temperature = 0;
	lt__llama_sample_skip(&b);
	lt__llama_sample(&b, y);
	cr_assert_eq(a.state, b.state);
	lt__llama_sampler_free(&a);
	lt__llama_sampler_free(&b);
}

/* Logits that are no numbers give a token all the same. */
Test(llama_text, nan_is_no_way_out)
{
	for (int k = 0; k < 3; k++) {
		float x[4] = { NAN, NAN, NAN, NAN };
		struct lt_llama_sampler s;

		cr_assert(!lt__llama_sampler_new(ctx, 4, (float)(k > 0), k == 1 ? 0.9f : 1, 3, &s));
		const int32_t token = lt__llama_sample(&s, x);
		cr_assert(token >= 0 && token < 4);
		lt__llama_sampler_free(&s);
	}
}
