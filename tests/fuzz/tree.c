/* tree.c -- fuzz target: the text of a loop tree over one small graph.
 *
 * Bytes that begin with "looptree" are a whole text; others come after the header of the graph, so that lines of a tree
 * are reached at once.  A text that is taken prints to one that reads back to the same, and differs from itself in
 * nothing.
 */
#include "tests/fuzz/tree.h"

/* The text up to the line "tree". */
static struct fuzz_text header_of(const struct lt_graph *g)
{
	struct lt_looptree *t;
	if (lt_looptree_auto(g, NULL, &t))
		abort();
	struct fuzz_text text = fuzz_print(t);
	text.n = (size_t)(strstr(text.at, "\ntree\n") - text.at) + 6;
	lt_looptree_free(t);
	return text;
}

static void count(void *user, const char *text, size_t bytes)
{
	(void)text;
	*(size_t *)user += bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct lt_context *ctx = fuzz_context();
	struct lt_graph *g;
	struct lt_looptree *t, *again;
	struct fuzz_text text = { NULL, 0 };
	int same;
	size_t n_different = 0;
	if (lt_graph_parse(ctx, fuzz_graph, sizeof fuzz_graph - 1, "graph", &g))
		abort();
	if (bytes < 8 || memcmp(data, "looptree", 8) != 0)
		text = header_of(g);
	fuzz_keep(&text, (const char *)data, bytes);
	/* Without the byte after it, so that a sanitizer sees a read there. */
	char *exact = malloc(text.n ? text.n : 1);
	memcpy(exact, text.at, text.n);
	lt_status status = lt_looptree_parse(g, exact, text.n, "fuzz.tree", &t);
	fuzz_check_message(ctx, status);
	if (!status) {
		struct fuzz_text one = fuzz_print(t);
		if (lt_looptree_parse(g, one.at, one.n, "printed", &again))
			abort();
		struct fuzz_text two = fuzz_print(again);
		if (one.n != two.n || memcmp(one.at, two.at, one.n) != 0)
			abort();
		if (lt_looptree_diff(ctx, one.at, one.n, NULL, two.at, two.n, NULL, &same, count, &n_different) || !same)
			abort();
		lt_looptree_free(again);
		lt_looptree_free(t);
		free(one.at);
		free(two.at);
	}
	status = lt_looptree_diff(ctx, exact, text.n, "a", exact, text.n, "b", &same, count, &n_different);
	fuzz_check_message(ctx, status);
	free(exact);
	free(text.at);
	lt_graph_free(g);
	lt_context_free(ctx);
	return 0;
}
