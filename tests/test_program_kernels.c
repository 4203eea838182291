/* test_program_kernels.c -- the kernels of a program by number, programs of trees, runs that are cancelled, and where
 * what is bound lies. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "lt/lt.h"
#include "tests/parsed.h"
#include "tests/run_graph.h"

TestSuite(program_kernels, .timeout = 120);

/* Two equal products, what depends on the constant alone, and a sum of both. */
#define TWICE \
	"graph 1\nvar m 5\nvar k 7\nvar n 3\nvar n2 3\n%x = f32[m, k] input \"x\"\n%w = f32[k, n] constant \"w\"\n" \
	"%v = f32[k, n2] constant \"v\"\n%p = f32[m, k, n] mul %x, %w\n%y = f32[m, n] add.reduce %p\n" \
	"%q = f32[m, k, n2] mul %x, %v\n%z = f32[m, n2] add.reduce %q\nresult \"y\" = %y\nresult \"z\" = %z\n"

static void keep(void *user, const char *text, size_t bytes)
{
	char *to = user;
	const size_t n = strlen(to);
	cr_assert_lt(n + bytes, 100000);
	memcpy(to + n, text, bytes);
	to[n + bytes] = '\0';
}

static void keep_explained(void *user, const struct lt_explained *e) { lt_explained_print(e, keep, user); }

/* By number they are what the option's function was told, in its order; each node that computes is in one of them. */
Test(program_kernels, explained_by_number)
{
	static const char *const backends[] = { "ref", "cpu", "cpu:O1,ref" };
	static const char *const node[] = { "p", "y", "q", "z" };
	for (size_t b = 0; b < 3; b++) {
		static char told[100000], asked[100000];
		struct lt_graph *g = parsed(TWICE);
		told[0] = asked[0] = '\0';
		struct lt_program *p = compiled_with(g, (struct lt_options){ .backends = backends[b], .explain = keep_explained,
			.user = told });
		int count[4] = { 0 }, same = 0;
		const struct lt_explained *e, *again;
		for (int32_t i = 0; i < lt_program_kernels(p); i++) {
			cr_assert_eq(lt_program_explained(p, i, &e), LT_OK);
			cr_assert(lt_program_explained(p, i, &again) == LT_OK && again == e);
			lt_explained_print(e, keep, asked);
			same += e->same_as != NULL;
			for (uint32_t k = 0; k < e->n_node; k++)
				for (int n = 0; n < 4; n++)
					count[n] += !strcmp(e->node[k].name, node[n]) && !e->node[k].derived;
			cr_assert_eq(lt_looptree_parent(lt_program_tree(p), e->root), -1);
		}
		cr_assert_str_eq(asked, told);
		cr_assert_eq(same, 1, "%s", told);
		for (int n = 0; n < 4; n++)
			cr_assert_eq(count[n], 1, "%s: %s", backends[b], node[n]);
		expect_message(g, lt_program_explained(p, lt_program_kernels(p), &e), LT_EINVAL, "there is no kernel");
		expect_message(g, lt_program_explained(p, -1, &e), LT_EINVAL, "there is no kernel -1");
		cr_assert_null(e);
		lt_program_free(p);
		parsed_free(g);
	}
}

/* What is shown of one is a part of what is shown of all. */
Test(program_kernels, shown_by_number)
{
	static const enum lt_dump_kind kinds[] = { LT_SHOW_ACCESS, LT_SHOW_FROZEN, LT_SHOW_KERNEL, LT_SHOW_STATS,
		LT_SHOW_ASM };
	static char all[100000], one[100000];
	struct lt_graph *g = parsed(TWICE);
	struct lt_program *p = compiled(g, "cpu");
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		all[0] = '\0';
		cr_assert_eq(lt_program_dump(p, kinds[k], keep, all), LT_OK, "%s", lt_context_message(g->ctx));
		one[0] = '\0';
		cr_assert_eq(lt_program_kernel_dump(p, 0, kinds[k], keep, one), LT_OK, "%s", lt_context_message(g->ctx));
		cr_assert(one[0] && strstr(all, one), "%s", one);
	}
	/* The second runs the code of the first, whose source is whole by itself. */
	all[0] = one[0] = '\0';
	cr_assert_eq(lt_program_kernel_dump(p, 0, LT_SHOW_SOURCE, keep, all), LT_OK);
	cr_assert_eq(lt_program_kernel_dump(p, 1, LT_SHOW_SOURCE, keep, one), LT_OK);
	cr_assert(strstr(all, "/* kernel ") && !strcmp(all, one));
	FILE *c = popen("${CC:-cc} -std=gnu11 -fsyntax-only -w -xc -", "w");
	cr_assert(c && fputs(all, c) >= 0 && pclose(c) == 0);
	expect_message(g, lt_program_kernel_dump(p, 9, LT_SHOW_SOURCE, keep, one), LT_EINVAL, "kernel 9");
	expect_message(g, lt_program_kernel_dump(p, 0, LT_SHOW_PLAN, keep, one), LT_EINVAL, "no dump of kind");
	lt_program_free(p);
	p = compiled_with(g, (struct lt_options){ .backends = "cpu", .plan_only = 1 });
	expect_message(g, lt_program_kernel_dump(p, 0, LT_SHOW_SOURCE, keep, one), LT_EINVAL, "plan_only");
	cr_assert_eq(lt_program_kernel_dump(p, 0, LT_SHOW_FROZEN, keep, one), LT_OK);
	lt_program_free(p);
	p = compiled(g, "ref");
	expect_message(g, lt_program_kernel_dump(p, 0, LT_SHOW_ASM, keep, one), LT_EUNSUPPORTED, "backend ref");
	lt_program_free(p);
	parsed_free(g);
}

static void tree_of(const struct lt_program *p, char *out)
{
	out[0] = '\0';
	cr_assert_eq(lt_program_dump(p, LT_SHOW_TREE, keep, out), LT_OK);
}

/* x w by hand, of what is bound. */
static void expect_products(struct lt_program *p)
{
	float x[5][7], w[7][3], v[7][3], y[5][3], z[5][3];
	for (int i = 0; i < 35; i++)
		x[i / 7][i % 7] = (float)(i % 9 - 4);
	for (int i = 0; i < 21; i++)
		w[i / 3][i % 3] = (float)(i % 5 - 2), v[i / 3][i % 3] = (float)(3 - i % 7);
	cr_assert_eq(lt_program_bind(p, 0, w, 1), LT_OK);
	cr_assert_eq(lt_program_bind(p, 1, v, 1), LT_OK);
	struct lt_instance *r = instance_of(p);
	cr_assert_eq(lt_instance_run(r, (const void *[]){ x }, (void *[]){ y, z }), LT_OK, "%s", lt_instance_message(r));
	for (int i = 0; i < 5; i++)
		for (int j = 0; j < 3; j++) {
			float a = 0, b = 0;
			for (int k = 0; k < 7; k++)
				a += x[i][k] * w[k][j], b += x[i][k] * v[k][j];
			cr_assert(y[i][j] == a && z[i][j] == b);
		}
	lt_instance_free(r);
}

/* A program's tree makes the same program; one with a step more is what the step says. */
Test(program_kernels, programs_of_trees)
{
	static const char *const backends[] = { "ref", "cpu" };
	static char before[100000], after[100000];
	for (size_t b = 0; b < 2; b++) {
		struct lt_graph *g = parsed(TWICE), *other = parsed_in(g->ctx, "graph 1\nvar m 5\n%x = f32[m] input \"x\"\n"
			"%y = f32[m] neg %x\nresult \"y\" = %y\n");
		struct lt_program *p = compiled(g, backends[b]), *q;
		struct lt_options o = { .size = sizeof o, .backends = backends[b] };
		tree_of(p, before);
		cr_assert_eq(lt_compile_tree(g->ctx, g, lt_program_tree(p), &o, &q), LT_OK, "%s", lt_context_message(g->ctx));
		tree_of(q, after);
		cr_assert_str_eq(before, after);
		expect_products(q);
		lt_program_free(q);
		if (b == 0) {
			o.apply = "split %y/n 2";
			cr_assert_eq(lt_compile_tree(g->ctx, g, lt_program_tree(p), &o, &q), LT_OK, "%s", lt_context_message(g->ctx));
			tree_of(q, after);
			cr_assert(strstr(after, "for n step 2") && !strstr(before, "step 2"), "%s", after);
			expect_products(q);
			lt_program_free(q);
			o.apply = NULL;
		}
		expect_message(g, lt_compile_tree(g->ctx, other, lt_program_tree(p), &o, &q), LT_EILLEGAL,
			"this tree is of another graph");
		cr_assert_null(q);
		o.schedule = before;
		expect_message(g, lt_compile_tree(g->ctx, g, lt_program_tree(p), &o, &q), LT_EINVAL, "leave one of them out");
		cr_assert_eq(lt_looptree_graph(lt_program_tree(p)) != NULL, 1);
		/* A step at a time, each a tree; and a tree of the public header over the program's graph, without options. */
		struct lt_looptree *t;
		o.schedule = NULL;
		static const char step[] = "parallel %p/m";
		if (b == 0) {
			cr_assert_eq(lt_looptree_apply(lt_program_tree(p), step, strlen(step), NULL, 0, NULL, &t, NULL), LT_OK, "%s",
				lt_context_message(g->ctx));
			cr_assert_eq(lt_compile_tree(g->ctx, g, t, &o, &q), LT_OK, "%s", lt_context_message(g->ctx));
			tree_of(q, after);
			cr_assert(strstr(after, "for m parallel") && !strstr(before, "parallel"), "%s", after);
			expect_products(q);
			lt_program_free(q);
			lt_looptree_free(t);
		}
		cr_assert_eq(lt_looptree_auto(lt_program_graph(p), NULL, &t), LT_OK);
		cr_assert_eq(lt_compile_tree(g->ctx, g, t, NULL, &q), LT_OK, "%s", lt_context_message(g->ctx));
		expect_products(q);
		lt_program_free(q);
		lt_looptree_free(t);
		lt_program_free(p);
		lt_graph_free(other);
		parsed_free(g);
	}
}

struct asked { int n, stop; };
static int ask(void *user)
{
	struct asked *a = user;
	return ++a->n >= a->stop;
}

/* Asked between kernels, of recorded runs too; what was cancelled can run again. */
Test(program_kernels, a_run_is_cancelled)
{
	static const char *const backends[] = { "ref", "cpu" };
	const struct timespec pause = { .tv_nsec = 25000000 };
	for (size_t b = 0; b < 2; b++) {
		struct lt_graph *g = parsed(TWICE);
		struct lt_program *p = compiled(g, backends[b]);
		struct asked asked = { .stop = 1000 };
		static float x[35], w[21], y[15], z[15];
		const void *const in[] = { x };
		void *const out[] = { y, z };
		cr_assert(lt_program_bind(p, 0, w, 1) == LT_OK && lt_program_bind(p, 1, w, 1) == LT_OK);
		struct lt_instance *r = instance_of(p);
		lt_instance_cancel(r, ask, &asked);
		for (int run = 0; run < 5; run++) {
			cr_assert_eq(lt_instance_run(r, in, out), LT_OK);
			nanosleep(&pause, NULL);
		}
		cr_assert(asked.n >= 5 && asked.n < 1000, "%d", asked.n);
		asked.stop = 0;
		cr_assert(lt_instance_run(r, in, out) == LT_ECANCELLED && lt_instance_code(r) == LT_ECANCELLED);
		cr_assert_str_eq(lt_instance_message(r), "the run was cancelled");
		lt_instance_cancel(r, NULL, NULL);
		cr_assert_eq(lt_instance_run(r, in, out), LT_OK);
		lt_instance_free(r);
		lt_program_free(p);
		parsed_free(g);
	}
}

/* How long an axis is may differ from run to run; how it is aligned is what its type asks for. */
Test(program_kernels, where_bindings_lie)
{
	struct lt_graph *g = parsed("graph 1\nvar i 5\nvar t 13 limit 0 + 1*p\nvar one 1\nparam p = %pos[0] in 0..13\n"
		"%pos = i64[one] input \"pos\"\n%x = f16[i, t] input \"x\"\n%c = f64[i] constant \"c\"\n%a = f16[i, t] copy %x\n"
		"%d = f64[i] neg %c\nresult \"a\" = %a\nresult \"d\" = %d\n");
	struct lt_program *p = compiled(g, "ref");
	static const struct { enum lt_binding kind; int32_t i, axis; int open; size_t align; } rows[] = {
		{ LT_BINDING_INPUT, 0, 0, 0, 8 }, { LT_BINDING_INPUT, 1, 0, 0, 2 }, { LT_BINDING_INPUT, 1, 1, 1, 2 },
		{ LT_BINDING_INPUT, 1, 2, 0, 2 }, { LT_BINDING_INPUT, 2, 0, 0, 0 }, { LT_BINDING_INPUT, -1, 0, 0, 0 },
		{ LT_BINDING_CONSTANT, 0, 0, 0, 8 }, { LT_BINDING_RESULT, 0, 1, 1, 2 }, { LT_BINDING_RESULT, 1, 0, 0, 8 },
		{ LT_BINDING_STATE, 0, 0, 0, 0 },
	};
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		cr_assert_eq(lt_program_is_open(p, rows[k].kind, rows[k].i, rows[k].axis), rows[k].open, "%zu", k);
		cr_assert_eq(lt_program_align(p, rows[k].kind, rows[k].i), rows[k].align, "%zu", k);
		cr_assert_null(lt_program_device(p, rows[k].kind, rows[k].i));
	}
	lt_program_free(p);
	parsed_free(g);
}

/* What is asked of a program, with the n-th allocation failing: LT_ENOMEM, nothing lost, and right when asked again. */
static lt_status ask_all(struct lt_graph *g, struct lt_program *p, struct lt_instance *r, char *text)
{
	static float x[35], y[15], z[15];
	const void *const in[] = { x };
	void *const out[] = { y, z };
	const struct lt_run run = { .size = sizeof run, .input = in, .result = out };
	const struct lt_time_options three = { .size = sizeof three, .n_sample = 3 };
	const struct lt_options o = { .size = sizeof o, .backends = "ref", .n_thread = 1 };
	const struct lt_verify_options one = { .size = sizeof one, .n_thread = 1 };
	struct lt_verifier *v = NULL;
	struct lt_timing *t = NULL;
	struct lt_program *q = NULL;
	struct lt_backend_facts *f = NULL;
	const struct lt_explained *e;
	text[0] = '\0';
	lt_status st = lt_program_explained(p, 0, &e);
	st = st ? st : lt_program_kernel_dump(p, 0, LT_SHOW_ACCESS, keep, text);
	st = st ? st : lt_verifier_new(g, p, NULL, &one, &v);
	st = st ? st : lt_verifier_run(v, r, in, out);
	st = st ? st : lt_instance_time(r, &run, &three, &t);
	st = st ? st : lt_compile_tree(g->ctx, g, lt_program_tree(p), &o, &q);
	st = st ? st : lt_backend_ask(g->ctx, "ref", NULL, &f);
	cr_assert(st || (lt_verifier_report(v)->verdict == LT_VERDICT_PASSED && t->n_sample == 3 && f->score == 1
		&& e->n_node));
	lt_backend_facts_free(f);
	lt_program_free(q);
	lt_timing_free(t);
	lt_verifier_free(v);
	return st;
}

Test(program_kernels, every_allocation_may_fail)
{
	static char text[100000];
	static float w[21];
	bool more = true;
	int64_t n = 0;
	for (; more; n += n < 40 ? 1 : 7) {
		struct run_counter counter;
		struct lt_context *ctx;
		cr_assert_eq(run_context(&counter, &ctx), LT_OK);
		struct lt_graph *g = parsed_in(ctx, TWICE);
		struct lt_program *p = compiled_with(g, (struct lt_options){ .backends = "ref", .n_thread = 1 });
		cr_assert(lt_program_bind(p, 0, w, 1) == LT_OK && lt_program_bind(p, 1, w, 1) == LT_OK);
		struct lt_instance *r = instance_of(p);
		counter.fail_at = counter.calls + n;
		const lt_status st = n ? ask_all(g, p, r, text) : LT_ENOMEM;
		cr_assert(!st || st == LT_ENOMEM, "allocation %lld: %s", (long long)n, lt_context_message(ctx));
		more = st != LT_OK;
		counter.fail_at = 0;
		cr_assert_eq(ask_all(g, p, r, text), LT_OK, "%s", lt_context_message(ctx));
		lt_instance_free(r);
		lt_program_free(p);
		lt_graph_free(g);
		lt_context_free(ctx);
		cr_assert_eq(counter.bytes, 0, "allocation %lld: %lld bytes", (long long)n, (long long)counter.bytes);
	}
	cr_assert(n > 20 && strstr(text, "reads"), "%lld", (long long)n);
}
