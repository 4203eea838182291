/* What backends say: their notes, kept one by one and as one text. */
#include <stdio.h>
#include <string.h>
#include "program/backend/backend.h"

/* Where a copy of the text begins in kept; what does not fit is cut off. */
static size_t diagnostics_keep(struct lt_diagnostics *diags, const char *text)
{
	size_t at = diags->n_pool, n = strlen(text), left = sizeof diags->pool - at;
	if (left < 2)
		return sizeof diags->pool - 1;
	n = n < left ? n : left - 1;
	for (size_t i = 0; i < n; i++)
		diags->pool[at + i] =
			(unsigned char)text[i] < ' ' || text[i] == 127 ? ' ' : text[i]; /* each is shown in one line */
	diags->pool[at + n] = '\0';
	diags->n_pool += n + 1;
	return at;
}

static void diagnostics_report(struct lt_diag *diag, const struct lt_diagnostic *one)
{
	struct lt_diagnostics *diags = (struct lt_diagnostics *)(void *)diag;
	if (diags->n_diagnostic < LT_MAX_DIAGNOSTICS) {
		diags->entry[diags->n_diagnostic].code = one->code;
		diags->entry[diags->n_diagnostic].loop = one->loop;
		diags->entry[diags->n_diagnostic].stmt = one->stmt;
		diags->entry[diags->n_diagnostic].text = diagnostics_keep(diags,
			one->text ? one->text : lt_status_text(one->code));
		diags->entry[diags->n_diagnostic++].remedy = one->remedy ? diagnostics_keep(diags, one->remedy) : 0;
	}
	int n = snprintf(diags->text + diags->n, sizeof diags->text - diags->n, "%s%s%s%s", diags->n ? "; " : "",
		one->text ? one->text : "", one->remedy ? ": " : "", one->remedy ? one->remedy : "");
	if (n > 0)
		diags->n += (size_t)n < sizeof diags->text - diags->n ? (size_t)n : sizeof diags->text - diags->n - 1;
}

void lt__diagnostics_init(struct lt_diagnostics *diags)
{
	diags->diag = (struct lt_diag){ sizeof diags->diag, diagnostics_report };
	diags->n_diagnostic = 0;
	diags->n = 0;
	diags->n_pool = 1;               /* 0 is no offset */
	diags->text[0] = diags->pool[0] = diags->pool[sizeof diags->pool - 1] = '\0';
}

const char *lt__diagnostic_text(const char *text, const char *backend)
{
	size_t n = strlen(backend);
	return strncmp(text, backend, n) == 0 && strncmp(text + n, ": ", 2) == 0 ? text + n + 2 : text;
}

const char *lt__diagnostic_reason(struct lt_diagnostics *diags, lt_status st, const char *name, const char *call)
{
	if (st < 0 || st >= LT_NSTATUS) {
		char text[sizeof diags->text];
		(void)snprintf(text, sizeof text, "%s", lt__diagnostic_text(diags->text, name));
		(void)snprintf(diags->text, sizeof diags->text, "`%s` returned %d, which is not a status: its author has to fix "
			"`%s`%s%.*s", call, (int)st, call,
			text[0] ? "; it says: " : "", (int)(sizeof diags->text - 200), text);
		return diags->text;
	}
	return diags->n ? lt__diagnostic_text(diags->text, name) : lt_status_text(st);
}
