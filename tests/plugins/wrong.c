/* wrong.c -- one that makes the mistake that $WRONG names: caps (answers NULL), capsize (of no size),
 * exit and exit3 (end the process in a run), negative (a score), zero (a score, and a silent open), code (run answers
 * what is no status), lines (a note of several lines).  Its CONFIG dtypes=BITS are the types that it has. */
#include <stdbool.h>
#include "null.h"

static bool makes(const char *mistake) { return getenv("WRONG") && strcmp(getenv("WRONG"), mistake) == 0; }

static int32_t score_wrong(const char *config, struct lt_diag *diag)
{
	(void)config, (void)diag;
	return makes("negative") ? -2 : makes("zero") ? 0 : 1000;
}

static lt_status open_wrong(
	const struct lt_host *host, const char *config, struct lt_session **out, struct lt_diag *diag)
{
	*out = NULL;
	if (makes("zero"))
		return LT_EINVAL;
	lt_status st = open_(host, config, out, diag);
	if (!st && config && strncmp(config, "dtypes=", 7) == 0)
		(*out)->caps.dtypes = strtoull(config + 7, NULL, 0);
	if (!st && makes("capsize"))
		(*out)->caps.size = 0;
	return st;
}

static const struct lt_caps *caps_wrong(const struct lt_session *s) { return makes("caps") ? NULL : &s->caps; }

static lt_status accepts_wrong(struct lt_session *s, const struct lt_tree *t, struct lt_diag *diag)
{
	const struct lt_diagnostic diagnostic = { sizeof diagnostic, LT_EUNSUPPORTED, -1, 0,
		"it has no\n'exp'\tof\033[1m these", "write\r\nanother" };
	if (!makes("lines"))
		return accepts(s, t, diag);
	if (diag)
		diag->report(diag, &diagnostic);
	return LT_EUNSUPPORTED;
}

static lt_status run_wrong(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	if (makes("exit"))
		exit(0);
	if (makes("exit3"))
		exit(3);
	return makes("code") ? 99 : run(o, args, diag);
}

static const struct lt_backend table = NULL_BACKEND(.name = "wrong", .score = score_wrong, .open = open_wrong,
	.caps = caps_wrong, .accepts = accepts_wrong, .run = run_wrong);
LT_BACKEND(table)
