/* test_tails.c -- the four tails: random nests against the oracle, known nests, what is refused.
 *
 * LT_SEED=N begins with another seed, LT_TREES=N draws another number of trees on `ref` (those on `cpu` in proportion).
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ir/pass/pass.h"
#include "program/run/run.h"
#include "check/random/must.h"
#include "check/random/maker.h"
#include "tests/parsed.h"
#include "tests/tree_marked.h"
#include "tests/tree_text.h"

TestSuite(tails, .timeout = 900);

/* Small whole numbers of both signs, now and then NaN or infinite. */
static void fill(void *graph, int run, lt_node n, void *out)
{
	const struct lt_graph *g = graph;
	uint64_t rng = (uint64_t)n * 31 + (uint64_t)run * 1009 + 7;
	tree_fill(graph, run, n, out);
	if (run == 1 && g->node[n].dtype == LT_F32)
		for (int64_t i = 0; i < lt__node_elems(g, n); i++)
			if (random_chance(&rng, 2))
				lt__store(out, i, LT_F32, (union lt_scalar){ .f = random_chance(&rng, 50) ? NAN : -INFINITY });
}

/* LT_OK, or what refused the tree; fails the test where the numbers are wrong. */
static lt_status check(const char *graph, const char *tree, const char *backends, uint64_t seed)
{
	struct lt_graph *g = parsed(graph);
	struct lt_program *p;
	const struct lt_options options = { .size = sizeof options, .backends = "ref" };
	lt_status st = tree_compile_marked((void *)(uintptr_t)tree, g, &options, &p);
	lt_program_free(p);
	if (st) {
		cr_assert_eq(st, LT_EILLEGAL, "seed %llu: %s: %s\n%s%s", (unsigned long long)seed, lt_status_name(st),
			lt_context_message(g->ctx), graph, tree);
		cr_assert_gt(strlen(lt_context_message(g->ctx)), 40);
		parsed_free(g);
		return st;
	}
	struct run_config config = { .backends = backends, .compile = tree_compile_marked, .user = (void *)(uintptr_t)tree };
	struct run_tally tally = { 0 };
	struct run_want want;
	char why[2000] = "";
	run_want_new(g, 3, fill, g, &want);
	cr_assert_eq(want.status, LT_OK, "%s", want.message);
	run_compare(&want, g, &config, NULL, NULL, &tally, why, sizeof why);
	run_want_free(&want);
	cr_assert_str_eq(why, "", "seed %llu on %s: %s\n%s%s", (unsigned long long)seed, backends, why, graph, tree);
	parsed_free(g);
	return LT_OK;
}

/* -- random nests -- */

enum { MAX_LEVEL = 4, M = 0, N, K };
struct text { char at[8000]; size_t n; };
struct levels { int n; int64_t step[MAX_LEVEL]; };
struct draw { uint64_t rng; int64_t extent[3]; const char *graph; struct text tree; };

static void add(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void add(struct text *t, const char *fmt, ...)
{
	va_list list;
	va_start(list, fmt);
	int n = vsnprintf(t->at + t->n, sizeof t->at - t->n, fmt, list);
	va_end(list);
	cr_assert(n >= 0 && t->n + (size_t)n < sizeof t->at);
	t->n += (size_t)n;
}

/* Steps that do not grow, of loops that cover `span`; the last is 1. */
static struct levels draw_levels(struct draw *d, int64_t span)
{
	struct levels l = { 0 };
	int n = (int)random_between(&d->rng, 1, MAX_LEVEL);
	for (int i = 0; i < n - 1; i++) {
		int64_t step = random_between(&d->rng, 1, span + 2 < 24 ? span + 2 : 24), last = i ? l.step[i - 1] : INT64_MAX;
		if (random_chance(&d->rng, 40) && last < INT64_MAX && last > 1)     /* often one that divides */
			step = last / random_between(&d->rng, 1, last);
		l.step[l.n++] = step < last ? step : last;
	}
	l.step[l.n++] = 1;
	return l;
}

static void add_loop(struct draw *d, int depth, int var, int64_t step, bool first)
{
	static const char *const tails[] = { "guard", "peel", "mask", "pad" };
	int tail = random_chance(&d->rng, 35) ? 0 : (int)random_between(&d->rng, 0, 3);
	add(&d->tree, "%*s%c step %lld", depth, "", "mnk"[var], (long long)step);
	if (random_chance(&d->rng, 12) && first && var != K)
		add(&d->tree, " parallel");
	else if (random_chance(&d->rng, 25))
		add(&d->tree, random_chance(&d->rng, 50) ? " unroll" : " vector");
	add(&d->tree, "  tail %s\n", tails[tail]);
}

/* "layout [n/4 m n] pad 1" of a value that is no result: its digits in any order that keeps those of one dim. */
static void add_layout(struct draw *d, const char *name)
{
	char find[40], dim[8];
	int64_t step[8] = { 0 };
	int n = 0, left;
	snprintf(find, sizeof find, "= %%%%%c\n", name[0]);
	if (strstr(d->graph, find) || !random_chance(&d->rng, 30))
		return;
	snprintf(find, sizeof find, "%%%%%c = f32[", name[0]);
	for (const char *at = strstr(d->graph, find) + strlen(find); *at != ']'; at++)
		if (*at >= 'a')
			dim[n++] = *at;
	add(&d->tree, " layout [");
	for (left = n; left > 0;) {
		int i = (int)random_between(&d->rng, 0, n - 1);
		if (step[i] == 1)
			continue;
		/* 12, 6, 2, 1: each divides the one before */
		step[i] = step[i]                    ? step[i] / (step[i] % 2 ? step[i] : 2)
			: random_chance(&d->rng, 50) ? 1
						     : random_between(&d->rng, 2, 16);
		if (step[i] == 1)
			add(&d->tree, "%c ", dim[i]);
		else
			add(&d->tree, "%c/%lld ", dim[i], (long long)step[i]);
		left -= step[i] == 1;
	}
	d->tree.n--;
	add(&d->tree, "]");
	if (random_chance(&d->rng, 30))
		add(&d->tree, " pad %d", (int)random_between(&d->rng, 1, 5));
}

/* Loops over `vars` (as "mnk") from level[v] on, in any order that keeps those over one var; then the leaves. */
static int add_nest(struct draw *d, int depth, const char *vars, struct levels *all, const int *from, const int *to,
	const char *leaves)
{
	int at[3], count = (int)strlen(vars);
	for (int v = 0; v < 3; v++)
		at[v] = from[v];
	for (;;) {
		int open[3], n = 0;
		for (int i = 0; i < count; i++) {
			int v = vars[i] == 'm' ? M : vars[i] == 'n' ? N : K;
			if (at[v] < (to ? to[v] : all[v].n))
				open[n++] = v;
		}
		if (n == 0)
			break;
		int v = open[random_between(&d->rng, 0, n - 1)];
		add_loop(d, depth++, v, all[v].step[at[v]], at[v] == 0);
		at[v]++;
	}
	for (const char *name = leaves; *name; name += strcspn(name, " ") + (name[strcspn(name, " ")] == ' ')) {
		add(&d->tree, "%*s%%%.*s", depth, "", (int)strcspn(name, " "), name);
		add_layout(d, name);
		add(&d->tree, "\n");
	}
	return depth;
}

/* Often the same loops as the others, sometimes others below what is shared. */
static void derived_levels(struct draw *d, const struct levels *all, const int *shared, struct levels *out)
{
	for (int v = 0; v < 3; v++) {
		out[v] = all[v];
		if (random_chance(&d->rng, 60))
			continue;
		int64_t span = shared[v] ? all[v].step[shared[v] - 1] : d->extent[v];
		struct levels l = draw_levels(d, span);
		out[v].n = shared[v];
		for (int i = 0; i < l.n && out[v].n < MAX_LEVEL; i++)
			if (l.step[i] <= span)
				out[v].step[out[v].n++] = l.step[i];
		if (out[v].n == MAX_LEVEL || !out[v].n || out[v].step[out[v].n - 1] != 1)
			out[v] = all[v];
	}
}

/* A nest for each entry below loops that they all share. */
struct nest { const char *vars, *leaves; bool below_k; };
struct plan { const char *graph; const char *shared; struct nest nest[5]; };

#define VARS "graph 1\nvar m %lld\nvar n %lld\nvar k %lld\n"
#define LIMITED \
	"graph 1\nvar m %lld limit p\nvar n %lld\nvar k %lld\nvar one 1\nparam p = %%pos[0] in 0..%lld\n%%pos = " \
	"i64[one] input \"pos\"\n"
#define A_B "%%a = f32[m, k] input \"a\"\n%%b = f32[k, n] input \"b\"\n"
#define ROWS "%%x = f32[m, n] input \"x\"\n"
static const struct plan plans[] = {
	{ VARS ROWS "%%y = f32[m, n] neg %%x\n%%z = f32[m, n] add %%y, %%x\nresult \"z\" = %%z\n", "mn",
		{ { "mn", "y", 0 }, { "mn", "z", 0 } } },
	{ VARS ROWS "%%y = f32[m, n] neg %%x\n%%z = f32[m, n] add %%y, %%x\nresult \"z\" = %%z\n", "mn",
		{ { "mn", "y z", 0 } } },
	{ VARS A_B "%%p = f32[m, n, k] mul %%a, %%b\n%%c = f32[m, n] add.reduce %%p\n%%d = f32[m, n] neg %%c\nresult "
		   "\"d\" = %%d\n",
		"mn", { { "mnk", "p c", 0 }, { "mn", "d", 0 } } },
	{ VARS A_B "%%one = f32[] lit 1.0\n%%e = f32[m, k] mul %%a, %%one\n%%f = f32[k, n] mul %%b, %%one\n%%p = "
		   "f32[m, n, k] mul %%e, %%f\n"
		   "%%c = f32[m, n] add.reduce %%p\n%%d = f32[m, n] neg %%c\nresult \"d\" = %%d\n",
		"mn", { { "mk", "e", 1 }, { "kn", "f", 1 }, { "mnk", "p c", 1 }, { "mn", "d", 0 } } },
	{ VARS A_B "%%e = f32[m, k] copy %%a\n%%p = f32[m, n, k] mul %%e, %%b\n%%c = f32[m, n] add.reduce %%p\nresult "
		   "\"c\" = %%c\n",
		"mn", { { "mk", "e", 1 }, { "mnk", "p c", 1 } } },
	{ VARS "%%x = f32[m, k] input \"x\"\n%%e = f32[m, k] copy %%x\n%%y = f32[m] max.reduce %%e\n%%s = f32[m] "
	       "min.reduce %%x\n%%z = f32[m] add %%y, %%s\n"
	       "result \"z\" = %%z\n",
		"m", { { "mk", "e", 0 }, { "mk", "y s", 0 }, { "m", "z", 0 } } },
	{ VARS "%%x = f32[m, k] input \"x\"\n%%s = f32[m] add.reduce %%x\n%%z = f32[m, k] sub %%x, %%s\nresult \"z\" = "
	       "%%z\n",
		"m", { { "mk", "s", 0 }, { "mk", "z", 0 } } },
	{ LIMITED ROWS "%%y = f32[m, n] neg %%x\n%%z = f32[m, n] add %%y, %%x\nresult \"z\" = %%z\n", "mn",
		{ { "mn", "y", 0 }, { "mn", "z", 0 } } },
	{ LIMITED ROWS "%%s = f32[n] add.reduce %%x\n%%z = f32[n] neg %%s\nresult \"z\" = %%z\n", "n",
		{ { "mn", "s", 0 }, { "n", "z", 0 } } },
	{ VARS ROWS "%%y = f32[m, n] neg %%x\n%%v = f32[m, n] view { %%y[m - 2, n] if m - 2 >= 0; else 3 }\n%%z = "
		    "f32[m, n] add %%y, %%v\n"
		    "result \"z\" = %%z\n",
		"mn", { { "mn", "y", 0 }, { "mn", "z", 0 } } },
};
enum { N_PLAN = (int)(sizeof plans / sizeof *plans) };

static void draw_tree(struct draw *d, const struct plan *plan)
{
	struct levels all[3], own[3];
	int shared[3] = { 0 }, none[3] = { 0 }, k_shared[3];
	for (int v = 0; v < 3; v++)
		all[v] = draw_levels(d, d->extent[v]);
	for (const char *v = plan->shared; *v; v++)
		shared[*v == 'm' ? M : N] = (int)random_between(&d->rng, 0, all[*v == 'm' ? M : N].n);
	int depth = add_nest(d, 0, plan->shared, all, none, shared, ""), below = -1;
	memcpy(k_shared, shared, sizeof shared);
	for (const struct nest *nest = plan->nest; nest->vars; nest++) {
		if (nest->below_k && below < 0) {
			k_shared[K] = (int)random_between(&d->rng, 0, all[K].n);
			below = add_nest(d, depth, "k", all, none, k_shared, "");
		}
		derived_levels(d, all, nest->below_k ? k_shared : shared, own);
		add_nest(d, nest->below_k ? below : depth, nest->vars, own, nest->below_k ? k_shared : shared, NULL, nest->leaves);
	}
}

static void check_many(const char *backends, int trees)
{
	const char *text = getenv("LT_SEED");
	uint64_t first = text && *text ? strtoull(text, NULL, 0) : 1;
	int accepted[N_PLAN] = { 0 }, tried[N_PLAN] = { 0 };
	fprintf(stderr, "trees with tails on %s: seeds %llu .. %llu\n", backends, (unsigned long long)first,
		(unsigned long long)first + (unsigned long long)trees - 1);
	for (uint64_t seed = first; seed < first + (uint64_t)trees; seed++) {
		struct draw d = { .rng = seed * 7919 + 3 };
		int which = (int)random_between(&d.rng, 0, N_PLAN - 1);
		d.graph = plans[which].graph;
		char graph[1000];
		for (int v = 0; v < 3; v++)
			d.extent[v] = random_between(&d.rng, 1, v == M || random_chance(&d.rng, 30) ? 45 : 9);
		snprintf(graph, sizeof graph, plans[which].graph, (long long)d.extent[M], (long long)d.extent[N],
			(long long)d.extent[K], (long long)d.extent[M]);
		draw_tree(&d, &plans[which]);
		tried[which]++;
		accepted[which] += check(graph, d.tree.at, backends, seed) == LT_OK;
	}
	fprintf(stderr, "%s: accepted of tried:", backends);
	for (int i = 0; i < N_PLAN; i++)
		fprintf(stderr, " %d/%d", accepted[i], tried[i]);
	fprintf(stderr, "\n");
	for (int i = 0; i < N_PLAN && trees >= 200; i++)
		cr_assert_gt(accepted[i], 2, "plan %d is hardly ever legal", i);
}

Test(tails, random_nests_on_ref) { check_many("ref", (int)must_draws("LT_TREES", 1500)); }
Test(tails, random_nests_on_cpu) { check_many("cpu", (int)must_draws("LT_TREES", 1500) / 15); }
