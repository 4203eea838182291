/* test_product.c -- the default trees of products: legal, right on every backend, the same bits for any number of
 * threads.
 *
 * LT_SEED=N begins with another seed, LT_GRAPHS=N draws another number of graphs.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "looptree/tree/tree.h"
#include "looptree/derive/derive.h"
#include "lt/frontend.h"
#include "ir/pass/pass.h"
#include "program/run/run.h"
#include "check/random/must.h"
#include "check/random/random.h"
#include "tests/random_product.h"
#include "tests/run_graph.h"
#include "program/program.h"

TestSuite(product, .timeout = 600);

struct with { const struct lt_target *target; };

/* Lowers without passes, or after them, and runs by the default tree for a target. */
static lt_status compile_for(
	void *user, const struct lt_graph *g, const struct lt_options *options, struct lt_program **out)
{
	const struct with *w = user;
	struct lt_graph *live, *lowered;
	struct lt_looptree *tree = NULL;
	*out = NULL;
	LT_TRY(options->no_passes ? lt__pass_dead(g, &live) : lt__passes_run(g, NULL, NULL, &live));
	lt_status st = lt__materialize(live, &lowered);
	lt_graph_free(live);
	if (!st)
		st = lt_looptree_auto(lowered, w->target, &tree);
	if (!st && (st = lt_looptree_verify(tree)))     /* proven, not only by the rules of its structure */
		lt_looptree_free(tree);
	return st ? st : lt__compile_tree(g->ctx, g, lowered, tree, options, out);
}

struct seen { int products, derived, parallel, vector, pad, peel, roots; };

static void look_at(struct lt_context *ctx, const struct lt_graph *g, const struct lt_target *target, struct seen *seen)
{
	struct lt_graph *live, *lowered;
	struct lt_looptree *t;
	must(!lt__pass_dead(g, &live) && !lt__materialize(live, &lowered) && !lt_looptree_auto(lowered, target, &t),
		"%s", lt_context_message(ctx));
	for (lt_tnode at = lt_looptree_after(t, -1); at >= 0; at = lt_looptree_after(t, at)) {
		seen->parallel += t->node[at].kind == LT_TLOOP && t->node[at].loop == LT_PARALLEL;
		seen->vector += t->node[at].kind == LT_TLOOP && t->node[at].loop == LT_VECTOR;
		seen->pad += t->node[at].tail == LT_PAD;
		seen->peel += t->node[at].tail == LT_PEEL;
	}
	seen->derived += t->derived ? t->derived->n_step : 0;
	lt_looptree_free(t);
	lt_graph_free(lowered);
	lt_graph_free(live);
}

static void random_products(uint64_t first, uint64_t count, const char *backends, bool counted)
{
	struct seen seen = { 0 };
	first = must_number("LT_SEED", first);
	count = must_draws("LT_GRAPHS", count);
	for (uint64_t seed = first; seed < first + count; seed++) {
		struct lt_context *ctx;
		struct lt_graph *g;
		struct lt_target target;
		struct run_want want;
		struct run_tally tally = { 0 };
		char why[800] = "";
		cr_assert_eq(lt_context_new(&ctx), LT_OK);
		(counted ? random_product_counted : random_product)(ctx, seed, &g);
		random_target(seed, &target);
		struct with w = { &target };
		run_want_new(g, counted ? 3 : 2, random_product_fill, g, &want);
		cr_assert_eq(want.status, LT_OK, "seed %llu: %s", (unsigned long long)seed, want.message);
		bool good = run_compare(&want, g, &(struct run_config){ backends, seed % 2, compile_for, &w }, NULL,
			NULL, &tally, why, sizeof why);
		if (!good) {
			struct run_text text = { NULL, 0 };
			lt_graph_print(g, run_text_add, &text);
			fprintf(stderr, "seed %llu, %u bytes, %u registers, L2 %llu, L3 %llu, %u cores\n%s\n",
				(unsigned long long)seed, target.vector_bytes, target.vector_registers,
				(unsigned long long)target.l2_bytes, (unsigned long long)target.l3_bytes, target.cores,
				text.at);
			run_text_free(&text);
		}
		cr_assert(good, "seed %llu: %s", (unsigned long long)seed, why);
		look_at(ctx, g, &target, &seen);
		run_want_free(&want);
		lt_graph_free(g);
		lt_context_free(ctx);
	}
	fprintf(stderr, "%llu graphs: %d derived nodes, %d parallel and %d vector loops, %d padded, %d peeled\n",
		(unsigned long long)count, seen.derived, seen.parallel, seen.vector, seen.pad, seen.peel);
	cr_assert(count < 50 || (seen.derived > 0 && seen.vector > 0 && seen.pad > 0 && seen.peel > 0));
}

Test(product, random_products_are_legal_and_right_on_ref) { random_products(1, 400, "ref", false); }
Test(product, random_products_are_right_when_compiled) { random_products(10001, 25, "cpu:O0", false); }
Test(product, of_run_time_extents_they_are_legal_and_right_on_ref) { random_products(20001, 300, "ref", true); }
Test(product, of_run_time_extents_they_are_right_when_compiled) { random_products(30001, 20, "cpu:O0", true); }

/* Few rows with two summed dims, the last of them short; long sums of which a tile is a whole block. */
static const struct { const char *script; struct lt_target target;
} formed[] = {
	{ "$1 = InputTensor(a, int32, [6, 30, 16]);\n$2 = InputTensor(b, int32, [30, 16, 169]);\n$3 = "
	  "EinsumNode(mkl,kln->mn: $1, $2);\nresult = $3;\n",
		{ .vector_bytes = 32, .vector_registers = 32, .cores = 1, .l1_bytes = 1024, .l2_bytes = 2048 } },
	{ "$1 = InputTensor(a, float64, [2, 9, 5]);\n$2 = InputTensor(b, float64, [9, 5, 300]);\n$3 = "
	  "EinsumNode(mkl,kln->mn: $1, $2);\nresult = $3;\n",
		{ .vector_bytes = 32, .vector_registers = 32, .cores = 1, .l1_bytes = 1024, .l2_bytes = 2048 } },
	{ "$1 = InputTensor(a, float32, [65, 255, 47]);\n$2 = InputTensor(b, float32, [1, 255, 47]);\n$3 = "
	  "EinsumNode(abk,cbk->ca: $1, $2);\nresult = $3;\n",
		{ .vector_bytes = 64,
			.vector_registers = 32,
			.cores = 2,
			.l1_bytes = 32 << 10,
			.l2_bytes = 1 << 20,
			.l3_bytes = 32 << 20 } },
};

Test(product, every_form_has_a_legal_tree)
{
	for (size_t i = 0; i < sizeof formed / sizeof *formed; i++) {
		struct lt_context *ctx;
		struct lt_graph *g, *live, *lowered;
		struct lt_looptree *t;
		struct lt_target target = formed[i].target;
		target.size = sizeof target;
		target.name = "test";
		target.cache_line = 64;
		cr_assert_eq(lt_context_new(&ctx), LT_OK);
		cr_assert_eq(lt_parse(ctx, formed[i].script, strlen(formed[i].script), "t", NULL, &g), LT_OK, "%s",
			lt_context_message(ctx));
		cr_assert(!lt__pass_dead(g, &live) && !lt__materialize(live, &lowered));
		cr_expect_eq(lt_looptree_auto(lowered, &target, &t), LT_OK, "%s%s", formed[i].script, lt_context_message(ctx));
		cr_expect(!t || lt_looptree_verify(t) == LT_OK, "%s%s", formed[i].script, lt_context_message(ctx));
		lt_looptree_free(t);
		lt_graph_free(lowered);
		lt_graph_free(live);
		lt_graph_free(g);
		lt_context_free(ctx);
	}
}
