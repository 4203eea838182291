/* tools/run_backends.c -- which backends there are: plug-ins, --list-backends, and the choice when -b names none. */
#include <stdlib.h>
#include <string.h>
#include "tools/plugins.h"
#include "tools/run.h"

/* Keeps the first sentence that a backend says. */
struct heard { struct lt_diag diag; char text[512]; };

static void hear(struct lt_diag *d, const struct lt_note *n)
{
	struct heard *h = (struct heard *)(void *)d;

	if (!h->text[0] && n->text)
		snprintf(h->text, sizeof h->text, "%s%s%s", n->text, n->remedy ? "; " : "", n->remedy ? n->remedy : "");
}

static struct heard listen(void)
{
	return (struct heard){ .diag = { .size = sizeof(struct lt_diag), .tell = hear } };
}

int run_plugins_load(const struct run_options *o)
{
	return lt__plugins_load("lt-run", o->load.at, o->load.n, true, stderr) ? RUN_USAGE : RUN_OK;
}

struct facts { char *text; size_t bytes; FILE *to; };

static void put_fact(void *user, const char *text, size_t bytes)
{
	fwrite(text, 1, bytes, ((struct facts *)user)->to);
}

/* The device that a session would use, "" if there is no telling, and what that session says of it. */
static bool find_device(const struct lt_backend *b, const struct run_options *o, char *out, size_t bytes, struct facts *facts, struct heard *h)
{
	struct lt_host host = { .size = sizeof host, .n_thread = (uint32_t)o->threads, .cc = o->cc };
	struct lt_session *session = NULL;

	out[0] = 0;
	lt_status s = b->open(&host, NULL, &session, &h->diag);

	if (s) {
		if (!h->text[0])
			snprintf(h->text, sizeof h->text, "it cannot be opened: %s", lt_status_text(s));
		return false;
	}
	const struct lt_caps *caps = b->caps(session);

	snprintf(out, bytes, "%s", caps && caps->target && caps->target->name ? caps->target->name : "");
	if (facts->to && LT_HAS(struct lt_backend, b, describe))
		b->describe(session, put_fact, facts);
	b->close(session);
	return true;
}

static void print_facts(char *text)
{
	char *rest = NULL;

	for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest))
		printf("%27s%s\n", "", line);
}

static json_t *json_facts(char *text)
{
	json_t *o = json_object();
	char *rest = NULL;

	for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest)) {
		size_t n = strcspn(line, " ");
		char *value = line + n + (line[n] == ' ');

		line[n] = 0;
		json_object_set_new(o, line, json_string(value));
	}
	return o;
}

int run_backends_list(const struct run_options *o)
{
	json_t *list = json_array();

	if (!o->json)
		printf("%-10s %-8s %-6s %-20s %s\n", "NAME", "VERSION", "SCORE", "DEVICE", "");
	for (uint32_t i = 0; i < lt_backend_count(); i++) {
		const struct lt_backend *b = lt_backend_at(i);
		struct heard h = listen();
		int32_t score = b->score(NULL, &h.diag);
		char device[128] = "";
		struct facts facts = { 0 };

		facts.to = open_memstream(&facts.text, &facts.bytes);
		if (score > 0 && !find_device(b, o, device, sizeof device, &facts, &h))
			score = 0;
		if (facts.to)
			fclose(facts.to);
		const char *why = score > 0 ? "" : h.text[0] ? h.text : "it does not say why";

		if (o->json)
			json_array_append_new(list, json_pack("{s:s,s:s,s:s,s:s?,s:i,s:s,s:s,s:o}", "name", b->name, "version", b->version, "summary",
				b->summary, "file", lt_backend_origin(b), "score", (int)score, "device", device, "reason", why, "facts",
				json_facts(facts.text)));
		else if (score > 0)
			printf("%-10s %-8s %-6d %-20s %s\n", b->name, b->version, score, device, b->summary);
		else
			printf("%-10s %-8s %-6s %-20s %s\n", b->name, b->version, "-", "not usable here:", why);
		if (!o->json && lt_backend_origin(b))
			printf("%27sfrom %s\n", "", lt_backend_origin(b));
		if (!o->json)
			print_facts(facts.text);
		free(facts.text);
	}
	if (o->json) {
		json_dumpf(list, stdout, 0);
		putchar('\n');
	}
	json_decref(list);
	return RUN_OK;
}

static const char *backend_at(const void *user, int32_t i)
{
	(void)user;
	return lt_backend_at((uint32_t)i)->name;
}

/* Whether one of the names between the commas is empty. */
static bool has_gap(const char *list)
{
	for (const char *at = list;; at++) {
		if (!*at || *at == ',' || *at == ':')
			return true;
		at += strcspn(at, ",");
		if (!*at)
			return false;
	}
}

/* Each NAME[:CONFIG] of the list must be there. */
static int check_names(const char *list)
{
	char *copy = strdup(list), *rest = NULL, names[512] = "";
	int code = copy ? RUN_OK : run_failed("out of memory");

	for (uint32_t i = 0; i < lt_backend_count() && strlen(names) + strlen(lt_backend_at(i)->name) + 3 < sizeof names; i++)
		strcat(strcat(names, i ? ", " : ""), lt_backend_at(i)->name);
	if (copy && has_gap(copy))
		code = run_usage("a name is missing in --backend '%s': it takes a name, or several with commas (there are: %s)", list, names);
	for (char *at = copy && code == RUN_OK ? strtok_r(copy, ",", &rest) : NULL; at && code == RUN_OK; at = strtok_r(NULL, ",", &rest)) {
		at[strcspn(at, ":")] = 0;
		if (!lt_backend_find(at)) {
			const char *near = run_nearest(at, (int32_t)lt_backend_count(), backend_at, NULL);

			code = near ? run_usage("there is no backend '%s'; did you mean '%s'? (there are: %s)", at, near, names) :
				run_usage("there is no backend '%s' (there are: %s)", at, names);
		}
	}
	free(copy);
	return code;
}

/* --target and --use-source are words of the backend cpu: they are put behind its own, or it alone is used. */
static int choose_cpu(struct run *r)
{
	const char *list = r->o.backends ? r->o.backends : "cpu", *at = list, *source = r->o.use_source;
	size_t room = strlen(list) + 64 + (r->o.target ? strlen(r->o.target) : 0) + (source ? strlen(source) : 0), end;
	int code = check_names(list);

	if (code != RUN_OK)
		return code;
	if (r->o.target && strpbrk(r->o.target, ";,"))
		return run_usage("--target takes one name, not '%s'", r->o.target);
	if (source && strpbrk(source, ";,"))
		return run_usage("--use-source takes no file with a ';' or ',' in its name, which part options of backends: '%s'", source);
	while (strncmp(at, "cpu", 3) != 0 || (at[3] && at[3] != ':' && at[3] != ',')) {
		at += strcspn(at, ",");
		if (!*at++)
			return run_usage("%s is for the backend cpu, which is not in --backend '%s'", source ? "--use-source" : "--target", list);
	}
	r->backends = malloc(room);
	if (!r->backends)
		return run_failed("out of memory");
	end = (size_t)(at - list) + strcspn(at, ",");
	snprintf(r->backends, room, "%.*s%s%s%s%s%s%s%s", (int)end, list, at[3] == ':' ? ";" : ":", r->o.target ? "target=" : "",
		r->o.target ? r->o.target : "", r->o.target && source ? ";" : "", source ? "source=" : "", source ? source : "", list + end);
	return RUN_OK;
}

/* A plug-in that nobody named must not keep the others from working: one whose device is busy is left out, with a word. */
static bool opens(const struct run_options *o, const struct lt_backend *b)
{
	struct heard h = listen();
	struct facts none = { 0 };
	char device[128];

	if (!lt_backend_origin(b) || find_device(b, o, device, sizeof device, &none, &h))
		return true;
	fprintf(stderr, "lt-run: the backend %s cannot be used: %s (left out)\n", b->name, h.text);
	return false;
}

int run_backends_choose(struct run *r)
{
	const struct lt_backend *best = NULL;
	int32_t most = 0;

	if (r->o.target || r->o.use_source)
		return choose_cpu(r);
	if (r->o.backends) {
		r->backends = strdup(r->o.backends);
		return r->backends ? check_names(r->backends) : run_failed("out of memory");
	}
	for (uint32_t i = 0; i < lt_backend_count(); i++) {
		struct heard h = listen();
		int32_t score = lt_backend_at(i)->score(NULL, &h.diag);

		if (score > most && opens(&r->o, lt_backend_at(i))) {
			most = score;
			best = lt_backend_at(i);
		}
	}
	if (!best)
		return run_failed("no backend works on this machine (lt-run --list-backends says why)");
	/* A plug-in that is preferred need not take everything: what it refuses goes to the processor. */
	r->backends = malloc(strlen(best->name) + 8);
	if (!r->backends)
		return run_failed("out of memory");
	sprintf(r->backends, "%s%s", best->name, strcmp(best->name, "cpu") != 0 && lt_backend_find("cpu") ? ",cpu" : "");
	return RUN_OK;
}

bool run_backends_any_values(const struct run_options *o, const char *list)
{
	size_t n = strcspn(list, ",");
	char *name = strndup(list, n), *config = name ? strchr(name, ':') : NULL;
	const struct lt_backend *b;
	struct heard h = listen();
	struct lt_host host = { .size = sizeof host, .n_thread = (uint32_t)o->threads, .cc = o->cc };
	struct lt_session *session = NULL;
	bool any = false;

	if (config)
		*config++ = 0;
	b = name ? lt_backend_find(name) : NULL;
	if (b && b->open(&host, config, &session, &h.diag) == LT_OK) {
		const struct lt_caps *caps = b->caps(session);

		any = LT_HAS(struct lt_caps, caps, any_values);
		b->close(session);
	}
	free(name);
	return any;
}
