/* test_lanes.c -- reductions over vector and block loops: what freezing makes of them, and their results. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "check/random/random.h"
#include "program/run/run.h"
#include "tests/tree_marked.h"
#include "tests/tree_text.h"

TestSuite(lanes, .timeout = 300);

/* Numbers of both signs; in the second run NaN and infinity among them. */
static void fill(void *graph, int run, lt_node n, void *out)
{
	const struct lt_graph *g = graph;
	uint64_t rng = (uint64_t)n * 131 + (uint64_t)run * 7 + 3;
	tree_fill(graph, run, n, out);
	for (int64_t i = 0; run == 1 && g->node[n].dtype == LT_F32 && i < lt__node_elems(g, n); i++)
		if (random_chance(&rng, 3))
			lt__store(out, i, LT_F32, (union lt_scalar){ .f = random_chance(&rng, 50) ? NAN : -INFINITY });
}

/* "s reset[64] reduce[64] s combine": of each statement that is no map, in order: the node, the kind, and in brackets
 * how many elements its lanes have, where it writes to lanes or reads them. */
static void describe(const struct lt_tree *t, char *out, size_t bytes)
{
	static const char *const kind[] = { [LT_RESET] = "reset", [LT_REDUCE] = "reduce", [LT_COMBINE] = "combine" };
	size_t n = 0;
	out[0] = '\0';
	for (uint32_t i = 0; i < t->stmts.n && n < bytes; i++) {
		const struct lt_stmt *s = LT_AT(struct lt_stmt, t->stmts, i);
		if (s->kind == LT_MAP)
			continue;
		int32_t access = s->dest;
		const struct lt_piece *p = LT_AT(struct lt_piece, t->pieces,
			LT_AT(struct lt_operand, t->operands, s->first_operand)->first_piece);
		if (s->kind == LT_COMBINE && p->kind == LT_READ)
			access = p->access;
		const struct lt_buffer *b = LT_AT(struct lt_buffer, t->buffers, LT_AT(struct lt_access, t->accesses, access)->buffer);
		n += (size_t)snprintf(out + n, bytes - n, "%s%s %s", n ? ", " : "", s->name, kind[s->kind]);
		if (n < bytes && strlen(b->name) > 6 && !strcmp(b->name + strlen(b->name) - 6, "_lanes"))
			n += (size_t)snprintf(out + n, bytes - n, "[%lld]", (long long)b->elems);
	}
}

/* Freezes a tree, compares it with `want`, and runs it on `backends` against the oracle. */
static void expect(const char *graph, const char *tree, const char *want, const char *backends)
{
	struct lt_context *ctx;
	struct lt_graph *g;
	struct lt_program *p;
	char text[1000];
	const struct lt_options options = { .size = sizeof options, .backends = "ref" };
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt_graph_parse(ctx, graph, strlen(graph), "test", &g), LT_OK, "%s", lt_context_message(ctx));
	cr_assert_eq(tree_compile_marked((void *)(uintptr_t)tree, g, &options, &p), LT_OK, "%s\n%s",
		lt_context_message(ctx), tree);
	describe(&p->nests.frozen[0].tree, text, sizeof text);
	cr_expect_str_eq(text, want, "%s\n%s, not %s", tree, text, want);
	cr_expect_eq((p->nests.frozen[0].tree.needs & LT_NEED_COMBINE) != 0, strstr(want, "combine") != NULL);
	lt_program_free(p);
	for (const char *b = backends; *b; b += strcspn(b, " ") + (b[strcspn(b, " ")] == ' ')) {
		char name[16] = "", why[1000] = "";
		(void)snprintf(name, sizeof name, "%.*s", (int)strcspn(b, " "), b);
		struct run_config config = { .backends = name, .compile = tree_compile_marked, .user = (void *)(uintptr_t)tree };
		struct run_tally tally = { 0 };
		struct run_want oracle;
		run_want_new(g, 3, fill, g, &oracle);
		cr_assert_eq(oracle.status, LT_OK, "%s", oracle.message);
		run_compare(&oracle, g, &config, NULL, NULL, &tally, why, sizeof why);
		run_want_free(&oracle);
		cr_expect_str_eq(why, "", "%s\n%s", why, tree);
	}
	lt_graph_free(g);
	lt_context_free(ctx);
}

#define BOTH "ref cpu"
#define SUM(k) \
	"graph 1\nvar m 3\nvar k " #k "\n%x = f32[m, k] input \"x\"\n%s = f32[m] add.reduce %x\nresult \"s\" = %s\n"

Test(lanes, they_have_sums_around_the_reducing_loops)
{
	expect(SUM(64), "m\n k step 16\n  k vector\n   %s\n", "s reset, s reset[16], s reduce[16], s combine[16]", BOTH);
	expect(SUM(96), "m\n k step 48\n  k step 16 unroll\n   k vector\n    %s\n",
		"s reset, s reset[16], s reduce[16], s combine[16]", BOTH);
	/* A loop over the result's var between them: the sums of all its trips. */
	expect(SUM(64), "k step 16\n m\n  k vector\n   %s\n", "s reset, s reset[48], s reduce[48], s combine[48]", BOTH);
	expect(SUM(64), "k step 16\n k vector\n  m\n   %s\n", "s reset, s reset[48], s reduce[48], s combine[48]", BOTH);
}

Test(lanes, one_value_each_needs_none)
{
	expect(SUM(64), "m\n k vector\n  %s\n", "s reset, s combine", BOTH);
	expect(SUM(1), "m\n k vector\n  %s\n", "s reset, s combine", BOTH);
	expect(SUM(1003), "m\n k vector\n  %s\n", "s reset, s combine", BOTH);
	expect("graph 1\nvar m 3\nvar k 1003\n%x = f32[m, k] input \"x\"\n%q = f32[m, k] mul %x, %x\n%s = f32[m] "
	       "add.reduce %q\n%t = f32[m] min.reduce %q\n"
	       "%z = f32[m] add %s, %t\nresult \"z\" = %z\n",
		"m\n k vector\n  %q\n  %s\n  %t\n %z\n", "s reset, t reset, s combine, t combine", BOTH);
	/* Two vector loops over one var: all trips of both are lanes. */
	expect(SUM(64), "m\n k step 16 vector\n  k vector\n   %s\n", "s reset, s combine", BOTH);
}

Test(lanes, tails_of_their_loops)
{
	static const char *const tail[] = { "peel", "mask", "pad" };
	static const char *const want[] = { "s reset, s reset[16], s reduce[16], s reduce[16], s combine[16]",
		"s reset, s reset[16], s reduce[16], s combine[16]",
		"s reset, s reset[16], s reduce[16], s combine[16]" };
	for (int i = 0; i < 3; i++) {
		char tree[200];
		(void)snprintf(tree, sizeof tree, "m\n k step 16  tail %s\n  k vector\n   %%s\n", tail[i]);
		expect(SUM(41), tree, want[i], BOTH);
		/* The vector loop itself has the tail: its step is 3. */
		(void)snprintf(tree, sizeof tree, "m\n k step 12  tail mask\n  k step 3 vector  tail %s\n   k\n    %%s\n", tail[i]);
		expect(SUM(41), tree,
			i == 0 ? "s reset, s reset[4], s reduce[4], s reduce[4], s combine[4]"
			       : "s reset, s reset[4], s reduce[4], s combine[4]",
			BOTH);
	}
}

#define PRODUCT "graph 1\nvar m 10\nvar k 44\nvar n 9\n%a = f32[m, k] input \"a\"\n%b = f32[n, k] input \"b\"\n" \
	"%p = f32[m, n, k] mul %a, %b\n%c = f32[m, n] add.reduce %p\nresult \"c\" = %c\n"

/* Both factors lie along k: a tile of sums, each in as many lanes as a vector has. */
Test(lanes, a_tile_of_dot_products)
{
	expect(PRODUCT,
		"m step 4  tail peel\n n step 2  tail peel\n  k step 16  tail peel\n   m unroll\n    n unroll\n     k "
		"vector\n      %p\n      %c\n",
		"c reset, c reset[128], c reduce[128], c reduce[128], c combine[128], c reset, c reset[64], c "
		"reduce[64], c reduce[64], c combine[64], c reset, c reset[64], c reduce[64], c reduce[64], c "
		"combine[64], c reset, c reset[32], c reduce[32], c reduce[32], c combine[32]",
		BOTH);
	expect(PRODUCT,
		"m step 4  tail pad\n n step 2  tail mask\n  k step 16  tail pad\n   m unroll\n    n\n     k vector\n  "
		"    %p\n      %c\n",
		"c reset, c reset[128], c reduce[128], c combine[128]", BOTH);
}

Test(lanes, too_many_sums_stay_further_in)
{
	/* 16 KiB hold 4096 of float32: those of 300 rows of 16 do not fit around the loop over m, those of one row do;
	 * they get two values each. */
	expect("graph 1\nvar m 300\nvar k 64\n%x = f32[m, k] input \"x\"\n%s = f32[m] add.reduce %x\nresult \"s\" = %s\n",
		"k step 32\n m\n  k step 16\n   k vector\n    %s\n", "s reset, s reset[16], s reduce[16], s combine[16]", BOTH);
	expect("graph 1\nvar m 300\nvar k 64\n%x = f32[m, k] input \"x\"\n%s = f32[m] add.reduce %x\nresult \"s\" = %s\n",
		"k step 16\n m\n  k vector\n   %s\n", "s reset, s combine", BOTH);
	/* Threads do not share them. */
	expect(SUM(64), "k step 32\n m parallel\n  k step 16\n   k vector\n    %s\n",
		"s reset, s reset[16], s reduce[16], s combine[16]", BOTH);
	expect(SUM(64), "k step 32\n m grid.x\n  k step 16\n   k vector\n    %s\n",
		"s reset, s reset[16], s reduce[16], s combine[16]", "ref");
	/* In a call, statements say what a routine computes. */
	expect(SUM(64), "m call rows\n k step 16\n  k vector\n   %s\n", "s reset, s combine", "ref");
}

/* 16 KiB are 4096 of float32: 256 rows of 16 lanes; f64 half of that. */
Test(lanes, sixteen_kib_of_sums)
{
	static const struct {
		const char *type;
		int m;
		bool around;
	} of[] = { { "f32", 256, true }, { "f32", 257, false }, { "f64", 128, true }, { "f64", 129, false } };
	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		char graph[300], want[200];
		(void)snprintf(graph, sizeof graph,
			"graph 1\nvar m %d\nvar k 64\n%%x = %s[m, k] input \"x\"\n%%s = %s[m] add.reduce %%x\nresult "
			"\"s\" = %%s\n",
			of[i].m, of[i].type, of[i].type);
		(void)snprintf(want, sizeof want,
			of[i].around ? "s reset, s reset[%d], s reduce[%d], s combine[%d]" : "s reset, s combine",
			16 * of[i].m, 16 * of[i].m, 16 * of[i].m);
		expect(graph, "k step 16\n m\n  k vector\n   %s\n", want, "ref");
	}
	/* More than any number says: no lanes, and no error of theirs. */
	expect("graph 1\nvar m 256\nvar k 562949953421312\nvar o 1\n%x = f32[o] input \"x\"\n%y = f32[o, m, k] view { "
	       "%x[0] }\n%s = f32[o] add.reduce %y\n"
	       "result \"s\" = %s\n",
		"o\n m\n  k block.x\n   %s\n", "s reset, s combine", "");
}

/* A padded loop whose step is beyond the extent: there are as many lanes as its step has. */
Test(lanes, padded_beyond_the_extent)
{
	expect(SUM(10), "m\n k step 16  tail pad\n  k step 4 vector\n   k\n    %s\n",
		"s reset, s reset[4], s reduce[4], s combine[4]", BOTH);
	expect(SUM(10), "m\n k step 16  tail pad\n  k vector\n   %s\n", "s reset, s combine", BOTH);
	expect("graph 1\nvar m 3\nvar k 10\n%x = f32[m, k] input \"x\"\n%s = f32[m] add.reduce %x\n%z = f32[m] neg "
	       "%s\nresult \"z\" = %z\n",
		"m step 4  tail pad\n k step 16  tail pad\n  m\n   k step 4 vector\n    k\n     %s\n m\n  %z\n",
		"s reset, s reset[16], s reduce[16], s combine[16]", BOTH);
}

/* Terms past the end have to be the identity, where lanes meet, too. */
Test(lanes, padding_that_is_no_identity_is_refused)
{
	struct lt_context *ctx;
	struct lt_graph *g;
	struct lt_program *p;
	static const char graph[] = "graph 1\nvar k 41\n%x = f32[k] input \"x\"\n%h = f32[k] exp %x\n%y = f32[] "
				    "add.reduce %h\nresult \"y\" = %y\n";
	const struct lt_options options = { .size = sizeof options, .backends = "ref" };
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt_graph_parse(ctx, graph, strlen(graph), "test", &g), LT_OK);
	static const char *const trees[] = { "k step 64  tail pad\n k vector\n  %h\n  %y\n",
		"k step 16  tail pad\n k vector\n  %h\n  %y\n" };
	for (int i = 0; i < 2; i++) {
		cr_expect_eq(tree_compile_marked((void *)(uintptr_t)trees[i], g, &options, &p), LT_EILLEGAL);
		cr_expect(strstr(lt_context_message(ctx), "what %h is past the end is not known to be the identity"),
			"%s", lt_context_message(ctx));
	}
	lt_graph_free(g);
	lt_context_free(ctx);
}

/* `reducing` is the outermost reducing loop: of the combine after, the outermost of its lanes; of a reset -1. */
Test(lanes, the_outermost_reducing_loop)
{
	struct lt_context *ctx;
	struct lt_graph *g;
	struct lt_program *p;
	static const char graph[] = SUM(64), tree[] = "m\n k step 32\n  k step 8 vector\n   k step 2\n    k vector\n     %s\n";
	const struct lt_options options = { .size = sizeof options, .backends = "ref" };
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt_graph_parse(ctx, graph, strlen(graph), "test", &g), LT_OK);
	cr_assert_eq(tree_compile_marked((void *)(uintptr_t)tree, g, &options, &p), LT_OK, "%s", lt_context_message(ctx));
	const struct lt_tree *t = &p->nests.frozen[0].tree;
	cr_assert_eq(t->stmts.n, 4);
	for (uint32_t i = 0; i < 4; i++) {
		const struct lt_stmt *s = LT_AT(struct lt_stmt, t->stmts, i);
		const struct lt_loop *l = s->reducing < 0 ? NULL : LT_AT(struct lt_loop, t->loops, s->reducing);
		cr_expect_eq(l == NULL, s->kind == LT_RESET);
		if (l)
			cr_expect_str_eq(l->var, s->kind == LT_REDUCE ? "k" : "k'", "%s", l->var);
		if (l)
			cr_expect_eq(l->max_trip_count, s->kind == LT_REDUCE ? 2 : 4);
		if (l && s->kind == LT_COMBINE)
			cr_expect_eq(l->kind_arg, 4, "the number of lanes");
	}
	const struct lt_loop *inner = LT_AT(struct lt_loop, t->loops, LT_AT(struct lt_stmt, t->stmts, 3)->loop);
	cr_expect_str_eq(inner->var, "k'''");
	cr_expect_eq(inner->max_trip_count, 2);
	lt_program_free(p);
	lt_graph_free(g);
	lt_context_free(ctx);
}

/* A combine reads what the graph has rounded: 2^24 + 1 is 2^24 in float32. */
Test(lanes, a_combine_reads_rounded_values)
{
	static const char graph[] = "graph 1\nvar m 2\nvar k 2\n%x = f32[m, k] input \"x\"\n"
		"%s = f32[m] add.reduce %x\n%t = f32[] add.reduce %s\nresult \"t\" = %t\n";
	static const char *const trees[] = { "m\n k\n  %s\nm vector\n %t\n", "m\n k\n  %s\nm\n %t\n" };
	const float x[4] = { 16777216, 1, -16777216, 0 };
	struct lt_context *ctx;
	struct lt_graph *g;
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt_graph_parse(ctx, graph, strlen(graph), "test", &g), LT_OK, "%s", lt_context_message(ctx));
	for (int i = 0; i < 2; i++) {
		struct lt_program *p;
		struct lt_instance *r;
		const struct lt_options options = { .size = sizeof options, .backends = "ref" };
		float t = 5;
		cr_assert_eq(tree_compile_marked((void *)(uintptr_t)trees[i], g, &options, &p), LT_OK, "%s", lt_context_message(ctx));
		cr_assert_eq(lt_instance_new(p, &r), LT_OK);
		cr_assert_eq(lt_instance_run(r, (const void *[]){ x }, (void *[]){ &t }), LT_OK, "%s", lt_instance_message(r));
		cr_expect_eq(t, 0, "%s: %g", trees[i], t);
		lt_instance_free(r);
		lt_program_free(p);
	}
	lt_graph_free(g);
	lt_context_free(ctx);
}

Test(lanes, block_loops_are_lanes_too)
{
	expect(SUM(64), "m\n k step 16\n  k block.x\n   %s\n", "s reset, s reset[16], s reduce[16], s combine[16]", "ref");
	expect(SUM(64), "m\n k step 32\n  k step 4 block.x\n   k vector\n    %s\n",
		"s reset, s reset[32], s reduce[32], s combine[32]", "ref");
	/* Each thread of 128 has few: 100 rows. */
	expect("graph 1\nvar m 100\nvar k 256\n%x = f32[m, k] input \"x\"\n%s = f32[m] add.reduce %x\nresult \"s\" = %s\n",
		"k step 128\n m\n  k block.x\n   %s\n", "s reset, s reset[12800], s reduce[12800], s combine[12800]", "ref");
}

Test(lanes, all_reductions_and_types)
{
	static const char *const of[][2] = { { "f32", "add" }, { "f32", "mul" }, { "f32", "max" }, { "f32", "min" },
		{ "f64", "add" }, { "f64", "max" }, { "i32", "add" }, { "i32", "mul" }, { "i32", "min" },
		{ "i64", "max" } };
	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		char graph[300];
		(void)snprintf(graph, sizeof graph,
			"graph 1\nvar m 3\nvar k 41\n%%x = %s[m, k] input \"x\"\n%%s = %s[m] %s.reduce %%x\nresult "
			"\"s\" = %%s\n",
			of[i][0], of[i][0], of[i][1]);
		expect(graph, "m\n k step 16  tail mask\n  k vector\n   %s\n",
			"s reset, s reset[16], s reduce[16], s combine[16]", BOTH);
	}
}

/* The extent of k is a run-time scalar, 0 among its values: no term, and the sums of all lanes are their identity. */
Test(lanes, of_a_run_time_extent)
{
	expect("graph 1\nvar m 3\nvar k 41 limit p\nvar one 1\nparam p = %pos[0] in 0..41\n%pos = i64[one] input "
	       "\"pos\"\n%x = f32[m, k] input \"x\"\n"
	       "%s = f32[m] max.reduce %x\n%z = f32[m] neg %s\nresult \"z\" = %z\n",
		"m\n k step 16  tail mask\n  k vector\n   %s\nm\n %z\n",
		"s reset, s reset[16], s reduce[16], s combine[16]", BOTH);
}

Test(lanes, two_reductions_share_their_loops)
{
	expect("graph 1\nvar m 3\nvar k 64\n%x = f32[m, k] input \"x\"\n%q = f32[m, k] mul %x, %x\n%s = f32[m] "
	       "add.reduce %x\n%t = f32[m] max.reduce %q\n"
	       "%z = f32[m] add %s, %t\nresult \"z\" = %z\n",
		"m\n k step 16\n  k vector\n   %q\n   %s\n   %t\n %z\n",
		"s reset, t reset, s reset[16], t reset[16], s reduce[16], t reduce[16], s combine[16], t combine[16]",
		BOTH);
}
