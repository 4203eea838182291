/* options.c -- lt-run's command line: its table of options, and what only the whole of it can show. */
#include <stdlib.h>
#include <string.h>
#include "backends/cpu/cpu.h"
#include "base/arena.h"
#include "lt/kernel.h"
#include "tools/run/run.h"
#include "tools/common/common.h"

/* What is asked for. */
enum { LIST = 1, CACHE = 2, DIFF = 4, CHECK = 8, GRAPH = 16, PROGRAM = 32, RUN = 64,
	TENSORS = RUN | PROGRAM | GRAPH | CHECK, LOOPS = RUN | PROGRAM | CHECK, PRINTS = PROGRAM | GRAPH | DIFF };

static const struct lt_mode modes[] = {
	{ LIST, "--list-backends", "which lists them and ends" },
	{ CACHE, "--cache", "which looks after compiled code and ends" },
	{ DIFF, "--dump=diff", "which compares two files and ends" },
	{ CHECK, "--check-schedule", "which runs nothing" },
	{ GRAPH, "--dump=graph, dot or script", "which prints the graph and ends" },
	{ PROGRAM, "--dump", "which prints instead of running" },
	{ RUN, "a run", NULL },
	{ 0 }
};

static const char *target_at(int i)
{
	return i < (int)lt__cpu_model_count() ? lt__cpu_model_at((uint32_t)i)->name : NULL;
}

static const char *pass_at(int i)
{
	static const char letters[][2] = {
#define PASS(letter, name, what) { letter, '\0' },
#include "ir/pass/pass.def"
#undef PASS
	};

	return i < (int)(sizeof letters / sizeof *letters) ? letters[i] : NULL;
}

static lt_status take_apply(struct lt_context *ctx, void *options, char *value)
{
	struct run_options *o = options;

	if (o->apply)
		return lt_fail(ctx, LT_EINVAL, "--apply is given twice; one takes several steps, with ';' between them");
	o->apply = value;
	return LT_OK;
}

lt_status run_verify_take(const char *value, bool *verify, bool *allow_unbounded)
{
	*verify = true;
	*allow_unbounded = value != NULL;
	return LT_OK;
}

static lt_status take_verify(struct lt_context *ctx, void *options, char *value)
{
	struct run_options *o = options;

	(void)ctx;
	return run_verify_take(value, &o->verify, &o->allow_unbounded);
}

static lt_status take_time(struct lt_context *ctx, void *options, char *value)
{
	struct run_options *o = options;

	o->time = -1;
	return value ? lt__count_read(ctx, "--time", value, 1, 1000000000, &o->time) : LT_OK;
}

static lt_status take_profile(struct lt_context *ctx, void *options, char *value)
{
	struct run_options *o = options;

	o->profile = true;
	o->trace = value;
	(void)ctx;
	return LT_OK;
}

static lt_status take_pass(struct lt_context *ctx, void *options, char *value)
{
	((struct run_options *)options)->pass = value[0];
	return strlen(value) == 1 ? LT_OK : lt_fail(ctx, LT_EINVAL, "-d takes the letter of one pass, not '%s'", value);
}

static const char *step_at(int i)
{
	static const char letters[] = "A\0B\0C\0D\0E\0F\0G\0H\0I\0J\0K\0L\0M\0N\0O\0P\0Q\0R\0S\0T\0U\0V\0W\0X\0Y\0Z";
	const struct lt_kernel_step *s = lt_kernel_step_at((uint32_t)i);

	return s ? letters + 2 * (s->letter - 'A') : NULL;
}

static lt_status take_step(struct lt_context *ctx, void *options, char *value)
{
	char known[200];

	((struct run_options *)options)->kernel_step = value[0];
	for (int i = 0; step_at(i); i++)
		if (!strcmp(step_at(i), value))
			return LT_OK;
	lt__option_words(&(struct lt_tool_option){ .list = step_at }, known, sizeof known);
	return lt_fail(ctx, LT_EINVAL, "-k takes the letter of a step of kernel programs, not '%s': %s", value, known);
}

#define AT(member) LT_MEMBER(struct run_options, member)
#define SPECS LT_VALUES("zeros", "ones", "iota", "random", "*.npy")
#define TENSOR_FILES LT_VALUES("*.npz", "*.safetensors")

static const struct lt_tool_option rows[] = {
	{ .help = "Tensors in" },
	{ 'i', "input", "NAME=SPEC", TAKE_LIST, AT(input), .help = "an input; SPEC: FILE.npy, zeros, ones, VALUE, iota, "
		"random[:SEED] (normal "
		"distribution; integers small, or in the range the script needs); NAME *: all others", TENSORS, SPECS },
	{ 0, "inputs", "FILE", TAKE_LIST, AT(inputs), .help = "all inputs by name, from a .npz or .safetensors; given several "
		"times: one evaluation each, in "
		"order, state kept", TENSORS, TENSOR_FILES },
	{ 'c', "constant", "NAME=SPEC", TAKE_LIST, AT(constant), .help = "a constant, as --input gives an input", TENSORS,
		SPECS },
	{ 'w', "weights", "FILE", TAKE_LIST, AT(weights), .help = "constants by name, from a .npz or .safetensors; may be "
		"given several times; those that are not given are read from NAME.safetensors, if it is beside NAME.lt", TENSORS,
		TENSOR_FILES },

	{ .help = "Models (.onnx)" },
	{ 0, "dim", "NAME=N", TAKE_LIST, AT(dim),
		.help = "the extent of a symbolic dimension, or of axis I of an input: "
			"NAME.I=N",
		TENSORS },
	{ 0, "fix", "NAME=FILE", TAKE_LIST, AT(fix),
		.help = "makes an input a constant: one that decides shapes, axes or "
			"which part of the model is run",
		TENSORS, LT_VALUES("*.npy") },

	{ .help = "Tensors out" },
	{ 'o', "output", "FILE", TAKE_TEXT, AT(output),
		.help = "writes the results as .npy, .npz or .safetensors (several "
			"results: one of the last two); %d in the "
			"name becomes the number of the evaluation, one file each; with --dump: the text",
		RUN | PRINTS, LT_VALUES("*.npy", "*.npz", "*.safetensors") },
	{ 0, "real", NULL, TAKE_FLAG, AT(real), .help = "results whose integers stand for numbers (MeansNode of a script, "
		"'means scale' of a graph) as these, in float64", RUN },
	{ 0, "json", NULL, TAKE_FLAG, AT(json), .help = "results and reports as one JSON object", RUN | CACHE | LIST },
	{ 'q', "quiet", NULL, TAKE_FLAG, AT(quiet),
		.help = "no results and no progress; only what is asked for, and errors" },

	{ .help = "Running" },
	{ 'n', "runs", "N", TAKE_COUNT, AT(runs),
		.help = "evaluates N times (all --inputs in order, N times), state kept", RUN },
	{ 'b', "backend", "NAME[:CONFIG][,NAME...]", TAKE_TEXT, AT(backends),
		.help = "the first that takes a kernel runs it; "
			"default: the best that works here; "
			"cpu:O0 to cpu:O3: how far the C compiler optimizes, O3 by default",
		TENSORS, .list = lt__backend_offered },
	{ 0, "target", "NAME", TAKE_TEXT, AT(target),
		.help = "the processor to make loops and code for: %v; default: native, "
			"this one; short for -b cpu:target=NAME",
		TENSORS, .list = target_at },
	{ 0, "use-source", "FILE", TAKE_TEXT, AT(use_source),
		.help = "runs the C in FILE, which --dump=source -b cpu wrote "
			"and you have edited; means -b cpu",
		RUN, LT_VALUES("*.c") },
	{ 'B', "load", "FILE.so", TAKE_LIST, AT(load),
		.help = "loads a backend (also from the files and folders in "
			"$LT_BACKEND_PATH)",
		0, LT_VALUES("*.so") },
	{ 0, "list-backends", NULL, TAKE_FLAG, AT(list),
		.help = "which there are, whether they work here, and "
			"which is the default" },
	{ 0, "kernels", "DIR", TAKE_TEXT, AT(kernels), .help = "operations of your own: DIR/NAME.lt is a function and says "
		"what one means, DIR/NAME.c is its kernel", TENSORS, LT_VALUES("/") },
	{ 0, "strict", NULL, TAKE_FLAG, AT(strict), .help = "a kernel that the first backend refuses is an error",
		TENSORS },
	{ 0, "threads", "N", TAKE_COUNT, AT(threads),
		.help = "at most N threads for compiling and running; default: one for "
			"each processor" },
	{ 0, "no-capture", NULL, TAKE_FLAG, AT(no_capture),
		.help = "always runs kernels one by one, also where a backend "
			"could repeat a whole run by one call",
		RUN },
	LT_BUDGET_OPTION(TENSORS),
	{ 0, "on-device", NULL, TAKE_FLAG, AT(on_device), .help = "inputs and results are in the memory of the device that "
		"runs the kernels: nothing of them crosses in a run", RUN },
	{ 0, "no-passes", NULL, TAKE_FLAG, AT(no_passes), .help = "compiles the graph as it was parsed", TENSORS },
	{ 0, "schedule", "FILE", TAKE_TEXT, AT(schedule), .help = "runs by the loops in FILE: a tree, as --dump=tree prints "
		"it, or a list of primitives", LOOPS,
		LT_VALUES("*.tree", "*.schedule") },
	{ 0, "apply", "STEPS", TAKE_OWN, AT(apply), .help = "changes those loops, or the default ones, by primitives: \"split "
		"i 8; unroll i'\"", LOOPS, .own = take_apply },
	{ 0, "symbols", "FOLDER", TAKE_TEXT, AT(symbols), .help = "keeps the text and the code of kernels there, with symbols "
		"and lines, for gdb and perf (backends cpu and llvm); nothing is cached", RUN, LT_VALUES("/") },
	{ 0, "cc", "CMD", TAKE_TEXT, AT(cc), .help = "the C compiler, for the backend cpu, which it means; default: "
		"$CC, or cc" },
	{ 0, "cc-timeout", "S", TAKE_TIMEOUT, AT(cc_timeout_ms), .help = "a C compiler that takes longer than S seconds for a "
		"kernel is ended, and has failed; default: 60" },
	{ 0, "cache-dir", "DIR", TAKE_TEXT, AT(cache_dir), .help =
		"where compiled code is kept; default: $XDG_CACHE_HOME/looptree or ~/.cache/looptree", 0, LT_VALUES("/") },
	{ 0, "no-cache", NULL, TAKE_FLAG, AT(no_cache), .help = "caches no compiled code, and uses none from the cache" },
	{ 0, "cache", "=stats|clear", TAKE_CHOICE, AT(cache), .help = "says how many compiled kernels are cached and how "
		"large they are, or removes them", CACHE,
		LT_VALUES("stats", "clear") },

	{ .help = "Looking" },
	{ 0, "verify", "[=allow-unbounded]", TAKE_OWN, AT(verify), .help = "judges every kernel, result and state by the "
		"reference evaluator; exit code 1 if something is "
		"wrong, 3 if rounding may explain any value of some elements, which --verify=allow-unbounded lets pass", RUN,
			LT_VALUES("allow-unbounded"),
		.own = take_verify },
	{ 0, "time", "[=N]", TAKE_OWN, AT(time), .help = "after the evaluations, times N more runs, and says what the "
		"compiler did; default: as many as take half a second, "
		"at least 3", RUN, .own = take_time },
	{ 0, "profile", "[=FILE.json]", TAKE_OWN, AT(profile), .help = "after the evaluations, runs as --time does and says "
		"what each kernel took, slowest first, beside what the machine can do; FILE: a trace of some runs, for Perfetto "
		"and chrome://tracing", RUN, LT_VALUES("*.json"), .own = take_profile },
	{ 0, "view", "FILE.html", TAKE_TEXT, AT(view), .help = "the same as a page for a browser: the loop tree as boxes, "
		"with extents, footprints and times, beside the script; no server, no network", RUN, LT_VALUES("*.html") },
	{ 0, "dump", "=KIND", TAKE_CHOICE, AT(dump), .help = "prints instead of running: %v; script, with -o, "
		"writes the weights beside it; schedule: what default trees of microcontrollers are made by; explain: what --explain "
		"says, without data and without a device; diff takes two files with trees, and the exit code is 1 if they differ",
		PRINTS,
		LT_VALUES("graph", "dot", "script", "tree", "access", "frozen", "kernel", "source", "asm", "stats", "plan",
			"schedule", "explain", "diff") },
	{ 'd', NULL, "LETTER", TAKE_OWN, AT(pass), .help = "with --dump=graph, dot or script: the graph after that pass (%v)",
		GRAPH, .list = pass_at, .own = take_pass },
	{ 'k', NULL, "LETTER", TAKE_OWN, AT(kernel_step), .help = "with --dump=kernel: kernel programs after that step (%v), "
		"instead of finished ones", PROGRAM, .list = step_at, .own = take_step },
	{ 0, "check-schedule", NULL, TAKE_FLAG, AT(check_schedule), .help = "says whether --schedule and --apply fit the "
		"script, or which line does not, and why; exit code 1",
		CHECK },
	{ 0, "explain", NULL, TAKE_FLAG, AT(explain),
		.help = "says which backend takes which kernel, why the others do not, "
			"and what it decided",
		RUN },
	{ 'v', "verbose", NULL, TAKE_FLAG, AT(verbose), .help = "says on standard error what is done" }, { 0 } };

const struct lt_tool run_tool = {
	.name = "lt-run",
	.usage = "lt-run [options] SCRIPT                 (SCRIPT -: standard input)\n"
		"       lt-run --dump=diff A B\n"
		"       lt-run --list-backends\n"
		"       lt-run --cache=stats|clear",
	.about = "Compiles a script of tensor operations, a graph in its text form or a model of ONNX, and runs it.",
	.operand = { .arg = "SCRIPT", .values = LT_VALUES("*.lt", "*.graph", "*.onnx", "*.tree") },
	.option = rows,
	.mode = modes,
	.end = "Exit code: 0; 1: a run or a verification failed, a schedule does not apply, two trees differ, or a file "
		"cannot be written;\n"
		"2: a mistake in the options, the script or a file; 3: --verify could not judge some elements.\n"
		"\n"
		"Examples\n"
		"  lt-run softmax.lt -i x=random                        prints the result\n"
		"  lt-run mnist.lt -w weights.safetensors -i image=digits.npy -o out.npy\n"
		"  lt-run model.lt -c '*=random' -i '*=random' --verify --time\n"
		"  lt-run step.lt --inputs t0.npz --inputs t1.npz -o out%d.npz\n"
		"  lt-run --dump=tree softmax.lt                        the loops it becomes\n"
		"  lt-run --dump=tree softmax.lt -o s.tree; edit s.tree; lt-run softmax.lt --schedule s.tree -i x=random --verify\n"
		"  lt-run --dump=source -b cpu softmax.lt -o k.c; edit k.c; lt-run softmax.lt --use-source k.c -i x=random --verify\n"
		"  lt-run model.onnx --dim batch=8 -i image=random --verify\n"
		"  lt-run --dump=graph softmax.lt | lt-run - -i x=ones  a graph's own text is a script, too\n"
		"  lt-run --dump=script model.onnx -o model.lt          a script, and its weights in model.safetensors\n"
		"\n"
		"lt-run(1) says more.\n",
};

bool run_dump_is(const struct run_options *o, const char *kind)
{
	return o->dump && !strcmp(o->dump, kind);
}

bool run_dump_graph(const struct run_options *o)
{
	return run_dump_is(o, "graph") || run_dump_is(o, "dot") || run_dump_is(o, "script");
}

static unsigned asked_for(const struct run_options *o)
{
	return o->list ? LIST : o->cache ? CACHE : run_dump_is(o, "diff") ? DIFF : o->check_schedule ? CHECK :
		run_dump_graph(o) ? GRAPH : o->dump ? PROGRAM : RUN;
}

static lt_status take_operands(struct lt_context *ctx, struct run_options *o, int n, char **word)
{
	const unsigned mode = asked_for(o);
	const struct lt_mode *m = modes;

	while (m->bit != mode)
		m++;
	if (n == 2 && mode == DIFF)
		o->second = word[1];
	else if (n > 1)
		return lt_fail(ctx, LT_EINVAL, "one script at a time: '%s' and '%s'", word[0], word[1]);
	if (n > 0)
		o->script = word[0];
	if (o->script && mode & (LIST | CACHE))
		return lt_fail(ctx, LT_EINVAL, "a script does not go with %s, %s", m->name, m->which);
	if (!o->script && !(mode & (LIST | CACHE | DIFF)) && o->view)
		return lt_fail(ctx, LT_EINVAL, "a script is missing; '%s' is the page that --view writes: lt-run --view FILE.html "
			"SCRIPT", o->view);
	if (!o->script && !(mode & (LIST | CACHE | DIFF)))
		return lt_fail(ctx, LT_EINVAL, "a script is missing: lt-run [options] SCRIPT (lt-run -h says more)");
	if (mode == DIFF && !o->second)
		return lt_fail(ctx, LT_EINVAL, "--dump=diff takes two files with trees: lt-run --dump=diff A B");
	return LT_OK;
}

/* Files with several tensors. */
static lt_status check_files(struct lt_context *ctx, const char *option, const struct lt_texts *files,
	const char *single)
{
	for (int32_t i = 0; i < files->n; i++) {
		enum lt_tensorfile k = lt__tensorfile_kind(files->at[i]);

		if (k != LT_FILE_NPZ && k != LT_FILE_SAFETENSORS)
			return lt_fail(ctx, LT_EINVAL, "%s takes a file that ends in .npz or .safetensors, not '%s'%s%s%s", option,
				files->at[i],
				k == LT_FILE_NPY ? "; for one tensor: " : "", k == LT_FILE_NPY ? single : "", k == LT_FILE_NPY ? " NAME=FILE.npy" :
					"");
	}
	return LT_OK;
}

static lt_status check_output(struct lt_context *ctx, const struct run_options *o)
{
	const char *number = strstr(o->output, "%d");

	if (strchr(o->output, '=') && strcspn(o->output, "/") > strcspn(o->output, "="))
		return lt_fail(ctx, LT_EINVAL, "--output takes one file for all results, which has their names if it is a .npz or "
			".safetensors, not NAME=FILE ('%s'; ./%s is a file of that name)", o->output, o->output);
	if (lt__tensorfile_kind(o->output) == LT_FILE_OTHER)
		return lt_fail(ctx, LT_EINVAL, "--output takes a name that ends in .npy, .npz or .safetensors, not '%s'", o->output);
	if (number && strstr(number + 1, "%d"))
		return lt_fail(ctx, LT_EINVAL, "'%s' has %%d twice", o->output);
	if (o->inputs.n > 1 && !number)
		return lt_fail(ctx, LT_EINVAL, "%d evaluations would overwrite '%s': put %%d in its name for one file each",
			o->inputs.n, o->output);
	return LT_OK;
}

static lt_status check_whole(struct lt_context *ctx, const struct run_options *o)
{
	if (o->check_schedule && !o->schedule && !o->apply)
		return lt_fail(ctx, LT_EINVAL, "--check-schedule goes with --schedule=FILE or --apply=STEPS");
	if (o->kernel_step && !run_dump_is(o, "kernel"))
		return lt_fail(ctx, LT_EINVAL, "-k goes with --dump=kernel");
	if (o->schedule && o->script && !strcmp(o->schedule, "-") && !strcmp(o->script, "-"))
		return lt_fail(ctx, LT_EINVAL, "the script and the schedule cannot both come from standard input");
	if (o->on_device && o->verify)
		return lt_fail(ctx, LT_EINVAL, "--on-device does not go with --verify, which judges by inputs and results on the "
			"host: kernels are the same without it, so verify them so");
	if (o->no_cache && o->cache_dir)
		return lt_fail(ctx, LT_EINVAL, "--no-cache and --cache-dir contradict each other");
	if (o->symbols && o->use_source)
		return lt_fail(ctx, LT_EINVAL, "--symbols keeps what is printed, and --use-source runs your own text: give "
			"--cc 'cc -g' with it");
	LT_TRY(check_files(ctx, "--inputs", &o->inputs, "-i"));
	LT_TRY(check_files(ctx, "--weights", &o->weights, "-c"));
	return o->output && !o->dump ? check_output(ctx, o) : LT_OK;
}

lt_status run_options_read(struct lt_context *ctx, int argc, char **argv, struct run_options *o, bool *done)
{
	struct lt_given given;

	*o = (struct run_options){ .tool = run_tool.name, .runs = 1 };
	LT_TRY(lt__options_read(ctx, &run_tool, argc, argv, o, &given));
	*done = given.done;
	if (given.done)
		return LT_OK;
	LT_TRY(lt__options_together(ctx, &run_tool, &given, asked_for(o)));
	LT_TRY(take_operands(ctx, o, argc - given.first, argv + given.first));
	return check_whole(ctx, o);
}

void run_options_free(struct run_options *o)
{
	lt__options_free(&run_tool, o);
}

struct model_options run_model_options(const struct run_options *o)
{
	return (struct model_options){ .tool = o->tool, .script = o->script, .input = &o->input, .inputs = &o->inputs,
		.inputs_option = "--inputs",
		.constant = &o->constant, .weights = &o->weights, .dim = &o->dim, .fix = &o->fix, .kernels = o->kernels,
		.any_values = run_backends_any_values, .user = o, .names_only = o->dump || o->check_schedule,
		.keep_text = o->view, .quiet = o->quiet, .verbose = o->verbose };
}
