/* tests/fuzz/schedule.c -- fuzz target: lists of schedule primitives on the default tree of one small graph.
 *
 * Bytes that begin with "schedule" are a whole list; others are its steps.  A list that is taken gives a tree that prints to one
 * that reads back to the same, and the tree that it began with stays what it was.
 */
#include <string.h>
#include "looptree/schedule.h"
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

static void expect_same(const struct lt_looptree *a, const struct lt_looptree *b)
{
	struct text one = print(a), two = print(b);
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
	if (lt_graph_parse(ctx, graph, sizeof graph - 1, "graph", &g) || lt_looptree_auto(g, NULL, &from) || lt_looptree_auto(g, NULL, &before))
		abort();
	/* Without a byte behind it, so that a sanitizer sees a read there. */
	char *exact = malloc(bytes ? bytes : 1);
	memcpy(exact, data, bytes);
	lt_status status = bytes >= 8 && !memcmp(data, "schedule", 8) ? lt__schedule_apply(from, exact, bytes, "fuzz.schedule", &made)
		: lt__schedule_steps(from, exact, bytes, "fuzz.schedule", 0, NULL, &made);
	fuzz_check_message(ctx, status);
	expect_same(from, before);
	if (!status) {
		struct text text = print(made);
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
