/* lt-llama as a program: what it prints and writes, of small models whose formulas are written out in the tests. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "tests/built.h"
#include "tests/checkpoint.h"
#include "tools/tensor/tensor.h"

/* As many tokens as bytes and letters need, and a few that several letters become. */
static const char *const words[] = { " ", "a", "b", "c", "d", "e", "f", "[", "]", "I", "ab", " a", "cd", " cd",
	"\033[31m", "ef" };
enum { WORDS = sizeof words / sizeof *words, VOCAB = 259 + WORDS, CONTEXT = 64 };

static struct lt_context *ctx;
static struct checkpoint *model;
static char out[1 << 16], err[1 << 16];

static void add_token(FILE *f, float score, const char *piece)
{
	const uint32_t n = (uint32_t)strlen(piece);

	fwrite(&score, 4, 1, f);
	fwrite(&n, 4, 1, f);
	fwrite(piece, 1, n, f);
}

static void write_tokenizer(const char *path, int n_word)
{
	FILE *f = fopen(path, "wb");
	char piece[8];

	cr_assert_not_null(f);
	fwrite(&(uint32_t){ 7 }, 4, 1, f);
	add_token(f, 0, "<unk>");
	add_token(f, 0, "\n<s>\n");
	add_token(f, 0, "\n</s>\n");
	for (int i = 0; i < 256; i++) {
		sprintf(piece, "<0x%02X>", i);
		add_token(f, 0, piece);
	}
	for (int i = 0; i < n_word; i++)
		add_token(f, (float)-i, words[i]);
	fclose(f);
}

static void write_whole(const char *name, const void *at, size_t n)
{
	FILE *f = fopen(scratch(name), "wb");

	cr_assert_not_null(f);
	cr_assert_eq(fwrite(at, 1, n, f), n);
	fclose(f);
}

static void set_up(void)
{
	const struct checkpoint_sizes s = { 24, 40, 2, 6, 3, VOCAB, CONTEXT };

	cr_assert(!lt_context_new(&ctx));
	setenv("XDG_CACHE_HOME", built("tests"), 1);    /* most of these tests run the same kernels */
	unsetenv("LT_BACKEND_PATH");
	unsetenv("CC");
	model = checkpoint_new(&s, false, 0, 0, 5);
	checkpoint_write(model, scratch("m.bin"));
	write_tokenizer(scratch("tokenizer.bin"), WORDS);
}
static void tear_down(void)
{
	checkpoint_free(model);
	lt_context_free(ctx);
	scratch_remove();
}
TestSuite(ltllama, .init = set_up, .fini = tear_down, .timeout = 240);
TestSuite(more_ltllama, .init = set_up, .fini = tear_down, .timeout = 240);

__attribute__((format(printf, 1, 2))) static int llama(const char *fmt, ...)
{
	va_list args;
	int code;

	va_start(args, fmt);
	code = run_in_scratch(out, sizeof out, err, sizeof err, built("lt-llama"), fmt, args);
	va_end(args);
	return code;
}

static void expect_error(int code, int want, const char *says)
{
	cr_assert_eq(code, want, "exit code %d, not %d: %s", code, want, err);
	cr_assert(strstr(err, says), "'%s' does not say '%s'", err, says);
	cr_assert_str_empty(out, "%s", out);
}

/* The numbers in what was printed. */
static int read_tokens(int32_t *token)
{
	int n = 0, used;

	for (const char *at = out; sscanf(at, "%d%n", &token[n], &used) == 1; at += used)
		n++;
	return n;
}

/* Whether `next` is the likeliest, or so near to it that rounding may decide. */
static void expect_likeliest(const double *logits, int32_t next, int at)
{
	double top = -INFINITY, largest = 0;

	for (int i = 0; i < VOCAB; i++) {
		top = fmax(top, logits[i]);
		largest = fmax(largest, fabs(logits[i]));
	}
	cr_assert(next >= 0 && next < VOCAB && logits[next] >= top - 1e-4 * largest, "token %d is %d", at, next);
}

/* --tokens without a prompt needs no tokenizer; each token is the likeliest by the formulas. */
Test(ltllama, tokens_are_those_of_the_formulas)
{
	static const char *const backends[] = { "ref", "cpu" };
	int32_t token[256];
	double logits[VOCAB];

	remove(scratch("tokenizer.bin"));
	for (int k = 0; k < 2; k++) {
		cr_assert_eq(llama("m.bin --tokens -t 0 -n 20 -b %s", backends[k]), 0, "%s", err);
		cr_assert(strstr(err, "achieved tok/s: "), "%s", err);
		const int n = read_tokens(token);
		cr_assert(n > 3 && n <= 20, "%s", out);
		for (int i = 0, before = 1; i < n; before = token[i++]) {
			checkpoint_forward(model, before, i, logits);
			expect_likeliest(logits, token[i], i);
		}
	}
	expect_error(llama("m.bin -t 0"), 2, "the tokenizer cannot be opened");
	expect_error(llama("m.bin -t 0 --tokens -i a"), 2, "the tokenizer cannot be opened");
}

/* Logits of a prompt of few tokens, step by step, and of many, in one pass: as the formulas have them. */
Test(ltllama, logits_behind_a_prompt)
{
	static const struct { const char *prompt; int32_t n, token[24]; } prompts[] = {
		{ "ab", 2, { 1, 270 } },        /* a blank and a, then b */
		{ "fedcba fedcba fedcba fedcba", 24, { 1 } },
	};

	for (int k = 0; k < 2; k++) {
		int32_t token[256];
		double logits[VOCAB];
		struct lt_tensors file;

		cr_assert_eq(llama("m.bin --tokens -t 0 -n 40 -b cpu -i '%s' -o l.npy -q", prompts[k].prompt), 0, "%s", err);
		cr_assert_str_empty(err);
		const int n = read_tokens(token);
		cr_assert_eq(lt__tensors_read(ctx, scratch("l.npy"), &file), LT_OK, "%s", lt_context_message(ctx));
		const struct lt_tensor *t = &file.at[0];
		cr_assert(t->rank == 2 && t->shape[1] == VOCAB && t->shape[0] > 1 && t->shape[0] < n + 1);
		const int first = n - (int)t->shape[0];         /* tokens of the prompt, without its first */
		cr_assert(k == 0 ? first < 3 : first > 16, "%d tokens", first);
		for (int i = 0, before = 1; i < n; before = token[i++]) {
			double largest = 0;

			checkpoint_forward(model, before, i, logits);
			if (i < first)
				continue;
			expect_likeliest(logits, token[i], i);
			for (int j = 0; j < VOCAB; j++)
				largest = fmax(largest, fabs(logits[j]));
			for (int j = 0; j < VOCAB; j++)
				cr_assert(fabs(((const float *)t->data)[(i - first) * VOCAB + j] - logits[j]) < 1e-4 * largest, "token %d", i);
		}
		lt__tensors_free(&file);
	}
}

/* Text is what the tokens stand for: control characters do not reach a terminal. */
Test(ltllama, text_is_what_tokens_stand_for)
{
	char text[1 << 12] = "";
	int32_t token[256];
	size_t used = 0;

	cr_assert_eq(llama("m.bin -t 1 -p 1 -s 3 -n 60 -i 'ab cd' --tokens -b cpu"), 0, "%s", err);
	const int n = read_tokens(token);
	for (int i = 0, before = 1; i < n; before = token[i++]) {
		const char *piece = token[i] >= 259 ? words[token[i] - 259] : token[i] == 0 ? "<unk>" : token[i] == 2 ? "\n</s>\n" :
			"";

		if (token[i] >= 3 && token[i] < 259) {
			const int c = token[i] - 3;

			if ((c >= 32 && c < 127) || (c >= 9 && c <= 13))
				text[used++] = (char)c;
			continue;
		}
		if (*piece == '\033')
			piece = "\\x1b[31m";
		used += (size_t)sprintf(text + used, "%s", piece + (before == 1 && *piece == ' '));
	}
	text[used++] = '\n';
	text[used] = 0;
	cr_assert_eq(llama("m.bin -t 1 -p 1 -s 3 -n 60 -i 'ab cd' -b cpu"), 0, "%s", err);
	cr_assert_str_eq(out, text);
	cr_assert(!strncmp(out, "ab cd", 5), "%s", out);
}

/* llama2.c's positions of a command line, and what it makes of values out of range. */
Test(more_ltllama, spellings_are_the_same)
{
	static const char *const same[] = { "m.bin 0 12 'ab cd' -b ref", "-t -3 -n 12 -i 'ab cd' m.bin -b ref",
		"m.bin --temperature=0 --steps=12 --prompt='ab cd' --backend=ref", "-b ref -z tokenizer.bin m.bin 0 12 'ab cd'" };
	char first[sizeof out];

	for (int i = 0; i < 4; i++) {
		cr_assert_eq(llama("%s", same[i]), 0, "%s", err);
		if (i == 0)
			strcpy(first, out);
		cr_assert_str_eq(out, first);
	}
	cr_assert_eq(llama("m.bin -p 7 -s 9 -n 30 -b ref"), 0, "%s", err);
	strcpy(first, out);
	cr_assert_eq(llama("m.bin -p 0.9 -s 9 -n 30 -b ref"), 0, "%s", err);
	cr_assert_str_eq(out, first);
	cr_assert_eq(llama("m.bin -p 0.9 -s 10 -n 30 -b ref"), 0, "%s", err);
	cr_assert_str_neq(out, first);
	/* no more steps than the context has positions */
	int32_t token[256];
	for (int i = 0; i < 2; i++) {
		cr_assert_eq(llama("m.bin --tokens -s 4 -t 2 -p 0 -b ref -n %d", i ? 0 : 1000), 0, "%s", err);
		const int n = read_tokens(token);
		cr_assert(n <= CONTEXT && (!i || !strcmp(out, first)), "%d tokens", n);
		strcpy(first, out);
	}
}

/* A prompt that is longer than the steps comes out as far as they go. */
Test(ltllama, steps_end_within_a_prompt)
{
	for (int steps = 1; steps < 23; steps += 7) {
		int32_t token[256];

		cr_assert_eq(llama("m.bin --tokens -t 0 -b cpu -n %d -i 'fedcba fedcba fedcba fedcba'", steps), 0, "%s", err);
		cr_assert_eq(read_tokens(token), steps, "%s", out);
		cr_assert(strstr(err, "tokens of the prompt"), "%s", err);
	}
}

Test(ltllama, json_has_all_of_it)
{
	json_error_t e;

	cr_assert_eq(llama("m.bin --json -t 0 -n 30 -i 'fedcba fedcba fedcba' -b cpu --explain --verify"), 0, "%s", err);
	json_t *o = json_loads(out, 0, &e);
	cr_assert_not_null(o, "%s: %s", e.text, out);
	cr_assert(json_array_size(json_object_get(o, "tokens")) > 17);
	cr_assert(!strncmp(json_string_value(json_object_get(o, "text")), "fedcba fedcba fedcba", 20));
	cr_assert(json_integer_value(json_object_get(json_object_get(o, "prompt"), "tokens")) > 16);
	cr_assert(json_integer_value(json_object_get(json_object_get(o, "step"), "launches"))
		> json_integer_value(json_object_get(json_object_get(o, "step"), "kernels")));
	cr_assert(json_is_object(json_object_get(o, "prefill")) && json_is_array(json_object_get(o, "explain")));
	cr_assert(json_is_true(json_object_get(json_object_get(o, "verify"), "passed")));
	json_decref(o);
	cr_assert_eq(llama("m.bin --json --tokens -n 3 -b ref"), 0, "%s", err);
	o = json_loads(out, 0, &e);
	cr_assert(o && json_is_null(json_object_get(o, "text")) && json_is_null(json_object_get(o, "prefill")));
	json_decref(o);
}

/* A step's program is made after a long prompt: what the compiler takes is no part of any token's time. */
Test(more_ltllama, no_token_waits_for_the_compiler)
{
	json_error_t e;

	write_whole("slow", "#!/bin/sh\nsleep .5\nexec cc \"$@\"\n", 32);
	cr_assert(!chmod(scratch("slow"), 0755) && !setenv("CC", scratch("slow"), 1));
	cr_assert_eq(llama("m.bin --json -t 0 -n 30 -i 'fedcba fedcba fedcba' -b cpu --no-cache"), 0, "%s", err);
	json_t *o = json_loads(out, 0, &e);
	cr_expect_lt(json_number_value(json_object_get(json_object_get(o, "generated"), "ms")), 500, "%s", out);
	json_decref(o);
}

/* A prompt longer than the tokens of a run; the program that reads it packs no weights, and is gone when it is read. */
Test(ltllama, prompts_of_several_runs)
{
	static const struct checkpoint_sizes long_sizes = { 24, 40, 2, 6, 3, VOCAB, 200 };
	struct checkpoint *c = checkpoint_new(&long_sizes, false, 0, 0, 5);
	char prompt[151] = "";
	int32_t token[256];
	double logits[VOCAB];

	for (int i = 0; i < 150; i++)
		prompt[i] = (char)('a' + i * i % 6);
	checkpoint_write(c, scratch("long.bin"));
	cr_assert_eq(llama("long.bin --tokens -t 0 -n 180 -b cpu -i %s", prompt), 0, "%s", err);
	const int n = read_tokens(token);
	cr_assert_eq(n, 180, "%s", out);
	for (int i = 0, before = 1; i < n; before = token[i++]) {
		checkpoint_forward(c, before, i, logits);
		if (i > 150)                    /* behind a blank and the letters */
			expect_likeliest(logits, token[i], i);
	}
	checkpoint_free(c);
	cr_assert_eq(llama("long.bin --tokens -t 0 -n 180 -b cpu --explain -i %s", prompt), 0, "%s", err);
	const char *prefill = strstr(out, "prefill: ");
	cr_assert(prefill && strstr(prefill, "prepared constants 0.0 MB"), "%s", out);
}

/* Steps and prompts, one after the other, each begins with the cache that the other left. */
Test(ltllama, verify_judges_each_run)
{
	cr_assert_eq(llama("m.bin --verify -t 0 -n 26 -i 'fedcba fedcba fedcba' -b cpu"), 0, "%s", err);
	const char *first = strstr(out, "verify: passed: ");
	cr_assert(first && strstr(first + 1, "verify: passed: "), "%s", out);
	cr_assert(strstr(err, "prompt tok/s: ") && strstr(err, "achieved tok/s: "), "%s", err);
	cr_assert_eq(llama("m.bin --explain --time -t 0 -n 4 -b ref"), 0, "%s", err);
	cr_assert(strstr(out, "bytes a token: ") && strstr(out, "step: ") && strstr(out, "-> ref"), "%s", out);
}

Test(ltllama, a_schedule_is_that_of_a_step)
{
	char command[512];

	sprintf(command, "cd %s && %s --dump=tree -b cpu m.bin -o step.tree", scratch(""), built("lt-run"));
	cr_assert_eq(run_command(command, out, sizeof out, err, sizeof err), 0, "%s", err);
	cr_assert_eq(llama("m.bin --schedule step.tree -t 0 -n 3 -b cpu --tokens"), 0, "%s", err);
	write_whole("bad.tree", "schedule 1\nsplit no 4\n", 22);
	cr_assert_eq(llama("m.bin --schedule bad.tree -t 0 -n 3 -b cpu --tokens"), 1, "%s", err);
	cr_assert(strstr(err, "bad.tree:2"), "%s", err);
}

/* Both scripts, each with its weights beside it, are the model: three positions, whose states lt-run keeps. */
Test(ltllama, scripts_are_the_model)
{
	enum { STEPS = 3, HEAD = 4, KV = 12, DIM = 24 };
	static const int32_t tokens[STEPS] = { 1, 260, 7 };
	char command[1024], name[64];
	struct lt_tensor t[16];
	int64_t one[] = { 1 }, context[] = { CONTEXT }, dim[] = { DIM }, freq_shape[] = { HEAD / 2, 2 };

	cr_assert_eq(llama("m.bin --emit-script scripts"), 0, "%s", err);
	cr_assert_eq(llama("m.bin --emit-script m.bin"), 2, "%s", err);
	for (int p = 0; p < STEPS; p++) {
		float indicator[CONTEXT] = { 0 }, freq[HEAD];
		int64_t word[] = { tokens[p] }, at[] = { p }, end[] = { p + 1 }, bound[4];
		int n = 0;

		for (int i = 0; i <= p; i++)
			indicator[i] = 1;
		for (int i = 0; i < HEAD; i += 2) {
			freq[i] = (float)cos(p * pow(10000, -(double)i / HEAD));
			freq[i + 1] = (float)sin(p * pow(10000, -(double)i / HEAD));
		}
		t[n++] = (struct lt_tensor){ "tokens", LT_I64, 1, one, 8, word, false, false };
		t[n++] = (struct lt_tensor){ "position", LT_I64, 1, one, 8, at, false, false };
		sprintf(name, "step%d.npz", p);
		cr_assert(!lt__tensors_write(ctx, scratch(name), &(struct lt_tensors){ .at = t, .n = n }));
		n = 0;
		t[n++] = (struct lt_tensor){ "x", LT_F32, 1, dim, sizeof (float[DIM]), model->embedding + tokens[p] * DIM, false,
			false };
		t[n++] = (struct lt_tensor){ "pos_indicator", LT_F32, 1, context, sizeof indicator, indicator, false, false };
		t[n++] = (struct lt_tensor){ "pos_plus_one", LT_I64, 1, one, 8, end, false, false };
		t[n++] = (struct lt_tensor){ "freq_cis", LT_F32, 2, freq_shape, sizeof freq, freq, false, false };
		for (int i = 0; i < 4; i++) {
			static char names[4][16] = { "cache_start_0", "cache_end_0", "cache_start_1", "cache_end_1" };

			bound[i] = (i / 2 * CONTEXT + p + i % 2) * KV;
			t[n++] = (struct lt_tensor){ names[i], LT_I64, 1, one, 8, &bound[i], false, false };
		}
		sprintf(name, "original%d.npz", p);
		cr_assert(!lt__tensors_write(ctx, scratch(name), &(struct lt_tensors){ .at = t, .n = n }));
	}
	for (int k = 0; k < 2; k++) {
		const char *script = k ? "original" : "step";

		sprintf(command, "cd %s && %s scripts/%s.lt -b cpu --inputs %s0.npz --inputs %s1.npz --inputs %s2.npz -o %s%%d.npy",
			scratch(""), built("lt-run"), script, script, script, script, script);
		cr_assert_eq(run_command(command, out, sizeof out, err, sizeof err), 0, "%s", err);
		for (int p = 0; p < STEPS; p++) {
			struct lt_tensors file;
			double logits[VOCAB], largest = 0;

			sprintf(name, "%s%d.npy", script, p);
			cr_assert(!lt__tensors_read(ctx, scratch(name), &file), "%s", lt_context_message(ctx));
			cr_assert(file.at[0].rank == 1 && file.at[0].shape[0] == VOCAB);
			checkpoint_forward(model, tokens[p], p, logits);
			for (int i = 0; i < VOCAB; i++)
				largest = fmax(largest, fabs(logits[i]));
			for (int i = 0; i < VOCAB; i++)
				cr_assert(fabs(((const float *)file.at[0].data)[i] - logits[i]) < 1e-4 * largest, "%s, position %d, logit %d",
					script, p, i);
			lt__tensors_free(&file);
		}
	}
}

/* A checkpoint that is written in a type runs as one that is converted to it when it is read; lt-run reads it, too. */
Test(ltllama, converted_checkpoints_are_read_back)
{
	static const char *const types[] = { "f32", "bf16", "f16", "int8" };
	char tokens[1024], command[512];

	for (int i = 0; i < 4; i++) {
		cr_assert_eq(llama("m.bin --dtype %s --tokens -t 0 -n 8 -b cpu -q", types[i]), 0, "%s", err);
		strcpy(tokens, out);
		remove(scratch("tokenizer.bin"));
		cr_assert_eq(llama("m.bin --dtype %s --convert %s.bin", types[i], types[i]), 0, "%s", err);
		cr_assert(strstr(out, ".bin is written"), "%s", out);
		cr_assert_eq(llama("%s.bin --tokens -t 0 -n 8 -b cpu -q", types[i]), 0, "%s", err);
		cr_assert_str_eq(out, tokens, "%s", types[i]);
		sprintf(command, "cd %s && %s %s.bin -b cpu -i tokens=1 -i position=zeros", scratch(""), built("lt-run"), types[i]);
		cr_assert_eq(run_command(command, out, sizeof out, err, sizeof err), 0, "%s", err);
	}
	cr_assert_eq(llama("int8.bin --dtype f32 --convert f32.bin -q"), 0, "%s", err);
	cr_assert_eq(llama("f32.bin --tokens -t 0 -n 8 -b cpu -q"), 0, "%s", err);
	expect_error(llama("m.bin --convert none/a.bin"), 1, "none/a.bin: cannot be written");
}

/* A turn is what the template makes of it; the end of input ends it. */
Test(ltllama, chat_asks_and_answers)
{
	cr_assert_eq(llama("m.bin -m chat -t 0 -n 40 -b cpu -y '' <<'END'\nab\nEND"), 0, "%s", err);
	cr_assert(!strncmp(out, "User: Assistant: ", 17), "%s", out);
	cr_assert_eq(llama("m.bin -m chat -t 0 -n 60 -b cpu -y b -i a <<'END'\ncd\nEND"), 0, "%s", err);
	cr_assert(!strncmp(out, "Assistant: ", 11), "%s", out);
	cr_assert_eq(llama("m.bin -m chat -b cpu </dev/null"), 0, "%s", err);
	cr_assert_str_eq(out, "Enter system prompt (optional): User: ");
	cr_assert_eq(llama("m.bin -m chat -t 0 -n 20 -b ref -y '' -i 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'"), 2);
	cr_assert(strstr(err, "-n (--steps) allows no more: 20 positions are left of 20"), "%s", err);
}

/* The numbers are printed all the same. */
Test(more_ltllama, an_interrupt_ends_with_the_speed)
{
	/* Of more positions than are made in that time. */
	static const struct checkpoint_sizes long_sizes = { 24, 40, 2, 6, 3, VOCAB, 50000 };
	static const char *const options[] = { "", "--verify" };
	struct checkpoint *c = checkpoint_new(&long_sizes, false, 0, 0, 5);
	char command[1024];

	checkpoint_write(c, scratch("long.bin"));
	checkpoint_free(c);
	for (int i = 0; i < 2; i++) {
		/* As soon as it answers.  A shell starts what runs beside it with SIGINT ignored. */
		sprintf(command, "cd %s && yes ab | head -n 100000 >said && { env --default-signal=INT %s long.bin -m chat -n 0 -b "
			"ref -y '' %s <said >log & pid=$!; for i in $(seq 1000); do [ $(wc -c <log) -gt 40 ] && break; sleep 0.1; done; "
			"kill -INT $pid; wait $pid; }", scratch(""), built("lt-llama"), options[i]);
		run_command(command, out, sizeof out, err, sizeof err);
		cr_assert(strstr(err, " tok/s: "), "%s", err);
		cr_expect_eq(!strstr(err, "only what ran until then is verified"), !i, "%s", err);
	}
	/* Within a prompt, too. */
	sprintf(command, "cd %s && timeout --foreground -s INT 3 %s long.bin -n 0 -b ref -q --json "
		"-i $(yes ab | tr -d '\\n' | head -c 20000)", scratch(""), built("lt-llama"));
	cr_assert_eq(run_command(command, out, sizeof out, err, sizeof err), 124, "%s", err);
	json_t *o = json_loads(out, 0, NULL);
	const int64_t read = json_integer_value(json_object_get(json_object_get(o, "prompt"), "tokens"));
	cr_expect(read > 0 && read < 9000 && read % 64 == 0, "%lld tokens were read", (long long)read);
	json_decref(o);
}

Test(ltllama, what_is_wrong_is_said_before_any_work)
{
	write_whole("cut.bin", model->file, model->n - 5);
	expect_error(llama("cut.bin"), 2, "it is truncated");
	write_whole("short.bin", model->file, 20);
	expect_error(llama("short.bin"), 2, "too few for a header");
	write_whole("empty.bin", "", 0);
	expect_error(llama("empty.bin"), 2, "empty.bin: the checkpoint is empty");
	expect_error(llama("none.bin"), 2, "none.bin: the checkpoint cannot be opened: No such file");
	expect_error(llama("."), 2, ".: the checkpoint is a folder, not a file");
	write_tokenizer(scratch("other.bin"), WORDS - 1);
	expect_error(llama("m.bin -z other.bin"), 2, "tokenizer of another vocabulary");
	cr_expect_null(strstr(err, "no other is named"), "%s", err);
	cr_assert(!rename(scratch("tokenizer.bin"), scratch("right.bin")));
	write_tokenizer(scratch("tokenizer.bin"), WORDS - 1);
	expect_error(llama("m.bin"), 2, "tokenizer of another vocabulary; it was taken because no other is named: -z FILE "
		"names the model's own, and --tokens needs none");
	expect_error(llama("m.bin -i a --tokens"), 2, "-z FILE names the model's own\n");
	cr_assert(!rename(scratch("right.bin"), scratch("tokenizer.bin")));
	expect_error(llama("m.bin -z m.bin"), 2, "m.bin: ");
	expect_error(llama("m.bin --tokens -t 0 -n 9 >/dev/full"), 1, "lt-llama: standard output cannot be written: No space "
		"left on device\n");
	expect_error(llama("m.bin -t x"), 2, "-t (--temperature) takes a number, not 'x'");
	expect_error(llama("m.bin -n 1.5"), 2, "takes a whole number");
	expect_error(llama("m.bin -m talk"), 2, "--mode has no 'talk'");
	expect_error(llama("m.bin -o l.txt"), 2, "ends in .npy");
	expect_error(llama("m.bin 0 1 two words"), 2, "a prompt of several words is one between quotes");
	expect_error(llama("m.bin 0 -t 1"), 2, "'0' is the temperature");
	expect_error(llama("-t 0"), 2, "a checkpoint is missing");
	expect_error(llama("m.bin -b nobody -t 0"), 2, "nobody");
	/* In files of version 1 nothing else is of the context's size. */
	static const struct checkpoint_sizes wide = { 256, 8, 32, 2, 2, VOCAB, 8 };
	struct checkpoint *endless = checkpoint_new(&wide, true, 1, 0, 5);
	memcpy(endless->file + 8 + 6 * sizeof (int32_t), &(int32_t){ 1 << 24 }, sizeof (int32_t));
	checkpoint_write(endless, scratch("endless.bin"));
	checkpoint_free(endless);
	expect_error(llama("endless.bin --tokens -n 2"), 2,
		"endless.bin: its context (seq_len) of 16777216 positions asks for 11");
	/* One row of w1 has 8 numbers, one of w2 a single one. */
	static const struct checkpoint_sizes thin = { 8, 1, 1, 2, 2, VOCAB, CONTEXT };
	struct checkpoint *odd = checkpoint_new(&thin, true, 2, 4, 5);
	checkpoint_write(odd, scratch("odd.bin"));
	checkpoint_free(odd);
	expect_error(llama("odd.bin --tokens -n 2"), 2, "is no multiple of its groups of 4");
	char command[1000];
	sprintf(command, "cd %s && %s -q odd.bin -i tokens=1 -i position=zeros", scratch(""), built("lt-run"));
	cr_expect_eq(run_command(command, out, sizeof out, err, sizeof err), 2);
	cr_expect(strstr(err, "is no multiple of its groups of 4"), "%s", err);
	cr_assert_eq(llama("odd.bin --tokens -n 2 -b cpu --dtype f32"), 0, "%s", err);
}
