/* options.c -- lt-check's command line, and commands that repeat what it did. */
#include <errno.h>
#include <libgen.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/arena.h"
#include "tools/check/check.h"
#include "tools/common/common.h"

enum { LIST = 1, SCRIPT = 2, SUITE = 4 };
static const struct lt_mode modes[] = {
	{ LIST, "--list", "which lists cases and runs none" },
	{ SCRIPT, "--script", "which checks one graph" },
	{ SUITE, "the suite", NULL },
	{ 0 }
};

/* NAME:CONFIG is cut in two. */
static lt_status take_backend(struct lt_context *ctx, void *options, char *word)
{
	static char name[64];
	struct check_options *o = options;
	size_t n = strcspn(word, ":");

	if (n == 0 || n >= sizeof name)
		return lt_fail(ctx, LT_EINVAL, "--backend takes the name of a backend, not '%s'", word);
	memcpy(name, word, n);
	name[n] = '\0';
	o->word = word;
	o->backend = name;
	o->config = word[n] ? word + n + 1 : "";
	return LT_OK;
}

/* K/N. */
static lt_status take_part(struct lt_context *ctx, void *options, char *text)
{
	struct check_options *o = options;
	const bool digits = text[strspn(text, "0123456789/")] == '\0' && *text != '/';
	char *slash, *end = "";
	long k = strtol(text, &slash, 10), n = *slash == '/' && slash[1] != '/' ? strtol(slash + 1, &end, 10) : 0;

	if (!digits || *end || k < 1 || k > n || n > 1000000)
		return lt_fail(ctx, LT_EINVAL, "--part takes K/N, as 2/8: 1 <= K <= N, not '%s'", text);
	o->part = (int)k;
	o->n_part = (int)n;
	return LT_OK;
}

static lt_status take_seed(struct lt_context *ctx, void *options, char *text)
{
	char *end;

	errno = 0;
	((struct check_options *)options)->seed = strtoull(text, &end, 0);
	return errno || end == text || *end || *text == '-' ? lt_fail(ctx, LT_EINVAL, "--seed takes a whole number, not '%s'",
		text) : LT_OK;
}

#define AT(member) LT_MEMBER(struct check_options, member)

static const struct lt_tool_option rows[] = {
	{ 'b', "backend", "NAME[:CONFIG]", TAKE_OWN, AT(backend),
		.help = "the backend; default: that of the last --load, else the best that works here",
		.list = lt__backend_offered, .own = take_backend },
	{ 'B', "load", "FILE.so", TAKE_LIST, AT(loads), .values = LT_VALUES("*.so"),
		.help = "loads a plug-in; may be repeated (also from the files and folders in $LT_BACKEND_PATH)" },

	{ .help = "Which cases" },
	{ 0, "filter", "PATTERN", TAKE_TEXT, AT(filter),
		.help = "only cases whose name has PATTERN in it, or matches it (a glob: 'op/exp/*/zero/*')", LIST | SUITE },
	{ 0, "list", NULL, TAKE_FLAG, AT(list), .help = "prints the cases, and runs none", LIST | SUITE },
	{ 0, "kernels", "DIR", TAKE_TEXT, AT(kernels), .help = "checks the kernels of your own in DIR instead of the suite: "
		"DIR/NAME.c against what DIR/NAME.lt means", LIST | SUITE, LT_VALUES("/") },
	{ 0, "full", NULL, TAKE_FLAG, AT(full), .help = "all combinations instead of all pairs: hours", LIST | SUITE },
	{ 0, "part", "K/N", TAKE_OWN, AT(part),
		.help = "part K of N of these cases: for what takes long, in pieces or on several machines", LIST | SUITE,
		.own = take_part },
	{ 0, "seed", "N", TAKE_OWN, AT(seed), .help = "of data, drawn trees and random graphs; default: 1", LIST | SUITE,
		.own = take_seed },
	{ 0, "script", "FILE", TAKE_TEXT, AT(script),
		.help = "checks this graph or script instead of the suite: a reduced failure, once more", SCRIPT,
		LT_VALUES("*.lt", "*.graph") },
	{ 0, "schedule", "FILE.tree", TAKE_TEXT, AT(schedule),
		.help = "the tree that --script is run by; default: the default tree", SCRIPT, LT_VALUES("*.tree") },
	{ 0, "data", "SEED/SET/SPECIAL/WILD", TAKE_TEXT, AT(data),
		.help = "the data that --script is run on, as a reduced failure says", SCRIPT },

	{ .help = "Running" },
	{ 0, "seconds", "S", TAKE_SECONDS, AT(seconds),
		.help = "no case begins after S seconds; one that runs is waited for; default: 0, no limit", SUITE, .min = -1 },
	{ 0, "patience", "S", TAKE_SECONDS, AT(patience),
		.help = "a step of a case that takes longer than S seconds has failed; default: 60" },
	{ 0, "cc-timeout", "S", TAKE_TIMEOUT, AT(cc_timeout_ms),
		.help = "a C compiler that takes longer than S seconds for a kernel is ended, and has failed; default: 60" },
	{ 0, "go-on", NULL, TAKE_FLAG, AT(go_on), .help = "tries all cases, even where every one before has ended in one way",
		SUITE },
	{ 0, "threads", "N", TAKE_COUNT, AT(n_thread),
		.help = "threads that the backend may use; default: one for each processor", .min = 1, .max = 1024 },

	{ .help = "Reports" },
	{ 0, "json", NULL, TAKE_FLAG, AT(json), .help = "prints all cases and their sums as JSON; elements and open say how "
		"many elements stood before the judge, and of how many rounding may explain any value", SUITE },
	{ 0, "report", "FILE.html", TAKE_TEXT, AT(report), .help = "writes a support matrix to look at", SUITE,
		LT_VALUES("*.html") },
	{ 0, "keep", "DIR", TAKE_TEXT, AT(keep),
		.help = "the folder for scripts and trees of reduced failures; default: lt-check-failures",
		.values = LT_VALUES("/") },
	{ 0, "no-reduce", NULL, TAKE_FLAG, AT(no_reduce), .help = "failures are reported as they are", LIST | SUITE },
	{ 'v', "verbose", NULL, TAKE_FLAG, AT(verbose), .help = "prints each case as it is done" },
	{ 0 }
};

const struct lt_tool check_tool = {
	.name = "lt-check",
	.usage = "lt-check [-b NAME[:CONFIG]] [-B FILE.so]... [options]\n"
		"       lt-check --list [--filter PATTERN]\n"
		"       lt-check --script FILE [--schedule FILE.tree] [--data SEED/SET/SPECIAL/WILD]",
	.about = "Checks a backend: every operator at every element type, and each clause of the contract, against the graph "
		"evaluator.",
	.option = rows,
	.mode = modes,
	.end = "Exit code: 0: nothing failed; 1: something did, or could not be run or written; 2: a mistake in the options "
		"or a file;\n"
		"3: nothing failed, and too little was tried to say more.\n"
		"\n"
		"lt-check(1) says more.\n",
};

static lt_status refuse_path(struct lt_context *ctx, const char *path)
{
	return lt_fail(ctx, LT_EIO, "%s: cannot be written: %s", path, strerror(errno));
}

/* What is to be written can be: better now than after an hour. */
static lt_status check_writable(struct lt_context *ctx, const struct check_options *o)
{
	struct stat is;

	if (o->report) {
		FILE *f = fopen(o->report, "a");

		if (!f)
			return refuse_path(ctx, o->report);
		(void)fclose(f);
	}
	if (!lt__option_given(&check_tool, &o->given, "keep"))
		return LT_OK;
	if (!stat(o->keep, &is)) {
		errno = S_ISDIR(is.st_mode) ? errno : ENOTDIR;
		return S_ISDIR(is.st_mode) && !access(o->keep, W_OK | X_OK) ? LT_OK : refuse_path(ctx, o->keep);
	}
	char *copy = strdup(o->keep);
	bool good = copy && !access(dirname(copy), W_OK | X_OK);        /* it is made when there is something to keep */

	free(copy);
	return good ? LT_OK : refuse_path(ctx, o->keep);
}

lt_status lt__check_options(struct lt_context *ctx, int argc, char **argv, struct check_options *o)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	*o = (struct check_options){ .config = "", .temp_dir = lt__temp_dir(), .keep = "lt-check-failures", .seed = 1,
		.patience = 60,
		.n_thread = processors > 0 ? (uint32_t)processors : 1 };
	LT_TRY(lt__options_read(ctx, &check_tool, argc, argv, o, &o->given));
	o->load = o->loads.at;
	o->n_load = o->loads.n;
	if (o->given.done)
		return LT_OK;
	if (o->given.first < argc)
		return lt_fail(ctx, LT_EINVAL, "'%s' is no option, and lt-check takes nothing else (lt-check -h lists them)",
			argv[o->given.first]);
	LT_TRY(lt__options_together(ctx, &check_tool, &o->given, o->script ? SCRIPT : o->list ? LIST : SUITE));
	if (o->json && !lt__check_has.json)
		return lt_fail(ctx, LT_EUNSUPPORTED, "this lt-check has no library for --json: leave it out");
	if (o->kernels && !lt__check_has.compiler)
		return lt_fail(ctx, LT_EUNSUPPORTED, "--kernels wants a compiler of C, and there is none here: take lt-check of the "
			"machine, with -b cpu or -b llvm");
	/* A case of these kernels is as small as it is; and data of a smaller one are files with JSON in them. */
	o->no_reduce = o->no_reduce || o->kernels || !lt__check_has.json;
	return check_writable(ctx, o);
}

void lt__check_options_free(struct check_options *o)
{
	lt__options_free(&check_tool, o);
}

/* -- commands to copy -- */

/* After what is in out. */
__attribute__((format(printf, 3, 4))) static void append(char *out, size_t bytes, const char *fmt, ...)
{
	size_t n = strlen(out);
	va_list list;

	va_start(list, fmt);
	(void)vsnprintf(out + n, bytes - n, fmt, list);
	va_end(list);
}

void lt__check_backend_words(const struct check_options *o, char *out, size_t bytes)
{
	for (int32_t i = 0; i < o->n_load; i++)
		append(out, bytes, "-B %s ", lt__shell(o->load[i]).text);
	append(out, bytes, "-b %s", lt__shell(o->word).text);
}

void lt__check_limits(const struct check_options *o, char *out, size_t bytes)
{
	if (lt__option_given(&check_tool, &o->given, "patience"))
		append(out, bytes, " --patience %.15g", o->patience);
	if (lt__option_given(&check_tool, &o->given, "threads"))
		append(out, bytes, " --threads %u", (unsigned)o->n_thread);
	if (lt__option_given(&check_tool, &o->given, "cc-timeout"))
		append(out, bytes, " --cc-timeout %g", o->cc_timeout_ms * 1e-3);
}

void lt__check_repeat(const struct check_options *o, const char *name, char *out, size_t bytes)
{
	(void)snprintf(out, bytes, "lt-check ");
	lt__check_backend_words(o, out, bytes);
	append(out, bytes, " --seed %llu%s", (unsigned long long)o->seed, o->full ? " --full" : "");
	lt__check_limits(o, out, bytes);
	if (o->kernels)
		append(out, bytes, " --kernels %s", lt__shell(o->kernels).text);
	append(out, bytes, " --filter %s", lt__shell(name).text);
}
