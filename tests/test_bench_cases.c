/* test_bench_cases.c -- lt-bench's tables of cases: scripts, shapes, counts of operations, references. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "ir/graph/graph.h"
#include "tools/bench/bench.h"

static struct bench_cases all_cases(void)
{
	struct bench_cases l = { NULL, 0, 0 };

	for (const struct bench_suite *s = bench_suites; s->name; s++)
		if (strcmp(s->name, "compile") != 0)
			s->cases(&l);
	return l;
}

static int count(const struct bench_cases *l, const char *suite, const char *group)
{
	int n = 0;

	for (int i = 0; i < l->n; i++)
		n += !strcmp(l->at[i].suite, suite) && (!group || !strcmp(l->at[i].group, group));
	return n;
}

Test(bench_cases, every_suite_has_its_cases, .timeout = 60)
{
	struct bench_cases l = all_cases();

	cr_assert_eq(count(&l, "gemm", "squares 512-2048"), 3);
	cr_assert_eq(count(&l, "gemm", "squares 64-256"), 3);
	cr_assert_eq(count(&l, "gemm", "rows"), 8);
	cr_assert_eq(count(&l, "conv", "resnet50"), 20);
	cr_assert_eq(count(&l, "conv", "mobilenetv2") + count(&l, "conv", "depthwise"), 30);
	cr_assert_eq(count(&l, "rows", NULL), 4 * 3 * 4);
	cr_assert_eq(count(&l, "mlp", NULL), 4);
	cr_assert_eq(count(&l, "recurrent", "lstm") + count(&l, "recurrent", "gru"), 9);
	cr_assert_eq(count(&l, "recurrent", "linear"), 4);
	cr_assert_eq(count(&l, "pointwise", "chains"), 12);
	cr_assert_geq(count(&l, "layout", NULL), 10);
	cr_assert_eq(count(&l, "gpu", "squares"), 5);
	cr_assert_eq(count(&l, "gpu", "mlp"), 3);
	cr_assert_eq(count(&l, "gpu", "mnist"), 2);
	for (int i = 0; i < l.n; i++)
		for (int k = i + 1; k < l.n; k++)
			cr_assert(strcmp(l.at[i].suite, l.at[k].suite) != 0 || strcmp(l.at[i].name, l.at[k].name) != 0,
				"%s/%s stands there twice", l.at[i].suite, l.at[i].name);
	bench_cases_free(&l);
}

/* A run-time scalar says how many rows the inputs have, and the result: nothing else in a script says it. */
Test(bench_cases, rows_may_be_left_open, .timeout = 60)
{
	struct bench_cases l = all_cases();
	int n = 0;

	for (int i = 0; i < l.n; i++) {
		const struct bench_case *c = &l.at[i];
		struct lt_context *ctx;
		struct lt_graph *g;
		char *script;

		if (!bench_case_open_inputs(c) || !strcmp(c->suite, "gpu"))
			continue;
		script = bench_case_of_open(c, 10000000);
		cr_assert_eq(lt_context_new(&ctx), LT_OK);
		cr_assert_eq(lt_parse(ctx, script, strlen(script), c->name, NULL, &g), LT_OK, "%s/%s: %s", c->suite, c->name,
			lt_context_message(ctx));
		n += g->n_param == 1;
		lt_graph_free(g);
		lt_context_free(ctx);
		free(script);
	}
	cr_assert_eq(n, count(&l, "gemm", NULL) + count(&l, "conv", NULL) + count(&l, "rows", NULL) + count(&l, "mlp", NULL)
		+ count(&l, "pointwise", NULL) + count(&l, "layout", NULL));
	bench_cases_free(&l);
}

/* Of each product of a convolution, one by one but for the channels. */
static int64_t count_products(const struct bench_case *c)
{
	int64_t size = bench_case_get(c, "size"), window = bench_case_get(c, "window"),
		stride = bench_case_get(c, "stride"), pad = bench_case_get(c, "pad");
	int64_t taps = 0, out = 0;

	for (int64_t y = -pad; y + window <= size + pad; y += stride)
		for (int64_t x = -pad; x + window <= size + pad; x += stride)
			for (int64_t t = (out++, 0); t < window * window; t++)
				taps++;
	cr_assert_eq(out, c->out.shape[2] * c->out.shape[3], "%s has %lld positions", c->name, (long long)out);
	return taps * bench_case_get(c, "out") * (bench_case_get(c, "in") / bench_case_get(c, "groups"));
}

Test(bench_cases, operations_are_as_many_as_there_are, .timeout = 120)
{
	struct bench_cases l = all_cases();

	for (int i = 0; i < l.n; i++) {
		const struct bench_case *c = &l.at[i];
		int64_t n = 0;

		if (!strcmp(c->op, "conv2d"))
			cr_assert_eq(c->flops, 2 * count_products(c), "%s", c->name);
		if (!strcmp(c->op, "gemm")) {
			for (int64_t m = 0; m < c->out.shape[0]; m++)
				for (int64_t k = 0; k < c->out.shape[1]; k++)
					n += 2 * c->in[1].shape[0];
			cr_assert_eq(c->flops, n, "%s", c->name);
		}
		if (!strcmp(c->op, "mlp"))
			cr_assert_eq(c->flops,
				bench_case_get(c, "batch")
					* (2 * (c->in[1].n + c->in[3].n) + 2 * c->in[2].n + c->in[4].n),
				"%s", c->name);
		cr_assert_gt(bench_case_work(c), 0, "%s/%s", c->suite, c->name);
	}
	bench_cases_free(&l);
}

Test(bench_cases, rows_reads_what_it_says, .timeout = 60)
{
	struct bench_cases l = all_cases();

	for (int i = 0; i < l.n; i++) {
		const struct bench_case *c = &l.at[i];
		int64_t bytes = 4 * c->out.n;

		for (int k = 0; k < c->n_in; k++)
			bytes += 4 * c->in[k].n;
		/* A product of few rows counts b only; vectors of weights stay in the cache. */
		cr_assert(c->bytes <= bytes && (double)c->bytes >= 0.9 * (double)bytes, "%s/%s: %lld of %lld bytes",
			c->suite, c->name, (long long)c->bytes, (long long)bytes);
	}
	bench_cases_free(&l);
}

static void check_binding(
	const struct lt_program *p, enum lt_binding kind, int32_t i, const struct bench_tensor *t, const char *name)
{
	cr_assert_eq(lt_program_dtype(p, kind, i), LT_F32);
	cr_assert_eq(lt_program_rank(p, kind, i), t->rank, "%s: %s", name, t->name);
	for (int32_t k = 0; k < t->rank; k++)
		cr_assert_eq(lt_program_extent(p, kind, i, k), t->shape[k], "%s: %s", name, t->name);
}

Test(bench_cases, a_script_asks_for_the_tensors_of_its_case, .timeout = 200)
{
	struct bench_cases l = all_cases();

	for (int i = 0; i < l.n; i++) {
		const struct bench_case *c = &l.at[i];
		const struct lt_options o = { .size = sizeof o, .plan_only = 1 };
		struct lt_stats stats = { .size = sizeof stats };
		struct lt_context *ctx;
		struct lt_graph *g;
		struct lt_program *p;

		cr_assert_eq(lt_context_new(&ctx), LT_OK);
		cr_assert_eq(lt_parse(ctx, c->script, strlen(c->script), c->name, NULL, &g), LT_OK, "%s", lt_context_message(ctx));
		cr_assert_eq(lt_compile(ctx, g, &o, &p), LT_OK, "%s", lt_context_message(ctx));
		cr_assert_eq(lt_program_count(p, LT_BINDING_INPUT) + lt_program_count(p, LT_BINDING_CONSTANT), c->n_in,
			"%s", c->name);
		cr_assert_eq(lt_program_count(p, LT_BINDING_RESULT), 1);
		lt_program_stats(p, &stats);
		cr_expect_eq(stats.flops, c->flops, "%s: %lld; the script has %lld", c->name, (long long)c->flops,
			(long long)stats.flops);
		check_binding(p, LT_BINDING_RESULT, 0, &c->out, c->name);
		for (int k = 0; k < c->n_in; k++) {
			enum lt_binding kind = c->in[k].constant ? LT_BINDING_CONSTANT : LT_BINDING_INPUT;
			int32_t at = lt_program_find(p, kind, c->in[k].name);

			cr_assert_geq(at, 0, "%s: %s", c->name, c->in[k].name);
			check_binding(p, kind, at, &c->in[k], c->name);
		}
		lt_program_free(p);
		lt_graph_free(g);
		lt_context_free(ctx);
	}
	bench_cases_free(&l);
}

/* The reference, and the graph evaluator by the script: two ways that share nothing. */
static void compare(struct bench_case *c)
{
	struct lt_context *ctx;
	struct bench_truth t;
	bench_reference *reference = c->reference;
	float *out = machine_buffer(c->out.n);
	double d;

	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	bench_case_fill(c);
	reference(c, out);
	c->reference = NULL;
	bench_truth_make(ctx, c, &t);
	cr_assert(t.want, "%s/%s: %s", c->suite, c->name, t.why);
	cr_assert_str_eq(t.method, "graph evaluator");
	d = bench_distance(out, t.want, c->out.n);
	cr_assert(d <= (c->depth ? 1e-6 : 0), "%s/%s differs by %g", c->suite, c->name, d);
	c->reference = reference;
	bench_truth_free(&t);
	lt_context_free(ctx);
	machine_buffer_free(out);
	bench_case_empty(c);
}

static int64_t cost(const struct bench_case *c)
{
	return c->flops + 8 * c->out.n;
}

/* The cheapest case of each operation of each group. */
Test(bench_cases, references_give_what_scripts_mean, .timeout = 300)
{
	struct bench_cases l = all_cases();
	int compared = 0;

	for (int i = 0; i < l.n; i++) {
		bool min = cost(&l.at[i]) < INT64_C(100) << 20;

		for (int k = 0; k < l.n && min; k++)
			min = k == i || strcmp(l.at[k].op, l.at[i].op) != 0
				|| strcmp(l.at[k].group, l.at[i].group) != 0 || cost(&l.at[k]) > cost(&l.at[i])
				|| (cost(&l.at[k]) == cost(&l.at[i]) && k > i);
		if (min) {
			compare(&l.at[i]);
			compared++;
		}
	}
	cr_assert_geq(compared, 15);
	bench_cases_free(&l);
}

Test(bench_cases, a_strided_padded_dense_convolution_is_right, .timeout = 300)
{
	struct bench_cases l = all_cases();

	for (int i = 0; i < l.n; i++)
		if (!strcmp(l.at[i].name, "mobilenetv2-224-3to32-3x3-s2"))
			compare(&l.at[i]);
	bench_cases_free(&l);
}

/* Bit by bit: each row is computed as before. */
Test(bench_cases, a_reference_by_threads_is_the_same)
{
	struct bench_cases l = { NULL, 0, 0 };

	bench_gemm_case(&l, "gemm", "group", 33, 65, 17);
	bench_gemm_case(&l, "gemm", "group", 1, 65, 17);
	bench_mlp_case(&l, "mlp", 7);
	bench_mnist_case(&l, "gpu", 7);
	bench_rows_case(&l, "rows", "layernorm", 256, 16);
	bench_rows_case(&l, "rows", "sum", 1024, 16);
	bench_pointwise_chain(&l, "pointwise", 8, 10);
	for (int i = 0; i < l.n; i++) {
		float *whole = machine_buffer(l.at[i].out.n), *parts = machine_buffer(l.at[i].out.n);

		bench_case_fill(&l.at[i]);
		l.at[i].reference(&l.at[i], whole);
		bench_reference_make(&l.at[i], parts);
		cr_expect_arr_eq(whole, parts, (size_t)l.at[i].out.n * sizeof *whole, "%s", l.at[i].name);
		machine_buffer_free(whole);
		machine_buffer_free(parts);
	}
	bench_cases_free(&l);
}

Test(bench_cases, a_filter_is_a_part_or_a_pattern)
{
	struct bench_case c = { .suite = "gemm", .name = "1024" };

	cr_assert(bench_case_fits(&c, NULL));
	cr_assert(bench_case_fits(&c, "102"));
	cr_assert(bench_case_fits(&c, "gemm/"));
	cr_assert_not(bench_case_fits(&c, "conv"));
	cr_assert(bench_case_fits(&c, "*/1?24"));
	cr_assert_not(bench_case_fits(&c, "1?24"));
	cr_assert(bench_case_fits(&c, "gemm/[0-9]*"));
	cr_assert(bench_case_fits(&c, "conv,102"));
	cr_assert(bench_case_fits(&c, "conv/*,gemm/*24,rows"));
	cr_assert_not(bench_case_fits(&c, "conv,,rows"));
}

Test(bench_cases, numbers_depend_on_names_alone)
{
	struct bench_cases a = all_cases(), b = all_cases();

	bench_case_fill(&a.at[0]);
	bench_case_fill(&b.at[0]);
	cr_assert_arr_eq(a.at[0].in[0].data, b.at[0].in[0].data, (size_t)a.at[0].in[0].n * sizeof(float));
	cr_assert(memcmp(a.at[0].in[0].data, a.at[0].in[1].data, (size_t)a.at[0].in[0].n * sizeof(float)) != 0);
	for (int64_t i = 0; i < a.at[0].in[0].n; i++)
		cr_assert(fabsf(a.at[0].in[0].data[i]) <= 1);
	bench_cases_free(&a);
	bench_cases_free(&b);
}

/* What a peer is reported is what the server understands. */
Test(bench_cases, a_case_survives_its_way_to_a_peer)
{
	struct bench_cases l = all_cases();
	struct lt_context *ctx;

	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	for (int i = 0; i < l.n; i++) {
		struct bench_case *c = &l.at[i], got;
		json_t *o;
		int threads = 0;
		bool same;

		if (cost(c) > 1 << 21)
			continue;
		bench_case_fill(c);
		cr_assert_eq(bench_case_write(ctx, c), LT_OK, "%s", lt_context_message(ctx));
		o = bench_process_case(c, 2);
		cr_assert_eq(bench_serve_case(ctx, o, &got, &threads), LT_OK, "%s", lt_context_message(ctx));
		cr_assert_eq(threads, 2);
		cr_assert_str_eq(got.op, c->op);
		cr_assert_str_eq(got.script, c->script);
		cr_assert_eq(got.n_in, c->n_in);
		cr_assert_eq(got.out.n, c->out.n);
		for (int k = 0; k < c->n_number; k++)
			cr_assert_eq(bench_case_get(&got, c->number[k].name), c->number[k].value);
		for (int k = 0; k < c->n_in; k++) {
			same = got.in[k].constant == c->in[k].constant && got.in[k].n == c->in[k].n;
			cr_assert(same, "%s", c->name);
			cr_assert_arr_eq(got.in[k].data, c->in[k].data, (size_t)c->in[k].n * sizeof(float));
		}
		bench_case_empty(&got);
		free(got.script);
		json_decref(o);
		bench_case_empty(c);
	}
	lt_context_free(ctx);
	bench_cases_free(&l);
}
