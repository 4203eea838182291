/* graph.c -- the graph's own text as a language: what lt_graph_print wrote is read back. */
#include <string.h>
#include "lt/frontend.h"

/* The first word, after comments, is "graph" and a version; which versions there are lt_graph_parse knows. */
static int recognize(const char *text, size_t bytes)
{
	static const char word[] = "graph ";
	size_t n = sizeof word - 1;
	while (bytes > 0 && (*text == '#' || *text == '\n')) {
		const char *end = memchr(text, '\n', bytes);
		if (!end)
			return 0;
		bytes -= (size_t)(end + 1 - text);
		text = end + 1;
	}
	return bytes > n && memcmp(text, word, n) == 0 && text[n] >= '0' && text[n] <= '9' ? 100 : 0;
}

static const struct lt_frontend graph = {
	.size = sizeof graph,
	.name = "graph",
	.summary = "the text of a graph, as lt-run --dump=graph prints it",
	.suffix = "graph",
	.recognize = recognize,
	.parse = lt_graph_parse,
};
LT_FRONTEND(graph)
