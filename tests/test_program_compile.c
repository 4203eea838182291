/* test_program_compile.c -- compiling programs: long chains, equal dumps, counts, backends by name, memory that
 * runs out. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "check/random/random.h"
#include "program/run/run.h"
#include "tests/every_allocation.h"
#include "tests/parsed.h"
#include "tests/run_graph.h"

TestSuite(program_compile, .timeout = 240);

/* A chain with a reduction every ten nodes, so that not all of it folds into one expression. */
static int64_t chain_peak(int n, double *seconds)
{
	struct run_counter counter;
	struct lt_context *ctx;
	struct lt_graph *g;
	struct lt_program *p;
	struct lt_instance *r;
	struct timespec begin, end;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
	cr_assert_eq(run_context(&counter, &ctx), LT_OK);
	cr_assert_eq(lt_graph_new(ctx, &g), LT_OK);
	lt_var m = lt_graph_var(g, "m", 4);
	lt_node x = lt_graph_input(g, "x", LT_F32, 1, &m), y = x;
	for (int i = 0; i < n; i++)
		y = i % 10 == 9 ? lt_graph_binary(g, "max", x, lt_graph_reduce(g, "min", y, 1, &m))
				: lt_graph_unary(g, i % 3 ? "neg" : "abs", y);
	cr_assert_eq(lt_graph_result(g, "y", y), LT_OK);
	cr_assert_eq(
		lt_compile(ctx, g, &(struct lt_options){ .size = sizeof(struct lt_options), .backends = "ref" }, &p),
		LT_OK, "%s", lt_context_message(ctx));
	cr_assert_eq(lt_instance_new(p, &r), LT_OK);
	const float data[4] = { 1, -2, 3, -4 };
	float got[4], want[4];
	cr_assert_eq(lt_instance_run(r, (const void *const[]){ data }, (void *const[]){ got }), LT_OK);
	memcpy(want, data, sizeof want);
	for (int i = 0; i < n; i++) {
		float min = want[0];
		for (int k = 1; k < 4; k++)
			min = want[k] < min ? want[k] : min;
		for (int k = 0; k < 4; k++)
			want[k] = i % 10 == 9 ? (data[k] > min ? data[k] : min) : i % 3 ? -want[k] : want[k] < 0 ? -want[k] : want[k];
	}
	for (int k = 0; k < 4; k++)
		cr_assert_eq(got[k], want[k]);
	lt_instance_free(r);
	lt_program_free(p);
	lt_graph_free(g);
	lt_context_free(ctx);
	cr_assert_eq(counter.bytes, 0, "%lld bytes are not given back", (long long)counter.bytes);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
	*seconds = (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
	return counter.peak;
}

Test(program_compile, a_chain_of_100000_nodes)
{
	double half_time, time;
	int64_t half = chain_peak(50000, &half_time), all = chain_peak(100000, &time);
	fprintf(stderr, "50,000 nodes: %.2f s, %.1f MB; 100,000 nodes: %.2f s, %.1f MB\n", half_time,
		1e-6 * (double)half, time, 1e-6 * (double)all);
	cr_assert_lt(all, half * 23 / 10, "memory is linear");
	cr_assert_lt(time, 60);
}

/* Everything that a program shows, but the source of compiled kernels. */
static void dump_all(const struct lt_program *p, struct run_text *out)
{
	static const enum lt_dump_kind kind[] = { LT_SHOW_GRAPH, LT_SHOW_TREE, LT_SHOW_ACCESS, LT_SHOW_FROZEN,
		LT_SHOW_PLAN, LT_SHOW_EXPLAIN };
	for (size_t i = 0; i < sizeof kind / sizeof *kind; i++)
		cr_assert_eq(lt_program_dump(p, kind[i], run_text_add, out), LT_OK);
}

Test(program_compile, dumps_of_two_compilations_are_byte_equal)
{
	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct run_text text[2] = { { NULL, 0 }, { NULL, 0 } };
		for (int i = 0; i < 2; i++) {
			struct lt_context *ctx;
			struct random_graph r;
			void *disturb = malloc(1000 * seed + 77 * (uint64_t)i);
			cr_assert_eq(lt_context_new(&ctx), LT_OK);
			random_graph_new(ctx, seed, &(struct random_options){ .n_node = 30, .views = true, .params = true, .states = true,
				.composites = true }, &r);
			struct lt_program *p = compiled_with(
				r.g, (struct lt_options){ .backends = "ref", .no_passes = seed % 3 == 0 });
			dump_all(p, &text[i]);
			lt_program_free(p);
			random_graph_free(&r);
			lt_context_free(ctx);
			free(disturb);
		}
		cr_assert(text[0].n == text[1].n && !memcmp(text[0].at, text[1].at, text[0].n), "seed %d", (int)seed);
		run_text_free(&text[0]);
		run_text_free(&text[1]);
	}
}

/* Arithmetic of a run is what the graph says, whatever the lanes: their sums, which become one after the loop, are
 * counted already. */
Test(program_compile, lanes_do_not_count_twice)
{
	static const char graph[] = "graph 1\nvar m 5\nvar k 96\n%x = f32[m, k] input \"x\"\n%s = f32[m] add.reduce "
				    "%x\nresult \"s\" = %s\n";
	static const char *const applied[] = { NULL, "vectorize k", "split k 16; vectorize k'",
		"split k 48; split k' 16; unroll k'; vectorize k''" };
	struct lt_graph *g = parsed(graph);
	int lanes = 0;
	for (size_t i = 0; i < sizeof applied / sizeof *applied; i++) {
		const struct lt_options o = { .size = sizeof o, .backends = "ref", .apply = applied[i] };
		struct lt_program *p;
		struct lt_stats st = { .size = sizeof st };
		cr_assert_eq(lt_compile(g->ctx, g, &o, &p), LT_OK, "%s", lt_context_message(g->ctx));
		lt_program_stats(p, &st);
		cr_expect_eq(st.flops, 5 * 96, "%s: %lld", applied[i] ? applied[i] : "as it is", (long long)st.flops);
		const struct lt_tree *t = &p->nests.frozen[0].tree;
		bool reduces = false, combines = false;
		for (uint32_t s = 0; s < t->stmts.n; s++) {
			reduces = reduces || LT_AT(struct lt_stmt, t->stmts, s)->kind == LT_REDUCE;
			combines = combines || LT_AT(struct lt_stmt, t->stmts, s)->kind == LT_COMBINE;
		}
		lanes += reduces && combines;
		lt_program_free(p);
	}
	cr_expect_geq(lanes, 2);
	parsed_free(g);
}

/* The n-th allocation fails, for every n: an error, no leak, no crash. */
Test(program_compile, every_allocation_may_fail)
{
	static const char text[] = "graph 1\nvar m 3\nvar k 4\n%x = f32[m, k] input \"x\"\n%c = f32[k] constant "
				   "\"c\"\n%n = f32[k] neg %c\n%s = f32[m] state \"s\"\n"
				   "%p = f32[m, k] mul %x, %n\n%y = f32[m] add.reduce %p\n%u = f32[m] add %s, "
				   "%y\nresult \"y\" = %y\nresult \"c\" = %c\nset %s = %u\n";
	const float x[12] = { 1 }, c[4] = { 2 };
	float y[3], d[4];
	const struct every_allocation e = { .text = text,
		.options = &(struct lt_options){ .size = sizeof(struct lt_options), .backends = "ref" },
		.n_run = 1,
		.constant = c,
		.input = (const void *const[]){ x },
		.result = (void *const[]){ y, d } };
	for (int64_t n = 1; !every_allocation_try(&e, n); n++)
		;
}

Test(program_compile, backends_are_asked_for_by_name)
{
	struct lt_graph *g = parsed("graph 1\nvar m 3\n%x = f32[m] input \"x\"\n%y = f32[m] neg %x\nresult \"y\" = %y\n");
	struct lt_program *p;
	struct lt_options o = { .size = sizeof o, .backends = "nosuch" };
	expect_message(g, lt_compile(g->ctx, g, &o, &p), LT_EINVAL, "there is no backend 'nosuch'; there is: ");
	cr_assert(strstr(lt_context_message(g->ctx), "cpu") && strstr(lt_context_message(g->ctx), "ref"));
	cr_assert_null(p);
	o.backends = "ref,nosuch";
	expect_message(g, lt_compile(g->ctx, g, &o, &p), LT_EINVAL, "there is no backend 'nosuch'");
	parsed_free(g);
	g = parsed("graph 1\nvar m 3\n%x = f32[m] input \"x\"\n");
	expect_message(g, lt_compile(g->ctx, g, NULL, &p), LT_EINVAL, "the graph has no result");
	parsed_free(g);
}
