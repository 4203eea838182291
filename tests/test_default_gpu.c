/* test_default_gpu.c -- default trees of GPUs for what was refused once, for graphs that are drawn, and for those
 * that they cannot be made for as they should. */
#include <criterion/criterion.h>
#include <string.h>
#include "check/random/must.h"
#include "lt/lt.h"
#include "program/run/run.h"
#include "tests/default_trees.h"
#include "tests/keeper.h"
#include "tests/ltrun.h"

TestSuite(default_gpu, .init = ltrun_set_up, .fini = ltrun_tear_down, .timeout = 240);

/* LT_GRAPHS=2000 LT_SEED=7: others, and more. */
Test(default_gpu, drawn_graphs_have_the_trees_that_are_meant)
{
	struct default_tally t = { 0 };
	default_trees_run(must_number("LT_SEED", 5001), (int64_t)must_draws("LT_GRAPHS", 400), 12, NULL, &t);
	cr_expect_eq(t.failed, 0, "%lld graphs of %lld", (long long)t.failed, (long long)t.planned);
	cr_expect_gt(t.ran, t.planned / 20);
	cr_expect_lt(t.run.skipped, t.run.elements / 100);
}

/* Compiles, without running; the sentence of a failure, "" if there is none. */
static const char *plan(const char *graph, const char *backends)
{
	static char text[600];
	const struct lt_options o = { .size = sizeof o, .backends = backends, .strict = 1, .plan_only = 1 };
	struct lt_context *ctx;
	struct lt_program *p = NULL;
	struct lt_graph *g = NULL;
	must(lt_context_new(&ctx) == LT_OK, "no context");
	lt_status st = lt_graph_parse(ctx, graph, strlen(graph), "graph", &g);
	st = st ? st : lt_compile(ctx, g, &o, &p);
	(void)snprintf(text, sizeof text, "%s", st ? lt_context_message(ctx) : "");
	for (int32_t i = 0; !st && i < p->tree->n_note; i++)
		if (strstr(p->tree->note[i].text, "plainer"))
			(void)snprintf(text, sizeof text, "%s", p->tree->note[i].text);
	lt_program_free(p);
	lt_graph_free(g);
	lt_context_free(ctx);
	return text;
}

/* Rows of every small length, in every small number: their threads are never too many. */
Test(default_gpu, short_rows)
{
	for (int n = 1; n <= 130; n += 3)
		for (int m = 1; m <= 20; m++) {
			char graph[500];
			(void)snprintf(graph, sizeof graph, "graph 1\nvar i %d\nvar j %d\n%%x = f32[i, j] input \"x\"\n"
				"%%m = f32[i] max.reduce %%x\n%%d = f32[i, j] sub %%x, %%m\n%%e = f32[i, j] exp %%d\n"
				"%%s = f32[i] add.reduce %%e\n%%y = f32[i, j] div %%e, %%s\nresult \"y\" = %%y\n", n, m);
			const char *on = m % 2 ? "sim:h100" : "sim:grid/block=128", *said = plan(graph, on);
			cr_expect_str_empty(said, "%d rows of %d, %s: %s", n, m, on, said);
		}
}

/* Products of products: deep dims that the tiles do not divide. */
Test(default_gpu, chains_of_products)
{
	static const int sizes[] = { 16, 17, 32, 33, 40, 64, 100, 257 };
	for (int k = 0; k < 8 * 8; k++)
		for (int third = 0; third < 2; third++) {
			char graph[900];
			int a = sizes[k % 8], b = sizes[k / 8];
			int n = snprintf(graph, sizeof graph, "graph 1\nvar m 64\nvar k 48\nvar a %d\nvar b %d\nvar c 33\n"
				"%%x = f32[m, k] input \"x\"\n%%y = f32[k, a] input \"y\"\n%%z = f32[a, b] input \"z\"\n"
				"%%w = f32[b, c] input \"w\"\n%%p = f32[m, a, k] mul %%x, %%y\n%%q = f32[m, a] add.reduce %%p\n"
				"%%r = f32[m, b, a] mul %%q, %%z\n%%s = f32[m, b] add.reduce %%r\n", a, b);
			(void)snprintf(graph + n, sizeof graph - (size_t)n, "%s", third
				? "%t = f32[m, c, b] mul %s, %w\n%u = f32[m, c] add.reduce %t\nresult \"u\" = %u\n" : "result \"s\" = %s\n");
			const char *said = plan(graph, "sim:h100");
			cr_expect_str_empty(said, "%d, %d: %s", a, b, said);
		}
}

#define TWO_ORDERS "graph 1\nvar a 32\nvar b 128\n%x = f32[a, b] input \"x\"\n%u = f32[a, b] input \"u\"\n" \
	"%y = f32[b, a] add %x, %u\n%z = f32[a, b] abs %y\nresult \"z\" = %z\nresult \"y\" = %y\n"
#define PRODUCTS "graph 1\nvar m 64\nvar a 40\nvar b 33\nvar k 64\n%x = f32[m, k] input \"x\"\n" \
	"%y = f32[k, a] input \"y\"\n%z = f32[a, b] input \"z\"\n%p = f32[m, a, k] mul %x, %y\n" \
	"%q = f32[m, a] add.reduce %p\n" \
	"%r = f32[m, b, a] mul %q, %z\n%s = f32[m, b] add.reduce %r\nresult \"s\" = %s\n"
#define SPLIT "graph 1\nvar i 257\nvar k 1025\nvar j 4\n%x = f64[i, k] input \"x\"\n%y = f64[k, j] input \"y\"\n" \
	"%n = f64[i, k] neg %x\n%p = f64[i, k, j] mul %n, %y\n%s = f64[i, j] add.reduce %p\nresult \"s\" = %s\n" \
	"result \"n\" = %n\n"

Test(default_gpu, what_was_refused_computes_what_the_graph_says)
{
	static const char *const graphs[] = { TWO_ORDERS, PRODUCTS, SPLIT };
	for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
		const char *said = plan(graphs[i], "sim:a100");
		cr_expect_str_empty(said, "graph %d: %s", (int)i, said);
		ltrun_write_text("case.graph", graphs[i]);
		cr_expect_eq(ltrun("--no-cache --strict -b sim:a100 -q --verify -i '*=random' case.graph"), 0, "graph %d: %s",
			(int)i, ltrun_err);
	}
}

/* A device of fewer threads than its caps say: what is refused is made plainer, until it is taken, and --explain says
 * why; nobody has to do anything about it. */
static const struct lt_backend *sim;
static struct lt_backend liar;
static lt_status liar_accepts(struct lt_session *s, const struct lt_tree *t, struct lt_diag *diag)
{
	for (int32_t i = 0; i < t->n_loop; i++) {
		const struct lt_loop *x = LT_AT(struct lt_loop, t->loops, i);
		if (x->kind == LT_BLOCK && x->max_trip_count > 32) {
			if (diag)
				diag->report(diag, &(struct lt_diagnostic){ .size = sizeof(struct lt_diagnostic), .loop = i, .stmt = -1,
					.text = "this device has 32 threads" });
			return LT_EUNSUPPORTED;
		}
	}
	return sim->accepts(s, t, diag);
}

Test(default_gpu, a_refused_tree_is_made_plainer)
{
	static const char *const graphs[] = { TWO_ORDERS, PRODUCTS, SPLIT };
	sim = lt_backend_find("sim");
	liar = *sim;
	liar.name = "liar";
	liar.accepts = liar_accepts;
	cr_assert_eq(lt_backend_register(&liar, NULL), LT_OK);
	for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
		const char *said = plan(graphs[i], "liar:h100");
		cr_expect(said[0] == '\0' || strstr(said, "plainer than usual"), "graph %d: %s", (int)i, said);
	}
	cr_expect_not_null(strstr(plan(SPLIT, "liar:h100"), "this device has 32 threads"));
}
