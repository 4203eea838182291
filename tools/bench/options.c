/* options.c -- lt-bench's command line. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "base/arena.h"
#include "base/nearest.h"
#include "tools/bench/llama.h"
#include "tools/common/common.h"

enum { MAX_BUSY = 1024 };

/* What is asked for: kinds of suites, or these. */
enum { LIST = 32, SERVE = 64, TURNS = BENCH_SINGLE | BENCH_NETS, MODELS = BENCH_NETS | BENCH_STARTS,
	SUITES = TURNS | BENCH_STARTS | BENCH_TEXTS | BENCH_COMPILES };

static const struct lt_mode modes[] = {
	{ LIST, "--list", "which lists cases" },
	{ SERVE, "--serve", "which answers as a peer" },
	{ BENCH_SINGLE, "the suites gemm, conv, rows, mlp, recurrent, pointwise, layout and gpu", NULL },
	{ BENCH_NETS, "the suite nets", NULL },
	{ BENCH_STARTS, "the suite start", NULL },
	{ BENCH_TEXTS, "the suite llama", NULL },
	{ BENCH_COMPILES, "the suite compile", NULL },
	{ 0 }
};

static const char *suite_at(int i)
{
	return bench_suites[i].name;
}

static const char *coretype_at(int i)
{
	return bench_coretypes[i];
}

/* Each name between the commas, none of which is empty or there already; the word is cut in place. */
static lt_status take_each(struct lt_context *ctx, const char *option, struct lt_texts *w, char *text)
{
	const char *whole = lt__scratch(ctx, "%s", text);

	for (char *at = text, *next; at; at = next) {
		next = strchr(at, ',');
		if (next)
			*next++ = 0;
		if (!*at)
			return lt_fail(ctx, LT_EINVAL, "a name is missing in %s '%s'", option, whole);
		for (int i = 0; i < w->n; i++)
			if (!strcmp(w->at[i], at))
				return lt_fail(ctx, LT_EINVAL, "%s '%s' names '%s' twice", option, whole, at);
		LT_TRY(lt__texts_add(ctx, w, at));
	}
	return LT_OK;
}

static lt_status take_backends(struct lt_context *ctx, void *options, char *value)
{
	return take_each(ctx, "--backend", &((struct bench_options *)options)->backend, value);
}

static lt_status take_dtypes(struct lt_context *ctx, void *options, char *value)
{
	return take_each(ctx, "--dtype", &((struct bench_options *)options)->dtype, value);
}

/* Names between commas, or one shape by its sizes, which have commas between them, too. */
static lt_status take_shapes(struct lt_context *ctx, void *options, char *value)
{
	struct lt_texts *shape = &((struct bench_options *)options)->shape;

	return strchr(value, '=') ? lt__texts_add(ctx, shape, value) : take_each(ctx, "--shape", shape, value);
}

static lt_status take_peer(struct lt_context *ctx, void *options, char *value)
{
	if (!value[strspn(value, " \t\n")])
		return lt_fail(ctx, LT_EINVAL, "--peer takes a command, and it is empty");
	return lt__texts_add(ctx, &((struct bench_options *)options)->peer, value);
}

static lt_status take_threads(struct lt_context *ctx, void *options, char *text)
{
	struct bench_options *o = options;
	/* What more threads than processors reach is no limit of the machine, and no ratio to it means anything. */
	const long n_processor = sysconf(_SC_NPROCESSORS_ONLN);
	char *rest = NULL;
	int64_t n;

	free(o->threads);
	o->threads = lt__must_alloc((strlen(text) + 1) * sizeof *o->threads);
	o->n_threads = 0;
	for (char *at = strtok_r(text, ",", &rest); at; at = strtok_r(NULL, ",", &rest)) {
		LT_TRY(lt__count_read(ctx, "--threads", at, 1, 1024, &n));
		o->threads[o->n_threads++] = (int)n;
		if (n_processor > 0 && n > n_processor)
			return lt_fail(ctx, LT_EINVAL, "--threads %d: this machine has %ld processors", (int)n, n_processor);
	}
	return o->n_threads > 0 ? LT_OK : lt_fail(ctx, LT_EINVAL, "--threads takes numbers with commas, as in 1,2");
}

/* Of this kind of machine; which of them the machine runs is another matter. */
static bool is_coretype(const char *name, size_t n)
{
	bool found = (n == 3 && !strncmp(name, "all", n)) || (n == 4 && !strncmp(name, "none", n));

	for (int i = 0; bench_coretypes[i] && !found; i++)
		found = strlen(bench_coretypes[i]) == n && !strncasecmp(bench_coretypes[i], name, n);
	return found;
}

static lt_status take_coretypes(struct lt_context *ctx, void *options, char *list)
{
	char known[512];

	lt__option_words(&(struct lt_tool_option){ .list = coretype_at }, known, sizeof known);
	for (const char *at = list;; at++) {
		size_t n = strcspn(at, ",");

		if (!is_coretype(at, n))
			return lt_fail(ctx, LT_EINVAL, "--coretypes '%s': there is no core type '%.*s' (there are: %s; all, none)", list,
				(int)n, at, known);
		at += n;
		if (!*at)
			break;
	}
	((struct bench_options *)options)->coretypes = list;
	return LT_OK;
}

#define AT(member) LT_MEMBER(struct bench_options, member)

static const struct lt_tool_option rows[] = {
	{ 0, "list", NULL, TAKE_FLAG, AT(list), .help = "the cases, with their operations and bytes" },
	{ 0, "filter", "TEXT[,TEXT...]", TAKE_TEXT, AT(filter), .with = SUITES | LIST,
		.help = "only cases whose SUITE/NAME has one of these, or "
		"matches it as a pattern (*, ?, [])" },

	{ 0, "model", "FILE[:NAME=VALUE,...]", TAKE_LIST, AT(model), .help = "a case of nets and start: a model of "
		"ONNX or a script, its extents (batch=1) and what its inputs are (mask=ones); several times: several cases",
		.values = LT_VALUES("*.onnx", "*.lt") },
	{ 0, "runtime-extents", NULL, TAKE_FLAG, AT(runtime_extents), .with = TURNS | BENCH_STARTS | LIST,
		.help = "extents of nets are 1 to what --model says, "
		"and known when a run starts; of other suites a further contestant has rows, or the batch, left open" },
	{ 0, "no-evaluator", NULL, TAKE_FLAG, AT(no_evaluator), .with = BENCH_NETS,
		.help = "results of nets are compared with another "
		"contestant's, not with the graph evaluator's, which takes minutes" },

	{ 0, "shape", "SHAPE[,SHAPE...]", TAKE_OWN, AT(shape), .with = BENCH_TEXTS | LIST,
		.help = "cases of llama: 260K, 15M, 42M, 110M, 1.1B, 7B, or "
		"one by its sizes (dim=64,hidden=172,layers=5...); several times: several; default: 15M", .values =
		LT_VALUES("260K", "15M", "42M", "110M", "1.1B", "7B"), .own = take_shapes },
	{ 0, "dtype", "TYPE[,TYPE...]", TAKE_OWN, AT(dtype), .with = BENCH_TEXTS | LIST,
		.help = "their types: f32, bf16, f16, int8; default: f32",
		.values = LT_VALUES("f32", "bf16", "f16", "int8"), .own = take_dtypes },
	{ 0, "tokens", "N", TAKE_COUNT, AT(tokens), .with = BENCH_TEXTS | LIST,
		.help = "how many tokens a sample of llama makes; default: 256", .min = 4,
		.max = 1 << 20 },
	{ 0, "prompt", "N", TAKE_COUNT, AT(prompt), .with = BENCH_TEXTS,
		.help = "how many tokens llama reads in one pass, 0: none; default: 256",
		.max = 1 << 20 },
	{ 0, "seed", "N", TAKE_COUNT, AT(seed), .with = BENCH_TEXTS,
		.help = "where the random weights of llama begin; default: 1", .max =
		1 << 30 },
	{ 0, "folder", "DIR", TAKE_TEXT, AT(folder), .with = BENCH_TEXTS,
		.help = "keeps the checkpoints of llama there, and uses those that are "
		"there; it is made; default: temporary ones", .values = LT_VALUES("/") },

	{ .help = "Contestants" },
	{ 'b', "backend", "NAME[:CONFIG][,NAME...]", TAKE_OWN, AT(backend), .with = SUITES,
		.help = "Looptree's backends, each a contestant; "
		"default: the best that works here", .list = lt__backend_offered,
		.own = take_backends },
	{ 'B', "load", "FILE.so", TAKE_LIST, AT(load), .help = "loads a backend (also from the files and folders in "
		"$LT_BACKEND_PATH)", .values = LT_VALUES("*.so") },
	{ 0, "schedule", "FILE", TAKE_LIST, AT(schedule), .with = TURNS,
		.help = "the first backend with the loops in FILE, as "
		"well as with its default tree; several times: several contestants",
		.values = LT_VALUES("*.tree", "*.schedule") },
	{ 0, "kernels", "DIR", TAKE_TEXT, AT(kernels), .with = MODELS,
		.help = "operations of your own, which a model calls: the first backend with their kernels, as well as with "
		"what they mean", .values = LT_VALUES("/") },
	{ 0, "peer", "CMD", TAKE_OWN, AT(peer), .with = MODELS | BENCH_SINGLE,
		.help = "a process that speaks the peer protocol; several times: several "
		"contestants", .own = take_peer },
	{ 0, "run", "PATH", TAKE_TEXT, AT(run), .with = BENCH_TEXTS,
		.help = "run of llama2.c, built outside of Looptree, for the f32 cases of "
		"llama" },
	{ 0, "runq", "PATH", TAKE_TEXT, AT(runq), .with = BENCH_TEXTS,
		.help = "runq of llama2.c, the same for the int8 cases" },
	{ 0, "no-vendor", NULL, TAKE_FLAG, AT(no_vendor), .with = SUITES,
		.help = "without OpenBLAS and oneDNN, on a device cuBLAS, "
		"which take part where they are installed" },
	{ 0, "coretypes", "TYPE[,TYPE...]", TAKE_OWN, AT(coretypes), .with = BENCH_SINGLE,
		.help = "OpenBLAS with these core types, or all, or "
		"none; default: those near the best",
		.values = LT_VALUES("all", "none"), .list = coretype_at, .own = take_coretypes },

	{ .help = "Measuring" },
	{ 0, "threads", "N[,N...]", TAKE_OWN, AT(threads), .with = SUITES,
		.help = "numbers of threads; each case runs with each; default: 1",
		.own = take_threads },
	{ 0, "samples", "N", TAKE_COUNT, AT(samples), .with = SUITES,
		.help = "samples of each contestant; default: 7, in start, llama and compile "
		"5", .min = 1, .max =
		100000 },
	{ 0, "seconds", "S", TAKE_SECONDS, AT(seconds), .with = TURNS | BENCH_TEXTS,
		.help = "a sample lasts at least S seconds, in llama one of the bandwidth; default: 0.05", .max = 3600 },
	{ 0, "busy", "N", TAKE_COUNT, AT(busy), .with = SUITES,
		.help = "N processes compute while something is measured, as on a machine "
		"that others use (--load N, a number, is the same); default: 0", .max = MAX_BUSY },
	{ 0, "patience", "S", TAKE_SECONDS, AT(patience), .with = MODELS | BENCH_SINGLE | BENCH_TEXTS,
		.help = "a peer, or a library, that does not answer for S seconds "
		"is ended, and has failed; default: 300",
		.max = 86400 },
	{ 0, "quick", NULL, TAKE_FLAG, AT(quick), .with = SUITES | LIST,
		.help = "3 samples of a millisecond, in start, llama and compile one: to see that "
		"everything works, not how fast" },
	{ 0, "cc", "CMD", TAKE_TEXT, AT(cc), .with = SUITES | SERVE,
		.help = "the C compiler, for the backend cpu, which it means; "
		"default: $CC, or cc" },
	{ 0, "cc-timeout", "S", TAKE_TIMEOUT, AT(cc_timeout_ms), .with = SUITES | SERVE,
		.help = "a C compiler that takes longer than S seconds for a "
		"kernel is ended, and has failed; default: 60" },
	{ 0, "cache-dir", "DIR", TAKE_TEXT, AT(cache_dir), .with = TURNS | BENCH_TEXTS | SERVE,
		.help = "keeps compiled code there; default: every kernel is "
		"compiled again", .values = LT_VALUES("/") },

	{ .help = "Reports" },
	{ 0, "json", "FILE", TAKE_TEXT, AT(json), .with = SUITES,
		.help = "writes everything that was measured, with every sample and the "
		"machine", .values = LT_VALUES("*.json") },
	{ 0, "csv", "FILE", TAKE_TEXT, AT(csv), .with = TURNS | BENCH_TEXTS,
		.help = "writes a line for each row of the table", .values =
		LT_VALUES("*.csv") },
	{ 0, "plot", "FILE.svg", TAKE_TEXT, AT(plot), .with = TURNS | BENCH_TEXTS,
		.help = "draws bars beside the measured limits, and a roofline",
		.values = LT_VALUES("*.svg") },
	{ 'q', "quiet", NULL, TAKE_FLAG, AT(quiet), .with = SUITES, .help = "no table" },
	{ 0, "serve", "NAME", TAKE_TEXT, AT(serve), .with = SERVE,
		.help = "answers as a peer: openblas, onednn, or a backend of Looptree",
		.values = LT_VALUES("openblas", "onednn"),
		.list = lt__backend_offered },
	{ 0 }
};

const struct lt_tool bench_tool = {
	.name = "lt-bench",
	.usage = "lt-bench [options] SUITE...\n"
		"       lt-bench --list [SUITE...]\n"
		"       lt-bench --serve NAME",
	.about = "Measures Looptree next to the machine's peak and bandwidth and next to other libraries, in one run.",
	.operand = { .arg = "SUITE[,SUITE...]", .help = "%v; all: every one but nets, start, llama and gpu",
		.list = suite_at },
	.option = rows,
	.mode = modes,
	.end = "Exit code: 0; 1: a row of Looptree's failed or was wrong, or a file cannot be written; 2: a mistake in the "
		"options.\n"
		"\n"
		"lt-bench(1) says more.\n",
};

static lt_status take_all(struct lt_context *ctx, struct bench_options *o)
{
	o->suite.n = 0;
	for (int i = 0; bench_suites[i].name; i++)
		/* hours without one; what nobody has named */
		if (strcmp(bench_suites[i].name, "gpu") != 0 && strcmp(bench_suites[i].name, "llama") != 0
			&& !bench_suite_takes_models(bench_suites[i].name))
			LT_TRY(lt__texts_add(ctx, &o->suite, bench_suites[i].name));
	return LT_OK;
}

static lt_status take_suites(struct lt_context *ctx, struct bench_options *o, int n, char **word)
{
	char names[256];

	lt__option_words(&bench_tool.operand, names, sizeof names);
	for (int i = 0; i < n; i++)
		LT_TRY(take_each(ctx, "the list of suites", &o->suite, word[i]));
	if (!o->suite.n && o->list)
		return take_all(ctx, o);
	for (int i = 0; i < o->suite.n; i++) {
		if (!strcmp(o->suite.at[i], "all"))
			return take_all(ctx, o);
		if (!bench_suite_find(o->suite.at[i])) {
			struct lt_nearest near;

			lt__nearest_begin(&near, o->suite.at[i], strlen(o->suite.at[i]));
			for (int k = 0; bench_suites[k].name; k++)
				lt__nearest_add(&near, bench_suites[k].name);
			return lt_fail(ctx, LT_EINVAL, "there is no suite '%s'%s (there are %s; all)", o->suite.at[i], lt__nearest_hint(ctx,
				&near, "'", "'"), names);
		}
	}
	return o->suite.n || o->serve ? LT_OK : lt_fail(ctx, LT_EINVAL, "a suite is missing: %s, or all (lt-bench -h says "
		"more)", names);
}

static lt_status check_plot(struct lt_context *ctx, const struct bench_options *o)
{
	const size_t n = o->plot ? strlen(o->plot) : 0;

	return !o->plot || (n > 4 && !strcmp(o->plot + n - 4, ".svg")) ? LT_OK : lt_fail(ctx, LT_EINVAL, "--plot takes a name "
		"that ends in .svg, not '%s': what it draws is SVG", o->plot);
}

static lt_status check_models(struct lt_context *ctx, const struct bench_options *o)
{
	bool nets = false;

	for (int i = 0; i < o->suite.n; i++)
		nets = nets || bench_suite_takes_models(o->suite.at[i]);
	if (nets && !o->model.n && !o->list)
		return lt_fail(ctx, LT_EINVAL, "the suites nets and start take their cases from --model FILE, as in lt-bench nets "
			"--model resnet50.onnx:batch=1");
	return nets || !o->model.n ? LT_OK : lt_fail(ctx, LT_EINVAL, "--model is for the suites nets and start");
}

/* An option needs one of the suites in which it means something. */
static lt_status check_together(struct lt_context *ctx, const struct bench_options *o, const struct lt_given *given)
{
	unsigned kinds = 0;

	for (int i = 0; i < o->suite.n; i++)
		kinds |= bench_suite_find(o->suite.at[i])->kind;
	if (o->serve && o->suite.n)
		return lt_fail(ctx, LT_EINVAL, "--serve answers as a peer, and has no suites such as '%s'", o->suite.at[0]);
	if (o->list)
		LT_TRY(lt__options_together(ctx, &bench_tool, given, LIST));
	LT_TRY(lt__options_together(ctx, &bench_tool, given, o->serve && !o->list ? SERVE : kinds));
	if (kinds == BENCH_COMPILES && o->n_threads > 1)
		return lt_fail(ctx, LT_EINVAL, "--threads: the suite compile takes one number, and here are %d", o->n_threads);
	if (o->no_vendor && o->coretypes && strcmp(o->coretypes, "none") != 0)
		return lt_fail(ctx, LT_EINVAL, "--no-vendor and --coretypes contradict each other");
	return LT_OK;
}

/* "--load 2" is "--busy 2": a number is no file of a backend. */
static lt_status take_busy(struct lt_context *ctx, struct bench_options *o)
{
	int n = 0;

	for (int i = 0; i < o->load.n; i++) {
		const char *text = o->load.at[i];

		if (!*text || text[strspn(text, "0123456789")])
			o->load.at[n++] = text;
		else if (strlen(text) > 4 || atoi(text) > MAX_BUSY)
			return lt_fail(ctx, LT_EINVAL, "--load %s: at most %d processes (a file is one that ends with .so)", text, MAX_BUSY);
		else
			o->busy = atoi(text);
	}
	o->load.n = n;
	return LT_OK;
}

lt_status bench_options_read(struct lt_context *ctx, int argc, char **argv, struct bench_options *o, bool *done)
{
	struct lt_given given;

	*o = (struct bench_options){ .patience = 300, .prompt = -1, .seed = 1 };
	LT_TRY(lt__options_read(ctx, &bench_tool, argc, argv, o, &given));
	*done = given.done;
	if (given.done)
		return LT_OK;
	LT_TRY(take_busy(ctx, o));
	LT_TRY(take_suites(ctx, o, argc - given.first, argv + given.first));
	LT_TRY(check_models(ctx, o));
	LT_TRY(check_together(ctx, o, &given));
	LT_TRY(bench_llama_check(ctx, o));
	LT_TRY(check_plot(ctx, o));
	if (o->backend.n == 0 && o->cc)
		LT_TRY(lt__texts_add(ctx, &o->backend, "cpu"));
	if (!o->threads)
		LT_TRY(take_threads(ctx, o, (char []){ "1" }));
	o->rounds = o->samples ? o->samples : o->quick ? 1 : 5;
	o->samples = o->samples ? o->samples : o->quick ? 3 : 7;
	o->seconds = o->seconds > 0 ? o->seconds : o->quick ? 0.001 : 0.05;
	if (!o->cc)
		o->cc = getenv("CC") && *getenv("CC") ? getenv("CC") : "cc";
	return LT_OK;
}

void bench_options_free(struct bench_options *o)
{
	lt__options_free(&bench_tool, o);
	free(o->suite.at);
	free(o->backend.at);
	free(o->peer.at);
	free(o->shape.at);
	free(o->dtype.at);
	free(o->threads);
}
