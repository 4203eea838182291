/* schedule.c -- fuzz target: lists of schedule primitives on the default tree of one small graph.
 *
 * A list that is taken gives a tree that prints to one that reads back to the same; one that is refused says so as data
 * as the context does.  The tree that it began with stays what it was.
 */
#include "lt/schedule.h"
#include "tests/fuzz/tree.h"

static void expect_same(const struct lt_looptree *a, const struct lt_looptree *b)
{
	struct fuzz_text one = fuzz_print(a), two = fuzz_print(b);
	if (one.n != two.n || memcmp(one.at, two.at, one.n) != 0)
		abort();
	free(one.at);
	free(two.at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct lt_context *ctx = fuzz_context();
	struct lt_graph *g;
	struct lt_looptree *from, *before, *made, *again;
	struct lt_refused_step *why;
	if (lt_graph_parse(ctx, fuzz_graph, sizeof fuzz_graph - 1, "graph", &g) || lt_looptree_auto(g, NULL, &from)
		|| lt_looptree_auto(g, NULL, &before))
		abort();
	/* Without a byte after it, so that a sanitizer sees a read there. */
	char *exact = malloc(bytes ? bytes : 1);
	memcpy(exact, data, bytes);
	lt_status status = lt_looptree_apply(from, exact, bytes, "fuzz.schedule", 0, NULL, &made, &why);
	fuzz_check_message(ctx, status);
	if (!status != !why || (why && (why->code != status || strcmp(why->message, lt_context_message(ctx)) != 0
		|| !strstr(why->message, why->text) || why->at >= lt_looptree_count(from))))
		abort();
	lt_refused_step_free(why);
	expect_same(from, before);
	if (!status) {
		struct fuzz_text text = fuzz_print(made);
		if (lt_looptree_parse(g, text.at, text.n, "printed", &again))
			abort();
		expect_same(made, again);
		lt_looptree_free(again);
		free(text.at);
	}
	lt_looptree_free(made);
	lt_looptree_free(before);
	lt_looptree_free(from);
	free(exact);
	lt_graph_free(g);
	lt_context_free(ctx);
	return 0;
}
