/* odd_answer.c -- refuses the error function as no refusal may be: the code of the answer, or its note, by
 * the word of the config. */
#include "tests/faults/fault.h"

static const struct row { const char *word; lt_status answer; uint32_t size; const char *text, *remedy; } rows[] = {
	{ "einval",  LT_EINVAL,       sizeof (struct lt_diagnostic), "it has no erf",   "use tanh" },
	{ "edevice", LT_EDEVICE,      sizeof (struct lt_diagnostic), "it has no erf",   "use tanh" },
	{ "n99",     99,              sizeof (struct lt_diagnostic), "it has no erf",   "use tanh" },
	{ "newline", LT_EUNSUPPORTED, sizeof (struct lt_diagnostic), "it has\nno erf",  "use tanh" },
	{ "colour",  LT_EUNSUPPORTED, sizeof (struct lt_diagnostic), "it has no erf",   "use \033[1mtanh" },
	{ "size",    LT_EUNSUPPORTED, 0,                       "it has no erf",   "use tanh" },
};
enum { N_ROW = sizeof rows / sizeof *rows };
static const struct row *chosen;

static const struct row *find(const char *config)
{
	for (int i = 0; i < N_ROW; i++)
		if (config && !strcmp(config, rows[i].word))
			return &rows[i];
	return NULL;
}

static int32_t score(const char *config, struct lt_diag *diag) { return plain_score(find(config) ? "" : config, diag); }

static lt_status open(const struct lt_host *host, const char *config, struct lt_session **out, struct lt_diag *diag)
{
	chosen = find(config);
	return plain_open(host, chosen ? "" : config, out, diag);
}

static lt_status accepts(struct lt_session *s, const struct lt_tree *t, struct lt_diag *diag)
{
	if (!chosen || !has_op(t, "erf", -1))
		return plain_accepts(s, t, diag);
	if (diag)
		diag->report(diag,
			&(struct lt_diagnostic){ .size = chosen->size,
				.code = chosen->answer,
				.loop = -1,
				.stmt = 0,
				.text = chosen->text,
				.remedy = chosen->remedy });
	return chosen->answer;
}

FAULTY("odd_answer", .score = score, .open = open, .accepts = accepts)
