/* options.c -- lt-llama's command line: llama2.c's options, by letter and by position, and its own. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "tools/llama/llama.h"
#include "tools/common/common.h"
#include "tools/tensor/tensor.h"

/* What is asked for. */
enum { TEXT = 1, CHAT = 2, EMIT = 4, CONVERT = 8, RUNS = TEXT | CHAT, WRITES = EMIT | CONVERT };

static const struct lt_mode modes[] = {
	{ TEXT, "a text", NULL },
	{ CHAT, "-m chat", "which asks and answers as it goes" },
	{ EMIT, "--emit-script", "which writes scripts and ends" },
	{ CONVERT, "--convert", "which writes a checkpoint and ends" },
	{ 0 }
};

static lt_status read_number(struct lt_context *ctx, const char *option, const char *text, double *out)
{
	char *end;

	*out = strtod(text, &end);
	if (end == text || *end || *out != *out)
		return lt_fail(ctx, LT_EINVAL, "%s takes a number, not '%s'", option, text);
	return LT_OK;
}

/* What is out of range is what llama2.c makes of it. */
static lt_status take_temperature(struct lt_context *ctx, void *options, char *value)
{
	struct llama_options *o = options;

	LT_TRY(read_number(ctx, "-t (--temperature)", value, &o->temperature));
	o->temperature = o->temperature < 0 ? 0 : o->temperature;
	return LT_OK;
}

static lt_status take_top(struct lt_context *ctx, void *options, char *value)
{
	struct llama_options *o = options;

	LT_TRY(read_number(ctx, "-p (--top-p)", value, &o->top));
	o->top = o->top < 0 || o->top > 1 ? 0.9 : o->top;
	return LT_OK;
}

static lt_status take_steps(struct lt_context *ctx, void *options, char *value)
{
	struct llama_options *o = options;

	return lt__count_read(ctx, "-n (--steps)", value, 0, INT32_MAX, &o->steps);
}

static lt_status take_seed(struct lt_context *ctx, void *options, char *value)
{
	struct llama_options *o = options;
	int64_t seed;

	LT_TRY(lt__count_read(ctx, "-s (--seed)", value, INT64_MIN, INT64_MAX, &seed));
	o->seed = (uint64_t)seed;
	return LT_OK;
}

static lt_status take_llama_verify(struct lt_context *ctx, void *options, char *value)
{
	struct llama_options *o = options;

	(void)ctx;
	return run_verify_take(value, &o->verify, &o->allow_unbounded);
}

#define AT(member) LT_MEMBER(struct llama_options, member)

static const struct lt_tool_option rows[] = {
	{ .help = "Text" },
	{ 'z', "tokenizer", "FILE", TAKE_TEXT, AT(tokenizer), .with = RUNS,
		.help = "the tokenizer; default: tokenizer.bin here, or beside "
		"the checkpoint", .values = LT_VALUES("*.bin") },
	{ 'i', "prompt", "TEXT", TAKE_TEXT, AT(prompt),
		.with = RUNS, .help = "what the text begins with; with -m chat: what is said first" },
	{ 'n', "steps", "N", TAKE_OWN, AT(steps), .with = RUNS,
		.help = "at most N positions, the prompt's among them; default: 256; 0, or "
		"more than the context has: all of it", .own = take_steps },
	{ 'm', "mode", "MODE", TAKE_CHOICE, AT(mode), .with = RUNS,
		.help = "what is made (%v): a text, the default, or a conversation",
		.values = LT_VALUES("generate", "chat") },
	{ 'y', "system", "TEXT", TAKE_TEXT, AT(system), .with = CHAT,
		.help = "with -m chat: what the model is to be; default: it is asked "
		"for" },
	{ 0, "tokens", NULL, TAKE_FLAG, AT(tokens), .with = RUNS,
		.help = "prints the numbers of tokens; without a prompt no tokenizer is "
		"read" },

	{ .help = "Drawing tokens" },
	{ 't', "temperature", "T", TAKE_OWN, AT(temperature), .with = RUNS,
		.help = "0: always the likeliest; default: 1; less than 0 is 0",
		.own = take_temperature },
	{ 'p', "top-p", "P", TAKE_OWN, AT(top), .with = RUNS,
		.help = "draws from the likeliest tokens that together have more than P; 0 or "
		"1: from all; default, and what is not 0 to 1: 0.9", .own = take_top },
	{ 's', "seed", "N", TAKE_OWN, AT(seed), .with = RUNS,
		.help = "where the random numbers begin; default, and 0: the time", .own = take_seed },

	{ .help = "Running" },
	{ 'b', "backend", "NAME[:CONFIG][,NAME...]", TAKE_TEXT, AT(backends),
		.with = RUNS, .help = "the first that takes a kernel runs it; default: the best that works here",
		.list = lt__backend_offered },
	{ 'B', "load", "FILE.so", TAKE_LIST, AT(load),
		.with = RUNS, .help = "loads a backend (also from the files and folders in $LT_BACKEND_PATH)",
		.values = LT_VALUES("*.so") },
	LT_BUDGET_OPTION(0),
	{ 0, "dtype", "TYPE", TAKE_CHOICE, AT(dtype), .help = "the type of matrices (%v): they are converted when the file is "
		"read; int8 in groups with a scale, multiplied as integers; default: the file's own",
		.values = LT_VALUES("f32", "bf16", "f16", "int8") },
	{ 0, "kv-dtype", "TYPE", TAKE_CHOICE, AT(kv_dtype), .with = RUNS | EMIT,
		.help = "the type of the cache of keys and values (%v); default: "
		"f32", .values = LT_VALUES("f32", "bf16", "f16") },
	{ 0, "threads", "N", TAKE_COUNT, AT(threads), .with = RUNS,
		.help = "at most N threads for compiling and running; default: one for "
		"each processor" },
	{ 0, "schedule", "FILE", TAKE_TEXT, AT(schedule), .with = RUNS,
		.help = "runs each step by the loops in FILE (lt-run --dump=tree "
		"CHECKPOINT prints the default ones)", .values = LT_VALUES("*.tree", "*.schedule") },
	{ 0, "cache-dir", "DIR", TAKE_TEXT, AT(cache_dir), .with = RUNS, .help =
		"where compiled code is kept; default: $XDG_CACHE_HOME/looptree or ~/.cache/looptree", .values = LT_VALUES("/") },
	{ 0, "no-cache", NULL, TAKE_FLAG, AT(no_cache), .with = RUNS,
		.help = "caches no compiled code, and uses none from the cache" },

	{ .help = "Looking" },
	{ 'o', "output", "FILE", TAKE_TEXT, AT(output), .with = RUNS,
		.help = "writes the logits of all positions that tokens were made of, "
		"a row each", .values = LT_VALUES("*.npy", "*.npz", "*.safetensors") },
	{ 0, "emit-script", "DIR", TAKE_TEXT, AT(emit), .with = EMIT,
		.help = "writes the model as scripts into a folder, with their "
		"weights, instead of running it: step.lt, the graph that is run here, and original.lt, in the nodes of the original "
		"language", .values = LT_VALUES("/") },
	{ 0, "convert", "FILE", TAKE_TEXT, AT(convert), .with = CONVERT,
		.help = "writes the checkpoint, its matrices in the type of --dtype, "
		"instead of running it", .values = LT_VALUES("*.bin") },
	{ 0, "verify", "[=allow-unbounded]", TAKE_OWN, AT(verify), .with = RUNS,
		.help = "judges every kernel, the logits and the cache of "
		"each run by the reference evaluator; exit code 1 if something is wrong, 3 if rounding may explain any value of some "
		"elements, which --verify=allow-unbounded lets pass", .values = LT_VALUES("allow-unbounded"),
		.own = take_llama_verify },
	{ 0, "time", NULL, TAKE_FLAG, AT(time), .with = RUNS,
		.help = "says at the end how long compiling, the prompt and each token took" },
	{ 0, "explain", NULL, TAKE_FLAG, AT(explain), .with = RUNS,
		.help = "says which backend takes which kernel, how many kernels "
		"are compiled, and how many bytes a token reads and writes" },
	{ 0, "json", NULL, TAKE_FLAG, AT(json), .with = TEXT,
		.help = "text, tokens and reports as one JSON object at the end" },
	{ 'q', "quiet", NULL, TAKE_FLAG, AT(quiet), .help = "no speed and no progress; only text, what is asked for, and "
		"errors" },
	{ 'v', "verbose", NULL, TAKE_FLAG, AT(verbose), .with = RUNS,
		.help = "says on standard error what is done" }, { 0 } };

const struct lt_tool llama_tool = {
	.name = "lt-llama",
	.usage = "lt-llama CHECKPOINT [options]\n"
		"       lt-llama CHECKPOINT [TEMPERATURE [STEPS [PROMPT]]]",
	.about = "Runs a language model of llama2.c: goes on with a text, or converses.",
	.operand = { .arg = "CHECKPOINT", .values = LT_VALUES("*.bin") },
	.option = rows,
	.mode = modes,
	.end = "Exit code: 0; 1: a run or a verification failed; 2: a mistake in the options or a file; 3: --verify could not "
		"judge some elements.\n"
		"\n"
		"Examples\n"
		"  lt-llama stories15M.bin -i \"Once upon a time\" -t 0.8 -n 200\n"
		"  lt-llama stories15M.bin 0.8 200 \"Once upon a time\"   the same\n"
		"  lt-llama stories260K.bin --tokens -t 0 -n 200         numbers of tokens: needs no tokenizer\n"
		"  lt-llama llama2_7b_chat.bin -m chat -y \"You are terse.\"\n"
		"  lt-llama stories15M.bin -i Once --verify -n 4         each kernel against the reference\n"
		"  lt-run stories15M.bin -i tokens=1 -i position=zeros   one step of the model, as a graph like others\n"
		"\n"
		"lt-llama(1) says more.\n",
};

static const struct lt_mode *asked_for(const struct llama_options *o)
{
	const unsigned bit = o->emit ? EMIT : o->convert ? CONVERT : !strcmp(o->mode, "chat") ? CHAT : TEXT;
	const struct lt_mode *m = modes;

	while (m->bit != bit)
		m++;
	return m;
}

/* CHECKPOINT TEMPERATURE STEPS PROMPT */
static lt_status take_operands(struct lt_context *ctx, struct llama_options *o, const struct lt_given *given, int n,
	char **word)
{
	static const char *const names[] = { NULL, "temperature", "steps", "prompt" };
	const struct lt_mode *m = asked_for(o);

	if (n < 1)
		return lt_fail(ctx, LT_EINVAL, "a checkpoint is missing: lt-llama CHECKPOINT [options] (lt-llama -h says more)");
	if (n > 4)
		return lt_fail(ctx, LT_EINVAL, "at most a checkpoint, a temperature, a number of steps and a prompt stand for "
			"themselves; '%s' is too much: a prompt of several words is one between quotes", word[4]);
	if (n > 1 && m->bit & WRITES)
		return lt_fail(ctx, LT_EINVAL, "'%s' is the %s, and that does not go with %s, %s", word[n - 1], names[n - 1],
			m->name, m->which);
	for (int i = 1; i < n; i++)
		if (lt__option_given(&llama_tool, given, names[i]))
			return lt_fail(ctx, LT_EINVAL, "'%s' is the %s, and so is what --%s gives", word[i], names[i], names[i]);
	o->checkpoint = word[0];
	if (n > 1)
		LT_TRY(take_temperature(ctx, o, word[1]));
	if (n > 2)
		LT_TRY(take_steps(ctx, o, word[2]));
	if (n > 3)
		o->prompt = word[3];
	return LT_OK;
}

static lt_status check_llama_options(struct lt_context *ctx, const struct llama_options *o)
{
	if (o->no_cache && o->cache_dir)
		return lt_fail(ctx, LT_EINVAL, "--no-cache and --cache-dir contradict each other");
	if (o->output && lt__tensorfile_kind(o->output) == LT_FILE_OTHER)
		return lt_fail(ctx, LT_EINVAL, "--output takes a name that ends in .npy, .npz or .safetensors, not '%s'", o->output);
	return LT_OK;
}

lt_status llama_options_read(struct lt_context *ctx, int argc, char **argv, struct llama_options *o, bool *done)
{
	struct lt_given given;

	*o = (struct llama_options){ .mode = "generate", .temperature = 1, .top = 0.9, .steps = 256 };
	LT_TRY(lt__options_read(ctx, &llama_tool, argc, argv, o, &given));
	*done = given.done;
	if (given.done)
		return LT_OK;
	LT_TRY(lt__options_together(ctx, &llama_tool, &given, asked_for(o)->bit));
	LT_TRY(take_operands(ctx, o, &given, argc - given.first, argv + given.first));
	return check_llama_options(ctx, o);
}

void llama_options_free(struct llama_options *o)
{
	lt__options_free(&llama_tool, o);
}
