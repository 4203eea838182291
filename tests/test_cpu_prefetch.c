/* test_cpu_prefetch.c -- which loads ask for what the next run of addresses has. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lt/lt.h"
#include "check/random/must.h"
#include "tests/parsed.h"
#include "tests/run_graph.h"

TestSuite(cpu_prefetch, .timeout = 120);

/* The text that the default tree of a product with `rows` rows is printed as. */
static char *source(int rows, int deep, int columns)
{
	struct lt_context *ctx;
	struct lt_graph *g;
	struct lt_program *p;
	struct run_text text = { NULL, 0 };
	must(!lt_context_new(&ctx) && !lt_graph_new(ctx, &g), "no context");
	lt_var m = lt_graph_var(g, "m", rows), k = lt_graph_var(g, "k", deep), n = lt_graph_var(g, "n", columns);
	lt_node a = lt_graph_input(g, "a", LT_F32, 2, (lt_var[]){ m, k }),
		b = lt_graph_input(g, "b", LT_F32, 2, (lt_var[]){ k, n });
	must(!lt_graph_result(g, "y", lt_graph_contract(g, a, b, 1, &k)), "%s", lt_context_message(ctx));
	struct lt_options o = { .size = sizeof o, .backends = "cpu:target=avx2", .n_thread = 1 };
	must(!lt_compile(ctx, g, &o, &p) && !lt_program_dump(p, LT_SHOW_SOURCE, run_text_add, &text), "%s",
		lt_context_message(ctx));
	lt_program_free(p);
	lt_graph_free(g);
	lt_context_free(ctx);
	return text.at;
}

static int times(const char *text, const char *what)
{
	int n = 0;
	for (; (text = strstr(text, what)) != NULL; text++)
		n++;
	return n;
}

Test(cpu_prefetch, rows_that_are_far_apart_are_asked_for_once_each)
{
	char *text = source(4, 4096, 4096);
	/* Eight rows of the right factor are read side by side, two vectors of each; the same places of the next eight
	 * are asked for. */
	cr_assert_eq(times(text, "__builtin_prefetch("), 16, "%s", text);
	for (int row = 8; row < 16; row++)
		for (int vector = 0; vector < 2; vector++) {
			char place[40];
			(void)snprintf(place, sizeof place, " + %d]);", 4096 * row + 8 * vector);
			cr_assert_eq(times(text, place), 1, "%s", text);
		}
	free(text);
}

Test(cpu_prefetch, a_buffer_that_caches_hold_and_tiles_of_packed_panels_ask_for_nothing)
{
	char *text = source(64, 64, 64);
	cr_assert_eq(times(text, "prefetch"), 0, "%s", text);
	free(text);
	text = source(512, 512, 1024);
	cr_assert_eq(times(text, "prefetch"), 0, "%s", text);
	free(text);
}

/* A panel is copied for all rows; its tiles, as many as there are in a run, share out what is copied next: one line of
 * 16 columns in each iteration.  Nobody knows how many tiles there are where nothing bounds them. */
Test(cpu_prefetch, tiles_of_counted_rows_ask_for_the_next_panel)
{
	static const char *const rows[] = { "40", "40 limit p", "40 limit 40 - p" };
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct run_text text = { NULL, 0 };
		char graph[512];
		(void)snprintf(graph, sizeof graph, "graph 1\nvar m %s\nvar k 1000\nvar n 640\nparam p = %%p[0] in 0..40\n"
			"%%p = i64[] input \"p\"\n%%a = f32[m, k] input \"a\"\n%%b = f32[k, n] input \"b\"\n"
			"%%q = f32[m, k, n] mul %%a, %%b\n%%c = f32[m, n] add.reduce %%q\nresult \"c\" = %%c\n", rows[i]);
		struct lt_graph *g = parsed(graph);
		struct lt_program *p = compiled_with(g, (struct lt_options){ .backends = "cpu:target=avx2", .n_thread = 1 });
		cr_assert_eq(lt_program_dump(p, LT_SHOW_SOURCE, run_text_add, &text), LT_OK);
		cr_expect_eq(times(text.at, "__builtin_prefetch("), 1, "rows %s: %s", rows[i], text.at);
		lt_program_free(p);
		parsed_free(g);
		free(text.at);
	}
}
