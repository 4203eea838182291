/* test_check_reduce.c -- the reducer of lt-check on predicates whose smallest graphs and schedules are known. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "check/random/random.h"
#include "ir/pass/pass.h"
#include "looptree/schedule/schedule.h"
#include "tests/built.h"
#include "tests/run_graph.h"
#include "tests/script_run.h"
#include "tools/check/check.h"

/* One reduction: what is asked of a candidate, and what came of it. */
struct asked {
	bool (*is)(const struct asked *, const struct lt_graph *, const char *tree);
	enum lt_opcode op;              /* of some predicates */
	int n, n_bad;                   /* candidates; those that break a rule */
	lt_status status;
	char text[2000], *script, *schedule;
	struct lt_graph *g;             /* of the script */
};
static struct lt_context *ctx;

static void set_up(void) { cr_assert_eq(lt_context_new(&ctx), LT_OK); }
static void tear_down(void)
{
	lt_context_free(ctx);
	scratch_remove();
}
TestSuite(check_reduce, .timeout = 60, .init = set_up, .fini = tear_down);

static lt_status lowered(const struct lt_graph *g, struct lt_graph **out)
{
	struct lt_graph *live;
	LT_TRY(lt__pass_dead(g, &live));
	lt_status st = lt__materialize(live, out);
	lt_graph_free(live);
	return st;
}

/* The plain tree of the graph with those of the steps that it takes, as a text; *taken: these. */
static char *tree_by(const struct lt_graph *g, const char *steps, char **taken)
{
	struct run_text text = { NULL, 0 };
	struct lt_graph *base;
	struct lt_looptree *plain, *t;
	cr_assert_eq(lowered(g, &base), LT_OK);
	cr_assert_eq(lt_looptree_auto(base, NULL, &plain), LT_OK);
	*taken = lt__check_replay(plain, steps);
	cr_assert_eq(lt_looptree_apply(plain, *taken, strlen(*taken), "s", 0, NULL, &t, NULL), LT_OK, "%s",
		lt_context_message(ctx));
	cr_assert_eq(lt_looptree_print(t, run_text_add, &text), LT_OK);
	lt_looptree_free(t);
	lt_looptree_free(plain);
	lt_graph_free(base);
	return text.at;
}

static const char begin[] = "schedule 1\n";

static bool is_asked(const struct asked *a, const struct lt_graph *g, const char *schedule, char **taken)
{
	char *tree = schedule ? tree_by(g, schedule + strlen(begin), taken) : NULL;
	bool is = a->is(a, g, tree);
	free(tree);
	return is;
}

/* A candidate that is no graph is never asked about. */
static bool ask(void *user, const struct lt_graph *g, const char *schedule, struct check_outcome *out)
{
	struct asked *a = user;
	char *taken = NULL;
	*out = (struct check_outcome){ .done = true };
	a->n++;
	a->n_bad += lt_graph_verify(g) != LT_OK;
	bool is = is_asked(a, g, schedule, &taken);
	if (schedule) {
		out->schedule = calloc(1, strlen(taken) + sizeof begin);
		strcat(strcpy(out->schedule, begin), taken);
	}
	free(taken);
	return is;
}

static void reduce(struct asked *a, const char *graph, const char *schedule)
{
	struct lt_graph *g;
	size_t bytes;
	cr_assert_eq(lt_graph_parse(ctx, graph, strlen(graph), "test", &g), LT_OK, "%s", lt_context_message(ctx));
	remove(scratch("a-case-1.schedule"));
	remove(scratch("a-case-1.lt"));
	const struct check_failure f = { .name = "a/case:1",
		.graph = g,
		.schedule = schedule,
		.data_seed = 1,
		.what = "r[0] (%1) is 1, the reference has 2, and rounding explains 0 (1 of 1 elements are wrong)",
		.keep = scratch(""),
		.backend = "-b mine" };
	a->n = a->n_bad = 0;
	a->status = lt__check_reduce(&f, ask, a, a->text, sizeof a->text);
	lt_graph_free(g);
	a->script = script_file(scratch("a-case-1.lt"), &bytes);
	a->schedule = script_file(scratch("a-case-1.schedule"), &bytes);
	a->g = NULL;
	if (a->script)
		cr_assert_eq(lt_graph_parse(ctx, a->script, strlen(a->script), "reduced", &a->g), LT_OK, "%s",
			lt_context_message(ctx));
	cr_expect_eq(a->n_bad, 0, "%d of %d candidates break a rule", a->n_bad, a->n);
	char *taken = NULL;
	if (!a->status)
		cr_assert(a->g && is_asked(a, a->g, a->schedule, &taken), "what was written does not fail: %s%s",
			a->text, a->script ? a->script : "");
	cr_expect(!taken || !strcmp(taken, a->schedule + strlen(begin)), "not all steps of the schedule fit: %s%s",
		a->script, a->schedule);
	free(taken);
}

static void forget(struct asked *a)
{
	free(a->script);
	free(a->schedule);
	lt_graph_free(a->g);
}

static int count(const struct lt_graph *g, enum lt_opcode op)
{
	int n = 0;
	for (lt_node x = 0; x < g->n_node; x++)
		n += g->node[x].op == op;
	return n;
}

static bool has_op(const struct asked *a, const struct lt_graph *g, const char *tree)
{
	(void)tree;
	return count(g, a->op) > 0;
}

/* %e = exp of a view with a guard, one extent of which is above 4. */
static bool has_padded_exp(const struct asked *a, const struct lt_graph *g, const char *tree)
{
	(void)a, (void)tree;
	for (lt_node x = 0; x < g->n_node; x++) {
		const struct lt_nodedef *v = g->node[x].op == LT_OP_exp ? &g->node[g->node[x].operand[0]] : NULL;
		for (int32_t i = 0; v && v->op == LT_OP_view && v->piece[0].map.n_guard && i < v->n_dim; i++)
			if (g->var[v->dim[i]].extent > 4)
				return true;
	}
	return false;
}

static const char many[] = "graph 1\nvar m 13\nvar n 7\nvar p 17\nvar t 9 limit pos + 1\nparam pos = %at[0] in 0..8\n"
	"require pos - 1 >= 0 \"a reason\"\n"
	"%at = i64[] input \"at\"\n%x = f32[m, n] input \"x\"\n%w = f32[n] constant \"w\"\n%s = f32[m] state \"s\"\n"
	"%xw = f32[m, n] mul %x, %w\n%xs = f32[m, n] add %xw, %s\n"
	"%pad = f32[p, n] view { %xs[p - 2, n] if p - 2 >= 0, 14 - p >= 0; else 0.0 }\n"
	"%e = f32[p, n] exp %pad\n%sum = f32[p] add.reduce %e\n"
	"%half = f16[p] cast %sum\n%back = f32[p] cast %half\n%cut = f32[t] view { %back[t + pos] }\n%more = f32[m] neg %s\n"
	"result \"a\" = %xs\nresult \"b\" = %cut\nresult \"c\" = %sum\nset %s = %more\n";

Test(check_reduce, a_padded_exp)
{
	struct asked a = { .is = has_padded_exp };
	reduce(&a, many, NULL);
	cr_assert_eq(a.status, LT_OK, "%s", a.text);
	cr_expect_null(a.schedule);
	cr_expect(a.g->n_node == 3 && a.g->n_param == 0 && a.g->n_require == 0 && a.g->n_result == 1 && a.g->n_set == 0,
		"%s", a.script);
	for (lt_var v = 0; v < a.g->n_var; v++)
		cr_expect_leq(a.g->var[v].extent, 5, "%s", a.script);
	cr_expect_leq(a.g->n_var, 4, "%s", a.script);
	cr_expect_not_null(strstr(a.text, "  lt-check -b mine --script "), "%s", a.text);
	cr_expect_not_null(strstr(a.text, "  lt-run -b mine "), "%s", a.text);
	forget(&a);
}

/* Every operator of that graph, alone: one node that computes, on inputs of one element. */
Test(check_reduce, each_operator_alone)
{
	static const enum lt_opcode ops[] = { LT_OP_mul, LT_OP_exp, LT_OP_cast, LT_OP_neg, LT_OP_add };
	for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
		struct asked a = { .is = has_op, .op = ops[i] };
		reduce(&a, many, NULL);
		cr_assert_eq(a.status, LT_OK, "%s", a.text);
		cr_expect(strstr(a.text, "reduced to 1 computed node in"), "%s\n%s", a.text, a.script);
		for (lt_var v = 0; v < a.g->n_var; v++)
			cr_expect_eq(a.g->var[v].extent, 1, "%s", a.script);
		forget(&a);
	}
}

/* A view with a guard, of something smaller than the view. */
static bool has_guarded_view(const struct asked *a, const struct lt_graph *g, const char *tree)
{
	(void)a, (void)tree;
	for (lt_node x = 0; x < g->n_node; x++) {
		const struct lt_nodedef *v = &g->node[x];
		if (v->op == LT_OP_view && v->piece[0].map.n_guard
			&& g->var[v->dim[0]].extent > g->var[g->node[v->operand[0]].dim[0]].extent)
			return true;
	}
	return false;
}

/* None of the three numbers can be smaller alone. */
Test(check_reduce, extents_and_guards_shrink_together)
{
	struct asked a = { .is = has_guarded_view };
	reduce(&a,
		"graph 1\nvar l 40\nvar k 41\n%x = f32[l] input \"x\"\n%v = f32[k] view { %x[k] if 39 - k >= 0; else "
		"0.0 }\n"
		"%e = f32[k] exp %v\nresult \"e\" = %e\n",
		NULL);
	cr_assert(!a.status && a.g->n_node == 2, "%s%s", a.text, a.script);
	for (lt_var v = 0; v < a.g->n_var; v++)
		cr_expect_leq(a.g->var[v].extent, 3, "%s", a.script);
	forget(&a);
}

static bool has_limit(const struct asked *a, const struct lt_graph *g, const char *tree)
{
	(void)a, (void)tree;
	for (lt_var v = 0; v < g->n_var; v++)
		if (g->var[v].bounded)
			return true;
	return false;
}

static bool has_state(const struct asked *a, const struct lt_graph *g, const char *tree)
{
	(void)a, (void)tree;
	return g->n_set > 0;
}

Test(check_reduce, scalars_and_states_stay_where_they_are_needed)
{
	struct asked a = { .is = has_limit };
	reduce(&a, many, NULL);
	cr_expect(!a.status && a.g->n_set == 0 && a.g->n_result == 1 && a.g->n_node <= 3, "%s%s", a.text, a.script);
	forget(&a);
	a.is = has_state;
	reduce(&a, many, NULL);
	cr_expect(!a.status && a.g->n_set == 1 && a.g->n_param == 0 && a.g->n_node <= 3, "%s%s", a.text, a.script);
	cr_expect_not_null(strstr(a.text, "states begin as zeros"), "%s", a.text);
	forget(&a);
}

static const char layer[] = "graph 1\nvar m 13\nvar n 7\nvar k 29\n"
	"%x = f32[m, k] input \"x\"\n%w = f32[k, n] constant \"w\"\n%b = f32[n] constant \"b\"\n"
	"%p = f32[m, k, n] mul %x, %w\n%s = f32[m, n] add.reduce %p\n%c = f32[m, n] add %s, %b\n%y = f32[m, n] exp %c\n"
	"result \"y\" = %y\nresult \"s\" = %s\n";

static bool has_peel(const struct asked *a, const struct lt_graph *g, const char *tree)
{
	(void)a;
	return tree && strstr(tree, "tail peel") && count(g, LT_OP_exp);
}

static int lines_of(const char *text, const char *word)
{
	int n = 0;
	for (const char *at = text; (at = strstr(at, word)); at++)
		n++;
	return n;
}

/* Only the steps that the tail needs stay. */
Test(check_reduce, a_schedule_is_replayed)
{
	struct asked a = { .is = has_peel };
	reduce(&a, layer,
		"schedule 1\nsplit %s/m 5\nsplit %s/n 3; vectorize %s/n'\ntail %y/m peel\nunroll %s/k\nsplit %y/n 2\n");
	cr_assert(!a.status && a.schedule, "%s", a.text);
	cr_expect_leq(a.g->n_node, 3, "%s%s", a.script, a.schedule);
	cr_expect_leq(lines_of(a.schedule, "\n"), 3, "%s%s", a.script, a.schedule);
	cr_expect_null(strstr(a.schedule, "unroll"), "%s", a.schedule);
	cr_expect_not_null(strstr(a.text, "--schedule "), "%s", a.text);
	forget(&a);
}

static bool has_derived(const struct asked *a, const struct lt_graph *g, const char *tree)
{
	(void)a, (void)g;
	return tree && strstr(tree, "\nown ");
}

/* A tree with nodes of its own goes with a graph that is cut, too. */
Test(check_reduce, a_schedule_with_own_nodes)
{
	struct asked a = { .is = has_derived };
	reduce(&a, layer, "schedule 1\nsplit %s/k 8\nstage %p %w at k\nsplit %y/n 2; tail %y/n mask; vectorize %y/n'\n");
	cr_assert(!a.status && a.schedule, "%s", a.text);
	cr_expect_leq(a.g->n_node, 3, "%s\n%s", a.script, a.schedule);
	forget(&a);
}

/* What fails by its default tree needs no schedule. */
Test(check_reduce, the_default_tree_is_tried_first)
{
	struct asked a = { .is = has_op, .op = LT_OP_exp };
	reduce(&a, layer, "schedule 1\nsplit %s/m 5\nunroll %s/k\n");
	cr_expect(!a.status && !a.schedule && a.g->n_node == 2, "%s", a.text);
	cr_expect_null(strstr(a.text, "--schedule "), "%s", a.text);
	forget(&a);
}

static bool always(const struct asked *a, const struct lt_graph *g, const char *tree)
{
	(void)a, (void)g, (void)tree;
	return true;
}
static bool never(const struct asked *a, const struct lt_graph *g, const char *tree) { return !always(a, g, tree); }

Test(check_reduce, all_and_nothing)
{
	struct asked a = { .is = always };
	reduce(&a, many, NULL);
	cr_expect(!a.status && a.g->n_node == 1, "%s%s", a.text, a.script);
	forget(&a);
	a.is = never;
	reduce(&a, many, NULL);
	cr_expect(a.status && !a.script && a.n == 1 && strstr(a.text, "it does not fail"), "%s", a.text);
	forget(&a);
}

/* Random graphs: an operator that is there ends alone, and all candidates on the way are graphs. */
Test(check_reduce, random_graphs)
{
	const struct random_options o = { .n_node = 14, .views = true, .params = true, .states = true, .composites = true };
	for (uint64_t seed = 1; seed <= 12; seed++) {
		struct random_graph r;
		random_graph_new(ctx, seed, &o, &r);
		char *text = run_graph_text(r.g);
		struct asked a = { .is = has_op, .op = LT_OP_lit };
		for (lt_node x = 0; x < r.g->n_node; x++)
			if (!lt__op_info(r.g->node[x].op)->data)
				a.op = r.g->node[x].op;
		random_graph_free(&r);
		reduce(&a, text, NULL);
		cr_expect(!a.status && count(a.g, a.op) == 1, "%s%s", a.text, a.script);
		if (a.g && a.op != LT_OP_lit)
			cr_expect(strstr(a.text, "reduced to 1 computed node in"), "seed %d: %s%s", (int)seed, a.text, a.script);
		forget(&a);
		free(text);
	}
}
