/* tools/run_options.c -- lt-run's command line. */
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "tools/run.h"
#include "tools/say.h"
#include "tools/timeout.h"

enum { OPT_INPUTS = 256, OPT_THREADS, OPT_VERIFY, OPT_TIME, OPT_DUMP, OPT_EXPLAIN, OPT_LIST, OPT_JSON, OPT_VERSION, OPT_STRICT,
	OPT_CC, OPT_CACHE_DIR, OPT_NO_CACHE, OPT_CACHE, OPT_NO_PASSES, OPT_SCHEDULE, OPT_APPLY, OPT_CHECK_SCHEDULE,
	OPT_TARGET, OPT_USE_SOURCE, OPT_NO_CAPTURE, OPT_CC_TIMEOUT };

static const struct option longs[] = {
	{ "input", required_argument, NULL, 'i' },      { "inputs", required_argument, NULL, OPT_INPUTS },
	{ "constant", required_argument, NULL, 'c' },   { "weights", required_argument, NULL, 'w' },
	{ "output", required_argument, NULL, 'o' },     { "runs", required_argument, NULL, 'n' },
	{ "backend", required_argument, NULL, 'b' },    { "load", required_argument, NULL, 'B' },
	{ "threads", required_argument, NULL, OPT_THREADS },
	{ "verify", optional_argument, NULL, OPT_VERIFY },   { "time", optional_argument, NULL, OPT_TIME },
	{ "dump", required_argument, NULL, OPT_DUMP },  { "explain", no_argument, NULL, OPT_EXPLAIN },
	{ "list-backends", no_argument, NULL, OPT_LIST }, { "json", no_argument, NULL, OPT_JSON },
	{ "quiet", no_argument, NULL, 'q' },            { "verbose", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, 'h' },             { "version", no_argument, NULL, OPT_VERSION },
	{ "strict", no_argument, NULL, OPT_STRICT },    { "cc", required_argument, NULL, OPT_CC },
	{ "cache-dir", required_argument, NULL, OPT_CACHE_DIR }, { "no-cache", no_argument, NULL, OPT_NO_CACHE },
	{ "cache", required_argument, NULL, OPT_CACHE }, { "no-passes", no_argument, NULL, OPT_NO_PASSES },
	{ "schedule", required_argument, NULL, OPT_SCHEDULE }, { "check-schedule", no_argument, NULL, OPT_CHECK_SCHEDULE },
	{ "apply", required_argument, NULL, OPT_APPLY }, { "target", required_argument, NULL, OPT_TARGET },
	{ "use-source", required_argument, NULL, OPT_USE_SOURCE },
	{ "no-capture", no_argument, NULL, OPT_NO_CAPTURE }, { "cc-timeout", required_argument, NULL, OPT_CC_TIMEOUT },
	{ NULL, 0, NULL, 0 }
};

static void options_report(const char *fmt, va_list args)
{
	fputs("lt-run: ", stderr);
	lt__vsay(stderr, fmt, args);
	fputc('\n', stderr);
}

int run_usage(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	options_report(fmt, args);
	va_end(args);
	return RUN_USAGE;
}

int run_failed(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	options_report(fmt, args);
	va_end(args);
	return RUN_FAILED;
}

static const char *long_at(const void *user, int32_t i)
{
	(void)user;
	return longs[i].name;
}

/* getopt has refused the word `word`; optopt is the option it knew, if it did. */
static int option_refuse(const char *word)
{
	char name[64];
	const char *near;
	size_t n;
	int32_t n_fit = 0;
	char fits[256] = "";

	if (strncmp(word, "--", 2) != 0)
		return run_usage("there is no option -%c (lt-run -h lists them)", optopt);
	n = strcspn(word + 2, "=");
	if (optopt)
		return run_usage("the option --%.*s takes no value", (int)n, word + 2);
	if (n >= sizeof name)
		return run_usage("there is no option %.60s... (lt-run -h lists them)", word);
	memcpy(name, word + 2, n);
	name[n] = 0;
	for (int32_t i = 0; longs[i].name; i++)
		if (!strncmp(longs[i].name, name, n) && strlen(fits) + 40 < sizeof fits) {
			strcat(strcat(fits, n_fit++ ? ", --" : "--"), longs[i].name);
		}
	if (n > 0 && n_fit > 1)
		return run_usage("the option --%s is short for several: %s", name, fits);
	near = run_nearest(name, (int32_t)(sizeof longs / sizeof *longs) - 1, long_at, NULL);
	return near ? run_usage("there is no option --%s; did you mean --%s?", name, near) :
		run_usage("there is no option --%s (lt-run -h lists them)", name);
}

static int take_count(const char *option, const char *text, int64_t *out)
{
	char *end;
	long long n;

	errno = 0;
	n = strtoll(text, &end, 10);
	if (errno || end == text || *end || n < 1 || n > 1000000000)
		return run_usage("%s takes a whole number from 1 to 1000000000, not '%s'", option, text);
	*out = n;
	return RUN_OK;
}

static int one_of(const char *option, const char *text, const char *const *words, const char *list)
{
	const char *near = run_nearest_of(text, words);

	for (int i = 0; words[i]; i++)
		if (!strcmp(words[i], text))
			return RUN_OK;
	return near ? run_usage("%s has no '%s'; did you mean '%s'? (%s)", option, text, near, list) :
		run_usage("%s has no '%s' (%s)", option, text, list);
}

static void push(struct run_list *l, const char *text)
{
	l->at[l->n++] = text;
}

static int take_flag(struct run_options *o, int c)
{
	*(c == OPT_EXPLAIN ? &o->explain : c == OPT_LIST ? &o->list : c == OPT_JSON ? &o->json :
		c == OPT_STRICT ? &o->strict : c == OPT_NO_CACHE ? &o->no_cache : c == OPT_NO_PASSES ? &o->no_passes :
		c == OPT_CHECK_SCHEDULE ? &o->check_schedule : c == OPT_NO_CAPTURE ? &o->no_capture : c == 'q' ? &o->quiet : &o->verbose) = true;
	return RUN_OK;
}

static int run_take_option(struct run_options *o, int c, const char *value)
{
	static const char *const dumps[] = { "graph", "dot", "tree", "access", "frozen", "source", "asm", "plan", "diff", NULL };
	static const char *const caches[] = { "stats", "clear", NULL };
	static const char *const verifies[] = { "allow-unbounded", NULL };

	switch (c) {
	case 'i': push(&o->input, value); return RUN_OK;
	case 'c': push(&o->constant, value); return RUN_OK;
	case 'w': push(&o->weights, value); return RUN_OK;
	case 'B': push(&o->load, value); return RUN_OK;
	case OPT_INPUTS: push(&o->inputs, value); return RUN_OK;
	case 'o': o->output = value; return RUN_OK;
	case 'b': o->backends = value; return RUN_OK;
	case OPT_SCHEDULE: o->schedule = value; return RUN_OK;
	case OPT_APPLY:
		if (o->apply)
			return run_usage("--apply is given twice; one takes several steps, with ';' between them");
		o->apply = value;
		return RUN_OK;
	case OPT_CC: o->cc = value; return RUN_OK;
	case OPT_CC_TIMEOUT:
		o->cc_timeout_ms = lt__timeout_read(value);
		return o->cc_timeout_ms ? RUN_OK : run_usage("--cc-timeout takes " LT_TIMEOUT_WORDS ", not '%s'", value);
	case OPT_TARGET: o->target = value; return RUN_OK;
	case OPT_USE_SOURCE: o->use_source = value; return RUN_OK;
	case OPT_CACHE_DIR: o->cache_dir = value; return RUN_OK;
	case 'n': return take_count("--runs", value, &o->runs);
	case OPT_THREADS: return take_count("--threads", value, &o->threads);
	case OPT_VERIFY:
		o->verify = true;
		o->allow_unbounded = value != NULL;
		return value ? one_of("--verify", value, verifies, "allow-unbounded, or nothing") : RUN_OK;
	case OPT_TIME:
		o->time = -1;
		return value ? take_count("--time", value, &o->time) : RUN_OK;
	case OPT_DUMP:
		o->dump = value;
		return one_of("--dump", value, dumps, "graph, dot, tree, access, frozen, source, asm, plan, diff");
	case OPT_CACHE:
		o->cache = value;
		return one_of("--cache", value, caches, "stats, clear");
	case 'd':
		o->pass = value[0];
		return strlen(value) == 1 ? RUN_OK : run_usage("-d takes the letter of one pass, not '%s'", value);
	default: return take_flag(o, c);
	}
}

/* What only the whole command line can show. */
static int check_whole(const struct run_options *o)
{
	enum lt_tensorfile kind = o->output ? lt__tensorfile_kind(o->output) : LT_FILE_OTHER;
	const char *number = o->output ? strstr(o->output, "%d") : NULL;

	if (o->dump && !strcmp(o->dump, "diff") && !o->second)
		return run_usage("--dump=diff takes two files with trees: lt-run --dump=diff A B");
	if (o->check_schedule && !o->schedule && !o->apply)
		return run_usage("--check-schedule goes with --schedule=FILE or --apply=STEPS");
	if (o->schedule && o->script && !strcmp(o->schedule, "-") && !strcmp(o->script, "-"))
		return run_usage("the script and the schedule cannot both come from standard input");
	if (!o->script && !o->list && !o->cache)
		return run_usage("a script is missing: lt-run [options] SCRIPT (lt-run -h says more)");
	if (o->no_cache && o->cache_dir)
		return run_usage("--no-cache and --cache-dir contradict each other");
	if (o->pass && (!o->dump || (strcmp(o->dump, "graph") != 0 && strcmp(o->dump, "dot") != 0)))
		return run_usage("-d%c goes with --dump=graph or --dump=dot", o->pass);
	for (int32_t i = 0; i < o->inputs.n + o->weights.n; i++) {
		const char *path = i < o->inputs.n ? o->inputs.at[i] : o->weights.at[i - o->inputs.n];
		enum lt_tensorfile k = lt__tensorfile_kind(path);

		if (k != LT_FILE_NPZ && k != LT_FILE_SAFETENSORS)
			return run_usage("%s takes a file that ends in .npz or .safetensors, not '%s'%s", i < o->inputs.n ? "--inputs" : "--weights",
				path, k == LT_FILE_NPY ? (i < o->inputs.n ? "; for one tensor: -i NAME=FILE.npy" : "; for one tensor: -c NAME=FILE.npy") : "");
	}
	if (!o->output || o->dump)
		return RUN_OK;
	if (kind == LT_FILE_OTHER)
		return run_usage("--output takes a name that ends in .npy, .npz or .safetensors, not '%s'", o->output);
	if (number && strstr(number + 1, "%d"))
		return run_usage("'%s' has %%d twice", o->output);
	if (o->inputs.n > 1 && !number)
		return run_usage("%d evaluations would overwrite '%s': put %%d in its name for one file each", o->inputs.n, o->output);
	return RUN_OK;
}

int run_options_parse(int argc, char **argv, struct run_options *o)
{
	struct run_list *const lists[] = { &o->input, &o->inputs, &o->constant, &o->weights, &o->load };
	int c, code;

	memset(o, 0, sizeof *o);
	o->runs = 1;
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		lists[i]->at = calloc((size_t)argc + 1, sizeof(char *));
		if (!lists[i]->at)
			return run_failed("out of memory");
	}
	opterr = 0;
	optind = 0;
	for (;;) {
		optopt = 0;
		c = getopt_long(argc, argv, ":i:c:w:o:n:b:B:d:qvh", longs, NULL);
		if (c == -1)
			break;
		if (c == '?')
			return option_refuse(argv[optind - 1]);
		if (c == ':')
			return run_usage("the option %s needs a value", argv[optind - 1]);
		if (c == 'h') {
			run_help(stdout);
			return RUN_DONE;
		}
		if (c == OPT_VERSION) {
			printf("lt-run %s\n", lt_version());
			return RUN_DONE;
		}
		if ((code = run_take_option(o, c, optarg)) != RUN_OK)
			return code;
	}
	if (optind + 2 == argc && o->dump && !strcmp(o->dump, "diff"))
		o->second = argv[optind + 1];
	else if (optind + 1 < argc)
		return run_usage("one script at a time: '%s' and '%s'", argv[optind], argv[optind + 1]);
	if (optind < argc)
		o->script = argv[optind];
	return (c = run_check_together(o)) != RUN_OK ? c : check_whole(o);
}

void run_options_free(struct run_options *o)
{
	free(o->input.at);
	free(o->inputs.at);
	free(o->constant.at);
	free(o->weights.at);
	free(o->load.at);
}
