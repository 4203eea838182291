/* poor.c -- says what a host has to be careful of.  Its device is busy, unless CONFIG has what is wrong
 * instead: sick (accepts fails, which is no refusal), align (a workspace at no power of two), stats (lines that look
 * like others). */
#include "null.h"

static char how[16];            /* of the session that was opened last */

static int32_t eager(const char *config, struct lt_diag *diag)
{
	(void)config, (void)diag;
	return 1000;
}

static lt_status plugin_report(struct lt_diag *diag, lt_status code, const char *text)
{
	const struct lt_diagnostic diagnostic = { .size = sizeof diagnostic, .code = code, .loop = -1, .stmt = -1,
		.text = text };
	if (diag)
		diag->report(diag, &diagnostic);
	return code;
}

static lt_status open_poor(
	const struct lt_host *host, const char *config, struct lt_session **out, struct lt_diag *diag)
{
	*out = NULL;
	if (!config || !*config)
		return plugin_report(diag, LT_EDEVICE, "the device is busy");
	how[0] = '\0';
	strncat(how, config, sizeof how - 1);
	return open_(host, config, out, diag);
}

static lt_status accepts_poor(struct lt_session *s, const struct lt_tree *t, struct lt_diag *diag)
{
	return strcmp(how, "sick") == 0 ? plugin_report(diag, LT_EDEVICE, "the device fell off the bus") : accepts(s, t, diag);
}

static void need_poor(const struct lt_object *o, uint32_t n_thread, size_t *bytes, size_t *align)
{
	(void)o, (void)n_thread;
	*bytes = 100;
	*align = strcmp(how, "align") == 0 ? 288 : 64;
}

static lt_status dump_poor(const struct lt_object *o, enum lt_dump what, lt_write *write, void *user)
{
	static const char *const parts[] = { "idle_threads 7777\nnot_para", "llel 1\nparallel 1\nthre", "ads 2\n",
		"serialised 0" };
	(void)o;
	if (what == LT_DUMP_KERNEL) {
		write(user, "kernel 1\n", 9);
		write(user, "name poor\n", 10);
		return LT_OK;
	}
	for (size_t i = 0; what == LT_DUMP_STATS && i < sizeof parts / sizeof *parts; i++)
		write(user, parts[i], strlen(parts[i]));
	return what == LT_DUMP_STATS ? LT_OK : LT_EUNSUPPORTED;
}

static const struct lt_backend table = NULL_BACKEND(.name = "poor", .score = eager, .open = open_poor,
	.accepts = accepts_poor, .need = need_poor, .dump = dump_poor);
LT_BACKEND(table)
