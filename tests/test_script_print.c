/* test_script_print.c -- a graph printed as a script: what is read back prints the same, and the evaluator gives
 * the same bits for both. */
#include <criterion/criterion.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include "check/random/random.h"
#include "lt/frontend.h"
#include "tests/printed.h"
#include "tests/run_graph.h"

enum { LONGEST = 20000000, LARGEST = 1000000 };       /* operations of an evaluation, elements of a source */

static struct lt_context *ctx;
static void begin(void) { lt_context_new(&ctx); }
static void end(void) { lt_context_free(ctx); }
TestSuite(script_print, .init = begin, .fini = end, .timeout = 240);

static void check_random(uint64_t first, uint64_t n)
{
	struct printed_tally tally = { 0 };
	for (uint64_t seed = first; seed < first + n; seed++) {
		struct random_options o = { .n_node = (int32_t)(4 + seed % 29), .views = true, .params = seed % 3 != 0,
			.states = seed % 2 != 0, .composites = seed % 5 != 4 };
		struct random_graph r;
		char what[40];
		snprintf(what, sizeof what, "seed %llu", (unsigned long long)seed);
		random_graph_new(ctx, seed, &o, &r);
		printed_check(ctx, r.g, what, seed, &r, 2, &tally);
		random_graph_free(&r);
	}
	cr_assert(tally.computed > (int)n / 2, "only %d runs were computed", tally.computed);
	cr_assert(tally.settled <= (int)n / 300, "the second text of %d graphs was not the first", tally.settled);
}

Test(script_print, random_graphs)
{
	const char *more = getenv("LT_PRINT_SEEDS");
	check_random(1, more ? (uint64_t)atoll(more) : 600);
}

/* Scripts and graph texts that there are. */
static void check_files(const char *pattern, int min_files)
{
	glob_t files;
	struct printed_tally tally = { 0 };
	int n = 0;
	cr_assert_eq(glob(pattern, 0, NULL, &files), 0, "%s", pattern);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		struct run_text text = { 0 };
		struct lt_graph *g;
		char buffer[4096];
		size_t got;
		FILE *f = fopen(files.gl_pathv[i], "r");
		while ((got = fread(buffer, 1, sizeof buffer, f)) > 0)
			run_text_add(&text, buffer, got);
		fclose(f);
		if (!lt_parse(ctx, text.at, text.n, files.gl_pathv[i], NULL, &g)) {
			struct lt_arena *arena;
			cr_assert_eq(lt__arena_new(ctx, &arena), LT_OK);
			bool small = lt__graph_operations(g, arena, NULL, NULL) < LONGEST;
			for (lt_node x = 0; x < g->n_node; x++)
				small = small && (!g->node[x].label || lt__node_elems(g, x) < LARGEST);
			lt__arena_free(arena);
			printed_check(ctx, g, files.gl_pathv[i], 1, NULL, small ? 3 : 0, &tally);
			lt_graph_free(g);
			n++;
		}
		run_text_free(&text);
	}
	globfree(&files);
	cr_assert(n >= min_files, "%s: %d", pattern, n);
	cr_assert_eq(tally.settled, 0, "%s", pattern);
}

Test(script_print, examples)
{
	check_files("examples/*.lt", 10);
	check_files("examples/*/*.lt", 1);
}

Test(script_print, golden_scripts) { check_files("tests/golden/*.lt", 20); }
Test(script_print, golden_graphs) { check_files("tests/golden/*.graph", 8); }
