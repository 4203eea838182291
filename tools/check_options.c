/* tools/check_options.c -- lt-check's command line. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tools/check.h"

enum { OPT_FILTER = 256, OPT_SEED, OPT_SECONDS, OPT_FULL, OPT_JSON, OPT_REPORT, OPT_LIST, OPT_KEEP, OPT_THREADS, OPT_NO_REDUCE, OPT_VERSION,
	OPT_SCRIPT, OPT_SCHEDULE, OPT_DATA, OPT_PATIENCE };
static const struct option longs[] = {
	{ "backend", required_argument, NULL, 'b' },    { "load", required_argument, NULL, 'B' },
	{ "filter", required_argument, NULL, OPT_FILTER }, { "seed", required_argument, NULL, OPT_SEED },
	{ "seconds", required_argument, NULL, OPT_SECONDS }, { "full", no_argument, NULL, OPT_FULL },
	{ "json", no_argument, NULL, OPT_JSON },        { "report", required_argument, NULL, OPT_REPORT },
	{ "list", no_argument, NULL, OPT_LIST },        { "keep", required_argument, NULL, OPT_KEEP },
	{ "threads", required_argument, NULL, OPT_THREADS }, { "no-reduce", no_argument, NULL, OPT_NO_REDUCE },
	{ "script", required_argument, NULL, OPT_SCRIPT }, { "schedule", required_argument, NULL, OPT_SCHEDULE },
	{ "data", required_argument, NULL, OPT_DATA }, { "patience", required_argument, NULL, OPT_PATIENCE },
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
	"      --seed N                 of data, drawn trees and random graphs; default 1\n"
	"      --seconds S              stop after S seconds; the rest is skipped\n"
	"      --patience S             a step of a case that takes longer has failed; default 60\n"
	"      --threads N              threads of the backend; default: as many as processors\n"
	"      --json                   all cases and sums as JSON\n"
	"      --report FILE.html       a support matrix to look at\n"
	"      --keep DIR               folder for scripts and trees of reduced failures; default lt-check-failures\n"
	"      --no-reduce              failures are told as they are\n"
	"      --script FILE.lt         checks this graph instead of the suite: a reduced failure, once more;\n"
	"      --schedule FILE.tree     by this tree; --data SEED/SET/SPECIAL/WILD: with these data\n"
	"  -v, --verbose                each case as it is done\n"
	"Exit code: 0 nothing failed, 1 something did, 2 wrong use.\n";

static int usage(const char *what, const char *value)
{
	(void)fprintf(stderr, "lt-check: %s%s%s (lt-check -h says more)\n", what, value ? " " : "", value ? value : "");
	return 2;
}

static int take_number(const char *option, const char *text, double *out)
{
	char *end;
	errno = 0;
	*out = strtod(text, &end);
	return errno || end == text || *end || !(*out >= 0) ? usage(option, "takes a number that is not negative") : -1;
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

static int take(struct check_options *o, int option, char *value)
{
	double number;
	int code;
	switch (option) {
	case 'b':           return take_backend(o, value);
	case 'B':           ((const char **)(uintptr_t)o->load)[o->n_load++] = value; return -1;
	case 'v':           o->verbose = true; return -1;
	case OPT_FILTER:    o->filter = value; return -1;
	case OPT_LIST:      o->list = true; return -1;
	case OPT_FULL:      o->full = true; return -1;
	case OPT_JSON:      o->json = true; return -1;
	case OPT_NO_REDUCE: o->no_reduce = true; return -1;
	case OPT_REPORT:    o->report = value; return -1;
	case OPT_SCRIPT:    o->script = value; return -1;
	case OPT_SCHEDULE:  o->schedule = value; return -1;
	case OPT_DATA:      o->data = value; return -1;
	case OPT_KEEP:      o->keep = value; return -1;
	case OPT_SEED:      return take_seed(value, &o->seed);
	case OPT_SECONDS:   return take_number("--seconds", value, &o->seconds);
	case OPT_PATIENCE:  return take_number("--patience", value, &o->patience);
	case OPT_THREADS:
		code = take_number("--threads", value, &number);
		o->n_thread = number < 1024 ? (uint32_t)number : 1024;
		return code;
	case 'h':
		(void)fputs(help, stdout);
		return 0;
	case OPT_VERSION:
		(void)printf("lt-check %s\n", LT_VERSION);
		return 0;
	default:
		return usage("see lt-check -h", NULL);
	}
}

int lt__check_options(int argc, char **argv, struct check_options *o)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	int option, code = -1;
	*o = (struct check_options){ .config = "", .keep = "lt-check-failures", .seed = 1, .patience = 60, .load = calloc((size_t)argc + 1, sizeof *o->load),
		.n_thread = processors > 0 ? (uint32_t)processors : 1 };
	while (code < 0 && (option = getopt_long(argc, argv, "b:B:vh", longs, NULL)) != -1)
		code = take(o, option, optarg);
	if (code < 0 && optind < argc)
		code = usage("there is no argument", argv[optind]);
	return code;
}

static void quoted(const char *text, char *out, size_t bytes)
{
	bool plain = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._:=,+-") == strlen(text);
	size_t n = strlen(out);
	(void)snprintf(out + n, bytes - n, plain ? " %s" : " '%s'", text);
}

void lt__check_backend_words(const struct check_options *o, char *out, size_t bytes)
{
	out[0] = '\0';
	for (int32_t i = 0; i < o->n_load; i++) {
		(void)strncat(out, i ? " -B" : "-B", bytes - strlen(out) - 1);
		quoted(o->load[i], out, bytes);
	}
	(void)strncat(out, out[0] ? " -b" : "-b", bytes - strlen(out) - 1);
	quoted(o->word, out, bytes);
}

void lt__check_repeat(const struct check_options *o, const char *name, char *out, size_t bytes)
{
	char words[600];
	lt__check_backend_words(o, words, sizeof words);
	size_t n = (size_t)snprintf(out, bytes, "lt-check %s --seed %llu%s --filter", words, (unsigned long long)o->seed, o->full ? " --full" : "");
	if (n < bytes)
		quoted(name, out, bytes);
}
