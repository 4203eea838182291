/* test_depend_random.c -- random trees of random small graphs: the exact check says what running them trip by
 * trip says, and the structural one agrees with it. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ir/pass/pass.h"
#include "looptree/legality/depend.h"
#include "looptree/legality/legality.h"
#include "looptree/derive/derive.h"
#include "program/run/run.h"
#include "tests/derived_trees.h"
#include "check/random/must.h"
#include "check/random/random.h"
#include "tests/tree_enum.h"
#include "tests/tree_marked.h"
#include "tests/tree_text.h"

TestSuite(depend_random, .timeout = 600);

enum { MAX_VAR = 6, MAX_NODE = 16 };

/* -- graphs: sums, reductions, shifted and mirrored views, updates, gathers -- */

struct value { char name[16]; int n; int dim[4]; bool leaf, read; };
struct text { char at[6000]; size_t n; };
struct make {
	struct text text;
	uint64_t *rng;
	int64_t extent[MAX_VAR];
	bool bounded;                   /* the last var is */
	struct value value[MAX_NODE]; int n_value;
};

static void write_text(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void write_text(struct text *t, const char *fmt, ...)
{
	va_list list;
	va_start(list, fmt);
	t->n += (size_t)vsnprintf(t->at + t->n, sizeof t->at - t->n, fmt, list);
	va_end(list);
	cr_assert(t->n < sizeof t->at);
}

static void write_dims(struct text *t, const struct value *v)
{
	write_text(t, "f32[");
	for (int i = 0; i < v->n; i++)
		write_text(t, "%sv%d", i ? ", " : "", v->dim[i]);
	write_text(t, "] ");
}

static bool has(const struct value *v, int var)
{
	for (int i = 0; i < v->n; i++)
		if (v->dim[i] == var)
			return true;
	return false;
}

static struct value *new_value(struct make *m, bool leaf)
{
	struct value *v = &m->value[m->n_value];
	*v = (struct value){ .leaf = leaf };
	snprintf(v->name, sizeof v->name, "n%d", m->n_value++);
	return v;
}

/* Any value, or any leaf, to be read. */
static const struct value *pick(struct make *m, bool leaf)
{
	int64_t at = random_between(m->rng, 0, m->n_value - 1);
	while (leaf && !m->value[at].leaf)
		at--;
	m->value[at].read = true;
	return &m->value[at];
}

/* A view of a leaf: each dim along a var of its own, in place, shifted or mirrored, or at one element; 0 outside. */
static void add_view(struct make *m)
{
	const struct value *of = pick(m, true);
	struct value *v = new_value(m, false);
	struct text row = { .n = 0 }, guard = { .n = 0 };
	for (int i = 0; i < of->n; i++) {
		int var = random_chance(m->rng, 60) ? of->dim[i] : (int)random_between(m->rng, 0, MAX_VAR - 1), d = of->dim[i];
		int64_t c = random_between(m->rng, 0, 99);
		write_text(&row, "%s", i ? ", " : "");
		bool in_place = var == d && c < 40;
		if (has(v, var) || (m->bounded && (var == MAX_VAR - 1 || d == MAX_VAR - 1) && !in_place)) {
			if (m->bounded && d == MAX_VAR - 1) {
				write_text(&row, "0");
				write_text(&guard, "%sp - 1 >= 0", guard.n ? ", " : " if ");
			} else {
				write_text(&row, "%lld", (long long)random_between(m->rng, 0, m->extent[d] - 1));
			}
			continue;
		}
		v->dim[v->n++] = var;
		if (in_place) {
			write_text(&row, "v%d", var);
		} else if (c < 60) {
			write_text(&row, "v%d - 1", var);
			write_text(&guard, "%sv%d - 1 >= 0, %lld - v%d >= 0", guard.n ? ", " : " if ", var, (long long)m->extent[d], var);
		} else if (c < 80) {
			write_text(&row, "v%d + 1", var);
			write_text(&guard, "%s%lld - v%d >= 0", guard.n ? ", " : " if ", (long long)m->extent[d] - 2, var);
		} else {
			write_text(&row, "%lld - v%d", (long long)m->extent[d] - 1, var);
			write_text(&guard, "%s%lld - v%d >= 0", guard.n ? ", " : " if ", (long long)m->extent[d] - 1, var);
		}
	}
	write_text(&m->text, "%%%s = ", v->name);
	write_dims(&m->text, v);
	write_text(&m->text, "view { %%%s[%s]%s%s }\n", of->name, row.at, guard.n ? guard.at : "",
		guard.n ? "; else 0.0" : "");
}

static void add_sum(struct make *m)
{
	const struct value *a = pick(m, false), *b = pick(m, false);
	struct value *v = new_value(m, true);
	v->n = a->n;
	memcpy(v->dim, a->dim, sizeof a->dim);
	for (int i = 0; i < b->n; i++)
		if (!has(v, b->dim[i]) && v->n < 4)
			v->dim[v->n++] = b->dim[i];
		else if (!has(v, b->dim[i]))
			b = a;
	write_text(&m->text, "%%%s = ", v->name);
	write_dims(&m->text, v);
	write_text(&m->text, "add %%%s, %%%s\n", a->name, b->name);
}

static void add_reduction(struct make *m)
{
	const struct value *a = pick(m, false);
	if (a->n == 0)
		return;
	struct value *v = new_value(m, true);
	int gone = (int)random_between(m->rng, 0, a->n - 1);
	for (int i = 0; i < a->n; i++)
		if (i != gone && !random_chance(m->rng, 20))
			v->dim[v->n++] = a->dim[i];
	write_text(&m->text, "%%%s = ", v->name);
	write_dims(&m->text, v);
	write_text(&m->text, "add.reduce %%%s\n", a->name);
}

/* Of a leaf with one dim that is not bounded: its part is a new input along another var that fits. */
static void add_update(struct make *m)
{
	const struct value *a = pick(m, true);
	int var = (int)random_between(m->rng, 0, MAX_VAR - 2);
	if (a->n != 1 || (m->bounded && a->dim[0] == MAX_VAR - 1) || m->extent[var] > m->extent[a->dim[0]]
		|| m->n_value + 2 > MAX_NODE)
		return;
	struct value *part = new_value(m, false);
	part->n = 1;
	part->dim[0] = var;
	write_text(&m->text, "%%%s = f32[v%d] input \"%s\"\n", part->name, var, part->name);
	struct value *v = new_value(m, true);
	v->n = 1;
	v->dim[0] = a->dim[0];
	write_text(&m->text, "%%%s = ", v->name);
	write_dims(&m->text, v);
	write_text(&m->text, "update %%%s, %%%s at [%lld]\n", a->name, part->name,
		(long long)random_between(m->rng, 0, m->extent[a->dim[0]] - m->extent[var]));
}

static void make_graph(struct make *m, uint64_t *rng)
{
	*m = (struct make){ .rng = rng, .bounded = random_chance(rng, 25) };
	write_text(&m->text, "graph 1\nvar one 1\n");
	for (int i = 0; i < MAX_VAR; i++) {
		m->extent[i] = random_between(rng, 1, 4);
		write_text(&m->text, "var v%d %lld%s\n", i, (long long)m->extent[i],
			m->bounded && i == MAX_VAR - 1 ? " limit p" : "");
	}
	if (m->bounded)
		write_text(&m->text, "param p = %%pos[0] in 0..%lld\n%%pos = i64[one] input \"pos\"\n",
			(long long)m->extent[MAX_VAR - 1]);
	for (int i = 0; i < 2; i++) {
		struct value *v = new_value(m, false);
		for (int var = 0; var < MAX_VAR && v->n < 3; var++)
			if (random_chance(rng, 40) || (var == MAX_VAR - 1 && m->bounded && i == 0))
				v->dim[v->n++] = var;
		write_text(&m->text, "%%%s = ", v->name);
		write_dims(&m->text, v);
		write_text(&m->text, "input \"%s\"\n", v->name);
	}
	m->value[0].leaf = true;        /* views may be of a source; sources have no leaf */
	int n = (int)random_between(rng, 4, 9);
	add_sum(m);
	for (int i = 0; i < n && m->n_value < MAX_NODE; i++) {
		int64_t what = random_between(rng, 0, 99);
		if (what < 35)
			add_view(m);
		else if (what < 70)
			add_sum(m);
		else if (what < 90)
			add_reduction(m);
		else
			add_update(m);
	}
	if (m->n_value < MAX_NODE)
		add_sum(m);
	for (int i = 2; i < m->n_value; i++)    /* what nothing reads is a result */
		if (m->value[i].leaf && !m->value[i].read)
			write_text(&m->text, "result \"r%d\" = %%%s\n", i, m->value[i].name);
}

/* -- trees: each leaf at the end of what stands there already, below as many of its loops as chance wants -- */

static int64_t step_at(const struct lt_looptree *t, lt_tnode at, lt_var v)
{
	for (; at >= 0; at = t->node[at].parent) {
		int64_t step = t->node[at].kind == LT_TLOOP ? lt__var_step(t->graph, v, t->node[at].var, t->node[at].step) : 0;
		if (step)
			return step;
	}
	return 0;
}

/* A dim that counts trips of loops over another var is mostly made by such loops, where the leaf has that var, or it is
 * by chance. */
static lt_tnode add_loop(struct lt_looptree *t, lt_tnode at_node, const struct lt_leaf *leaf, lt_var v, uint64_t *rng)
{
	const struct lt_vardef *d = &t->graph->var[v];
	if (d->unit && (lt__leaf_column(leaf, d->of) >= 0 || random_chance(rng, 40)) && random_chance(rng, 98)) {
		int64_t span = step_at(t, at_node, d->of);
		span = span ? span : t->graph->var[d->of].extent;
		if (d->span && span > d->span && random_chance(rng, 90))
			return lt_looptree_add_loop(t, at_node, d->of, d->span);
		if (span > d->unit && random_chance(rng, 95))
			return lt_looptree_add_loop(t, at_node, d->of, d->unit);
	}
	int64_t most = step_at(t, at_node, v);
	most = most ? most : d->extent;
	return lt_looptree_add_loop(t, at_node, v, random_chance(rng, 60) ? 1 : random_between(rng, 1, most));
}

static void add_leaf(struct lt_looptree *t, lt_node n, uint64_t *rng)
{
	const struct lt_leaf *leaf;
	lt_tnode at_node = -1, last = t->last_root;
	cr_assert_eq(lt__leaf(t, n, &leaf), LT_OK);
	while (last >= 0 && t->node[last].kind != LT_TLEAF && random_chance(rng, 80)) {
		at_node = last;
		last = t->node[last].last;
	}
	for (;;) {      /* loops that are missing, in any order */
		lt_var open[4 * MAX_VAR];
		int n_open = 0;
		for (int32_t i = 0; i < leaf->n_var; i++)
			if (step_at(t, at_node, leaf->var[i]) != 1)
				open[n_open++] = leaf->var[i];
		if (n_open == 0)
			break;
		lt_var v = random_chance(rng, 4) ? (lt_var)random_between(rng, 1, t->graph->n_var - 1)
						 : open[random_between(rng, 0, n_open - 1)];
		at_node = add_loop(t, at_node, leaf, v, rng);
	}
	if (at_node < 0)
		at_node = lt_looptree_add_group(t, -1);
	cr_assert_geq(lt_looptree_add_leaf(t, at_node, n), 0);
}

/* -- nodes of the tree's own: copies, clones and partial sums of any node that may have them -- */

static lt_node reader_of(const struct lt_graph *g, lt_node x)
{
	for (lt_node n = x + 1; n < g->n_node; n++)
		for (int32_t i = 0; i < g->node[n].n_operand; i++)
			if (g->node[n].operand[i] == x)
				return n;
	return -1;
}

/* Up to four steps; those that are refused are left out. */
static int add_derived(struct lt_looptree *t, uint64_t *rng)
{
	int done = 0;
	for (int64_t i = 0, n = random_between(rng, 1, 4); i < n; i++) {
		const struct lt_graph *g = t->graph;
		lt_node x = (lt_node)random_between(rng, 0, g->n_node - 1), reader = reader_of(g, x);
		char made[16], dim[16];
		snprintf(made, sizeof made, "own%d", (int)i);
		snprintf(dim, sizeof dim, "trip%d", (int)i);
		struct lt_derived_step s = { .made = made, .dim = dim };
		for (lt_node y = 0; y < g->n_node && random_chance(rng, 80); y++)       /* a reduction rather than another node */
			if (g->node[y].reduce && random_chance(rng, 40))
				x = y;
		const struct lt_nodedef *d = &g->node[x];
		s.of = d->name;
		if (d->reduce) {
			const struct lt_nodedef *from = &g->node[d->operand[0]];
			const struct lt_vardef *v = &g->var[from->dim[random_between(rng, 0, from->n_dim - 1)]];
			s.kind = LT_DERIVED_PARTIAL;
			s.var = v->name;
			s.step = random_between(rng, 1, 2);
			s.span = random_chance(rng, 50) ? s.step * random_between(rng, 2, 3) : 0;
			if (v->bounded && !s.span)
				continue;
		} else if (reader >= 0) {
			s.kind = !random_chance(rng, 40)           ? LT_DERIVED_COPY
				: g->node[reader].op == LT_OP_view ? LT_DERIVED_CLONE_VIEW
								   : LT_DERIVED_CLONE;
			s.reader = g->node[reader].name;
		}
		if (d->reduce || reader >= 0)
			done += lt__tree_derive(t, &s, 1, NULL) == LT_OK;
	}
	return done;
}

static void add_kind(struct lt_looptree *t, uint64_t *rng)
{
	static const enum lt_loop_kind kinds[] = { LT_PARALLEL, LT_VECTOR, LT_GRID, LT_BLOCK };
	lt_tnode at = (lt_tnode)random_between(rng, 0, t->n_node - 1);
	while (at > 0 && t->node[at].kind != LT_TLOOP)
		at--;
	if (t->node[at].kind == LT_TLOOP)
		t->node[at].loop = kinds[random_between(rng, 0, 3)];
}

/* How the exact and the structural check answer; -1: another rule of trees refuses this one. */
struct answers { struct lt_looptree *t; int exact, fast, flow; char why[500]; };

/* Every read by dataflow alone. */
static lt_status ask_flow(struct lt_looptree *t, bool *legal)
{
	struct lt_arena *a;
	*legal = true;
	LT_TRY(lt__arena_new(t->ctx, &a));
	struct lt_order *order = lt__depend_order(t, a);
	for (lt_node n = 0; n < t->graph->n_node && *legal; n++) {
		struct lt_question q;
		if (t->leaf_of[n] < 0)
			continue;
		LT_TRY(lt__depend_question(t, order, a, n, &q));
		struct lt_answer answer = { .at = LT_NEW(a, int64_t, 100),
			.other_at = LT_NEW(a, int64_t, 100),
			.param = LT_NEW(a, int64_t, 100) };
		for (int32_t i = q.n_write; i < q.n_touch && *legal; i++) {
			lt__depend_flow(&q, i, &answer);
			*legal = answer.kind == LT_ANSWER_LEGAL;
		}
	}
	lt__arena_free(a);
	return LT_OK;
}

static lt_status ask(void *arg)
{
	struct answers *a = arg;
	LT_TRY(lt__check_tree(a->t));
	LT_TRY(lt__fill_scopes(a->t));
	bool flow;
	LT_TRY(ask_flow(a->t, &flow));
	a->flow = flow;
	a->exact = lt__prove_tree(a->t) == LT_OK;
	snprintf(a->why, sizeof a->why, "%s", a->exact ? "" : lt_context_message(a->t->ctx));
	a->fast = lt__verify_tree(a->t) == LT_OK;
	return LT_OK;
}

struct tally { int own, legal, across, early, kinds, plain, ran, shape, repeats; };

/* For every value of the param. */
static const char *enumerate(const struct make *m, struct lt_looptree *t)
{
	const char *why = "";
	for (int64_t p = 0; p <= (m->bounded ? m->extent[MAX_VAR - 1] : 0) && !*why; p++)
		why = tree_enumerate(t, &p);
	return why;
}

/* What a legal tree computes is what the graph says. */
static void run_tree(struct lt_graph *g, const char *shape, uint64_t seed)
{
	const char *why = tree_check(g, shape, "ref");
	cr_assert_str_eq(why, "", "seed %llu: with the tree\n%s%s", (unsigned long long)seed, shape, why);
}

/* graph: as it was made; g: its lowered form, which the tree is of. */
static void one_tree(const struct make *m, struct lt_graph *graph, const struct lt_graph *g, uint64_t seed,
	uint64_t *rng, struct tally *tally)
{
	struct lt_looptree *t;
	struct run_text shape = { NULL, 0 };
	cr_assert_eq(lt_looptree_new(g, &t), LT_OK);
	int own = random_chance(rng, 50) ? add_derived(t, rng) : 0;
	for (lt_node n = 0; n < t->graph->n_node; n++)
		if (lt__has_leaf(t->graph, n))
			add_leaf(t, n, rng);
	bool kinds = random_chance(rng, 50);
	if (kinds)
		add_kind(t, rng);
	struct answers a = { .t = t, .exact = -1, .fast = -1 };
	lt__protect(g->ctx, ask, &a);
	own ? tree_marks(t, &shape) : tree_to(t, &shape);
	if (a.exact < 0) {
		tally->shape++;
	} else if (strstr(a.why, "may have no iterations")) {        /* a rule that looks at no reader */
		tally->repeats++;
		cr_assert_eq(a.fast, 0);
	} else {
		const char *why = enumerate(m, t);
		cr_assert_eq(a.exact, !*why, "seed %llu: the exact check says '%s', enumeration '%s' of\n%s%s",
			(unsigned long long)seed, a.exact ? "legal" : a.why, *why ? why : "legal", shape.at,
			m->text.at);
		cr_assert_eq(a.fast, a.exact, "seed %llu: the structure says %d, the exact check %d of\n%s%s",
			(unsigned long long)seed, a.fast, a.exact, shape.at, m->text.at);
		bool early = strstr(a.why, "from other iterations");
		for (lt_tnode at = 0; at < t->n_node; at++)     /* dataflow is asked about the serial order only */
			if (t->node[at].kind == LT_TLOOP)
				t->node[at].loop = LT_SERIAL;
		why = enumerate(m, t);
		cr_assert_eq(a.flow, !*why,
			"seed %llu: dataflow alone says %d, enumeration in serial order '%s' of\n%s%s",
			(unsigned long long)seed, a.flow, *why ? why : "legal", shape.at, m->text.at);
		tally->legal += a.exact;
		tally->across += a.exact && !t->plain;
		tally->early += early;
		tally->kinds += !a.exact && !early;
		tally->plain += t->plain;
		tally->own += a.exact && own;
		if (a.exact && !kinds && own && random_chance(rng, 30)) {
			char what[60];
			struct derived_case at_node = { g->ctx, graph, (struct lt_graph *)(uintptr_t)g, t };
			snprintf(what, sizeof what, "seed %llu", (unsigned long long)seed);
			derived_expect_text(&at_node, t, what);
			derived_expect_run(&at_node, t, "ref", false, what);
			tally->ran++;
		} else if (a.exact && !kinds && !own && (!t->plain || random_chance(rng, 10))) {
			run_tree(graph, shape.at, seed);
			tally->ran++;
		}
		cr_assert(!strstr(a.why, "not proven"), "seed %llu: %s of\n%s%s", (unsigned long long)seed, a.why,
			shape.at, m->text.at);
	}
	run_text_free(&shape);
	lt_looptree_free(t);
}

Test(depend_random, exact_answers_are_those_of_enumeration)
{
	struct tally tally = { 0 };
	const uint64_t graphs = must_draws("LT_DEPEND_GRAPHS", 120), first = must_number("LT_DEPEND_SEED", 1);
	for (uint64_t seed = first; seed < first + graphs; seed++) {
		struct make m;
		struct lt_context *ctx;
		struct lt_graph *g, *live, *lowered;
		uint64_t rng = seed;
		make_graph(&m, &rng);
		cr_assert_eq(lt_context_new(&ctx), LT_OK);
		cr_assert_eq(lt_graph_parse(ctx, m.text.at, m.text.n, "random", &g), LT_OK, "seed %llu: %s\n%s",
			(unsigned long long)seed, lt_context_message(ctx), m.text.at);
		cr_assert_eq(lt__pass_dead(g, &live), LT_OK, "%s", lt_context_message(ctx));
		cr_assert_eq(lt__materialize(live, &lowered), LT_OK, "%s", lt_context_message(ctx));
		for (int i = 0; i < 12; i++)
			one_tree(&m, g, lowered, seed, &rng, &tally);
		lt_graph_free(lowered);
		lt_graph_free(live);
		lt_graph_free(g);
		lt_context_free(ctx);
	}
	cr_log_warn("seeds %llu..: %d legal trees (%d with derived nodes, %d with reads of other trips), %d illegal for "
		    "such reads, %d for the kind of a loop; structure told %d, %d ran on ref; %d refused for their "
		    "shape, %d for loops without trips",
		(unsigned long long)first, tally.legal, tally.own, tally.across, tally.early, tally.kinds, tally.plain,
		tally.ran, tally.shape, tally.repeats);
	const int tenth = (int)graphs / 10;
	cr_assert(graphs < 20 || (tally.legal > 12 * tenth && tally.own > 3 * tenth && tally.across > tenth
		&& tally.early > tenth && tally.kinds > tenth), "each sort is common enough");
}
