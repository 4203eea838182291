/* tests/test_lanes.c -- reductions over vector and block loops: what freezing makes of them, and that no two lanes of a
 * reduction meet. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "check/must.h"
#include "check/random_nest.h"
#include "check/random_steps.h"
#include "looptree/edit.h"
#include "looptree/schedule.h"
#include "program/program.h"
#include "tests/tree_marked.h"
#include "tests/tree_text.h"

TestSuite(lanes, .timeout = 300);

/* -- the numbers, and the statements -- */

static lt_status compile_marked(
	void *text, const struct lt_graph *g, const struct lt_options *options, struct lt_program **out)
{
	return tree_compile_by(tree_marked_try, text, g, options, out);
}

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
static void tell(const struct lt_tree *t, char *out, size_t bytes)
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
	cr_assert_eq(compile_marked((void *)(uintptr_t)tree, g, &options, &p), LT_OK, "%s\n%s", lt_context_message(ctx), tree);
	tell(&p->nests.frozen[0].tree, text, sizeof text);
	cr_expect_str_eq(text, want, "%s\n%s, not %s", tree, text, want);
	cr_expect_eq((p->nests.frozen[0].tree.needs & LT_NEED_COMBINE) != 0, strstr(want, "combine") != NULL);
	lt_program_free(p);
	for (const char *b = backends; *b; b += strcspn(b, " ") + (b[strcspn(b, " ")] == ' ')) {
		char name[16] = "", why[1000] = "";
		(void)snprintf(name, sizeof name, "%.*s", (int)strcspn(b, " "), b);
		struct run_config config = { .backends = name, .compile = compile_marked, .user = (void *)(uintptr_t)tree };
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
		cr_expect_eq(compile_marked((void *)(uintptr_t)trees[i], g, &options, &p), LT_EILLEGAL);
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
	cr_assert_eq(compile_marked((void *)(uintptr_t)tree, g, &options, &p), LT_OK, "%s", lt_context_message(ctx));
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
		cr_assert_eq(compile_marked((void *)(uintptr_t)trees[i], g, &options, &p), LT_OK, "%s", lt_context_message(ctx));
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

/* -- the rule, by enumeration -- */

struct met { int64_t time; int64_t lane; };
struct walk {
	const struct lt_tree *t;
	int64_t *column;
	struct met ***met;              /* by loop, by buffer, by element: which lane wrote it, when the loop last ran */
	int64_t *time;                  /* by loop: how often it has run */
	int64_t checked, combined;
	uint64_t seed;
	const char *steps;
};

static int64_t row(const struct walk *w, int32_t r)
{
	int64_t sum = 0;
	for (int32_t c = 0; c < w->t->n_column; c++)
		sum += w->t->rows[(int64_t)r * w->t->n_column + c] * w->column[c];
	return sum;
}

static void set_divs(struct walk *w)
{
	for (int32_t d = 0; d < w->t->n_div; d++) {
		const struct lt_div *div = LT_AT(struct lt_div, w->t->divs, d);
		int64_t *to = &w->column[1 + w->t->n_param + w->t->n_loop + d];
		*to = 0;
		int64_t sum = row(w, div->row);
		*to = sum >= 0 ? sum / div->den : -((-sum + div->den - 1) / div->den);
	}
}

static bool is_lane(const struct lt_loop *l) { return l->kind == LT_VECTOR || l->kind == LT_BLOCK; }

/* Whether each trip of loop l has a buffer of its own. */
static bool is_derived(const struct lt_tree *t, int32_t buffer, int32_t l)
{
	const struct lt_buffer *b = LT_AT(struct lt_buffer, t->buffers, buffer);
	int32_t at = b->role == LT_LOCAL ? b->scope : -1;
	while (at >= 0 && at != l)
		at = LT_AT(struct lt_loop, t->loops, at)->parent;
	return at >= 0;
}

static void check_stmt(struct walk *w, const struct lt_stmt *s)
{
	const struct lt_access *a = LT_AT(struct lt_access, w->t->accesses, s->dest);
	int64_t at = row(w, a->row);
	bool stands = false, lanes = false;
	for (int32_t k = 0; k < s->n_guard; k++)
		if (row(w, w->t->guards[s->first_guard + k]) < 0)
			return;
	must(at >= 0 && at < LT_AT(struct lt_buffer, w->t->buffers, a->buffer)->elems,
		"seed %d: %%%s writes element %lld", (int)w->seed, s->name, (long long)at);
	for (int32_t l = s->loop; l >= 0; l = LT_AT(struct lt_loop, w->t->loops, l)->parent) {
		if (!is_lane(LT_AT(struct lt_loop, w->t->loops, l)))
			continue;
		lanes = true;
		stands = stands || w->t->rows[(int64_t)a->row * w->t->n_column + 1 + w->t->n_param + l] == 0;
		if (s->kind != LT_REDUCE || is_derived(w->t, a->buffer, l))
			continue;
		struct met *m = &w->met[l][a->buffer][at];
		int64_t lane = w->column[1 + w->t->n_param + l];
		must(m->time != w->time[l] || m->lane == lane,
			"seed %d after `%s`: lanes %lld and %lld of %s meet in element %lld of %s, in a reduce of %%%s",
			(int)w->seed, w->steps, (long long)m->lane, (long long)lane,
			LT_AT(struct lt_loop, w->t->loops, l)->var, (long long)at,
			LT_AT(struct lt_buffer, w->t->buffers, a->buffer)->name, s->name);
		*m = (struct met){ w->time[l], lane };
		w->checked++;
	}
	if (s->kind == LT_COMBINE) {
		must(lanes && stands, "seed %d after `%s`: a combine of %%%s moves with all lanes", (int)w->seed, w->steps, s->name);
		w->combined++;
	}
}

static void run_loop(struct walk *w, int32_t loop, int32_t first, int32_t n)
{
	for (int32_t i = first; i < first + n;) {
		int32_t child = LT_AT(struct lt_stmt, w->t->stmts, i)->loop;
		if (child == loop) {
			check_stmt(w, LT_AT(struct lt_stmt, w->t->stmts, i++));
			continue;
		}
		while (LT_AT(struct lt_loop, w->t->loops, child)->parent != loop)
			child = LT_AT(struct lt_loop, w->t->loops, child)->parent;
		const struct lt_loop *l = LT_AT(struct lt_loop, w->t->loops, child);
		int64_t trip_count = l->max_trip_count;
		for (int32_t k = 0; k < l->n_bound; k++)
			trip_count = row(w, w->t->bounds[l->first_bound + k]) < trip_count
				? row(w, w->t->bounds[l->first_bound + k])
				: trip_count;
		w->time[child]++;
		for (int64_t trip = 0; trip < trip_count; trip++) {
			w->column[1 + w->t->n_param + child] = trip;
			set_divs(w);
			run_loop(w, child, l->first_stmt, l->n_stmt);
		}
		w->column[1 + w->t->n_param + child] = 0;
		set_divs(w);
		i = l->first_stmt + l->n_stmt;
	}
}

static void walk_tree(struct walk *w, uint64_t *rng)
{
	const struct lt_tree *t = w->t;
	w->column = calloc((size_t)t->n_column, sizeof *w->column);
	w->time = calloc((size_t)t->n_loop + 1, sizeof *w->time);
	w->met = calloc((size_t)t->n_loop + 1, sizeof *w->met);
	for (int32_t l = 0; l < t->n_loop; l++) {
		w->met[l] = calloc(t->buffers.n, sizeof **w->met);
		for (uint32_t b = 0; b < t->buffers.n && is_lane(LT_AT(struct lt_loop, t->loops, l)); b++)
			w->met[l][b] = calloc((size_t)LT_AT(struct lt_buffer, t->buffers, b)->elems, sizeof ***w->met);
	}
	w->column[0] = 1;
	for (int32_t k = 0; k < t->n_param; k++) {
		const struct lt_tparam *q = LT_AT(struct lt_tparam, t->params, k);
		w->column[1 + k] = random_between(rng, q->low, q->high);
	}
	set_divs(w);
	run_loop(w, -1, 0, (int32_t)t->stmts.n);
	for (int32_t l = 0; l < t->n_loop; l++) {
		for (uint32_t b = 0; b < t->buffers.n; b++)
			free(w->met[l][b]);
		free(w->met[l]);
	}
	free(w->met);
	free(w->time);
	free(w->column);
}

/* Legal steps, one after the other, often such as make lanes; the last tree is `*t`. */
static void draw_steps(const struct lt_looptree *first, uint64_t *rng, char *list, size_t bytes)
{
	const struct lt_looptree *t = first;
	struct lt_looptree *mine = NULL, *next;
	size_t n = 0;
	for (int i = 0; i < 30 && n < bytes / 2; i++) {
		char step[1000];
		int kind;
		lt_tnode loop = random_loop(t, rng);
		if (loop >= 0 && random_chance(rng, 40))
			(void)snprintf(step, sizeof step, "%s %.900s",
				random_chance(rng, 70)           ? "vectorize"
					: random_chance(rng, 50) ? "split"
								 : "bind",
				lt__loop_path(t, loop));
		else if (!random_step(t, rng, "call", &kind, step, sizeof step))
			continue;
		if (!strncmp(step, "split ", 6) || !strncmp(step, "bind ", 5))
			(void)snprintf(step + strlen(step), sizeof step - strlen(step),
				step[0] == 's' ? " %d" : " block.x", (int)random_between(rng, 2, 6));
		if (lt__schedule_steps(t, step, strlen(step), "s", 0, NULL, &next))
			continue;
		lt_looptree_free(mine);
		t = mine = next;
		n += (size_t)snprintf(list + n, bytes - n, "%s%s", n ? "; " : "", step);
	}
	lt_looptree_free(mine);
}

Test(lanes, those_of_a_reduction_never_meet)
{
	int64_t checked = 0, combined = 0;
	uint64_t first = must_number("LT_SEED", 1), n = must_number("LT_TREES", 400);
	fprintf(stderr, "lanes of reductions: seeds %d .. %d\n", (int)first, (int)(first + n - 1));
	for (uint64_t seed = first; seed < first + n; seed++) {
		struct lt_context *ctx;
		struct random_graph r;
		struct lt_program *p;
		uint64_t rng = seed * 6151 + 1;
		char text[4000], steps[6000] = "";
		cr_assert_eq(lt_context_new(&ctx), LT_OK);
		random_nest_new(ctx, seed, 9, &r, text, sizeof text);
		struct lt_options o = { .size = sizeof o, .backends = "ref", .no_passes = 1, .plan_only = 1 };
		cr_assert_eq(lt_compile(ctx, r.g, &o, &p), LT_OK, "%s", lt_context_message(ctx));
		draw_steps(p->tree, &rng, steps, sizeof steps);
		lt_program_free(p);
		o.apply = steps;
		if (lt_compile(ctx, r.g, &o, &p) == LT_OK) {    /* a tail that cannot be had is reported when the tree is frozen */
			for (int32_t i = 0; i < p->nests.n; i++) {
				struct walk w = { .t = &p->nests.frozen[i].tree, .seed = seed, .steps = steps };
				walk_tree(&w, &rng);
				checked += w.checked;
				combined += w.combined;
			}
			lt_program_free(p);
		}
		random_graph_free(&r);
		lt_context_free(ctx);
	}
	fprintf(stderr, "%lld reductions in lanes, %lld combines\n", (long long)checked, (long long)combined);
	cr_expect(n < 400 || (checked > 10000 && combined > 1000));
}
