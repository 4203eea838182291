/* derived_trees.c -- graphs and trees for the primitives that add nodes to a tree. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "ir/pass/pass.h"
#include "looptree/legality/legality.h"
#include "looptree/schedule/schedule.h"
#include "program/run/run.h"
#include "check/random/must.h"
#include "tests/derived_trees.h"
#include "check/random/random.h"
#include "tests/tree_enum.h"
#include "tests/tree_marked.h"
#include "tests/tree_text.h"
#include "program/program.h"

static const char product[] =
	"graph 1\nvar m 5\nvar k 12\nvar n 6\n%a = f32[m, k] input \"a\"\n%b = f32[k, n] constant \"b\"\n"
	"%p = f32[m, n, k] mul %a, %b\n%c = f32[m, n] add.reduce %p\n%d = f32[m, n] neg %c\n%e = f32[m, n] abs "
	"%d\nresult \"e\" = %e\n";
static const char window[] =
	"graph 1\nvar i 11\nvar o 5\nvar t 3\n%x = f32[i] input \"x\"\n%h = f32[i] neg %x\n%f = f32[t] input \"f\"\n"
	"%w = f32[o, t] view { %h[2*o + t - 1] if 2*o + t - 1 >= 0; else 0.5 }\n%y = f32[o, t] mul %w, %f\n%s = f32[o] "
	"add.reduce %y\n"
	"result \"s\" = %s\n";
static const char image[] = "graph 1\nvar I 9\nvar J 8\nvar i 9\nvar j 8\nvar r 3\nvar s 2\n%x = f32[I, J] input "
			    "\"x\"\n%f = f32[r, s] constant \"f\"\n"
			    "%w = f32[i, j, r, s] view { %x[i + r - 1, j + s] if i + r - 1 >= 0, 9 - i - r >= 0, 7 - j "
			    "- s >= 0; else 0.0 }\n"
			    "%y = f32[i, j, r, s] mul %w, %f\n%z = f32[i, j] add.reduce %y\nresult \"z\" = %z\n";
static const char shapes[] = "graph 1\nvar i 4\nvar j 3\nvar l 12\n%x = f32[i, j] input \"x\"\n%h = f32[i, j] neg %x\n"
	"%v = f32[l] view { %h[floor(l / 3), l - 3*floor(l / 3)] }\n%y = f32[l] abs %v\n"
	"%w = f32[l] view { %h[l, 0] if 2 - l >= 0; else 0.0 }\n%z = f32[l] abs %w\nresult \"y\" = %y\nresult \"z\" = %z\n";
static const char pair[] =
	"graph 1\nvar i 7\nvar j 5\n%x = f32[i, j] input \"x\"\n%u = f32[i, j] abs %x\n%v = f32[i, j] neg %u\n"
	"%r = f32[i] add.reduce %u\n%z = f32[i, j] mul %v, %r\n%w = f32[i] neg %r\nresult \"z\" = %z\nresult \"w\" = "
	"%w\n";
static const char folds[] =
	"graph 1\nvar i 3\nvar t 13\n%x = f32[i, t] input \"x\"\n%l = f32[i] max.reduce %x\n%s = f32[i] min.reduce %x\n"
	"%q = f32[i] mul.reduce %x\nresult \"l\" = %l\nresult \"s\" = %s\nresult \"q\" = %q\n";
static const char bounded[] =
	"graph 1\nvar i 5\nvar t 13 limit 0 + 1*p\nvar one 1\nparam p = %pos[0] in 0..13\n%pos = i64[one] input \"pos\"\n"
	"%x = f32[i, t] input \"x\"\n%y = f32[i, t] abs %x\n%s = f32[i] add.reduce %y\n%l = f32[i] max.reduce %y\n"
	"%z = f32[i] add %s, %l\nresult \"z\" = %z\n";
static const char state[] =
	"graph 1\nvar i 6\nvar q 2\n%x = f32[q] input \"x\"\n%h = f32[i] state \"h\"\n%y = f32[q] neg %x\n"
	"%u = f32[i] update %h, %y at [3]\n%v = f32[i] abs %u\nset %h = %u\nresult \"v\" = %v\n";
static const char ones[] = "graph 1\nvar m 1\nvar k 2\nvar n 1\n%a = f32[m, k] input \"a\"\n%b = f32[k, n] input "
			   "\"b\"\n%p = f32[m, n, k] mul %a, %b\n"
			   "%c = f32[m, n] add.reduce %p\nresult \"c\" = %c\n";
static const char two[] =
	"graph 1\nvar i 3\nvar s 4\nvar t 6\n%x = f32[i, s, t] input \"x\"\n%r = f32[i] add.reduce %x\nresult \"r\" = %r\n";
static const char tapped[] =
	"graph 1\nvar i 11\nvar k 4\nvar o 5\nvar t 3\n%x = f32[i, k] input \"x\"\n%a = f32[k] input \"a\"\n"
	"%p = f32[i, k] mul %x, %a\n%h = f32[i] max.reduce %p\n%g = f32[i] exp %h\n"
	"%w = f32[k, t] view { %h[2*k + t - 1] if 2*k + t - 1 >= 0; else -2.0 }\n%v = f32[k, o] view { %g[k] if 2 - o "
	">= 0; %h[o + 1] }\n"
	"%y = f32[k, t] abs %w\n%s = f32[k] add.reduce %y\n%z = f32[k, o] mul %v, %s\nresult \"z\" = %z\n";
static const char row_sums[] =
	"graph 1\nvar i 4\nvar j 5\n%x = f32[i, j] input \"x\"\n%u = f32[i, j] abs %x\n%r = f32[i] add.reduce %u\n"
	"%w = f32[i] neg %r\n%z = f32[i, j] mul %u, %r\nresult \"w\" = %w\nresult \"z\" = %z\n";
static const char cached[] = "graph 1\nvar i 9\nvar o 9 limit 0 + 1*p\nvar q 2\nvar one 1\nparam p = %pos[0] in "
			     "0..9\n%pos = i64[one] input \"pos\"\n"
			     "%x = f32[i] input \"x\"\n%h = f32[i] neg %x\n%w = f32[o, q] view { %h[-1*o + 1*p - 1] if "
			     "4 - o - q >= 0; else 7.0 }\n"
			     "%s = f32[q] add.reduce %w\nresult \"s\" = %s\n";
static const char looked[] = "graph 1\nvar i 6\nvar l 4\nvar o 3\n%x = f32[i] input \"x\"\n%n = i64[l] input \"n\"\n%h "
			     "= f32[l] gather %x, %n axis 0\n"
			     "%w = f32[o] view { %h[o + 1] }\n%z = f32[o] neg %w\nresult \"z\" = %z\n";
static const char folded[] = "graph 1\nvar i 6\nvar q 2\nvar r 3\n%x = f32[i] input \"x\"\n%h = f32[i] neg %x\n%v = "
			     "f32[q, r] view { %h[3*q + r] }\n"
			     "%w = f32[q] view { %h[q] }\n%z = f32[q] abs %w\nresult \"v\" = %v\nresult \"z\" = %z\n";
static const char views[] = "graph 1\nvar i 4\nvar j 6\nvar n 6\nvar m 4\nvar q 6\n%x = f32[i, j] input \"x\"\n"
	"%y = f32[n, m] input \"y\"\n%e = f32[i, j] exp %x\n%v = f32[n, m] view { %e[m, n] }\n%a = f32[n, m] neg %v\n"
	"%b = f32[n, m] add %v, %y\n%w = f32[q, m] view { %v[q, m] }\n%c = f32[q, m] abs %w\nresult \"a\" = %a\n"
	"result \"b\" = %b\nresult \"c\" = %c\n";

static const struct derived_tree derived_trees[] = {
	{ "fused", product, "m\n k\n  n\n   %p\n   %c\n n\n  %d\n  %e\n" },
	{ "one", product, "m\n n\n  k\n   %p\n   %c\n  %d\n  %e\n" },
	{ "each", product, "m\n n\n  k\n   %p\n   %c\nm\n n\n  %d\nm\n n\n  %e\n" },
	{ "conv", window, "i\n %h\no\n t\n  %y\n  %s\n" },
	{ "flat", shapes, "i\n j\n  %h\nl\n %y\nl\n %z\n" },
	{ "halo", image, "i\n j\n  r\n   s\n    %y\n    %z\n" },
	{ "pairs", pair, "i\n j\n  %u\ni\n j\n  %r\ni\n j\n  %v\n  %z\ni\n %w\n" },
	{ "rows", folds, "i\n t\n  %l\n  %s\n  %q\n" },
	{ "upto", bounded, "i\n t\n  %y\n  %s\n  %l\n %z\n" },
	{ "keeps", state, "q\n %y\nq\n %u\ni\n %v\n" },
	{ "least", ones, "m\n n\n  k\n   %p\n   %c\n" },
	{ "planes", two, "i\n s\n  t\n   %r\n" },
	{ "taps", tapped, "i\n k\n  %p\n  %h\n %g\nk\n t\n  %y\n  %s\n o\n  %z\n" },
	{ "sums", row_sums, "i\n j\n  %u\n  %r\n %w\n j\n  %z\n" },
	{ "back", cached, "i\n %h\nq\n o\n  %s\n" },
	{ "gathers", looked, "l\n %h\no\n %z\n" },
	{ "through", folded, "i\n %h\nq\n %z\n" },
	{ "views", views, "i\n j\n  %e\nn\n m\n  %a\nn\n m\n  %b\nq\n m\n  %c\n" },
};

struct derived_case derived_open_text(const char *graph, const char *tree)
{
	struct derived_case p;
	struct lt_graph *live;
	must(lt_context_new(&p.ctx) == LT_OK, "no context");
	must(lt_graph_parse(p.ctx, graph, strlen(graph), "test", &p.g) == LT_OK, "%s", lt_context_message(p.ctx));
	must(lt__pass_dead(p.g, &live) == LT_OK && lt__materialize(live, &p.lowered) == LT_OK, "%s",
		lt_context_message(p.ctx));
	lt_graph_free(live);
	p.t = tree_marked(p.lowered, tree);
	return p;
}

struct derived_case derived_open(const char *name)
{
	size_t i = 0;
	while (i < sizeof derived_trees / sizeof *derived_trees && strcmp(derived_trees[i].name, name) != 0)
		i++;
	must(i < sizeof derived_trees / sizeof *derived_trees, "there is no tree '%s'", name);
	return derived_open_text(derived_trees[i].graph, derived_trees[i].tree);
}

void derived_close(struct derived_case *p)
{
	lt_looptree_free(p->t);
	lt_graph_free(p->lowered);
	lt_graph_free(p->g);
	lt_context_free(p->ctx);
}

lt_status derived_apply(const struct derived_case *p, const char *steps, struct lt_looptree **out)
{
	return lt_looptree_apply(p->t, steps, strlen(steps), "apply", 0, NULL, out, NULL);
}

void derived_expect_legal(const struct derived_case *p, struct lt_looptree *t, const char *what)
{
	const struct lt_graph *g = p->lowered;
	const struct lt_paramdef *d = g->n_param ? &g->param[0] : NULL;
	must(lt__prove_tree(t) == LT_OK, "`%s`: the exact check says %s", what, lt_context_message(p->ctx));
	must(lt__verify_tree(t) == LT_OK, "`%s`: the structural check says %s", what, lt_context_message(p->ctx));
	for (int64_t at = d ? d->low : 0; at <= (d ? d->high : 0); at++) {
		const char *why = tree_enumerate(t, &at);
		must(!*why, "`%s`: enumeration says %s", what, why);
	}
}

void derived_expect_text(const struct derived_case *p, const struct lt_looptree *t, const char *what)
{
	struct run_text text = tree_print(t), again;
	struct lt_looptree *back;
	must(lt_looptree_parse(p->lowered, text.at, text.n, "printed", &back) == LT_OK, "`%s`: %s\n%s", what,
		lt_context_message(p->ctx), text.at);
	again = tree_print(back);
	must(!strcmp(text.at, again.at), "`%s` printed, read, and printed again:\n%sand\n%s", what, text.at, again.at);
	lt_looptree_free(back);
	run_text_free(&text);
	run_text_free(&again);
}

/* -- runs -- */

static lt_status compile_text(
	void *text, const struct lt_graph *g, const struct lt_options *options, struct lt_program **out)
{
	struct lt_graph *live, *lowered;
	struct lt_looptree *tree;
	*out = NULL;
	LT_TRY(lt__pass_dead(g, &live));
	lt_status st = lt__materialize(live, &lowered);
	lt_graph_free(live);
	LT_TRY(st);
	st = lt_looptree_parse(lowered, text, strlen(text), "printed", &tree);
	if (st)
		lt_graph_free(lowered);
	return st ? st : lt__compile_tree(g->ctx, g, lowered, tree, options, out);
}

struct data { const struct lt_graph *g; uint64_t seed; bool nan; };

static void fill(void *user, int run, lt_node n, void *out)
{
	const struct data *d = user;
	const struct lt_graph *g = d->g;
	uint64_t rng = d->seed * 7919 + (uint64_t)n * 31 + (uint64_t)run;
	for (int64_t i = 0; i < lt__node_elems(g, n); i++) {
		union lt_scalar x;
		bool is_float = lt__dtype_info(g->node[n].dtype)->cls == LT_CLASS_FLOAT;
		if (is_float)
			x.f = d->nan && random_chance(&rng, 4) ? (double)NAN : (double)random_between(&rng, -12, 12) / 8;
		else
			x.i = random_between(&rng, -9, 9);
		for (lt_param p = 0; p < g->n_param; p++)       /* its least and greatest value, and those between */
			if (g->param[p].source == n && g->param[p].element == i)
				x.i = run < 2 ? (run ? g->param[p].high : g->param[p].low)
					      : random_between(&rng, g->param[p].low, g->param[p].high);
		lt__store(out, i, g->node[n].dtype, lt__round_to(x, g->node[n].dtype));
	}
}

void derived_expect_run(
	const struct derived_case *p, const struct lt_looptree *t, const char *backend, bool nan, const char *what)
{
	static uint64_t seed;
	struct data d = { p->g, ++seed, nan };
	char why[1000];
	struct run_text text = tree_print(t);
	struct run_config config = { .backends = backend, .compile = compile_text, .user = text.at };
	struct run_tally tally = { 0 };
	struct run_want want;
	run_want_new(p->g, 4, fill, &d, &want);
	must(want.status == LT_OK, "%s", want.message);
	must(run_compare(&want, p->g, &config, NULL, NULL, &tally, why, sizeof why), "`%s` on %s, seed %llu: %s\n%s",
		what, backend, (unsigned long long)d.seed, why, text.at);
	must(tally.elements > 0, "`%s`: nothing was compared", what);
	run_want_free(&want);
	run_text_free(&text);
}
