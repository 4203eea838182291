/* defaults.c -- the backend that is taken where none is named; what backends say, in a line. */
#include <stdio.h>
#include "lt/backend.h"
#include "tools/common/common.h"

static void backend_hear(struct lt_diag *d, const struct lt_diagnostic *n)
{
	struct lt_heard *h = (struct lt_heard *)(void *)d;

	if (!h->text[0] && n->text)
		snprintf(h->text, sizeof h->text, "%s%s%s", n->text, n->remedy ? "; " : "", n->remedy ? n->remedy : "");
	for (char *c = h->text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 127)
			*c = ' ';
}

struct lt_heard lt__heard(void)
{
	return (struct lt_heard){ .diag = { .size = sizeof(struct lt_diag), .report = backend_hear } };
}

const char *lt__heard_reason(const struct lt_heard *h) { return h->text[0] ? h->text : "it does not say why"; }

/* A plug-in that nobody named must not keep the others from working. */
static bool backend_opens(const char *tool, const struct lt_backend *b, const struct lt_host *host)
{
	struct lt_heard h = lt__heard();
	struct lt_session *session = NULL;
	const lt_status s = host && lt_backend_origin(b) ? b->open(host, NULL, &session, &h.diag) : LT_OK;

	if (session)
		b->close(session);
	if (s)
		lt__say(stderr, "%s: the backend %s cannot be used: %s (left out)\n", tool, b->name,
			h.text[0] ? h.text : lt_status_text(s));
	return !s;
}

const struct lt_backend *lt__backend_default(const char *tool, const struct lt_host *host)
{
	const struct lt_backend *best = NULL;
	int32_t best_score = 0;

	for (uint32_t i = 0; i < lt_backend_count(); i++) {
		const struct lt_backend *b = lt_backend_at(i);
		struct lt_heard h = lt__heard();
		const int32_t score = b->score(NULL, &h.diag);

		if (score > best_score && backend_opens(tool, b, host)) {
			best_score = score;
			best = b;
		}
	}
	return best;
}
