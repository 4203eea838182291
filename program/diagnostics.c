/* What backends say: their notes, kept one by one and as one text. */
#include <stdio.h>
#include <string.h>
#include "program/diagnostics.h"

/* Where a copy of the text begins in kept; what does not fit is cut off. */
static size_t diagnostics_keep(struct lt_diagnostics *told, const char *text)
{
	size_t at = told->n_kept, n = strlen(text), room = sizeof told->kept - at;
	if (room < 2)
		return sizeof told->kept - 1;
	n = n < room ? n : room - 1;
	for (size_t i = 0; i < n; i++)
		told->kept[at + i] =
			(unsigned char)text[i] < ' ' || text[i] == 127 ? ' ' : text[i]; /* each is shown in one line */
	told->kept[at + n] = '\0';
	told->n_kept += n + 1;
	return at;
}

static void diagnostics_report(struct lt_diag *diag, const struct lt_diagnostic *note)
{
	struct lt_diagnostics *told = (struct lt_diagnostics *)(void *)diag;
	if (told->n_diagnostic < LT_MAX_DIAGNOSTICS) {
		told->note[told->n_diagnostic].code = note->code;
		told->note[told->n_diagnostic].loop = note->loop;
		told->note[told->n_diagnostic].stmt = note->stmt;
		told->note[told->n_diagnostic].text = diagnostics_keep(told, note->text ? note->text : lt_status_text(note->code));
		told->note[told->n_diagnostic++].remedy = note->remedy ? diagnostics_keep(told, note->remedy) : 0;
	}
	int n = snprintf(told->text + told->n, sizeof told->text - told->n, "%s%s%s%s", told->n ? "; " : "",
		note->text ? note->text : "", note->remedy ? ": " : "", note->remedy ? note->remedy : "");
	if (n > 0)
		told->n += (size_t)n < sizeof told->text - told->n ? (size_t)n : sizeof told->text - told->n - 1;
}

void lt__diagnostics_init(struct lt_diagnostics *told)
{
	told->diag = (struct lt_diag){ sizeof told->diag, diagnostics_report };
	told->n_diagnostic = 0;
	told->n = 0;
	told->n_kept = 1;               /* 0 is no place */
	told->text[0] = told->kept[0] = told->kept[sizeof told->kept - 1] = '\0';
}

const char *lt__diagnostic_text(const char *text, const char *backend)
{
	size_t n = strlen(backend);
	return strncmp(text, backend, n) == 0 && strncmp(text + n, ": ", 2) == 0 ? text + n + 2 : text;
}

const char *lt__diagnostic_reason(struct lt_diagnostics *told, lt_status st, const char *name, const char *call)
{
	if (st < 0 || st >= LT_NSTATUS) {
		char said[sizeof told->text];
		(void)snprintf(said, sizeof said, "%s", lt__diagnostic_text(told->text, name));
		(void)snprintf(told->text, sizeof told->text, "`%s` returned %d, which is not a status: its author has to fix "
			"`%s`%s%.*s", call, (int)st, call,
			said[0] ? "; it says: " : "", (int)(sizeof told->text - 200), said);
		return told->text;
	}
	return told->n ? lt__diagnostic_text(told->text, name) : lt_status_text(st);
}
