/* outcome.c -- how a case ends, and what the backend says on the way. */
#include <stdarg.h>
#include "tools/check/check.h"

bool lt__check_end(struct check_outcome *out, enum check_status status, const char *fmt, ...)
{
	va_list list;
	if (out->done)                  /* what was said first stays */
		return false;
	va_start(list, fmt);
	(void)vsnprintf(out->text, sizeof out->text, fmt, list);
	va_end(list);
	out->status = status;
	out->done = true;
	return false;
}

bool lt__check_went(
	struct check_outcome *out, lt_status st, const struct check_diagnostics *diags, const char *call, ...)
{
	char what[120];
	va_list list;
	va_start(list, call);
	(void)vsnprintf(what, sizeof what, call, list);
	va_end(list);
	return !st || lt__check_fail(out, "%s: %s: %s", what, lt_status_name(st),
		diags->text[0] ? diags->text : "nothing is said");
}

static void keep_first(struct lt_diag *diag, const struct lt_diagnostic *diagnostic)
{
	struct check_diagnostics *t = (struct check_diagnostics *)(void *)diag;
	if (t->n++)
		return;
	t->size = diagnostic->size;
	t->loop = diagnostic->loop;
	t->stmt = diagnostic->stmt;
	(void)snprintf(t->text, sizeof t->text, "%s", diagnostic->text ? diagnostic->text : "");
	(void)snprintf(t->remedy, sizeof t->remedy, "%s", diagnostic->remedy ? diagnostic->remedy : "");
}

struct check_diagnostics lt__check_listen(void)
{
	return (struct check_diagnostics){ .diag = { sizeof (struct lt_diag), keep_first }, .loop = -1, .stmt = -1 };
}
