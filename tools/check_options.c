/* tools/check_options.c -- lt-check's command line. */
#include <errno.h>
#include <getopt.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tools/check.h"
#include "tools/temporary.h"
#include "tools/say.h"
#include "tools/timeout.h"

enum { OPT_FILTER = 256, OPT_SEED, OPT_SECONDS, OPT_FULL, OPT_JSON, OPT_REPORT, OPT_LIST, OPT_KEEP, OPT_THREADS, OPT_NO_REDUCE, OPT_VERSION,
	OPT_SCRIPT, OPT_SCHEDULE, OPT_DATA, OPT_PATIENCE, OPT_PART, OPT_GO_ON, OPT_CC_TIMEOUT };
#define GIVEN(option) (1u << ((option) - OPT_FILTER))
static const struct option longs[] = {
	{ "backend", required_argument, NULL, 'b' },    { "load", required_argument, NULL, 'B' },
	{ "filter", required_argument, NULL, OPT_FILTER }, { "seed", required_argument, NULL, OPT_SEED },
	{ "seconds", required_argument, NULL, OPT_SECONDS }, { "full", no_argument, NULL, OPT_FULL },
	{ "json", no_argument, NULL, OPT_JSON },        { "report", required_argument, NULL, OPT_REPORT },
	{ "list", no_argument, NULL, OPT_LIST },        { "keep", required_argument, NULL, OPT_KEEP },
	{ "threads", required_argument, NULL, OPT_THREADS }, { "no-reduce", no_argument, NULL, OPT_NO_REDUCE },
	{ "script", required_argument, NULL, OPT_SCRIPT }, { "schedule", required_argument, NULL, OPT_SCHEDULE },
	{ "data", required_argument, NULL, OPT_DATA }, { "patience", required_argument, NULL, OPT_PATIENCE },
	{ "part", required_argument, NULL, OPT_PART },
	{ "go-on", no_argument, NULL, OPT_GO_ON },      { "cc-timeout", required_argument, NULL, OPT_CC_TIMEOUT },
	{ "verbose", no_argument, NULL, 'v' },          { "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, OPT_VERSION },  { NULL, 0, NULL, 0 }
};

static const char help[] =
	"usage: lt-check [-b NAME[:CONFIG]] [-B FILE.so]... [options]\n"
	"Checks a backend: every operator at every element type, and each clause of the contract, against the graph evaluator.\n\n"
	"  -b, --backend NAME[:CONFIG]  the backend; default: that of the last -B, else cpu\n"
	"  -B, --load FILE.so           load a plug-in; may be repeated\n"
	"      --filter PATTERN         only cases whose name holds PATTERN, or fits it (a glob: 'op/exp/*/zero/*')\n"
	"      --list                   the cases, and do nothing\n"
	"      --full                   all combinations instead of all pairs: hours\n"
	"      --part K/N               part K of N of these cases: what is long, in pieces or on several machines\n"
	"      --seed N                 of data, drawn trees and random graphs; default 1\n"
	"      --seconds S              stop after S seconds, the rest is not run; default 0: no limit\n"
	"      --patience S             a step of a case that takes longer has failed; default 60\n"
	"      --cc-timeout S           a C compiler that takes longer for a kernel is ended, and has failed; default 60\n"
	"      --go-on                  try all cases, even where every one before has ended in one way\n"
	"      --threads N              threads of the backend; default: as many as processors\n"
	"      --json                   all cases and sums as JSON\n"
	"      --report FILE.html       a support matrix to look at\n"
	"      --keep DIR               folder for scripts and trees of reduced failures; default lt-check-failures\n"
	"      --no-reduce              failures are told as they are\n"
	"      --script FILE.lt         checks this graph instead of the suite: a reduced failure, once more;\n"
	"      --schedule FILE.tree     by this tree; --data SEED/SET/SPECIAL/WILD: with these data\n"
	"  -v, --verbose                each case as it is done\n"
	"Exit code: 0 nothing failed, 1 something did, 2 wrong use, 3 nothing failed, and too little was tried to say so.\n";

static int usage(const char *what, const char *value)
{
	lt__say(stderr, "lt-check: %s%s%s (lt-check -h says more)\n", what, value ? " " : "", value ? value : "");
	return 2;
}

/* Of seconds: 0 is one, where zero says so. */
static int take_seconds(const char *option, const char *text, bool zero, double *out)
{
	char *end;
	errno = 0;
	*out = strtod(text, &end);
	if (errno || end == text || *end || !(*out >= 0) || *out > 1e6 || (*out == 0 && !zero))
		return usage(option, zero ? "takes seconds, 0 for no limit" : "takes seconds, more than 0");
	return -1;
}

static int take_threads(const char *text, uint32_t *out)
{
	char *end;
	errno = 0;
	long n = strtol(text, &end, 10);
	*out = (uint32_t)n;
	return errno || end == text || *end || n < 1 || n > 1024 ? usage("--threads", "takes a whole number from 1 to 1024") : -1;
}

/* K/N. */
static int take_part(const char *text, struct check_options *o)
{
	const bool digits = text[strspn(text, "0123456789/")] == '\0' && *text != '/';
	char *slash, *end = "";
	long k = strtol(text, &slash, 10), n = *slash == '/' && slash[1] != '/' ? strtol(slash + 1, &end, 10) : 0;
	if (!digits || *end || k < 1 || k > n || n > 1000000)
		return usage("--part", "takes K/N, as 2/8: 1 <= K <= N");
	o->part = (int)k;
	o->n_part = (int)n;
	return -1;
}

/* A file or a folder has a name. */
static int take_path(const char *option, char *text, const char **out)
{
	*out = text;
	return *text ? -1 : usage(option, "takes a path, and it is empty");
}

static int take_seed(const char *text, uint64_t *out)
{
	char *end;
	errno = 0;
	*out = strtoull(text, &end, 0);
	return errno || end == text || *end || *text == '-' ? usage("--seed", "takes a whole number") : -1;
}

/* NAME:CONFIG is cut in two. */
static int take_backend(struct check_options *o, char *word)
{
	static char name[64];
	size_t n = strcspn(word, ":");
	if (n == 0 || n >= sizeof name)
		return usage("-b", "takes the name of a backend");
	memcpy(name, word, n);
	name[n] = '\0';
	o->word = word;
	o->backend = name;
	o->config = word[n] ? word + n + 1 : "";
	return -1;
}

static int check_take_option(struct check_options *o, int option, char *value)
{
	if (option >= OPT_FILTER)
		o->given |= GIVEN(option);
	switch (option) {
	case 'b':           return take_backend(o, value);
	case 'B':           return take_path("-B", value, &((const char **)(uintptr_t)o->load)[o->n_load++]);
	case 'v':           o->verbose = true; return -1;
	case OPT_FILTER:    o->filter = value; return -1;
	case OPT_LIST:      o->list = true; return -1;
	case OPT_FULL:      o->full = true; return -1;
	case OPT_JSON:      o->json = true; return -1;
	case OPT_NO_REDUCE: o->no_reduce = true; return -1;
	case OPT_REPORT:    return take_path("--report", value, &o->report);
	case OPT_SCRIPT:    return take_path("--script", value, &o->script);
	case OPT_SCHEDULE:  return take_path("--schedule", value, &o->schedule);
	case OPT_DATA:      o->data = value; return -1;
	case OPT_KEEP:      return take_path("--keep", value, &o->keep);
	case OPT_GO_ON:     o->go_on = true; return -1;
	case OPT_CC_TIMEOUT:
		o->cc_timeout_ms = lt__timeout_read(value);
		return o->cc_timeout_ms ? -1 : usage("--cc-timeout", "takes " LT_TIMEOUT_WORDS);
	case OPT_PART:      return take_part(value, o);
	case OPT_SEED:      return take_seed(value, &o->seed);
	case OPT_SECONDS:   return take_seconds("--seconds", value, true, &o->seconds);
	case OPT_PATIENCE:  return take_seconds("--patience", value, false, &o->patience);
	case OPT_THREADS:   return take_threads(value, &o->n_thread);
	case 'h':
		(void)fputs(help, stdout);
		return 0;
	case OPT_VERSION:
		lt__say(stdout, "lt-check %s\n", LT_VERSION);
		return 0;
	default:
		return 2;
	}
}

static const char *name_of(int option)
{
	int i = 0;
	while (longs[i].name && longs[i].val != option)
		i++;
	return longs[i].name;
}

/* Options that say nothing beside another one are refused, not left out in silence. */
static int check_together(const struct check_options *o)
{
	static const struct { int with, without, not_with; } rules[] = {
		{ OPT_DATA, OPT_SCRIPT, 0 }, { OPT_SCHEDULE, OPT_SCRIPT, 0 },
		{ OPT_SCRIPT, 0, OPT_FILTER }, { OPT_SCRIPT, 0, OPT_LIST }, { OPT_SCRIPT, 0, OPT_FULL }, { OPT_SCRIPT, 0, OPT_SEED },
		{ OPT_SCRIPT, 0, OPT_SECONDS }, { OPT_SCRIPT, 0, OPT_JSON }, { OPT_SCRIPT, 0, OPT_REPORT }, { OPT_SCRIPT, 0, OPT_NO_REDUCE },
		{ OPT_SCRIPT, 0, OPT_PART }, { OPT_SCRIPT, 0, OPT_GO_ON },
		{ OPT_LIST, 0, OPT_JSON }, { OPT_LIST, 0, OPT_REPORT }, { OPT_LIST, 0, OPT_SECONDS }, { OPT_LIST, 0, OPT_GO_ON },
	};
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
		if (!(o->given & GIVEN(rules[i].with)))
			continue;
		if (rules[i].without && !(o->given & GIVEN(rules[i].without))) {
			lt__say(stderr, "lt-check: --%s is for --%s, which is not given (lt-check -h says more)\n", name_of(rules[i].with),
				name_of(rules[i].without));
			return 2;
		}
		if (rules[i].not_with && o->given & GIVEN(rules[i].not_with)) {
			lt__say(stderr, "lt-check: --%s says nothing beside --%s (lt-check -h says more)\n", name_of(rules[i].not_with),
				name_of(rules[i].with));
			return 2;
		}
	}
	return -1;
}

static int refuse_path(const char *path)
{
	lt__say(stderr, "lt-check: %s: cannot be written: %s\n", path, strerror(errno));
	return 2;
}

/* What is to be written can be: better now than after an hour. */
static int check_writable(const struct check_options *o)
{
	struct stat is;
	if (o->report) {
		FILE *f = fopen(o->report, "a");
		if (!f)
			return refuse_path(o->report);
		(void)fclose(f);
	}
	if (!(o->given & GIVEN(OPT_KEEP)))
		return -1;
	if (!stat(o->keep, &is)) {
		errno = S_ISDIR(is.st_mode) ? errno : ENOTDIR;
		return S_ISDIR(is.st_mode) && !access(o->keep, W_OK | X_OK) ? -1 : refuse_path(o->keep);
	}
	char *copy = strdup(o->keep);
	bool good = copy && !access(dirname(copy), W_OK | X_OK);        /* it is made when there is something to keep */
	free(copy);
	return good ? -1 : refuse_path(o->keep);
}

int lt__check_options(int argc, char **argv, struct check_options *o)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	int option, code = -1;
	*o = (struct check_options){ .config = "", .temp_dir = lt__temp_dir(), .keep = "lt-check-failures", .seed = 1, .patience = 60,
		.load = calloc((size_t)argc + 1, sizeof *o->load),
		.n_thread = processors > 0 ? (uint32_t)processors : 1 };
	opterr = 0;                     /* it would print the word as it is */
	while (code < 0 && (option = getopt_long(argc, argv, ":b:B:vh", longs, NULL)) != -1)
		code = option == '?' ? usage("there is no such option, or it takes no value:", argv[optind - 1])
			: option == ':' ? usage("this option needs a value:", argv[optind - 1]) : check_take_option(o, option, optarg);
	if (code < 0 && optind < argc)
		code = usage("there is no argument", argv[optind]);
	if (code < 0)
		code = check_together(o);
	if (code < 0)
		code = check_writable(o);
	return code;
}

/* -- commands to copy -- */

void lt__check_word(const char *text, char *out, size_t bytes)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._:=,+-";
	bool bare = *text && strspn(text, plain) == strlen(text);
	size_t n = strlen(out);
	n += (size_t)snprintf(out + n, bytes - n, bare ? " " : " '");
	for (; *text && n + 8 < bytes; text++)
		n += (size_t)snprintf(out + n, bytes - n, *text == '\'' ? "'\\''" : "%c", *text);
	if (!bare)
		(void)snprintf(out + n, bytes - n, "'");
}

void lt__check_backend_words(const struct check_options *o, char *out, size_t bytes)
{
	out[0] = '\0';
	for (int32_t i = 0; i < o->n_load; i++) {
		(void)strncat(out, i ? " -B" : "-B", bytes - strlen(out) - 1);
		lt__check_word(o->load[i], out, bytes);
	}
	(void)strncat(out, out[0] ? " -b" : "-b", bytes - strlen(out) - 1);
	lt__check_word(o->word, out, bytes);
}

void lt__check_limits(const struct check_options *o, char *out, size_t bytes)
{
	size_t n = 0;
	out[0] = '\0';
	if (o->given & GIVEN(OPT_PATIENCE))
		n = (size_t)snprintf(out, bytes, " --patience %.15g", o->patience);
	if (o->given & GIVEN(OPT_THREADS))
		n += (size_t)snprintf(out + n, bytes - n, " --threads %u", (unsigned)o->n_thread);
	if (o->given & GIVEN(OPT_CC_TIMEOUT))
		(void)snprintf(out + n, bytes - n, " --cc-timeout %g", o->cc_timeout_ms * 1e-3);
}

void lt__check_repeat(const struct check_options *o, const char *name, char *out, size_t bytes)
{
	char words[CHECK_COMMAND / 2], limits[80];
	lt__check_backend_words(o, words, sizeof words);
	lt__check_limits(o, limits, sizeof limits);
	size_t n = (size_t)snprintf(out, bytes, "lt-check %s --seed %llu%s%s --filter", words, (unsigned long long)o->seed, o->full ? " --full" : "",
		limits);
	if (n < bytes)
		lt__check_word(name, out, bytes);
}
