/* test_pass_size.c -- passes take time and memory in proportion to the graph, and survive when memory runs
 * out. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "ir/pass/pass.h"
#include "tests/oracle.h"
#include "tests/run_graph.h"

/* -- size -- */

static char *chain_text(int n, bool views)
{
	struct run_text b = { NULL, 0 };
	char line[160], name[32] = "x";
	bool flat = false;

	run_text_add(&b,
		"graph 1\nvar m 8\nvar n 16\nvar l 128\n%x = f32[m, n] input \"x\"\n%c = f32[] lit 0.5\n%z = f32[] lit "
		"0.0\n",
		strlen("graph 1\nvar m 8\nvar n 16\nvar l 128\n%x = f32[m, n] input \"x\"\n%c = f32[] lit 0.5\n%z = "
		       "f32[] lit 0.0\n"));
	for (int i = 0; i < n; i++) {
		if (views && i % 10 == 9) {
			snprintf(line, sizeof line, flat ? "%%v%d = f32[m, n] view { %%%s[16*m + n] }\n"
				: "%%v%d = f32[l] view { %%%s[floor(l / 16), l - 16*floor(l / 16)] }\n", i, name);
			snprintf(name, sizeof name, "v%d", i);
			flat = !flat;
		} else {
			snprintf(line, sizeof line, "%%a%d = f32[%s] %s %%%s, %%%s\n", i, flat ? "l" : "m, n", i % 2 ? "max" : "add", name,
				i % 2 ? "z" : "c");
			snprintf(name, sizeof name, "a%d", i);
		}
		run_text_add(&b, line, strlen(line));
	}
	snprintf(line, sizeof line, "result \"out\" = %%%s\n", name);
	run_text_add(&b, line, strlen(line));
	return b.at;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Time and memory of a chain ten times as long are about ten times as much; no recursion along it. */
Test(pass_size, long_chains, .timeout = 120)
{
	for (int views = 0; views < 2; views++) {
		double seconds[2];
		size_t bytes[2];

		for (int large = 0; large < 2; large++) {
			char *text = chain_text(large ? 100000 : 10000, views != 0), *after;
			double begin = now();
			struct lt_context *ctx;
			struct lt_graph *g, *h;

			cr_assert_eq(lt_context_new(&ctx), LT_OK);
			cr_assert_eq(lt_graph_parse(ctx, text, strlen(text), "chain", &g), LT_OK, "%s", lt_context_message(ctx));
			cr_assert_eq(lt__passes_run(g, NULL, NULL, &h), LT_OK, "%s", lt_context_message(ctx));
			after = run_graph_text(h);
			seconds[large] = now() - begin;
			bytes[large] = lt__arena_bytes(h->arena);
			free(after);
			free(text);
			lt_graph_free(g);
			lt_graph_free(h);
			lt_context_free(ctx);
		}
		cr_assert_lt(seconds[1], 20);
		cr_assert_lt(seconds[1], 40 * seconds[0] + 1, "%g s for 10000 nodes, %g s for 100000", seconds[0], seconds[1]);
		cr_assert_lt(bytes[1], 14 * bytes[0]);
	}
}

/* -- memory that runs out -- */

Test(pass_size, out_of_memory, .timeout = 60)
{
	static const char text[] =
		"graph 1\nvar i 8\nvar j 8\nvar l 64\nvar o 70\n%x = f32[i, j] input \"x\"\n%c = f32[] lit 1.0\n"
		"%y = f32[i, j] mul %x, %c\n%v = f32[l] view { %y[floor(l / 8), l - 8*floor(l / 8)] }\n"
		"%p = f32[o] view { %v[o - 3] if o - 3 >= 0, 66 - o >= 0; else 1.0 }\n%e = f32[o] exp %p\nresult \"e\" "
		"= %e\n";
	bool finished = false;

	for (long n = 0; !finished; n++) {
		struct oracle_ration r = { .left = n };
		struct lt_context *ctx;
		struct lt_graph *g = NULL, *h = NULL;
		lt_status status;

		cr_assert_lt(n, 100000);
		status = lt_context_new_with(oracle_rationed, &r, &ctx);
		if (!status) {
			status = lt_graph_parse(ctx, text, sizeof text - 1, "t", &g);
			if (!status)
				status = lt__passes_run(g, NULL, NULL, &h);
			cr_assert(!status || (status == LT_ENOMEM && !h), "%d: %s", status, lt_context_message(ctx));
			lt_graph_free(h);
			lt_graph_free(g);
			lt_context_free(ctx);
		}
		cr_assert_eq(r.live, 0, "allocation %ld leaks", n);
		finished = !status;
	}
}
