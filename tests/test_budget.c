/* test_budget.c -- budgets: what is refused, how the sentence says it, what raises them; and where a caller is asked
 * whether to go on: in each phase, and a call that is cancelled anywhere leaves nothing. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "program/judge/judge.h"
#include "lt/lt.h"
#include "tests/ltrun.h"

static const char script[] = "$1 = InputTensor(x, float32, [12, 16]); $2 = InputTensor(y, float32, [16, 20]);\n"
	"$3 = MatMulNode($1, $2); $4 = SoftmaxNode($3, 1); $5 = SumNode($4, $3); $6 = ConcatNode(0, $5, $3); result = $6;\n";

TestSuite(budget, .init = ltrun_set_up, .fini = ltrun_tear_down, .timeout = 120);

static struct lt_graph *parsed(void)
{
	struct lt_graph *g;
	cr_assert_eq(lt_parse(ltrun_ctx, script, strlen(script), "s.lt", NULL, &g), LT_OK, "%s",
		lt_context_message(ltrun_ctx));
	return g;
}

static lt_status compile_with(const char *apply, int (*cancelled)(void *), void *user)
{
	struct lt_graph *g = parsed();
	struct lt_program *p = NULL;
	const struct lt_options o = { .size = sizeof o, .backends = "ref", .n_thread = 1, .apply = apply,
		.cancelled = cancelled, .user = user };
	lt_status st = lt_compile(ltrun_ctx, g, &o, &p);
	cr_expect_eq(st == LT_OK, p != NULL);
	lt_program_free(p);
	lt_graph_free(g);
	return st;
}

static lt_status read_it(void)
{
	struct lt_graph *g = NULL;
	lt_status st = lt_parse(ltrun_ctx, script, strlen(script), "s.lt", NULL, &g);
	cr_expect_eq(st == LT_OK, g != NULL);
	lt_graph_free(g);
	return st;
}

Test(budget, what_is_spent_is_refused_with_a_sentence)
{
	static const struct { enum lt_budget b; bool reads; int64_t most; const char *says; } cases[] = {
		{ LT_BUDGET_NODES, true, 5, "reading s.lt: node '" },
		{ LT_BUDGET_NODES, false, 5, "running the pass " },
		{ LT_BUDGET_PIECES, true, 1, "pieces of views are made, and at most 1 may be: --budget pieces=N allows more" },
		{ LT_BUDGET_LOOPS, false, 4, "making the default tree: 5 loops and leaves of trees are made, and at most 4" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct lt_graph *g = cases[i].reads ? NULL : parsed();
		struct lt_program *p = NULL;
		lt_context_budget(ltrun_ctx, cases[i].b, cases[i].most);
		lt_status st = g ? lt_compile(ltrun_ctx, g, &(struct lt_options){ .size = sizeof (struct lt_options),
			.backends = "ref" }, &p) : read_it();
		cr_expect_eq(st, LT_EBUDGET, "%zu: %s", i, lt_context_message(ltrun_ctx));
		cr_expect_null(p);
		cr_expect(strstr(lt_context_message(ltrun_ctx), cases[i].says), "%s", lt_context_message(ltrun_ctx));
		lt_context_budget(ltrun_ctx, cases[i].b, 0);
		cr_expect_eq(read_it(), LT_OK);
		cr_expect_eq(compile_with(NULL, NULL, NULL), LT_OK, "%s", lt_context_message(ltrun_ctx));
		lt_context_budget(ltrun_ctx, cases[i].b, lt_budget_default(cases[i].b));
		cr_expect_eq(compile_with(NULL, NULL, NULL), LT_OK, "%s", lt_context_message(ltrun_ctx));
		lt_graph_free(g);
	}
}

/* Each step has the whole budget: what was made before does not count. */
Test(budget, a_budget_is_for_each_call)
{
	lt_context_budget(ltrun_ctx, LT_BUDGET_NODES, 60);
	for (int i = 0; i < 50; i++)
		cr_assert_eq(read_it(), LT_OK, "%s", lt_context_message(ltrun_ctx));
}

Test(budget, freezing_says_when_it_is_spent)
{
	char root[4096];
	cr_assert_not_null(realpath("examples/schedules", root));
	cr_expect_eq(ltrun("-b sim:h100 %s/gpu-product.graph --schedule %s/gpu-product.schedule --dump=frozen --budget "
		"pairs=1000", root, root), 1, "%s", ltrun_err);
	cr_expect(strstr(ltrun_err, "freezing: node '") && strstr(ltrun_err, "pairs of accesses are compared for barriers, "
		"and at most 1000 may be: --budget pairs=N allows more"), "%s", ltrun_err);
	cr_expect_eq(ltrun("-b sim:h100 %s/gpu-product.graph --schedule %s/gpu-product.schedule --dump=frozen", root, root), 0,
		"%s", ltrun_err);
}

Test(budget, the_option)
{
	static const struct { const char *given; int code; const char *says; } cases[] = {
		{ "--budget nodes=3", 2, "may be: --budget nodes=N allows more" },
		{ "--budget nodes=3 --budget nodes=0", 0, "" },
		{ "--budget nodes=3 --budget nodes=1000", 0, "" },
		{ "--budget loops=1", 1, "--budget loops=N allows more" },
		{ "--budget node=3", 2, "did you mean 'nodes'" },
		{ "--budget nodes", 2, "--budget takes NAME=N, such as nodes=1000000, not 'nodes'; there are" },
		{ "--budget nodes=-1", 2, "takes a whole number from 0" },
		{ "--budget nodes=many", 2, "takes a whole number from 0" },
	};
	ltrun_write_text("s.lt", script);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		cr_expect_eq(ltrun("s.lt -b ref -q -i '*=random' %s", cases[i].given), cases[i].code, "%s: %s", cases[i].given,
			ltrun_err);
		cr_expect(strstr(ltrun_err, cases[i].says), "%s: %s", cases[i].given, ltrun_err);
	}
}

/* -- asked, and cancelled -- */

enum { SEEN = 64 };
struct asker { const struct lt_context *ctx; int64_t left, asked; int n; char seen[SEEN][64]; };

static int ask(void *user)
{
	struct asker *a = user;
	const char *doing = a->ctx->spending ? a->ctx->spending->doing : "evaluating";
	bool known = false;
	a->asked++;
	for (int i = 0; i < a->n; i++)
		known = known || !strcmp(a->seen[i], doing);
	if (!known && a->n < SEEN)
		snprintf(a->seen[a->n++], sizeof *a->seen, "%s", doing);
	return a->left-- <= 0;
}

static lt_status read_compile_evaluate(void)
{
	static float x[12 * 16], y[16 * 20];
	struct lt_graph *g = NULL;
	struct lt_program *p = NULL;
	struct lt_evaluation *e = NULL;
	lt_status st = lt_parse(ltrun_ctx, script, strlen(script), "s.lt", NULL, &g);
	const struct lt_options o = { .size = sizeof o, .backends = "ref", .apply = "split %4/n 4" };
	if (!st) {
		const void **source = calloc((size_t)g->n_node, sizeof *source);
		for (lt_node n = 0, k = 0; n < g->n_node; n++)
			if (g->node[n].op == LT_OP_input)
				source[n] = k++ ? y : x;
		st = lt_compile(ltrun_ctx, g, &o, &p);
		if (!st)
			st = lt_eval(g, source, true, &e);
		free(source);
	}
	lt_eval_free(e);
	lt_program_free(p);
	lt_graph_free(g);
	return st;
}

Test(budget, the_caller_is_asked_in_each_phase)
{
	static const char *const phases[] = { "reading s.lt", "running the pass fold", "running the pass cse",
		"making the default tree", "applying the schedule", "freezing", "choosing backends", "evaluating" };
	struct asker a = { ltrun_ctx, INT64_MAX, 0, 0, { { 0 } } };
	ltrun_ctx->asks_always = true;
	lt_context_cancel(ltrun_ctx, ask, &a);
	cr_assert_eq(read_compile_evaluate(), LT_OK, "%s", lt_context_message(ltrun_ctx));
	for (size_t i = 0; i < sizeof phases / sizeof *phases; i++) {
		bool found = false;
		for (int k = 0; k < a.n; k++)
			found = found || !strcmp(a.seen[k], phases[i]);
		cr_expect(found, "nobody was asked while %s", phases[i]);
	}
}

/* Wherever it is: LT_ECANCELLED, and a sentence.  What is left behind the sanitizers find. */
Test(budget, a_call_is_cancelled_anywhere)
{
	enum { TIMES = 300 };
	struct asker a = { ltrun_ctx, INT64_MAX, 0, 0, { { 0 } } };
	ltrun_ctx->asks_always = true;
	lt_context_cancel(ltrun_ctx, ask, &a);
	cr_assert_eq(read_compile_evaluate(), LT_OK, "%s", lt_context_message(ltrun_ctx));
	const int64_t all = a.asked;
	cr_assert_gt(all, 1000);
	for (int i = 0; i < TIMES; i++) {
		a.left = all * i / TIMES;
		cr_assert_eq(read_compile_evaluate(), LT_ECANCELLED, "asked %lld of %lld times: %s", (long long)(all * i / TIMES),
			(long long)all, lt_context_message(ltrun_ctx));
		cr_expect(strstr(lt_context_message(ltrun_ctx), "cancelled"), "%s", lt_context_message(ltrun_ctx));
	}
	lt_context_cancel(ltrun_ctx, NULL, NULL);
	cr_expect_eq(read_compile_evaluate(), LT_OK, "%s", lt_context_message(ltrun_ctx));
}

static int always(void *user)
{
	*(int *)user += 1;
	return 1;
}

Test(budget, a_sentence_says_what_was_cancelled)
{
	int n = 0;
	ltrun_ctx->asks_always = true;
	lt_context_cancel(ltrun_ctx, always, &n);
	cr_expect_eq(read_it(), LT_ECANCELLED);
	cr_expect_str_eq(lt_context_message(ltrun_ctx), "reading s.lt was cancelled");
	cr_expect_eq(n, 1);
}
