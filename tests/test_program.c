/* test_program.c -- what compiling makes: shared kernels, work on constants, the memory plan, updates in place,
 * results written through. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "program/run/run.h"
#include "tests/parsed.h"
#include "tests/tree_text.h"

TestSuite(program, .timeout = 120);

/* Three runs on `ref` and `cpu` against the oracle. */
static void expect_right(struct lt_graph *g)
{
	static const struct run_config configs[] = { { .backends = "ref" }, { .backends = "ref", .no_passes = true },
		{ .backends = "cpu" } };
	struct run_tally tally = { 0 };
	struct run_want want;
	char why[800];
	run_want_new(g, 3, tree_fill, g, &want);
	cr_assert_eq(want.status, LT_OK, "%s", want.message);
	for (int i = 0; i < 3; i++)
		cr_assert(run_compare(&want, g, &configs[i], NULL, NULL, &tally, why, sizeof why), "%s", why);
	run_want_free(&want);
}

static struct lt_stats stats_of(const struct lt_program *p)
{
	struct lt_stats s = { .size = sizeof s };
	lt_program_stats(p, &s);
	return s;
}

/* `ref` under another name, with its launches counted. */
static int n_run;
static struct lt_backend counted;
static lt_status count_run(struct lt_object *o, const struct lt_args *a, struct lt_diag *d)
{
	n_run++;
	return lt_backend_find("ref")->run(o, a, d);
}

static void open_counted(void)
{
	counted = *lt_backend_find("ref");
	counted.name = "counted";
	counted.run = count_run;
	n_run = 0;
	cr_assert_eq(lt_backend_register(&counted, NULL), LT_OK);
}

Test(program, equal_nests_are_compiled_once)
{
	static char text[8000];
	size_t n = (size_t)snprintf(text, sizeof text, "graph 1\nvar n0 12\n");
	for (int i = 1; i <= 6; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, "var n%d 12\n", i);
	n += (size_t)snprintf(text + n, sizeof text - n, "%%y0 = f32[n0] input \"x\"\n%%zero = f32[] lit 0.0\n");
	for (int i = 1; i <= 6; i++)
		n += (size_t)snprintf(text + n, sizeof text - n,
			"%%w%d = f32[n%d, n%d] input \"w%d\"\n%%b%d = f32[n%d] input \"b%d\"\n"
			"%%p%d = f32[n%d, n%d] mul %%w%d, %%y%d\n%%c%d = f32[n%d] add.reduce %%p%d\n%%d%d = f32[n%d] "
			"add %%c%d, %%b%d\n"
			"%%y%d = f32[n%d] max %%d%d, %%zero\n",
			i, i, i - 1, i, i, i, i, i, i, i - 1, i, i - 1, i, i, i, i, i, i, i, i, i, i);
	snprintf(text + n, sizeof text - n, "result \"y\" = %%y6\n");
	struct lt_graph *g = parsed(text);
	struct lt_program *p = compiled(g, "ref");
	struct lt_stats s = stats_of(p);
	cr_assert_eq(s.n_launch, 6);
	cr_assert_leq(s.n_kernel, 3,
		"the first reads an input, the last writes a result, the others are equal: %d kernels", s.n_kernel);
	lt_program_free(p);
	expect_right(g);
	parsed_free(g);
}

#define WEIGHTS \
	"graph 1\nvar m 4\nvar k 6\nvar n 5\n%x = f32[m, k] input \"x\"\n%w = f32[k, n] constant \"w\"\n%s = f32[n] " \
	"constant \"s\"\n" \
	"%v = f32[k, n] mul %w, %s\n%h = f32[n] max.reduce %v\n%u = f32[k, n] sub %v, %h\n%p = f32[m, n, k] mul %x, " \
	"%u\n" \
	"%y = f32[m, n] add.reduce %p\nresult \"y\" = %y\n"

Test(program, what_depends_on_constants_runs_once)
{
	struct lt_graph *g = parsed(WEIGHTS);
	open_counted();
	struct lt_program *p = compiled(g, "counted");
	float w[30], s[5], x[24], y[20], first[20];
	for (int i = 0; i < 30; i++)
		w[i] = (float)(i % 7);
	for (int i = 0; i < 24; i++)
		x[i] = (float)(i % 5);
	for (int i = 0; i < 5; i++)
		s[i] = (float)(i + 1);
	struct lt_instance *r, *second;
	cr_assert_eq(lt_program_bind(p, 0, w, 1), LT_OK);
	cr_assert_eq(lt_program_bind(p, 1, s, 0), LT_OK);
	cr_assert_eq(n_run, 0);
	cr_assert_eq(lt_instance_new(p, &r), LT_OK);
	int prepared = n_run;
	cr_assert_geq(prepared, 1);
	cr_assert_eq(lt_instance_new(p, &second), LT_OK);
	cr_assert_eq(n_run, prepared, "a second instance shares what was prepared");
	memset(w, 0xFF, sizeof w);      /* it was copied */
	for (int i = 0; i < 3; i++) {
		int before = n_run;
		cr_assert_eq(lt_instance_run(i % 2 ? r : second, (const void *const[]){ x }, (void *const[]){ y }), LT_OK);
		cr_assert_eq(n_run - before, stats_of(p).n_launch);
		if (i == 0)
			memcpy(first, y, sizeof y);
		cr_assert(!memcmp(first, y, sizeof y));
	}
	cr_assert_eq(stats_of(p).n_launch, 1, "only the product is left");
	cr_assert_geq(stats_of(p).constant_bytes, 30 * 4);
	lt_instance_free(r);
	lt_instance_free(second);
	lt_program_free(p);
	expect_right(g);
	parsed_free(g);
}

/* By hand a nest may hold both; then none of it is early, and neither is what reads it. */
Test(program, a_nest_of_constants_and_inputs_runs_every_time)
{
	static const char text[] = "graph 1\nvar m 4\n%x = f32[m] input \"x\"\n%c = f32[m] constant \"c\"\n%k = f32[m] "
				   "neg %c\n%y = f32[m] mul %x, %k\n"
				   "%l = f32[m] exp %k\n%z = f32[m] add %y, %l\n%e = f32[m] abs %c\n%w = f32[m] mul "
				   "%z, %e\nresult \"w\" = %w\n";
	static const char *const trees[] = { "m\n %k\n %y\nm\n %l\nm/3\n m\n  %e\nm\n %z\n %w\n",
		"m\n %k\nm\n %l\n %y\nm\n %z\n %e\n %w\n", "m\n %k\n %l\n %e\nm\n %y\n %z\n %w\n" };
	for (int i = 0; i < 3; i++) {
		struct lt_graph *g = parsed(text);
		const char *why = tree_check(g, trees[i], "ref");
		cr_assert_str_eq(why, "", "%s", why);
		parsed_free(g);
	}
}

/* A literal that only a constant reads is there when it is needed. */
Test(program, literals_beside_constants_are_computed_with_them)
{
	struct lt_graph *g = parsed("graph 1\nvar m 4\n%x = f32[m] input \"x\"\n%c = f32[m] constant \"c\"\n%l = f16[] "
				    "lit 0.5\n%l32 = f32[] cast %l\n"
				    "%e = f32[] exp %l32\n%i = i64[m] index m\n%f = f32[m] cast %i\n%d = f32[m] add "
				    "%c, %e\n%k = f32[m] mul %d, %f\n%s = f32[] add.reduce %k\n"
				    "%y = f32[m] mul %x, %s\n%z = f32[m] add %y, %e\nresult \"z\" = %z\n");
	expect_right(g);
	parsed_free(g);
}

Test(program, the_workspace_is_shared_by_what_lives_at_different_times)
{
	static char text[8000];
	size_t n = (size_t)snprintf(text, sizeof text, "graph 1\n");
	for (int i = 0; i <= 20; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, "var a%d %d\nvar t%d 2\n", i, 1000 - i, i);
	n += (size_t)snprintf(text + n, sizeof text - n, "%%y0 = f32[a0] input \"x\"\n");
	for (int i = 1; i <= 20; i++)
		n += (size_t)snprintf(text + n, sizeof text - n,
			"%%w%d = f32[a%d, t%d] view { %%y%d[a%d + t%d] }\n%%y%d = f32[a%d] max.reduce %%w%d\n", i, i, i,
			i - 1, i, i, i, i, i);
	snprintf(text + n, sizeof text - n, "result \"y\" = %%y20\n");
	struct lt_graph *g = parsed(text);
	struct lt_program *p = compiled(g, "ref");
	struct lt_stats s = stats_of(p);
	cr_assert_geq(s.intermediate_bytes, 19 * 980 * 4);
	cr_assert_leq(s.workspace_bytes, 2 * 4096, "two live at a time: %lld bytes", (long long)s.workspace_bytes);
	lt_program_free(p);
	expect_right(g);
	parsed_free(g);
}

static int copies(const struct lt_program *p)
{
	int n = 0;
	for (int32_t i = 0; i < p->plan.n_run; i++)
		n += p->plan.run[i].kind == LT_STEP_COPY;
	return n;
}

#define STATE \
	"graph 1\nvar m 9\nvar i 3\nvar one 1\nparam p = %pos[0] in 0..6\n%pos = i64[one] input \"pos\"\n%s = f32[m] " \
	"state \"s\"\n" \
	"%x = f32[i] input \"x\"\n%y = f32[i] neg %x\n"
static const struct { const char *name, *text; int copies;
} updates[] = {
	{ "a cache's row",
		STATE "%u = f32[m] update %s, %y at [p]\n%r = f32[] add.reduce %u\nresult \"r\" = %r\nset %s = %u\n",
		0 },
	{ "a chain of two",
		STATE "%u = f32[m] update %s, %y at [p]\n%v = f32[m] update %u, %x at [0]\n%r = f32[] add.reduce "
		      "%v\nresult \"r\" = %r\n"
		      "set %s = %v\n",
		0 },
	{ "a reader of the old value stands before it",
		STATE "%o = f32[] add.reduce %s\n%u = f32[m] update %s, %y at [p]\n%r = f32[] add.reduce %u\n"
		      "result \"o\" = %o\nresult \"r\" = %r\nset %s = %u\n",
		0 },
	{ "a reader after the update sees the old value",
		STATE "%u = f32[m] update %s, %y at [p]\n%r = f32[] max.reduce %u\n%o = f32[m] mul %s, %r\n"
		      "result \"o\" = %o\nset %s = %u\n",
		2 },
	{ "the block is read from the updated value",
		STATE "%c = f32[i] view { %s[i + 2] }\n%u = f32[m] update %s, %c at [p]\n"
		      "%n = f32[m] neg %u\nresult \"n\" = %n\nset %s = %u\n",
		2 },
	{ "the update is not what the state becomes",
		STATE "%u = f32[m] update %s, %y at [p]\n%r = f32[] add.reduce %u\nresult \"r\" = %r\n"
		      "%one = f32[] lit 1.0\n%n = f32[m] add %s, %one\nset %s = %n\n",
		2 },
	{ "two updates of one state",
		STATE "%u = f32[m] update %s, %y at [p]\n%v = f32[m] update %s, %x at [1]\n%r = f32[m] add %u, %v\n"
		      "result \"r\" = %r\nset %s = %u\n",
		3 },
	{ "the new content is updated once more",
		STATE "%u = f32[m] update %s, %y at [p]\n%v = f32[m] update %u, %x at [1]\n%r = f32[m] neg %v\n"
		      "result \"r\" = %r\nset %s = %u\n",
		1 },
	{ "an input's copy",
		STATE "%z = f32[m] input \"z\"\n%u = f32[m] update %z, %y at [p]\n%r = f32[m] neg %u\nresult \"r\" = "
		      "%r\n"
		      "%c = f32[m] add %s, %u\nset %s = %c\n",
		2 },
	{ "what was computed before",
		STATE "%two = f32[] lit 2.0\n%t = f32[m] mul %s, %two\n%u = f32[m] update %t, %y at [p]\n%r = f32[] "
		      "add.reduce %u\n"
		      "result \"r\" = %r\nset %s = %u\n",
		1 },
	{ "a state never read otherwise", STATE "%u = f32[m] update %s, %x at [p]\nresult \"y\" = %y\nset %s = %u\n",
		0 },
};

Test(program, updates_are_in_place_only_where_nothing_reads_the_old_value_later)
{
	for (size_t i = 0; i < sizeof updates / sizeof *updates; i++) {
		struct lt_graph *g = parsed(updates[i].text);
		struct lt_program *p = compiled(g, "ref");
		cr_assert_eq(copies(p), updates[i].copies, "%s: %d copies", updates[i].name, copies(p));
		lt_program_free(p);
		expect_right(g);
		parsed_free(g);
	}
}

#define VIEWS \
	"graph 1\nvar m 4\nvar n 6\nvar k 24\nvar h 8\nvar q 5\nvar a 3\nvar b 2\nvar c 4\n%x = f32[m, n] input " \
	"\"x\"\n%y = f32[m, n] exp %x\n" \
	"%z = f32[m, n] neg %x\n"
#define OPEN \
	"graph 1\nvar m 4 limit p\nvar n 6\nvar a 3\nvar b 2\nvar c 12\nvar e 1\nvar l 3 limit p - 1\nvar k 24 limit " \
	"6*p\nvar r 4 limit p\nvar d 2\nvar u 8 limit 2*p\nparam p = %p[0] in 1..4\n%p = i64[] input \"p\"\n%x = f32[m, n] " \
	"input \"x\"\n%y = f32[m, n] exp %x\n%z = f32[m, n] neg %x\n%o = f32[u, n] input \"o\"\n%w = f32[u, n] exp %o\n"
static const struct { const char *name, *text; bool through;
} views[] = {
	{ "reshape", VIEWS "%v = f32[k] view { %y[floor(k / 6), k - 6*floor(k / 6)] }\nresult \"v\" = %v\n", true },
	{ "permute", VIEWS "%v = f32[n, m] view { %y[m, n] }\nresult \"v\" = %v\n", true },
	{ "concatenation",
		VIEWS "%v = f32[h, n] view { %y[h, n] if 3 - h >= 0; %z[h - 4, n] if h - 4 >= 0 }\nresult \"v\" = %v\n",
		true },
	{ "pad", VIEWS "%v = f32[q, n] view { %y[q - 1, n] if q - 1 >= 0; else 0.0 }\nresult \"v\" = %v\n", false },
	{ "slice", VIEWS "%v = f32[a, n] view { %y[a, n] }\nresult \"v\" = %v\n", false },
	{ "reverse", VIEWS "%v = f32[m, n] view { %y[3 - m, n] }\nresult \"v\" = %v\n", false },
	{ "one value twice",
		VIEWS "%v = f32[h, n] view { %y[h, n] if 3 - h >= 0; %y[h - 4, n] if h - 4 >= 0 }\nresult \"v\" = %v\n",
		false },
	{ "an input's", VIEWS "%v = f32[n, m] view { %x[m, n] }\nresult \"v\" = %v\n", false },
	{ "its source is a result, too",
		VIEWS "%v = f32[n, m] view { %y[m, n] }\nresult \"y\" = %y\nresult \"v\" = %v\n", false },
	{ "two views of one value",
		VIEWS "%v = f32[n, m] view { %y[m, n] }\n%w = f32[k] view { %y[floor(k / 6), k - 6*floor(k / 6)] }\n"
		      "result \"v\" = %v\nresult \"w\" = %w\n",
		false },
	{ "its source is read elsewhere",
		VIEWS "%v = f32[n, m] view { %y[m, n] }\n%s = f32[m] add.reduce %y\nresult \"v\" = %v\nresult \"s\" = "
		      "%s\n",
		true },
	{ "run-time rows, a reshape of each",
		OPEN "%v = f32[m, a, b] view { %y[m, 2*a + b] }\nresult \"v\" = %v\n", true },
	{ "run-time rows, permuted", OPEN "%v = f32[n, m] view { %y[m, n] }\nresult \"v\" = %v\n", true },
	{ "run-time rows, pieces side by side",
		OPEN "%v = f32[m, c] view { %y[m, c] if 5 - c >= 0; %z[m, c - 6] if c - 6 >= 0 }\nresult \"v\" = %v\n", true },
	{ "run-time rows, of which a slice is shown",
		OPEN "%v = f32[e, n] view { %y[e, n] }\nresult \"v\" = %v\n", false },
	{ "run-time rows, of which the last is left out",
		OPEN "%v = f32[l, n] view { %y[l, n] }\nresult \"v\" = %v\n", false },
	{ "run-time rows that are one dim with others",
		OPEN "%v = f32[k] view { %y[floor(k / 6), k - 6*floor(k / 6)] }\nresult \"v\" = %v\n", false },
	{ "run-time rows, two of the source for each",
		OPEN "%v = f32[r, d, n] view { %w[2*r + d, n] }\nresult \"v\" = %v\n", false },
};

Test(program, views_are_written_through_where_their_map_can_be_inverted)
{
	for (size_t i = 0; i < sizeof views / sizeof *views; i++)
		for (int no_passes = 0; no_passes < 2; no_passes++) {
			struct lt_graph *g = parsed(views[i].text);
			struct lt_program *p = compiled_with(
				g, (struct lt_options){ .backends = "ref", .no_passes = no_passes > 0 });
			bool copied = false;
			for (lt_node n = 0; n < p->tree->graph->n_node; n++)
				copied = copied || p->tree->graph->node[n].op == LT_OP_copy;
			if (no_passes)
				cr_assert_eq(copied, !views[i].through, "%s is %scopied", views[i].name, copied ? "" : "not ");
			lt_program_free(p);
			expect_right(g);
			parsed_free(g);
		}
}

/* A padded convolution with two output channels in memory's last axis: gcc 12.3 and older vectorise its reads under a
 * condition wrongly if they may. */
Test(program, reads_under_a_condition_are_right)
{
	struct lt_graph *g = parsed("graph 1\nvar a 6\nvar b 3\nvar i 3\nvar j 2\nvar c 2\nvar y 4\n%x = f32[a, b] "
				    "input \"x\"\n%k = f32[i, j, c] input \"k\"\n"
				    "%v = f32[y, i, j] view { %x[y + 2*i - 2, 2*j] if y + 2*i - 2 >= 0; else 0.0 }\n%p "
				    "= f32[y, c, i, j] mul %v, %k\n%s = f32[y, c] add.reduce %p\n"
				    "%h = bf16[y, c] cast %s\nresult \"h\" = %h\n");
	expect_right(g);
	parsed_free(g);
}

/* A source, a state before its update, a literal, and one value twice: each result has its own memory. */
Test(program, results_may_be_anything)
{
	struct lt_graph *g = parsed("graph 1\nvar m 3\n%x = f32[m] input \"x\"\n%c = i16[m] constant \"c\"\n%s = "
				    "f32[m] state \"s\"\n%l = f64[] lit 0.125\n"
				    "%i = i64[m] index m\n%y = f32[m] add %x, %s\nresult \"x\" = %x\nresult \"c\" = "
				    "%c\nresult \"s\" = %s\nresult \"l\" = %l\nresult \"i\" = %i\n"
				    "result \"y\" = %y\nresult \"again\" = %y\nresult \"third\" = %y\nset %s = %y\n");
	expect_right(g);
	parsed_free(g);
}

Test(program, two_states_may_take_each_others_place)
{
	struct lt_graph *g = parsed("graph 1\nvar m 3\n%x = f32[m] input \"x\"\n%a = f32[m] state \"a\"\n%b = f32[m] "
				    "state \"b\"\n%y = f32[m] add %a, %x\n"
				    "result \"y\" = %y\nset %a = %b\nset %b = %a\n");
	expect_right(g);
	parsed_free(g);
	g = parsed("graph 1\nvar m 3\nvar one 1\n%x = f32[m] input \"x\"\n%p = f32[one] input \"p\"\n%a = f32[m] state "
		   "\"a\"\n%b = f32[m] state \"b\"\n"
		   "%u = f32[m] update %a, %p at [1]\n%v = f32[m] update %b, %p at [2]\n%y = f32[m] add %a, %x\nresult "
		   "\"y\" = %y\nset %a = %v\nset %b = %u\n");
	expect_right(g);
	parsed_free(g);
}
