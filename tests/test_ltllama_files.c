/* test_ltllama_files.c -- what lt-llama writes, and what it leaves alone. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/built.h"
#include "tests/checkpoint.h"
#include "tools/tensor/tensor.h"

static const struct checkpoint_sizes sizes = { 24, 40, 2, 6, 3, 275, 64 };
static struct checkpoint *model;
static char out[1 << 16], err[1 << 16];

static void set_up(void)
{
	setenv("XDG_CACHE_HOME", scratch(""), 1);
	unsetenv("LT_BACKEND_PATH");
	unsetenv("CC");
	model = checkpoint_new(&sizes, false, 0, 0, 5);
	checkpoint_write(model, scratch("m.bin"));
}
static void tear_down(void)
{
	checkpoint_free(model);
	scratch_remove();
}
TestSuite(ltllama_files, .init = set_up, .fini = tear_down, .timeout = 240);

__attribute__((format(printf, 1, 2))) static int llama(const char *fmt, ...)
{
	va_list args;
	int code;

	va_start(args, fmt);
	code = run_in_scratch(out, sizeof out, err, sizeof err, built("lt-llama"), fmt, args);
	va_end(args);
	return code;
}

static void link_to(const char *name, bool hard)
{
	char from[1024];

	strcpy(from, scratch("m.bin"));
	cr_assert_eq((hard ? link : symlink)(from, scratch(name)), 0);
}

static void link_to_other(const char *name)
{
	char from[1024];

	strcpy(from, scratch("other.bin"));
	cr_assert_eq(symlink(from, scratch(name)), 0);
}

static void expect_unchanged(void)
{
	unsigned char *now = malloc(model->n + 1);
	FILE *f = fopen(scratch("m.bin"), "rb");

	cr_assert(now && f);
	cr_assert_eq(fread(now, 1, model->n + 1, f), model->n);
	cr_assert_arr_eq(now, model->file, model->n);
	fclose(f);
	free(now);
}

/* Tokens of one byte, without scores. */
static void write_tokenizer(const char *name)
{
	const uint32_t one = 1;
	const float score = 0;
	FILE *f = fopen(scratch(name), "wb");

	cr_assert_not_null(f);
	fwrite(&one, sizeof one, 1, f);
	for (int i = 0; i < sizes.vocab; i++) {
		fwrite(&score, sizeof score, 1, f);
		fwrite(&one, sizeof one, 1, f);
		fputc(i == 3 ? ' ' : 'a', f);
	}
	fclose(f);
}

/* The weights are mapped: a file that is written through a link would be cut off under them. */
Test(ltllama_files, inputs_stay)
{
	static const char *const lines[] = { "m.bin --convert latest.bin", "latest.bin --convert latest.bin",
		"m.bin --dtype int8 --convert ./m.bin", "m.bin --dtype bf16 --convert hard.bin", "m.bin --tokens -n 2 -o m.npy",
		"m.bin --emit-script scripts", "m.bin --emit-script others" };

	link_to("latest.bin", false);
	link_to("hard.bin", true);
	link_to("m.npy", false);
	cr_assert_eq(mkdir(scratch("scripts"), 0777), 0);
	cr_assert_eq(mkdir(scratch("others"), 0777), 0);
	link_to("scripts/step.safetensors", false);
	link_to("others/original.lt", false);
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		cr_expect_eq(llama("%s", lines[i]), 2, "%s: %s", lines[i], err);
		cr_expect(strstr(err, "would be written over the input ") && strstr(err, ".bin, which is the same file"),
			"%s: %s", lines[i], err);
		expect_unchanged();
	}
	cr_expect_neq(access(scratch("scripts/step.lt"), F_OK), 0);
	/* What else is read stays, too. */
	cr_assert_eq(llama("m.bin --convert other.bin -q"), 0, "%s", err);
	link_to_other("t.npy");
	cr_expect_eq(llama("m.bin --tokens --schedule other.bin -o ./t.npy"), 2, "%s", err);
	cr_expect(strstr(err, "t.npy would be written over the input other.bin"), "%s", err);
	cr_expect_eq(llama("m.bin --dtype int8 --convert other.bin -q"), 0, "%s", err);
	write_tokenizer("other.bin");
	cr_expect_eq(llama("m.bin -z other.bin -i a -n 2 -o t.npy"), 2, "%s", err);
	cr_expect(strstr(err, "t.npy would be written over the input other.bin"), "%s", err);
}

/* A prompt that -n cuts has no token after it. */
Test(ltllama_files, no_rows_are_written_where_no_token_is_made)
{
	static const char *const names[] = { "l.npy", "l.npz", "l.safetensors" };
	struct lt_context *ctx;

	cr_assert(!lt_context_new(&ctx));
	write_tokenizer("t.bin");
	for (int i = 0; i < 3; i++) {
		struct lt_tensors file;

		cr_assert_eq(llama("m.bin -z t.bin -i aaaaaaaa -n 2 --tokens -b ref -q -o %s", names[i]), 0, "%s", err);
		cr_assert_eq(lt__tensors_read(ctx, scratch(names[i]), &file), LT_OK, "%s", lt_context_message(ctx));
		cr_expect(file.n == 1 && file.at[0].rank == 2 && file.at[0].shape[0] == 0 && file.at[0].shape[1] == 275, "%s",
			names[i]);
		lt__tensors_free(&file);
	}
	lt_context_free(ctx);
}

/* A row for each token that came out: there is no prompt. */
Test(ltllama_files, logits_outlive_an_interrupt)
{
	static const struct checkpoint_sizes long_sizes = { 24, 40, 2, 6, 3, 275, 50000 };
	static const char *const names[] = { "l.npy", "l.npz", "l.safetensors" };
	struct checkpoint *c = checkpoint_new(&long_sizes, false, 0, 0, 5);
	struct lt_context *ctx;
	char command[1024];

	checkpoint_write(c, scratch("long.bin"));
	checkpoint_free(c);
	cr_assert(!lt_context_new(&ctx));
	for (int i = 0; i < 3; i++) {
		struct lt_tensors file;
		int64_t n = 0;
		int used, token;

		/* As soon as it prints.  A shell starts what runs beside it with SIGINT ignored. */
		sprintf(command, "cd %s && { : >log; env --default-signal=INT %s long.bin --tokens -t 0 -n 0 -b ref -q -o %s "
			">log & pid=$!; for i in $(seq 1000); do [ $(wc -c <log) -gt 4 ] && break; sleep 0.01; done; kill -INT $pid; "
			"wait $pid; echo $?; cat log >&2; }", scratch(""), built("lt-llama"), names[i]);
		cr_assert_eq(run_command(command, out, sizeof out, err, sizeof err), 0, "%s", err);
		cr_expect_eq(atoi(out), 130, "%s", out);
		cr_assert_eq(lt__tensors_read(ctx, scratch(names[i]), &file), LT_OK, "%s", lt_context_message(ctx));
		for (const char *at = err; sscanf(at, "%d%n", &token, &used) == 1; at += used)
			n++;
		cr_expect(n > 0 && file.at[0].shape[0] == n && file.at[0].shape[1] == 275, "%lld rows of %lld tokens",
			(long long)file.at[0].shape[0], (long long)n);
		lt__tensors_free(&file);
	}
	lt_context_free(ctx);
}

/* What writes a model runs nothing, and a conversation comes as it comes: all that would mean nothing is refused. */
static const struct mode_line { const char *line; bool chat, emit, convert; } options[] = {
	/* which of -m chat, --emit-script and --convert it goes with */
	{ "--tokenizer t.bin", true, false, false }, { "--prompt a", true, false, false },
	{ "--steps 2", true, false, false },
	{ "--system a", true, false, false }, { "--tokens", true, false, false }, { "--temperature 0", true, false, false },
	{ "--top-p 0.5", true, false, false }, { "--seed 3", true, false, false }, { "--backend ref", true, false, false },
	{ "--load a.so", true, false, false }, { "--dtype f32", true, true, true },
	{ "--kv-dtype bf16", true, true, false },
	{ "--threads 1", true, false, false }, { "--schedule a.tree", true, false, false },
	{ "--cache-dir c", true, false, false }, { "--no-cache", true, false, false },
	{ "--output l.npy", true, false, false },
	{ "--verify", true, false, false }, { "--time", true, false, false }, { "--explain", true, false, false },
	{ "--json", false, false, false }, { "--quiet", true, true, true }, { "--verbose", true, false, false },
	{ "--mode generate", false, false, false },
};

static void expect_together(const struct mode_line *o, const char *mode, bool together)
{
	char refused[100];

	/* The checkpoint is not there, which is found later. */
	sprintf(refused, "%.*s does not go with %.*s, which ", (int)strcspn(o->line, " "), o->line,
		mode[1] == '-' ? (int)strcspn(mode, " ") : (int)strlen(mode), mode);
	cr_expect_eq(llama("none.bin %s %s", mode, o->line), 2, "%s %s: %s", mode, o->line, err);
	cr_expect(together ? !strstr(err, "go with") : strstr(err, refused) != NULL, "%s %s: %s", mode, o->line, err);
}

Test(ltllama_files, nothing_is_ignored)
{
	static const char *const lines[][2] = {
		{ "m.bin 0 9 b --convert a.bin", "'b' is the prompt, and that does not go with --convert" },
		{ "m.bin 0 --emit-script a", "'0' is the temperature, and that does not go with --emit-script" },
		{ "m.bin -m chat --convert a.bin", "--mode does not go with --convert" },
		{ "m.bin -y b", "--system is only for -m chat, which is not given" },
		{ "m.bin --convert a.bin --emit-script b", "--convert does not go with --emit-script" },
	};

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		cr_expect_eq(llama("%s", lines[i][0]), 2, "%s: %s", lines[i][0], err);
		cr_expect(strstr(err, lines[i][1]), "%s: %s", lines[i][0], err);
	}
	for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
		if (strcmp(options[i].line, "--mode generate") != 0)
			expect_together(&options[i], "-m chat", options[i].chat);
		expect_together(&options[i], "--emit-script scripts", options[i].emit);
		expect_together(&options[i], "--convert a.bin", options[i].convert);
	}
}

/* What nobody writes to, and what has no end, is no file; what is mapped is no pipe either. */
Test(ltllama_files, nothing_is_waited_for)
{
	static const char *const lines[][2] = {
		{ "fifo", "fifo: the checkpoint is a named pipe (FIFO)" },
		{ "m.bin -z fifo -i a", "fifo: the tokenizer is a named pipe (FIFO)" },
		{ "m.bin --tokens --schedule fifo", "fifo: is a named pipe (FIFO)" },
		{ "/dev/zero", "/dev/zero: the checkpoint is a device, not a file" },
		{ "/dev/stdin --tokens -n 1 <<end\nx\nend\n", "/dev/stdin: the checkpoint has to be a file" },
	};

	cr_assert_eq(mkfifo(scratch("fifo"), 0600), 0);
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		cr_expect_eq(llama("%s", lines[i][0]), 2, "%s: %s", lines[i][0], err);
		cr_expect(strstr(err, lines[i][1]), "%s: %s", lines[i][0], err);
	}
	cr_expect_eq(llama("/dev/stdin <m.bin --tokens -t 0 -n 1"), 0, "%s", err);
}

/* Floats of the checkpoint, from the begin or, below 0, from the end, become x. */
static void write_changed(const char *name, int64_t first, int n, float x)
{
	unsigned char *at = model->file + (first < 0 ? (int64_t)model->n : 28) + 4 * first;
	FILE *f = fopen(scratch(name), "wb");
	float before[24];

	cr_assert(f && n <= 24);
	memcpy(before, at, (size_t)n * sizeof x);
	for (int i = 0; i < n; i++)
		memcpy(at + 4 * i, &x, sizeof x);
	cr_assert_eq(fwrite(model->file, 1, model->n, f), model->n);
	memcpy(at, before, (size_t)n * sizeof x);
	fclose(f);
}

/* No token is the likeliest where logits are no numbers: the weights that are to blame are named. */
Test(ltllama_files, what_is_not_finite_is_said)
{
	static const char *const lines[][2] = {
		/* the embedding of the token that begins a text, and of one that nobody gives */
		{ "first.bin --tokens -t 0 -n 4", "first.bin: 275 of 275 logits behind position 0 are not finite, so that no token "
			"is the likeliest: tok_embeddings.weight has numbers that are not finite" },
		{ "first.bin --tokens -t 1 -s 3 -n 4 --json", "275 of 275 logits" },
		{ "first.bin --tokens -t 0 -n 4 --dtype bf16", "tok_embeddings.weight has" },
		{ "last.bin --tokens -t 0 -n 4", "1 of 275 logits behind position 0 are not finite, so that no token is the "
			"likeliest: output.weight has" },
		{ "large.bin --tokens -t 0 -n 4 -b ref", "1 of 275 logits behind position 0 are not finite, so that no token is the "
			"likeliest: a value on the way is too large for float32" },
		{ "large.bin --tokens -t 0 -n 4 --dtype f16", "large.bin: output.weight has the number 3e+38, and the largest of f16 "
			"is 65504: --dtype bf16 has it" },
		{ "large.bin --dtype f16 --convert half.bin", "output.weight has the number 3e+38" },
	};

	write_changed("first.bin", 1 * 24 + 5, 1, NAN);
	write_changed("last.bin", -1, 1, INFINITY);
	write_changed("large.bin", -24, 24, 3e38f);
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		cr_expect_neq(llama("%s", lines[i][0]), 0, "%s: %s", lines[i][0], err);
		cr_expect(strstr(err, lines[i][1]), "%s: %s", lines[i][0], err);
	}
	cr_expect_neq(access(scratch("half.bin"), F_OK), 0);
	cr_expect_eq(llama("m.bin --tokens -t 0 -n 4 --dtype f16"), 0, "%s", err);
}

/* What cannot be written is found before the first token, and a check leaves nothing. */
Test(ltllama_files, outputs_are_looked_at_first)
{
	static const char *const lines[][2] = {
		{ "-o none/l.npy --tokens -t 0 -n 4", "none/l.npy: cannot be written: No such file or directory" },
		{ "-o folder.npy --tokens -t 0 -n 4", "folder.npy: cannot be written: Is a directory" },
		{ "-o dangling.npy --tokens -t 0 -n 4", "dangling.npy: cannot be written: No such file or directory" },
		{ "--convert none/a.bin", "none/a.bin: cannot be written" },
		{ "--emit-script none/scripts", "none/scripts cannot be made" },
	};
	char command[600];

	cr_assert_eq(mkdir(scratch("folder.npy"), 0777), 0);
	cr_assert_eq(symlink("none/x.npy", scratch("dangling.npy")), 0);
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		cr_expect_neq(llama("m.bin %s", lines[i][0]), 0, "%s", lines[i][0]);
		cr_expect(strstr(err, lines[i][1]) && !*out, "%s: %s%s", lines[i][0], err, out);
	}
	cr_assert_eq(llama("m.bin --tokens -t 0 -n 4 -o kept.npy"), 0, "%s", err);
	cr_assert_neq(llama("m.bin --tokens -t 0 -n 4 -b nobody -o other.npy"), 0);
	cr_assert_neq(llama("m.bin --tokens -t 0 -n 4 -b nobody -o kept.npy"), 0);
	cr_expect(!access(scratch("kept.npy"), F_OK) && access(scratch("other.npy"), F_OK), "the file of before stays");
	sprintf(command, "ls %s | grep part", scratch(""));
	cr_expect_eq(run_command(command, out, sizeof out, err, sizeof err), 1, "%s", out);
}

/* A number of steps below 0 is no number of steps, by whatever place it is given. */
Test(ltllama_files, steps_below_zero_are_refused)
{
	cr_expect_eq(llama("m.bin --tokens -t 0 -n -3"), 2);
	cr_expect(strstr(err, "-n (--steps) takes a whole number from 0 to 2147483647, not '-3'"), "%s", err);
	cr_expect_eq(llama("m.bin --tokens --steps=-1"), 2);
	cr_expect_eq(llama("--tokens m.bin 0 -3"), 2);
	cr_expect(strlen(out) == 0, "%s", out);
}
