/* target.c -- what the integers take of the microcontroller of --target.  lt-build, which is beside this program, makes
 * the function of a candidate in a temporary folder, runs it where an emulator is, and reports what it takes: that is
 * what it says of the script when it is written. */
#include <stdlib.h>
#include <string.h>
#include "backends/command/command.h"
#include "base/nearest.h"
#include "tools/quantize/quantize.h"

lt_status quantize_target_name(struct lt_context *ctx, const char *name)
{
	struct lt_nearest near;
	char names[256];
	const char *known;
	lt__nearest_begin(&near, name, strlen(name));
	for (int i = 0; (known = lt__micro_at(i)); i++) {
		if (!strcmp(known, name))
			return LT_OK;
		lt__nearest_add(&near, known);
	}
	lt__option_words(&(struct lt_tool_option){ .list = lt__micro_at }, names, sizeof names);
	return lt_fail(ctx, LT_EINVAL, "there is no microcontroller '%s': --target takes %s%s", name, names,
		lt__nearest_hint(ctx, &near, "'", "'"));
}

/* -- lt-build -- */

/* It is installed with this program. */
static char *builder_path(void)
{
	char *own = realpath("/proc/self/exe", NULL), *slash = own ? strrchr(own, '/') : NULL;
	char *path = slash ? lt__must_format("%.*s/lt-build", (int)(slash - own), own) : NULL;
	free(own);
	return path;
}

enum { WORDS = 20, NUMBER = 24 };
struct builder { struct quantizing *z; char *program, *folder, *script, *output, *report; };

static lt_status builder_begin(struct quantizing *z, struct builder *b)
{
	*b = (struct builder){ .z = z, .program = builder_path() };
	if (!b->program || access(b->program, X_OK) != 0)
		return lt_fail(z->ctx, LT_EMISSING, "--target needs lt-build, which is not beside this program%s%s: install both in "
			"one folder", b->program ? ", as " : "", b->program ? b->program : "");
	LT_TRY(lt__tmp_folder(z->ctx, &b->folder));
	b->script = lt__must_format("%s/quantized.lt", b->folder);
	b->report = lt__must_format("%s/report.json", b->folder);
	/* A board gets a folder. */
	b->output = lt__must_format("%s/quantized%s", b->folder, lt__board_find(z->o.target) ? "" : ".c");
	return LT_OK;
}

static void builder_end(struct builder *b)
{
	if (b->folder)
		lt__tmp_folder_drop(b->folder);
	free(b->program);
	free(b->script);
	free(b->report);
	free(b->output);
}

/* What it says of the script, which is gone then, with the name that the script would have. */
static char *with_name(const struct builder *b, const char *said)
{
	const size_t n = strlen(b->script);
	char *all = lt__must_format("%s", "");
	for (const char *at; (at = strstr(said, b->script)); said = at + n) {
		char *more = lt__must_format("%s%.*s%s", all, (int)(at - said), said, b->z->o.output);
		free(all);
		all = more;
	}
	char *whole = lt__must_format("%s%s", all, said);
	free(all);
	return whole;
}

/* Whether what it says is a mistake, as a compiler that is not there, is in its exit code. */
static lt_status builder_failed(struct builder *b, const struct lt_command *c)
{
	static const char own[] = "lt-build: ";
	char *said = with_name(b, !strncmp(c->output, own, sizeof own - 1) ? c->output + sizeof own - 1 : c->output);
	const int n = (int)strlen(said);
	const lt_status s = c->status == -1 ? lt_fail(b->z->ctx, LT_EMISSING, "%s cannot be started: %s", b->program,
		strerror(c->error)) : lt_fail(b->z->ctx, c->status == LT_EXIT_USAGE ? LT_EINVAL : LT_ECOMPILE,
		"--target %s: lt-build says: %.*s%s", b->z->o.target, n && said[n - 1] == '\n' ? n - 1 : n, said,
		c->late ? " (it took longer than an hour)" : n ? "" : "nothing");
	free(said);
	return s;
}

/* run: what is made is run, too, and the room that options say is asked for.  out: NULL: no report is wanted; it is
 * there also where there is no room. */
static lt_status builder_run(struct builder *b, bool run, json_t **out)
{
	struct quantizing *z = b->z;
	const struct { const char *option; int64_t bytes; } room[] = { { "--ram", z->o.ram }, { "--flash", z->o.flash } };
	const char *word[WORDS] = { b->program, b->script, "-o", b->output, "--target", z->o.target, "-q", "--report",
		b->report };
	char number[2][NUMBER];
	int n = 9;
	if (!run)
		word[n++] = "--no-verify";
	for (int i = 0; i < 2 && run; i++)
		if (room[i].bytes) {
			snprintf(number[i], sizeof number[i], "%lld", (long long)room[i].bytes);
			word[n++] = room[i].option;
			word[n++] = number[i];
		}
	struct lt_command c = { .argv = word, .on = "the integers" };
	const struct lt_command_limits limits = { .ms = 3600000, .cancelled = lt__interrupted, .folder = b->folder };
	if (!lt__command_run(&c, 1, 1, &limits, NULL, NULL))
		return lt_fail(z->ctx, LT_ECANCELLED, "interrupted");
	json_t *report = json_load_file(b->report, 0, NULL);
	const bool refused = report && json_is_false(json_object_get(report, "fits"));
	lt_status s = c.status == LT_EXIT_OK || c.status == LT_EXIT_OPEN || refused ? LT_OK : builder_failed(b, &c);
	if (!s && !report)
		s = lt_fail(z->ctx, LT_EIO, "%s has written no report: it and lt-quantize have to be of one version", b->program);
	if (s || !out) {
		json_decref(report);
		return s;
	}
	json_object_del(report, "model");
	if (refused) {
		char *said = with_name(b, json_string_value(json_object_get(report, "refused")));
		json_object_set_new(report, "refused", lt__json_text(said));
		free(said);
	}
	*out = report;
	return LT_OK;
}

lt_status quantize_target_check(struct quantizing *z)
{
	struct builder b;
	lt_status s = builder_begin(z, &b);
	FILE *f = s ? NULL : fopen(b.script, "we");
	if (f)
		fputs("x = InputTensor(x, int8, [1]);\nresult y = MaxNode(x, FullNode(int8, [], 0));\n", f);
	if (!s && (!f || fclose(f) != 0))
		s = lt_fail(z->ctx, LT_EIO, "%s cannot be written: name another folder in TMPDIR", b.script);
	s = s ? s : builder_run(&b, false, NULL);
	builder_end(&b);
	return s;
}

/* -- a candidate -- */

struct needing { struct quantizing *z; const struct quantize_candidate *c; struct builder *b; struct lt_arena *arena; };

static lt_status need_body(void *user)
{
	const struct needing *n = user;
	struct lt_quant_derived d;
	struct lt_graph *g;
	LT_TRY(quantize_graph(n->z, n->c, n->arena, &d, &g));
	const lt_status s = quantize_script_write(n->z, g, n->b->script);
	lt_graph_free(g);
	return s;
}

/* What the candidate takes, to z. */
static lt_status find_need(struct quantizing *z, const struct quantize_candidate *c)
{
	struct builder b;
	struct needing n = { .z = z, .c = c, .b = &b };
	json_decref(z->need);
	z->need = NULL;
	lt__phase(&z->phases, "building for %s", z->o.target);
	lt_status s = builder_begin(z, &b);
	s = s ? s : lt__arena_new(z->ctx, &n.arena);
	s = s ? s : lt__protect(z->ctx, need_body, &n);
	lt__arena_free(n.arena);
	s = s ? s : builder_run(&b, true, &z->need);
	builder_end(&b);
	return s;
}

lt_status quantize_target_need(struct quantizing *z, const struct quantize_candidate *c, bool *fits)
{
	*fits = false;
	lt__interrupt_hold(true);               /* after an interrupt the best one has to have room, too */
	const lt_status s = find_need(z, c);
	lt__interrupt_hold(false);
	*fits = !s && json_is_true(json_object_get(z->need, "fits"));
	return s;
}

static int64_t number_of(const json_t *o, const char *key) { return json_integer_value(json_object_get(o, key)); }
static const char *text_of(const json_t *o, const char *key) { return json_string_value(json_object_get(o, key)); }

int64_t quantize_target_missing(const struct quantizing *z, bool flash)
{
	const json_t *room = json_object_get(z->need, flash ? "flash" : "ram"), *has = json_object_get(room, "has");
	const int64_t more = number_of(room, "wanted") - json_integer_value(has);
	return json_is_integer(has) && more > 0 ? more : 0;
}

const char *quantize_target_refused(const struct quantizing *z) { return text_of(z->need, "refused"); }

void quantize_target_print(const struct quantizing *z, void (*print)(void *user, const char *text), void *user)
{
	static const char *const memories[] = { "flash", "ram" }, *const names[] = { "flash", "RAM" };
	const json_t *call = json_object_get(z->need, "call"), *predicted = json_object_get(z->need, "predicted");
	char *text = lt__must_format("%s:", text_of(z->need, "chip"));
	for (int i = 0; i < 2; i++) {
		const json_t *room = json_object_get(z->need, memories[i]), *has = json_object_get(room, "has");
		char *of = json_is_integer(has) ? lt__must_format(" of %lld", (long long)json_integer_value(has)) : NULL;
		char *more = lt__must_format("%s%s %lld%s bytes of %s", text, i ? " and" : "", (long long)number_of(room, "wanted"),
			of ? of : "", names[i]);
		free(of);
		free(text);
		text = more;
	}
	char *time = predicted ? lt__must_format("%s%lld %s%s", call ? "; " : "; a call takes about ",
		(long long)number_of(predicted, "time"), text_of(predicted, "unit"), call ? " were predicted" : ", as predicted")
		: NULL;
	char *all = call ? lt__must_format("%s, of which %lld are stack; a call takes %lld %s%s", text,
		(long long)number_of(call, "stack"), (long long)number_of(call, "time"), text_of(call, "unit"), time ? time : "")
		: lt__must_format("%s%s", text, time ? time : "");
	print(user, all);
	free(time);
	free(all);
	free(text);
}
