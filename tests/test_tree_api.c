/* test_tree_api.c -- trees as callers get them: primitives, steps and refusals of lt/schedule.h, lines of
 * lt/looptree.h. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "check/random/must.h"
#include "looptree/schedule/refusal.h"
#include "lt/lt.h"
#include "tests/sanitized.h"
#include "tests/tree_marked.h"
#include "tests/tree_text.h"
#include "tests/view_walk.h"

TestSuite(tree_api, .timeout = 300);

static const char product[] =
	"graph 1\nvar m 24\nvar k 16\nvar n 12\n%a = f32[m, k] input \"a\"\n%b = f32[k, n] constant \"b\"\n"
	"%p = f32[m, n, k] mul %a, %b\n%c = f32[m, n] add.reduce %p\n%d = f32[m, n] exp %c\nresult \"d\" = %d\n";
static const char nest[] = "m\n n\n  k\n   %p\n   %c\n  %d\n";

struct opened { struct lt_context *ctx; struct lt_graph *g; struct lt_looptree *t; };

static struct opened open_nest(void)
{
	struct opened o;
	cr_assert_eq(lt_context_new(&o.ctx), LT_OK);
	cr_assert_eq(lt_graph_parse(o.ctx, product, strlen(product), "test", &o.g), LT_OK, "%s", lt_context_message(o.ctx));
	o.t = tree_marked(o.g, nest);
	return o;
}

static void close_nest(struct opened *o)
{
	lt_looptree_free(o->t);
	lt_graph_free(o->g);
	lt_context_free(o->ctx);
}

/* -- primitives -- */

/* Usages are read again here, word by word; what a CHOICE may be is tried. */
Test(tree_api, primitives)
{
	static const struct { const char *word; int32_t kind; } kinds[] = {
		{ "LOOP", LT_ARGUMENT_LOOP }, { "STEP", LT_ARGUMENT_NUMBER }, { "%NODE", LT_ARGUMENT_NODE },
		{ "%VALUE", LT_ARGUMENT_VALUE }, { "AXIS", LT_ARGUMENT_CHOICE }, { "TAIL", LT_ARGUMENT_CHOICE },
		{ "FIRST", LT_ARGUMENT_LINE }, { "NAME", LT_ARGUMENT_NAME }, { "at", LT_ARGUMENT_WORD },
		{ "no", LT_ARGUMENT_WORD },
	};
	int choices = 0, known = 0;
	for (int32_t i = 0; i < lt_primitive_count(); i++) {
		struct lt_primitive_row r = { .size = sizeof r };
		struct lt_argument_row a = { .size = sizeof a };
		char usage[200], *word, *rest;
		int32_t k = -1;
		cr_assert_eq(lt_primitive_at(i, &r), LT_OK);
		(void)snprintf(usage, sizeof usage, "%s", r.usage);
		for (word = strtok_r(usage, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
			if (k < 0) {
				cr_assert_str_eq(word, r.name);
				k = 0;
				continue;
			}
			if (strstr(word, "...")) {
				cr_assert(a.repeated, "%s", r.usage);
				continue;
			}
			const bool optional = *word == '[';
			word += optional;
			word[strcspn(word, "]")] = '\0';
			a = (struct lt_argument_row){ .size = sizeof a };
			cr_assert_eq(lt_primitive_argument(i, k, &a), LT_OK);
			k++;
			cr_assert_str_eq(a.name, word);
			cr_assert(a.optional == optional && a.kind > 0, "%s: %s", r.usage, a.name);
			for (size_t w = 0; w < sizeof kinds / sizeof *kinds; w++)
				if (!strcmp(kinds[w].word, word)) {
					cr_assert_eq(a.kind, kinds[w].kind, "%s", word);
					known++;
				}
			for (int32_t c = 0; lt_primitive_choice(i, k - 1, c); c++) {
				struct opened o = open_nest();
				const char *words[] = { r.name, "m", lt_primitive_choice(i, k - 1, c) };
				struct lt_looptree *t;
				struct lt_refused_step *why;
				const lt_status st = lt_looptree_apply_words(o.t, 3, words, 0, NULL, &t, &why);
				cr_assert(!st || (st == LT_EILLEGAL && why), "%s %s", r.name, words[2]);
				lt_refused_step_free(why);
				lt_looptree_free(t);
				close_nest(&o);
				choices++;
			}
		}
		cr_assert_eq(k, r.n_argument, "%s", r.usage);
		cr_assert_eq(lt_primitive_argument(i, k, &a), LT_EINVAL);
	}
	cr_assert(choices == 6 + 4 && known > 20);
	struct lt_primitive_row r = { .size = sizeof r };
	cr_assert(lt_primitive_at(-1, &r) == LT_EINVAL && lt_primitive_at(lt_primitive_count(), &r) == LT_EINVAL
		&& !lt_primitive_choice(0, 0, 0));
}

/* -- lines -- */

static void check_lines(struct lt_looptree *t, const char *what)
{
	struct run_text text = tree_print(t), made = { NULL, 0 };
	struct lt_array lines, again;
	cr_assert_eq(lt_looptree_lines(t, &lines), LT_OK);
	cr_assert(!lt_looptree_lines(t, &again) && again.at == lines.at);
	cr_assert_eq(lines.n, (uint32_t)lt_looptree_count(t));
	for (uint32_t i = 0; i < lines.n; i++) {
		const struct lt_treeline *l = LT_AT(struct lt_treeline, lines, i);
		char blanks[600];
		lt_tnode at;
		(void)snprintf(blanks, sizeof blanks, "%*s", 2 * (int)l->depth, "");
		run_text_add(&made, blanks, strlen(blanks));
		run_text_add(&made, l->text, strlen(l->text));
		run_text_add(&made, "  # ", 4);
		run_text_add(&made, l->facts, strlen(l->facts));
		run_text_add(&made, "\n", 1);
		cr_assert(!lt_looptree_find(t, l->path, &at) && at == l->at, "%s: %s is %d, not %d", what, l->path, (int)at,
			(int)l->at);
		cr_assert(l->parent == lt_looptree_parent(t, l->at) && l->child == lt_looptree_child(t, l->at)
			&& l->next == lt_looptree_next(t, l->at) && l->kind == (int32_t)lt_looptree_kind(t, l->at));
		if (l->kind == LT_TLOOP)
			cr_assert(l->var == lt_looptree_var(t, l->at) && l->step == lt_looptree_step(t, l->at)
				&& l->trip_count == lt_looptree_trip_count(t, l->at) && l->trip_count >= 1
				&& (l->trip_count - 1) * l->step < l->extent && l->extent <= l->trip_count * l->step
				&& l->loop_kind == (int32_t)lt_looptree_loop_kind(t, l->at)
				&& l->tail == (int32_t)lt_looptree_tail(t, l->at), "%s: %s", what, l->text);
		else
			cr_assert(l->var == -1 && (l->leaf >= 0) == (l->kind == LT_TLEAF));
		if (l->leaf >= 0)
			cr_assert(l->leaf == lt_looptree_leaf(t, l->at)
				&& !strcmp(l->name + 1, lt_node_name(lt_looptree_graph(t), l->leaf)));
	}
	run_text_add(&made, "", 1);
	run_text_add(&text, "", 1);
	const char *tree = strstr(text.at, "\ntree\n");
	cr_assert_str_eq(made.at ? made.at : "", tree + 6, "%s", what);
	run_text_free(&made);
	run_text_free(&text);
}

Test(tree_api, lines_are_those_of_the_text)
{
	uint64_t rng = 5;
	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct walk_graph l = walk_lower(seed);
		struct lt_looptree *t, *next;
		char step[1000];
		int kind;
		cr_assert_eq(lt_looptree_auto(l.g, NULL, &t), LT_OK);
		for (int i = 0; i < 12; i++) {
			if (!random_step(t, &rng, "", &kind, step, sizeof step)
				|| lt_looptree_apply(t, step, strlen(step), NULL, 0, NULL, &next, NULL))
				continue;
			lt_looptree_free(t);
			t = next;
		}
		check_lines(t, step);
		lt_looptree_free(t);
		walk_free(&l);
	}
}

Test(tree_api, what_is_not_found)
{
	struct opened o = open_nest();
	lt_tnode at = 7;
	cr_assert(lt_looptree_find(o.t, "q", &at) == LT_EILLEGAL && at == -1);
	cr_assert(strstr(lt_context_message(o.ctx), "there is no loop q"), "%s", lt_context_message(o.ctx));
	cr_assert_eq(lt_looptree_find(o.t, "", &at), LT_EILLEGAL);
	cr_assert_eq(lt_looptree_find(o.t, "%zz", &at), LT_EILLEGAL);
	cr_assert_eq(lt_looptree_find(o.t, "%", &at), LT_ESYNTAX);
	cr_assert_eq(lt_graph_find_node(o.g, "zz"), LT_NONE);
	cr_assert(!lt_node_name(o.g, -1) && !lt_node_name(o.g, lt_graph_node_count(o.g)) && !lt_var_name(o.g, 3)
		&& !lt_param_name(o.g, 0) && lt_node_op(o.g, -2) == -1 && lt_node_operand(o.g, 0, 0) == LT_NONE);
	struct lt_looptree *open;
	struct lt_array lines;
	struct lt_accesses *x;
	struct lt_refused_step *why;
	cr_assert_eq(lt_looptree_new(o.g, &open), LT_OK);
	cr_assert(lt_looptree_lines(open, &lines) == LT_EINVAL && !lines.at);
	cr_assert(lt_looptree_allocations(open, &lines) == LT_EINVAL && !lines.at);
	cr_assert(lt_looptree_access(open, 0, LT_OMIT, &x) == LT_EINVAL && !x);
	struct lt_looptree *none = o.t;
	cr_assert(lt_looptree_apply(open, "", 0, NULL, 0, NULL, &none, &why) == LT_EINVAL && !none && !why);
	lt_looptree_free(open);
	for (int32_t bad = -3; bad < 300; bad += 301)
		cr_assert(lt_looptree_access(o.t, bad, LT_OMIT, &x) == LT_EINVAL && !x
			&& lt_looptree_access(o.t, 0, bad, &x) == LT_EINVAL && !x);
	close_nest(&o);
}

/* -- refusals -- */

/* at: the path of the node in the tree that was given. */
static const struct {
	const char *steps, *text, *remedy, *at, *node, *loop;
	int32_t line, column, number;
	lt_status code;
	int32_t violation;
} refusals[] = {
	{ "split m 6;\n  split m' 6", "the loop m' covers 6, so a loop in steps of 6 around it would have one iteration",
		"choose a step below 6", "m", NULL, "m'", 2, 3, 1, LT_EILLEGAL, 0 },
	{ "splt m 6", "there is no primitive 'splt'", "did you mean 'split'?", NULL, NULL, NULL, 1, 1, 0, LT_ESYNTAX, 0 },
	{ "split m", "a step of this kind is `split LOOP STEP`", NULL, "m", NULL, "m", 1, 1, 0, LT_ESYNTAX, 0 },
	{ "# first\n\nunroll q", "there is no loop q", "there are m, n, k", NULL, NULL, "q", 3, 1, 0, LT_EILLEGAL, 0 },
	{ "stage %d %b at m", "%d does not read %b itself", "it reads %c", "%d", "d", "m", 1, 1, 0, LT_EILLEGAL, 0 },
	{ "parallel k", "the parallel loop over k reduces %c: its iterations at m = 0, n = 0, k = 0 and m = 0, n = 0, k = 1 "
		"add to the same element 0, 0 of %c", "rfactor %c over it first, or make it serial", "k", NULL, "k", 1, 1, 0,
		LT_EILLEGAL, LT_VIOLATION_CARRIED },
	{ "schedule 2\nsplit m 6", "version 2 of lists of primitives is not known", "this library reads version 1", NULL,
		NULL, NULL, 1, 1, 0, LT_ESYNTAX, 0 },
	{ "schedule 1\nsplit m 6\nfission %d n; fuse %d q", "there is no loop q", NULL, "%d", "d", "q", 3, 15, 2,
		LT_EILLEGAL, 0 },
};

Test(tree_api, refusals_as_data)
{
	for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
		struct opened o = open_nest();
		struct lt_looptree *t = o.t;
		struct lt_refused_step *w;
		lt_tnode at = -1;
		const lt_status st = lt_looptree_apply(o.t, refusals[i].steps, strlen(refusals[i].steps), "list", 0, NULL, &t, &w);
		cr_assert(st == refusals[i].code && !t && w && w->code == st && w->size == sizeof *w, "%s", refusals[i].steps);
		cr_expect_str_eq(w->message, lt_context_message(o.ctx));
		cr_expect_eq(lt_context_code(o.ctx), st);
		cr_expect_str_eq(w->text, refusals[i].text);
		if (refusals[i].remedy)
			cr_expect_str_eq(w->remedy, refusals[i].remedy);
		cr_expect(w->line == refusals[i].line && w->column == refusals[i].column && w->number == refusals[i].number,
			"%s: %d:%d, %d", refusals[i].steps, w->line, w->column, w->number);
		cr_expect_str_eq(w->name, "list");
		if (refusals[i].at)
			cr_assert_eq(lt_looptree_find(o.t, refusals[i].at, &at), LT_OK);
		cr_expect_eq(w->at, at, "%s: %d, not %d", refusals[i].steps, (int)w->at, (int)at);
		cr_expect_str_eq(w->node ? w->node : "-", refusals[i].node ? refusals[i].node : "-", "%s", refusals[i].steps);
		cr_expect_str_eq(w->loop ? w->loop : "-", refusals[i].loop ? refusals[i].loop : "-", "%s", refusals[i].steps);
		cr_expect_eq(w->violation ? w->violation->kind : 0, refusals[i].violation, "%s", refusals[i].steps);
		cr_expect(strstr(w->message, w->text) && strstr(w->message, w->step)
			&& (!w->remedy || strstr(w->message, w->remedy)));
		lt_refused_step_free(w);
		tree_expect_marks(o.t, nest, refusals[i].steps);
		close_nest(&o);
	}
	lt_refused_step_free(NULL);
}

Test(tree_api, steps_by_words_and_cursors)
{
	struct opened o = open_nest();
	const char *split[] = { "split", "%p/k", "5" };
	struct lt_looptree *t, *list, *same;
	struct lt_refused_step *why;
	lt_tnode cursor[] = { 0, -1, 2, 0 }, k = -1, leaf = -1;
	cr_assert(!lt_looptree_find(o.t, "k", &cursor[0]) && !lt_looptree_find(o.t, "%d", &cursor[2]));
	cr_assert_eq(lt_looptree_apply_words(o.t, 3, split, 4, cursor, &t, &why), LT_OK, "%s", lt_context_message(o.ctx));
	cr_assert_null(why);
	tree_expect_marks(t, "m\n n\n  k step 5\n   k'\n    %p\n    %c\n  %d\n", "by words");
	cr_assert(!lt_looptree_find(t, "k'", &k) && !lt_looptree_find(t, "%d", &leaf));
	cr_assert(cursor[0] == k && cursor[1] == -1 && cursor[2] == leaf && cursor[3] == 0);
	cr_assert_eq(lt_looptree_apply(o.t, "schedule 1\nsplit k 5", 20, NULL, 0, NULL, &list, &why), LT_OK);
	tree_expect_marks(list, "m\n n\n  k step 5\n   k'\n    %p\n    %c\n  %d\n", "as a list");
	cr_assert_eq(lt_looptree_apply(t, "  # nothing", 11, NULL, 0, NULL, &same, &why), LT_OK);
	lt_looptree_free(t);
	tree_expect_marks(same, "m\n n\n  k step 5\n   k'\n    %p\n    %c\n  %d\n", "no step");
	lt_looptree_free(same);
	lt_looptree_free(list);
	/* a word is taken as it is: nothing in it ends a step */
	const char *odd[] = { "split", "k 5; unroll m", "5" }, *empty[] = { "" };
	cr_assert(lt_looptree_apply_words(o.t, 3, odd, 0, NULL, &t, &why) == LT_EILLEGAL && !t && why);
	cr_assert_str_eq(why->step, "split k 5; unroll m 5");
	lt_refused_step_free(why);
	cr_assert(lt_looptree_apply_words(o.t, 1, empty, 0, NULL, &t, &why) == LT_EINVAL && !t && !why);
	cr_assert(lt_looptree_apply_words(o.t, 0, NULL, 0, NULL, &t, &why) == LT_EINVAL && !t && !why);
	cursor[0] = 99;
	cr_assert(lt_looptree_apply(o.t, "", 0, NULL, 1, cursor, &t, &why) == LT_EINVAL && !t && !why);
	const char *many[100];
	for (int i = 0; i < 100; i++)
		many[i] = i ? "m" : "reorder";
	cr_assert(lt_looptree_apply_words(o.t, 100, many, 0, NULL, &t, &why) == LT_ESYNTAX && why);
	lt_refused_step_free(why);
	close_nest(&o);
}

/* -- violations: what they say of two iterations is true by the graph alone -- */

struct iteration { bool known; lt_node node; int64_t at[400]; };       /* by var */

static lt_var var_named(const struct lt_graph *g, const char *name)
{
	for (lt_var v = 0; v < lt_graph_var_count(g); v++)
		if (!strcmp(lt_var_name(g, v), name))
			return v;
	return -1;
}

static struct iteration iteration_of(const struct lt_graph *g, const struct lt_iteration *i)
{
	struct iteration out = { .known = g->n_var < 400, .node = lt_graph_find_node(g, i->node) };
	for (uint32_t k = 0; k < i->at.n && out.known; k++) {
		const struct lt_coordinate *c = LT_AT(struct lt_coordinate, i->at, k);
		const lt_var v = var_named(g, c->name);
		out.known = v >= 0;
		if (v >= 0)
			out.at[v] = c->at;
	}
	out.known = out.known && out.node >= 0;
	return out;
}

static bool reads(const struct lt_graph *g, const int64_t *param, const struct iteration *i, lt_node value,
	const int64_t *element)
{
	const struct lt_nodedef *d = &g->node[i->node];
	int64_t index[LT_MAX_RANK];
	for (int32_t k = 0; k < d->n_operand; k++) {
		struct walk_found f;
		const struct lt_nodedef *x = &g->node[d->operand[k]];
		for (int32_t q = 0; q < x->n_dim; q++)
			index[q] = i->at[x->dim[q]];
		walk_views(g, param, d->operand[k], index, &f);
		if (f.base == value && !memcmp(f.at, element, (size_t)g->node[value].n_dim * sizeof *element))
			return true;
	}
	return false;
}

static bool writes(const struct lt_graph *g, const struct iteration *i, lt_node value, const struct lt_array *element)
{
	const struct lt_nodedef *d = &g->node[value];
	for (int32_t k = 0; k < d->n_dim && k < (int32_t)element->n; k++)
		if (i->at[d->dim[k]] != *LT_AT(int64_t, *element, k))
			return false;
	return i->node == value;
}

/* 1: looked at, 0: of nodes that the step made, or of a gather or an update, whose elements data decides. */
static int check_violation(const struct lt_graph *g, const struct lt_violation *v, const char *step)
{
	const struct lt_iteration *const pair[2] = { LT_AT(struct lt_iteration, v->pair, 0),
		LT_AT(struct lt_iteration, v->pair, 1) };
	const struct iteration a = iteration_of(g, pair[0]), b = iteration_of(g, pair[1]);
	const lt_node value = lt_graph_find_node(g, v->value);
	int64_t *param = calloc((size_t)g->n_param + 1, sizeof *param);
	cr_assert_eq(v->pair.n, 2);
	for (lt_param p = 0; p < g->n_param; p++)
		param[p] = g->param[p].low;
	for (uint32_t i = 0; i < v->params.n; i++)
		for (lt_param p = 0; p < g->n_param; p++)
			if (!strcmp(lt_param_name(g, p), LT_AT(struct lt_coordinate, v->params, i)->name))
				param[p] = LT_AT(struct lt_coordinate, v->params, i)->at;
	const bool plain = a.known && b.known && value >= 0 && g->node[a.node].op != LT_OP_gather
		&& g->node[b.node].op != LT_OP_gather && g->node[value].op != LT_OP_update && g->node[a.node].op != LT_OP_update
		&& g->node[b.node].op != LT_OP_update && (int32_t)v->element.n == g->node[value].n_dim;
	for (int i = 0; i < 2 && plain; i++)
		for (uint32_t k = 0; k < pair[i]->at.n; k++) {
			const struct lt_coordinate *c = LT_AT(struct lt_coordinate, pair[i]->at, k);
			cr_assert(c->at >= 0 && c->at < walk_extent(g, param, var_named(g, c->name)), "`%s`: %s = %lld", step, c->name,
				(long long)c->at);
		}
	if (plain) {
		const int64_t *element = v->element.at;
		cr_assert(pair[1]->does != LT_DOES_READ || reads(g, param, &b, value, element), "`%s`: %s", step, v->value);
		cr_assert(pair[1]->does == LT_DOES_READ || writes(g, &b, value, &v->element), "`%s`: %s", step, v->value);
		if (v->kind == LT_VIOLATION_EARLY)
			cr_assert(pair[0]->does == LT_DOES_WRITE && writes(g, &a, value, &v->element), "`%s`", step);
		if (v->kind == LT_VIOLATION_OVERWRITTEN)
			cr_assert(writes(g, &a, value, &v->found) && (int32_t)v->found.n == g->node[value].n_dim
				&& memcmp(v->found.at, element, v->found.n * sizeof *element) != 0, "`%s`", step);
		if (v->kind == LT_VIOLATION_CARRIED)
			cr_assert(v->loop && memcmp(a.at, b.at, sizeof a.at) != 0, "`%s`", step);
	}
	free(param);
	return plain;
}

Test(tree_api, violations_are_true)
{
	int seen[4] = { 0 }, checked[4] = { 0 };
	uint64_t rng = 11;
	for (uint64_t seed = 1; seed <= (uint64_t)must_draws("LT_VIOLATIONS", 450); seed++) {
		struct walk_graph l = walk_lower(seed);
		struct lt_looptree *t, *next;
		char step[1000];
		int kind;
		cr_assert_eq(lt_looptree_auto(l.g, NULL, &t), LT_OK);
		for (int i = 0; i < 40; i++) {
			struct lt_refused_step *why;
			if (!random_step(t, &rng, "inline rfactor call tile", &kind, step, sizeof step))
				continue;
			if (!lt_looptree_apply(t, step, strlen(step), NULL, 0, NULL, &next, &why)) {
				lt_looptree_free(t);
				t = next;
				continue;
			}
			cr_assert(why, "`%s`: %s", step, lt_context_message(l.ctx));
			if (why->violation) {
				seen[why->violation->kind]++;
				checked[why->violation->kind] += check_violation(t->graph, why->violation, step);
			}
			lt_refused_step_free(why);
		}
		lt_looptree_free(t);
		walk_free(&l);
	}
	fprintf(stderr, "read early: %d of %d checked, overwritten: %d of %d, carried: %d of %d\n", checked[1], seen[1],
		checked[2], seen[2], checked[3], seen[3]);
	/* Elements that are read early are rare among random steps, and none is overwritten: both are looked at below. */
	cr_assert_gt(checked[LT_VIOLATION_CARRIED], 10);
}

/* -- all shifts of a small array, read in loops that are shared: what is refused is what is wrong one by one -- */

enum { ROWS = 5, COLUMNS = 4 };

/* z[i, j] reads y[i + a, j + b] where there is one. */
static struct lt_graph *shift_graph(struct lt_context *ctx, int a, int b)
{
	char text[600];
	struct lt_graph *g;
	char row[20], column[20];
	(void)snprintf(row, sizeof row, "i %c %d", a < 0 ? '-' : '+', abs(a));
	(void)snprintf(column, sizeof column, "j %c %d", b < 0 ? '-' : '+', abs(b));
	(void)snprintf(text, sizeof text, "graph 1\nvar i %d\nvar j %d\n%%x = f32[i, j] input \"x\"\n"
		"%%y = f32[i, j] exp %%x\n%%v = f32[i, j] view { %%y[%s, %s] if %s >= 0, %d - i >= 0, %s >= 0, "
		"%d - j >= 0; else 0.0 }\n%%z = f32[i, j] add %%v, %%x\nresult \"z\" = %%z\n", ROWS, COLUMNS, row, column,
		row, ROWS - 1 - a, column, COLUMNS - 1 - b);
	cr_assert_eq(lt_graph_parse(ctx, text, strlen(text), "shift", &g), LT_OK, "%s", lt_context_message(ctx));
	return g;
}

/* Steps, and when after the first n of them an element of y is written (reader: 0) or one of z computed (1), a place
 * in a sequence: of the shared loop over i in steps, over j, and then of each leaf's own loops. */
static const struct { const char *steps; int32_t n_step; int step[4]; bool share_j[4]; } shared[] = {
	{ "fuse %z %y/i", 1, { 1 }, { false } },
	{ "fuse %z %y/i; fuse %z %y/j", 2, { 1, 1 }, { false, true } },
	{ "split %y/i 2; split %z/i 2; fuse %z %y/i", 3, { ROWS, ROWS, 2 }, { false } },
	{ "split %y/i 3; split %z/i 3; fuse %z %y/i; fuse %z %y/i'", 4, { ROWS, ROWS, 3, 1 }, { false } },
};
static int64_t moment(int64_t i, int64_t j, int reader, int step, bool share_j)
{
	const int64_t outer = i / step * step, column = share_j ? j : 0;
	return (((outer * COLUMNS + column) * 2 + reader) * ROWS + i) * COLUMNS + j;
}

static bool is_inside(int64_t i, int64_t j)
{
	return i >= 0 && i < ROWS && j >= 0 && j < COLUMNS;
}

static bool any_early(int a, int b, int step, bool share_j)
{
	for (int64_t i = 0; i < ROWS; i++)
		for (int64_t j = 0; j < COLUMNS; j++)
			if (is_inside(i + a, j + b) && moment(i + a, j + b, 0, step, share_j) > moment(i, j, 1, step, share_j))
				return true;
	return false;
}

static int64_t coordinate(const struct lt_iteration *i, const char *name)
{
	for (uint32_t k = 0; k < i->at.n; k++)
		if (!strcmp(LT_AT(struct lt_coordinate, i->at, k)->name, name))
			return LT_AT(struct lt_coordinate, i->at, k)->at;
	cr_assert_fail("no %s", name);
	return 0;
}

Test(tree_api, elements_that_are_read_early)
{
	int refused = 0, legal = 0;
	struct lt_context *ctx;
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	for (int a = -2; a <= 2; a++)
		for (int b = -2; b <= 2; b++)
			for (size_t s = 0; s < sizeof shared / sizeof *shared; s++) {
				struct lt_graph *g = shift_graph(ctx, a, b);
				struct lt_looptree *t = tree_marked(g, "i\n j\n  %y\ni\n j\n  %z\n"), *next;
				struct lt_refused_step *why;
				int32_t bad = 0;
				while (bad < shared[s].n_step && !any_early(a, b, shared[s].step[bad], shared[s].share_j[bad]))
					bad++;
				const lt_status st = lt_looptree_apply(t, shared[s].steps, strlen(shared[s].steps), NULL, 0, NULL, &next, &why);
				cr_assert_eq(st, bad < shared[s].n_step ? LT_EILLEGAL : LT_OK, "y[i + %d, j + %d], `%s`: %s", a, b,
					shared[s].steps, st ? lt_context_message(ctx) : "accepted");
				refused += !!st;
				legal += !st;
				if (st) {
					const struct lt_violation *v = why->violation;
					cr_assert(v && v->kind == LT_VIOLATION_EARLY && why->number == bad, "%s", why->message);
					check_violation(g, v, why->step);
					const struct lt_iteration *w = LT_AT(struct lt_iteration, v->pair, 0), *r = LT_AT(struct lt_iteration, v->pair, 1);
					const int64_t i = coordinate(r, "i"), j = coordinate(r, "j");
					cr_assert(!strcmp(w->node, "y") && w->does == LT_DOES_WRITE && !strcmp(r->node, "z")
						&& r->does == LT_DOES_READ && !v->loop);
					cr_assert(is_inside(i, j) && is_inside(i + a, j + b) && coordinate(w, "i") == i + a
						&& coordinate(w, "j") == j + b, "%s", why->message);
					cr_assert_gt(moment(i + a, j + b, 0, shared[s].step[bad], shared[s].share_j[bad]),
						moment(i, j, 1, shared[s].step[bad], shared[s].share_j[bad]), "%s", why->message);
				}
				lt_refused_step_free(why);
				lt_looptree_free(next);
				lt_looptree_free(t);
				lt_graph_free(g);
			}
	cr_assert(refused > 20 && legal > 20, "%d, %d", refused, legal);
	lt_context_free(ctx);
}

/* No tree's storage is so small that one element lies where another is still read: what a shared loop reads of other
 * iterations is held whole.  So what the exact check would find is written by hand: it comes to the caller as it is. */
Test(tree_api, elements_that_are_overwritten)
{
	struct lt_context *ctx;
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	struct lt_graph *g = shift_graph(ctx, -2, 1);
	struct lt_looptree *t = tree_marked(g, "i\n j\n  %y\n j\n  %z\n");
	const lt_node y = lt_graph_find_node(g, "y"), z = lt_graph_find_node(g, "z");
	lt_var vars[] = { var_named(g, "i"), var_named(g, "j") };
	int64_t written[] = { 3, 2 }, read[] = { 3, 1 }, element[] = { 1, 2 }, found[] = { 3, 2 };
	struct lt_edit edit = { .t = t };
	const struct lt_refused from = { .from = t, .name = "list", .step = "", .primitive = -1, .edit = &edit };
	*t->clash = (struct lt_clash){ .kind = LT_VIOLATION_OVERWRITTEN, .value = y, .loop = -1, .n_element = 2, .n_found = 2,
		.element = element, .found = found, .side = { { .node = y, .does = LT_DOES_WRITE, .n = 2, .var = vars,
			.at = written }, { .node = z, .does = LT_DOES_READ, .n = 2, .var = vars, .at = read } } };
	struct lt_refused_step *why = lt__refusal_new(&from, LT_EILLEGAL);
	const struct lt_violation *v = why->violation;
	cr_assert(v && v->kind == LT_VIOLATION_OVERWRITTEN && !v->loop && !strcmp(v->value, "y"));
	cr_assert_eq(check_violation(g, v, "by hand"), 1);
	const struct lt_iteration *w = LT_AT(struct lt_iteration, v->pair, 0), *r = LT_AT(struct lt_iteration, v->pair, 1);
	cr_assert(!strcmp(w->node, "y") && w->does == LT_DOES_WRITE && !strcmp(r->node, "z") && r->does == LT_DOES_READ);
	cr_assert(coordinate(w, "i") == 3 && coordinate(w, "j") == 2 && coordinate(r, "i") == 3 && coordinate(r, "j") == 1);
	cr_assert(v->element.n == 2 && !memcmp(v->element.at, element, sizeof element));
	cr_assert(v->found.n == 2 && !memcmp(v->found.at, found, sizeof found));
	*t->clash = (struct lt_clash){ 0 };
	lt_refused_step_free(why);
	lt_looptree_free(t);
	lt_graph_free(g);
	lt_context_free(ctx);
}

/* -- memory that runs out -- */

Test(tree_api, every_allocation_may_fail)
{
	static const char steps[] = "split m 5; split k 4";
	int64_t n = 0;
	lt_status st = LT_ENOMEM;
	if (SANITIZED)
		cr_skip_test("slow");
	while (st) {
		struct run_counter counter;
		struct lt_context *ctx;
		struct lt_graph *g;
		struct lt_looptree *t = NULL, *bad = NULL, *from;
		struct lt_refused_step *why = NULL;
		struct lt_accesses *x = NULL;
		struct lt_array lines;
		cr_assert_eq(run_context(&counter, &ctx), LT_OK);
		ctx->chunk = ctx->chunk_max = 64;
		cr_assert_eq(lt_graph_parse(ctx, product, strlen(product), "test", &g), LT_OK);
		from = tree_marked(g, nest);
		counter.fail_at = counter.calls + ++n;
		st = lt_looptree_apply(from, steps, sizeof steps - 1, NULL, 0, NULL, &t, &why);
		cr_assert(!why);
		st = st ? st : lt_looptree_lines(t, &lines);
		st = st ? st : lt_looptree_allocations(t, &lines);
		st = st ? st : lt_looptree_access(t, 0, LT_OMIT, &x);
		if (!st) {
			st = lt_looptree_apply(t, "parallel k", 10, NULL, 0, NULL, &bad, &why);
			cr_assert(!bad && (st == LT_ENOMEM || st == LT_EILLEGAL) && (st == LT_EILLEGAL || !why));
			st = st == LT_EILLEGAL && why && why->violation ? LT_OK : LT_ENOMEM;
		}
		cr_assert(!st || st == LT_ENOMEM, "allocation %d: %s", (int)n, lt_context_message(ctx));
		counter.fail_at = 0;
		lt_refused_step_free(why);
		lt_accesses_free(x);
		lt_looptree_free(t);
		lt_looptree_free(from);
		lt_graph_free(g);
		lt_context_free(ctx);
		cr_assert_eq(counter.bytes, 0, "allocation %d: %d bytes are left", (int)n, (int)counter.bytes);
	}
	cr_assert_gt(n, 100);
}
