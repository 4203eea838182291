/* test_product_threads.c -- that threads change no bit of a product, and what many products take. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "looptree/derive/derive.h"
#include "program/run/run.h"
#include "tests/product_graphs.h"
#include "tests/run_graph.h"

TestSuite(product_threads, .timeout = 240);

/* The partial sums of the tree: how the order of additions depends on blocks. */
static char *partials(const struct lt_looptree *t)
{
	struct run_text out = { NULL, 0 };
	char line[128];
	run_text_add(&out, "", 0);
	for (int32_t i = 0; t->derived && i < t->derived->n_step; i++) {
		const struct lt_derived_step *s = &t->derived->step[i];
		if (s->kind != LT_DERIVED_PARTIAL)
			continue;
		snprintf(line, sizeof line, "%s %s %lld %lld\n", s->of, s->var, (long long)s->step, (long long)s->span);
		run_text_add(&out, line, strlen(line));
	}
	return out.at;
}

Test(product_threads, the_number_of_threads_changes_no_partial_sum)
{
	static const char *const graphs[] = { VARS(64, 6000, 64) PLAIN END(c), VARS(4, 1024, 4096) PLAIN END(c),
		VARS(512, 512, 1000) PLAIN END(c), ROW(288, 288), ROW(768, 288), ROW(4096, 2048), ROW(300, 8192),
		VARS(2, 3000, 500) "%a = f32[m, k] input \"a\"\n%b = f32[n, k] input \"b\"\n%p = f32[m, n, k] mul %a, "
				   "%b\n%c = f32[m, n] add.reduce %p\n" END(c) };
	const size_t n = sizeof graphs / sizeof *graphs;
	for (size_t k = 0; k < 2 * n; k++) {
		const size_t i = k / 2;
		struct lt_target one = machine;
		one.l3_bytes = k % 2 ? 64 << 10 : one.l3_bytes;         /* constants are packed, or read where they lie */
		struct lt_target two = one, many = one;
		one.cores = 1;
		many.cores = 64;
		struct made a = make(graphs[i], &one), b = make(graphs[i], &two), c = make(graphs[i], &many);
		char *x = partials(a.t), *y = partials(b.t), *z = partials(c.t);
		cr_assert(!strcmp(x ? x : "", y ? y : "") && !strcmp(x ? x : "", z ? z : ""), "graph %zu: %s | %s | %s", i, x, y, z);
		free(x);
		free(y);
		free(z);
		drop(&a);
		drop(&b);
		drop(&c);
	}
}

/* Runs on the machine's compiler with so many threads; the result's bytes. */
static float *run(const char *text, uint32_t n_thread, int64_t elems)
{
	struct lt_context *ctx;
	struct lt_graph *g;
	struct lt_program *p;
	struct lt_instance *r;
	must(!lt_context_new(&ctx) && !lt_graph_parse(ctx, text, strlen(text), "test", &g), "%s", text);
	struct lt_options o = { .size = sizeof o, .backends = "cpu", .n_thread = n_thread };
	must(!lt_compile(ctx, g, &o, &p), "%s", lt_context_message(ctx));
	must(!lt_instance_new(p, &r), "%s", lt_instance_message(r));
	float *data[2], *y = malloc(sizeof *y * (size_t)elems);
	int n = 0;
	for (lt_node x = 0; x < g->n_node; x++)
		if (g->node[x].op == LT_OP_input) {
			int64_t count = lt__node_elems(g, x);
			uint64_t rng = 99 + (uint64_t)n;
			data[n] = malloc(sizeof *y * (size_t)count);
			for (int64_t i = 0; i < count; i++) {
				rng = rng * UINT64_C(6364136223846793005) + 1;
				data[n][i] = (float)((double)(rng >> 40) / (1 << 24) - 0.5);
			}
			n++;
		}
	must(!lt_instance_run(r, (const void *const *)data, (void *const[]){ y }), "%s", lt_instance_message(r));
	lt_instance_free(r);
	lt_program_free(p);
	lt_graph_free(g);
	lt_context_free(ctx);
	while (n-- > 0)
		free(data[n]);
	return y;
}

Test(product_threads, one_and_two_threads_give_the_same_bits)
{
	static const struct { const char *graph; int64_t elems;
	} cases[] = { { ROW_OF("input", 3001, 300), 300 },
		{ VARS(100, 3000, 130) PLAIN END(c), 100 * 130 }, { VARS(4, 512, 2050) PLAIN END(c), 4 * 2050 },
		{ VARS(3, 2000, 300) "%a = f32[m, k] input \"a\"\n%b = f32[n, k] input \"b\"\n%p = f32[m, n, k] mul "
				     "%a, %b\n%c = f32[m, n] add.reduce %p\n" END(c),
			3 * 300 } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		float *one = run(cases[i].graph, 1, cases[i].elems), *two = run(cases[i].graph, 2, cases[i].elems);
		cr_assert(!memcmp(one, two, sizeof *one * (size_t)cases[i].elems), "case %zu", i);
		free(one);
		free(two);
	}
}

/* A graph of n products, each with a constant of its own. */
static double seconds_for(int n)
{
	struct lt_context *ctx;
	struct lt_graph *g;
	struct lt_looptree *t;
	struct timespec from, to;
	must(!lt_context_new(&ctx) && !lt_graph_new(ctx, &g), "no context");
	lt_var m = lt_graph_var(g, "m", 20), k = lt_graph_var(g, "k", 32);
	lt_node x = lt_graph_input(g, "x", LT_F32, 2, (lt_var[]){ m, k });
	for (int i = 0; i < n; i++) {
		char name[16];
		snprintf(name, sizeof name, "w%d", i);
		lt_var next = lt_graph_var(g, "k", 32);
		lt_node w = lt_graph_constant(g, name, LT_F32, 2, (lt_var[]){ k, next });
		x = lt_graph_binary(g, "max", lt_graph_contract(g, x, w, 1, &k), lt_graph_literal(g, LT_F32, 0));
		k = next;
	}
	must(!lt_graph_result(g, "y", x), "%s", lt_context_message(ctx));
	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	must(!lt_looptree_auto(g, &machine, &t), "%s", lt_context_message(ctx));
	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	lt_looptree_free(t);
	lt_graph_free(g);
	lt_context_free(ctx);
	return (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
}

Test(product_threads, many_products_take_time_in_proportion)
{
	double few = 1e9, many = 1e9;
	for (int try = 0; try < 5 && !(many < 30 * few + 0.5); try++) {
		few = fmin(few, seconds_for(100));
		many = fmin(many, seconds_for(800));
	}
	cr_assert_lt(many, 30 * few + 0.5, "100 products: %g s, 800: %g s", few, many);
}
