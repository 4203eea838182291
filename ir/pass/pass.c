/* pass.c -- running the passes. */
#include "ir/pass/pass.h"

struct pass_row { char letter; const char *name; lt_pass *run; };
static const struct pass_row rows[] = {
#define PASS(letter, name, doc) { letter, #name, lt__pass_##name },
#include "ir/pass/pass.def"
};

struct pass_trace { void (*tell)(void *, char letter, const char *name, const struct lt_graph *); void *user; };

static lt_status run_rows(const struct lt_graph *in, const struct pass_trace *trace, struct lt_graph **out)
{
	struct lt_graph *before = NULL, *after;

	*out = NULL;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct lt_spending spending;
		char doing[40];

		(void)snprintf(doing, sizeof doing, "running the pass %s", rows[i].name);
		lt__spending_begin(in->ctx, &spending, doing);
		lt_status status = rows[i].run(before ? before : in, &after);
		lt_graph_free(before);
		before = after;
		if (!status)
			status = lt_graph_verify(after);
		lt__spending_end(in->ctx, &spending);
		if (status) {
			lt_graph_free(after);
			return status;
		}
		if (trace->tell)
			trace->tell(trace->user, rows[i].letter, rows[i].name, after);
	}
	*out = before;
	return LT_OK;
}

/* trace NULL: no passes. */
static lt_status run_around(const struct lt_graph *in, const struct pass_trace *trace, struct lt_graph **out)
{
	struct lt_graph *cut = NULL, *passed = NULL;

	*out = NULL;
	if (in->n_own)
		LT_TRY(lt__own_cut(in, &cut));
	lt_status status = trace ? run_rows(cut ? cut : in, trace, &passed) : lt__pass_dead(cut ? cut : in, &passed);
	if (!status && cut) {
		status = lt__own_join(in, passed, out);
		status = status ? status : lt_graph_verify(*out);
		lt_graph_free(passed);
	} else if (!status) {
		*out = passed;
	}
	lt_graph_free(cut);
	if (status) {
		lt_graph_free(*out);
		*out = NULL;
	}
	return status;
}

lt_status lt__passes_run(const struct lt_graph *in,
	void (*trace)(void *, char letter, const char *name, const struct lt_graph *), void *user,
	struct lt_graph **out)
{
	return run_around(in, &(struct pass_trace){ trace, user }, out);
}

lt_status lt__passes_none(const struct lt_graph *in, struct lt_graph **out) { return run_around(in, NULL, out); }
