/* tests/test_schedule_random.c -- random sequences of primitives on random graphs: what is accepted gives what the oracle gives.
 *
 * LT_SEED=N begins with another seed, LT_SEQUENCES=N draws another number of sequences on `ref` (those on `cpu` in proportion).
 */
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "looptree/edit.h"
#include "looptree/schedule.h"
#include "program/program.h"
#include "tests/random_graph.h"
#include "tests/tree_marked.h"
#include "tests/tree_text.h"

TestSuite(schedule_random, .timeout = 900);

struct steps { char text[4000]; size_t n; };
struct tally { int sequences, tried[16], accepted[16]; int64_t elements; };

static uint64_t number_of(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);
	return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

static lt_tnode any_loop(const struct lt_looptree *t, uint64_t *rng)
{
	for (int i = 0; i < 50 && t->n_node > 0; i++) {
		lt_tnode at = (lt_tnode)random_between(rng, 0, t->n_node - 1);
		if (t->node[at].kind == LT_TLOOP)
			return at;
	}
	return -1;
}

static const char *any_leaf(const struct lt_looptree *t, uint64_t *rng)
{
	lt_tnode at = (lt_tnode)random_between(rng, 0, t->n_node - 1);
	while (t->node[at].kind != LT_TLEAF)
		at = t->node[at].child;
	return t->graph->node[t->node[at].leaf].name;
}

static void put(char *out, size_t bytes, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void put(char *out, size_t bytes, const char *fmt, ...)
{
	size_t n = strlen(out);
	va_list list;
	va_start(list, fmt);
	vsnprintf(out + n, bytes - n, fmt, list);
	va_end(list);
}

/* Some of the loops around a place, in any order. */
static void put_reorder(const struct lt_looptree *t, lt_tnode at, uint64_t *rng, char *out, size_t bytes)
{
	lt_tnode all[64];
	int n = 0;
	put(out, bytes, "reorder");
	for (; at >= 0 && n < 63; at = t->node[at].parent)
		if (t->node[at].kind == LT_TLOOP && random_chance(rng, 80))
			all[n++] = at;
	while (n > 0) {
		int i = (int)random_between(rng, 0, n - 1);
		put(out, bytes, " %s", lt__loop_path(t, all[i]));
		all[i] = all[--n];
	}
}

/* A step that is spelled right and often legal; false: the tree has no loop.  Tails other than guard no backend runs, so they go
 * with a loop whose trips are all whole or not at all. */
static bool draw_step(const struct lt_looptree *t, uint64_t *rng, int *which, char *out, size_t bytes)
{
	lt_tnode loop = any_loop(t, rng);
	out[0] = '\0';
	if (loop < 0)
		return false;
	const char *path = lt__loop_path(t, loop);
	int64_t step = t->node[loop].step;
	*which = (int)random_between(rng, 0, 9);
	switch (*which) {
	case 0: put(out, bytes, "split %s %lld", path, (long long)(step * random_between(rng, 2, 6))); break;
	case 1: put(out, bytes, "merge %s", path); break;
	case 2: put_reorder(t, loop, rng, out, bytes); break;
	case 3: case 4: put(out, bytes, "fuse %%%s %s", any_leaf(t, rng), path); break;
	case 5: case 6: put(out, bytes, "fission %%%s %s", any_leaf(t, rng), path); break;
	case 7: put(out, bytes, "unroll %s", path); break;
	case 8: put(out, bytes, random_chance(rng, 50) ? "serial %s" : "parallel %s", path); break;
	default: put(out, bytes, "vectorize %s", path); break;
	}
	return true;
}

static void expect_same(const struct lt_looptree *a, const struct lt_looptree *b, uint64_t seed, const char *steps, const char *what)
{
	struct run_text x = { NULL, 0 }, y = { NULL, 0 };
	tree_marks(a, &x);
	tree_marks(b, &y);
	cr_assert_str_eq(x.at ? x.at : "", y.at ? y.at : "", "seed %llu: %s after `%s`:\n%sand\n%s", (unsigned long long)seed, what, steps, x.at, y.at);
	run_text_free(&x);
	run_text_free(&y);
}

/* A split that is merged again leaves what was there. */
static void check_inverse(const struct lt_looptree *t, uint64_t *rng, uint64_t seed, const char *steps)
{
	lt_tnode loop = any_loop(t, rng), cursor;
	char text[300] = "";
	struct lt_looptree *cut, *whole;
	if (loop < 0)
		return;
	put(text, sizeof text, "split %s %lld", lt__loop_path(t, loop), (long long)(t->node[loop].step * 2));
	cursor = loop;
	if (lt__schedule_steps(t, text, strlen(text), "s", 1, &cursor, &cut))
		return;
	text[0] = '\0';
	put(text, sizeof text, "merge %s", lt__loop_path(cut, cursor));
	cr_assert_eq(lt__schedule_steps(cut, text, strlen(text), "s", 1, &cursor, &whole), LT_OK, "seed %llu: after `%s`: %s", (unsigned long long)seed, steps,
		lt_context_message(t->ctx));
	expect_same(t, whole, seed, steps, "split and merge");
	cr_assert_eq(whole->node[cursor].var, t->node[loop].var);
	lt_looptree_free(cut);
	lt_looptree_free(whole);
}

/* Every loop is followed: to one over its own var, and one that is not touched keeps its step. */
static void check_cursors(const struct lt_looptree *from, const lt_tnode *cursor, const struct lt_looptree *to, uint64_t seed, const char *step)
{
	for (lt_tnode at = 0; at < from->n_node; at++) {
		cr_assert(cursor[at] < to->n_node);
		if (from->node[at].kind == LT_TLEAF)
			cr_assert_eq(cursor[at], to->leaf_of[from->node[at].leaf], "seed %llu: a leaf after `%s`", (unsigned long long)seed, step);
		if (from->node[at].kind == LT_TLOOP)
			cr_assert(cursor[at] >= 0 && to->node[cursor[at]].kind == LT_TLOOP && to->node[cursor[at]].var == from->node[at].var,
				"seed %llu: loop %d after `%s`", (unsigned long long)seed, (int)at, step);
	}
}

/* Printed and read back. */
static void check_text(const struct lt_looptree *t, uint64_t seed, const char *steps)
{
	struct run_text text = tree_print(t);
	struct lt_looptree *back;
	cr_assert_eq(lt_looptree_parse(t->graph, text.at, text.n, "printed", &back), LT_OK, "seed %llu after `%s`: %s", (unsigned long long)seed, steps,
		lt_context_message(t->ctx));
	expect_same(t, back, seed, steps, "printed and read back");
	lt_looptree_free(back);
	run_text_free(&text);
}

/* Steps that are accepted one after the other. */
static void draw_sequence(const struct lt_looptree *first, uint64_t seed, uint64_t *rng, struct steps *out, struct tally *tally)
{
	const struct lt_looptree *t = first;
	struct lt_looptree *mine = NULL, *next;
	lt_tnode *cursor = malloc(sizeof(lt_tnode) * 4096);
	int wanted = (int)random_between(rng, 1, 8), which;
	out->n = 0;
	out->text[0] = '\0';
	for (int i = 0; i < 40 && wanted > 0; i++) {
		char step[600];
		if (t->n_node > 4000 || !draw_step(t, rng, &which, step, sizeof step))
			break;
		for (lt_tnode at = 0; at < t->n_node; at++)
			cursor[at] = at;
		tally->tried[which]++;
		if (lt__schedule_steps(t, step, strlen(step), "s", t->n_node, cursor, &next)) {
			cr_assert(next == NULL && strlen(lt_context_message(t->ctx)) > 20, "seed %llu: `%s`: %s", (unsigned long long)seed, step,
				lt_context_message(t->ctx));
			continue;
		}
		tally->accepted[which]++;
		check_cursors(t, cursor, next, seed, step);
		lt_looptree_free(mine);
		t = mine = next;
		if (out->n + strlen(step) + 4 < sizeof out->text)
			out->n += (size_t)snprintf(out->text + out->n, sizeof out->text - out->n, "%s%s", out->n ? "; " : "", step);
		else
			break;
		wanted--;
	}
	if (mine) {
		check_text(mine, seed, out->text);
		check_inverse(mine, rng, seed, out->text);
		cr_assert_eq(lt__schedule_steps(first, out->text, out->n, "s", 0, NULL, &next), LT_OK, "%s", lt_context_message(first->ctx));
		expect_same(mine, next, seed, out->text, "step by step and as a list");
		lt_looptree_free(next);
	}
	lt_looptree_free(mine);
	free(cursor);
}

static lt_status compile_with(void *apply, const struct lt_graph *g, const struct lt_options *options, struct lt_program **out)
{
	struct lt_options o = *options;
	o.apply = ((const struct steps *)apply)->text;
	return lt_compile(g->ctx, g, &o, out);
}

struct data { const struct random_graph *r; uint64_t seed; };
static void fill(void *user, int run, lt_node n, void *out)
{
	const struct data *d = user;
	random_graph_fill(d->r, d->seed, run, n, out);
}

static void check_graph(uint64_t seed, const char *backends, int sequences, struct tally *tally)
{
	uint64_t rng = seed * 977 + 5;
	struct random_options o = { .n_node = (int32_t)random_between(&rng, 3, 14), .views = true, .params = random_chance(&rng, 30),
		.states = random_chance(&rng, 20), .composites = random_chance(&rng, 50) };
	struct lt_context *ctx;
	struct random_graph r;
	struct lt_program *p;
	struct run_want want;
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	random_graph_new(ctx, seed, &o, &r);
	struct data d = { &r, seed };
	run_want_new(r.g, 2, fill, &d, &want);
	cr_assert(want.status == LT_OK || want.status == LT_EFAULT, "%s", want.message);
	if (want.status == LT_EFAULT)   /* a gather out of range: others test those */
		sequences = 0;
	const struct lt_options options = { .size = sizeof options, .backends = backends, .no_passes = true };
	cr_assert_eq(lt_compile(ctx, r.g, &options, &p), LT_OK, "%s", lt_context_message(ctx));
	for (int i = 0; i < sequences; i++) {
		struct steps steps;
		char why[2000] = "";
		struct run_tally run = { 0 };
		draw_sequence(p->tree, seed, &rng, &steps, tally);
		struct run_config config = { .backends = backends, .no_passes = true, .compile = compile_with, .user = &steps };
		if (!run_compare(&want, r.g, &config, NULL, NULL, &run, why, sizeof why)) {
			struct run_text text = { NULL, 0 };
			struct lt_looptree *t;
			lt_graph_print(r.g, run_text_add, &text);
			if (!lt__schedule_steps(p->tree, steps.text, steps.n, "s", 0, NULL, &t))
				lt_looptree_print(t, run_text_add, &text);
			cr_assert(false, "seed %llu on %s: after `%s`: %s\n%s", (unsigned long long)seed, backends, steps.text, why, text.at);
		}
		tally->elements += run.elements;
		tally->sequences++;
	}
	lt_program_free(p);
	run_want_free(&want);
	random_graph_free(&r);
	lt_context_free(ctx);
}

static void check_many(const char *backends, int graphs, int sequences)
{
	struct tally tally = { 0 };
	uint64_t first = number_of("LT_SEED", 1);
	fprintf(stderr, "sequences of primitives on %s: seeds %llu .. %llu\n", backends, (unsigned long long)first, (unsigned long long)first + (unsigned long long)graphs - 1);
	for (uint64_t seed = first; seed < first + (uint64_t)graphs; seed++)
		check_graph(seed, backends, sequences, &tally);
	fprintf(stderr, "%s: %d sequences, %lld elements; accepted of tried:", backends, tally.sequences, (long long)tally.elements);
	for (int i = 0; i < 10; i++)
		fprintf(stderr, " %d/%d", tally.accepted[i], tally.tried[i]);
	fprintf(stderr, "\n");
	for (int i = 0; i < 10 && tally.sequences >= 300; i++)
		cr_assert_gt(tally.accepted[i], 5, "kind %d of step is hardly ever legal", i);
}

Test(schedule_random, on_ref) { check_many("ref", (int)number_of("LT_SEQUENCES", 320) / 4, 4); }
Test(schedule_random, on_cpu) { check_many("cpu", (int)number_of("LT_SEQUENCES", 320) / 27, 1); }
