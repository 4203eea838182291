/* rude.c -- one whose every text has control characters in it, for terminals, and bytes that are not
 * UTF-8. */
#include "null.h"

static lt_status open_rude(
	const struct lt_host *host, const char *config, struct lt_session **out, struct lt_diag *diag)
{
	lt_status st = open_(host, config, out, diag);
	if (st)
		return st;
	(*out)->target.name = "rude\xff\x1b[1A";
	if (LT_HAS(struct lt_host, host, log) && host->log)
		host->log(host, LT_LOG_WARNING, "\x1b[2Jgone");
	return LT_OK;
}

static lt_status accepts_rude(struct lt_session *s, const struct lt_tree *t, struct lt_diag *diag)
{
	const struct lt_diagnostic diagnostic = { sizeof diagnostic, LT_EUNSUPPORTED, -1, 0, "rude: no\x1b[0m, never",
		"buy\r\x9b"
		"1m another one" };
	(void)s, (void)t;
	if (diag)
		diag->report(diag, &diagnostic);
	return LT_EUNSUPPORTED;
}

static void describe(struct lt_session *s, lt_write *write, void *user)
{
	static const char text[] = "colour \x1b[35mpink\nbell\x07 \xe2\x80\xae rings\n";
	(void)s;
	write(user, text, sizeof text - 1);
}

static const struct lt_backend rude = NULL_BACKEND(.name = "rude", .summary = "\x1b]0;owned\x07 a summary",
	.version = "1\x9b"
		   "2J",
	.open = open_rude, .accepts = accepts_rude, .describe = describe);
LT_BACKEND(rude)
