/* options.c -- lt-quantize's command line: its table of options, and what only the whole of it can show. */
#include <float.h>
#include <stdlib.h>
#include <string.h>
#include "tools/quantize/quantize.h"

#define AT(member) LT_MEMBER(struct quantize_options, member)
#define SPECS LT_VALUES("zeros", "ones", "iota", "random", "*.npy")
#define TENSOR_FILES LT_VALUES("*.npz", "*.safetensors")

static lt_status take_loss(struct lt_context *ctx, void *options, char *value)
{
	struct quantize_options *o = options;
	char *end;
	o->loss = strtod(value, &end);
	if (end == value || *end || !(o->loss >= 0 && o->loss <= DBL_MAX))      /* of `error` more than 100, too */
		return lt_fail(ctx, LT_EINVAL, "--loss takes points, 0 or more, not '%s'", value);
	return LT_OK;
}

static const struct lt_tool_option rows[] = {
	{ .help = "What is made" },
	{ 'o', "output", "NAME.lt", TAKE_TEXT, AT(output), .help = "the script that is written, over what is there, and "
		"NAME.safetensors beside it, which has its weights; required" },
	{ 0, "data-out", "FILE", TAKE_TEXT, AT(data_out), .help = "also writes the data as integers, as the script takes "
		"them: a .npy, of several inputs a .npz", 0, LT_VALUES("*.npy", "*.npz") },

	{ 0, "report", "FILE.json", TAKE_TEXT, AT(report), .help = "what was found: ranges, bits and steps, the sums and what "
		"they are between, all candidates", 0, LT_VALUES("*.json") },
	{ 0, "page", "FILE.html", TAKE_TEXT, AT(page), .help = "the same as a page with plots", 0, LT_VALUES("*.html") },

	{ .help = "Data" },
	{ 0, "data", "FILE", TAKE_LIST, AT(data), .help = "what the model is run with to find ranges and to judge "
		"candidates: a .npy with a row for each example, or a .npz or .safetensors with one array for each input; "
			"NAME=FILE names the input; required",
		0, LT_VALUES("*.npy", "*.npz", "*.safetensors") },
	{ 0, "labels", "FILE.npy", TAKE_TEXT, AT(labels), .help = "the right class of each row, an integer", 0,
		LT_VALUES("*.npy") },
	{ 0, "hold-out", "P", TAKE_COUNT, AT(held), .help = "of the rows the last P per cent are in neither the ranges nor "
		"the search: the best candidate is judged by them in the end, and that is said, too", .min = 1, .max = 90 },
	{ 0, "result", "NAME", TAKE_TEXT, AT(result), .help = "the result that is judged; default: the first" },
	{ 0, "metric", "WHAT", TAKE_CHOICE, AT(metric), .help = "how it is judged: %v; accuracy is the share of rows of the "
		"right class (the default with --labels), agree that of rows of the floats' class (the default of results with "
		"several numbers a row), error the distance to the floats' results, a share of their norm", 0,
		LT_VALUES("accuracy", "agree", "error") },

	{ .help = "How far" },
	{ 0, "mode", "WHICH", TAKE_CHOICE, AT(mode), .help = "what becomes integers: %v; static (the default) is everything, "
		"weights the constants of products, which floats are multiplied by, dynamic these and, by the largest number of a "
			"run, "
		"what they are multiplied by", 0, LT_VALUES("static", "weights", "dynamic") },
	{ 0, "bits", "N", TAKE_CHOICE, AT(bits),
		.help = "of what is kept and multiplied: %v; mixed (the default) is 8, and 16 where 8 would lose more than --loss, "
		"or 4 where 8 take more than --flash; 4 are of constants of products, two in a byte, and 8 of all else", 0,
		LT_VALUES("4", "8", "16", "mixed") },
	{ 0, "scales", "WHICH", TAKE_CHOICE, AT(scales), .help = "what steps may be: %v; pow2 (the default) is powers of two, "
		"so that a change of step is a shift, any is all numbers, which follow the data closer: a change is a product with "
		"a number of 32 bits and a shift", 0, LT_VALUES("pow2", "any") },
	{ 0, "per-channel", NULL, TAKE_FLAG, AT(per_channel), .help = "the weights of each channel of a result have a "
		"step of their own" },
	{ 0, "loss", "P", TAKE_OWN, .help = "how many points (per cent) of the metric may be lost, 0 or more; default: 0.5",
		.own = take_loss },
	{ 0, "target", "NAME", TAKE_TEXT, AT(target), .help = "the microcontroller that the integers are for: %v; lt-build "
		"says what they take of it, and --flash and --ram, by default what it has, bound that; narrower ones are looked for "
		"until there is room", .list = lt__micro_at },
	{ 0, "flash", "BYTES", TAKE_COUNT, AT(flash), .help = "the bytes of constants, each counted once in its type, may be "
		"at most so many; code, and what a target adds to store them, is not counted; then the least loss is looked "
		"for", .min = 1, .max = 1e12 },
	{ 0, "ram", "BYTES", TAKE_COUNT, AT(ram), .help = "the bytes of kept values that are alive at once may be at most so "
		"many, likewise; sums of 32 and 64 bits between them, what kernels need and the stack are not counted: lt-build says "
		"what a target takes", .min = 1, .max = 1e12 },
	{ 0, "time", "S", TAKE_SECONDS, AT(seconds), .help = "the search ends after S seconds; default: 60" },

	{ .help = "Programs of SeeDot (.sd)" },
	{ 0, "compat", "WHOSE", TAKE_CHOICE, AT(compat), .help = "makes SeeDot's own integers, for comparison: %v; seedot is "
		"that of 2019, of 16 bits, shiftry that of 2020, whose --bits mixed (the default) narrows until --loss is exceeded",
		0, LT_VALUES("seedot", "shiftry") },

	{ .help = "Tensors in" },
	{ 'c', "constant", "NAME=SPEC", TAKE_LIST, AT(constant),
		.help = "a constant; SPEC: FILE.npy, zeros, ones, VALUE, iota, "
		"random[:SEED]; NAME *: all others", 0, SPECS },
	{ 'w', "weights", "FILE", TAKE_LIST, AT(weights), .help = "constants by name, from a .npz or .safetensors; may be "
		"given several times", 0, TENSOR_FILES },

	{ .help = "Models (.onnx)" },
	{ 0, "dim", "NAME=N", TAKE_LIST, AT(dim), .help = "the extent of a symbolic dimension, or of axis I of an input: "
		"NAME.I=N" },
	{ 0, "fix", "NAME=FILE", TAKE_LIST, AT(fix), .help = "makes an input a constant", 0, LT_VALUES("*.npy") },

	{ .help = "Running" },
	{ 'b', "backend", "NAME[:CONFIG][,NAME...]", TAKE_TEXT, AT(backends), .help = "what runs the candidates: %v; default: "
		"the fastest one that works here", .list = lt__backend_offered },
	{ 0, "threads", "N", TAKE_COUNT, AT(threads), .help = "the most threads of a run; default: as many as there are "
		"processors", .min = 1, .max = 1024 },

	{ .help = "Looking" },
	{ 'q', "quiet", NULL, TAKE_FLAG, AT(quiet), .help = "only errors" },
	{ 'v', "verbose", NULL, TAKE_FLAG, AT(verbose), .help = "says each candidate that is tried, and what it loses, on "
		"standard error" },
	{ 0 }
};

const struct lt_tool quantize_tool = {
	.name = "lt-quantize",
	.usage = "lt-quantize MODEL --data FILE -o NAME.lt [options]",
	.about = "Finds integers of 8 and 16 bits that stand for a model's floats, by data, and writes the model as a "
		"script of "
		"them.",
	.operand = { .arg = "MODEL", .values = LT_VALUES("*.lt", "*.graph", "*.onnx", "*.sd") },
	.option = rows,
	.end = "Exit code: 0; 1: nothing that is within the bounds was found, or it could not be run or written; 2: a "
		"mistake\n"
		"in the options, the model or a file.\n"
		"\n"
		"Examples\n"
		"  lt-quantize mnist.lt -w weights.safetensors --data x.npy --labels y.npy -o mnist8.lt\n"
		"  lt-quantize net.onnx --dim batch=1 --data x.npy -o net16.lt --bits 16\n"
		"  lt-build mnist8.lt -o mnist.c --target cortex-m3\n"
		"\n"
		"lt-quantize(1) says more.\n",
};

static bool ends_with(const char *s, const char *ending)
{
	const size_t n = strlen(s), m = strlen(ending);
	return n > m && !strcmp(s + n - m, ending);
}

/* What goes with SeeDot's own integers. */
static lt_status check_compat(struct lt_context *ctx, const struct quantize_options *o)
{
	const struct { bool given; const char *option; } other[] = { { o->mode != NULL, "--mode" },
		{ o->held > 0, "--hold-out" }, { o->flash > 0, "--flash" }, { o->ram > 0, "--ram" }, { o->page != NULL, "--page" },
		{ o->target != NULL, "--target" },
		{ o->per_channel, "--per-channel" }, { o->scales != NULL, "--scales" },
		{ o->constant.n > 0, "--constant" },
		{ o->weights.n > 0, "--weights" }, { o->dim.n > 0, "--dim" }, { o->fix.n > 0, "--fix" } };
	if (!ends_with(o->model, ".sd"))
		return lt_fail(ctx, LT_EINVAL, "--compat is for programs of SeeDot (.sd), which '%s' is not", o->model);
	for (size_t i = 0; i < sizeof other / sizeof *other; i++)
		if (other[i].given)
			return lt_fail(ctx, LT_EINVAL, "%s does not go with --compat", other[i].option);
	if (!strcmp(o->bits, "4"))
		return lt_fail(ctx, LT_EINVAL, "--bits 4 does not go with --compat, whose integers have 8 or 16 bits");
	if (!strcmp(o->compat, "seedot") && !strcmp(o->bits, "8"))
		return lt_fail(ctx, LT_EINVAL, "--bits 8 does not go with --compat seedot, whose integers have 16 bits: --compat "
			"shiftry has both");
	return LT_OK;
}

lt_status quantize_options_read(struct lt_context *ctx, int argc, char **argv, struct quantize_options *o, bool *done)
{
	struct lt_given given;
	*o = (struct quantize_options){ .loss = 0.5, .seconds = 60, .bits = "mixed" };
	LT_TRY(lt__options_read(ctx, &quantize_tool, argc, argv, o, &given));
	*done = given.done;
	if (given.done)
		return LT_OK;
	if (argc - given.first > 1)
		return lt_fail(ctx, LT_EINVAL, "one model at a time: '%s' and '%s'", argv[given.first], argv[given.first + 1]);
	if (argc == given.first)
		return lt_fail(ctx, LT_EINVAL, "a model is missing: lt-quantize MODEL --data FILE -o NAME.lt (lt-quantize -h says "
			"more)");
	o->model = argv[given.first];
	if (!o->output || !ends_with(o->output, ".lt"))
		return lt_fail(ctx, LT_EINVAL, "%s%s%s: a script NAME.lt is written (-o NAME.lt), and its weights beside it",
			o->output ? "--output does not take '" : "a name for the result is missing", o->output ? o->output : "",
			o->output ? "'" : "");
	if (o->data.n == 0)
		return lt_fail(ctx, LT_EINVAL, "--data is missing: ranges are found, and candidates judged, by data");
	if (o->data_out && o->mode && strcmp(o->mode, "static") != 0)
		return lt_fail(ctx, LT_EINVAL, "--data-out goes with --mode static: in the others inputs stay floats");
	if (o->compat)
		LT_TRY(check_compat(ctx, o));
	const bool whole = !o->mode || !strcmp(o->mode, "static");
	if (!whole && !o->target && (o->flash || o->ram))
		return lt_fail(ctx, LT_EINVAL, "--%s goes with --mode static: in the others floats are in memory, which are not "
			"counted; with --target they are", o->flash ? "flash" : "ram");
	if (o->target)
		LT_TRY(quantize_target_name(ctx, o->target));
	if (o->target && (o->flash > INT32_MAX || o->ram > INT32_MAX))
		return lt_fail(ctx, LT_EINVAL, "--%s is at most %lld with --target", o->flash > INT32_MAX ? "flash" : "ram",
			(long long)INT32_MAX);
	if (!whole && !strcmp(o->mode, "dynamic") && !strcmp(o->bits, "16"))
		return lt_fail(ctx, LT_EINVAL, "--bits 16 does not go with --mode dynamic, whose integers are of 8 bits");
	if (o->data_out && ends_with(o->data_out, ".safetensors"))
		return lt_fail(ctx, LT_EINVAL, "--data-out does not take '%s': data is written as a .npy or .npz", o->data_out);
	if (o->metric && !strcmp(o->metric, "accuracy") && !o->labels)
		return lt_fail(ctx, LT_EINVAL, "--metric accuracy needs --labels");
	return LT_OK;
}

void quantize_options_free(struct quantize_options *o) { lt__options_free(&quantize_tool, o); }
