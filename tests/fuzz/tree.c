/* tests/fuzz/tree.c -- fuzz target: the text of a loop tree over one small graph.
 *
 * Bytes that begin with "looptree" are a whole text; others stand behind the header of the graph, so that lines of a tree
 * are reached at once.  A text that is taken prints to one that reads back to the same, and differs from itself in nothing.
 */
#include <string.h>
#include "lt/looptree.h"
#include "tests/fuzz/fuzz.h"

static const char graph[] =
	"graph 1\nvar m 9\nvar k 6\nvar n 8\nvar s 12\nvar i 7\n%a = f32[m, k] input \"a\"\n%b = f32[k, n] input \"b\"\n%x = f32[s] state \"x\"\n"
	"%w = f32[i] view { %x[i + 2] }\n%p = f32[m, n, k] mul %a, %b\n%c = f32[m, n] add.reduce %p\n%h = f32[m] max.reduce %c\n"
	"%d = f32[m, n] sub %c, %h\n%u = f32[s] update %x, %w at [3]\n%e = f32[i] exp %w\n%t = f32[] add.reduce %e\n%r = f32[] neg %t\n"
	"result \"d\" = %d\nresult \"r\" = %r\nset %x = %u\n";

struct text { char *at; size_t n; };

static void keep(void *user, const char *from, size_t bytes)
{
	struct text *t = user;
	char *more = realloc(t->at, t->n + bytes + 1);
	if (!more)
		abort();
	memcpy(more + t->n, from, bytes);
	more[t->n + bytes] = '\0';
	t->at = more;
	t->n += bytes;
}

static struct text print(const struct lt_looptree *t)
{
	struct text text = { NULL, 0 };
	if (lt_looptree_print(t, keep, &text))
		abort();
	return text;
}

/* The text up to the line "tree". */
static struct text header_of(const struct lt_graph *g)
{
	struct lt_looptree *t;
	if (lt_looptree_auto(g, NULL, &t))
		abort();
	struct text text = print(t);
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
	struct text text = { NULL, 0 };
	int same;
	size_t told = 0;
	if (lt_graph_parse(ctx, graph, sizeof graph - 1, "graph", &g))
		abort();
	if (bytes < 8 || memcmp(data, "looptree", 8) != 0)
		text = header_of(g);
	keep(&text, (const char *)data, bytes);
	/* Without the byte behind it, so that a sanitizer sees a read there. */
	char *exact = malloc(text.n ? text.n : 1);
	memcpy(exact, text.at, text.n);
	lt_status status = lt_looptree_parse(g, exact, text.n, "fuzz.tree", &t);
	fuzz_check_message(ctx, status);
	if (!status) {
		struct text one = print(t);
		if (lt_looptree_parse(g, one.at, one.n, "printed", &again))
			abort();
		struct text two = print(again);
		if (one.n != two.n || memcmp(one.at, two.at, one.n) != 0)
			abort();
		if (lt_looptree_diff(ctx, one.at, one.n, NULL, two.at, two.n, NULL, &same, count, &told) || !same)
			abort();
		lt_looptree_free(again);
		lt_looptree_free(t);
		free(one.at);
		free(two.at);
	}
	status = lt_looptree_diff(ctx, exact, text.n, "a", exact, text.n, "b", &same, count, &told);
	fuzz_check_message(ctx, status);
	free(exact);
	free(text.at);
	lt_graph_free(g);
	lt_context_free(ctx);
	return 0;
}
