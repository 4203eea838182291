/* test_derived_follow.c -- trees with nodes of their own: cursors through the steps that make them, memory that
 * runs out, many steps. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "looptree/schedule/schedule.h"
#include "looptree/derive/derive.h"
#include "tests/derived_trees.h"
#include "tests/run_graph.h"

TestSuite(derived_follow, .timeout = 300);

/* A loop keeps its cursor.  A leaf keeps it, too; that of a reduction becomes that of its partial results, which stand
 * there now. */
Test(derived_follow, cursors_follow)
{
	static const struct { const char *from, *at, *steps, *to; } cases[] = {
		{ "fused", "m", "stage %p %b at m", "m" },
		{ "fused", "m", "stage %p %b at root", "m" },
		{ "fused", "k", "stage %p %b at m", "%p/k" },
		{ "fused", "%p/n", "stage %p %b at k; stage %p %a at k", "%p/n" },
		{ "fused", "k", "split k 4; rfactor %c k'", "k'" },
		{ "fused", "k", "split k 4; rfactor %c k", "k'" },
		{ "fused", "%d/n", "split k 4; rfactor %c k'; materialize %e", "%d/n" },
		{ "pairs", "%v/j", "inline %u; inline %r", "%v/j" },
		{ "pairs", "%u/j", "inline %u; fuse %u %r/j", "%u/j" },
		{ "fused", "m", "call m gemm", "m" },
		{ "each", "%d/n", "layout %d n m", "%d/n" },
		{ "fused", "%c", "stage %p %b at m; layout %c n m", "%c" },
		{ "fused", "%c", "split k 4; rfactor %c k'", "%c.part" },
		{ "fused", "%p", "split k 4; rfactor %c k'; stage %p %a at k", "%p" },
		{ "fused", "%e", "materialize %e at m", "%e" },
		{ "pairs", "%r", "inline %u; inline %r", "%r" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct derived_case p = derived_open(cases[i].from);
		struct lt_looptree *t;
		struct lt_step_word w = { cases[i].at, strlen(cases[i].at) };
		bool leaf = *cases[i].at == '%' && !strchr(cases[i].at, '/');
		lt_tnode cursor, want;
		lt_node n;
		if (leaf) {
			cr_assert_eq(lt__path_leaf(p.t, &w, &n), LT_OK);
			cursor = p.t->leaf_of[n];
		} else {
			cr_assert_eq(lt__path_find(p.t, &w, -1, LT_PATH_AROUND, &cursor), LT_OK, "%s", lt_context_message(p.ctx));
		}
		cr_assert_eq(lt_looptree_apply(p.t, cases[i].steps, strlen(cases[i].steps), "s", 1, &cursor, &t, NULL),
			LT_OK, "%s", lt_context_message(p.ctx));
		w = (struct lt_step_word){ cases[i].to, strlen(cases[i].to) };
		if (leaf) {
			cr_assert_eq(lt__path_leaf(t, &w, &n), LT_OK, "%s", lt_context_message(p.ctx));
			want = t->leaf_of[n];
		} else {
			cr_assert_eq(lt__path_find(t, &w, -1, LT_PATH_AROUND, &want), LT_OK, "`%s`: %s", cases[i].steps,
				lt_context_message(p.ctx));
		}
		cr_expect_eq(cursor, want, "`%s`: %s", cases[i].steps, cases[i].at);
		lt_looptree_free(t);
		derived_close(&p);
	}
}

/* Memory that runs out at any allocation is an error, and nothing is left after. */
Test(derived_follow, out_of_memory)
{
	static const char graph[] = "graph 1\nvar m 3\nvar k 4\n%x = f32[m, k] input \"x\"\n%y = f32[m, k] exp %x\n"
		"%s = f32[m] add.reduce %y\n%z = f32[m] neg %s\n"
		"%w = f32[m, k] mul %y, %z\nresult \"w\" = %w\n";
	static const char steps[] = "stage %y %x at root layout k m pad 1; inline %y; split %s/k 2; rfactor %s k; "
		"layout %s.part m k_2; materialize %w; call %w.copy/m f";
	for (int64_t at = 1; ; at++) {
		struct run_counter counter;
		struct lt_context *ctx;
		struct lt_graph *g;
		struct lt_looptree *t = NULL, *next = NULL, *back = NULL;
		cr_assert_eq(run_context(&counter, &ctx), LT_OK);
		cr_assert_eq(lt_graph_parse(ctx, graph, strlen(graph), "test", &g), LT_OK);
		counter.fail_at = counter.calls + at;
		lt_status st = lt_looptree_auto(g, NULL, &t);
		if (!st)
			st = lt_looptree_apply(t, steps, strlen(steps), "s", 0, NULL, &next, NULL);
		struct run_text text = { NULL, 0 };
		if (!st)
			st = lt_looptree_print(next, run_text_add, &text);
		if (!st)
			st = lt_looptree_parse(g, text.at, text.n, "t", &back);
		counter.fail_at = 0;
		cr_assert(st == LT_OK || st == LT_ENOMEM, "%d: %s", (int)at, lt_context_message(ctx));
		lt_looptree_free(back);
		lt_looptree_free(next);
		lt_looptree_free(t);
		run_text_free(&text);
		lt_graph_free(g);
		lt_context_free(ctx);
		cr_assert_eq(counter.bytes, 0, "allocation %d", (int)at);
		if (st == LT_OK)
			break;
	}
}

static double seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* n products, each with both factors staged and its sum in partial ones, by one list of steps on the tree's own graph;
 * the time of it. */
static double derive_time(int n)
{
	size_t bytes = (size_t)n * 400 + 200, at = 0;
	char *graph = malloc(bytes);
	at += (size_t)snprintf(graph, bytes, "graph 1\nvar m 3\nvar k 8\nvar n 5\n%%b = f32[k, n] input \"b\"\n");
	for (int i = 0; i < n; i++)
		at += (size_t)snprintf(graph + at, bytes - at,
			"%%a%d = f32[m, k] input \"a%d\"\n%%p%d = f32[m, n, k] mul %%a%d, %%b\n"
			"%%c%d = f32[m, n] add.reduce %%p%d\n"
			"result \"c%d\" = %%c%d\n",
			i, i, i, i, i, i, i, i);
	struct lt_context *ctx;
	struct lt_graph *g;
	struct lt_looptree *t;
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt_graph_parse(ctx, graph, at, "test", &g), LT_OK, "%s", lt_context_message(ctx));
	cr_assert_eq(lt_looptree_new(g, &t), LT_OK);
	struct lt_derived_step *step = calloc((size_t)n * 3, sizeof *step);
	char (*name)[7][16] = calloc((size_t)n, sizeof *name);
	for (int i = 0; i < n; i++) {
		for (int k = 0; k < 7; k++)
			snprintf(name[i][k], sizeof name[i][k], "%c%d", "apcABPk"[k], i);
		step[3 * i] = (struct lt_derived_step){
			.kind = LT_DERIVED_COPY, .made = name[i][3], .of = name[i][0], .reader = name[i][1]
		};
		step[3 * i + 1] = (struct lt_derived_step){
			.kind = LT_DERIVED_COPY, .made = name[i][4], .of = "b", .reader = name[i][1]
		};
		step[3 * i + 2] = (struct lt_derived_step){ .kind = LT_DERIVED_PARTIAL, .made = name[i][5],
			.of = name[i][2], .var = "k", .step = 4, .dim = name[i][6] };
	}
	double begin = seconds();
	cr_assert_eq(lt__tree_derive(t, step, 3 * n, NULL), LT_OK, "%s", lt_context_message(ctx));
	double took = seconds() - begin;
	cr_expect_eq(t->graph->n_node, 1 + 6 * n);
	lt_looptree_free(t);
	lt_graph_free(g);
	lt_context_free(ctx);
	free(step);
	free(name);
	free(graph);
	return took;
}

Test(derived_follow, many_steps_take_linear_time)
{
	double few = 1e9, many = 1e9;
	for (int try = 0; try < 5 && !(many < 30 * few + 0.1); try++) {
		few = fmin(few, derive_time(1200));
		many = fmin(many, derive_time(9600));
	}
	cr_log_warn("derived nodes of 1200 products: %.1f ms; of 9600: %.1f ms", few * 1e3, many * 1e3);
	cr_expect_lt(many, 30 * few + 0.1, "eight times as many take %.1f times as long", many / few);
}
