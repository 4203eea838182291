/* graph.c -- fuzz target: the graph's text.  What parses prints, parses again to the same text, and
 * passes. */
#include <string.h>
#include "ir/pass/pass.h"
#include "tests/fuzz/fuzz.h"

struct printed { char *at; size_t n, cap; };

static void collect(void *user, const char *text, size_t bytes)
{
	struct printed *p = user;

	if (p->n + bytes > p->cap) {
		p->cap = 2 * (p->n + bytes);
		p->at = realloc(p->at, p->cap);
		if (!p->at)
			abort();
	}
	memcpy(p->at + p->n, text, bytes);
	p->n += bytes;
}

static void check(struct lt_context *ctx, const struct lt_graph *g)
{
	struct printed first = { NULL, 0, 0 }, second = { NULL, 0, 0 };
	struct lt_graph *again, *passed;

	if (lt_graph_verify(g) || lt_graph_print(g, collect, &first))
		abort();
	if (lt_graph_parse(ctx, first.at, first.n, "printed", &again) || lt_graph_print(again, collect, &second))
		abort();
	if (first.n != second.n || memcmp(first.at, second.at, first.n))
		abort();
	lt_graph_free(again);
	free(first.at);
	free(second.at);
	if (lt__passes_run(g, NULL, NULL, &passed))
		abort();
	lt_graph_free(passed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct lt_context *ctx = fuzz_context();
	struct lt_graph *g = NULL;
	lt_status status = lt_graph_parse(ctx, (const char *)data, bytes, "fuzz.graph", &g);

	fuzz_check_message(ctx, status);
	if (!status)
		check(ctx, g);
	lt_graph_free(g);
	lt_context_free(ctx);
	return 0;
}
