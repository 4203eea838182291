/* test_rows.c -- default trees of reductions, pointwise nests and transposes: their shape, and what they compute
 * on any number of threads. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ir/pass/pass.h"
#include "looptree/tree/tree.h"
#include "program/run/run.h"
#include "tests/built.h"
#include "check/random/must.h"
#include "check/random/random.h"
#include "tests/tree_text.h"
#include "program/program.h"

TestSuite(rows, .timeout = 300, .fini = scratch_remove);

static const struct lt_target wide = { .size = sizeof wide,
	.name = "wide",
	.vector_bytes = 64,
	.vector_registers = 32,
	.cores = 2,
	.l1_bytes = 32 << 10,
	.l2_bytes = 1 << 20,
	.l3_bytes = 32 << 20 };
static const struct lt_target narrow = { .size = sizeof narrow,
	.name = "narrow",
	.vector_bytes = 16,
	.vector_registers = 16,
	.cores = 4,
	.l1_bytes = 32 << 10,
	.l2_bytes = 1 << 20,
	.l3_bytes = 32 << 20 };

/* -- shapes -- */

/* The lines of the default tree without facts, types and dims. */
static char *shape_of(const char *text, const struct lt_target *target)
{
	struct lt_context *ctx;
	struct lt_graph *g;
	struct lt_looptree *t;
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt_graph_parse(ctx, text, strlen(text), "test", &g), LT_OK, "%s", lt_context_message(ctx));
	cr_assert_eq(lt_looptree_auto(g, target, &t), LT_OK, "%s", lt_context_message(ctx));
	cr_assert_eq(lt_looptree_verify(t), LT_OK, "%s", lt_context_message(ctx));
	struct run_text all = tree_print(t);
	struct lt_looptree *again;
	cr_assert_eq(lt_looptree_parse(g, all.at, all.n, "printed", &again), LT_OK, "%s\n%s", lt_context_message(ctx), all.at);
	struct run_text second = tree_print(again);
	cr_assert_str_eq(second.at, all.at);
	char *out = calloc(all.n + 1, 1), *to = out;
	for (const char *line = strstr(all.at, "\ntree\n") + 6; *line; line += strcspn(line, "\n") + 1) {
		size_t bytes = strcspn(line, "#\n");
		while (bytes > 0 && line[bytes - 1] == ' ')
			bytes--;
		to += sprintf(to, "%.*s\n", (int)bytes, line);
	}
	run_text_free(&second);
	run_text_free(&all);
	lt_looptree_free(again);
	lt_looptree_free(t);
	lt_graph_free(g);
	lt_context_free(ctx);
	return out;
}

static void expect(const char *text, const struct lt_target *target, const char *shape)
{
	char *got = shape_of(text, target);
	cr_expect_str_eq(got, shape, "got\n%s", got);
	free(got);
}

#define SOFTMAX \
	"%x = f32[m, k] input \"x\"\n%h = f32[m] max.reduce %x\n%d = f32[m, k] sub %x, %h\n%e = f32[m, k] exp %d\n" \
	"%s = f32[m] add.reduce %e\n%y = f32[m, k] div %e, %s\nresult \"y\" = %y\n"

Test(rows, a_softmax_row_is_reduced_in_lanes_and_shared_out)
{
	expect("graph 1\nvar m 64\nvar k 1000\n" SOFTMAX, &wide,
		"for m parallel\n"
		"  for k step 64  tail peel\n"
		"    for k' step 16 unroll  tail peel\n"
		"      for k'' vector\n"
		"        %h.part f32[m k_1] = max.reduce[k] %x\n"
		"  for k_1 vector\n"
		"    %h f32[m] = max.reduce[k_1] %h.part\n"
		"  for k step 64  tail peel\n"
		"    for k' step 16 unroll  tail peel\n"
		"      for k'' vector\n"
		"        %d f32[m k] = sub %x %h\n"
		"        %e f32[m k] = exp %d\n"
		"        %s.part f32[m k_1_2] = add.reduce[k] %e\n"
		"  for k_1_2 vector\n"
		"    %s f32[m] = add.reduce[k_1_2] %s.part\n"
		"  for k step 16  tail peel\n"
		"    for k' vector\n"
		"      %y f32[m k] = div %e %s\n");
}

Test(rows, a_short_row_stays_short)
{
	expect("graph 1\nvar m 64\nvar k 10\n" SOFTMAX, &wide,
		"for m\n"
		"  for k vector\n"
		"    %h f32[m] = max.reduce[k] %x\n"
		"  for k vector\n"
		"    %d f32[m k] = sub %x %h\n"
		"    %e f32[m k] = exp %d\n"
		"    %s f32[m] = add.reduce[k] %e\n"
		"  for k vector\n"
		"    %y f32[m k] = div %e %s\n");
}

/* One row: what follows from its sum is in the sum's nest, unless threads should share either. */
static int32_t count_nests(const char *text)
{
	char *shape = shape_of(text, &wide);
	int32_t n = 0;
	for (const char *line = shape; *line; line += strcspn(line, "\n") + 1)
		n += *line != ' ';
	free(shape);
	return n;
}

#define NORM(n) \
	"graph 1\nvar i " #n "\n%x = f32[i] input \"x\"\n%s = f32[i] mul %x, %x\n%sum = f32[] add.reduce %s\n" \
	"%root = f32[] sqrt %sum\n%y = f32[i] div %x, %root\nresult \"y\" = %y\n"

Test(rows, a_norm_of_one_short_row_is_one_nest)
{
	cr_expect_eq(count_nests(NORM(288)), 1);
	cr_expect_eq(count_nests(NORM(16000)), 1);
	cr_expect_eq(count_nests(NORM(100000)), 3);
}

Test(rows, reductions_over_one_axis_share_a_pass)
{
	expect("graph 1\nvar m 8\nvar k 128\n%x = f64[m, k] input \"x\"\n%s = f64[m] add.reduce %x\n%l = f64[m] "
	       "min.reduce %x\n"
	       "result \"s\" = %s\nresult \"l\" = %l\n",
		&narrow,
		"for m\n"
		"  for k step 8\n"
		"    for k' step 2 unroll\n"
		"      for k'' vector\n"
		"        %s.part f64[m k_1] = add.reduce[k] %x\n"
		"        %l.part f64[m k_1_2] = min.reduce[k] %x\n"
		"  for k_1 vector\n"
		"    %s f64[m] = add.reduce[k_1] %s.part\n"
		"  for k_1_2 vector\n"
		"    %l f64[m] = min.reduce[k_1_2] %l.part\n");
}

Test(rows, a_sum_of_everything_is_made_of_chunks)
{
	expect("graph 1\nvar i 1000\nvar j 1003\n%x = f32[i, j] input \"x\"\n%s = f32[] add.reduce %x\nresult \"s\" = "
	       "%s\n",
		&wide,
		"group\n"
		"  for i step 16 parallel\n"
		"    for i'\n"
		"      for j step 64  tail peel\n"
		"        for j' step 16 unroll  tail peel\n"
		"          for j'' vector\n"
		"            %s.part f32[i_16 j_1] = add.reduce[i' j] %x\n"
		"    for j_1 vector\n"
		"      %s.chunk f32[i_16] = add.reduce[j_1] %s.part\n"
		"  for i_16 vector\n"
		"    %s f32[] = add.reduce[i_16] %s.chunk\n");
}

Test(rows, columns_are_lanes)
{
	expect("graph 1\nvar i 3000\nvar j 1003\n%x = f32[i, j] input \"x\"\n%s = f32[j] add.reduce %x\nresult \"s\" = "
	       "%s\n",
		&wide,
		"for j step 128 parallel  tail peel\n"
		"  for i\n"
		"    for j' step 16 unroll  tail peel\n"
		"      for j'' vector\n"
		"        %s f32[j] = add.reduce[i] %x\n"
		"  for j' step 16 unroll  tail peel\n"
		"    for j'' vector\n"
		"      %s.out f32[j] = copy %s\n");
	expect("graph 1\nvar i 30000\nvar j 16\n%x = f32[i, j] input \"x\"\n%s = f32[j] add.reduce %x\nresult \"s\" = "
	       "%s\n",
		&wide,
		"group\n"
		"  for i step 469 parallel\n"
		"    for i'\n"
		"      for j vector\n"
		"        %s.chunk f32[j i_469] = add.reduce[i'] %x layout [i_469 j]\n"
		"  for i_469\n"
		"    for j vector\n"
		"      %s f32[j] = add.reduce[i_469] %s.chunk\n");
}

Test(rows, a_long_chain_is_cut_for_threads_and_streamed_past_the_caches)
{
	expect("graph 1\nvar i 16777216\n%x = f32[i] input \"x\"\n%a = f32[i] exp %x\n%y = f32[i] add %a, %x\nresult "
	       "\"y\" = %y\n",
		&wide,
		"for i step 131072 parallel\n"
		"  for i' step 16\n"
		"    for i'' vector\n"
		"      %a f32[i] = exp %x\n"
		"      %y f32[i] = add %a %x stream\n");
	expect("graph 1\nvar i 1000\n%x = f32[i] input \"x\"\n%y = f32[i] exp %x\nresult \"y\" = %y\n", &wide,
		"for i step 16  tail peel\n"
		"  for i' vector\n"
		"    %y f32[i] = exp %x\n");
}

Test(rows, a_result_that_is_read_again_is_not_streamed)
{
	char *got = shape_of("graph 1\nvar i 4096\nvar j 4096\n%x = f32[i, j] input \"x\"\n%y = f32[i, j] exp %x\n%s = "
			     "f32[i] add.reduce %y\n"
			     "%z = f32[i, j] div %y, %s\nresult \"y\" = %y\nresult \"z\" = %z\n",
		&wide);
	cr_expect(strstr(got, "div %y %s stream\n") && !strstr(got, "exp %x stream"), "%s", got);
	free(got);
}

Test(rows, what_is_cheap_is_computed_again_behind_a_reduction)
{
	expect("graph 1\nvar m 8\nvar k 64\n%x = f16[m, k] input \"x\"\n%c = f32[m, k] cast %x\n%s = f32[m] add.reduce "
	       "%c\n%d = f32[m, k] sub %c, %s\n"
	       "%q = f32[m, k] mul %d, %d\n%v = f32[m] add.reduce %q\n%y = f32[m, k] div %d, %v\nresult \"y\" = %y\n",
		&narrow,
		"for m\n"
		"  for k step 16\n"
		"    for k' step 4 unroll\n"
		"      for k'' vector\n"
		"        %c f32[m k] = cast %x\n"
		"        %s.part f32[m k_1] = add.reduce[k] %c\n"
		"  for k_1 vector\n"
		"    %s f32[m] = add.reduce[k_1] %s.part\n"
		"  for k step 16\n"
		"    for k' step 4 unroll\n"
		"      for k'' vector\n"
		"        %c.d f32[m k] = cast %x\n"
		"        %d f32[m k] = sub %c.d %s\n"
		"        %q f32[m k] = mul %d %d\n"
		"        %v.part f32[m k_1_2] = add.reduce[k] %q\n"
		"  for k_1_2 vector\n"
		"    %v f32[m] = add.reduce[k_1_2] %v.part\n"
		"  for k step 4\n"
		"    for k' vector\n"
		"      %c.d.d.y f32[m k] = cast %x\n"
		"      %d.y f32[m k] = sub %c.d.d.y %s\n"
		"      %y f32[m k] = div %d.y %v\n");
}

Test(rows, transposes_go_by_tiles)
{
	expect("graph 1\nvar i 103\nvar j 64\n%x = f32[i, j] input \"x\"\n%y = f32[j, i] copy %x\nresult \"y\" = %y\n", &wide,
		"for i step 16  tail peel\n"
		"  for j step 16\n"
		"    for j' unroll\n"
		"      for i' vector\n"
		"        %y f32[j i] = copy %x\n");
	expect("graph 1\nvar i 103\nvar j 5\n%x = f32[i, j] input \"x\"\n%y = f32[j, i] copy %x\nresult \"y\" = %y\n", &wide,
		"for i step 16  tail peel\n"
		"  for j unroll\n"
		"    for i' vector\n"
		"      %y f32[j i] = copy %x\n");
}

/* -- values -- */

struct plan { const struct lt_target *target; uint32_t n_thread; };

static lt_status compile_for(
	void *user, const struct lt_graph *g, const struct lt_options *options, struct lt_program **out)
{
	const struct plan *plan = user;
	struct lt_options o = *options;
	struct lt_graph *live, *lowered;
	struct lt_looptree *tree;
	*out = NULL;
	o.n_thread = plan->n_thread;
	o.cache_dir = scratch("cache");
	LT_TRY(lt__pass_dead(g, &live));
	lt_status st = lt__materialize(live, &lowered);
	lt_graph_free(live);
	if (st)
		return st;
	st = lt_looptree_auto(lowered, plan->target, &tree);
	if (st) {
		lt_graph_free(lowered);
		return st;
	}
	return lt__compile_tree(g->ctx, g, lowered, tree, &o, out);
}

static lt_status apply_steps(
	void *user, const struct lt_graph *g, const struct lt_options *options, struct lt_program **out)
{
	struct lt_options o = *options;
	o.apply = user;
	return lt_compile(g->ctx, g, &o, out);
}

static const char *const unary[] = { "neg", "abs", "exp", "sigmoid" },
			 *const binary[] = { "add", "sub", "mul", "max", "min" };
static const char *const folds[] = { "add", "max", "min", "add", "mul" };

/* A few passes over the rows of a matrix, of some sizes and one type; reductions of rows, columns or everything feed
 * later passes. */
static void make_graph(uint64_t seed, bool large, char *text)
{
	static const char *const types[] = { "f32", "f32", "f64", "i32", "f16", "bf16" };
	uint64_t rng = seed * 77 + 1;
	const char *type = types[random_between(&rng, 0, 5)], *t = type[0] == 'b' || !strcmp(type, "f16") ? "f32" : type;
	bool whole = t[0] == 'i', multiply = false;
	int64_t m = random_between(&rng, 1, 9), k = random_between(&rng, 1, 150);
	if (random_chance(&rng, 30))
		k = random_between(&rng, 1, 3) * 64;
	if (large) {
		m = random_between(&rng, 1, 700);
		k = 90000 / m + random_between(&rng, 0, 40);
	}
	bool bounded = !large && random_chance(&rng, 25), few = random_chance(&rng, 50), rows = random_chance(&rng, 50);
	int64_t most = rows ? m : k;
	char *to = text
		+ sprintf(text, "graph 1\nvar m %lld%s\nvar k %lld%s\n", (long long)m, bounded && rows ? " limit 0 + 1*p" : "",
			(long long)k, bounded && !rows ? " limit 0 + 1*p" : "");
	if (bounded)
		to += sprintf(to, "var one 1\nparam p = %%pos[0] in %lld..%lld\n%%pos = i64[one] input \"pos\"\n",
			(long long)(few || most < 3 ? 0 : most - 2), (long long)most);
	to += sprintf(to, "%%x = %s[m, k] input \"x\"\n%%w = %s[k] input \"w\"\n", type, t);
	to += t == type ? sprintf(to, "%%v0 = %s[m, k] neg %%x\n", t) : sprintf(to, "%%v0 = %s[m, k] cast %%x\n", t);
	int n = 1, passes = (int)random_between(&rng, 1, 3);
	for (int p = 0; p < passes; p++) {
		static const char *const kept[] = { "m", "m", "k", "" };
		const char *keep = kept[random_between(&rng, 0, 3)],
			   *fold = folds[random_between(&rng, 0, whole || multiply ? 3 : 4)];
		multiply = multiply || fold[0] == 'm';
		to += sprintf(to, "%%r%d = %s[%s] %s.reduce %%v%d\n", p, t, keep, fold, n - 1);
		to += sprintf(to, "%%v%d = %s[m, k] %s %%v%d, %%r%d\n", n, t,
			binary[whole ? 3 + random_between(&rng, 0, 1) : random_between(&rng, 3, 4)], n - 1, p);
		n++;
		if (random_chance(&rng, 60)) {
			to += sprintf(to, "%%v%d = %s[m, k] %s %%v%d\n", n, t, unary[random_between(&rng, 0, whole ? 1 : 3)], n - 1);
			n++;
		}
		if (random_chance(&rng, 40)) {
			to += sprintf(to, "%%v%d = %s[m, k] %s %%v%d, %%w\n", n, t, binary[random_between(&rng, 3, 4)], n - 1);
			n++;
		}
		if (random_chance(&rng, 40))
			to += sprintf(to, "result \"r%d\" = %%r%d\n", p, p);
	}
	if (t != type)
		to += sprintf(to, "%%h = %s[m, k] cast %%v%d\nresult \"h\" = %%h\n", type, n - 1);
	to += sprintf(to, "%%t = %s[k, m] copy %%v%d\nresult \"t\" = %%t\nresult \"y\" = %%v%d\n", t, n - 1, n - 1);
}

static void try_text(const char *text, uint64_t seed, const char *backends, const struct lt_target *target)
{
	static char why[1000];
	struct lt_context *ctx;
	struct lt_graph *g;
	struct run_want want;
	struct run_bits bits = { 0 };
	struct run_tally tally = { 0 };
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt_graph_parse(ctx, text, strlen(text), "test", &g), LT_OK, "%s\n%s", lt_context_message(ctx), text);
	run_want_new(g, 3, tree_fill, g, &want);
	cr_assert_eq(want.status, LT_OK, "%s", want.message);
	for (uint32_t n = 1; n <= (backends[0] == 'r' ? 1 : 4); n++) {
		struct plan plan = { target, n };
		struct run_config config = { .backends = backends, .compile = compile_for, .user = &plan };
		cr_expect(run_compare(&want, g, &config, NULL, &bits, &tally, why, sizeof why),
			"seed %llu, %u threads: %s\n%s", (unsigned long long)seed, (unsigned)n, why, text);
	}
	run_bits_free(&bits);
	run_want_free(&want);
	lt_graph_free(g);
	lt_context_free(ctx);
}

static void try_graph(uint64_t seed, bool large, const char *backends, const struct lt_target *target)
{
	static char text[4096];
	make_graph(seed, large, text);
	try_text(text, seed, backends, target);
}

/* The steps that make the partial results need several graphs of the tree's own, and there was one before them. */
Test(rows, chunks_and_lanes_of_a_sum_after_clones)
{
	try_text("graph 1\nvar m 61\nvar k 1475\n%x = f32[m, k] input \"x\"\n%w = f32[k] input \"w\"\n"
		"%v0 = f32[m, k] neg %x\n%r0 = f32[m] add.reduce %v0\n%v1 = f32[m, k] min %v0, %r0\n"
		"%v2 = f32[m, k] min %v1, %w\nresult \"r0\" = %r0\n%r1 = f32[] min.reduce %v2\n"
		"%v3 = f32[m, k] max %v2, %r1\n%v4 = f32[m, k] min %v3, %w\n%t = f32[k, m] copy %v4\n"
		"result \"t\" = %t\nresult \"y\" = %v4\n", 0, "ref", &wide);
}

/* -- stores past the caches, and tiles that are read across -- */

static void check_source(const char *text, const char *apply, const char *target, const char *const *has)
{
	static char why[1000], backend[64];
	struct lt_context *ctx;
	struct lt_graph *g;
	struct run_want want;
	struct lt_program *p;
	struct run_text source = { NULL, 0 };
	struct run_tally tally = { 0 };
	snprintf(backend, sizeof backend, "cpu:target=%s", target);
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt_graph_parse(ctx, text, strlen(text), "test", &g), LT_OK, "%s", lt_context_message(ctx));
	struct lt_options o = { .size = sizeof o, .backends = backend, .apply = apply, .n_thread = 2, .no_passes = 1 };
	cr_assert_eq(lt_compile(ctx, g, &o, &p), LT_OK, "%s", lt_context_message(ctx));
	cr_assert_eq(lt_program_dump(p, LT_SHOW_SOURCE, run_text_add, &source), LT_OK);
	for (; *has; has++)
		cr_expect(strstr(source.at, *has), "%s is not in\n%s", *has, source.at);
	lt_program_free(p);
	run_text_free(&source);
	run_want_new(g, 1, tree_fill, g, &want);
	struct run_config config = {
		.backends = backend, .no_passes = true, .compile = apply_steps, .user = (void *)(uintptr_t)apply
	};
	cr_expect(run_compare(&want, g, &config, NULL, NULL, &tally, why, sizeof why), "%s", why);
	run_want_free(&want);
	lt_graph_free(g);
	lt_context_free(ctx);
}

/* Rows of 33 elements begin anywhere in a vector, so that most stores find no aligned place. */
Test(rows, streams_give_the_same_elements)
{
	static const char graph[] =
		"graph 1\nvar m 67\nvar k 33\n%x = f32[m, k] input \"x\"\n%y = f32[m, k] neg %x\nresult \"y\" = %y\n";
	static const char *const words[] = { "_stream(", "LT_STREAMED();", NULL };
	static const char *const targets[] = { "native", "sse2" };
	for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
		check_source(graph, "stream %y", targets[i], words);
	check_source(graph, "parallel m; stream %y", "native", words);
}

Test(rows, a_tile_is_transposed_in_registers)
{
	static const char graph[] = "graph 1\nvar m 67\nvar k 33\n%x = f32[m, k] input \"x\"\n%z = f32[k, m] input \"z\"\n"
		"%y = f32[k, m] add %x, %z\nresult \"y\" = %y\n";
	static const char *const words[] = { "LT_SHUFFLE(", NULL };
	static const char *const targets[] = { "native", "sse2" };
	for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
		check_source(graph, NULL, targets[i], words);
}

Test(rows, random_rows_on_ref)
{
	fprintf(stderr, "rows: seeds 1 .. 150\n");
	for (uint64_t seed = 1; seed <= 150; seed++)
		try_graph(seed, false, "ref", seed % 2 ? &wide : &narrow);
}

Test(rows, random_rows_on_cpu_give_the_same_bits_on_any_number_of_threads)
{
	const uint64_t first = must_number("LT_SEED", 201), n = must_draws("LT_GRAPHS", 20);
	fprintf(stderr, "rows: seeds %d .. %d\n", (int)first, (int)(first + n - 1));
	for (uint64_t seed = first; seed < first + n; seed++)
		try_graph(seed, seed % 3 == 0, "cpu", seed % 2 ? &wide : &narrow);
}
