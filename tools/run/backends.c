/* backends.c -- which backends there are: plug-ins, --list-backends, and the choice when -b names none. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "lt/backends.h"
#include "program/host/host.h"
#include "tools/common/common.h"
#include "tools/run/run.h"

static struct lt_host host_of(const struct run_options *o)
{
	return (struct lt_host){ .size = sizeof (struct lt_host), .n_thread = (uint32_t)o->threads, .cc = o->cc,
		.temp_dir = lt__temp_dir(), .cc_timeout_ms = o->cc_timeout_ms, .parallel_for = lt__host_parallel_for };
}

/* One backend, as it is listed. */
struct listed {
	struct lt_backend_facts *facts;
	bool is_default;
	char *lines;                    /* what it found, then its devices, if it has several: malloc */
};

static lt_status find_listed(struct run *r, const char *name, struct listed *l)
{
	const struct lt_options o = { .size = sizeof o, .n_thread = (uint32_t)r->o.threads, .cc = r->o.cc,
		.temp_dir = lt__temp_dir(), .cc_timeout_ms = r->o.cc_timeout_ms };
	size_t bytes;
	FILE *to;

	LT_TRY(lt_backend_ask(r->ctx, name, &o, &l->facts));
	to = open_memstream(&l->lines, &bytes);
	if (!to)
		return lt_fail(r->ctx, LT_ENOMEM, "out of memory");
	fputs(l->facts->details, to);
	for (uint32_t i = 0; i < l->facts->n_device; i++)
		fprintf(to, "%s %s, %llu MiB\n", l->facts->device[i].config, l->facts->device[i].name,
			(unsigned long long)l->facts->device[i].bytes >> 20);
	return fclose(to) ? lt_fail(r->ctx, LT_ENOMEM, "out of memory") : LT_OK;
}

static void free_listed(struct listed *list, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		lt_backend_facts_free(list[i].facts);
		free(list[i].lines);
	}
	free(list);
}

static json_t *json_facts(char *text)
{
	json_t *o = json_object();
	char *rest = NULL;

	for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest)) {
		size_t n = strcspn(line, " ");
		char *value = line + n + (line[n] == ' ');

		line[n] = 0;
		json_object_set_new(o, lt__shown(line).text, lt__json_text(value));
	}
	return o;
}

static json_t *json_options(const struct lt_backend_facts *f)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < f->n_option; i++)
		json_array_append_new(list, json_pack("{s:o,s:o,s:o,s:o}", "key", lt__json_text(f->option[i].key), "value",
			lt__json_text(f->option[i].value), "words", lt__json_text(f->option[i].words), "about",
			lt__json_text(f->option[i].about)));
	return list;
}

/* The reason, and what would help. */
static void write_reason(const struct lt_backend_facts *f, char *out, size_t bytes)
{
	snprintf(out, bytes, "%s%s%s", f->reason ? f->reason : "", f->reason && f->remedy ? "; " : "",
		f->reason && f->remedy ? f->remedy : "");
}

static void print_json(struct listed *list, uint32_t n)
{
	json_t *out = json_array();
	char reason[1024];

	for (uint32_t i = 0; i < n; i++) {
		const struct lt_backend_facts *f = list[i].facts;

		write_reason(f, reason, sizeof reason);
		json_array_append_new(out,
			json_pack("{s:o,s:o,s:o,s:o,s:i,s:b,s:o,s:o,s:o,s:o}", "name", lt__json_text(f->name), "version",
				lt__json_text(f->version), "summary", lt__json_text(f->summary), "file",
				lt__json_text(f->file), "score", (int)f->score, "default", (int)list[i].is_default, "device",
				lt__json_text(f->target ? f->target : ""), "reason", lt__json_text(reason), "facts",
				json_facts(list[i].lines), "options", json_options(f)));
	}
	json_dumpf(out, stdout, LT_JSON_PLAIN);
	putchar('\n');
	json_decref(out);
}

enum { NAME, VERSION, SCORE, DEVICE, N_COLUMN };

static void find_cells(const struct lt_backend_facts *f, const char *cell[N_COLUMN], char *score, size_t bytes)
{
	snprintf(score, bytes, "%d", (int)f->score);
	cell[NAME] = f->name;
	cell[VERSION] = f->version;
	cell[SCORE] = f->score > 0 ? score : "-";
	cell[DEVICE] = f->target && *f->target ? f->target : "-";
}

/* As wide as the longest of each column; what stands in the last one, and the lines below, may be of any length. */
static void print_table(struct listed *list, uint32_t n)
{
	static const char *const head[N_COLUMN] = { "NAME", "VERSION", "SCORE", "DEVICE" };
	const char *cell[N_COLUMN];
	int width[N_COLUMN];
	char score[16], reason[1024], *rest = NULL;

	for (int c = 0; c < N_COLUMN; c++)
		width[c] = (int)strlen(head[c]);
	for (uint32_t i = 0; i < n; i++) {
		find_cells(list[i].facts, cell, score, sizeof score);
		for (int c = 0; c < N_COLUMN; c++)
			width[c] = width[c] < (int)strlen(cell[c]) ? (int)strlen(cell[c]) : width[c];
	}
	for (int c = 0; c < N_COLUMN; c++)
		lt__say(stdout, "%-*s  ", width[c], head[c]);
	lt__say(stdout, "SUMMARY\n");
	for (uint32_t i = 0; i < n; i++) {
		const struct lt_backend_facts *f = list[i].facts;
		int indent = width[NAME] + width[VERSION] + width[SCORE] + 6;

		find_cells(f, cell, score, sizeof score);
		write_reason(f, reason, sizeof reason);
		for (int c = 0; c < N_COLUMN; c++)
			lt__say(stdout, "%-*s  ", width[c], cell[c]);
		lt__say(stdout, "%s%s\n", f->score > 0 ? f->summary : "not usable here: ", reason);
		if (f->file)
			lt__say(stdout, "%*sfrom %s\n", indent, "", f->file);
		for (char *line = strtok_r(list[i].lines, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
			lt__say(stdout, "%*s%s\n", indent, "", line);
	}
}

/* Which of them is taken where none is named, and why. */
static void print_default(const struct listed *list, uint32_t n)
{
	const struct listed *cpu = NULL;

	for (uint32_t i = 0; i < n; i++)
		if (!strcmp(list[i].facts->name, "cpu") && list[i].facts->score > 0)
			cpu = &list[i];
	for (uint32_t i = 0; i < n; i++)
		if (list[i].is_default)
			lt__say(stdout, "default: %s, whose score is the highest%s\n", list[i].facts->name,
				!cpu || cpu == &list[i] ? "" : "; cpu for what it refuses, and for --cc, --target and --use-source");
}

lt_status run_backends_list(struct run *r)
{
	LT_TRY(lt__plugins_find(r->ctx, r->o.tool));
	uint32_t n = lt_backend_count();
	struct listed *list = calloc(n + 1, sizeof *list), *best = NULL;
	lt_status s = list ? LT_OK : lt_fail(r->ctx, LT_ENOMEM, "out of memory");

	for (uint32_t i = 0; i < n && !s; i++) {
		s = find_listed(r, lt_backend_name(i), &list[i]);
		if (!s && list[i].facts->score > (best ? best->facts->score : 0))
			best = &list[i];
	}
	if (best)
		best->is_default = true;
	if (!s && r->o.json) {
		print_json(list, n);
	} else if (!s) {
		print_table(list, n);
		print_default(list, n);
	}
	if (list)
		free_listed(list, n);
	return s;
}

/* A backend whose score is 0 or less is not for this machine; its code may be looked at all the same.  One that does
 * not open says so itself when the program is compiled. */
static lt_status check_score(struct run *r, const struct lt_backend *b, const char *config)
{
	const struct run_options *o = &r->o;
	struct lt_heard h = lt__heard(), unheard = lt__heard();
	struct lt_host host = host_of(o);
	struct lt_session *session = NULL;

	if (b->score(config, &h.diag) > 0)
		return LT_OK;
	if (b->open(&host, config, &session, &unheard.diag)) {
		r->unusable = true;
		return LT_OK;
	}
	b->close(session);
	if (o->dump || o->check_schedule)
		return LT_OK;
	return lt_fail(r->ctx, LT_EINVAL, "the backend %s cannot be used here: %s%s", b->name, lt__heard_reason(&h),
		LT_HAS(struct lt_backend, b, dump) ? "; its code can be looked at (--dump=source)" : "");
}

/* What stands at `at` is no backend: perhaps a word of the one before, after a comma. */
static lt_status check_comma(struct run *r, lt_status s, const char *before, const char *at)
{
	const int first = (int)(at - 1 - before), n = (int)strcspn(at, ",");
	char said[1024];

	snprintf(said, sizeof said, "%s", lt_context_message(r->ctx));
	if (!memchr(at, '=', (size_t)n) && (!memchr(before, ':', (size_t)first) || strstr(said, "did you mean")))
		return s;
	return lt_fail(r->ctx, s, "%s; options of one backend have '/' between them: -b %.*s%c%.*s",
		said, first, before, memchr(before, ':', (size_t)first) ? '/' : ':', n, at);
}

/* Each NAME[:CONFIG] of the list must be there. */
static lt_status check_names(struct run *r, const char *list)
{
	const char *before = list;

	for (const char *at = list;; at++) {
		const size_t name = strcspn(at, ":,"), whole = strcspn(at, ",");
		const struct lt_backend *b;

		if (name == 0)
			return lt_fail(r->ctx, LT_EINVAL,
				"a name is missing in --backend '%s': it takes a name, or several with commas", list);

		lt_status s = lt__backend_named(r->ctx, at, name, &b);

		if (s)
			return at > list ? check_comma(r, s, before, at) : s;

		char *config = strndup(at + name + (at[name] == ':'), whole - name - (at[name] == ':'));

		if (!config)
			return lt_fail(r->ctx, LT_ENOMEM, "out of memory");
		s = check_score(r, b, config);
		free(config);
		LT_TRY(s);
		before = at;
		at += whole;
		if (!*at)
			return LT_OK;
	}
}

static bool begins_with_cpu(const char *list)
{
	return !strncmp(list, "cpu", 3) && (!list[3] || list[3] == ':' || list[3] == ',');
}

/* Options of the backend cpu do nothing where another one takes the kernels. */
static lt_status check_cpu(struct run *r, const char *list)
{
	const char *option = r->o.use_source ? "--use-source" : r->o.target ? "--target" : "--cc";
	const char *at = list;

	if (begins_with_cpu(list))
		return LT_OK;
	while (*at && !begins_with_cpu(at)) {
		at += strcspn(at, ",");
		at += *at == ',';
	}
	return lt_fail(r->ctx, LT_EINVAL, "%s is for the backend cpu, which is not %s --backend '%s': give -b cpu, or leave "
		"%s out; what other backends take is written after a colon (-b NAME:WORDS)", option,
		*at ? "the first of" : "in", list, option);
}

/* --target and --use-source are words of the backend cpu, the first of the list: they are put after its own. */
static lt_status choose_cpu(struct run *r, const char *list)
{
	const char *source = r->o.use_source;
	size_t bytes = strlen(list) + 64 + (r->o.target ? strlen(r->o.target) : 0) + (source ? strlen(source) : 0), end;

	if (r->o.target && strpbrk(r->o.target, "/;,"))
		return lt_fail(r->ctx, LT_EINVAL, "--target takes one name, not '%s'", r->o.target);
	if (source && strpbrk(source, ";,"))
		return lt_fail(r->ctx, LT_EINVAL,
			"--use-source takes no file with a ';' or ',' in its name, which part options of backends: "
			"'%s'",
			source);
	r->backends = malloc(bytes);
	if (!r->backends)
		return lt_fail(r->ctx, LT_ENOMEM, "out of memory");
	end = strcspn(list, ",");
	snprintf(r->backends, bytes, "%.*s%s%s%s%s%s%s%s", (int)end, list, list[3] == ':' ? "/" : ":",
		r->o.target ? "target=" : "", r->o.target ? r->o.target : "", r->o.target && source ? "/" : "",
		source ? "source=" : "", source ? source : "", list + end);
	return check_names(r, r->backends);
}

/* The list that is taken where none is named.  What a plug-in refuses goes to the processor. */
static lt_status choose_default(struct run *r)
{
	const struct lt_host host = host_of(&r->o);
	const struct lt_backend *best;

	LT_TRY(lt__plugins_find(r->ctx, r->o.tool));
	best = lt__backend_default(r->o.tool, &host);
	if (!best)
		return lt_fail(r->ctx, LT_EINVAL, "no backend works on this machine (lt-run --list-backends says why)");
	r->backends = malloc(strlen(best->name) + 8);
	if (!r->backends)
		return lt_fail(r->ctx, LT_ENOMEM, "out of memory");
	sprintf(r->backends, "%s%s", best->name, strcmp(best->name, "cpu") != 0 && lt_backend_find("cpu") ? ",cpu" : "");
	return LT_OK;
}

static lt_status choose_list(struct run *r)
{
	if (r->o.backends && !lt__plugins_there(r->o.backends))
		LT_TRY(lt__plugins_find(r->ctx, r->o.tool));
	if (!r->o.backends && !r->o.asks_cpu)
		return choose_default(r);

	const char *list = r->o.backends ? r->o.backends : "cpu";

	LT_TRY(check_names(r, list));
	if (r->o.asks_cpu)
		LT_TRY(check_cpu(r, list));
	if (r->o.target || r->o.use_source)
		return choose_cpu(r, list);
	r->backends = strdup(list);
	return r->backends ? LT_OK : lt_fail(r->ctx, LT_ENOMEM, "out of memory");
}

/* --symbols is a word of those backends that know it, put behind their own. */
static lt_status choose_symbols(struct run *r)
{
	const char *folder = r->o.symbols;
	char here[4096] = "", *text = NULL;
	size_t bytes;
	bool any = false;
	FILE *out;

	if (strpbrk(folder, ";,"))
		return lt_fail(r->ctx, LT_EINVAL, "--symbols takes no folder with a ';' or ',' in its name, which part options of "
			"backends: '%s'", folder);
	if (*folder != '/' && !getcwd(here, sizeof here))
		return lt_fail(r->ctx, LT_EIO, "--symbols: the folder that this is run in has no name; give a whole path");
	out = open_memstream(&text, &bytes);
	for (const char *at = r->backends, *next; out && *at; at = next) {
		const size_t n = strcspn(at, ","), name = strcspn(at, ":,");
		const bool knows = (name == 3 && !strncmp(at, "cpu", 3)) || (name == 4 && !strncmp(at, "llvm", 4));

		any = any || knows;
		fprintf(out, "%.*s", (int)n, at);
		if (knows)
			fprintf(out, "%ssymbols=%s%s%s", name < n ? "/" : ":", here, *here ? "/" : "", folder);
		fprintf(out, "%s", at[n] ? "," : "");
		next = at + n + (at[n] == ',');
	}
	if (!out || fclose(out)) {
		free(text);
		return lt_fail(r->ctx, LT_ENOMEM, "out of memory");
	}
	free(r->backends);
	r->backends = text;
	return any ? LT_OK
		   : lt_fail(r->ctx, LT_EINVAL, "--symbols is for the backends cpu and llvm, and neither is in '%s'", text);
}

lt_status run_backends_choose(struct run *r)
{
	LT_TRY(choose_list(r));
	return r->o.symbols ? choose_symbols(r) : LT_OK;
}

bool run_backends_any_values(const void *options, const char *list)
{
	const struct run_options *o = options;
	const struct lt_options with = { .size = sizeof with, .n_thread = (uint32_t)o->threads, .cc = o->cc,
		.temp_dir = lt__temp_dir(), .cc_timeout_ms = o->cc_timeout_ms };
	char *first = strndup(list, strcspn(list, ","));
	struct lt_context *quiet = NULL;
	struct lt_backend_facts *f = NULL;
	bool any = false;

	if (first && !lt_context_new(&quiet) && !lt_backend_ask(quiet, first, &with, &f))
		any = f->any_values;
	lt_backend_facts_free(f);
	lt_context_free(quiet);
	free(first);
	return any;
}
