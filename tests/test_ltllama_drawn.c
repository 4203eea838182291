/* lt-llama draws as llama2.c does: a number for each position that llama2.c draws one for, from the same seed.  Each
 * run is repeated by formulas in double, with the sampler that test_llama_text.c tries. */
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "frontends/llama2/llama2.h"
#include "tests/built.h"
#include "tests/checkpoint.h"

/* Tokens are bytes, and the blank. */
enum { BLANK = 259, VOCAB = 260, DIM = 24, CONTEXT = 256 };

static const struct checkpoint_sizes sizes = { DIM, 40, 2, 6, 3, VOCAB, CONTEXT };
static struct lt_context *ctx;
static struct checkpoint *model;
static char out[1 << 16], err[1 << 16];

static void write_tokenizer(void)
{
	FILE *f = fopen(scratch("tokenizer.bin"), "wb");
	char piece[16];

	cr_assert_not_null(f);
	fwrite(&(uint32_t){ 7 }, 4, 1, f);
	for (int i = 0; i < VOCAB; i++) {
		sprintf(piece, i == 0 ? "<unk>" : i == 1 ? "\n<s>\n" : i == 2 ? "\n</s>\n" : i == BLANK ? " " : "<0x%02X>", i - 3);
		const uint32_t n = (uint32_t)strlen(piece);

		fwrite(&(float){ 0 }, 4, 1, f);
		fwrite(&n, 4, 1, f);
		fwrite(piece, 1, n, f);
	}
	fclose(f);
}

/* The end of an answer is likelier than other tokens.  A separate classifier ends the file. */
static void end_often(void)
{
	float *row = model->classifier + LT_LLAMA_END * DIM;

	for (int i = 0; i < DIM; i++)
		row[i] *= 4;
	memcpy(model->file + model->n - (VOCAB - LT_LLAMA_END) * sizeof (float[DIM]), row, sizeof (float[DIM]));
}

static void set_up(void)
{
	cr_assert(!lt_context_new(&ctx));
	setenv("XDG_CACHE_HOME", built("tests"), 1);     /* these tests run the same kernels */
	unsetenv("LT_BACKEND_PATH");
	model = checkpoint_new(&sizes, false, 0, 0, 5);
	end_often();
	checkpoint_write(model, scratch("m.bin"));
	write_tokenizer();
}
static void tear_down(void)
{
	checkpoint_free(model);
	lt_context_free(ctx);
	scratch_remove();
}
TestSuite(ltllama_drawn, .init = set_up, .fini = tear_down, .timeout = 240);

__attribute__((format(printf, 1, 2))) static int llama(const char *fmt, ...)
{
	va_list args;
	int code;

	va_start(args, fmt);
	code = run_in_scratch(out, sizeof out, err, sizeof err, built("lt-llama"), fmt, args);
	va_end(args);
	return code;
}

/* A run of llama2.c: each position's token is fed, and a token is drawn. */
struct drawn { struct lt_llama_sampler sampler; int position; };

static struct drawn drawn_begin(float temperature, float top, uint64_t seed)
{
	struct drawn d = { 0 };

	cr_assert(!lt__llama_sampler_new(ctx, VOCAB, temperature, top, seed, &d.sampler));
	return d;
}

static int32_t feed(struct drawn *d, int32_t token)
{
	double logits[VOCAB];
	float rounded[VOCAB];

	checkpoint_forward(model, token, d->position++, logits);
	for (int i = 0; i < VOCAB; i++)
		rounded[i] = (float)logits[i];
	return lt__llama_sample(&d->sampler, rounded);
}

static int32_t feed_text(struct drawn *d, const char *text)
{
	feed(d, LT_LLAMA_BEGIN);
	int32_t next = feed(d, BLANK);

	for (; *text; text++)
		next = feed(d, *text == ' ' ? BLANK : LT_LLAMA_BYTE + (unsigned char)*text);
	return next;
}

/* What a turn is fed is drawn for, too, and so is the end of an answer, which no answer needs. */
static char *answer_to(struct drawn *d, const char *text, char *to)
{
	int32_t next = feed_text(d, text);

	to += sprintf(to, "Assistant: ");
	for (int n = 0; next != LT_LLAMA_END; n++) {
		to += sprintf(to, "%s%d", n ? " " : "", next);
		next = feed(d, next);
	}
	feed(d, next);
	return to + sprintf(to, "\nUser: ");
}

Test(ltllama_drawn, turns_of_a_conversation)
{
	static char want[1 << 14];

	for (int seed = 1; seed <= 4; seed++) {
		struct drawn d = drawn_begin(1, seed % 2 ? 1 : 0.9f, (uint64_t)seed);
		char *at = want + sprintf(want, "User: ");

		at = answer_to(&d, "[INST] <<SYS>>\ns y\n<</SYS>>\n\nab [/INST]", at);
		at = answer_to(&d, "[INST] cd [/INST]", at);
		answer_to(&d, "[INST]  [/INST]", at);
		lt__llama_sampler_free(&d.sampler);
		cr_assert_eq(llama("m.bin -m chat --tokens -n 0 -b ref -t 1 -p %g -s %d -y 's y' <<'END'\nab\ncd\n\nEND",
			seed % 2 ? 1 : 0.9, seed), 0, "%s", err);
		cr_expect_str_eq(out, want, "seed %d: %s, not %s", seed, out, want);
	}
}

/* Seeds below 0 are numbers of 64 bits, as in llama2.c; 0 is the time. */
Test(ltllama_drawn, seeds)
{
	static const int64_t seeds[] = { 1, 2147483647, -1, -5, INT64_MIN };

	for (size_t k = 0; k < sizeof seeds / sizeof *seeds; k++) {
		struct drawn d = drawn_begin(1, 1, (uint64_t)seeds[k]);
		int32_t token = LT_LLAMA_BEGIN;
		char want[1024] = "";

		for (int i = 0; i < 12 && (token = feed(&d, token)) != LT_LLAMA_BEGIN; i++)
			sprintf(want + strlen(want), "%s%d", i ? " " : "", token);
		lt__llama_sampler_free(&d.sampler);
		cr_assert_eq(llama("m.bin --tokens -n 12 -b ref -t 1 -p 1 -s %lld", (long long)seeds[k]), 0, "%s", err);
		cr_expect_str_eq(out, strcat(want, "\n"), "seed %lld: %s, not %s", (long long)seeds[k], out, want);
	}
}
