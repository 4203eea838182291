/* Checkpoints and tokenizers that are not what they should be: each is a sentence that says which file and why. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "frontends/llama2/llama2.h"
#include "lt/lt.h"
#include "tests/checkpoint.h"

static const struct checkpoint_sizes sizes = { 8, 12, 2, 4, 2, 9, 12 };

static void expect_refused(struct lt_context *ctx, const void *bytes, size_t n, const char *says)
{
	struct lt_llama m;
	/* a copy of its own, so that reading behind it is seen by a sanitizer */
	void *copy = malloc(n + !n);

	memcpy(copy, bytes, n);
	cr_assert(lt__llama_read(ctx, copy, n, "bad.bin", &m), "%zu bytes are a checkpoint, and not '%s'", n, says);
	cr_assert(strstr(lt_context_message(ctx), says), "'%s' does not say '%s'", lt_context_message(ctx), says);
	cr_assert(!strncmp(lt_context_message(ctx), "bad.bin: ", 9), "%s", lt_context_message(ctx));
	free(copy);
}

Test(llama_files, each_length_but_one_is_refused)
{
	struct lt_context *ctx;

	cr_assert(!lt_context_new(&ctx));
	for (int version = 0; version < 3; version++) {
		struct checkpoint *c = checkpoint_new(&sizes, version == 1, version, 4, 1);

		for (size_t n = 0; n < c->n; n++)
			expect_refused(ctx, c->file, n,
				!n ? "it is empty" : n < (version ? 256u : 28u) ? "too few for a header" : "it is truncated");
		c->file = realloc(c->file, c->n + 1);
		expect_refused(ctx, c->file, c->n + 1, "it is damaged");
		checkpoint_free(c);
	}
	lt_context_free(ctx);
}

/* One word of the header changed. */
Test(llama_files, sizes_that_cannot_be_are_refused)
{
	static const struct { int version; size_t at; int32_t value; const char *says; } cases[] = {
		{ 0, 0, 0, "dim is 0" },
		{ 0, 0, -8, "dim is -8" },
		{ 0, 0, 7, "dim 7 cannot be cut into 4 heads" },
		{ 0, 0, 12, "cut into 4 heads of an even size" },
		{ 0, 4, -1, "hidden_dim is -1" },
		{ 0, 8, 1 << 30, "n_layers is 1073741824" },
		{ 0, 8, 3, "it is truncated" },
		{ 0, 8, 1 << 24, "it is truncated" },
		{ 0, 12, 0, "n_heads is 0" },
		{ 0, 16, 3, "no multiple of n_kv_heads 3" },
		{ 0, 16, 0, "n_kv_heads is 0" },
		{ 0, 20, INT32_MIN, "vocab_size is -2147483648" },
		{ 0, 20, 2, "three tokens" },
		{ 0, 20, -9, "it is truncated" },               /* a classifier of its own, which is not there */
		{ 0, 24, 0, "seq_len is 0" },
		{ 0, 24, 13, "it is truncated" },
		{ 1, 4, 3, "version 3" },
		{ 1, 4, 0, "version 0" },
		{ 1, 4, -1, "version -1" },
		{ 1, 36, 0, "it is truncated" },
		{ 2, 37, 0, "groups of 0" },
		{ 2, 37, -4, "groups of -4" },
		{ 2, 37, 3, "groups of 3 numbers do not divide dim 8" },
		{ 2, 37, 2, "it is truncated" },
		{ 2, 37, 8, "it is damaged" },
	};
	struct lt_context *ctx;

	cr_assert(!lt_context_new(&ctx));
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct checkpoint *c = checkpoint_new(&sizes, true, cases[i].version, 4, 1);

		memcpy(c->file + cases[i].at, &cases[i].value, cases[i].at == 36 ? 1 : 4);
		expect_refused(ctx, c->file, c->n, cases[i].says);
		checkpoint_free(c);
	}
	lt_context_free(ctx);
}

/* Each size is one that a model may have, but not all at once. */
Test(llama_files, products_of_sizes_that_overflow_are_refused)
{
	const int32_t large[7] = { 1 << 24, 1 << 24, 1 << 24, 1 << 22, 1 << 22, 1 << 24, 1 << 24 };
	const int32_t magic = 0x616b3432, version = 1;
	unsigned char file[256] = { 0 };
	struct lt_context *ctx;

	cr_assert(!lt_context_new(&ctx));
	memcpy(file, large, sizeof large);
	expect_refused(ctx, file, sizeof file, "more than 63 bits");
	memcpy(file, &magic, 4);
	memcpy(file + 4, &version, 4);
	memcpy(file + 8, large, sizeof large);
	expect_refused(ctx, file, sizeof file, "more than 63 bits");
	lt_context_free(ctx);
}

/* ---- tokenizers ---- */

struct text { unsigned char at[4096]; size_t n; };

static void add_word(struct text *t, uint32_t x)
{
	memcpy(t->at + t->n, &x, 4);
	t->n += 4;
}

static void add_token(struct text *t, float score, const char *piece)
{
	memcpy(t->at + t->n, &score, 4);
	t->n += 4;
	add_word(t, (uint32_t)strlen(piece));
	memcpy(t->at + t->n, piece, strlen(piece));
	t->n += strlen(piece);
}

static const char *const pieces[] = { "<unk>", "\n<s>\n", "\n</s>\n", " ", "a", "b", "ab", " ab" };
enum { PIECES = sizeof pieces / sizeof *pieces };

static struct text make_tokenizer(void)
{
	struct text t = { .n = 0 };

	add_word(&t, 6);
	for (int i = 0; i < PIECES; i++)
		add_token(&t, (float)-i, pieces[i]);
	return t;
}

static lt_status try_tokenizer(struct lt_context *ctx, const void *at, size_t n, int32_t vocab)
{
	struct lt_llama_tokenizer *t;
	void *copy = malloc(n + !n);

	memcpy(copy, at, n);
	lt_status s = lt__llama_tokenizer_read(ctx, copy, n, "bad.bin", vocab, &t);
	lt__llama_tokenizer_free(t);
	free(copy);
	return s;
}

Test(llama_files, a_tokenizer_has_as_many_tokens_as_the_model)
{
	const struct text t = make_tokenizer();
	struct lt_context *ctx;

	cr_assert(!lt_context_new(&ctx));
	cr_assert(!try_tokenizer(ctx, t.at, t.n, PIECES), "%s", lt_context_message(ctx));
	for (size_t n = 0; n < t.n; n++) {
		cr_assert(try_tokenizer(ctx, t.at, n, PIECES), "%zu bytes", n);
		cr_assert(strstr(lt_context_message(ctx), "bad.bin: "), "%s", lt_context_message(ctx));
	}
	cr_assert(try_tokenizer(ctx, t.at, t.n, PIECES - 1));
	cr_assert(strstr(lt_context_message(ctx), "it goes on for 11 bytes after the 7 tokens"), "%s",
		lt_context_message(ctx));
	cr_assert(try_tokenizer(ctx, t.at, t.n, PIECES + 1));
	cr_assert(strstr(lt_context_message(ctx), "ends after 8 tokens, and the model has 9"), "%s", lt_context_message(ctx));
	cr_assert(try_tokenizer(ctx, t.at, t.n, 1 << 24));
	lt_context_free(ctx);
}

Test(llama_files, lengths_of_tokens_that_cannot_be_are_refused)
{
	static const uint32_t lengths[] = { 0, 7, 0x7fffffff, 0x80000000, 0xffffffff };
	struct lt_context *ctx;

	cr_assert(!lt_context_new(&ctx));
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		struct text t = make_tokenizer();

		memcpy(t.at + 8, &lengths[i], 4);
		cr_assert(try_tokenizer(ctx, t.at, t.n, PIECES));
		cr_assert(strstr(lt_context_message(ctx), "token 0 has"), "%s", lt_context_message(ctx));
	}
	lt_context_free(ctx);
}

/* llama2.c makes room for the longest token that it is told, and joins the pair with the best score. */
Test(llama_files, what_a_tokenizer_says_of_itself_is_checked)
{
	static const float scores[] = { NAN, -NAN };
	static const uint32_t longest[] = { 0, 4096, 0x7fffffff, 0x80000000, 0xffffffff };
	struct lt_context *ctx;

	cr_assert(!lt_context_new(&ctx));
	for (size_t i = 0; i < sizeof longest / sizeof *longest; i++) {
		struct text t = make_tokenizer();

		memcpy(t.at, &longest[i], 4);
		cr_expect_eq(try_tokenizer(ctx, t.at, t.n, PIECES), LT_EINVAL);
		cr_expect(strstr(lt_context_message(ctx), "its longest token is said to have"), "%s", lt_context_message(ctx));
	}
	cr_expect(strstr(lt_context_message(ctx), "is said to have -1 bytes, and the file has"), "%s",
		lt_context_message(ctx));
	for (size_t i = 0; i < sizeof scores / sizeof *scores; i++) {
		struct text t = make_tokenizer();

		memcpy(t.at + 4 + 8 + strlen(pieces[0]), &scores[i], 4);
		cr_expect_eq(try_tokenizer(ctx, t.at, t.n, PIECES), LT_EINVAL);
		cr_expect(strstr(lt_context_message(ctx), "the score of token 1 is not a number"), "%s", lt_context_message(ctx));
	}
	lt_context_free(ctx);
}
