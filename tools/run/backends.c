/* backends.c -- which backends there are: plug-ins, --list-backends, and the choice when -b names none. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "program/host/host.h"
#include "tools/common/common.h"
#include "tools/run/run.h"

struct backend_facts { char *text; size_t bytes; FILE *to; };

static void write_fact(void *user, const char *text, size_t bytes)
{
	fwrite(text, 1, bytes, ((struct backend_facts *)user)->to);
}

static struct lt_host host_of(const struct run_options *o)
{
	return (struct lt_host){ .size = sizeof (struct lt_host), .n_thread = (uint32_t)o->threads, .cc = o->cc,
		.temp_dir = lt__temp_dir(), .cc_timeout_ms = o->cc_timeout_ms, .parallel_for = lt__host_parallel_for };
}

/* "device=1 NVIDIA H200, 143771 MiB", where there are several. */
static void list_devices(const struct lt_backend *b, struct backend_facts *facts)
{
	struct lt_heard unheard = lt__heard();
	enum { MOST = 64 };

	for (uint32_t i = 0; facts->to && LT_HAS(struct lt_backend, b, device) && i < MOST; i++) {
		struct lt_device d = { .size = sizeof d };
		char line[260];

		if (b->device(i, &d, &unheard.diag))
			return;
		const int n = snprintf(line, sizeof line, "%s %s, %llu MiB\n", d.config, d.name, (unsigned long long)d.bytes >> 20);
		write_fact(facts, line, (size_t)n);
	}
}

/* The device that a session would use, "" if there is no telling, and what that session says of it. */
static bool find_device(const struct lt_backend *b, const struct run_options *o, char *out, size_t bytes,
	struct backend_facts *facts, struct lt_heard *h)
{
	struct lt_host host = host_of(o);
	struct lt_session *session = NULL;

	out[0] = 0;
	lt_status s = b->open(&host, NULL, &session, &h->diag);

	if (s) {
		if (!h->text[0])
			snprintf(h->text, sizeof h->text, "it cannot be opened: %s", lt_status_text(s));
		return false;
	}
	const struct lt_caps *caps = b->caps(session);

	if (!caps) {
		snprintf(h->text, sizeof h->text, "`caps` returned NULL; its author has to fix it");
		b->close(session);
		return false;
	}
	snprintf(out, bytes, "%s", LT_HAS(struct lt_caps, caps, target) && caps->target->name ? caps->target->name : "");
	if (facts->to && LT_HAS(struct lt_backend, b, describe))
		b->describe(session, write_fact, facts);
	b->close(session);
	list_devices(b, facts);
	return true;
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

/* One backend, as it is listed. */
struct listed {
	const struct lt_backend *backend;
	bool is_default;
	int32_t score;                  /* 0 or less: not usable */
	char device[128];
	struct lt_heard heard;
	struct backend_facts facts;
};

static void find_listed(const struct run_options *o, uint32_t i, struct listed *l)
{
	*l = (struct listed){ .backend = lt_backend_at(i), .heard = lt__heard() };
	l->score = l->backend->score(NULL, &l->heard.diag);
	l->facts.to = open_memstream(&l->facts.text, &l->facts.bytes);
	if (l->score > 0 && !find_device(l->backend, o, l->device, sizeof l->device, &l->facts, &l->heard))
		l->score = 0;
	if (l->facts.to)
		fclose(l->facts.to);
}

static const char *why_not(const struct listed *l)
{
	return l->score > 0 ? "" : lt__heard_reason(&l->heard);
}

static void print_json(struct listed *list, uint32_t n)
{
	json_t *out = json_array();

	for (uint32_t i = 0; i < n; i++) {
		const struct lt_backend *b = list[i].backend;

		json_array_append_new(out,
			json_pack("{s:o,s:o,s:o,s:o,s:i,s:b,s:o,s:o,s:o}", "name", lt__json_text(b->name), "version",
				lt__json_text(b->version), "summary", lt__json_text(b->summary), "file",
				lt__json_text(lt_backend_origin(b)), "score", (int)list[i].score, "default", (int)list[i].is_default, "device",
				lt__json_text(list[i].device), "reason", lt__json_text(why_not(&list[i])), "facts",
				json_facts(list[i].facts.text)));
	}
	json_dumpf(out, stdout, LT_JSON_PLAIN);
	putchar('\n');
	json_decref(out);
}

enum { NAME, VERSION, SCORE, DEVICE, N_COLUMN };

static void find_cells(const struct listed *l, const char *cell[N_COLUMN], char *score, size_t bytes)
{
	snprintf(score, bytes, "%d", (int)l->score);
	cell[NAME] = l->backend->name;
	cell[VERSION] = l->backend->version;
	cell[SCORE] = l->score > 0 ? score : "-";
	cell[DEVICE] = l->device[0] ? l->device : "-";
}

/* As wide as the longest of each column; what stands in the last one, and the lines below, may be of any length. */
static void print_table(struct listed *list, uint32_t n)
{
	static const char *const head[N_COLUMN] = { "NAME", "VERSION", "SCORE", "DEVICE" };
	const char *cell[N_COLUMN];
	int width[N_COLUMN];
	char score[16], *rest = NULL;

	for (int c = 0; c < N_COLUMN; c++)
		width[c] = (int)strlen(head[c]);
	for (uint32_t i = 0; i < n; i++) {
		find_cells(&list[i], cell, score, sizeof score);
		for (int c = 0; c < N_COLUMN; c++)
			width[c] = width[c] < (int)strlen(cell[c]) ? (int)strlen(cell[c]) : width[c];
	}
	for (int c = 0; c < N_COLUMN; c++)
		lt__say(stdout, "%-*s  ", width[c], head[c]);
	lt__say(stdout, "SUMMARY\n");
	for (uint32_t i = 0; i < n; i++) {
		const struct lt_backend *b = list[i].backend;
		int indent = width[NAME] + width[VERSION] + width[SCORE] + 6;

		find_cells(&list[i], cell, score, sizeof score);
		for (int c = 0; c < N_COLUMN; c++)
			lt__say(stdout, "%-*s  ", width[c], cell[c]);
		lt__say(stdout, "%s%s\n", list[i].score > 0 ? b->summary : "not usable here: ", why_not(&list[i]));
		if (lt_backend_origin(b))
			lt__say(stdout, "%*sfrom %s\n", indent, "", lt_backend_origin(b));
		for (char *line = list[i].facts.text ? strtok_r(list[i].facts.text, "\n", &rest) : NULL; line;
			line = strtok_r(NULL, "\n", &rest))
			lt__say(stdout, "%*s%s\n", indent, "", line);
	}
}

/* Which of them is taken where none is named, and why. */
static void print_default(const struct listed *list, uint32_t n)
{
	const struct listed *cpu = NULL;

	for (uint32_t i = 0; i < n; i++)
		if (!strcmp(list[i].backend->name, "cpu") && list[i].score > 0)
			cpu = &list[i];
	for (uint32_t i = 0; i < n; i++)
		if (list[i].is_default)
			lt__say(stdout, "default: %s, whose score is the highest%s\n", list[i].backend->name,
				!cpu || cpu == &list[i] ? "" : "; cpu for what it refuses, and for --cc, --target and --use-source");
}

lt_status run_backends_list(struct run *r)
{
	LT_TRY(lt__plugins_find(r->ctx, r->o.tool));
	uint32_t n = lt_backend_count();
	struct listed *list = calloc(n + 1, sizeof *list), *best = NULL;

	if (!list)
		return lt_fail(r->ctx, LT_ENOMEM, "out of memory");
	for (uint32_t i = 0; i < n; i++) {
		find_listed(&r->o, i, &list[i]);
		if (list[i].score > (best ? best->score : 0))
			best = &list[i];
	}
	if (best)
		best->is_default = true;
	if (r->o.json) {
		print_json(list, n);
	} else {
		print_table(list, n);
		print_default(list, n);
	}
	for (uint32_t i = 0; i < n; i++)
		free(list[i].facts.text);
	free(list);
	return LT_OK;
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
	size_t n = strcspn(list, ",");
	char *name = strndup(list, n), *config = name ? strchr(name, ':') : NULL;
	const struct lt_backend *b;
	struct lt_heard h = lt__heard();
	struct lt_host host = host_of(o);
	struct lt_session *session = NULL;
	bool any = false;

	if (config)
		*config++ = 0;
	b = name ? lt_backend_find(name) : NULL;
	if (b && b->open(&host, config, &session, &h.diag) == LT_OK) {
		const struct lt_caps *caps = b->caps(session);

		any = caps && LT_HAS(struct lt_caps, caps, any_values);
		b->close(session);
	}
	free(name);
	return any;
}
