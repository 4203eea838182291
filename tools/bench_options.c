/* tools/bench_options.c -- lt-bench's command line. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tools/bench.h"
#include "tools/timeout.h"

enum { OPT_SCHEDULE = 256, OPT_PEER, OPT_THREADS, OPT_SAMPLES, OPT_SECONDS, OPT_PATIENCE, OPT_FILTER, OPT_JSON, OPT_CSV, OPT_PLOT, OPT_CC, OPT_CACHE_DIR,
	OPT_CORETYPES, OPT_SERVE, OPT_LIST, OPT_QUICK, OPT_NO_VENDOR, OPT_VERSION, OPT_CC_TIMEOUT };

static const struct option longs[] = {
	{ "backend", required_argument, NULL, 'b' },    { "load", required_argument, NULL, 'B' },
	{ "schedule", required_argument, NULL, OPT_SCHEDULE }, { "peer", required_argument, NULL, OPT_PEER },
	{ "threads", required_argument, NULL, OPT_THREADS }, { "samples", required_argument, NULL, OPT_SAMPLES },
	{ "seconds", required_argument, NULL, OPT_SECONDS }, { "filter", required_argument, NULL, OPT_FILTER },
	{ "json", required_argument, NULL, OPT_JSON },  { "csv", required_argument, NULL, OPT_CSV },
	{ "plot", required_argument, NULL, OPT_PLOT },  { "cc", required_argument, NULL, OPT_CC },
	{ "patience", required_argument, NULL, OPT_PATIENCE }, { "cc-timeout", required_argument, NULL, OPT_CC_TIMEOUT },
	{ "cache-dir", required_argument, NULL, OPT_CACHE_DIR }, { "coretypes", required_argument, NULL, OPT_CORETYPES },
	{ "serve", required_argument, NULL, OPT_SERVE }, { "list", no_argument, NULL, OPT_LIST },
	{ "quick", no_argument, NULL, OPT_QUICK },      { "no-vendor", no_argument, NULL, OPT_NO_VENDOR },
	{ "quiet", no_argument, NULL, 'q' },            { "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, OPT_VERSION },  { NULL, 0, NULL, 0 }
};

static const char help[] =
"usage: lt-bench [options] SUITE...\n"
"       lt-bench --list [SUITE...]\n"
"       lt-bench --serve NAME\n"
"\n"
"Measures Looptree beside the machine's peak and bandwidth and beside other libraries, in one run.\n"
"\n"
"Suites: gemm, conv, rows, mlp, pointwise, layout, compile; all: every one\n"
"      --list                 the cases, with their operations and bytes\n"
"      --filter TEXT          only cases whose SUITE/NAME has TEXT, or matches it as a pattern (*, ?, [])\n"
"      --threads N[,N...]     numbers of threads; default: 1\n"
"\n"
"Contestants\n"
"  -b, --backend NAME[:CONFIG][,...]\n"
"                             Looptree's backends, each a contestant; default: cpu\n"
"  -B, --load FILE.so         loads a backend (also from $LT_BACKEND_PATH, lt-run(1))\n"
"      --schedule FILE        the first backend by the loops in FILE, beside its default tree\n"
"      --peer CMD             a process that speaks the peer protocol, lt-bench(1)\n"
"      --no-vendor            without OpenBLAS and oneDNN, which take part where they are installed\n"
"      --coretypes LIST       OpenBLAS with these core types, `all` or `none`; default: those near the best\n"
"\n"
"Measuring\n"
"      --samples N            samples of each contestant; default: 7\n"
"      --seconds S            a sample lasts at least S; default: 0.05\n"
"      --patience S           a peer that does not answer for S seconds is ended, and has failed; default: 300\n"
"      --quick                3 short samples: to see that everything works, not how fast\n"
"      --cc CMD               C compiler; default: $CC, or cc\n"
"      --cc-timeout S         ends one that takes longer than S seconds for a kernel; default: 60\n"
"      --cache-dir DIR        keeps compiled code there; default: every kernel is compiled anew\n"
"\n"
"Telling\n"
"      --json FILE            everything that was measured\n"
"      --csv FILE             a line for each row of the table\n"
"      --plot FILE.svg        bars with the peak as a line, and a roofline\n"
"  -q, --quiet                no table\n"
"      --serve NAME           answers as a peer: openblas, onednn, or a backend of Looptree\n"
"  -h, --help                 this text\n"
"      --version\n"
"\n"
"Exit code: 0; 1: a row of Looptree's failed or was wrong, or a file could not be written; 2: a mistake in the options.\n";

void bench_help(FILE *f)
{
	fputs(help, f);
}

static int take_number(const char *option, const char *text, int most, int *out)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(text, &end, 10);
	if (errno || end == text || *end || n < 1 || n > most)
		return bench_usage("%s takes a whole number from 1 to %d, not '%s'", option, most, text);
	*out = (int)n;
	return BENCH_OK;
}

static int take_threads(struct bench_options *o, const char *text)
{
	char *copy = bench_format("%s", text), *rest = NULL;
	int code = BENCH_OK;

	free(o->threads);
	o->threads = bench_alloc((strlen(text) + 1) * sizeof *o->threads);
	o->n_threads = 0;
	for (char *at = strtok_r(copy, ",", &rest); at && code == BENCH_OK; at = strtok_r(NULL, ",", &rest))
		code = take_number("--threads", at, 1024, &o->threads[o->n_threads++]);
	/* What more threads than processors reach is no limit of the machine, and no ratio to it means anything. */
	long most = sysconf(_SC_NPROCESSORS_ONLN);
	for (int i = 0; i < o->n_threads && code == BENCH_OK; i++)
		if (most > 0 && o->threads[i] > most)
			code = bench_usage("--threads %d: this machine has %ld processors", o->threads[i], most);
	if (code == BENCH_OK && o->n_threads == 0)
		code = bench_usage("--threads takes numbers with commas, as in 1,2");
	free(copy);
	return code;
}

static int take_seconds(const char *option, const char *text, int most, double *out)
{
	char *end;

	*out = strtod(text, &end);
	if (end == text || *end || !(*out > 0) || *out > most)
		return bench_usage("%s takes a number above 0 and at most %d, not '%s'", option, most, text);
	return BENCH_OK;
}

static void push(struct bench_words *w, const char *text)
{
	w->at[w->n++] = text;
}

/* Each name between the commas, none of which is empty or there already; the word is cut in place. */
static int push_each(const char *option, struct bench_words *w, char *text)
{
	char *whole = bench_format("%s", text);
	int code = BENCH_OK;

	for (char *at = text, *next; at && code == BENCH_OK; at = next) {
		next = strchr(at, ',');
		if (next)
			*next++ = 0;
		if (!*at)
			code = bench_usage("a name is missing in %s '%s'", option, whole);
		for (int i = 0; i < w->n && code == BENCH_OK; i++)
			if (!strcmp(w->at[i], at))
				code = bench_usage("%s '%s' names '%s' twice", option, whole, at);
		push(w, at);
	}
	free(whole);
	return code;
}

/* Of this kind of machine; which of them the machine runs is another matter. */
static bool is_coretype(const char *name, size_t n)
{
	bool found = (n == 3 && !strncmp(name, "all", n)) || (n == 4 && !strncmp(name, "none", n));

	for (int i = 0; bench_coretypes[i] && !found; i++)
		found = strlen(bench_coretypes[i]) == n && !strncasecmp(bench_coretypes[i], name, n);
	return found;
}

static int take_coretypes(struct bench_options *o, const char *list)
{
	char known[512] = "";

	for (int i = 0; bench_coretypes[i] && strlen(known) + strlen(bench_coretypes[i]) + 3 < sizeof known; i++)
		strcat(strcat(known, i ? ", " : ""), bench_coretypes[i]);
	for (const char *at = list;; at++) {
		size_t n = strcspn(at, ",");

		if (!is_coretype(at, n))
			return bench_usage("--coretypes '%s': there is no core type '%.*s' (there are: %s; all, none)", list, (int)n, at, known);
		at += n;
		if (!*at)
			break;
	}
	o->coretypes = list;
	return BENCH_OK;
}

static int bench_take_option(struct bench_options *o, int c, char *value)
{
	switch (c) {
	case 'b':
		return push_each("--backend", &o->backend, value);
	case 'B': push(&o->load, value); return BENCH_OK;
	case OPT_SCHEDULE: push(&o->schedule, value); return BENCH_OK;
	case OPT_PEER:
		if (!value[strspn(value, " \t\n")])
			return bench_usage("--peer takes a command, and it is empty");
		push(&o->peer, value);
		return BENCH_OK;
	case OPT_THREADS: return take_threads(o, value);
	case OPT_SAMPLES: return take_number("--samples", value, 100000, &o->samples);
	case OPT_SECONDS: return take_seconds("--seconds", value, 3600, &o->seconds);
	case OPT_PATIENCE: return take_seconds("--patience", value, 86400, &o->patience);
	case OPT_FILTER: o->filter = value; return BENCH_OK;
	case OPT_JSON: o->json = value; return BENCH_OK;
	case OPT_CSV: o->csv = value; return BENCH_OK;
	case OPT_PLOT: o->plot = value; return BENCH_OK;
	case OPT_CC: o->cc = value; return BENCH_OK;
	case OPT_CC_TIMEOUT:
		o->cc_timeout_ms = lt__timeout_read(value);
		return o->cc_timeout_ms ? BENCH_OK : bench_usage("--cc-timeout takes " LT_TIMEOUT_WORDS ", not '%s'", value);
	case OPT_CACHE_DIR: o->cache_dir = value; return BENCH_OK;
	case OPT_CORETYPES: return take_coretypes(o, value);
	case OPT_SERVE: o->serve = value; return BENCH_OK;
	case OPT_LIST: o->list = true; return BENCH_OK;
	case OPT_QUICK: o->quick = true; return BENCH_OK;
	case OPT_NO_VENDOR: o->no_vendor = true; return BENCH_OK;
	default: o->quiet = true; return BENCH_OK;
	}
}

static int check_suites(struct bench_options *o)
{
	for (int i = 0; i < o->suite.n; i++) {
		if (!strcmp(o->suite.at[i], "all")) {
			o->suite.n = 0;
			for (const struct bench_suite *s = bench_suites; s->name; s++)
				push(&o->suite, s->name);
			return BENCH_OK;
		}
		if (!bench_suite_find(o->suite.at[i]))
			return bench_usage("there is no suite '%s' (there are gemm, conv, rows, mlp, pointwise, layout, compile; all)", o->suite.at[i]);
	}
	return o->suite.n || o->serve ? BENCH_OK :
		bench_usage("a suite is missing: gemm, conv, rows, mlp, pointwise, layout, compile, or all (lt-bench -h says more)");
}

static int take_suites(struct bench_options *o, int n, char **word)
{
	for (int i = 0; i < n; i++) {
		int code = push_each("the list of suites", &o->suite, word[i]);

		if (code != BENCH_OK)
			return code;
	}
	if (!o->suite.n && o->list)
		push(&o->suite, "all");
	return check_suites(o);
}

int bench_options_parse(int argc, char **argv, struct bench_options *o)
{
	struct bench_words *const words[] = { &o->suite, &o->backend, &o->schedule, &o->peer, &o->load };
	size_t most = (size_t)argc + 16;
	int c, code;

	memset(o, 0, sizeof *o);
	for (int i = 0; i < argc; i++)
		for (const char *at = argv[i]; (at = strchr(at, ',')); at++)
			most++;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		words[i]->at = bench_alloc(most * sizeof(char *));
	opterr = 0;
	optind = 0;
	while ((c = getopt_long(argc, argv, ":b:B:qh", longs, NULL)) != -1) {
		if (c == '?')
			return bench_usage("there is no option '%s' (lt-bench -h lists them)", argv[optind - 1]);
		if (c == ':')
			return bench_usage("the option %s needs a value", argv[optind - 1]);
		if (c == 'h') {
			bench_help(stdout);
			return BENCH_DONE;
		}
		if (c == OPT_VERSION) {
			printf("lt-bench %s\n", lt_version());
			return BENCH_DONE;
		}
		if ((code = bench_take_option(o, c, optarg)) != BENCH_OK)
			return code;
	}
	if ((code = take_suites(o, argc - optind, argv + optind)) != BENCH_OK)
		return code;
	if (o->backend.n == 0)
		push(&o->backend, "cpu");
	if (!o->threads)
		take_threads(o, "1");
	o->samples = o->samples ? o->samples : o->quick ? 3 : 7;
	o->seconds = o->seconds > 0 ? o->seconds : o->quick ? 0.001 : 0.05;
	o->patience = o->patience > 0 ? o->patience : 300;
	if (!o->cc)
		o->cc = getenv("CC") && *getenv("CC") ? getenv("CC") : "cc";
	return BENCH_OK;
}

void bench_options_free(struct bench_options *o)
{
	free(o->suite.at);
	free(o->backend.at);
	free(o->schedule.at);
	free(o->peer.at);
	free(o->load.at);
	free(o->threads);
}
