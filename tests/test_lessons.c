/* test_lessons.c -- every row of "Lessons already paid for" that this library can express, by its number.
 *
 * Numbers are written down here, not asked of the oracle; each case runs on `ref` and `cpu`, with and without passes.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "lt/lt.h"
#include "looptree/tree/tree.h"
#include "tests/built.h"
#include "tests/tree_text.h"

TestSuite(lessons, .timeout = 120);

static struct lt_graph *new_graph(void)
{
	struct lt_context *ctx;
	struct lt_graph *g;
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt_graph_new(ctx, &g), LT_OK);
	return g;
}

static struct lt_graph *parsed(const char *text)
{
	struct lt_context *ctx;
	struct lt_graph *g;
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt_graph_parse(ctx, text, strlen(text), "lesson", &g), LT_OK, "%s", lt_context_message(ctx));
	return g;
}

static void close_graph(struct lt_graph *g)
{
	struct lt_context *ctx = g->ctx;
	lt_graph_free(g);
	lt_context_free(ctx);
}

static lt_node vector(struct lt_graph *g, const char *name, int64_t n)
{
	lt_var v = lt_graph_var(g, name, n);
	return lt_graph_input(g, name, LT_F32, 1, &v);
}

static void result(struct lt_graph *g, const char *name, lt_node n)
{
	cr_assert_eq(lt_graph_result(g, name, n), LT_OK, "%s", lt_context_message(g->ctx));
}

enum { MAX_TENSORS = 4, ELEMS = 256 };
struct numbers { const double *at; int n; };
#define NUMBERS(...) { (const double[]){ __VA_ARGS__ }, (int)(sizeof((double[]){ __VA_ARGS__ }) / sizeof(double)) }
struct lesson { struct numbers in[MAX_TENSORS], out[MAX_TENSORS]; };

static bool same(double a, double b) { return isnan(a) ? isnan(b) : a == b && (a != 0 || signbit(a) == signbit(b)); }

/* Inputs and results in the order of the graph. */
static void expect(struct lt_graph *g, const struct lesson *l, const struct lt_options *options, struct lt_stats *stats)
{
	static const char *const backend[] = { "ref", "cpu" };
	for (int way = 0; way < 4; way++) {
		struct lt_options o = options ? *options : (struct lt_options){ .size = sizeof o };
		struct lt_program *p;
		struct lt_instance *r;
		const void *in[MAX_TENSORS];
		void *out[MAX_TENSORS];
		o.backends = backend[way / 2];
		o.no_passes = (uint32_t)way % 2;
		cr_assert_eq(lt_compile(g->ctx, g, &o, &p), LT_OK, "%s", lt_context_message(g->ctx));
		cr_assert_eq(lt_instance_new(p, &r), LT_OK, "%s", lt_instance_message(r));
		for (int i = 0; i < lt_program_count(p, LT_BINDING_INPUT); i++) {
			void *data = calloc(ELEMS, 8);
			cr_assert_eq(lt_program_bytes(p, LT_BINDING_INPUT, i),
				(size_t)l->in[i].n * lt__dtype_info(lt_program_dtype(p, LT_BINDING_INPUT, i))->bytes);
			for (int k = 0; k < l->in[i].n; k++) {
				enum lt_dtype t = lt_program_dtype(p, LT_BINDING_INPUT, i);
				union lt_scalar x = { .f = l->in[i].at[k] };
				if (lt__dtype_info(t)->cls != LT_CLASS_FLOAT)
					x.i = (int64_t)l->in[i].at[k];
				lt__store(data, k, t, x);
			}
			in[i] = data;
		}
		for (int i = 0; i < lt_program_count(p, LT_BINDING_RESULT); i++) {
			out[i] = malloc(ELEMS * 8);
			memset(out[i], 0x5A, ELEMS * 8);
		}
		cr_assert_eq(lt_instance_run(r, in, out), LT_OK, "%s", lt_instance_message(r));
		for (int i = 0; i < lt_program_count(p, LT_BINDING_RESULT); i++) {
			enum lt_dtype t = lt_program_dtype(p, LT_BINDING_RESULT, i);
			for (int k = 0; k < l->out[i].n; k++) {
				union lt_scalar x = lt__load(out[i], k, t);
				double got = lt__dtype_info(t)->cls == LT_CLASS_FLOAT ? x.f : (double)x.i;
				cr_assert(same(got, l->out[i].at[k]), "%s%s: result %d, element %d is %.17g, not %.17g", o.backends,
					o.no_passes ? " without passes" : "", i, k, got, l->out[i].at[k]);
			}
			free(out[i]);
		}
		for (int i = 0; i < lt_program_count(p, LT_BINDING_INPUT); i++)
			free((void *)(uintptr_t)in[i]);
		if (stats) {
			stats->size = sizeof *stats;
			lt_program_stats(p, stats);
		}
		lt_instance_free(r);
		lt_program_free(p);
	}
	close_graph(g);
}

Test(lessons, lesson_1_pads_and_windows_compose)
{
	struct lt_graph *g = new_graph();
	lt_node x = vector(g, "x", 4);
	lt_node p = lt_graph_pad(g, x, (const int64_t[]){ 2 }, (const int64_t[]){ 0 }, 0);
	lt_var out = lt_graph_var(g, "o", 4), tap = lt_graph_var(g, "t", 3);
	result(g, "windows", lt_graph_window(g, p, 0, out, tap, 1, 1, 0, 0));
	lt_node one = lt_graph_pad(g, x, (const int64_t[]){ 1 }, (const int64_t[]){ 0 }, 0);
	result(g, "twice", lt_graph_pad(g, one, (const int64_t[]){ 2 }, (const int64_t[]){ 1 }, 0));
	expect(g, &(struct lesson){ .in = { NUMBERS(1, 2, 3, 4) },
		.out = { NUMBERS(0, 0, 1, 0, 1, 2, 1, 2, 3, 2, 3, 4), NUMBERS(0, 0, 0, 1, 2, 3, 4, 0) } }, NULL, NULL);
}

Test(lessons, lesson_2_nests_that_differ_never_share_code)
{
	struct lt_graph *g = new_graph();
	struct lt_stats stats;
	lt_node side[3];
	for (int i = 0; i < 3; i++) {   /* (a-b)*a, (a-b)*b, and the first once more with other tensors */
		lt_var v = lt_graph_var(g, NULL, 3);
		const char *const names[3][2] = { { "a", "b" }, { "c", "d" }, { "e", "f" } };
		lt_node a = i ? -1 : lt_graph_input(g, names[i][0], LT_F32, 1, &v),
			b = i ? -1 : lt_graph_input(g, names[i][1], LT_F32, 1, &v);
		if (i) {                /* the same data through vars of their own */
			a = lt_graph_rename(g, 0, 1, &v);
			b = lt_graph_rename(g, 1, 1, &v);
		}
		side[i] = lt_graph_binary(g, "mul", lt_graph_binary(g, "sub", a, b), i == 1 ? b : a);
	}
	result(g, "one", side[0]);
	result(g, "two", side[1]);
	result(g, "three", side[2]);
	expect(g, &(struct lesson){ .in = { NUMBERS(1, 2, 3), NUMBERS(5, 7, 11) },
		.out = { NUMBERS(-4, -10, -24), NUMBERS(-20, -35, -88), NUMBERS(-4, -10, -24) } }, NULL, &stats);

	g = new_graph();
	lt_node x = vector(g, "x", 7), y = vector(g, "y", 7);
	lt_var o1 = lt_graph_var(g, NULL, 3), t1 = lt_graph_var(g, NULL, 3), o2 = lt_graph_var(g, NULL, 3),
	       t2 = lt_graph_var(g, NULL, 3);
	lt_node stride = lt_graph_window(g, x, 0, o1, t1, 2, 1, 0, 0), dilation = lt_graph_window(g, y, 0, o2, t2, 1, 2, 0, 0);
	result(g, "stride", lt_graph_reduce(g, "add", stride, 1, &t1));
	result(g, "dilation", lt_graph_reduce(g, "add", dilation, 1, &t2));
	expect(g, &(struct lesson){ .in = { NUMBERS(1, 2, 4, 8, 16, 32, 64), NUMBERS(1, 2, 4, 8, 16, 32, 64) },
		.out = { NUMBERS(7, 28, 112), NUMBERS(21, 42, 84) } }, NULL, &stats);
	cr_assert_eq(stats.n_kernel, 2);
}

/* One cache folder for all: what `ref` left, what another schedule left, and what was compiled before. */
Test(lessons, lesson_3_a_cache_tells_backends_and_schedules_apart)
{
	static const char text[] = "graph 1\nvar m 41\n%x = f32[m] input \"x\"\n%y = f32[] add.reduce %x\nresult \"y\" = %y\n";
	const char *folder = scratch("");
	static const char *const trees[] = { "m\n %y\n", "m/13\n m/3\n  m\n   %y\n", "m\n %y\n", "m/8\n m\n  %y\n" };
	static const char *const backends[] = { "ref", "cpu", "cpu", "cpu", "ref", "cpu" };
	for (int i = 0; i < 6; i++)
		for (int k = 0; k < 4; k++) {
			struct lt_graph *g = parsed(text);
			struct lt_options o = { .size = sizeof o, .backends = backends[i], .cache_dir = folder };
			struct lt_program *p;
			struct lt_instance *r;
			float x[41], y = -1;
			for (int e = 0; e < 41; e++)
				x[e] = (float)(e - 3);
			cr_assert_eq(tree_compile((void *)(uintptr_t)trees[k], g, &o, &p), LT_OK, "%s", lt_context_message(g->ctx));
			cr_assert_eq(lt_instance_new(p, &r), LT_OK);
			cr_assert_eq(lt_instance_run(r, (const void *const[]){ x }, (void *const[]){ &y }), LT_OK);
			cr_assert_eq(y, 697);
			struct lt_stats stats = { .size = sizeof stats };
			lt_program_stats(p, &stats);
			if (i == 2)
				cr_assert(stats.n_compiled == 0 && stats.n_cached == 1,
					"the second time nothing is compiled: %d, %d from the cache", stats.n_compiled,
					stats.n_cached);
			lt_instance_free(r);
			lt_program_free(p);
			close_graph(g);
		}
	scratch_remove();
}

Test(lessons, lesson_4_nested_tails)
{
	static const struct { int extent; const char *tree; } cases[] = {
		{ 41, "m/13\n m/3\n  m\n   %y\n" },
		{ 405, "m/100\n m/33\n  m/7\n   m\n    %y\n" },
	};
	for (int i = 0; i < 2; i++)
		for (int sum = 0; sum < 2; sum++)
			for (int b = 0; b < 2; b++) {
				char text[200];
				snprintf(text, sizeof text,
					"graph 1\nvar m %d\n%%x = f32[m] input \"x\"\n%%y = f32[%s] add%s "
					"%%x%s\nresult \"y\" = %%y\n",
					cases[i].extent, sum ? "" : "m", sum ? ".reduce" : "", sum ? "" : ", %x");
				struct lt_graph *g = parsed(text);
				const char *why = tree_check(g, cases[i].tree, b ? "cpu" : "ref");
				cr_assert_str_eq(why, "", "%s", why);
				close_graph(g);
			}
}

Test(lessons, lesson_5_a_reduction_behind_a_deeper_nest)
{
	struct lt_graph *g = parsed("graph 1\nvar m 5\nvar k 7\nvar j 3\nvar i 4\n%x = f32[m, k, j] input \"x\"\n%z = "
				    "f32[m, i] input \"z\"\n"
				    "%s = f32[m, k] add.reduce %x\n%t = f32[m] max.reduce %s\n%u = f32[m] add.reduce "
				    "%z\n%y = f32[m] add %t, %u\nresult \"y\" = %y\n");
	for (int b = 0; b < 2; b++) {
		const char *why = tree_check(g, "m\n k\n  j\n   %s\n k\n  %t\n i\n  %u\n %y\n", b ? "cpu" : "ref");
		cr_assert_str_eq(why, "", "%s", why);
	}
	close_graph(g);
}

Test(lessons, lesson_6_a_padded_max_pool_over_negative_values)
{
	struct lt_graph *g = new_graph();
	lt_var dims[4] = { lt_graph_var(g, "n", 1), lt_graph_var(g, "c", 1), lt_graph_var(g, "h", 2),
		lt_graph_var(g, "w", 2) };
	lt_node x = lt_graph_input(g, "x", LT_F32, 4, dims);
	static const int64_t two[2] = { 2, 2 }, one[2] = { 1, 1 }, pads[4] = { 1, 1, 1, 1 };
	result(g, "y", lt_build_max_pool2d(g, x, two, one, pads, one, LT_NCHW));
	expect(g,
		&(struct lesson){
			.in = { NUMBERS(-1, -2, -3, -4) }, .out = { NUMBERS(-1, -1, -2, -1, -1, -2, -3, -3, -4) } },
		NULL, NULL);
}

Test(lessons, lesson_7_a_fill_is_a_value)
{
	struct lt_graph *g = new_graph();
	union lt_scalar low = { .f = -INFINITY }, two = { .f = 2 };
	lt_node a = vector(g, "a", 2), b = vector(g, "b", 4);
	lt_node padded = lt_graph_pad(g, a, (const int64_t[]){ 1 }, (const int64_t[]){ 1 }, lt__bits_of(two, LT_F32));
	lt_var bv = lt_node_dim(g, b, 0), pv = lt_node_dim(g, padded, 0);
	result(g, "product", lt_graph_binary(g, "mul", b, lt_graph_rename(g, padded, 1, &bv)));
	result(g, "sum", lt_graph_reduce(g, "add", padded, 1, &pv));
	/* 0 around -inf around the values: the outermost guard that fails gives the fill */
	lt_node inner = lt_graph_pad(g, a, (const int64_t[]){ 1 }, (const int64_t[]){ 1 }, lt__bits_of(low, LT_F32));
	result(g, "rings", lt_graph_pad(g, inner, (const int64_t[]){ 1 }, (const int64_t[]){ 1 }, 0));
	/* cut off and padded again: what was cut is gone */
	lt_node cut = lt_graph_slice(g, padded, 0, 0, 1, 2);
	result(g, "cut", lt_graph_pad(g, cut, (const int64_t[]){ 0 }, (const int64_t[]){ 2 }, lt__bits_of(low, LT_F32)));
	expect(g,
		&(struct lesson){ .in = { NUMBERS(5, 7), NUMBERS(1, 10, 100, 1000) },
			.out = { NUMBERS(2, 50, 700, 2000), NUMBERS(16), NUMBERS(0, -INFINITY, 5, 7, -INFINITY, 0),
				NUMBERS(2, 5, -INFINITY, -INFINITY) } },
		NULL, NULL);
}

Test(lessons, lesson_8_extents_and_offsets_beyond_32_bits)
{
	struct lt_graph *g = new_graph();
	lt_var large = lt_graph_var(g, "large", INT64_C(1) << 40);
	lt_node i = lt_graph_index(g, large);
	result(g, "index", lt_graph_slice(g, i, 0, (INT64_C(1) << 40) - 3, 1, 3));
	lt_node three = lt_graph_literal_int(g, LT_I64, 3);
	result(g, "scaled",
		lt_graph_binary(g, "mul", lt_graph_slice(g, i, 0, (INT64_C(1) << 33) + 1, INT64_C(1) << 24, 2), three));
	expect(g,
		&(struct lesson){ .out = { NUMBERS(1099511627773.0, 1099511627774.0, 1099511627775.0),
					  NUMBERS(25769803779.0, 25820135427.0) } },
		NULL, NULL);

	/* an input of more than 2^31 bytes, of which nothing is touched but its end */
	const int64_t n = (INT64_C(1) << 31) + 100;
	unsigned char *data =
		mmap(NULL, (size_t)n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	cr_assert_neq(data, MAP_FAILED);
	data[n - 1] = 200;
	data[n - 2] = 100;
	data[(INT64_C(1) << 24) + 1] = 50;
	for (int b = 0; b < 2; b++) {
		g = new_graph();
		lt_var v = lt_graph_var(g, "v", n);
		lt_node x = lt_graph_input(g, "x", LT_U8, 1, &v);
		lt_node end = lt_graph_slice(g, x, 0, n - 1, -1, 3), middle = lt_graph_slice(g, x, 0, (INT64_C(1) << 24) + 1, 1, 1);
		result(g, "end", end);
		result(g, "middle", middle);
		struct lt_program *p;
		struct lt_instance *r;
		unsigned char out[3], mid;
		cr_assert_eq(lt_compile(g->ctx, g,
				     &(struct lt_options){
					     .size = sizeof(struct lt_options), .backends = b ? "cpu" : "ref" },
				     &p),
			LT_OK, "%s", lt_context_message(g->ctx));
		cr_assert_eq(lt_instance_new(p, &r), LT_OK);
		cr_assert_eq(lt_instance_run(r, (const void *const[]){ data }, (void *const[]){ out, &mid }), LT_OK,
			"%s", lt_instance_message(r));
		cr_assert(out[0] == 200 && out[1] == 100 && out[2] == 0 && mid == 50);
		lt_instance_free(r);
		lt_program_free(p);
		close_graph(g);
	}
	munmap(data, (size_t)n);

	g = new_graph();
	lt_var huge[3] = { lt_graph_var(g, NULL, INT64_C(1) << 31), lt_graph_var(g, NULL, INT64_C(1) << 31),
		lt_graph_var(g, NULL, 8) };
	cr_assert_eq(lt_graph_input(g, "x", LT_F32, 3, huge), -1);
	cr_assert_eq(lt_context_code(g->ctx), LT_EOVERFLOW, "%s", lt_context_message(g->ctx));
	close_graph(g);
}

Test(lessons, lesson_9_twelve_nested_loops)
{
	struct lt_graph *g = new_graph();
	lt_var dims[12], over[11];
	for (int i = 0; i < 12; i++)
		dims[i] = lt_graph_var(g, NULL, i == 3 || i == 7 ? 3 : i == 11 ? 2 : 1);
	memcpy(over, dims, sizeof over);
	lt_node x = lt_graph_input(g, "x", LT_F32, 12, dims);
	result(g, "sum", lt_graph_reduce(g, "add", x, 11, over));
	expect(g,
		&(struct lesson){ .in = { NUMBERS(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18) },
			.out = { NUMBERS(81, 90) } },
		NULL, NULL);
}

Test(lessons, lesson_11_trees_that_are_none_are_refused)
{
	static const struct { const char *tree, *say; } cases[] = {
		{ "m/4\n %y\n", "innermost loop over m around %y has step 4; it must be 1" },
		{ "m/4\n m/8\n  m\n   %y\n", "the inner loop over m has step 8, more than the 4 of the loop around it" },
		{ ".\n %y\n", "%y has var m, but is inside no loop over m" },
	};
	struct lt_graph *g = parsed("graph 1\nvar m 41\n%x = f32[m] input \"x\"\n%y = f32[m] add %x, %x\nresult \"y\" = %y\n");
	struct lt_looptree *t;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		cr_assert_eq(tree_from(g, cases[i].tree, &t), LT_EILLEGAL);
		cr_assert(strstr(lt_context_message(g->ctx), cases[i].say), "%s", lt_context_message(g->ctx));
		lt_looptree_free(t);
	}
	cr_assert_eq(lt_looptree_new(g, &t), LT_OK);
	cr_assert_eq(lt_looptree_add_loop(t, -1, 17, 1), -1);
	cr_assert(strstr(lt_context_message(g->ctx), "var 17"));
	lt_looptree_free(t);
	close_graph(g);
}

Test(lessons, lesson_12_unnamed_dims_of_equal_size_stay_different)
{
	struct lt_graph *g = new_graph();
	lt_var i = lt_graph_var(g, NULL, 2), j = lt_graph_var(g, NULL, 2);
	lt_node a = lt_graph_input(g, "a", LT_F32, 1, &i), b = lt_graph_input(g, "b", LT_F32, 1, &j);
	lt_node outer = lt_graph_binary(g, "mul", a, b);
	cr_assert_eq(lt_node_rank(g, outer), 2);
	result(g, "outer", outer);
	result(g, "rows", lt_graph_reduce(g, "add", outer, 1, &j));
	expect(g,
		&(struct lesson){
			.in = { NUMBERS(1, 2), NUMBERS(3, 5) }, .out = { NUMBERS(3, 5, 6, 10), NUMBERS(8, 16) } },
		NULL, NULL);
}

Test(lessons, lesson_13_independent_reductions_share_a_loop_dependent_ones_do_not)
{
	struct lt_graph *g =
		parsed("graph 1\nvar k 9\n%x = f32[k] input \"x\"\n%s = f32[] add.reduce %x\n%q = f32[k] mul %x, %x\n"
		       "%t = f32[] add.reduce %q\n%lo = f32[] min.reduce %x\n%hi = f32[] max.reduce %x\n%u = f32[] add "
		       "%s, %t\n%w = f32[] sub %hi, %lo\n"
		       "%y = f32[] mul %u, %w\nresult \"y\" = %y\n");
	for (int b = 0; b < 2; b++) {
		const char *why = tree_check(g, "k\n %s\n %q\n %t\n %lo\n %hi\n.\n %u\n %w\n %y\n", b ? "cpu" : "ref");
		cr_assert_str_eq(why, "", "%s", why);
	}
	close_graph(g);
	g = parsed("graph 1\nvar k 9\n%x = f32[k] input \"x\"\n%s = f32[] add.reduce %x\n%d = f32[k] sub %x, %s\n%q = "
		   "f32[k] mul %d, %d\n"
		   "%v = f32[] add.reduce %q\nresult \"v\" = %v\n");
	struct lt_looptree *t;
	cr_assert_eq(tree_from(g, "k\n %s\n %d\n %q\n %v\n", &t), LT_EILLEGAL);
	cr_assert(strstr(lt_context_message(g->ctx), "%d reads %s inside its reducing loop over k"), "%s",
		lt_context_message(g->ctx));
	lt_looptree_free(t);
	close_graph(g);
}

Test(lessons, lesson_14_dumps_are_byte_equal)
{
	static const char text[] =
		"graph 1\nvar m 6\nvar k 19\n%x = f32[m, k] input \"x\"\n%h = f32[m] max.reduce %x\n%d = f32[m, k] sub "
		"%x, %h\n"
		"%e = f32[m, k] exp %d\n%s = f32[m] add.reduce %e\n%y = f32[m, k] div %e, %s\nresult \"y\" = %y\n";
	struct run_text first = { NULL, 0 };
	for (int i = 0; i < 3; i++) {
		struct run_text all = { NULL, 0 };
		void *disturb = malloc((size_t)(1000 * i + 17));        /* other addresses */
		struct lt_graph *g = parsed(text);
		struct lt_program *p;
		cr_assert_eq(lt_compile(g->ctx, g, &(struct lt_options){ .size = sizeof(struct lt_options) }, &p),
			LT_OK, "%s", lt_context_message(g->ctx));
		for (int kind = LT_SHOW_GRAPH; kind <= LT_SHOW_EXPLAIN; kind++)
			cr_assert_eq(lt_program_dump(p, (enum lt_dump_kind)kind, run_text_add, &all), LT_OK, "%s",
				lt_context_message(g->ctx));
		lt_program_free(p);
		close_graph(g);
		free(disturb);
		if (i == 0) {
			first = all;
			continue;
		}
		cr_assert_eq(all.n, first.n);
		cr_assert(!memcmp(all.at, first.at, first.n));
		run_text_free(&all);
	}
	run_text_free(&first);
}

Test(lessons, lesson_15_a_neighbour_of_another_trip_keeps_the_dim_whole)
{
	static const char text[] = "graph 1\nvar m 6\nvar i 5\n%x = f32[m] input \"x\"\n%y = f32[m] add %x, %x\n%v = "
				   "f32[i] view { %y[i] }\n"
				   "%w = f32[i] view { %y[i + 1] }\n%z = f32[i] sub %w, %v\nresult \"z\" = %z\n";
	expect(parsed(text),
		&(struct lesson){ .in = { NUMBERS(1, 2, 4, 8, 16, 32) }, .out = { NUMBERS(2, 4, 8, 16, 32) } }, NULL,
		NULL);
	struct lt_graph *g = parsed(text);
	struct lt_looptree *t;
	cr_assert_eq(tree_from(g, "m\n %y\n i\n  %z\n", &t), LT_EILLEGAL);
	cr_assert(strstr(lt_context_message(g->ctx), "from other iterations of the shared loop over m"), "%s",
		lt_context_message(g->ctx));
	lt_looptree_free(t);
	cr_assert_eq(tree_from(g, "m\n %y\ni\n %z\n", &t), LT_OK);
	cr_assert(t->scope[tree_node(g, "y")].whole);
	lt_looptree_free(t);
	close_graph(g);
}

Test(lessons, lesson_16_nan_zero_and_infinity)
{
	struct lt_graph *g = new_graph();
	lt_node x = vector(g, "x", 6), y = vector(g, "y", 6);
	lt_var v = lt_node_dim(g, x, 0);
	y = lt_graph_rename(g, y, 1, &v);
	result(g, "relu", lt_build_relu(g, x));
	result(g, "min", lt_graph_binary(g, "min", x, y));
	result(g, "max", lt_graph_binary(g, "max", x, y));
	result(g, "neg", lt_graph_unary(g, "neg", x));
	expect(g,
		&(struct lesson){
			.in = { NUMBERS(NAN, 1, -0.0, 0.0, INFINITY, -INFINITY), NUMBERS(1, NAN, 2, -3, NAN, 5) },
			.out = { NUMBERS(NAN, 1, 0.0, 0.0, INFINITY, 0.0), NUMBERS(NAN, NAN, -0.0, -3, NAN, -INFINITY),
				NUMBERS(NAN, NAN, 2, 0.0, NAN, 5), NUMBERS(NAN, -1, 0.0, -0.0, -INFINITY, INFINITY) } },
		NULL, NULL);

	g = new_graph();
	lt_var dims[2] = { lt_graph_var(g, "r", 4), lt_graph_var(g, "k", 3) };
	x = lt_graph_input(g, "x", LT_F32, 2, dims);
	result(g, "softmax", lt_build_softmax(g, x, 1));
	result(g, "least", lt_graph_reduce(g, "min", x, 1, dims + 1));
	result(g, "most", lt_graph_reduce(g, "max", x, 1, dims + 1));
	expect(g,
		&(struct lesson){
			.in = { NUMBERS(7, -INFINITY, 7, -INFINITY, -INFINITY, -INFINITY, 1, INFINITY, 2, 3, NAN, 4) },
			.out = { NUMBERS(0.5, 0, 0.5, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN),
				NUMBERS(-INFINITY, -INFINITY, 1, NAN), NUMBERS(7, -INFINITY, INFINITY, NAN) } },
		NULL, NULL);
}
