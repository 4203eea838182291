/* test_simulate_count.c -- what the simulator counts, against frozen trees that are enumerated statement by
 * statement (tests/brute.h).
 *
 * LT_SEED=N begins with another graph.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "check/random/must.h"
#include "check/random/random.h"
#include "looptree/schedule/schedule.h"
#include "program/run/run.h"
#include "tests/brute.h"
#include "tests/simulated_tree.h"

TestSuite(simulate_count, .timeout = 120);

/* Where a row of integers is an operand, its sum cannot be told from a sum of the graph. */
static bool has_rows_for_operands(const struct lt_tree *t)
{
	for (uint32_t i = 0; i < t->pieces.n; i++)
		if (LT_AT(struct lt_piece, t->pieces, i)->kind == LT_AFFINE)
			return true;
	return false;
}

struct met { int kernels, teams, exact; int64_t operations; };

static void check_tree(const struct lt_tree *t, uint64_t seed, struct met *m)
{
	int64_t param[64] = { 0 };
	struct brute b;
	if (t->n_param > 0 || !brute_run(t, param, &b))
		return;
	for (int i = 0; i < 2; i++) {
		struct simulated_tree sum;
		simulated_tree_run(t, i == 0, &sum);
		cr_assert_eq(sum.executions, b.instances, "seed %llu, kernel %s: %lld statements run; there are %lld",
			(unsigned long long)seed, t->name, (long long)sum.executions, (long long)b.instances);
		if (!has_rows_for_operands(t)) {
			cr_assert_eq(sum.operations, b.operations, "seed %llu, kernel %s: %lld operations; there are %lld",
				(unsigned long long)seed, t->name, (long long)sum.operations, (long long)b.operations);
			m->exact++;
			m->operations += sum.operations;
		}
		m->kernels++;
		m->teams += sum.teams > 0;
	}
	brute_free(t, &b);
}

/* Legal steps: some loops become parallel, others are split, fused, unrolled ... */
static void draw_steps(const struct lt_looptree *first, uint64_t *rng, char *steps, size_t cap)
{
	const struct lt_looptree *t = first;
	struct lt_looptree *mine = NULL, *next;
	size_t n = 0;
	char step[1000];
	int kind;
	steps[0] = '\0';
	for (int i = 0; i < 40 && n + sizeof step + 3 < cap; i++) {
		if (!random_step(t, rng, "bind call", &kind, step, sizeof step)
			|| (i < 36 && strcmp(random_step_name(kind), "parallel") != 0)
			|| lt_looptree_apply(t, step, strlen(step), "s", 0, NULL, &next, NULL))
			continue;
		lt_looptree_free(mine);
		t = mine = next;
		n += (size_t)snprintf(steps + n, cap - n, "%s%s", n ? "; " : "", step);
	}
	lt_looptree_free(mine);
}

static void check_graph(struct lt_context *ctx, const struct lt_graph *g, uint64_t seed, struct met *m)
{
	static const char *const backends[] = { "sim", "ref" };
	struct lt_options o = { .size = sizeof o, .backends = backends[seed % 2], .plan_only = 1 };
	char steps[6000];
	uint64_t rng = seed;
	struct lt_program *p, *q = NULL;
	cr_assert_eq(lt_compile(ctx, g, &o, &p), LT_OK, "%s", lt_context_message(ctx));
	draw_steps(p->tree, &rng, steps, sizeof steps);
	o.apply = steps;
	const struct lt_program *all[] = { p, *steps && !lt_compile(ctx, g, &o, &q) ? q : NULL };
	for (int k = 0; k < 2; k++)
		for (int32_t i = 0; all[k] && i < all[k]->nests.n; i++)
			check_tree(&all[k]->nests.frozen[i].tree, seed, m);
	lt_program_free(p);
	lt_program_free(q);
}

Test(simulate_count, trees_run_as_many_operations_as_an_enumeration_finds)
{
	uint64_t first = must_number("LT_SEED", 1);
	struct met m = { 0 };
	for (uint64_t seed = first; seed < first + 60; seed++) {
		struct lt_context *ctx;
		struct random_graph r;
		char text[4000];
		cr_assert_eq(lt_context_new(&ctx), LT_OK);
		random_nest_new(ctx, seed, 0, 0, &r, text, sizeof text);
		check_graph(ctx, r.g, seed, &m);
		random_graph_free(&r);
		lt_context_free(ctx);
	}
	(void)fprintf(stderr, "%d kernels, %d with teams, %d compared by operations: %lld\n", m.kernels, m.teams, m.exact,
		(long long)m.operations);
	cr_assert(m.kernels > 100 && m.teams > 10 && m.exact > 50 && m.operations > 10000);
}
