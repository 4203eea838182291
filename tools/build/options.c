/* options.c -- lt-build's command line: its table of options, and what only the whole of it can show. */
#include <string.h>
#include "backends/cpu/cpu.h"
#include "tools/build/build.h"

/* What is made. */
enum { BINARY = 1, LIBRARY = 2, TEXT = 4, MODULE = 8, OF_C = BINARY | LIBRARY | TEXT };

static const struct lt_mode modes[] = {
	{ BINARY, "--format exe", "which has a main program" },
	{ LIBRARY, "--format a or so", "which is a library" },
	{ TEXT, "--format c", NULL },
	{ MODULE, "--target " BUILD_MODULE, "which makes a module with memory of its own and one thread (others need "
		"headers that few hosts of static files send)" },
	{ 0 }
};

const char *build_target_at(int i)
{
	const int n = (int)lt__cpu_model_count();

	if (i < n)
		return lt__cpu_model_at((uint32_t)i)->name;
	return i == n ? "portable" : lt__board_at(i - n - 1) ? lt__board_at(i - n - 1)->name : NULL;
}

#define AT(member) LT_MEMBER(struct build_options, member)
#define SPECS LT_VALUES("zeros", "ones", "iota", "random", "*.npy")
#define TENSOR_FILES LT_VALUES("*.npz", "*.safetensors")

static const struct lt_tool_option rows[] = {
	{ .help = "What is built" },
	{ 'o', "output", "NAME", TAKE_TEXT, AT(output), .help = "what is written, over what is there: NAME, or NAME.a, "
		".so, .c with a header .h; of a sketch or a module its folder, or NAME.html of a module; required" },
	{ 0, "format", "KIND", TAKE_CHOICE, AT(format), .help = "what is made: %v; exe is a program that reads and writes "
		".npy files, or bare elements, wasm a folder with a module for JavaScript, html a page with all of that in it; "
		"default: by the ending of NAME, else wasm for the target " BUILD_MODULE ", exe for others", 0,
		LT_VALUES("exe", "a", "so", "c", "wasm", "html") },
	{ 0, "single", NULL, TAKE_FLAG, AT(single), .help = "the same as --format html", MODULE },
	{ 0, "name", "NAME", TAKE_TEXT, AT(name), .help = "the C function; default: the name of the file" },
	{ 0, "overwrite", NULL, TAKE_FLAG, AT(overwrite), .help = "what is there under a name that is not NAME, such as a "
		"header's, is written over, whoever made it; else only what lt-build has made is" },
	{ 0, "data", "HOW", TAKE_CHOICE, AT(data), .help = "how constants are written: %v (the assembler reads their bytes "
		"from "
		"a file; default: array for c, else incbin)", OF_C, LT_VALUES("array", "incbin") },
	{ 0, "workspace", "WHOSE", TAKE_CHOICE, AT(workspace), .help =
		"whose memory a run works in, and keeps states in: %v; static "
		"(the default) is used where the caller gives none; given is always the caller's", OF_C,
		LT_VALUES("static", "given") },
	{ 0, "main", NULL, TAKE_FLAG, AT(main), .help = "also writes NAME_main.c, the program that --format exe has", TEXT },
	{ 0, "emit", "DIALECT", TAKE_CHOICE, AT(emit), .help = "the dialect: %v; C with the vectors of gcc and clang, or C99 "
		"alone, for any compiler; default: c, for the target portable c99", OF_C, LT_VALUES("c", "c99") },
	{ 0, "bare", NULL, TAKE_FLAG, AT(bare), .help = "C99 for machines without an operating system: a function of plain "
		"pointers that needs no header but <stdint.h>, has no threads and no sentences; the default for microcontrollers",
		OF_C },
	{ 0, "integer", NULL, TAKE_FLAG, AT(integer), .help = "a bare function whose runs compute with integers only; a node "
		"that does not is refused", OF_C },
	{ 0, "threads", "N", TAKE_COUNT, AT(threads), .help = "the most threads that a caller may give a run; default: one "
		"for "
		"each processor of the target, with c99 1", OF_C, .min = 1, .max = 256 },
	{ 0, "debug", NULL, TAKE_FLAG, AT(debug), .help = "for a debugger: compiled with -O0 -g, with the line numbers of the "
		"text; --keep has that" },
	{ 0, "keep", "DIR", TAKE_TEXT, AT(keep), .help = "everything is made in DIR and stays there, right or wrong: texts, "
		"objects, what was run and read to verify it, and commands.sh, the commands", 0, LT_VALUES("/") },

	{ .help = "Whom for" },
	{ 0, "target", "NAME", TAKE_TEXT, AT(target), .help = "the processor to make loops and code for: %v, or a triple "
		"such as "
		"riscv64-linux-gnu, whose gcc is taken; default: native, or what the compiler writes for", .list = build_target_at },
	{ 0, "ram", "BYTES", TAKE_COUNT, AT(ram), .help = "of a bare function: what does not fit in so many bytes of RAM is "
		"refused, with what is missing and what takes most; default: what the microcontroller has, on Cortex-M any number",
		OF_C, .min = 1, .max = INT32_MAX },
	{ 0, "flash", "BYTES", TAKE_COUNT, AT(flash), .help = "the same of flash", OF_C, .min = 1, .max = INT32_MAX },
	{ 0, "report", "FILE.json", TAKE_TEXT, AT(report), .help = "what the function takes of a microcontroller: flash, RAM "
		"and what for, stack, time of a call; it is written also where there is no room", OF_C, LT_VALUES("*.json") },
	{ 0, "relaxed", NULL, TAKE_FLAG, AT(relaxed), .help = "relaxed SIMD: products are added without rounding where the "
		"processor does that; for engines that have it", MODULE },
	{ 0, "cc", "CMD", TAKE_TEXT, AT(cc), .help = "the C compiler; default: $CC, or cc; for the target " BUILD_MODULE
		" clang-19, or the newest clang" },
	{ 0, "cc-timeout", "S", TAKE_TIMEOUT, AT(cc_timeout_ms), .help = "a compiler that takes longer than S seconds is "
		"ended, and has failed; default: 1800" },
	{ 0, "schedule", "FILE", TAKE_TEXT, AT(schedule), .help = "builds by the loops in FILE: a tree, or a list of "
		"primitives", 0, LT_VALUES("*.tree", "*.schedule") },
	{ 0, "apply", "STEPS", TAKE_TEXT, AT(apply), .help = "changes those loops, or the default ones, by primitives: "
		"\"split "
		"i 8; unroll i'\"" },
	{ 0, "kernels", "DIR", TAKE_TEXT, AT(kernels), .help = "operations of your own: DIR/NAME.lt is a function and says "
		"what one means, DIR/NAME.c is its kernel", 0, LT_VALUES("/") },
	LT_BUDGET_OPTION(0),
	{ 0, "no-passes", NULL, TAKE_FLAG, AT(no_passes), .help = "compiles the graph as it was parsed" },

	{ .help = "Tensors in" },
	{ 'c', "constant", "NAME=SPEC", TAKE_LIST, AT(constant), .help =
		"a constant, which becomes a part of the binary; SPEC: "
		"FILE.npy, zeros, ones, VALUE, iota, random[:SEED]; NAME *: all others", 0, SPECS },
	{ 'w', "weights", "FILE", TAKE_LIST, AT(weights), .help = "constants by name, from a .npz or .safetensors; may be "
		"given several times", 0, TENSOR_FILES },

	{ .help = "Models (.onnx)" },
	{ 0, "dim", "NAME=N", TAKE_LIST, AT(dim), .help = "the extent of a symbolic dimension, or of axis I of an input: "
		"NAME.I=N; NAME=1..N: it is said in each run, and is at most N" },
	{ 0, "fix", "NAME=FILE", TAKE_LIST, AT(fix), .help = "makes an input a constant: one that decides shapes, axes or "
		"which part of the model is run", 0, LT_VALUES("*.npy") },

	{ .help = "Verifying" },
	{ 0, "verify-inputs", "FILE", TAKE_LIST, AT(inputs), .help = "all inputs of a run to judge, by name, from a .npz or "
		".safetensors; given several times: one run each, in order, states kept; default: random ones", 0, TENSOR_FILES },
	{ 'i', "verify-input", "NAME=SPEC", TAKE_LIST, AT(input), .help = "one input of it, as --constant gives a constant", 0,
		SPECS },
	{ 0, "allow-unbounded", NULL, TAKE_FLAG, AT(allow_unbounded), .help =
		"elements that differ where rounding may explain "
		"any value pass, as with lt-run --verify=allow-unbounded" },
	{ 0, "emulator", "CMD", TAKE_TEXT, AT(emulator), .help = "what runs a program of the target here; default: for "
		"another "
		"machine qemu-MACHINE, for a module node, if it is installed" },
	{ 0, "verify-timeout", "S", TAKE_COUNT, AT(verify_seconds), .help = "a run that takes longer than S seconds is ended, "
		"and has failed; default: 600", .min = 1, .max = 1000000 },
	{ 0, "no-verify", NULL, TAKE_FLAG, AT(no_verify), .help = "writes what was built without running it" },

	{ .help = "Looking" },
	{ 0, "explain", NULL, TAKE_FLAG, AT(explain), .help = "says what was decided of each kernel" },
	{ 'q', "quiet", NULL, TAKE_FLAG, AT(quiet), .help = "only errors, and what is asked for" },
	{ 'v', "verbose", NULL, TAKE_FLAG, AT(verbose), .help = "says on standard error what is run" },
	{ 0 }
};

const struct lt_tool build_tool = {
	.name = "lt-build",
	.usage = "lt-build MODEL -o NAME [options]",
	.about = "Builds a program, a library or C text of its own from a model, runs it, and compares it with the reference "
		"evaluator.",
	.operand = { .arg = "MODEL", .values = LT_VALUES("*.lt", "*.graph", "*.onnx") },
	.option = rows,
	.mode = modes,
	.end = "Exit code: 0; 1: it could not be built, or is wrong: nothing is written then; 2: a mistake in the options, "
		"the\n"
		"model or a file; 3: it is written, but not verified: nothing here runs it, or rounding may explain any value of\n"
		"some elements.\n"
		"\n"
		"Examples\n"
		"  lt-build softmax.lt -o softmax && ./softmax x.npy y.npy\n"
		"  lt-build mnist.lt -w weights.safetensors -o mnist.so           and mnist.h\n"
		"  lt-build mlp.lt -w w.npz -o mlp.c --emit c99 --main            C99 for any compiler\n"
		"  lt-build mlp.lt -w w.npz -o mlp --target riscv64-linux-gnu\n"
		"  lt-build mnist.lt -w weights.safetensors -o mnist --target wasm32      a folder for a page, or for node\n"
		"\n"
		"lt-build(1) says more.\n",
};

static lt_status check_files(struct lt_context *ctx, const char *option, const struct lt_texts *files)
{
	for (int32_t i = 0; i < files->n; i++) {
		const enum lt_tensorfile k = lt__tensorfile_kind(files->at[i]);

		if (k != LT_FILE_NPZ && k != LT_FILE_SAFETENSORS)
			return lt_fail(ctx, LT_EINVAL, "%s takes a file that ends in .npz or .safetensors, not '%s'", option,
				files->at[i]);
	}
	return LT_OK;
}

static bool ends_in(const char *text, const char *end)
{
	const size_t n = strlen(text), k = strlen(end);

	return n > k && !strcmp(text + n - k, end);
}

static bool is_module(const struct build_options *o)
{
	return (o->target && !strcmp(o->target, BUILD_MODULE)) || o->single || (o->format
		? !strcmp(o->format, "wasm") || !strcmp(o->format, "html") : o->output && ends_in(o->output, ".html"));
}

/* A module is of its target, and that makes nothing else. */
static lt_status check_module(struct lt_context *ctx, struct build_options *o)
{
	static const char *const others[] = { ".c", ".a", ".so" };
	bool other = o->format && strcmp(o->format, "wasm") != 0 && strcmp(o->format, "html") != 0;

	if (!is_module(o))
		return LT_OK;
	for (size_t i = 0; i < sizeof others / sizeof *others && !o->format && !o->single; i++)
		other = other || ends_in(o->output, others[i]);
	if (other)
		return lt_fail(ctx, LT_EINVAL, "the target " BUILD_MODULE " is a module for JavaScript: give -o the name of a "
			"folder, or one that ends in .html, and leave --format out");
	if (o->target && strcmp(o->target, BUILD_MODULE) != 0)
		return lt_fail(ctx, LT_EINVAL, "a module for JavaScript is for the target " BUILD_MODULE ", not %s: leave --target "
			"out", o->target);
	if (o->single && o->format && strcmp(o->format, "html") != 0)
		return lt_fail(ctx, LT_EINVAL, "--single and --format wasm contradict each other");
	o->target = BUILD_MODULE;
	if (o->single)
		o->format = "html";
	return LT_OK;
}

static unsigned mode_of(const struct build_options *o)
{
	const char *dot = o->output ? strrchr(o->output, '.') : NULL;

	if (lt__board_find(o->target))
		return TEXT;
	if (is_module(o))
		return MODULE;
	if (!o->format)
		return !dot ? BINARY : !strcmp(dot, ".c") ? TEXT : !strcmp(dot, ".a") || !strcmp(dot, ".so") ? LIBRARY : BINARY;
	return !strcmp(o->format, "exe") ? BINARY : !strcmp(o->format, "c") ? TEXT : LIBRARY;
}

lt_status build_options_read(struct lt_context *ctx, int argc, char **argv, struct build_options *o, bool *done)
{
	struct lt_given given;

	*o = (struct build_options){ .cc_timeout_ms = 1800000, .verify_seconds = 600 };
	LT_TRY(lt__options_read(ctx, &build_tool, argc, argv, o, &given));
	*done = given.done;
	if (given.done)
		return LT_OK;
	if (o->relaxed && !is_module(o))
		return lt_fail(ctx, LT_EINVAL, "--relaxed is of modules of WebAssembly: give --target " BUILD_MODULE ", too");
	LT_TRY(lt__options_together(ctx, &build_tool, &given, mode_of(o)));
	if (argc - given.first > 1)
		return lt_fail(ctx, LT_EINVAL, "one model at a time: '%s' and '%s'", argv[given.first], argv[given.first + 1]);
	if (argc == given.first)
		return lt_fail(ctx, LT_EINVAL, "a model is missing: lt-build MODEL -o NAME (lt-build -h says more)");
	o->model = argv[given.first];
	if (!o->output || !*o->output)
		return lt_fail(ctx, LT_EINVAL, "a name for what is built is missing: lt-build MODEL -o NAME");
	LT_TRY(check_module(ctx, o));
	if (o->no_verify && o->emulator)
		return lt_fail(ctx, LT_EINVAL, "--no-verify and --emulator contradict each other");
	if (o->schedule && !strcmp(o->schedule, "-") && !strcmp(o->model, "-"))
		return lt_fail(ctx, LT_EINVAL, "the model and the schedule cannot both come from standard input");
	LT_TRY(check_files(ctx, "--verify-inputs", &o->inputs));
	return check_files(ctx, "--weights", &o->weights);
}

void build_options_free(struct build_options *o)
{
	lt__options_free(&build_tool, o);
}
