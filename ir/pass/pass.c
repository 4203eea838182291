/* pass.c -- running the passes. */
#include "ir/pass/pass.h"

struct pass_row { char letter; const char *name; lt_pass *run; };
static const struct pass_row rows[] = {
#define PASS(letter, name, doc) { letter, #name, lt__pass_##name },
#include "ir/pass/pass.def"
};

lt_status lt__passes_run(const struct lt_graph *in,
	void (*trace)(void *, char letter, const char *name, const struct lt_graph *), void *user,
	struct lt_graph **out)
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
		if (trace)
			trace(user, rows[i].letter, rows[i].name, after);
	}
	*out = before;
	return LT_OK;
}
