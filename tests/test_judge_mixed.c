/* test_judge_mixed.c -- results of roundings with floats beside them, `y - round(y)`: right kernels in random trees are
 * judged right, and so is what the smallest conforming errors give; a wrong factor is found though it moves no element
 * by a step. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "check/random/random.h"
#include "looptree/schedule/schedule.h"
#include "program/run/run.h"
#include "tests/run_graph.h"
#include "lt/frontend.h"
#include "lt/lt.h"

TestSuite(judge_mixed, .timeout = 120);

/* Of y = factor (x @ w), and z, which is beside it.  alone: no element reads more than one rounding. */
struct form { const char *name, *result; double factor; bool alone; };
static const struct form forms[] = {
	{ "fractions", "y - RoundNode(y)", 10, true },
	{ "floors", "0.7 * (y - FloorNode(y)) - 0.2", -3.7, true },
	{ "beside", "CeilNode(z * 3) * 0.25 + y", 0.3, true },
	{ "truncated", "y - CastNode(CastNode(y, int32), float32)", 10, true },
	{ "after a function", "ExpNode(y - RoundNode(y)) * z", 0.9, true },
	{ "largest", "MaxNode(y - RoundNode(y), z * 0.125)", 1.3, true },
	{ "double", "CastNode(y, float64) - RoundNode(CastNode(y, float64))", 10, true },
	{ "two that meet", "RoundNode(y) * 0.5 - FloorNode(y) * 0.4975 + y", 10, false },
	{ "neighbours", "RoundNode(y) * 0.9 - RoundNode(z * 5) * 0.1 + y", 0.7, false },
	{ "squares", "(y - RoundNode(y)) * (y - RoundNode(y))", 10, false },
};
enum { FORMS = sizeof forms / sizeof *forms };
static const int shapes[][3] = { { 8, 16, 16 }, { 7, 13, 11 }, { 1, 5, 1 }, { 1, 1, 1 } };
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* changed: the factor times this; whole: the result. */
static struct lt_graph *parsed(
	struct lt_context *ctx, const struct form *f, const int *shape, double changed, double whole)
{
	char text[1000];
	struct lt_graph *g;
	(void)snprintf(text, sizeof text,
		"x = InputTensor(x, float32, [%d, %d]);\nw = InputTensor(w, float32, [%d, %d]);\n"
		"z = InputTensor(z, float32, [%d, %d]);\ny = (x @ w) * %.9g;\nr = %s;\nresult = r * %.17g;\n",
		shape[0], shape[1], shape[1], shape[2], shape[0], shape[2], f->factor * changed, f->result, whole);
	cr_assert_eq(lt_parse(ctx, text, strlen(text), f->name, NULL, &g), LT_OK, "%s%s", text, lt_context_message(ctx));
	return g;
}

/* Run 0: numbers of both signs; 1: multiples of 1/4, and many ties; 2: NaN among them. */
static void fill(void *user, int run, lt_node n, void *out)
{
	const struct lt_graph *g = user;
	uint64_t rng = (uint64_t)n * 7919 + (uint64_t)run + 1;
	float *to = out;
	for (int64_t i = 0; i < lt__node_elems(g, n); i++) {
		int64_t whole = random_between(&rng, -1000000, 1000000);
		to[i] = run == 1 ? (float)(whole % 9) / 4 : (float)whole / 600000;
	}
	if (run == 2)
		to[lt__node_elems(g, n) / 2] = NAN;
}

enum { RUNS = 3 };

/* -- right kernels in random trees -- */

static lt_status compile_with(
	void *user, const struct lt_graph *g, const struct lt_options *options, struct lt_program **out)
{
	struct lt_options o = *options;
	o.apply = user;
	return lt_compile(g->ctx, g, &o, out);
}

/* A few steps of a random tree, from the default one. */
static void draw_steps(const struct lt_looptree *first, uint64_t *rng, const char *skip, char *steps, size_t bytes)
{
	struct lt_looptree *mine = NULL, *next;
	size_t n = 0;
	steps[0] = 0;
	for (int i = 0; i < 12; i++) {
		const struct lt_looptree *t = mine ? mine : first;
		char step[400];
		int kind;
		if (!random_step(t, rng, skip, &kind, step, sizeof step) || n + sizeof step + 3 > bytes
			|| lt_looptree_apply(t, step, strlen(step), "s", 0, NULL, &next, NULL))
			continue;
		n += (size_t)snprintf(steps + n, bytes - n, "%s%s", n ? "; " : "", step);
		lt_looptree_free(mine);
		mine = next;
	}
	lt_looptree_free(mine);
}

static void random_trees(const char *backends, const char *skip, int trees)
{
	int ran = 0;
	for (int i = 0; i < FORMS * 2; i++) {
		struct lt_context *ctx;
		struct run_want want;
		struct lt_program *p;
		cr_assert_eq(lt_context_new(&ctx), LT_OK);
		struct lt_graph *g = parsed(ctx, &forms[i / 2], shapes[i % 2], 1, 1);
		struct lt_options o = { .size = sizeof o, .backends = backends, .strict = 1, .no_passes = 1, .plan_only = 1 };
		uint64_t rng = (uint64_t)i + 1;
		run_want_new(g, RUNS, fill, g, &want);
		cr_assert_eq(want.status, LT_OK, "%s: %s", forms[i / 2].name, want.message);
		cr_assert_eq(lt_compile(ctx, g, &o, &p), LT_OK, "%s", lt_context_message(ctx));
		for (int k = 0; k < trees; k++) {
			struct lt_program *tried;
			struct run_tally tally = { 0 };
			char steps[3000], why[1000] = "";
			draw_steps(p->tree, &rng, skip, steps, sizeof steps);
			o.apply = steps;
			/* what a backend cannot have is refused with a reason; others test that */
			lt_status st = lt_compile(ctx, g, &o, &tried);
			lt_program_free(tried);
			if (st)
				continue;
			struct run_config c = { backends, true, compile_with, steps };
			cr_assert(run_compare(&want, g, &c, NULL, NULL, &tally, why, sizeof why), "%s on %s after `%s`: %s",
				forms[i / 2].name, backends, steps, why);
			ran++;
		}
		lt_program_free(p);
		run_want_free(&want);
		lt_graph_free(g);
		lt_context_free(ctx);
	}
	cr_assert_gt(ran, FORMS * trees, "%d trees ran", ran);
}

Test(judge_mixed, right_kernels_in_random_trees) { random_trees("ref", "", 12); }
Test(judge_mixed, right_kernels_of_a_compiler_in_random_trees) { random_trees("cpu:O0", "bind call", 2); }

/* -- what a graph gives, judged as another's result -- */

struct subject { struct lt_context *ctx; struct lt_graph *g; const void *source[3][64]; int run; };

static struct subject subject_new(const struct form *f, const int *shape)
{
	struct subject s = { 0 };
	cr_assert_eq(lt_context_new(&s.ctx), LT_OK);
	s.g = parsed(s.ctx, f, shape, 1, 1);
	cr_assert_leq(s.g->n_node, 64);
	for (int run = 0; run < RUNS; run++)
		for (lt_node n = 0; n < s.g->n_node; n++)
			if (s.g->node[n].op == LT_OP_input) {
				void *data = malloc((size_t)lt__node_elems(s.g, n) * sizeof(float));
				fill(s.g, run, n, data);
				s.source[run][n] = data;
			}
	return s;
}

static void subject_free(struct subject *s)
{
	for (int run = 0; run < RUNS; run++)
		for (lt_node n = 0; n < s->g->n_node; n++)
			free((void *)(uintptr_t)s->source[run][n]);
	lt_graph_free(s->g);
	lt_context_free(s->ctx);
}

static struct lt_report judged(struct lt_judge *j, const struct lt_graph *g, const void *const *source,
	const struct lt_eval_options *o)
{
	struct lt_report r = { 0 };
	struct lt_evaluation *e;
	cr_assert_eq(lt_eval_with(g, source, o, &e), LT_OK);
	cr_assert_eq(lt__judge_result(j, 0, lt_eval_result(e, 0, NULL), &r), LT_OK);
	lt_eval_free(e);
	return r;
}

static struct lt_judge *judge_of(const struct subject *s, int run)
{
	const struct lt_judge_options o = { .seed = 11 };
	struct lt_judge *j;
	cr_assert_eq(lt__judge_new(s->g, s->source[run], &o, &j), LT_OK, "%s", lt_context_message(s->ctx));
	return j;
}

/* Errors of the size that is permitted, others in each of many evaluations. */
Test(judge_mixed, permitted_errors_are_right)
{
	for (int i = 0; i < FORMS * SHAPES; i++) {
		struct subject s = subject_new(&forms[i / SHAPES], shapes[i % SHAPES]);
		for (int run = 0; run < RUNS; run++) {
			struct lt_judge *j = judge_of(&s, run);
			for (uint64_t seed = 0; seed < 40; seed++) {
				const struct lt_eval_options o = {
					.mode = seed ? LT_EVAL_RANDOM : LT_EVAL_NEAREST, .seed = 1000 + seed, .amplify = 1
				};
				struct lt_report r = judged(j, s.g, s.source[run], &o);
				cr_assert(!lt__report_failed(&r), "%s, shape %d, run %d, seed %d: %s", forms[i / SHAPES].name, i % SHAPES, run,
					(int)seed, r.first);
			}
			lt__judge_free(j);
		}
		subject_free(&s);
	}
}

/* A factor, or all of the result, that is off by a thousandth or a ten thousandth; in a single element, too, where it
 * is far below the step.  A script like the judge's has the same nodes. */
Test(judge_mixed, wrong_factors_are_found)
{
	static const double off[] = { 1e-2, -1e-3, 1e-3, -1e-4, 1e-4 };
	const struct lt_eval_options exact = { 0 };
	int found = 0;
	for (int i = 0; i < FORMS * SHAPES; i++) {
		const struct form *f = &forms[i / SHAPES];
		const int *shape = shapes[i % SHAPES];
		struct subject s = subject_new(f, shape);
		if (shape[0] * shape[2] == 1 && !f->alone) {
			subject_free(&s);
			continue;
		}
		struct lt_judge *j = judge_of(&s, 0);
		for (size_t k = 0; k < 2 * sizeof off / sizeof *off; k++) {
			if (k % 2 && fabs(off[k / 2]) < 1e-3)           /* of small fractions of large numbers less than rounding */
				continue;
			double by = 1 + off[k / 2];
			struct lt_graph *wrong = parsed(s.ctx, f, shape, k % 2 ? 1 : by, k % 2 ? by : 1);
			cr_assert_eq(wrong->n_node, s.g->n_node);
			struct lt_report r = judged(j, wrong, s.source[0], &exact);
			cr_assert(r.equal == r.elements || lt__report_failed(&r), "%s, shape %d, %s times %g: %lld of %lld equal", f->name,
				i % SHAPES, k % 2 ? "result" : "factor", by, (long long)r.equal, (long long)r.elements);
			found += lt__report_failed(&r);
			lt_graph_free(wrong);
		}
		lt__judge_free(j);
		subject_free(&s);
	}
	cr_assert_gt(found, FORMS * 20, "%d found", found);
}
